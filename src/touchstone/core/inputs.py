"""What a task reads and joins, and what the pipeline asks of it: gold, runs, and both joined by id."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import pyarrow as pa

from touchstone.base.errors import no_such_item
from touchstone.base.files import Source
from touchstone.base.ids import Ids
from touchstone.base.options import NoOptions
from touchstone.base.ragged import Floats


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
