"""What a task gives to the pipeline: readers, a join, measures, an explanation. All else is implemented once.

`Task` holds what differs between tasks. Its methods are the verbs (read, score, explain, validate, convert), and they
are the same for every task; `touchstone.core.comparison.compare` compares the results of any of them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, runtime_checkable

import pyarrow as pa

from touchstone.base.errors import TouchstoneError, nearest, no_such_item, visible
from touchstone.base.files import Source
from touchstone.base.ids import DROPPED, STRICT, Missing, Policy
from touchstone.base.notes import Note, announce
from touchstone.base.options import NoOptions, build_options
from touchstone.base.ragged import Floats
from touchstone.base.spelling import setting
from touchstone.base.tables import Table
from touchstone.base.workers import Engine, engine_for
from touchstone.core.comparison import Comparison
from touchstone.core.doubts import Doubt
from touchstone.core.formulas import Formula, formulas_table
from touchstone.core.measures import Measure, Measures
from touchstone.core.registry import find_task, task_names
from touchstone.core.resampling import Resampling
from touchstone.core.results import Results
from touchstone.core.scoring import Progress, Scoring, score_inputs
from touchstone.core.validation import Check, Validation
from touchstone.io.objects import table_of, with_index
from touchstone.io.runs import RunFiles, run_files, split_column
from touchstone.io.schema import Field
from touchstone.io.tables import TableFile, refuse_absent_columns
from touchstone.show.finding import Finding, Statement, kind_rows, table_rows

if TYPE_CHECKING:
    from touchstone.core.report.item_map import ItemTexts
    from touchstone.show.page import Section
    from touchstone.show.svg import Svg

PathLike = str | Path

SHOWN_COLUMNS = 8
"""How many columns of a table a hint lists."""


class GoldSet(Protocol):
    """What people said about the items of some files."""

    @property
    def items(self) -> pa.Table:
        """A row for each scored item: its ``id``, and the fields that items can be grouped and clustered by."""
        ...

    @property
    def signature(self) -> Mapping[str, str]:
        """What the numbers depend on: at least ``gold`` (files with digests) and ``items`` (counts)."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """Facts about the gold that a reader of the scores should know, with counts."""
        ...


@runtime_checkable
class Run(Protocol):
    """What one system gave for the items."""

    @property
    def name(self) -> str:
        """The name of the system."""
        ...

    @property
    def signature(self) -> str:
        """The files with their digests, and how missing columns were computed."""
        ...


class Joined(Protocol):
    """Gold and one run, joined by id: what the measures of a task look at, with a row for each scored item."""

    @property
    def facts(self) -> pa.Table:
        """Columns beside the values in the table of items, such as the prediction."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """Facts about the run that a reader of the scores should know, with counts."""
        ...


G = TypeVar("G", bound=GoldSet)
R = TypeVar("R", bound=Run)
J = TypeVar("J", bound=Joined)


@dataclass(frozen=True, eq=False)
class Inputs(Generic[G, R]):
    """The gold, the runs, and the options that they were read with."""

    gold: G
    runs: Sequence[R]
    options: Any = field(default_factory=NoOptions)
    doubts: Sequence[str] = ()
    """What looks like a mistake in the choice of the files."""

    @property
    def remarks(self) -> list[str]:
        """How gold and runs were read, such as which columns were chosen; those that say so have ``remarks``."""
        read = [remark for one in (self.gold, *self.runs) for remark in getattr(one, "remarks", ())]
        return [*self.doubts, *read]


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Finding):
    """One item in all runs: *heading* is plain text, *tables* show how the values are computed.

    *drawing* is what the task needs to draw the item; each task has its own kind.
    """

    item: str
    heading: str
    tables: Sequence[Table]
    drawing: object = None
    task: "Task[Any, Any, Any] | None" = None
    """The task, whose report draws it."""
    formulas: Sequence[Formula] = ()
    """The value of each system under each measure as arithmetic with the numbers of the item."""
    notes: Sequence[str] = ()
    """What a reader of the explanation should know about the runs."""

    def statement(self) -> Statement:
        """Return the text of the item, the tables, and the formulas."""
        from touchstone.core.report.results import explanation_sections

        name, *lines = filter(None, map(str.strip, self.heading.splitlines()))
        formulas = [formulas_table(self.formulas)] if self.formulas else []
        rows: list[dict[str, object]] = [
            {"kind": "item", "item": self.item, "text": self.heading},
            *kind_rows("formula", ({**vars(one), "terms": dict(one.terms)} for one in self.formulas)),
            *(row for table in self.tables for row in table_rows("table", table, title=table.title)),
        ]
        return Statement(
            f"{self.task.title}: {name}" if self.task else name,
            [*self.tables, *formulas],
            rows,
            notes=self.notes,
            introduction=self.heading,
            subtitle=" ".join(lines) if len(lines) == 1 else "",
            sections=lambda: explanation_sections(self),
        )


class TaskReport(Protocol):
    """What only one task has in its reports: the functions of a module of its package."""

    def sections(self, inputs: Any, results: Results, comparisons: Sequence[Comparison], /) -> "Sequence[Section]":  # noqa: ANN401
        """Return the sections of a report of scores that follow those of all tasks."""
        ...

    def item_texts(self, inputs: Any, rows: Sequence[int], /) -> "ItemTexts":  # noqa: ANN401
        """Return the texts that the map of items opens, of the items in these *rows* of the gold."""
        ...

    def explanation_sections(self, explanation: Explanation, /) -> "Sequence[Section]":
        """Return the sections of the report of one item that has a drawing."""
        ...

    def draw(self, drawing: Any, /) -> "Svg":  # noqa: ANN401
        """Return the drawing of one item, from what its explanation holds for it."""
        ...


@dataclass(frozen=True)
class Rows:
    """How the files of a task can be read in shards: a row for each item.

    *id* is the column of ids. *gold_line* and *run_line* are the columns that the lines of a plain text file stand
    for; None if plain text holds something else.
    """

    id: Field
    gold_line: str | None = None
    run_line: str | None = None


@dataclass(frozen=True, eq=False)
class Task(Generic[G, R, J]):
    """What is particular to one task.

    Parameters
    ----------
    name, title, summary
        Its name in commands, the title of its report, and the line that ``--help`` shows.
    measures, default
        The registry of its measures, and those that are scored where none is asked for.
    read_gold
        Reads the gold from one or more files, or from a Python object.
    read_run
        Reads the run of one system, from its file or files or from a Python object. None if the gold files carry
        the runs.
    join
        Joins gold and one run by id, under a policy and the options; refuses what cannot be scored.
    explain_item
        Shows one item in all runs, under a measure where one is asked for.
    gold_roles, answers
        The columns of a table of gold, and the column of a table that holds the answers of a system: a run may be one
        column of a table, ``NAME=FILE:COLUMN``. Empty and None where there are no such tables.
    together
        Suffixes of files that make one run where they differ in nothing else, such as ``.best`` and ``.oot``.
    values
        Whether a list of texts in Python holds the values themselves, one for each item; else it names files.
    cluster
        The field of items that belong together and are resampled as a whole; None if items are independent.
    missing
        What a missing answer means where the user chose no policy.
    failed, failure
        Joins a run whose missing answers count as failures, and says in words what such an item scores; by default as
        under the policy ``missing="zero"``.
    options
        The dataclass of its own options.
    prepare
        Applies the options to the gold, which may have been read before; by default the gold stays as it is.
    carried
        The runs that the gold files carry; none by default.
    moved
        A run that was read with one gold, for the items of another: takes the run and both. By default runs are joined
        by their ids and stay as they are.
    baselines
        Further runs that are scored beside the systems, such as the majority class.
    beside
        Measures whose records are computed beside those asked for and not shown: what `comparison_tables` needs.
    compared
        The measures that ``compare`` compares where none is asked for; all that are scored by default.
    judged
        The measures, as HUMAN=JUDGE, that ``estimate`` takes where none is asked for, from the judge's gold; *compared*
        by default.
    judged_tables
        Finds the scores of people and of a judge in tables, one or two: takes both, the options and the names of
        measures; returns what to read on either side, the options and names for it, and what is known of single
        outputs. None where the judge is a second gold.
    judge_measures
        The names of the measures to score on a judge's side, from those asked for, those of people's side and the
        judge's inputs; by default as for any inputs.
    select
        The names of the measures to score, from those asked for; by default these, or *default*.
    refine
        Adds to a measure what only the options of the inputs tell, such as whether less is better.
    left_out
        The names of the runs that the options leave out: takes the gold, the names of the runs and the options.
    group_names
        For the table of items and a field to group by, its values in the order shown, with the names shown.
    grouped
        The field that reports group by where the user names none.
    supplied
        Scores that were made elsewhere: measures, each with the records of every system by its name.
    remarks
        Notes that need the scores: takes inputs, joined runs and results.
    doubts
        What makes a joined run look like a mistake, such as answers none of which is in the gold of any item: warnings
        of scores, errors of ``validate``.
    check
        Further warnings for ``validate``: every problem of the inputs, one by one.
    examine
        Refuses what only a scoring under the usual measures would find in a joined run, for ``validate``.
    tables
        The tables that ``score`` prints; by default one with all values.
    comparison_tables
        Tables that ``compare`` prints beside those of every task.
    converter, convert_options
        Writes a file in another format, by suffix, and says what was written; its options, where they are others.
    block, cut
        For slow measures: how many items are scored at a time, and a function that cuts the joined runs to a slice of
        their items, sharing what they share. By default all items are scored at once.
    rows
        How large files are read in shards, where a table has one row for each item; None if they cannot be.
    parallel
        Whether many blocks are scored in several processes; not where copying a block costs more than scoring it.
    gold_help, run_help
        What the command line says about the arguments GOLD and RUN; a task whose gold carries the runs has no RUN.
    drawn
        Measures whose explanation has a drawing, where only some have one.
    report
        Imports what only this task has in its reports, which most commands do not need; None if there is nothing.
    example
        Arguments that ``--help`` shows, such as ``test.gold mine=a.oot theirs=b.oot``.
    """

    name: str
    title: str
    summary: str
    measures: Measures[J]
    default: tuple[str, ...]
    read_gold: Callable[[Sequence[Any], Any], G]
    join: Callable[[G, R, Policy, Any], J]
    explain_item: Callable[[Inputs[G, R], str, str | None, Policy], Explanation]
    read_run: Callable[[RunFiles, G, Any], R] | None = None
    gold_roles: tuple[Field, ...] = ()
    answers: Field | None = None
    together: tuple[str, ...] = ()
    values: bool = False
    cluster: str | None = None
    missing: Missing = "error"
    failed: Callable[[G, R, Policy, Any], J] | None = None
    failure: str = ""
    options: type = NoOptions
    prepare: Callable[[G, Any], G] = lambda gold, options: gold  # noqa: ARG005
    carried: Callable[[G], Sequence[R]] = lambda gold: ()  # noqa: ARG005
    moved: Callable[[R, G, G], R] = lambda run, gold, other: run  # noqa: ARG005
    baselines: Callable[[Inputs[G, R]], Sequence[R]] = lambda inputs: ()  # noqa: ARG005
    beside: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    judged: Callable[[G], Sequence[str]] | None = None
    judged_tables: Callable[[Any, Any, Any, Sequence[str]], Sequence[Any]] | None = None
    judge_measures: Callable[[Sequence[str], Sequence[str], Inputs[G, R]], Sequence[str]] | None = None
    select: Callable[[Sequence[str], Inputs[G, R]], Iterable[str]] | None = None
    refine: Callable[[Measure[J], Inputs[G, R]], Measure[J]] = lambda measure, inputs: measure  # noqa: ARG005
    supplied: Callable[[Inputs[G, R], Policy], Sequence[tuple[Measure[J], Mapping[str, Floats]]]] = (
        lambda inputs, policy: ()  # noqa: ARG005
    )
    left_out: Callable[[G, Sequence[str], Any], Sequence[str]] = lambda gold, names, options: ()  # noqa: ARG005
    group_names: Callable[[pa.Table, str], Mapping[str, str]] = lambda items, field: {}  # noqa: ARG005
    grouped: str | None = None
    remarks: Callable[[Inputs[G, R], Sequence[J], Results], Sequence[str]] = lambda inputs, joined, results: ()  # noqa: ARG005
    doubts: Callable[[Inputs[G, R], Sequence[tuple[R, J]]], Sequence[Doubt]] = lambda inputs, joined: ()  # noqa: ARG005
    check: Callable[[Inputs[G, R]], Sequence[str]] = lambda inputs: ()  # noqa: ARG005
    examine: Callable[[Inputs[G, R], J], None] = lambda inputs, joined: None  # noqa: ARG005
    tables: Callable[[Results, Any], Sequence[Table]] = lambda results, options: [results.table()]  # noqa: ARG005
    comparison_tables: Callable[[Comparison], Sequence[Table]] = lambda comparison: ()  # noqa: ARG005
    converter: Callable[[PathLike, PathLike, Any], str] | None = None
    convert_options: type | None = None
    block: int | None = None
    cut: Callable[[Sequence[J], slice], Sequence[J]] | None = None
    parallel: bool = True
    rows: "Rows | None" = None
    gold_help: str = ""
    run_help: str = ""
    drawn: tuple[str, ...] = ()
    report: Callable[[], TaskReport] | None = None
    example: str = ""

    def read(
        self,
        gold: object,
        systems: object = (),
        **options: object,
    ) -> Inputs[G, R]:
        """Read the gold and the runs.

        Parameters
        ----------
        gold
            A file, several files or folders, a Python object (a data frame, an Arrow table, a dataset, rows, columns,
            or a mapping from ids to human answers), or gold that was read before.
        systems
            A mapping from the names of systems to files, Python objects, or runs that were read before; or a list of
            files, folders, ``NAME=FILE`` texts or runs. Where the gold is a data frame, names of its columns too.
        options
            The options of the task, by name.

        Examples
        --------
        >>> from touchstone import mt
        >>> inputs = mt.read(["The cat sat."], {"a": ["The cat sits."]})
        >>> len(inputs.gold), [run.name for run in inputs.runs]
        (1, ['a'])
        """
        chosen: object = build_options(self.options, options)
        gold, systems = self._from_columns(*with_index(gold, systems), chosen)
        golds = self._gold(gold, chosen)
        given, notes = self._wanted(self._given(systems), golds, chosen)
        runs = [self._run(run, golds, chosen) if isinstance(run, RunFiles) else run for run in given]
        inputs = self._checked(Inputs(golds, [*self.carried(golds), *runs], chosen))
        return replace(inputs, doubts=[*notes, *self._doubts(given, inputs)])

    def score(
        self,
        gold: object,
        systems: object = (),
        measures: str | Iterable[str] = (),
        *,
        by: str | None = None,
        resampling: Resampling = Resampling(),  # noqa: B008 (immutable)
        policy: Policy = STRICT,
        jobs: int | None = None,
        engine: Engine | None = None,
        progress: Progress | None = None,
        **options: object,
    ) -> Results:
        """Score runs against the gold: a record for each item under each measure, folded into values with intervals.

        Parameters
        ----------
        gold, systems
            The arguments of `read`, or the inputs that it returned.
        measures
            Names such as ``rank@10``; the default measures of the task if empty.
        by
            A field of the items to group them by.
        resampling
            How intervals and tests are computed.
        policy
            What to do with missing, unknown and duplicate ids.
        jobs
            The number of processes; by default one for each core if there is much to score.
        engine
            Where the work runs, instead of *jobs*, such as ``Engine("ray")``.
        progress
            A function that is called with the number of items scored so far and the number of all items.
        options
            The options of the task, by name.

        Examples
        --------
        >>> from touchstone import nli
        >>> gold = {"1": "neutral", "2": "entailment"}
        >>> results = nli.score(gold, {"bert": {"1": "neutral", "2": "neutral"}}, ["accuracy"])
        >>> results.row("bert", "accuracy").value
        0.5
        """
        inputs = gold if isinstance(gold, Inputs) else self.read(gold, systems, **options)
        measures = [measures] if isinstance(measures, str) else measures or ()
        engine = engine or engine_for(jobs)
        results = score_inputs(
            self, inputs, measures, by=by, resampling=resampling, policy=policy, engine=engine, progress=progress
        )
        announce(results.notes)
        return results

    def cluster_notes(self, items: pa.Table, asked: str | None) -> list[str]:
        """Return a note where a task without clusters has items with a field that is the cluster of another task.

        Parameters
        ----------
        items
            The items of the gold.
        asked
            The cluster that the user chose, if any.
        """
        if asked is not None or self.cluster is not None:
            return []
        fields = [field for field in (find_task(name).cluster for name in task_names()) if field in items.column_names]
        repeated = next((field for field in fields if len(items.column(field).unique()) < items.num_rows), None)
        ways = setting("cluster", str(repeated)), setting("cluster", "item")
        together = f"use {ways[0]}, or {ways[1]} if they are independent"
        return [f"items are treated as independent, although some share a {repeated}: {together}"] if repeated else []

    def explain(
        self,
        gold: object,
        systems: object = (),
        *,
        item: str | int | None = None,
        measure: str | Sequence[str] | None = None,
        policy: Policy = STRICT,
        **options: object,
    ) -> Explanation:
        """Show why one item has its values, in all runs.

        Parameters
        ----------
        gold, systems, options
            As in `score`.
        item
            The id of the item; may be omitted if the gold has only one item.
        measure
            The measure or measures to explain, in tasks where each measure has its own explanation.
        policy
            What to do with missing, unknown and duplicate ids.

        Examples
        --------
        >>> from touchstone import items
        >>> print(items.explain({"a": {"q1": 1.0}, "b": {"q1": 0.5}}, item="q1"))
        item q1
        <BLANKLINE>
        system  value
        ─────────────
        a       1.000
        b       0.500
        <BLANKLINE>
        measure  system  formula, with the numbers of this item
        ───────────────────────────────────────────────────────
        value    a       the number in the table = 1
                 b       the number in the table = 0.5
        """
        inputs = gold if isinstance(gold, Inputs) else self.read(gold, systems, **options)
        if item is None:
            ids = inputs.gold.items.column("id").to_pylist()
            if len(ids) != 1:
                hint = f"choose one with {setting('item', 'ID')}"
                raise TouchstoneError(f"there are {len(ids):,} items to explain", hint=hint)
            item = ids[0]
        names = [measure] if isinstance(measure, str) else list(measure or [None])  # type: ignore[list-item]
        each = [self.explain_item(inputs, str(item), name, self.settled(policy)) for name in names]
        notes = self._explanation_notes(inputs, self.settled(policy))
        announce(notes)
        tables = [table for one in each for table in one.tables]
        formulas = {(one.measure, one.system): one for explained in each for one in explained.formulas}
        return replace(each[0], tables=tables, formulas=list(formulas.values()), task=self, notes=notes)

    def _explanation_notes(self, inputs: Inputs[G, R], policy: Policy) -> list[str]:
        """Return the doubts about runs and what is dropped; a run that cannot be joined is explained all the same."""
        joined = []
        for run in inputs.runs:
            with suppress(TouchstoneError):
                joined.append((run, self.join(inputs.gold, run, policy, inputs.options)))
        dropped = [note for _, one in joined for note in one.notes if Note.of_text(note).code.endswith(DROPPED)]
        return [*(doubt.note for doubt in self.doubts(inputs, joined)), *dropped]

    def validate(
        self,
        gold: object,
        systems: object = (),
        *,
        policy: Policy = STRICT,
        **options: object,
    ) -> Validation:
        """Return every problem of the files, without stopping at the first.

        Parameters
        ----------
        gold, systems, policy, options
            As in `score`.

        Examples
        --------
        >>> from touchstone import nli
        >>> problems = nli.validate({"1": "neutral", "2": "entailment"}, {"bert": {"1": "neutral"}})
        >>> problems.ok
        False
        >>> print(problems.faults[0])
        bert: no prediction for this pair: "2"
        """
        problems = Validation()
        chosen: object = build_options(self.options, options)
        gold, systems = self._from_columns(*with_index(gold, systems), chosen)
        people = problems.check(None, f"{_named(self._sources(gold), 'the gold')}: not read")
        golds = people.attempt(partial(self._gold, gold, chosen))
        golds = self._readable(gold, chosen) if golds is None else golds  # gold without a kept item is still gold
        if golds is None:
            return problems
        people.describe(golds)
        whole = people.ok  # else only ids can be checked: values that could not be read are missing
        together = Check(None, "the inputs")
        joined = [(run, problems.check(run.name, run.name)) for run in self.carried(golds)]
        submitted, notes = self._wanted(self._given(systems), golds, chosen)
        for given in submitted:
            check = problems.check(given.name, given.name)
            run: R | None
            if isinstance(given, RunFiles):
                check.title = f"{given.name} ({_named(given.paths, 'an object')}): not read"
                run = check.attempt(partial(self._run, given, golds, chosen))
            else:
                run = given
            joined += [(run, check)] if run is not None else []
        inputs = Inputs(golds, [run for run, _ in joined], chosen)
        # Gold alone may be validated, and where no run could be read each has its own fault.
        together.attempt(partial(self._checked if inputs.runs and whole else _check_columns, inputs))
        matched = []
        for run, check in joined:
            check.describe(run)
            one = check.attempt(partial(self.join, golds, run, self.settled(policy), chosen))
            if one is not None and whole:
                check.attempt(partial(self.examine, inputs, one))
                check.warnings += one.notes
                matched.append((run, one))
        for doubt in self.doubts(inputs, matched):
            next((check for run, check in joined if doubt.system == run.name), together).doubt(doubt)
        if whole:
            people.warnings += golds.notes
            together.warnings += [*notes, *self._doubts(submitted, inputs), *self.check(inputs)]
        problems.checks.append(together)
        return problems

    def convert(self, source: PathLike, target: PathLike, /, **options: object) -> str:
        r"""Write a file in the format given by the suffix of *target*, and return notes on what was written.

        Parameters
        ----------
        source, target
            The file to read, and the file to write.
        options
            The options of the task, by name.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from touchstone import items
        >>> with TemporaryDirectory() as folder:
        ...     source, target = Path(folder) / "scores.csv", Path(folder) / "scores.jsonl"
        ...     _ = source.write_text("item,a,b\nq1,1,0.5\n")
        ...     print(items.convert(source, target))
        ...     print(target.read_text())
        1 rows
        {"item": "q1", "a": 1.0, "b": 0.5}
        """
        if self.converter is None:
            raise TouchstoneError(f"{self.name} has one format only: there is nothing to convert")
        return self.converter(source, target, build_options(self.convert_options or self.options, options))

    def settled(self, policy: Policy) -> Policy:
        """Return the policy with the task's own choice for missing answers where the user made none."""
        return Policy(policy.missing or self.missing, policy.unknown, policy.duplicates)

    def __reduce__(self) -> tuple[Any, ...]:
        """Let a task be found by its name where it is pickled: its functions need not be picklable."""
        return find_task, (self.name,)

    @property
    def has_baselines(self) -> bool:
        """Whether the task adds runs of its own, which need the whole gold."""
        return self.baselines is not type(self).baselines

    def scoring(self, names: Iterable[str]) -> Scoring:
        """Return the picklable description of a scoring under measures of these *names*."""
        return Scoring(self.name, tuple(measure.name for measure in self.measures.find_all(names)))

    def chosen(self, names: Sequence[str], inputs: Inputs[G, R]) -> tuple[str, ...]:
        """Return the canonical names of the measures to score, from those asked for."""
        selected = self.select(names, inputs) if self.select else names or self.default
        return self.scoring(selected).measures

    def _gold(self, gold: object, options: object) -> G:
        known = gold if hasattr(gold, "signature") else self.read_gold(self._sources(gold), options)
        return self.prepare(known, options)  # type: ignore[arg-type]

    def _from_columns(self, gold: object, systems: object, options: object) -> tuple[object, object]:
        """Return the gold and the systems, where names of columns of the gold stand for what these columns hold."""
        lazy = hasattr(gold, "collect")  # a frame of polars that is not computed yet, which the reader refuses
        framed = not lazy and (isinstance(getattr(gold, "columns", None), Iterable) or hasattr(gold, "column_names"))
        if not framed or self.rows is None or self.read_run is None or isinstance(gold, TableFile):
            return gold, systems
        listed = [systems] if isinstance(systems, str) else systems
        given = dict(listed) if isinstance(listed, Mapping) else {one: one for one in _texts(listed)}
        role = self.rows.id
        table = table_of(gold, name="the gold", roles=[role])
        columns = {name: one for name, one in given.items() if isinstance(one, str) and one in table.columns}
        if not columns:
            return gold, systems
        other = next((name for name in _texts(listed) if name not in columns), None)
        if other is not None:
            hint = "give columns of the gold, or a mapping from the names of systems to columns, files and objects"
            raise TouchstoneError("no such column of the gold", value=other, near=nearest(other, columns), hint=hint)
        choices = [text for text in getattr(options, "column", ()) if str(text).partition("=")[0] == role.role]
        ids = table.roles([role], choices).get(role.role)
        runs = {name: table.columns[column] for name, column in columns.items()}
        by_id = {} if ids is None else {name: _by_id(table.texts(ids), cells) for name, cells in runs.items()}
        return replace(table, reordered=False), {**given, **runs, **by_id}  # row n of the gold is row n of its columns

    def _sources(self, given: object) -> list[Any]:
        """Return the files of a gold or a run; a Python object is returned as it is."""
        if isinstance(given, str | Path):
            return [given]
        kinds = Path if self.values else str | Path  # a list of texts names files, unless texts are values here
        if isinstance(given, list | tuple) and given and all(isinstance(path, kinds) for path in given):
            return list(given)
        return [given]

    def _readable(self, gold: object, options: object) -> G | None:
        """Return the gold of those files that can be read alone, so that their problems are found too."""
        known = Check(None, "gold")  # what is wrong with the other files is told already
        paths = self._sources(gold)
        kept = [path for path in paths[1:] and paths if known.attempt(partial(self._gold, path, options)) is not None]
        return known.attempt(partial(self._gold, kept, options)) if kept else None

    def _given(self, runs: object) -> list[R | RunFiles]:
        """Return runs that were read before as they are, and the files or objects of the others by system."""
        if isinstance(runs, str | Path | Run):
            runs = [runs]
        if isinstance(runs, Mapping):
            return [
                _renamed(run, name) if isinstance(run, Run) else RunFiles(str(name), *self._run_sources(run))
                for name, run in runs.items()
            ]
        listed: list[Any] = [] if runs is None else list(runs) if isinstance(runs, list | tuple) else [runs]
        if all(isinstance(run, Run) for run in listed):
            return listed
        strange = [run for run in listed if not isinstance(run, str | Path)]
        if strange:
            hint = "give a mapping from the names of systems to their runs"
            raise TouchstoneError(f"a {type(strange[0]).__name__} is a run without a name", hint=hint)
        return list(run_files(listed, self.together))

    def _run_sources(self, run: object) -> tuple[tuple[Any, ...], bool, str | None]:
        """Return what `RunFiles` holds of a run with a name: its files or object, and its column if it names one."""
        if isinstance(run, str | Path):
            path, column = split_column(Path(run))
            return (str(path) if column else run,), True, column
        return tuple(self._sources(run)), True, None

    def _wanted(
        self, given: Sequence[R | RunFiles], gold: G, options: object
    ) -> tuple[Sequence[R | RunFiles], list[str]]:
        """Return the runs that the options do not leave out, and a note on those that they do."""
        out = self.left_out(gold, [one.name for one in given], options)
        return [one for one in given if one.name not in out], [f"left out: {', '.join(out)}"] if out else []

    def _run(self, files: RunFiles, gold: G, options: object) -> R:
        if self.read_run is None:
            raise TouchstoneError(
                f"{self.name} takes no runs in addition to the gold", hint="its files contain the runs"
            )
        if files.column is None:
            return self.read_run(files, gold, options)
        if self.answers is None:
            what = f"{self.name} reads no single column of a table"
            raise TouchstoneError(what, file=str(files.path), value=files.column)
        own: Any = options
        run = self.read_run(files, gold, replace(own, column=files.choices(self.answers.role, own.column)))
        files.check_column(_sources_of(run))
        return run

    def _checked(self, inputs: Inputs[G, R]) -> Inputs[G, R]:
        if not inputs.runs:
            wanted = "a file with the output of a system" if self.read_run else "files with the output of systems"
            raise TouchstoneError("no run to score", hint=f"give {wanted}{self._columns_hint(inputs.gold)}")
        _check_columns(inputs)
        names = [run.name for run in (*inputs.runs, *self.baselines(inputs))]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise TouchstoneError(
                "two systems have the same name", value=twice, hint="give them different names: NAME=FILE"
            )
        return inputs

    def _columns_hint(self, gold: G) -> str:
        """Return how to name columns of the gold's table as runs, where it has columns that the gold does not use."""
        if self.answers is None:
            return ""
        for source in _sources_of(gold):
            free = [name for name in source.columns if all(one.number(name) is None for one in self.gold_roles)]
            if free and source.path is not None:
                shown = ", ".join(free[:SHOWN_COLUMNS]) + " …" * (len(free) > SHOWN_COLUMNS)
                return f"; columns of {source.path} that may be runs: {shown}; name one as {source.path}:{free[0]}"
        return ""

    def _doubts(self, given: Sequence[R | RunFiles], inputs: Inputs[G, R]) -> list[str]:
        """Return a sentence for each run that is read from the gold itself, and for each that equals another."""
        gold = {source.path.resolve(): source for source in _sources_of(inputs.gold) if source.path}
        chosen = {str(one).partition("=")[0] for one in getattr(inputs.options, "column", ())}
        free = self.answers is not None and not chosen & {self.answers.role, "label"}
        alone = [one for one in given if isinstance(one, RunFiles) and one.column is None and free]
        doubts = [
            f"{files.name} is read from the gold itself; choose the column of the run: {files.name}={path}:COLUMN"
            for files in alone
            for path in files.paths
            if isinstance(path, str | Path) and (source := gold.get(Path(path).resolve()))
            if not self._holds_answers(source)
        ]
        first: dict[str, str] = {}
        for run in inputs.runs if self.read_run and len(inputs.runs) > 1 else ():
            other = first.setdefault(run.signature, run.name)
            doubts += [f"{other} and {run.name} are the same run: all answers are equal"] if other != run.name else []
        return doubts

    def _holds_answers(self, source: Source) -> bool:
        """Whether a table of gold has a column that only a run has."""
        own = [name for name in source.columns if self.answers and self.answers.number(name) is not None]
        return any(all(one.number(name) is None for one in self.gold_roles) for name in own)


