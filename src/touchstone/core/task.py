"""What a task gives to the pipeline: readers, a join, measures, an explanation. All else is implemented once.

A task is a class derived from `Task`. It must have `read_gold`, `join` and `explain_item`, and `read_run` where the
runs are not in the files of the gold; each of the other methods changes what has a usual answer. The verbs (read,
score, explain, validate, convert) are the same for every task; `touchstone.core.comparison.compare` compares the
results of any of them.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol

import pyarrow as pa

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ids import DROPPED, STRICT, Missing, Policy
from touchstone.base.notes import Note, announce
from touchstone.base.options import NoOptions, build_options
from touchstone.base.ragged import Floats
from touchstone.base.spelling import setting
from touchstone.base.tables import Table
from touchstone.base.workers import Engine, engine_for
from touchstone.core.about import About
from touchstone.core.comparison import Comparison
from touchstone.core.doubts import Doubt
from touchstone.core.explanation import Explanation
from touchstone.core.inputs import G, InputReader, Inputs, J, R
from touchstone.core.measures import Measure, Measures
from touchstone.core.registry import find_task
from touchstone.core.resampling import Resampling
from touchstone.core.results import Results
from touchstone.core.scoring import Progress, Scoring, score_inputs
from touchstone.core.validation import Validation, validate_inputs
from touchstone.io.runs import RunFiles
from touchstone.io.schema import Field

if TYPE_CHECKING:
    from touchstone.core.report.item_map import ItemTexts
    from touchstone.show.page import Section
    from touchstone.show.svg import Svg

PathLike = str | Path


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
class ShardRows:
    """How the files of a task can be read in shards: a row for each item.

    *id* is the column of ids. *gold_line* and *run_line* are the columns that the lines of a plain text file stand
    for; None if plain text holds something else. *refused_options* names options that have no place in shards.
    """

    id: Field
    gold_line: str | None = None
    run_line: str | None = None
    refused_options: tuple[str, ...] = ()


class Judging(Generic[G, R]):
    """How a task finds the scores of people and of a judge; by default the judge is a second gold."""

    has_tables = False
    """Whether people and the judge are in one or two tables, which `read_sides` reads."""

    def read_sides(self, human: Any, judge: Any, options: Any, measures: Sequence[str]) -> Sequence[Any]:  # noqa: ANN401
        """Return what to read on either side, the options and measures for it, and what is known of single outputs."""
        raise NotImplementedError

    def measures(self, task: "Task[Any, Any, Any]", gold: G) -> Sequence[str]:
        """Return the measures, as HUMAN=JUDGE, that are paired where none is asked for, from the judge's gold."""
        return task.compared

    def judge_task(self, task: "Task[Any, Any, Any]", human_names: Sequence[str]) -> "Task[Any, Any, Any]":
        """Return the task as it scores the judge's side, given the names of the measures of people's side."""
        return task

    def human_notes(self, gold: G) -> Sequence[str]:
        """Return the notes on people's gold."""
        return gold.notes

    def rows_without_gold(self, gold: G) -> Sequence[int]:
        """Return the rows of items that are scored although people said nothing about them."""
        return ()

    def rebase_run(self, run: R, gold: G, other: G) -> R:
        """Return a run that was read with one *gold* for the items of an *other*; runs with ids stay as they are."""
        return run


