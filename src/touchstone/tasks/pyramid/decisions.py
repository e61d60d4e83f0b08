"""Presence: content units of a document set, and for each peer whether its summary has them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, refuse
from touchstone.base.files import Source


@dataclass(frozen=True)
class Decision:
    """Whether a system's summary of an item has a unit, the votes that decided it, if known, and the unit's weight."""

    item: str
    system: str
    scu: str
    label: str
    present: bool
    votes: tuple[int, ...] = ()
    weight: int = 1


@dataclass(frozen=True, eq=False)
class Presence:
    """All decisions of some files or tables, in their order.

    Parameters
    ----------
    decisions
        The decisions, each once.
    sources
        The files that they were read from.
    models
        The number of model summaries of each item that it is known for.
    remarks
        How tables were read, such as which columns were chosen.
    unmatched
        By item and system, the number of content units of the summary that match none of the item's; empty where nobody
        counted them.
    """

    decisions: Sequence[Decision] = field(repr=False)
    sources: tuple[Source, ...] = ()
    models: Mapping[str, int] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    unmatched: Mapping[tuple[str, str], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.decisions:
            what = "no decision in it"
            raise TouchstoneError(what, file=self.sources[0].name if self.sources else None, code=Code.EMPTY)
        times = Counter((decision.item, decision.system, decision.scu) for decision in self.decisions)
        faults = [
            Fault(f"item {item}, system {system}, unit {scu} is decided {number} times", code=Code.DUPLICATE_ID)
            for (item, system, scu), number in times.items()
            if number > 1
        ]
        refuse(faults, "give each decision once")

    @cached_property
    def units(self) -> dict[str, dict[str, dict[str, bool]]]:
        """By item and system, whether each content unit is present; refuses items with different units."""
        units: dict[str, dict[str, dict[str, bool]]] = {}
        for decision in self.decisions:
            units.setdefault(decision.item, {}).setdefault(decision.system, {})[decision.scu] = decision.present
        for item, systems in units.items():
            first, *others = systems
            for other in others:
                if systems[other].keys() != systems[first].keys():
                    raise _different(item, systems, first, other)
        return units

    @cached_property
    def weights(self) -> dict[str, dict[str, int]]:
        """By item, the weight of each content unit; refuses a unit with two weights."""
        weights: dict[str, dict[str, int]] = {}
        for decision in self.decisions:
            first_weight = weights.setdefault(decision.item, {}).setdefault(decision.scu, decision.weight)
            if first_weight != decision.weight:
                what = f"item {decision.item}, unit {decision.scu} has the weights {first_weight} and {decision.weight}"
                raise TouchstoneError(what, code=Code.MISMATCH)
        return weights

    def models_of(self, item: str) -> int | None:
        """Return the number of model summaries of an item; None if units have weights and no number is given.

        Units without weights come from one model.
        """
        return self.models.get(item, None if self._weighted else 1)

    @cached_property
    def _weighted(self) -> bool:
        return any(decision.weight > 1 for decision in self.decisions)


def _different(item: str, systems: Mapping[str, Mapping[str, bool]], first: str, other: str) -> TouchstoneError:
    """Return the error of two systems that are judged by different units of an item."""
    scu = min(systems[first].keys() ^ systems[other].keys())
    lacking = other if scu in systems[first] else first
    return TouchstoneError(
        f"the systems {first} and {other} are judged by different content units of the item {item}",
        code=Code.MISMATCH,
        hint=f"{lacking} has no decision on unit {scu}: decide on every unit, 0 where a summary does not express it",
    )


def majority(votes: Sequence[int]) -> bool:
    """Return whether more than half of the *votes* are for presence; a tie is absence.

    >>> majority([1, 1, 0]), majority([1, 1, 0, 0])
    (True, False)
    """
    return 2 * sum(votes) > len(votes)


def votes_of_people(people: Sequence[Presence]) -> Presence:
    """Return the decisions of several people as votes: one person, one vote on each decision.

    Parameters
    ----------
    people
        What each person decided. A decision that some of them lack has the votes of the others.

    Examples
    --------
    >>> heron = [Presence([Decision("S1", "heron", "1", "flood", present)]) for present in (True, False, True)]
    >>> [decision] = votes_of_people(heron).decisions
    >>> decision.votes, decision.present
    ((1, 0, 1), True)
    """
    decisions_by_key: dict[tuple[str, str, str], list[Decision]] = {}
    for person in people:
        for decision in person.decisions:
            decisions_by_key.setdefault((decision.item, decision.system, decision.scu), []).append(decision)
    decisions = []
    for same in decisions_by_key.values():
        votes = tuple(int(decision.present) for decision in same)
        decisions.append(replace(same[0], present=majority(votes), votes=votes))
    return Presence(decisions, tuple(source for person in people for source in person.sources))
