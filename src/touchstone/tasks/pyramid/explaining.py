"""Why a summary has its scores: the content units in its text, those it misses, and how the optimum comes about."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isfinite

from touchstone.base.errors import no_such_item
from touchstone.base.ids import Policy
from touchstone.base.tables import Cell, Column, Table
from touchstone.core.explanation import Explanation
from touchstone.core.formulas import Formula, Steps, added, quotient, summed, written
from touchstone.core.inputs import Inputs
from touchstone.tasks.pyramid.joining import GoldSet, Run, UnitCounts, pick_annotator, unit_counts
from touchstone.tasks.pyramid.measures import MEASURES, MODIFIED, ORIGINAL, PRECISION, SOFT, default_measures, value
from touchstone.tasks.pyramid.model import NO_UNIT, Annotation, Pyramid, Unit

MOST_SUMMARIES_IN_FULL = 3
"""The number of summaries of a document set up to which each is shown in full."""


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
    words: tuple[str, ...]


@dataclass(frozen=True)
class SummaryExplanation:
    """One annotated summary with its units, heaviest first, those it misses, and its scores."""

    annotation: Annotation
    counts: UnitCounts
    segments: tuple[Segment, ...]
    expressed: tuple[Expressed, ...]
    missed: tuple[Unit, ...]
    unmatched: tuple[str, ...]
    values: dict[str, float]

    @property
    def title(self) -> str:
        """The document set, the peer and the annotator, those that are known."""
        annotation = self.annotation
        identity = {"set": annotation.set, "peer": annotation.peer, "annotator": annotation.annotator}
        return ", ".join(f"{what} {name}" for what, name in identity.items() if name) or "a summary"

    def tables(self) -> list[Table]:
        """Return the units, those missed, the optimum and the values."""
        return [self.units_table(), self.missed_table(), self.optimum_table(), self.values_table()]

    def units_table(self) -> Table:
        """Return the units that the peer expresses, with its words; a repeated one has a row for each time."""
        rows: list[list[Cell]] = [
            ["" if again else of.number, "repeated" if again else of.unit.weight, of.unit.label, words]
            for of in self.expressed
            for again, words in enumerate(of.words)
        ]
        rows += [["", "no unit", None, words] for words in self.unmatched]
        columns = [Column("", "right"), Column("weight", "right"), Column("unit"), Column("the peer's words")]
        return Table(columns, rows, title="Units in the summary")

    def missed_table(self, most: int = 10) -> Table:
        """Return the heaviest units that the peer does not express."""
        rows = [(unit.weight, unit.label) for unit in self.missed[:most]]
        more = [f"and {len(self.missed) - most:,} more"] if len(self.missed) > most else []
        return Table([Column("weight", "right"), Column("unit")], rows, title="Heaviest units missed", notes=more)

    def optimum_table(self) -> Table:
        """Return how the most that X units can earn comes about, tier by tier."""
        gold, average = self.counts.gold, self.counts.average
        rows: list[list[Cell]] = []
        taken = 0
        for weight, units in self.annotation.pyramid.tiers.items():
            before, taken = taken, min(taken + len(units), average)
            sums = int(gold.optimum(taken) - gold.optimum(before)), int(gold.optimum(taken))
            expressed = sum(expressed_unit.unit.weight == weight for expressed_unit in self.expressed)
            rows.append([weight, len(units), expressed, taken - before, *sums])
        heads = ("weight", "units", "in the summary", "taken for the optimum", "earn", "so far")
        total, models = int(gold.optimum()), self.counts.models
        notes = [
            f"X = {total} / {models} rounded half up = {average}, optimum(X) = {gold.optimum(average):g}",
            f"modified = {self.counts.credit:g} / {gold.optimum(average):g}; original = {self.counts.credit:g} / "
            f"{gold.optimum(self.counts.size):g}, the optimum of {self.counts.size} contributors",
        ]
        return Table([Column(head, "right") for head in heads], rows, title="The optimum", notes=notes)

    def values_table(self) -> Table:
        """Return the value of the summary under each measure."""
        return Table([Column("measure"), Column("value", "right")], list(self.values.items()), title="Scores")


@dataclass(frozen=True)
class ExplainedSet:
    """What a report draws of one document set: its pyramid, in how many summaries each unit is, a few summaries."""

    title: str
    pyramid: Pyramid
    expressed: Mapping[str, int]
    summaries: Sequence[SummaryExplanation]


def explain_summary(annotation: Annotation) -> SummaryExplanation:
    """Return how one annotated summary comes to its scores.

    Parameters
    ----------
    annotation
        The annotated summary (see `read_annotation`).

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> folder = Path(touchstone.__file__).parent / "examples" / "pyramid"
    >>> sparrow = touchstone.pyramid.read_annotation(folder / "eve.T01.M.60.A.sparrow.pan")
    >>> explanation = explain_summary(sparrow)
    >>> [expressed.unit.weight for expressed in explanation.expressed], explanation.values["pyramid.modified"] == 3 / 26
    ([1, 1, 1], True)
    """
    counts = unit_counts(annotation)
    ranked = heaviest_first(annotation.pyramid)
    expressed = [unit for unit in ranked if unit.uid in counts.counts]
    return SummaryExplanation(
        annotation,
        counts,
        tuple(segments(annotation.text, annotation.units, [unit.uid for unit in ranked])),
        tuple(Expressed(number, unit, _words(annotation, unit.uid)) for number, unit in enumerate(expressed, 1)),
        tuple(unit for unit in ranked if unit.uid not in counts.counts),
        _words(annotation, NO_UNIT),
        {name: value(name, counts) for name in MEASURES.names},
    )


def explain_item(inputs: Inputs[GoldSet, Run], item: str, measure: str | None, policy: Policy) -> Explanation:  # noqa: ARG001 (the form of all tasks)
    """Show one document set: the scores of all peers, the peers of each content unit, and a few summaries in full.

    The summaries are shown where there are no more than `MOST_SUMMARIES_IN_FULL`: give fewer annotations to see others.
    """
    gold = inputs.gold
    if item not in gold.sets:
        raise no_such_item(item, gold.sets, what="no such document set", plural="document sets")
    counts = [
        peer for run in inputs.runs for peer in pick_annotator(run.summaries.get(item, ()), inputs.options.annotator)
    ]
    scored = {(peer.system, peer.annotator) for peer in counts}
    annotations = [
        annotation
        for annotation in gold.annotations
        if annotation.set == item and (annotation.system, annotation.annotator) in scored
    ]
    summaries = (
        [explain_summary(annotation) for annotation in annotations]
        if len(annotations) <= MOST_SUMMARIES_IN_FULL
        else []
    )
    alone = len(counts) == 1 and bool(annotations)  # else its own tables say the same
    tables = [] if alone else [_peers_table(gold, counts, measure), _units_table(gold, item, counts)]
    for summary in summaries:
        tables += [
            replace(t, title=f"{summary.title}: {t.title}") if len(summaries) > 1 else t for t in summary.tables()
        ]
    scores = default_measures([measure] if measure else [], gold)
    names = MEASURES.names if summaries and not measure else [score.name for score in MEASURES.find_all(scores)]
    formulas = [each for peer in counts for name in names for each in [formula(name, peer)] if each.arithmetic]
    heading = summaries[0].title if len(summaries) == 1 else f"set {item}, {len(counts):,} summaries"
    drawing = None
    if annotations:
        expressed = counts[0].counts if len(counts) == 1 else Counter(uid for peer in counts for uid in peer.counts)
        drawing = ExplainedSet(heading, annotations[0].pyramid, expressed, summaries)
    return Explanation(item, heading, tables, drawing, formulas=formulas)


def _peers_table(gold: GoldSet, counts: Sequence[UnitCounts], measure: str | None) -> Table:
    """Return the values of all summaries of a document set, best first; a presence table knows no repeats."""
    names = [score.name for score in MEASURES.find_all(default_measures([measure] if measure else [], gold))]
    counters: dict[str, Callable[[UnitCounts], int]] = {"units": lambda peer: len(peer.counts)}
    if not gold.presence:
        counters["repeats"] = lambda peer: peer.repeats
    if not gold.presence or gold.presence.unmatched:
        counters["unmatched"] = lambda peer: peer.unmatched
    scored = [(peer, [value(name, peer) for name in names]) for peer in counts]
    rows: list[list[Cell]] = [
        [peer.system, peer.annotator or None, *values, *(counter(peer) for counter in counters.values())]
        for peer, values in sorted(scored, key=lambda pair: -pair[1][0])
    ]
    heads = [*names, *counters]
    columns = [Column("peer"), Column("annotator"), *(Column(head, "right") for head in heads)]
    return Table(columns, rows, title="Scores of the peers")


def _units_table(gold: GoldSet, item: str, counts: Sequence[UnitCounts]) -> Table:
    """Return the content units of a document set, heaviest first, with the peers that express each."""
    labels = (
        {decision.scu: decision.label for decision in gold.presence.decisions if decision.item == item}
        if gold.presence
        else {}
    )
    for annotation in gold.annotations:
        labels |= {unit.uid: unit.label for unit in annotation.pyramid.units} if annotation.set == item else {}
    weights = {uid: int(weight) for peer in counts for uid, weight in peer.gold.weights.items()}
    rows: list[list[Cell]] = []
    for uid in sorted(weights, key=lambda uid: -weights[uid]):
        peers = list(dict.fromkeys(peer.system for peer in counts if uid in peer.counts))
        rows.append([weights[uid], labels.get(uid) or uid, len(peers), ", ".join(peers) or None])
    columns = [Column("weight", "right"), Column("content unit"), Column("peers", "right"), Column("expressed by")]
    return Table(columns, rows, title="Content units and the peers that express them")


def heaviest_first(pyramid: Pyramid) -> list[Unit]:
    """Return the units by falling weight, those of one weight in the pyramid's order."""
    return [unit for tier in pyramid.tiers.values() for unit in tier]