class Task(ABC, Generic[G, R, J]):
    """What is particular to one task.

    Attributes
    ----------
    about
        What the command line says about the task, in one object, in place of the attributes of the same names.
    name, title, summary
        Its name in commands, the title of its report, and the line that ``--help`` shows.
    measures, default
        The registry of its measures, and those that are scored where none is asked for.
    compared
        The measures that ``compare`` compares where none is asked for; all that are scored by default.
    extra_measures
        Measures whose records are computed beside those asked for and not shown: what `comparison_tables` needs.
    options, convert_options
        The dataclass of its own options, and of those of ``convert`` where they are others.
    cluster
        The field of items that belong together and are resampled as a whole; None if items are independent.
    report_by
        The field that reports group by where the user names none.
    missing
        What a missing answer means where the user chose no policy.
    failure
        Says in words what an item scores that `join_failed` makes a failure.
    runs_in_gold
        Whether the gold files contain the runs, so that there is no `read_run`.
    gold_fields, answer_field
        The columns of a table of gold, and the column of a table that holds the answers of a system: a run may be one
        column of a table, ``NAME=FILE:COLUMN``. Empty and None where there are no such tables.
    joint_suffixes
        Suffixes of files that make one run where they differ in nothing else, such as ``.best`` and ``.oot``.
    texts_are_values
        Whether a list of texts in Python holds the values themselves, one for each item; else it names files.
    shard_rows
        How large files are read in shards, where a table has one row for each item; None if they cannot be.
    block, parallel
        For slow measures: how many items are scored at a time, which `part` cuts, and whether many blocks are scored in
        several processes; not where copying a block costs more than scoring it.
    judging
        How people's scores and those of a judge are found.
    drawn_measures
        Measures whose explanation has a drawing, where only some have one.
    gold_help, run_help, example
        What the command line says about the arguments GOLD and RUN, and arguments that ``--help`` shows, such as
        ``test.gold mine=a.oot theirs=b.oot``.
    """

    about: About | None = None
    name: str
    title: str
    summary: str
    measures: Measures[J]
    default: tuple[str, ...]
    compared: tuple[str, ...] = ()
    extra_measures: tuple[str, ...] = ()
    options: type = NoOptions
    convert_options: type | None = None
    cluster: str | None = None
    report_by: str | None = None
    missing: Missing = "error"
    failure: str = ""
    runs_in_gold: bool = False
    gold_fields: tuple[Field, ...] = ()
    answer_field: Field | None = None
    joint_suffixes: tuple[str, ...] = ()
    texts_are_values: bool = False
    shard_rows: ShardRows | None = None
    block: int | None = None
    parallel: bool = True
    judging: Judging[G, R] = Judging()
    drawn_measures: tuple[str, ...] = ()
    gold_help: str = ""
    run_help: str = ""
    example: str = ""

    def __init_subclass__(cls, **more: Any) -> None:  # noqa: ANN401
        """Take over what is known of the task before it is imported."""
        super().__init_subclass__(**more)
        for field in fields(About) if "about" in vars(cls) and cls.about else ():
            if field.name not in ("converts", "judged_in_tables"):  # which the methods of a task tell
                setattr(cls, field.name, getattr(cls.about, field.name))

    @abstractmethod
    def read_gold(self, sources: Sequence[Any], options: Any) -> G:  # noqa: ANN401
        """Read the gold from one or more files, or from a Python object."""

    def read_run(self, files: RunFiles, gold: G, options: Any) -> R:  # noqa: ANN401
        """Read the run of one system, from its file or files or from a Python object."""
        what = f"{self.name} takes no runs in addition to the gold"
        raise TouchstoneError(what, code=Code.UNSUPPORTED, hint="its files contain the runs")

    @abstractmethod
    def join(self, gold: G, run: R, policy: Policy, options: Any) -> J:  # noqa: ANN401
        """Join gold and one run by id, under a policy and the options; refuse what cannot be scored."""

    @abstractmethod
    def explain_item(self, inputs: Inputs[G, R], item: str, measure: str | None, policy: Policy) -> Explanation:
        """Show one item in all runs, under a measure where one is asked for."""

    def prepare(self, gold: G, options: Any) -> G:  # noqa: ANN401
        """Apply the options to the gold, which may have been read before."""
        return gold

    def excluded(self, gold: G, names: Sequence[str], options: Any) -> Sequence[str]:  # noqa: ANN401
        """Return the *names* of runs that the options leave out."""
        return ()

    def baselines(self, inputs: Inputs[G, R]) -> Sequence[R]:
        """Return further runs that are scored beside the systems, such as the majority class."""
        return ()

    def select(self, names: Sequence[str], inputs: Inputs[G, R]) -> Iterable[str]:
        """Return the names of the measures to score, from those asked for."""
        return names or self.default

    def refine(self, measure: Measure[J], inputs: Inputs[G, R]) -> Measure[J]:
        """Add to a measure what only the options of the inputs tell, such as whether less is better."""
        return measure

    def supplied_scores(
        self,
        inputs: Inputs[G, R],
        policy: Policy,
    ) -> Sequence[tuple[Measure[J], Mapping[str, Floats]]]:
        """Return scores that were made elsewhere: measures, each with the records of every system by its name."""
        return ()

    def join_failed(self, gold: G, run: R, policy: Policy, options: Any) -> J:  # noqa: ANN401
        """Join a run whose missing answers count as failures."""
        return self.join(gold, run, replace(policy, missing="zero"), options)

    def part(self, joined: Sequence[J], rows: slice) -> Sequence[J]:
        """Cut joined runs of one gold to some of their items, sharing what they share; for tasks with a `block`."""
        raise NotImplementedError

    def doubts(self, inputs: Inputs[G, R], joined: Sequence[tuple[R, J]]) -> Sequence[Doubt]:
        """Return what makes a joined run look like a mistake: warnings of scores, errors of ``validate``."""
        return ()

    def notes(self, inputs: Inputs[G, R], joined: Sequence[J], results: Results) -> Sequence[str]:
        """Return notes that need the scores."""
        return ()

    def warnings(self, inputs: Inputs[G, R]) -> Sequence[str]:
        """Return further warnings of ``validate``: every problem of the inputs, one by one."""
        return ()

    def group_names(self, items: pa.Table, field: str) -> Mapping[str, str]:
        """Return the values of a field to group by in the order shown, with the names shown."""
        return {}

    def tables(self, results: Results, options: Any) -> Sequence[Table]:  # noqa: ANN401
        """Return the tables that ``score`` prints."""
        return [results.table()]

    def comparison_tables(self, comparison: Comparison) -> Sequence[Table]:
        """Return tables that ``compare`` prints beside those of every task."""
        return ()

    def convert_file(self, source: PathLike, target: PathLike, options: Any) -> str:  # noqa: ANN401
        """Write a file in another format, by suffix, and say what was written."""
        raise TouchstoneError(f"{self.name} has one format only: there is nothing to convert", code=Code.UNSUPPORTED)

    def report(self) -> TaskReport | None:
        """Import what only this task has in its reports, which most commands do not need."""
        return None

    # The verbs: what users call, the same for every task.

    def read(self, gold: object, systems: object = (), **options: object) -> Inputs[G, R]:
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
        return InputReader(self, build_options(self.options, options)).read(gold, systems)

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
        engine = engine or (None if jobs is None else engine_for(jobs))
        results = score_inputs(
            self, inputs, measures, by=by, resampling=resampling, policy=policy, engine=engine, progress=progress
        )
        announce(results.notes)
        return results

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
                raise TouchstoneError(f"there are {len(ids):,} items to explain", code=Code.OPTION_NEEDED, hint=hint)
            item = ids[0]
        names = [measure] if isinstance(measure, str) else list(measure or [None])  # type: ignore[list-item]
        each = [self.explain_item(inputs, str(item), name, self.settled(policy)) for name in names]
        notes = self._explanation_notes(inputs, self.settled(policy))
        announce(notes)
        tables = [table for explained in each for table in explained.tables]
        formulas = {(formula.measure, formula.system): formula for explained in each for formula in explained.formulas}
        return replace(each[0], tables=tables, formulas=list(formulas.values()), task=self, notes=notes)

    def _explanation_notes(self, inputs: Inputs[G, R], policy: Policy) -> list[str]:
        """Return the doubts about runs and what is dropped; a run that cannot be joined is explained all the same."""
        joined = []
        for run in inputs.runs:
            with suppress(TouchstoneError):
                joined.append((run, self.join(inputs.gold, run, policy, inputs.options)))
        dropped = [
            note for _, joined_run in joined for note in joined_run.notes if Note.of_text(note).code.endswith(DROPPED)
        ]
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
        return validate_inputs(self, gold, systems, policy, build_options(self.options, options))

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
        return self.convert_file(source, target, build_options(self.convert_options or self.options, options))

    def settled(self, policy: Policy) -> Policy:
        """Return the policy with the task's own choice for missing answers where the user made none."""
        return Policy(policy.missing or self.missing, policy.unknown, policy.duplicates)

    @property
    def converts(self) -> bool:
        """Whether the task has more than one format."""
        return type(self).convert_file is not Task.convert_file

    @property
    def has_baselines(self) -> bool:
        """Whether the task adds runs of its own, which need the whole gold."""
        return type(self).baselines is not Task.baselines

    def scoring(self, names: Iterable[str]) -> Scoring:
        """Return the picklable description of a scoring under measures of these *names*."""
        return Scoring(self.name, tuple(measure.name for measure in self.measures.find_all(names)))

    def chosen(self, names: Sequence[str], inputs: Inputs[G, R]) -> tuple[str, ...]:
        """Return the canonical names of the measures to score, from those asked for."""
        return self.scoring(self.select(names, inputs)).measures

    def __reduce__(self) -> tuple[Any, ...]:
        """Let a task be found by its name where it is pickled: its functions need not be picklable."""
        return find_task, (self.name,)
