"""A gate for releases: whether a system is worse than those that it is compared with."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, isfinite, isnan

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, no_such_system
from touchstone.base.notes import warning
from touchstone.base.signature import Signature
from touchstone.base.spelling import setting
from touchstone.base.tables import Cell, Column, Table, number, number_beside, p_text
from touchstone.core.comparison import Comparison
from touchstone.core.comparison_notes import DUPLICATE_QUESTION, equal_sides
from touchstone.core.names import suggests_lower_is_better
from touchstone.core.pairs import Pair
from touchstone.core.resampling import interval_heading, interval_text
from touchstone.show.finding import FAILED, PASSED, Finding, Statement, Verdict, kind_rows


@dataclass(frozen=True)
class Loss:
    """How far the gated system is behind an *other* one: the loss, its interval, and the adjusted p."""

    other: str
    loss: float
    low: float
    high: float
    p: float
    significant: bool

    def fails(self, margin: float | None) -> bool:
        """Return whether the gate fails on this loss, under a margin if there is one."""
        if margin is None:
            return self.significant and self.loss > 0
        return not self.high <= margin  # true also where there is no interval

    def bound(self, margin: float | None) -> str:
        """Return the largest loss that the data allow, with the digits that tell it from the margin, or else from 0."""
        return number_beside(self.high, margin or 0.0)

    @property
    def possible(self) -> str:
        """What the interval says about the loss."""
        return self._possible(None)

    def sentence(self, margin: float | None, level: str, correction: str) -> str:
        """Return how the gated system compares with the other one, without its name.

        Parameters
        ----------
        margin
            The largest loss that is accepted; None if the test decides.
        level, correction
            The name of the interval, such as "95% interval", and of the correction of p.
        """
        if margin is not None:
            return self._within(margin, level)
        if not self.fails(None):
            return f"is not significantly worse than {self.other}: {self.possible}{self._of(level)}"
        span = f"{level} {interval_text(self.low, self.high)}; " if interval_text(self.low, self.high) else ""
        chance = f"p ({correction}) {p_text(self.p)}"
        return f"is significantly worse than {self.other}, by {number(self.loss)} ({span}{chance})"

    def _possible(self, margin: float | None) -> str:
        if isnan(self.high):
            return "there is no interval, so no loss is ruled out"
        if self.high <= 0:
            return "the data rule out a loss"
        return f"the loss could be as large as {self.bound(margin)}"

    def _within(self, margin: float, level: str) -> str:
        more = f"worse than {self.other} by more than {margin:.15g}"
        if not self.fails(margin):
            at_most = f"the loss is at most {self.bound(margin)}" if self.high > 0 else self.possible
            return f"is not {more}: {at_most}{self._of(level)}"
        if not (self.significant and self.low > 0):  # true also where there is no interval
            return f"may be {more}: {self._possible(margin)}{self._of(level)}"
        size = f"{number(self.loss)} ({level} {interval_text(self.low, self.high, beside=margin)})"
        if self.low > margin:
            return f"is {more}: by {size}"
        return f"is worse than {self.other} by {size}, and may be worse by more than {margin:.15g}"

    def _of(self, level: str) -> str:
        return "" if isnan(self.high) else f" ({level})"


@dataclass(frozen=True, repr=False)
class Gate(Finding):
    """The outcome of a gate: *passed*, and a sentence for each system that the gated one was compared with.

    It is true where the gate passed. *warnings* say what makes the outcome doubtful. *losses* has the comparison of the
    gated *system* with each other one under the *measure*, which decide with the *margin* or, without one, by their p.
    """

    passed: bool
    sentences: Sequence[str]
    warnings: Sequence[str]
    measure: str
    system: str
    margin: float | None
    losses: Sequence[Loss]
    level: str
    correction: str
    signature: Signature = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.passed

    @property
    def verdict(self) -> str:
        """PASSED or FAILED, as tables and reports say it."""
        return PASSED if self.passed else FAILED

    def table(self) -> Table:
        """Return the verdict, and each loss with its margin."""
        return gates_table([self])

    def statement(self) -> Statement:
        """Return the verdict, and each loss with its margin."""
        return Statement(
            f"Gate: {self.system}",
            [self.table()],
            self.rows(),
            notes=[warning(text) for text in self.warnings],
            signature=self.signature,
            verdict=gates_verdict([self]),
        )

    def rows(self) -> list[dict[str, object]]:
        """Return the outcome, then each loss, for machines."""
        about = {"measure": self.measure, "system": self.system}
        losses = (
            {
                **about,
                "other": loss.other,
                "passed": not loss.fails(self.margin),
                **{name: getattr(loss, name) for name in ("loss", "low", "high")},
                "p_adjusted": loss.p,
                "significant": loss.significant,
            }
            for loss in self.losses
        )
        outcome = {**about, "passed": self.passed, "verdict": self.verdict, "margin": self.margin}
        return [{"kind": "gate", **outcome, "sentences": list(self.sentences)}, *kind_rows("loss", losses)]


def gates_verdict(gates: Sequence[Gate]) -> Verdict:
    """Return whether all gates passed, with the sentences of those that decide it.

    Parameters
    ----------
    gates
        Those of one comparison, or of comparisons under several measures.
    """
    passed = all(outcome.passed for outcome in gates)
    return Verdict(passed, [line for outcome in gates if outcome.passed == passed for line in outcome.sentences])


def gates_table(gates: Sequence[Gate]) -> Table:
    """Return one table of gates under several measures; its title is their verdict.

    Parameters
    ----------
    gates
        At least one, all of one comparison.
    """
    rows: list[list[Cell]] = [
        [
            outcome.measure,
            f"{outcome.system} against {loss.other}",
            number(loss.loss),
            interval_text(loss.low, loss.high, beside=outcome.margin or 0.0) or None,
            p_text(loss.p),
            None if outcome.margin is None else f"{outcome.margin:.15g}",
            FAILED if loss.fails(outcome.margin) else "passed",
        ]
        for outcome in gates
        for loss in outcome.losses
    ]
    heads = ("loss", gates[0].level, f"p ({gates[0].correction})", "margin")
    columns = [Column("measure"), Column("gate"), *(Column(head, "right") for head in heads), Column("verdict")]
    rules = []
    if any(outcome.margin is not None for outcome in gates):
        rules.append("with a margin, a gate fails unless the interval rules out a larger loss")
    if any(outcome.margin is None for outcome in gates):
        rules.append("without a margin, a gate fails only if a loss is significant: too few items pass it too")
    warnings = [f"warning: {warning}" for outcome in gates for warning in outcome.warnings]
    bold = {(row_index, len(columns) - 1) for row_index, row in enumerate(rows) if row[-1] == FAILED}
    return Table(columns, rows, f"Gate: {gates_verdict(gates).word}", [*rules, *warnings], bold=bold)


def gates_sentences(gates: Sequence[Gate]) -> list[str]:
    """Return what opens a report: the verdict of all gates, with the sentences of those that decide it."""
    return [f"Gate {line}." for line in gates_verdict(gates).lines]


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
        hint = "give touchstone.compare(results)"
        raise TouchstoneError("a gate needs a comparison", code=Code.BAD_VALUE, hint=hint)
    if system not in comparison.systems:
        raise no_such_system(system, comparison.systems, "no such system to gate")
    if margin is not None and not 0 <= margin < inf:
        what = "a margin is the largest loss that is accepted, 0 or more"
        hint = f"give it in units of {comparison.measure}, such as 0.02"
        raise TouchstoneError(what, value=f"{margin:g}", code=Code.OUT_OF_RANGE, hint=hint)
    pairs = [pair for pair in comparison.pairs if system in pair.names]
    losses = [_loss(pair, system, comparison.scored.lower_is_better) for pair in pairs]
    failed = [loss for loss in losses if loss.fails(margin)]
    level = interval_heading(comparison.results.resampling.level)
    loss_texts = [loss.sentence(margin, level, comparison.correction) for loss in failed or losses]
    warnings = _warnings(comparison, system, pairs)
    warnings += [] if margin is None else _idle_margin(comparison, losses, margin)
    if comparison.failed and not failed:
        bound = gate(comparison.failed, system, margin=margin)
        warnings += [] if bound else [f"the gate would fail if skipped items were failures: {bound.sentences[0]}"]
    return Gate(
        passed=not failed,
        sentences=[f"{comparison.measure}: {system} {sentence}" for sentence in loss_texts],
        warnings=warnings,
        measure=comparison.measure,
        system=system,
        margin=margin,
        losses=losses,
        level=level,
        correction=comparison.correction,
        signature=comparison.signature,
    )


def _warnings(comparison: Comparison, system: str, pairs: Sequence[Pair]) -> list[str]:
    """Return what makes the *pairs* of the gated system doubtful: the direction, equal systems, items that it lacks."""
    measure = comparison.measure
    warnings = [] if comparison.scored.lower_is_better else _direction(measure)
    warnings += [f"{equal_sides(measure, pair)}; {DUPLICATE_QUESTION}" for pair in pairs if pair.equal]
    if comparison.scored.own_items:
        return warnings
    counts = {row.system: row.n for row in comparison.standings}
    others = ((pair.n, pair.starting_with(system).b) for pair in pairs)
    return warnings + [
        f"{measure}: {system} and {other} are compared on {n:,} of {counts[other]:,} items of {other}; "
        f"{system} has no value for the others, which may be hard ones"
        for n, other in others
        if n < counts[other]
    ]


def _idle_margin(comparison: Comparison, losses: Sequence[Loss], margin: float) -> list[str]:
    """Return a warning where the margin is so large that the worst value on every item would pass the gate."""
    measure = comparison.scored
    item_values = np.concatenate(list(comparison.results.item_values(measure).values()))
    item_values = item_values[np.isfinite(item_values)]
    standings = {row.system: row.value for row in comparison.standings}
    worst = np.max(item_values, initial=-inf) if measure.lower_is_better else np.min(item_values, initial=inf)
    # How far behind each other system one with the worst value on every item would be.
    rooms = [abs(standings[loss.other] - worst) for loss in losses]
    if not rooms or not isfinite(max(rooms)) or margin < max(rooms) or margin == 0:
        return []
    what = f"{measure.name}: with a margin of {margin:.15g}, a system with the worst value, {worst:g}, on every item"
    return [f"{what} would pass: give the margin in units of {measure.name}"]


def _direction(measure: str) -> list[str]:
    """Return a warning where the name of a measure says that less is better, and the gate takes more as better."""
    if not suggests_lower_is_better(measure):
        return []
    return [
        f"{measure}: the gate takes higher as better; if lower is better, add {setting('lower-is-better', measure)}"
    ]


def _loss(pair: Pair, system: str, lower_is_better: bool) -> Loss:
    """Return the loss of a system in a pair: positive where it does worse than the other one."""
    other = pair.starting_with(system).b
    loss = pair.starting_with(system if lower_is_better else other)  # the difference is a - b, a gain of a
    return Loss(other, loss.difference, loss.low, loss.high, pair.p_adjusted, pair.significant)
