"""The value of one summary under each measure of the pyramid method, as arithmetic with the weights of its units."""

from collections.abc import Callable
from math import isfinite

from touchstone.core.formulas import Formula, Steps, added, quotient, summed, written
from touchstone.tasks.pyramid.joining import UnitCounts
from touchstone.tasks.pyramid.measures import MODIFIED, ORIGINAL, PRECISION, SOFT, value


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
