"""How many human labels it takes, for an interval of a given width or to tell two systems apart, from a pilot.

The pilot has the inputs of `estimate`: human scores of some items, judge scores of all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, no_such_system
from touchstone.base.notes import announce
from touchstone.base.ragged import Floats, Ints
from touchstone.base.signature import Signature
from touchstone.base.spelling import setting
from touchstone.base.tables import Cell, Column, Table, number
from touchstone.core.resampling import interval_heading, level_text
from touchstone.judge.estimating import drawn_units
from touchstone.judge.paired import Paired
from touchstone.judge.sampling import different_items, sample_warnings
from touchstone.judge.scales import against_people, comparable_scores
from touchstone.judge.strata import checked_strata, strata_codes
from touchstone.show.finding import Finding, Statement
from touchstone.stats.checks import check_share
from touchstone.stats.labels import MOST_LABELS, Spread, fewest_labels, labels_needed, pilot_spread
from touchstone.stats.prediction_powered import Estimate, Influences, Population, influences, joined
from touchstone.stats.strata import pilot_influences, stratified_influences

POWER = 0.8
"""The usual chance to find a difference that there is (Cohen 1988)."""


@dataclass(frozen=True)
class Labels:
    """A number of labels, and between which numbers it lies for pilots like this one; inf where none is enough."""

    needed: float
    low: float
    high: float


@dataclass(frozen=True)
class Need:
    """The labels that one value or difference needs: *target* is the width or the difference."""

    name: str
    target: float
    pilot: int
    items: int
    correlation: float
    human: Labels
    both: Labels
    at_best: float
    """The labels that would do if the judge scored any number of items."""
    fewest: int
    """The fewest labels that show how scores vary."""
    helped: bool
    """Whether the judge leaves less of the variance."""

    @property
    def saved(self) -> float:
        """The share of the labels that the judge saves; nan where that is not known."""
        both_finite = np.isfinite(self.human.needed) and np.isfinite(self.both.needed)
        return 1 - self.both.needed / self.human.needed if both_finite else np.nan

    @property
    def more(self) -> float:
        """The labels still to collect beside the judge: those that the pilot lacks; 0 where it is enough."""
        return max(0.0, self.both.needed - self.pilot)


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Finding):
    """How many labels a wish needs, with and without the judge: *wish* says it in words, *of* what rows are.

    With *minutes*, the time that one label takes a person, there are hours beside the numbers of labels. *strata* is
    the field that labels are drawn by, the same share of each of its values. *level* is the confidence of ranges.
    """

    measure: str
    wish: str
    of: str
    population: Population
    needs: Sequence[Need]
    signature: Signature
    notes: Sequence[str] = ()
    minutes: float | None = None
    strata: str | None = None
    level: float = 0.95

    def __post_init__(self) -> None:
        """Refuse a label that takes no time, and sign how long it takes."""
        if self.minutes is not None and not 0 < self.minutes < np.inf:
            what = f"{self.minutes:g} minutes for a label is not a finite number above 0"
            hint = "give the minutes that a person needs for one item, such as 10"
            raise TouchstoneError(what, code=Code.OUT_OF_RANGE, hint=hint)
        if self.minutes is not None:
            # The class is frozen, and this is part of making it.
            object.__setattr__(self, "signature", {**self.signature, "minutes": f"{self.minutes:g}"})

    def hours(self, labels: Labels) -> float:
        """Return the hours of work that a number of labels takes; nan where it is not known how long one takes."""
        return labels.needed * self.minutes / 60 if self.minutes is not None else np.nan

    def statement(self) -> Statement:
        """Return the labels that each value or difference needs."""
        title = f"{self.measure}: labels for {self.wish}"
        return Statement(title, [self.table()], self._rows(), notes=self.notes, signature=self.signature)

    def table(self) -> Table:
        """Return the labels that each value or difference needs."""
        best = ["at best"] if self.population == "source" else []
        hours = ["hours, human only", "hours, with the judge"] if self.minutes is not None else []
        heads = ["pilot", "items", "correlation", "human only", "range", "with the judge", "range", "saved"]
        rows: list[list[Cell]] = [
            [
                need.name,
                need.pilot,
                need.items,
                number(need.correlation, 2),
                _count(need.human.needed, MANY),
                _range(need.human),
                _count(need.both.needed, "–" if need.helped else MANY),
                _range(need.both),
                "" if np.isnan(need.saved) else f"{need.saved:.0%}",
                *([_hours(self.hours(side)) for side in (need.human, need.both)] if hours else []),
                *([_count(need.at_best, MANY)] if best else []),
                _count(need.more, "–" if need.helped else MANY) if need.more else "reached",
            ]
            for need in self.needs
        ]
        columns = [Column(self.of), *(Column(head, "right") for head in (*heads, *hours, *best, "more"))]
        return Table(columns, rows, f"{self.measure}: labels for {self.wish}", self._remarks())

    def _remarks(self) -> list[str]:
        level = level_text(self.level)
        label = "one item scored by people for both systems" if self.of == "pair" else "one item scored by people"
        notes = [
            f"a label is {label}; numbers include the pilot; ranges hold for {level} of pilots like this one",
            "more: labels to collect after the pilot, if the judge is used",
            "correlation: between human and judge scores"
            + "; at best: labels needed if the judge scored any number of items" * (self.population == "source"),
        ]
        if self.strata is not None:
            notes.append(f"strata: people score the same share of each {self.strata}, at least two items")
        if self.minutes is not None:
            notes.append(f"hours: a label takes {self.minutes:g} minutes; the pilot's are included")
        if any(need.human.needed > need.items for need in self.needs):
            notes.append("if more labels are needed than there are items, further items are needed")
        if any(np.isinf(need.both.needed) and need.helped for need in self.needs):
            notes.append("–: not possible with the items that the judge scored, even if people score all of them")
        return notes

    def _rows(self) -> list[dict[str, object]]:
        """Return the labels that each value or difference needs, for machines."""
        timed = self.minutes is not None
        about = {"measure": self.measure, "wish": self.wish, "population": self.population, "strata": self.strata}
        return [
            {
                "kind": "plan",
                **about,
                self.of: need.name,
                "target": need.target,
                "pilot": need.pilot,
                "items": need.items,
                "correlation": need.correlation,
                "human": vars(need.human),
                "both": vars(need.both),
                "saved": need.saved,
                "at_best": need.at_best,
                "more": need.more,
                **({"hours": {"human": self.hours(need.human), "both": self.hours(need.both)}} if timed else {}),
            }
            for need in self.needs
        ]


def plan_width(
    paired: Paired,
    width: float,
    between: tuple[str, str] | None = None,
    *,
    population: Population = "source",
    strata: str | None = None,
) -> Plan:
    """Return how many labels give an interval that is no wider than *width* from end to end.

    Parameters
    ----------
    paired
        The pilot.
    width
        The width, in the unit of the measure.
    between
        Two systems whose difference is to have that interval; by default each system's own value is.
    population
        What the estimates will be about, as in `touchstone.judge.estimating.estimate`.
    strata
        The field whose values are the strata that items are drawn from, the same share of each; for population "set".

    Examples
    --------
    >>> import touchstone
    >>> judge = [{"system": s, "item": i, "score": (i * (7 + j)) % 10} for j, s in enumerate("ab") for i in range(90)]
    >>> human = [{**row, "score": row["score"] + row["item"] % 2} for row in judge if row["item"] < 30]
    >>> [paired] = touchstone.paired_tables(human, judge)
    >>> [(need.name, need.human.needed) for need in touchstone.plan_width(paired, 1.0).needs]
    [('a', 146.0), ('b', 134.0)]
    """
    _check_positive(width, "width")
    pilot = _pilot(paired, strata, population)
    pilot.check_scale(width, "width")
    tail = (1 + pilot.level) / 2
    rows = [pilot.checked_pair(between)] if between else [(name,) for name in pilot.paired.systems]
    needs = [pilot.need(row, width, (tail, tail)) for row in rows]
    return pilot.plan(f"a {interval_heading(pilot.level)} {width:g} wide", "pair" if between else "system", needs)


def plan_difference(
    paired: Paired,
    difference: float | None = None,
    between: tuple[str, str] | None = None,
    *,
    power: float = POWER,
    population: Population = "source",
    strata: str | None = None,
) -> Plan:
    """Return how many labels tell two systems apart that differ by *difference*.

    Parameters
    ----------
    paired
        The pilot.
    difference
        The difference that is to be found; by default the one that the pilot estimates, of both sides joined.
    between
        The two systems; all pairs by default.
    power
        The chance to find the difference, with a two-sided test at 1 less the level of intervals.
    population, strata
        What the estimates will be about, and the strata that items are drawn from: see `plan_width`.

    Examples
    --------
    >>> import touchstone
    >>> judge = [{"system": s, "item": i, "score": (i * (7 + j)) % 10} for j, s in enumerate("ab") for i in range(90)]
    >>> human = [{**row, "score": row["score"] + row["item"] % 2} for row in judge if row["item"] < 30]
    >>> [paired] = touchstone.paired_tables(human, judge)
    >>> [(need.name, need.human.needed) for need in touchstone.plan_difference(paired, 1.0).needs]
    [('a – b', 102.0)]
    """
    if difference is not None:
        _check_positive(difference, "difference")
    check_share("power", power, "a usual value is 0.8")
    if len(paired.systems) < 2:
        what, hint = "a system cannot be compared with itself", "give the scores of two systems"
        raise TouchstoneError(what, code=Code.TOO_FEW, hint=hint)
    if difference is None and between is None:
        hint = f"give {setting('difference', 'D')}, or two systems with {setting('between')}"
        raise TouchstoneError("there is no difference to plan for", code=Code.OPTION_NEEDED, hint=hint)
    pilot = _pilot(paired, strata, population)
    if difference is not None:
        pilot.check_scale(difference, "difference")
    pairs = [pilot.checked_pair(between)] if between else list(combinations(pilot.paired.systems, 2))
    notes, needs = list[str](), []
    for pair in pairs:
        target = difference
        if target is None:
            estimate = joined(pilot.influences(pair), shape="difference", level=pilot.level)
            target, notes = abs(estimate.value), [*notes, *_observed(*pair, estimate)]
        needs.append(pilot.need(pair, target, ((1 + pilot.level) / 2, power)))
    size = f"a difference of {difference:g}" if difference is not None else "the difference of the pilot"
    return pilot.plan(f"{size}, power {power:g} at α = {1 - pilot.level:.2g}", "pair", needs, notes)


def _observed(a: str, b: str, estimate: Estimate) -> list[str]:
    """Return how sure the difference is that a plan takes from the pilot; refuse one that is 0."""
    other = setting("difference", "D")
    if estimate.value == 0:
        what, hint = f"{a} and {b} do not differ in the pilot", f"give the difference with {other}"
        raise TouchstoneError(what, code=Code.UNSUPPORTED, hint=hint)
    ends = f"{number(estimate.low)} to {number(estimate.high)}"
    unsure = estimate.low <= 0 <= estimate.high
    more = (
        f"the true difference may be smaller, or 0: plan with {other}" if unsure else "a smaller one needs more labels"
    )
    return [f"{a} – {b} differ by {number(estimate.value)} in the pilot, by the combined estimate ({ends}); {more}"]


@dataclass(frozen=True)
class _Pilot:
    """A pilot with the judge on the scale of people, what estimates will be about, and the stratum of each output."""

    paired: Paired
    population: Population
    strata: str | None
    codes: Ints | None
    notes: Sequence[str]

    @property
    def level(self) -> float:
        return self.paired.resampling.level

    def check_scale(self, value: float, what: str) -> None:
        """Refuse a wish that is larger than all differences between human scores: it may be in percent."""
        scores = self.paired.human_values[np.isfinite(self.paired.human_values)]
        if self.paired.measure.is_mean and len(scores) >= SCORES_OF_A_RANGE and 0 < np.ptp(scores) < value:
            ends = f"{scores.min():g} to {scores.max():g}"
            raise _bad_wish(f"the {what} {value:g} is larger than the range of human scores, {ends}", what)

    def checked_pair(self, between: tuple[str, str]) -> tuple[str, str]:
        """Return the two systems; refuse unknown ones, and one against itself."""
        for name in between:
            if name not in self.paired.systems:
                raise no_such_system(name, self.paired.systems)
        if between[0] == between[1]:
            raise TouchstoneError("a system cannot be compared with itself", value=between[0], code=Code.BAD_VALUE)
        return between

    def influences(
        self, systems: tuple[str, ...], by_stratum: Callable[..., Influences] = stratified_influences
    ) -> Influences:
        """Return the influences on the value of a system, or on the difference of two; with strata by *by_stratum*."""
        values = []
        for name in systems:
            scores = self.paired.of(name)
            if self.codes is not None:
                stratum = self.codes[self.paired.system == self.paired.systems.index(name)]
                values.append(by_stratum(scores.human, scores.judge, stratum, clusters=scores.clusters))
                continue
            human = np.where(scores.judged[:, None], scores.human, np.nan)  # an item that the judge lacks says nothing
            fold, chances = self.paired.measure.fold, scores.probability
            values.append(influences(human, scores.judge, fold, clusters=scores.clusters, probability=chances))
        first, *others = values
        return first - others[0] if others else first

    def need(self, systems: tuple[str, ...], target: float, tails: tuple[float, float]) -> Need:
        """Return the labels for a sum of t quantiles times the standard error that is no more than *target*.

        They are 0 where the pilot shows no spread.
        """
        name, how = " – ".join(systems), self.paired.resampling
        try:
            spread = pilot_spread(self.influences(systems, pilot_influences), seed=how.seed, over=how.over)
        except TouchstoneError as error:
            raise self.paired.too_few(error.faults[0].what, error.hint or "") from None
        items = int(np.all([self.paired.of(system).judged for system in systems], axis=0).sum())
        if spread.variance <= 0:
            nothing = Labels(0, 0, 0)
            return Need(name, target, spread.labels, items, np.nan, nothing, nothing, 0, 0, helped=False)
        count = 1 if self.codes is None else len(np.unique(self.codes))
        per_cluster = spread.labels / spread.clusters
        needed = partial(
            labels_needed,
            items=items,
            target=target,
            tails=tails,
            per_cluster=per_cluster,
            population=self.population,
            strata=count,
        )
        # Without the judge, all of the variance is its residual; with it, what is left.
        alone, both = (self._labels(spread, column, needed) for column in (0, 1))
        left = np.array([spread.residual])
        best = float(needed(left, left)[0]) if self.population == "source" else np.nan
        fewest, helped = fewest_labels(per_cluster, count), spread.residual < spread.variance
        return Need(name, target, spread.labels, items, spread.correlation, alone, both, best, fewest, helped)

    def _labels(self, spread: Spread, column: int, needed: Callable[[Floats, Floats], Floats]) -> Labels:
        """Return the labels that this pilot asks for, and the range of what resampled pilots ask for."""
        tail = round((1 - self.level) / 2, 12)  # 0.025, without the last digits of 1 - 0.95
        observed = [[spread.variance, (spread.variance, spread.residual)[column]]]
        first, *others = needed(*np.vstack([observed, spread.drawn[:, [0, column]]]).T).tolist()
        return Labels(first, *np.quantile(others, [tail, 1 - tail], method="nearest").tolist())

    def plan(self, wish: str, of: str, needs: Sequence[Need], notes: Sequence[str] = ()) -> Plan:
        """Return the plan for a *wish*; refuse a pilot that shows no spread of anything."""
        paired, how = self.paired, self.paired.resampling
        drawn, names = f", strata by {self.strata}" if self.strata else "", ", ".join(need.name for need in needs)
        signature = {
            **paired.signature,
            "plan": f"{wish}, {self.population}{drawn}, of {names}",
            "intervals": f"{level_text(how.level)} t over {how.over}, seed {how.seed}",
        }
        alike = [need.name for need in needs if not need.human.needed]
        no_spread = f"people gave all items of the pilot the same score, so the spread is unknown: {', '.join(alike)}"
        needs = [need for need in needs if need.human.needed]
        if not needs:
            raise TouchstoneError(no_spread, code=Code.UNSUPPORTED, hint="let people score more items")
        unknown = [no_spread] if alike else []
        notes = list(dict.fromkeys([*paired.notes, *self.notes, *notes, *unknown, *_no_savings(paired, needs)]))
        announce(notes, depth=3)
        name = paired.measure.name
        return Plan(name, wish, of, self.population, needs, signature, notes, strata=self.strata, level=how.level)


def _pilot(paired: Paired, strata: str | None, population: Population) -> _Pilot:
    """Return the pilot; doubts are about the scores as they were given, before the judge's are rescaled."""
    codes = strata_codes(paired, strata)[0] if strata is not None else None
    doubts = [*sample_warnings(paired, codes), *different_items(paired)]
    paired, notes = comparable_scores(paired)
    if strata is not None:
        paired = drawn_units(paired)
        codes = checked_strata(paired, strata, population)
    return _Pilot(paired, population, strata, codes, [*doubts, *notes])


