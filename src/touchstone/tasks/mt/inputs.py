"""What is read before anything is scored: reference translations, the outputs of systems, and how both were read."""

from dataclasses import dataclass, field
from functools import cached_property

from touchstone.core.errors import TouchstoneError, nearest
from touchstone.io.text import UTF8, Source
from touchstone.tasks.mt.model import Texts


@dataclass(frozen=True)
class Reading:
    """How texts are read: their encoding, whether entities are decoded once, whether Unicode is normalised.

    >>> str(Reading())
    'utf-8, entities decoded once, white space collapsed'
    """

    encoding: str = UTF8
    unescape: bool = True
    nfc: bool = False

    def __str__(self) -> str:
        entities = "entities decoded once, white space collapsed" if self.unescape else "entities kept"
        return f"{self.encoding}, {entities}{', NFC' if self.nfc else ''}"


@dataclass(frozen=True, eq=False)
class References:
    """The reference translations of a test set: one text or several to a segment, None where one is absent.

    *groups* names the language pair or the test set of each segment, where there are several. *bare* are the rows
    that have no reference at all, which was allowed.
    """

    texts: tuple[Texts, ...]
    ids: tuple[str, ...]
    sources: tuple[Source, ...]
    reading: Reading = field(default_factory=Reading)
    groups: tuple[str, ...] | None = None
    bare: frozenset[int] = frozenset()
    analyses: tuple[Source, ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each segment by its id."""
        return {name: row for row, name in enumerate(self.ids)}

    def row(self, name: str) -> int:
        """Return the row of a segment, or refuse an id that there is not."""
        if name not in self.rows:
            hint = f"there are {len(self):,} segments, from {self.ids[0]!r} to {self.ids[-1]!r}"
            raise TouchstoneError("unknown segment", value=name, near=nearest(name, self.ids), kind="id", hint=hint)
        return self.rows[name]


@dataclass(frozen=True, eq=False)
class System:
    """The translations of one system in the order of the references' segments; None where one is missing."""

    name: str
    texts: Texts
    source: Source
    analyses: tuple[Source, ...] = ()
    notes: tuple[str, ...] = ()