def _named(sources: Sequence[Any], kind: str) -> str:
    """Return the names of the files among *sources*; what *kind* of object it is where there is none."""
    paths = [str(source) for source in sources if isinstance(source, str | Path)]
    return visible(", ".join(paths[:3]) + " …" * (len(paths) > 3)) or kind


def _texts(listed: object) -> list[str]:
    return [one for one in listed if isinstance(one, str)] if isinstance(listed, list | tuple) else []


def _by_id(ids: Sequence[str | None], cells: Sequence[object]) -> dict[str, object]:
    return {name: cell for name, cell in zip(ids, cells, strict=True) if name is not None}


def _check_columns(inputs: Inputs[Any, Any]) -> None:
    """Refuse a choice of a column that no table has: a misspelt one would be passed over."""
    read = [source for each in (inputs.gold, *inputs.runs) for source in _sources_of(each)]
    refuse_absent_columns(getattr(inputs.options, "column", ()), read)


def _sources_of(read: object) -> list[Source]:
    """Return the files or objects that gold or a run was read from, as far as it says so."""
    held = [getattr(read, name, ()) for name in ("source", "sources", "file", "files")]
    each = [one for many in held for one in (many if isinstance(many, list | tuple) else [many])]
    found = [getattr(one, "source", one) for one in each]
    return [one for one in found if isinstance(one, Source)]


def _renamed(run: Run, name: str) -> Any:  # noqa: ANN401 (the same kind of run)
    return replace(run, name=name)  # type: ignore[type-var]


def item_place(gold: GoldSet, item: str) -> int:
    """Return the row of an item in ``gold.items``; refuse an unknown id with the nearest."""
    ids = gold.items.column("id").to_pylist()
    if item not in ids:
        raise no_such_item(item, ids)
    return int(ids.index(item))