def segments(text: str, units: Sequence[Unit], ranking: Sequence[str]) -> Iterator[Segment]:
    """Cut *text* where the spans of *units* begin and end; the uids of a stretch are in the order of the *ranking*.

    Spans that reach outside the text are cut to it, and what is left empty is not shown.

    >>> from touchstone.tasks.pyramid.model import Contributor, Part
    >>> unit = Unit("7", "Cats sleep", (Contributor("Cats...sleep", (Part("Cats", 0, 4), Part("sleep", 12, 17))),))
    >>> [(segment.text, segment.uids) for segment in segments("Cats usually sleep.", [unit], ["7"])][:2]
    [('Cats', ('7',)), (' usually', ())]
    """
    rank_of = {uid: rank for rank, uid in enumerate(ranking)}
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
        uids = sorted((uid for uid, times in active.items() if times), key=lambda uid: rank_of.get(uid, len(rank_of)))
        yield Segment(text[start:end], tuple(uids))


def _words(annotation: Annotation, uid: str) -> tuple[str, ...]:
    """Return the words of each contributor that the peer has for a unit, parts in the order of the text."""
    contributors = (contributor for unit in annotation.units if unit.uid == uid for contributor in unit.contributors)
    return tuple(
        " … ".join(part.label for part in contributor.in_order) or contributor.label for contributor in contributors
    )


