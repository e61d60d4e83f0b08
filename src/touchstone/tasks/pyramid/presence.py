"""Presence: units of one reference, and for each system whether its summary has them. Every unit weighs 1."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from touchstone.core.errors import Fault, TouchstoneError
from touchstone.core.gold import Gold
from touchstone.io.text import Source
from touchstone.tasks.pyramid.matching import Match


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
    def matches(self) -> list[Match]:
        """Each summary as the measures see it: weights of 1 from one model, so X is the number of units."""
        units: defaultdict[str, defaultdict[str, dict[str, bool]]] = defaultdict(lambda: defaultdict(dict))
        for one in self.decisions:
            units[one.item][one.system][one.scu] = one.present
        self._check_same_units(units)
        return [
            Match(item, system, "", Gold(dict.fromkeys(found, 1)), 1, {scu: 1 for scu, here in found.items() if here})
            for item, systems in units.items()
            for system, found in systems.items()
        ]

    @staticmethod
    def _check_same_units(units: "defaultdict[str, defaultdict[str, dict[str, bool]]]") -> None:
        for item, systems in units.items():
            first, *others = systems
            for other in others:
                if systems[other].keys() != systems[first].keys():
                    what = f"the systems {first} and {other} are judged by different units of the item {item}"
                    raise TouchstoneError(what)


def majority(votes: Sequence[int]) -> bool:
    """Return whether more than half of the *votes* are for presence; a tie is absence.

    >>> majority([1, 1, 0]), majority([1, 1, 0, 0])
    (True, False)
    """
    return 2 * sum(votes) > len(votes)
