"""A gate for releases: whether a system is worse than those that it is compared with."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

from touchstone.core.comparison import Comparison, Pair
from touchstone.core.errors import TouchstoneError, nearest
from touchstone.core.resampling import interval_text
from touchstone.core.tables import number, p_text


@dataclass(frozen=True)
class Gate:
    """The outcome of a gate: *passed*, and a sentence for each system that the gated one was compared with."""

    passed: bool
    sentences: Sequence[str]


def gate(comparison: Comparison, system: str, *, margin: float | None = None) -> Gate:
    """Return whether a system is no worse than every other system of a comparison.

    Without a *margin*, the gate fails if the system is significantly worse than another one. It then also passes if
    there are too few items to show a loss. With a *margin*, the gate fails unless the interval of the difference
    rules out a larger loss (a non-inferiority test), so it fails if there are too few items.

    Parameters
    ----------
    comparison
        The result of `touchstone.compare`.
    system
        The name of the system to release.
    margin
        The largest loss that is accepted, in units of the measure.

    Examples
    --------
    >>> from touchstone import compare, items
    >>> from touchstone.core.gating import gate
    >>> ids = [str(n) for n in range(40)]
    >>> old, new = dict.fromkeys(ids, 1.0), {i: float(int(i) % 4 > 0) for i in ids}
    >>> outcome = gate(compare(items.score({"old": old, "new": new}), "value"), "new")
    >>> outcome.passed
    False
    >>> print(outcome.sentences[0])
    value: new is significantly worse than old, by 0.250 (95% interval 0.110–0.390; p (holm) 0.0020)
    """
    names = [row.system for row in comparison.standings]
    if system not in names:
        hint = f"the systems are {', '.join(names)}"
        raise TouchstoneError("no such system to gate", value=system, near=nearest(system, names), hint=hint)
    lower_is_better = comparison.results.measure(comparison.measure).lower_is_better
    losses = [_loss(pair, system, lower_is_better) for pair in comparison.pairs if system in (pair.a, pair.b)]
    failed = [loss for loss in losses if _fails(loss, margin)]
    level = f"{comparison.results.resampling.level:.0%} interval"
    told = [_sentence(loss, margin, level, comparison.correction) for loss in failed or losses]
    return Gate(not failed, [f"{comparison.measure}: {system} {sentence}" for sentence in told])


@dataclass(frozen=True)
class _Loss:
    """How far the gated system is behind another one: the loss, its interval, and the adjusted p."""

    other: str
    loss: float
    low: float
    high: float
    p: float
    significant: bool

    @property
    def possible(self) -> str:
        """What the interval says about the loss."""
        if isnan(self.high):
            return "the data do not rule out any loss"
        if self.high <= 0:
            return "the data rule out a loss"
        return f"the data do not rule out a loss of {number(self.high)}"

    def within(self, margin: float, level: str) -> str:
        """Return how the loss stands to a margin."""
        more = f"worse than {self.other} by more than {margin:g}"
        if not _fails(self, margin):
            at_most = f"the loss is at most {number(self.high)}" if self.high > 0 else self.possible
            return f"is not {more}: {at_most} ({level})"
        if not (self.significant and self.low > 0):  # true also where there is no interval
            return f"may be {more}: {self.possible} ({level})"
        size = f"{number(self.loss)} ({level} {interval_text(self.low, self.high)})"
        if self.low > margin:
            return f"is {more}: by {size}"
        return f"is worse than {self.other} by {size}, and may be worse by more than {margin:g}"


def _loss(pair: Pair, system: str, lower_is_better: bool) -> _Loss:
    """Return the loss of a system in a pair: positive where it does worse than the other one."""
    ends = (pair.difference, pair.low, pair.high)
    if (pair.a == system) != lower_is_better:  # the difference is a - b, a gain of the system
        ends = (-pair.difference, -pair.high, -pair.low)
    return _Loss(pair.b if pair.a == system else pair.a, *ends, pair.p_adjusted, pair.significant)


def _fails(loss: _Loss, margin: float | None) -> bool:
    if margin is None:
        return loss.significant and loss.loss > 0
    return not loss.high <= margin  # true also where there is no interval


def _sentence(loss: _Loss, margin: float | None, level: str, correction: str) -> str:
    if margin is not None:
        return loss.within(margin, level)
    if not _fails(loss, None):
        return f"is not significantly worse than {loss.other}: {loss.possible} ({level})"
    span = f"{level} {interval_text(loss.low, loss.high)}; " if interval_text(loss.low, loss.high) else ""
    chance = f"p ({correction}) {p_text(loss.p)}"
    return f"is significantly worse than {loss.other}, by {number(loss.loss)} ({span}{chance})"
