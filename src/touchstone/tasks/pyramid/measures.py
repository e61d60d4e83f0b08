"""The measures of the pyramid method, in the words credit and optimum.

Sources: "paper" is Passonneau, McKeown, Sigelman and Goodkind, "Applying the Pyramid Method in the 2006 Document
Understanding Conference"; the original score is that of Nenkova and Passonneau (2004).
"""

from collections.abc import Callable, Sequence
from math import nan

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ranges import COUNT, SHARE, Range
from touchstone.base.spelling import setting
from touchstone.core.measures import Measure, Measures
from touchstone.stats.records import Records, mean, mean_records
from touchstone.tasks.pyramid.joining import GoldSet, Joined, UnitCounts

Value = Callable[[UnitCounts], float]

MEASURES: Measures[Joined] = Measures(
    "pyramid",
    sources={"pyramid.modified": "passonneau-2006", "pyramid": "nenkova-passonneau-2004", "scu": "passonneau-2006"},
)

MODIFIED, ORIGINAL, PRECISION = "pyramid.modified", "pyramid.original", "scu.precision"
SOFT = "pyramid.soft"

PAPER = (MODIFIED, ORIGINAL)
"""The measures that are scored by default."""


def average(name: str, value: Value, range: Range, summary: str = "") -> Measure[Joined]:  # noqa: A002
    """Return a measure that averages *value* over the annotators of a summary, then over document sets.

    Parameters
    ----------
    name
        The name of the measure.
    value
        The value of one annotated summary; nan where it does not count.
    range
        The least and the greatest value of one annotated summary.
    summary
        One sentence that says what it is; by default from the docstring of *value*.
    """

    def record(joined: Joined) -> Records:
        rows = [
            (item_index, peer.annotator, value(peer))
            for item_index, by_annotator in enumerate(joined.summaries)
            for peer in by_annotator
        ]
        # A missing summary is a row too, which scores 0 or does not count, as the policy says.
        missing = (item_index for item_index, by_annotator in enumerate(joined.summaries) if not by_annotator)
        rows += [(item_index, "", 0.0 if joined.counted[item_index] else nan) for item_index in missing]
        items, names, values = zip(*rows, strict=True) if rows else ((), (), ())
        annotators = np.unique(np.array(names, np.str_), return_inverse=True)[1]
        return Records(mean_records(np.array(values, np.float64)), np.array(items, np.int64), annotator=annotators)

    documented, _, _ = (value.__doc__ or "").partition(">>>")
    return Measure(name, record, mean, summary or " ".join(documented.split()), range=range)


def modified(peer: UnitCounts) -> float:
    """credit(A) / optimum(X), X the mean number of units in a model summary, rounded half up (paper, section 3.3).

    It exceeds 1 where a peer expresses more than the average model does.

    >>> from touchstone.core.gold import Gold
    >>> gold = Gold({"a": 4, "b": 2, "c": 2, "d": 1, "e": 1})
    >>> modified(UnitCounts("S1", "P", "", gold, 4, {"b": 2, "d": 1})) == 3 / 8
    True
    """
    return peer.credit / peer.gold.optimum(peer.average)


def soft(peer: UnitCounts) -> float:
    """Sum of w(u) p(u) / optimum(X), p(u) the probability of unit u, which a machine gave.

    It is the modified score with chances in place of decisions.

    >>> from touchstone.core.gold import Gold
    >>> gold = Gold({"a": 4, "b": 2, "c": 2, "d": 1, "e": 1})
    >>> soft(UnitCounts("S1", "P", "auto", gold, 4, {"a": 1}, probabilities={"a": 0.75, "d": 0.5})) == 3.5 / 8
    True
    """
    if peer.probabilities is None:
        return float("nan")
    expected = sum(peer.gold.weights[uid] * p for uid, p in peer.probabilities.items())
    return expected / peer.gold.optimum(peer.average)


def original(peer: UnitCounts) -> float:
    """credit(A) / optimum(contributors), repeated and unmatched ones counted; 0 if there is none (section 2).

    It is too high where annotators did not mark what matches no unit.

    >>> from touchstone.core.gold import Gold
    >>> gold = Gold({"a": 4, "b": 2, "c": 2, "d": 1, "e": 1})
    >>> original(UnitCounts("S1", "P", "", gold, 4, {"b": 2, "d": 1}, unmatched=2)) == 3 / 10
    True
    """
    return peer.credit / peer.gold.optimum(peer.size) if peer.credit else 0.0


def count(peer: UnitCounts) -> float:
    """Distinct units in the peer, |A|: numSCUs of the official table."""
    return len(peer.counts)


def repeats(peer: UnitCounts) -> float:
    """Contributors beyond the first of each unit, r: numrepetitions of the official table."""
    return peer.repeats


def unmatched(peer: UnitCounts) -> float:
    """Contributors that match no unit (uid 0), z."""
    return peer.unmatched


def precision(peer: UnitCounts) -> float:
    """Share of the summary's units that a model has too, |A| / (|A| + z); a summary of no unit does not count.

    It is too high where nobody counted what matches no unit.

    >>> from touchstone.core.gold import Gold
    >>> gold = Gold({"a": 4, "b": 2, "c": 2, "d": 1, "e": 1})
    >>> precision(UnitCounts("S1", "P", "", gold, 4, {"b": 2, "d": 1}, unmatched=2)) == 2 / 4
    True
    """
    units_in_summary = len(peer.counts) + peer.unmatched
    return len(peer.counts) / units_in_summary if units_in_summary else float("nan")


def mean_weight(peer: UnitCounts) -> float:
    """credit(A) / |A|; a peer without any unit does not count."""
    return peer.credit / len(peer.counts) if peer.counts else float("nan")


