"""Why a summary scored what it did: its text with the units found in it, and what the best would have been."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from touchstone.core.tables import Cell, Column, Table
from touchstone.tasks.pyramid.matching import Match, match_of
from touchstone.tasks.pyramid.measures import MEASURES, value
from touchstone.tasks.pyramid.model import NO_UNIT, Annotation, Pyramid, Unit


@dataclass(frozen=True)
class Segment:
    """A stretch of text that the same units cover, heaviest first; none where nothing was marked."""

    text: str
    uids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Expressed:
    """A unit that the peer expresses: its *number* in the view, and the words of each of its contributors."""

    number: int
    unit: Unit
    said: tuple[str, ...]


@dataclass(frozen=True)
class Explanation:
    """A peer summary with its units, heaviest first, those it misses, and its scores."""

    annotation: Annotation
    match: Match
    segments: tuple[Segment, ...]
    expressed: tuple[Expressed, ...]
    missed: tuple[Unit, ...]
    unmatched: tuple[str, ...]
    values: dict[str, float]

    @property
    def title(self) -> str:
        """What the summary is called."""
        one = self.annotation
        names = (f"set {one.set}" if one.set else "", f"peer {one.peer}" if one.peer else "")
        by = f"annotator {one.annotator}" if one.annotator else ""
        return ", ".join(filter(None, (*names, by))) or "a summary"

    def units_table(self) -> Table:
        """Return the units that the peer expresses, with its words; a repeated one has a row for each time."""
        rows: list[list[Cell]] = [
            [one.number if not again else "", one.unit.weight if not again else "repeated", one.unit.label, said]
            for one in self.expressed
            for again, said in enumerate(one.said)
        ]
        rows += [["", "no unit", None, said] for said in self.unmatched]
        columns = [Column("", "right"), Column("weight", "right"), Column("unit"), Column("the peer's words")]
        return Table(columns, rows, title="Units in the summary")

    def missed_table(self, most: int = 10) -> Table:
        """Return the heaviest units that the peer does not express."""
        rows = [(unit.weight, unit.label) for unit in self.missed[:most]]
        more = [f"and {len(self.missed) - most:,} more"] if len(self.missed) > most else []
        return Table([Column("weight", "right"), Column("unit")], rows, title="Heaviest units missed", notes=more)

    def optimum_table(self) -> Table:
        """Return how the best that X units can earn comes about, tier by tier."""
        gold, average = self.match.gold, self.match.average
        rows: list[list[Cell]] = []
        taken = 0
        for weight, units in self.annotation.pyramid.tiers.items():
            before, taken = taken, min(taken + len(units), average)
            sums = int(gold.optimum(taken) - gold.optimum(before)), int(gold.optimum(taken))
            rows.append([weight, len(units), self._found(weight), taken - before, *sums])
        heads = ("weight", "units", "in the summary", "taken for the optimum", "earn", "so far")
        total, models = int(gold.optimum()), self.match.models
        notes = [
            f"X = {total} / {models} rounded half up = {average}, optimum(X) = {gold.optimum(average):g}",
            f"modified = {self.match.credit:g} / {gold.optimum(average):g}; original = {self.match.credit:g} / "
            f"{gold.optimum(self.match.size):g}, the optimum of {self.match.size} contributors",
        ]
        return Table([Column(head, "right") for head in heads], rows, title="The best that could be", notes=notes)

    def values_table(self) -> Table:
        """Return what the summary scores under each measure."""
        return Table([Column("measure"), Column("value", "right")], list(self.values.items()), title="Scores")

    def _found(self, weight: int) -> int:
        return sum(one.unit.weight == weight for one in self.expressed)


def explain(annotation: Annotation) -> Explanation:
    """Return how an annotation comes to its scores."""
    match = match_of(annotation)
    ranked = heaviest_first(annotation.pyramid)
    expressed = [
        Expressed(number, unit, said)
        for number, (unit, said) in enumerate(
            ((u, _said(annotation, u.uid)) for u in ranked if u.uid in match.counts), 1
        )
    ]
    return Explanation(
        annotation,
        match,
        tuple(segments(annotation.text, annotation.units, [unit.uid for unit in ranked])),
        tuple(expressed),
        tuple(unit for unit in ranked if unit.uid not in match.counts),
        _said(annotation, NO_UNIT),
        {name: value(name, match) for name in MEASURES.names},
    )


def heaviest_first(pyramid: Pyramid) -> list[Unit]:
    """Return the units by falling weight, those of one weight in the pyramid's order."""
    return [unit for tier in pyramid.tiers.values() for unit in tier]


def segments(text: str, units: Sequence[Unit], ranking: Sequence[str]) -> Iterator[Segment]:
    """Cut *text* where the spans of *units* begin and end; the uids of a stretch are in the order of the *ranking*.

    Spans that reach outside the text are cut to it, and what is left empty is not shown.

    >>> from touchstone.tasks.pyramid.model import Contributor, Part
    >>> unit = Unit("7", "Cats sleep", (Contributor("Cats...sleep", (Part("Cats", 0, 4), Part("sleep", 12, 17))),))
    >>> [(one.text, one.uids) for one in segments("Cats usually sleep.", [unit], ["7"])][:2]
    [('Cats', ('7',)), (' usually', ())]
    """
    place = {uid: rank for rank, uid in enumerate(ranking)}
    changes: dict[int, Counter[str]] = {0: Counter(), len(text): Counter()}
    for unit in units:
        for part in (part for contributor in unit.contributors for part in contributor.parts):
            start, end = max(part.start, 0), min(part.end, len(text))
            if start < end:
                changes.setdefault(start, Counter())[unit.uid] += 1
                changes.setdefault(end, Counter())[unit.uid] -= 1
    edges = sorted(changes)
    active: Counter[str] = Counter()
    for start, end in pairwise(edges):
        active.update(changes[start])
        uids = sorted((uid for uid, times in active.items() if times), key=lambda uid: place.get(uid, len(place)))
        yield Segment(text[start:end], tuple(uids))


def _said(annotation: Annotation, uid: str) -> tuple[str, ...]:
    """Return the words of each contributor that the peer has for a unit, parts in the order of the text."""
    found = (contributor for unit in annotation.units if unit.uid == uid for contributor in unit.contributors)
    return tuple(" … ".join(part.label for part in contributor.in_order) or contributor.label for contributor in found)
