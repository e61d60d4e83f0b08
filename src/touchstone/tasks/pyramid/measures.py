"""The measures of the pyramid method, in the words credit and optimum.

Sources: "paper" is Passonneau, McKeown, Sigelman and Goodkind, "Applying the Pyramid Method in the 2006 Document
Understanding Conference"; the original score is that of Nenkova and Passonneau (2004).
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from touchstone.core.errors import TouchstoneError
from touchstone.core.measures import Measure, Measures
from touchstone.core.ragged import Floats
from touchstone.stats.records import mean, mean_records
from touchstone.tasks.pyramid.matching import Match

Matches = Sequence[Match]
Value = Callable[[Match], float]

MEASURES: Measures[Matches] = Measures("pyramid")

MODIFIED, ORIGINAL = "pyramid.modified", "pyramid.original"

PAPER = (MODIFIED, ORIGINAL)
"""What is scored where nothing else is asked for."""

ALIASES = {"pyramid.coverage": MODIFIED, "pyramid.quality": ORIGINAL}
"""Names that later tools have for the same scores; accepted, and printed under our own."""


def average(name: str, value: Value) -> Measure[Matches]:
    """Return a measure that averages *value* over the summaries for which it is a number."""

    def record(matches: Matches) -> Floats:
        return mean_records(np.array([value(match) for match in matches], np.float64))

    said, _, _ = (value.__doc__ or "").partition(">>>")
    return Measure(name, record, mean, " ".join(said.split()))


def modified(match: Match) -> float:
    """credit(A) / optimum(X), X the mean number of units in a model summary, rounded half up (paper, section 3.3).

    It exceeds 1 where a peer expresses more than the average model does.

    >>> from touchstone.core.gold import Gold
    >>> modified(Match("S1", "P", "", Gold({"a": 4, "b": 2, "c": 2, "d": 1, "e": 1}), 4, {"b": 2, "d": 1})) == 3 / 8
    True
    """
    return match.credit / match.gold.optimum(match.average)


def original(match: Match) -> float:
    """credit(A) / optimum(contributors), repeated and unmatched ones counted; 0 if there is none (section 2).

    It is too high where annotators did not mark what matches no unit.

    >>> from touchstone.core.gold import Gold
    >>> gold = Gold({"a": 4, "b": 2, "c": 2, "d": 1, "e": 1})
    >>> original(Match("S1", "P", "", gold, 4, {"b": 2, "d": 1}, unmatched=2)) == 3 / 10
    True
    """
    return match.credit / match.gold.optimum(match.size) if match.credit else 0.0


def count(match: Match) -> float:
    """Distinct units in the peer, |A|: numSCUs of the official table."""
    return len(match.counts)


def repeats(match: Match) -> float:
    """Contributors beyond the first of each unit, r: numrepetitions of the official table."""
    return match.repeats


def unmatched(match: Match) -> float:
    """Contributors that match no unit (uid 0), z."""
    return match.unmatched


def mean_weight(match: Match) -> float:
    """credit(A) / |A|; a peer without any unit does not count."""
    return match.credit / len(match.counts) if match.counts else float("nan")


def _modified(cap: str | None = None) -> Measure[Matches]:
    if cap is None:
        return average(MODIFIED, modified)
    if cap != "1":
        raise TouchstoneError("cap must be 1, or left out", value=cap)
    return average(f"{MODIFIED}(cap=1)", _described(lambda match: min(1.0, modified(match)), "min(1, modified)"))


def _comprehensive(mean: str = "harmonic") -> Measure[Matches]:
    means: dict[str, Callable[[float, float], float]] = {
        "harmonic": lambda a, b: 2 * a * b / (a + b) if a + b else 0.0,
        "arithmetic": lambda a, b: (a + b) / 2,
    }
    if mean not in means:
        raise TouchstoneError("mean must be harmonic or arithmetic", value=mean)
    summary = (
        f"the {mean} mean of the original and the modified score of each summary; later tools disagree on the mean"
    )
    value = _described(lambda match: means[mean](original(match), modified(match)), summary)
    return average("pyramid.comprehensive" if mean == "harmonic" else f"pyramid.comprehensive(mean={mean})", value)


def _described(value: Value, summary: str) -> Value:
    value.__doc__ = summary
    return value


MEASURES.add(MODIFIED, _modified)
MEASURES.add(ORIGINAL, lambda: average(ORIGINAL, original))
MEASURES.add("pyramid.comprehensive", _comprehensive)
MEASURES.add("scu.count", lambda: average("scu.count", count))
MEASURES.add("scu.repeats", lambda: average("scu.repeats", repeats))
MEASURES.add("scu.unmatched", lambda: average("scu.unmatched", unmatched))
MEASURES.add("scu.mean_weight", lambda: average("scu.mean_weight", mean_weight))


def find_measures(names: Iterable[str]) -> tuple[Measure[Matches], ...]:
    """Return the measures of all *names* or their aliases, each once.

    >>> [measure.name for measure in find_measures(["pyramid.coverage", "pyramid.modified", "scu.count"])]
    ['pyramid.modified', 'scu.count']
    """
    parted = (name.partition("(") for name in names)
    return MEASURES.find_all(ALIASES.get(family, family) + bracket + rest for family, bracket, rest in parted)


def value(name: str, match: Match) -> float:
    """Return what one summary scores under the measure *name*; nan where it does not count."""
    (measure,) = find_measures([name])
    return float(measure.values(measure.record([match]))[0])