def _modified(cap: str | None = None) -> Measure[Joined]:
    if cap is None:
        return average(MODIFIED, modified, COUNT)
    if cap != "1":
        raise TouchstoneError("cap must be 1, or left out", value=cap, code=Code.BAD_VALUE)
    return average(f"{MODIFIED}(cap=1)", lambda peer: min(1.0, modified(peer)), SHARE, "min(1, modified)")


def _comprehensive(mean: str = "harmonic") -> Measure[Joined]:
    means: dict[str, Callable[[float, float], float]] = {
        "harmonic": lambda a, b: 2 * a * b / (a + b) if a + b else 0.0,
        "arithmetic": lambda a, b: (a + b) / 2,
    }
    if mean not in means:
        raise TouchstoneError("mean must be harmonic or arithmetic", value=mean, code=Code.BAD_VALUE)
    return average(
        "pyramid.comprehensive" if mean == "harmonic" else f"pyramid.comprehensive(mean={mean})",
        lambda peer: means[mean](original(peer), modified(peer)),
        COUNT,
        f"the {mean} mean of the original and the modified score of each summary; later tools disagree on the mean",
    )


MEASURES.add(MODIFIED, _modified)
MEASURES.add(SOFT, lambda: average(SOFT, soft, COUNT))
MEASURES.add(ORIGINAL, lambda: average(ORIGINAL, original, SHARE))
MEASURES.add("pyramid.comprehensive", _comprehensive)
MEASURES.add("scu.count", lambda: average("scu.count", count, COUNT))
MEASURES.add("scu.repeats", lambda: average("scu.repeats", repeats, COUNT))
MEASURES.add("scu.unmatched", lambda: average("scu.unmatched", unmatched, COUNT))
MEASURES.add(PRECISION, lambda: average(PRECISION, precision, SHARE))
MEASURES.add("scu.mean_weight", lambda: average("scu.mean_weight", mean_weight, COUNT))

# Names that later tools have for the same scores.
MEASURES.group("pyramid.coverage", [MODIFIED])
MEASURES.group("pyramid.coverage(cap=1)", [f"{MODIFIED}(cap=1)"])
MEASURES.group("pyramid.quality", [ORIGINAL])


CONTRIBUTORS = (ORIGINAL, "pyramid.comprehensive", "pyramid.quality", "scu.repeats")
"""Measures that count repeated contributors, by the first part of their names."""

UNMATCHED = ("scu.unmatched", PRECISION)
"""Measures that count what matches no unit."""


def has_probabilities(gold: GoldSet) -> bool:
    """Return whether a machine gave probabilities for every summary."""
    return bool(gold.counts) and all(peer.probabilities is not None for peer in gold.counts)


def default_measures(names: Sequence[str], gold: GoldSet) -> Sequence[str]:
    """Return the measures asked for, or the paper's that fit; refuse those that a presence table cannot give.

    Parameters
    ----------
    names
        The names asked for; none for the defaults.
    gold
        Annotations or presence.
    """
    if SOFT in names:
        lacking = next((peer for peer in gold.counts if peer.probabilities is None), None)
        if lacking:
            what = f"{SOFT} needs probabilities, which set {lacking.set}, peer {lacking.system} does not have"
            hint = "score what touchstone pyramid auto wrote, and nothing else"
            raise TouchstoneError(what, code=Code.UNSUPPORTED, hint=hint)
    if not gold.presence:
        return names or ((SOFT, MODIFIED) if has_probabilities(gold) else PAPER)
    defaults = (MODIFIED, PRECISION) if gold.presence.unmatched else (MODIFIED,)
    names = names or defaults
    for name in names:
        if name.partition("(")[0] in CONTRIBUTORS:
            what = f"{name} counts repeated contributors, which a presence table does not have"
            hint = f"score {MODIFIED}, scu.count or scu.mean_weight, or annotations (.pan)"
            raise TouchstoneError(what, code=Code.UNSUPPORTED, hint=hint)
    uncounted = [peer for peer in gold.counts if (peer.set, peer.system) not in gold.presence.unmatched]
    counting = [name for name in names if name in UNMATCHED]
    if counting and uncounted:
        what = f"{counting[0]} counts content that matches no unit, which set {uncounted[0].set}, peer"
        what += f" {uncounted[0].system} does not have"
        hint = "give the number of such units of each summary in a column unmatched"
        raise TouchstoneError(what, code=Code.NO_COLUMN, hint=hint)
    unknown = next((peer.set for peer in gold.counts if peer.models is None), None)
    modified = [name for name in names if name.partition("(")[0] in (MODIFIED, "pyramid.coverage")]
    if unknown is not None and modified:
        what = f"{modified[0]} needs the number of model summaries, which set {unknown} does not have"
        hint = f"give it in a column models, or with {setting('models', 'N')}; or score scu.mean_weight"
        raise TouchstoneError(what, code=Code.OPTION_NEEDED, hint=hint)
    return names


def value(name: str, peer: UnitCounts) -> float:
    """Return the value of one annotated summary under a measure; nan where it does not count.

    Parameters
    ----------
    name
        The name of the measure.
    peer
        The counts of the summary (see `unit_counts`).

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> folder = Path(touchstone.__file__).parent / "examples" / "pyramid"
    >>> heron = touchstone.pyramid.read_annotation(folder / "eve.T01.M.60.A.heron.pan")
    >>> value("pyramid.modified", touchstone.pyramid.unit_counts(heron)) == 24 / 26
    True
    """
    (measure,) = MEASURES.find_all([name])
    return float(measure.values(measure.item_records(Joined([[peer]], np.ones(1, np.bool_))))[0])