def _no_savings(paired: Paired, needs: Sequence[Need]) -> list[str]:
    """Return why the judge saves nothing: it goes against people, does not follow them, or nothing is to be saved."""
    against = against_people(paired)
    if against:
        return against
    if all(np.isnan(need.correlation) for need in needs):
        return ["the judge saves no labels: it gives all human items the same score"]
    if not any(need.helped for need in needs):
        return ["the judge saves no labels: its scores do not follow human scores closely enough"]
    if all(need.human.needed == need.fewest for need in needs):
        return ["the minimum number of labels is enough, so the judge saves none"]
    return []


SCORES_OF_A_RANGE = 10
"""Human scores from which their range says what differences there can be."""


def _check_positive(value: float, what: str) -> None:
    if not 0 < value < np.inf:
        raise _bad_wish(f"the {what} {value:g} is not a finite number above 0", what)


def _bad_wish(wrong: str, what: str) -> TouchstoneError:
    return TouchstoneError(wrong, code=Code.OUT_OF_RANGE, hint=f"give the {what} in the unit of the measure")


MANY = f"> {MOST_LABELS:,}"


def _count(labels: float, endless: str = "–") -> str:
    return endless if np.isinf(labels) else f"{int(labels):,}"


def _hours(hours: float) -> str:
    return "–" if np.isinf(hours) else f"{hours:,.1f}"


def _range(labels: Labels) -> str:
    if np.isinf(labels.low):
        return ""
    return f"{_count(labels.low)} or more" if np.isinf(labels.high) else f"{_count(labels.low)}–{_count(labels.high)}"
