"""Presence: content units of one reference, and for each system whether its summary has them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from touchstone.core.errors import Fault, TouchstoneError
from touchstone.io.text import Source


@dataclass(frozen=True)
class Decision:
    """Whether a system's summary of an item has a unit, and the votes that decided it, if they are known."""

    item: str
    system: str
    scu: str
    label: str
    present: bool
    votes: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Presence:
    """All decisions of some files, in their order."""

    decisions: Sequence[Decision] = field(repr=False)
    sources: tuple[Source, ...] = ()

    def __post_init__(self) -> None:
        if not self.decisions:
            raise TouchstoneError("no decision in it", file=self.sources[0].name if self.sources else None)
        times = Counter((one.item, one.system, one.scu) for one in self.decisions)
        faults = [
            Fault(f"item {item}, system {system}, unit {scu} is decided {number} times")
            for (item, system, scu), number in times.items()
            if number > 1
        ]
        if faults:
            raise TouchstoneError.of(faults, "give each decision once")

    @cached_property
    def units(self) -> dict[str, dict[str, dict[str, bool]]]:
        """By item and system, whether each content unit is present; refuses items with different units."""
        units: dict[str, dict[str, dict[str, bool]]] = {}
        for one in self.decisions:
            units.setdefault(one.item, {}).setdefault(one.system, {})[one.scu] = one.present
        for item, systems in units.items():
            first, *others = systems
            for other in others:
                if systems[other].keys() != systems[first].keys():
                    what = f"the systems {first} and {other} are judged by different content units of the item {item}"
                    raise TouchstoneError(what)
        return units


def majority(votes: Sequence[int]) -> bool:
    """Return whether more than half of the *votes* are for presence; a tie is absence.

    >>> majority([1, 1, 0]), majority([1, 1, 0, 0])
    (True, False)
    """
    return 2 * sum(votes) > len(votes)