def formula(name: str, peer: UnitCounts) -> Formula:
    """Return how the value of one annotated summary comes about.

    Parameters
    ----------
    name
        The canonical name of the measure.
    peer
        The counts of the summary.

    Examples
    --------
    >>> from touchstone.core.gold import Gold
    >>> gold = Gold({"a": 4, "b": 2, "c": 2, "d": 1, "e": 1})
    >>> print(formula("pyramid.modified", UnitCounts("S1", "P", "", gold, 4, {"b": 2, "d": 1})))
    pyramid.modified = credit / optimum(X) = (2 + 1)/8 = 0.375
    """
    number = value(name, peer)
    system = f"{peer.system}, annotator {peer.annotator}" if peer.annotator else peer.system
    steps = STEPS[name](peer) if isfinite(number) and name in STEPS else Steps(name, written(number))
    return steps.of(system, name, number)


def _credit(peer: UnitCounts) -> str:
    """Return the weights of the distinct units of the summary, heaviest first, as a sum."""
    return summed(sorted((peer.gold.weights.get(uid, 0.0) for uid in peer.counts), reverse=True))


def _modified(peer: UnitCounts) -> str:
    return f"{_credit(peer)}/{written(peer.gold.optimum(peer.average))}"


def _original(peer: UnitCounts) -> str:
    return f"{_credit(peer)}/{written(peer.gold.optimum(peer.size))}" if peer.credit else "0"


def _soft(peer: UnitCounts) -> Steps:
    chances = peer.probabilities or {}
    terms = [f"{written(peer.gold.weights[uid])} × {written(p)}" for uid, p in chances.items()]
    above = added(terms) if len(terms) > 1 else f"({added(terms)})"
    return Steps("sum of weight × probability / optimum(X)", f"{above}/{written(peer.gold.optimum(peer.average))}")


def _comprehensive(peer: UnitCounts, mean: str) -> Steps:
    terms = {"a": _original(peer), "b": _modified(peer)}
    if mean == "arithmetic":
        return Steps("mean of the original score a and the modified score b", "(a + b)/2", terms)
    words = "harmonic mean of the original score a and the modified score b"
    return Steps(words, "2 × a × b/(a + b)" if peer.credit else "0", terms)


def _precision(peer: UnitCounts) -> Steps:
    units = len(peer.counts)
    return Steps("units / (units + contributors that match none)", f"{units}/({units} + {peer.unmatched})")


STEPS: dict[str, Callable[[UnitCounts], Steps]] = {
    MODIFIED: lambda peer: Steps("credit / optimum(X)", _modified(peer)),
    f"{MODIFIED}(cap=1)": lambda peer: Steps("credit / optimum(X), at most 1", f"min(1, {_modified(peer)})"),
    ORIGINAL: lambda peer: Steps("credit / optimum(contributors)", _original(peer)),
    SOFT: _soft,
    "pyramid.comprehensive": lambda peer: _comprehensive(peer, "harmonic"),
    "pyramid.comprehensive(mean=arithmetic)": lambda peer: _comprehensive(peer, "arithmetic"),
    "scu.count": lambda peer: Steps("distinct units", str(len(peer.counts))),
    "scu.repeats": lambda peer: Steps(
        "contributors with a unit - distinct units", f"{sum(peer.counts.values())} − {len(peer.counts)}"
    ),
    "scu.unmatched": lambda peer: Steps("contributors that match no unit", str(peer.unmatched)),
    PRECISION: _precision,
    "scu.mean_weight": lambda peer: Steps("credit / units", quotient(_credit(peer), str(len(peer.counts)))),
}
"""The formula of each measure by its canonical name."""
