"""Gold and runs: what the pipeline asks of them, and how they are read for any task.

An argument may name files, hold values, or be what was read before.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import pyarrow as pa

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest, no_such_item, refuse_repeated, visible
from touchstone.base.files import Source
from touchstone.base.ids import Ids
from touchstone.base.options import NoOptions
from touchstone.base.ragged import Floats
from touchstone.io.objects import table_of, with_index
from touchstone.io.runs import RunFiles, run_files, split_column
from touchstone.io.schema import Schema
from touchstone.io.tables import TableFile, refuse_absent_columns

if TYPE_CHECKING:
    from touchstone.core.task import Task

HINTED_COLUMNS = 8
"""How many columns of a table a hint lists."""


class GoldSet:
    """What people said about the items of some files: the base of a task's own class, usually a dataclass."""

    if TYPE_CHECKING:

        @property
        def items(self) -> pa.Table:
            """A row for each scored item: its ``id``, and the fields that items can be grouped and clustered by."""

        @property
        def signature(self) -> Mapping[str, str]:
            """What the numbers depend on: at least ``gold`` (files with digests) and ``items`` (counts)."""

        @property
        def sources(self) -> Sequence[Source]:
            """The files and objects that were read."""

        @property
        def runs(self) -> "Sequence[Any]":
            """The runs that the gold files contain."""

        @property
        def notes(self) -> Sequence[str]:
            """Facts about the gold that a reader of the scores should know, with counts."""

        @property
        def remarks(self) -> Sequence[str]:
            """How the files were read, such as which columns were chosen."""

    else:  # plain values: a dataclass would take a property for the default of a field of that name
        sources = runs = notes = remarks = ()

    @property
    def places(self) -> Ids:
        """The items, with the file and the line of each where they are known."""
        ids = self.items.column("id").to_pylist()
        return Ids("", ids, [""] * len(ids))

    @property
    def all_ids(self) -> Sequence[str]:
        """The ids of all items of the files, also of those that are not scored."""
        return self.places.ids

    def number_cells(self, name: str) -> Mapping[str, object] | None:
        """Return the cells of a column of numbers that describes the items, by id; None if there is no such column."""
        if name not in self.items.column_names:
            return None
        return dict(zip(self.items.column("id").to_pylist(), self.items.column(name).to_pylist(), strict=True))

    def __str__(self) -> str:
        return f"{self.signature['gold']}: {self.signature['items']}"


class FileGold(GoldSet):
    """Gold from one file or object, which has items with lines: all, also those that are not scored."""

    if TYPE_CHECKING:

        @property
        def source(self) -> Source:
            """The file or object that was read."""

        @property
        def ids(self) -> Sequence[str]:
            """The ids of its items."""

        @property
        def lines(self) -> Sequence[int | str]:
            """The lines of its items."""

    @property
    def sources(self) -> Sequence[Source]:
        """The file or object that was read."""
        return (self.source,)

    @property
    def all_ids(self) -> Sequence[str]:
        """The ids of all items, also of those that are not scored."""
        return self.ids

    @property
    def places(self) -> Ids:
        """The items with their lines."""
        lines = dict(zip(self.ids, self.lines, strict=True))
        ids = self.items.column("id").to_pylist()
        return Ids(self.source.name, ids, [lines[item] for item in ids])


class Run:
    """What one system gave for the items: the base of a task's own class, usually a dataclass."""

    if TYPE_CHECKING:

        @property
        def name(self) -> str:
            """The name of the system."""

        @property
        def signature(self) -> str:
            """The files with their digests, and how missing columns were computed."""

        @property
        def sources(self) -> Sequence[Source]:
            """The files and objects that were read."""

        @property
        def remarks(self) -> Sequence[str]:
            """How the files were read, such as which columns were chosen."""

        @property
        def places(self) -> Ids | None:
            """The items of the rows, with their lines; None if the files of the gold contain the run."""

        @property
        def scores(self) -> Mapping[str, Floats]:
            """The values of the rows by column, where runs are scores that other tools made."""

    else:
        sources = remarks = ()
        places, scores = None, MappingProxyType({})

    def __str__(self) -> str:
        return f"{self.name} ({self.signature})"


class Joined:
    """Gold and one run, joined by id: what the measures of a task look at, with a row for each scored item."""

    if TYPE_CHECKING:

        @property
        def facts(self) -> pa.Table:
            """Columns beside the values in the table of items, such as the prediction."""

        @property
        def notes(self) -> Sequence[str]:
            """Facts about the run that a reader of the scores should know, with counts."""

    else:
        notes = ()

    def parts(self, field: str) -> "Mapping[str, Joined]":  # noqa: ARG002
        """Return the values of a field of the parts of items, each with this run cut to the parts that have it.

        Parts are what an item consists of, such as criteria with an axis or errors with a category. Every run of one
        gold has the same values, in the order shown; there are none where the parts have no such field.
        """
        return {}


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
        """How gold and runs were read, such as which columns were chosen."""
        return [*self.doubts, *self.gold.remarks, *(remark for run in self.runs for remark in run.remarks)]


