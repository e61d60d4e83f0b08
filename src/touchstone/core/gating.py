"""A gate for releases: whether a system is worse than those that it is compared with."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isnan

from touchstone.core.comparison import Comparison, Pair
from touchstone.core.errors import TouchstoneError, nearest
from touchstone.core.resampling import interval_text
from touchstone.core.tables import number, p_text


@dataclass(frozen=True)
class Gate:
    """The outcome of a gate: *passed*, and a sentence for each system that the gated one was compared with.

    It is true where the gate passed. *warnings* say what makes the outcome doubtful.
    """

    passed: bool
    sentences: Sequence[str]
    warnings: Sequence[str] = ()

    def __bool__(self) -> bool:
        return self.passed


LESS_IS_BETTER = {
    *("latency", "ms", "milliseconds", "second", "seconds", "secs", "sec", "time", "runtime", "duration"),
    *("cost", "costs", "price", "error", "errors", "loss", "ter", "wer", "cer", "ppl", "perplexity"),
}
"""Words in names of measures that people usually want to be low."""


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
        The largest loss that is accepted, in units of the measure: 0 or more.

    Examples
    --------
    >>> from touchstone import compare, gate, items
    >>> ids = [str(n) for n in range(40)]
    >>> old, new = dict.fromkeys(ids, 1.0), {i: float(int(i) % 4 > 0) for i in ids}
    >>> outcome = gate(compare(items.score({"old": old, "new": new}), "value"), "new")
    >>> outcome.passed, bool(outcome)
    (False, False)
    >>> print(outcome.sentences[0])
    value: new is significantly worse than old, by 0.250 (95% interval 0.110–0.390; p (holm) 0.0020)
    """
    if not isinstance(comparison, Comparison):
        raise TouchstoneError("a gate needs a comparison", hint="give touchstone.compare(results)")
    names = [row.system for row in comparison.standings]
    if system not in names:
        hint = f"the systems are {', '.join(names)}"
        raise TouchstoneError("no such system to gate", value=system, near=nearest(system, names), hint=hint)
    if margin is not None and not 0 <= margin < inf:
        what = "a margin is the largest loss that is accepted, 0 or more"
        raise TouchstoneError(what, value=f"{margin:g}", hint=f"give it in units of {comparison.measure}, such as 0.02")
    lower_is_better = comparison.results.measure(comparison.measure).lower_is_better
    losses = [_loss(pair, system, lower_is_better) for pair in comparison.pairs if system in (pair.a, pair.b)]
    failed = [loss for loss in losses if _fails(loss, margin)]
    level = f"{comparison.results.resampling.level:.0%} interval"
    told = [_sentence(loss, margin, level, comparison.correction) for loss in failed or losses]
    sentences = [f"{comparison.measure}: {system} {sentence}" for sentence in told]
    warnings = [] if lower_is_better else _direction(comparison.measure)
    return Gate(not failed, sentences, [*warnings, *_left_out(comparison, system)])


def _left_out(comparison: Comparison, system: str) -> list[str]:
    """Return a warning for each pair in which the gated system lacks items that the other one has."""
    if comparison.results.measure(comparison.measure).own_items:
        return []
    counts = {row.system: row.n for row in comparison.standings}
    return [
        f"{comparison.measure}: {system} and {other} are compared on {pair.n:,} of {counts[other]:,} items of {other}; "
        f"{system} has no value for the others, which may be hard ones"
        for pair in comparison.pairs
        if system in (pair.a, pair.b)
        for other in [pair.b if pair.a == system else pair.a]
        if pair.n < counts[other]
    ]


def _direction(measure: str) -> list[str]:
    """Return a warning where the name of a measure says that less is better, and the gate takes more as better."""
    words = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", measure)}
    if not words & LESS_IS_BETTER:
        return []
    return [f"{measure}: the gate takes higher as better; if lower is better, add --lower-is-better {measure}"]


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
