"""A few human scores combined with many scores of a judge: prediction-powered inference.

People scored a sample H of the items, a judge scored all of them. With θ the value from human records, J the value
from the judge's records, and a weight w, the combined estimate is θ(H) + w (J(all) - J(H)): the human value,
corrected by the judge's scores of the items that people did not see. It is valid however good the judge is, because
an error that the judge makes everywhere cancels. The weight is tuned on the human items: near 1 for a good judge, 0
for a useless one.

Angelopoulos, Bates, Fannjiang, Jordan & Zrnic (2023), Prediction-powered inference; Angelopoulos, Duchi & Zrnic (2023),
PPI++. Their λ is w (1 - n / N) for n human items of N. For a mean this is the regression estimator of survey sampling
(Cochran 1977, chapter 7). Every other fold of records is treated through the influence of each cluster on its value
(the jackknife), and so are differences of two systems: influences may be subtracted.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.special import stdtr, stdtrit

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats, Ints
from touchstone.stats.intervals import (
    FEWEST_CLUSTERS,
    Limits,
    Shape,
    jackknife,
    rough_note,
    same_value_ends,
    skewed_reach,
    too_few_note,
    wilson_ends,
)
from touchstone.stats.records import Fold, cluster_codes, cluster_records, folded

Population = Literal["source", "set"]
"""What an estimate is about: other items from the same source, or only these items."""

SMALLEST = 1e-12
"""Influences below this share of the value are rounding."""

ROUNDING = 1e-15
"""Influences of the judge below this share of those of people are rounding."""

LEAST = 0.1
"""What 1 - leverage is taken for at least: a single cluster cannot make an interval endless."""


@dataclass(frozen=True, eq=False)
class Influences:
    """A value as people and as a judge see it, and how far each cluster moves it.

    Parameters
    ----------
    human, judge, judge_all
        The value from human records, from the judge's records of the same items, and from all of the judge's records.
    by_human, by_judge, by_all
        The influence of each cluster on each of the three: 0 where it has no part in the value.
    shares, largest
        The share of each cluster in what people scored, 0 where they scored none of its items; and the largest share
        of a single item.
    labels, clusters
        How many items people scored, and how many clusters carry the human value. Where items count differently, as
        many as would tell the same if they counted alike: 1 / Σ share² (Kish 1965).
    sampled
        The share of the population that people scored; 0 where the population is the source of the items.
    discrete
        How many sides of the value have few distinct human scores, such as 0 and 1: a difference has two sides.
    strata
        The stratum of each cluster, from 0, where people got a sample of each: clusters then vary about the mean of
        their stratum. None if the sample was drawn from all.
    """

    human: float
    judge: float
    judge_all: float
    by_human: Floats
    by_judge: Floats
    by_all: Floats
    shares: Floats
    largest: float
    labels: int
    clusters: float
    sampled: float = 0.0
    discrete: int = 0
    strata: Ints | None = None

    def __sub__(self, other: "Influences") -> "Influences":
        """Return the same of the difference of two values on the same clusters."""
        return Influences(
            self.human - other.human,
            self.judge - other.judge,
            self.judge_all - other.judge_all,
            self.by_human - other.by_human,
            self.by_judge - other.by_judge,
            self.by_all - other.by_all,
            np.maximum(self.shares, other.shares),
            max(self.largest, other.largest),
            min(self.labels, other.labels),
            min(self.clusters, other.clusters),
            min(self.sampled, other.sampled),
            self.discrete + other.discrete,
            self.strata,
        )

    def in_finite_set(self, sampled: float, chances: Floats) -> "Influences":
        """Return the same about a finite set, of which people scored the share *sampled*, each cluster by its chance.

        The judge's value over all items is then exact, and 1 - chance of the variance of a cluster is left.
        """
        left = np.sqrt(1 - chances)
        by_human, by_judge = self.by_human * left, self.by_judge * left
        return replace(self, by_human=by_human, by_judge=by_judge, by_all=np.zeros_like(left), sampled=sampled)

    @property
    def constant(self) -> bool:
        """Whether the judge gives all human clusters the same score, up to rounding, so that it cannot help."""
        scale = max(SMALLEST * max(abs(self.judge), abs(self.judge_all)), ROUNDING * float(np.abs(self.by_human).max()))
        return not float(np.abs(self.by_judge).max()) > scale

    def value(self, weight: float) -> float:
        """Return the joined estimate with this *weight* of the judge."""
        return self.human + weight * (self.judge_all - self.judge) if weight else self.human

    def moves(self, weight: float) -> Floats:
        """Return how far each cluster moves an estimate with a given weight: their squares add up to its variance."""
        return self._centred(self.by_human - weight * (self.by_judge - self.by_all))

    def tuned_moves(self, weight: float) -> Floats:
        """Return the same where the weight was tuned on the same clusters; none was where it is 0.

        A cluster with much influence on the judge's value pulls the weight towards itself and looks better than it is:
        what is left of it is divided by 1 - h with h its leverage, as if the weight were tuned without it (HC3;
        MacKinnon & White 1985). In a stratum of n_h clusters h is n_h / (n_h - 1) times as large, as the others of the
        stratum lose part of what they tell. A cluster counts the more, the more it pulls the weight in the direction
        of the estimate (the weights g of the regression estimator; Särndal, Swensson & Wretman 1992, 6.5).
        """
        if not weight:
            return self.moves(0.0)
        judge = self.by_judge
        squares = float(judge @ judge)
        pull = 1 + (self.judge_all - self.judge) * judge / squares
        leverage = judge**2 / squares * (self.sizes / np.maximum(self.sizes - 1, 1))[self.groups]
        alone = np.maximum((1 - 1 / self.clusters) * (1 - leverage), LEAST)
        return self._centred((self.by_human - weight * judge) * pull / alone + weight * self.by_all)

    @property
    def groups(self) -> Ints:
        """The stratum of each cluster; 0 where there is one for all."""
        return np.zeros(len(self.shares), np.int64) if self.strata is None else self.strata

    @property
    def sizes(self) -> Floats:
        """The clusters of each stratum that carry the human value."""
        if self.strata is None:
            return np.array([self.clusters])
        return np.bincount(self.strata[self.shares > 0], minlength=self.strata.max() + 1).astype(np.float64)

    def _centred(self, moves: Floats) -> Floats:
        groups = 2 * self.groups + (self.shares > 0)
        means = np.bincount(groups, moves) / np.maximum(np.bincount(groups), 1)
        return np.asarray(moves - means[groups])


def influences(
    human: Floats,
    judge: Floats,
    fold: Fold,
    *,
    clusters: Ints | None = None,
    probability: Floats | None = None,
    population: Population = "source",
) -> Influences:
    """Return the values of both sides and the influence of each cluster on them.

    Parameters
    ----------
    human, judge
        Records of the same items, a row for each; rows of nan where there is no score.
    fold
        The function of the sum of records that is the value.
    clusters
        The cluster of each item, whose items vary together and, in a finite set, were drawn together; each item by
        itself by default.
    probability
        The probability with which each item was given to people. They count in inverse proportion to it (Hájek 1971);
        all count the same by default.
    population
        "source": the items are a sample of those that might have been; "set": the estimate is about these items, of
        which people scored a random sample. Then the judge's value over all items is exact, and a human score of a
        share s of the population leaves 1 - s of the variance.

    Examples
    --------
    >>> from touchstone.stats import mean, mean_records
    >>> human = np.array([[1.0, 1.0], [3.0, 1.0], [np.nan, np.nan], [np.nan, np.nan]])
    >>> both = influences(human, mean_records(np.array([1.0, 2.0, 3.0, 4.0])), mean)
    >>> both.human, both.judge, both.judge_all, both.by_human.tolist()
    (2.0, 1.5, 2.5, [-0.5, 0.5, 0.0, 0.0])
    """
    scored, judged = np.isfinite(human[:, 0]), np.isfinite(judge[:, 0])
    if (scored & ~judged).any():
        what = "the judge has no score for some human items"
        raise TouchstoneError(what, code=Code.MISSING_ID, hint="leave these items out")
    codes = cluster_codes(len(human), clusters)
    weights = np.where(scored, 1.0 if probability is None else 1 / np.where(scored, probability, 1.0), 0.0)
    both = _of_source(human, judge, fold, codes, weights)
    sampled = both.clusters / max(len(np.unique(codes[judged])), 1)
    chances = np.full(len(both.shares), sampled)
    if probability is not None:
        chances[codes[scored]] = probability[scored]
        both = replace(both, clusters=1 / float(both.shares @ both.shares))
    return both.in_finite_set(sampled, chances) if population == "set" else both


def _of_source(human: Floats, judge: Floats, fold: Fold, codes: Ints, weights: Floats) -> Influences:
    """Return the influences of clusters, given by their *codes*, where items have *weights* on the human value."""
    scored, judged = np.isfinite(human[:, 0]), np.isfinite(judge[:, 0])
    n, total = int(codes.max(initial=-1)) + 1, max(weights.sum(), 1.0)
    # What people scored counts by its weight on both sides, all that the judge scored alike: so its error cancels.
    people, peer = (_influence(side[scored] * weights[scored, None], codes[scored], n, fold) for side in (human, judge))
    everywhere, by_all = _influence(judge[judged], codes[judged], n, fold)
    counting = codes[scored][(human[scored] != 0).any(axis=1)]
    return Influences(
        human=people[0],
        judge=peer[0],
        judge_all=everywhere,
        by_human=people[1],
        by_judge=peer[1],
        by_all=by_all,
        shares=np.bincount(codes, weights, n) / total,
        largest=float(weights.max(initial=0.0)) / total,
        labels=len(counting),
        clusters=len(np.unique(counting)),
        discrete=has_few_values(human[scored], len(counting)),
    )


def has_few_values(records: Floats, labels: int) -> int:
    """Return 1 where human records have few distinct values, such as 0 and 1; else 0."""
    return int(2 * len(np.unique(records, axis=0)) <= labels)


def _influence(records: Floats, codes: Ints, n: int, fold: Fold) -> tuple[float, Floats]:
    """Return the value of records and the influence of each of *n* clusters on it, by leaving it out."""
    moves = np.zeros(n)
    if not len(records):
        return np.nan, moves
    units, places = cluster_records(records, codes), np.unique(codes)
    counting = units.any(axis=1)
    left_out = jackknife(units, fold)[counting]
    if len(left_out) > 1:
        # Squares of these, times n / (n - 1), add up to the variance of the jackknife.
        moves[places[counting]] = (1 - 1 / len(left_out)) * (left_out.mean() - left_out)
    return float(folded(fold, units.sum(axis=0))), moves


def tuned_weight(both: Influences) -> float:
    """Return the weight of the judge that leaves the least variance over the human items, and never less than 0.

    This is the slope of people's influences on the judge's, Σ ab / Σ b². PPI++ has the variance of all of the judge's
    scores below the line (`published_weight`). Both tend to the same; with few human items the slope is better: with 20
    items, a perfect judge and skewed scores, 95 % intervals held the true value in 96 % of simulations and not in 90 %.
    The squares count in inverse proportion to shares, as single scores do. With strata they count as in the variance,
    which gives the common slope that is best for the sum over strata (Cochran 1977, section 7.10).
    """
    scored = both.shares > 0
    human, judge = both.by_human[scored], both.by_judge[scored]
    shares = both.shares[scored] if both.strata is None else np.ones(len(human))
    below = float(judge**2 @ (1 / shares))
    scale = SMALLEST * max(abs(both.judge), abs(both.judge_all))
    if not np.isfinite(below) or below <= scale**2 or not human.any():
        return 0.0
    return max(0.0, float(human * judge @ (1 / shares)) / below)


def published_weight(both: Influences) -> float:
    """Return the weight as PPI++ has it: λ = cov(y, f) / ((1 + n/N) var f) over n human and N other items, in [0, 1].

    The variance is that of all of the judge's scores. The weight returned is λ (n + N) / N: see the module.
    """
    everywhere, n = len(both.by_all), int((both.shares > 0).sum())
    others = (everywhere - n) / everywhere
    variance = everywhere**2 / (everywhere - 1) * float(both.by_all @ both.by_all)
    slope = n * float(both.by_human @ both.by_judge) / variance if variance else 0.0
    return float(np.clip(slope * others, 0, 1)) / others if others else 0.0


@dataclass(frozen=True)
class Estimate:
    """A value with its interval, standard *error* and degrees of freedom.

    *weight* is that of the judge, 0 where the estimate is human only; *effective* is the number of human scores that
    would give the same error without the judge. *note* says why there is no interval, or that it is rough.
    """

    value: float
    low: float = np.nan
    high: float = np.nan
    error: float = np.nan
    df: float = np.nan
    weight: float = 0.0
    effective: float = np.nan
    note: str | None = None

    @property
    def p(self) -> float:
        """The chance of a value at least as far from 0 if it were 0; nan where the error is not known."""
        return 2 * float(stdtr(self.df, -abs(self.value) / self.error)) if self.error > 0 else np.nan

    @property
    def positive(self) -> float:
        """The probability that the true value is above 0, if all values are equally likely beforehand."""
        return float(stdtr(self.df, self.value / self.error)) if self.error > 0 else np.nan


def human_only(
    both: Influences, *, shape: Shape = "free", limits: Limits = None, level: float = 0.95, over: str = "items"
) -> Estimate:
    """Return the estimate from human records alone: what a scoring of these items gives.

    Parameters
    ----------
    both
        The value and its influences.
    shape, limits
        How the interval looks, and what is known of the items: see `touchstone.stats.intervals`.
    level, over
        The confidence, and what clusters are called in notes.
    """
    return _estimate(both, 0.0, shape, limits, level, over)


def joined(
    both: Influences, *, shape: Shape = "free", limits: Limits = None, level: float = 0.95, over: str = "items"
) -> Estimate:
    """Return the joined estimate, or the human one where the judge does not make the interval narrower.

    Parameters are those of `human_only`.

    >>> from touchstone.stats import mean, mean_records
    >>> judge = np.tile([0.0, 1.0, 2.0], 40)
    >>> human = mean_records(judge + np.tile([0.1, 0.2], 60))
    >>> human[30:] = np.nan
    >>> both = joined(influences(human, mean_records(judge), mean))
    >>> round(both.value, 2), round(both.weight, 1), both.effective > 60
    (1.15, 1.0, True)
    """
    alone, weight = _estimate(both, 0.0, shape, limits, level, over), tuned_weight(both)
    if not weight or np.isnan(alone.low):
        return alone
    together = _estimate(both, weight, shape, limits, level, over)
    possible = shape != "bounded" or 0 < together.value < 1
    return together if possible and together.high - together.low < alone.high - alone.low else alone


def _estimate(both: Influences, weight: float, shape: Shape, limits: Limits, level: float, over: str) -> Estimate:
    n, value, moves = int(both.clusters), both.value(weight), both.tuned_moves(weight)
    strata = int(np.count_nonzero(both.sizes))
    varying = n + 1 - strata  # as each stratum has a mean of its own
    if not np.isfinite(value):
        return Estimate(value)
    if both.strata is not None:
        over = f"{over} in {strata:,} strata"
    if varying < FEWEST_CLUSTERS:
        return Estimate(value, note=too_few_note(n, over))
    if not np.isfinite(moves).all():
        return Estimate(value, note=f"no interval: the value is undefined without one of {n:,} {over}")
    variance, df = _variance(both, moves, weight)
    error, t = float(np.sqrt(variance)), float(stdtrit(df, (1 + level) / 2))
    # Without the last digits, which depend on the order in which a machine adds.
    low, high = (float(f"{end:.12g}") for end in _ends(both, (value, error, t), weight, shape, limits))
    note = rough_note(n, over, lost=strata - 1)
    same = "have the same value" if both.strata is None else "have the value of their stratum"
    note = f"no interval: all {n:,} {over} {same}" if np.isnan(low) else note
    return Estimate(value, low, high, error, df, weight, float(_effective(both, variance)), note)


def _variance(both: Influences, moves: Floats, weight: float) -> tuple[float, float]:
    """Return the variance of an estimate and its degrees of freedom.

    Clusters with human scores have n - 1 degrees of freedom, and one less where a weight was tuned on them. Clusters
    that only the judge scored have their own; both are joined as Satterthwaite (1946) does. Of each stratum of n_h
    clusters the mean is taken out, so squares count n_h / (n_h - 1) times: the sum is unbiased whatever the n_h are.
    """
    scored, fitted = both.shares > 0, 2 if weight else 1
    others, sizes = int((~scored).sum()), both.sizes
    spreads = np.bincount(both.groups[scored], moves[scored] ** 2, len(sizes)) * sizes / np.maximum(sizes - 1, 1)
    people, df = float(spreads.sum()), max(_freedom(spreads, sizes) + 1 - fitted, 1.0)
    if weight:  # the moves of a tuned estimate allow for the first mean, and for the slope
        people *= 1 - 1 / both.clusters
        people += _disagreement(both, weight, people)
    judge_only = float(np.sum(moves[~scored] ** 2)) * others / (others - 1) if others > 1 else 0.0
    if not people + judge_only:
        return 0.0, df
    return people + judge_only, (people + judge_only) ** 2 / (people**2 / df + judge_only**2 / max(others - 1, 1))


def _freedom(spreads: Floats, sizes: Floats) -> float:
    """Return the degrees of freedom of a sum of the variances of strata: n - 1 of one, at most n - H of H strata.

    Satterthwaite's formula takes the variances as known. With n_h - 1 degrees of freedom, E(s⁴) is 1 + 2 / (n_h - 1)
    times σ⁴, hence n_h + 1 below the line and 2 taken off (Welch 1947; Cochran 1977, section 5.4 has it without).
    """
    varying = spreads > 0
    if not varying.any():
        return float(np.sum(np.maximum(sizes - 1, 0)))
    together = float(spreads.sum()) ** 2 / float(np.sum(spreads[varying] ** 2 / (sizes[varying] + 1))) - 2
    return min(together, float(np.sum(sizes[varying] - 1)))


def _disagreement(both: Influences, weight: float, variance: float) -> float:
    """Return the variance of one more cluster on which the judge is as far off as any human score is from the value.

    Where scores are discrete, a judge that agrees with people on all of a few items is still wrong on others, for each
    of two systems; and where it leaves nothing to vary at all, people cannot have seen how it errs.
    """
    scored = both.shares > 0
    nothing = variance <= SMALLEST * float(both.by_human @ both.by_human)
    furthest = float(np.abs(both.by_human[scored] / both.shares[scored]).max())
    return max(both.discrete, int(nothing)) * (weight * furthest * max(both.largest, 1 / both.clusters)) ** 2


def _ends(
    both: Influences, estimate: tuple[float, float, float], weight: float, shape: Shape, limits: Limits
) -> tuple[float, float]:
    """Return the ends of an interval from the value, its error and the quantile of t.

    Wilson's interval is about a share that people alone gave. The larger the weight of the judge, the more the error is
    that of a difference, which is symmetric; so the ends lie between the two forms. A correction for skewness may only
    widen an interval with a judge, since what people happened not to see is what makes few scores look less skewed.
    """
    value, error, t = estimate
    if error <= SMALLEST * max(1.0, abs(value)):
        return _same_everywhere(both, value, t, limits)
    reach = np.array([-t, t])
    if shape == "bounded" and 0 < value < 1:
        symmetric = min(weight, 1.0)
        ends = symmetric * (value + reach * error) + (1 - symmetric) * np.array(wilson_ends(value, error, t))
        ends = np.clip(ends, 0.0, 1.0)
    elif shape == "difference":
        ends = value + reach * error
    else:
        skewed = skewed_reach(t, -both.tuned_moves(weight))
        reach = np.where(np.abs(skewed) > t, skewed, reach) if weight else skewed
        ends = value + reach * error
    return float(ends[0]), float(ends[1])


def _same_everywhere(both: Influences, value: float, t: float, limits: Limits) -> tuple[float, float]:
    """Return the ends where no cluster differs: Wilson's bound for none of n; nan where scores have no limits."""
    left = t**2 * (1 - both.sampled)
    if not left:
        return value, value
    if limits is None:
        return np.nan, np.nan
    return same_value_ends(value, left / (both.clusters + left), limits)


def _effective(both: Influences, variance: float) -> float:
    """Return how many human scores would have this *variance* without the judge."""
    alone = _variance(both, both.moves(0.0), 0.0)[0]
    population_term = both.sampled / both.labels  # in a finite population 1/n - 1/N takes the place of 1/n
    single = alone / (1 / both.labels - population_term) if both.sampled < 1 else 0.0
    return 1 / (variance / single + population_term) if single and variance + population_term else float(both.labels)