def item_place(gold: GoldSet, item: str) -> int:
    """Return the row of an item in ``gold.items``; refuse an unknown id with the nearest."""
    ids = gold.items.column("id").to_pylist()
    if item not in ids:
        raise no_such_item(item, ids)
    return int(ids.index(item))


@dataclass(frozen=True)
class InputReader:
    """Reads the gold and the runs of a task with its options."""

    task: "Task[Any, Any, Any]"
    options: Any

    def read(self, gold: object, systems: object) -> Inputs[Any, Any]:
        """Return the gold and the runs; refuse inputs without a run, and two runs of one name."""
        gold, systems = self.columns_as_runs(gold, systems)
        gold_set = self.gold(gold)
        listed, notes = self.without_excluded(self.listed(systems), gold_set)
        runs = [self.run(run, gold_set) if isinstance(run, RunFiles) else run for run in listed]
        inputs = Inputs(gold_set, [*gold_set.runs, *runs], self.options)
        self.require_runs(inputs)
        return replace(inputs, doubts=[*notes, *self.doubts(listed, inputs)])

    def gold(self, gold: object) -> GoldSet:
        """Return the gold of files or an object, or that was read before, with the options applied."""
        gold_set = gold if isinstance(gold, GoldSet) else self.task.read_gold(self.sources(gold), self.options)
        prepared: GoldSet = self.task.prepare(gold_set, self.options)
        return prepared

    def columns_as_runs(self, gold: object, systems: object) -> tuple[object, object]:
        """Return the gold and the systems, where names of columns of the gold stand for what these columns hold."""
        gold, systems = with_index(gold, systems)
        lazy = hasattr(gold, "collect")  # a frame of polars that is not computed yet, which the reader refuses
        framed = not lazy and (isinstance(getattr(gold, "columns", None), Iterable) or hasattr(gold, "column_names"))
        # Files have columns too, but name them as FILE:COLUMN; a gold with its runs inside has no free columns.
        if not framed or self.task.shard_rows is None or self.task.runs_in_gold or isinstance(gold, TableFile):
            return gold, systems
        listed = [systems] if isinstance(systems, str) else systems
        named = dict(listed) if isinstance(listed, Mapping) else {text: text for text in _texts(listed)}
        role = self.task.shard_rows.id
        table = table_of(gold, name="the gold", roles=[role])
        columns = {name: text for name, text in named.items() if isinstance(text, str) and text in table.columns}
        if not columns:
            return gold, systems
        other = next((name for name in _texts(listed) if name not in columns), None)
        if other is not None:
            hint = "give columns of the gold, or a mapping from the names of systems to columns, files and objects"
            near = nearest(other, columns)
            raise TouchstoneError("no such column of the gold", value=other, near=near, code=Code.NO_COLUMN, hint=hint)
        choices = [text for text in getattr(self.options, "column", ()) if str(text).partition("=")[0] == role.role]
        ids = Schema(role).bind(table, choices).columns.get(role.role)
        runs = {name: table.columns[column] for name, column in columns.items()}
        by_id = {} if ids is None else {name: _by_id(table.texts(ids), cells) for name, cells in runs.items()}
        return replace(table, reordered=False), {**named, **runs, **by_id}  # row n of the gold is row n of its columns

    def sources(self, files_or_object: object) -> list[Any]:
        """Return the files of a gold or a run; a Python object is returned as it is."""
        if isinstance(files_or_object, str | Path):
            return [files_or_object]
        kinds = (
            Path if self.task.texts_are_values else str | Path
        )  # a list of texts names files, unless they are values
        if (
            isinstance(files_or_object, list | tuple)
            and files_or_object
            and all(isinstance(path, kinds) for path in files_or_object)
        ):
            return list(files_or_object)
        return [files_or_object]

    def listed(self, runs: object) -> list[Run | RunFiles]:
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
            what = f"a {type(strange[0]).__name__} is a run without a name"
            raise TouchstoneError(what, code=Code.BAD_VALUE, hint=hint)
        return list(run_files(listed, self.task.joint_suffixes))

    def _run_sources(self, run: object) -> tuple[tuple[Any, ...], bool, str | None]:
        """Return what `RunFiles` holds of a run with a name: its files or object, and its column if it names one."""
        if isinstance(run, str | Path):
            path, column = split_column(Path(run))
            return (str(path) if column else run,), True, column
        return tuple(self.sources(run)), True, None

    def without_excluded(
        self, listed: Sequence[Run | RunFiles], gold: GoldSet
    ) -> tuple[list[Run | RunFiles], list[str]]:
        """Return the runs that the options do not leave out, and a note on those that they do."""
        out = self.task.excluded(gold, [run.name for run in listed], self.options)
        return [run for run in listed if run.name not in out], [f"left out: {', '.join(out)}"] if out else []

    def run(self, files: RunFiles, gold: GoldSet) -> Run:
        """Return the run of one system; refuse a column that none of its files has."""
        task = self.task
        if files.column is None:
            run: Run = task.read_run(files, gold, self.options)
            return run
        if task.answer_field is None:
            what = f"{task.name} reads no single column of a table"
            raise TouchstoneError(what, file=str(files.path), value=files.column, code=Code.UNSUPPORTED)
        columns = files.choices(task.answer_field.role, self.options.column)
        run = task.read_run(files, gold, replace(self.options, column=columns))
        files.check_column(run.sources)
        return run

    def require_runs(self, inputs: Inputs[Any, Any]) -> None:
        """Refuse inputs without a run, with two runs of one name, or with a chosen column that no table has."""
        if not inputs.runs:
            files = (
                "files with the output of systems" if self.task.runs_in_gold else "a file with the output of a system"
            )
            hint = f"give {files}{self._columns_hint(inputs.gold)}"
            raise TouchstoneError("no run to score", code=Code.EMPTY, hint=hint)
        self.check_columns(inputs)
        names = [run.name for run in (*inputs.runs, *self.task.baselines(inputs))]
        refuse_repeated(names, hint="give them different names: NAME=FILE")

    def check_columns(self, inputs: Inputs[Any, Any]) -> None:
        """Refuse a choice of a column that no table has: a misspelt one would be passed over."""
        read = [source for each in (inputs.gold, *inputs.runs) for source in each.sources]
        refuse_absent_columns(getattr(self.options, "column", ()), read)

    def _columns_hint(self, gold: GoldSet) -> str:
        """Return how to name columns of the gold's table as runs, where it has columns that the gold does not use."""
        if self.task.answer_field is None:
            return ""
        for source in gold.sources:
            free = [name for name in source.columns if not self._is_gold_column(name)]
            if free and source.path is not None:
                column_names = ", ".join(free[:HINTED_COLUMNS]) + " …" * (len(free) > HINTED_COLUMNS)
                return (
                    f"; columns of {source.path} that may be runs: {column_names}; name one as {source.path}:{free[0]}"
                )
        return ""

    def doubts(self, listed: Sequence[Run | RunFiles], inputs: Inputs[Any, Any]) -> list[str]:
        """Return a sentence for each run that is read from the gold itself, and for each that equals another."""
        gold = {source.path.resolve(): source for source in inputs.gold.sources if source.path}
        field = self.task.answer_field
        chosen = {str(text).partition("=")[0] for text in getattr(self.options, "column", ())}
        free = field is not None and not chosen & {field.role, "label"}
        alone = [run for run in listed if isinstance(run, RunFiles) and run.column is None and free]
        doubts = [
            f"{files.name} is read from the gold itself; choose the column of the run: {files.name}={path}:COLUMN"
            for files in alone
            for path in files.paths
            if isinstance(path, str | Path) and (source := gold.get(Path(path).resolve()))
            if not self._has_answers(source)
        ]
        first: dict[str, str] = {}
        for run in inputs.runs if not self.task.runs_in_gold and len(inputs.runs) > 1 else ():
            other = first.setdefault(run.signature, run.name)
            doubts += [f"{other} and {run.name} are the same run: all answers are equal"] if other != run.name else []
        return doubts

    def _has_answers(self, source: Source) -> bool:
        """Whether a table of gold has a column that only a run has."""
        field = self.task.answer_field
        answers = [name for name in source.columns if field and field.number(name) is not None]
        return any(not self._is_gold_column(name) for name in answers)

    def _is_gold_column(self, name: str) -> bool:
        return any(field.number(name) is not None for field in self.task.gold_fields)


def names_of_files(sources: Sequence[Any], kind: str) -> str:
    """Return the names of the files among *sources*; what *kind* of object it is where there is none."""
    paths = [str(source) for source in sources if isinstance(source, str | Path)]
    return visible(", ".join(paths[:3]) + " …" * (len(paths) > 3)) or kind


def _texts(listed: object) -> list[str]:
    return [text for text in listed if isinstance(text, str)] if isinstance(listed, list | tuple) else []


def _by_id(ids: Sequence[str | None], cells: Sequence[object]) -> dict[str, object]:
    return {name: cell for name, cell in zip(ids, cells, strict=True) if name is not None}


def _renamed(run: Run, name: str) -> Any:  # noqa: ANN401 (the same kind of run)
    return replace(run, name=name)  # type: ignore[type-var]
