"""Choosing the next items for people: a random sample of fixed size with known inclusion probabilities.

The draw is systematic sampling with unequal probabilities over a random order (Madow 1949; Hartley & Rao 1962). It has
exactly the probabilities that are asked for, whatever the number of items, and takes one pass. A variance that is
estimated as if items were drawn one by one with replacement stays valid: it needs these probabilities alone, and a
random order without replacement varies less than draws with replacement.

Items that people judged before count too. The new items are drawn from the others with probabilities that may depend on
all that is known, so the earlier sample gives one unbiased total, and the known items plus the weighted new ones give
another, uncorrelated with the first. Their weighted sum is unbiased whatever the weights are; ours are those with
which several uniform samples make one uniform sample (Farquhar, Gal & Rainforth 2021 for items drawn one by one).
"""

from dataclasses import dataclass

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Bools, Floats, Ints
from touchstone.base.spelling import setting
from touchstone.stats.bootstrap import generator
from touchstone.stats.records import means_of_columns

UNIFORM_SHARE = 0.5
"""The share of a draw that ignores sizes, so that no weight is more than twice that of a uniform sample."""

FEWEST_JUDGED = 10
"""Human scores from which the judge's errors can be predicted."""

RIDGE = 30.0
"""Each feature of a predicted error is held towards no effect, as by thirty scores that show none: with ten human
scores to learn from, less of it can do harm."""

STEPS = 50
"""Steps of the fit; after ten it rarely moves."""


@dataclass(frozen=True, eq=False)
class Sample:
    """The items that were *chosen*, in random order, and the *probability* of each item of the whole sample.

    The whole sample is the chosen items and those that were judged before; other items have nan. A total over all
    items is the sum of value / probability over the sample.
    """

    chosen: Ints
    probability: Floats


def draw_next(
    n: int,
    judged: Bools,
    *,
    earlier: Floats | None = None,
    sizes: Floats | None = None,
    strata: Ints | None = None,
    seed: int = 0,
) -> Sample:
    """Draw *n* items among those that are not *judged* yet.

    Of N items m are judged. With s = n N / ((m + n)(N - m)), a new item of probability p after the draw is drawn with
    probability s p, and one that had q before has 1 / ((1 - s) / q + s) after it.

    Parameters
    ----------
    n
        How many items to draw.
    judged
        Whether people have judged each item.
    earlier
        The probabilities of the judged items; by default they are a uniform sample, m / N each.
    sizes
        What half of each probability is proportional to; by default all items are equally probable.
    strata
        A label of each item: each stratum gets its share of the new items, rounded up or down.
    seed
        The seed of the draw.

    Examples
    --------
    >>> judged = np.array([True, True, False, False, False, False, False, False])
    >>> sample = draw_next(2, judged)
    >>> len(sample.chosen), sample.probability[judged].tolist(), sample.probability[sample.chosen].tolist()
    (2, [0.5, 0.5], [0.5, 0.5])
    """
    unjudged, every, before = np.flatnonzero(~judged), len(judged), int(judged.sum())
    if not 1 <= n <= len(unjudged):
        raise TouchstoneError(
            f"{n:,} items asked for, but {len(unjudged):,} of {every:,} have no human score yet",
            code=Code.TOO_FEW if n > 0 else Code.BAD_VALUE,
            hint="ask for at least one, and for no more than there are",
        )
    share = n * every / ((before + n) * len(unjudged))
    probability = np.full(every, np.nan)
    if before:
        previous = np.full(every, before / every) if earlier is None else _checked(earlier, judged)
        probability[judged] = 1 / ((1 - share) / previous[judged] + share)
    # The new probabilities sum to this number, so that share times their sum is n.
    total = (before + n) * len(unjudged) / every
    mixed = UNIFORM_SHARE * total / len(unjudged)
    unjudged_sizes = np.ones(len(unjudged)) if sizes is None else sizes[unjudged]
    after = mixed + (1 - UNIFORM_SHARE) * proportional(unjudged_sizes, total)
    order = _random_order(len(unjudged), None if strata is None else strata[unjudged], seed)
    drawn = order[systematic(share * after[order], seed)]
    probability[unjudged[drawn]] = after[drawn]
    return Sample(unjudged[drawn], probability)


def proportional(sizes: Floats, total: float) -> Floats:
    """Return probabilities proportional to *sizes* that sum to *total*, none above 1.

    >>> proportional(np.array([1.0, 1.0, 2.0, 8.0]), 2).tolist()
    [0.25, 0.25, 0.5, 1.0]
    """
    probability = np.zeros(len(sizes))
    while (free := probability < 1).any():
        left, shares = total - np.count_nonzero(~free), sizes[free]
        scaled = shares * (left / shares.sum()) if shares.any() else np.full(len(shares), left / len(shares))
        probability[free] = np.minimum(scaled, 1.0)
        if scaled.max() <= 1:
            break
    return probability


def systematic(probability: Floats, seed: int) -> Ints:
    """Return the places that are drawn, each with its *probability*; the probabilities sum to how many are drawn.

    They are laid end to end, and every place that holds one of the points u, u + 1, u + 2, … is drawn; u is uniform
    between 0 and 1.

    >>> systematic(np.array([0.5, 0.5, 1.0, 0.5, 0.5]), seed=0).tolist()
    [1, 2, 4]
    """
    n = round(float(probability.sum()))
    ends = np.cumsum(probability)
    points = generator(seed).random() + np.arange(n)
    # Stretched to end at n exactly: rounding must not lose the last point.
    return np.minimum(np.searchsorted(ends * (n / ends[-1]), points, side="right"), len(probability) - 1)


def residual_sizes(human: Floats, judge: Floats) -> Floats:
    """Return how far from the judge people will probably score each item: the root of the predicted squares.

    The squared residuals of the human scores there are, human - b judge with the mean of each system taken out, are
    fitted by log E(r²) = x'β (gamma quasi-likelihood). x has the judge's score, its square, and the spread of the
    judge's scores over systems. Drawing with probabilities proportional to the root is best for a mean (Neyman 1934;
    Zrnic & Candès 2024).

    Parameters
    ----------
    human
        Items × systems; nan where people have not judged.
    judge
        Items × systems.

    Examples
    --------
    >>> judge = np.linspace(0, 1, 50)[:, None]
    >>> human = judge + np.where(judge > 0.5, 0.3, 0.01) * np.resize([-1, 1], (50, 1))
    >>> sizes = residual_sizes(np.where(np.arange(50)[:, None] % 3 < 2, human, np.nan), judge)
    >>> bool(sizes[40] > 2 * sizes[10])
    True
    """
    scored = np.isfinite(human) & np.isfinite(judge)
    if scored.sum() < FEWEST_JUDGED:
        raise TouchstoneError(
            f"{int(scored.sum())} human scores are too few to predict where the judge errs",
            code=Code.TOO_FEW,
            hint=f"at least {FEWEST_JUDGED} are needed: choose the first items with {setting('strategy', 'uniform')}",
        )
    squares = _residuals(human, judge, scored) ** 2
    if not squares.any():
        return np.ones(len(human))
    away = np.where(np.isfinite(judge), judge - means_of_columns(judge, np.isfinite(judge)), 0.0)
    spread = np.broadcast_to(away.std(axis=1, keepdims=True), judge.shape)
    score = _standard(judge, scored)
    features = [np.ones(judge.shape), score, _standard(score**2, scored), _standard(spread, scored)]
    design = np.stack(features, axis=-1)
    coefficients = _log_linear(design[scored], squares / squares.mean())
    return np.asarray(np.sqrt(np.nansum(np.exp(design @ coefficients), axis=1)))


def _residuals(human: Floats, judge: Floats, scored: Bools) -> Floats:
    """Return human - b judge where people scored, with the mean of each system taken out of both."""
    y, f = ((values - means_of_columns(values, scored))[scored] for values in (human, judge))
    return np.asarray(y - f * (y @ f / max(float(f @ f), np.finfo(float).tiny)))


def _standard(values: Floats, scored: Bools) -> Floats:
    """Return a feature with mean 0 and spread 1 where people scored, and within that range elsewhere."""
    scored_values = values[scored]
    clipped = np.clip(values, scored_values.min(), scored_values.max())
    return np.asarray((clipped - scored_values.mean()) / (scored_values.std() or 1.0))


def _log_linear(design: Floats, response: Floats) -> Floats:
    """Return β of log E(response) = design β, by Fisher's scoring; only the first coefficient is free."""
    penalty = RIDGE * np.diag(np.arange(design.shape[1]) > 0)
    # With the gamma family and a logarithmic link all weights of Fisher's scoring are 1: one inverse serves all steps.
    inverse = np.linalg.inv(design.T @ design + penalty)
    coefficients = np.zeros(design.shape[1])
    for _ in range(STEPS):
        excess = response / np.exp(design @ coefficients) - 1
        step = inverse @ (design.T @ excess - penalty @ coefficients)
        reach = float(np.abs(design @ step).max())
        coefficients += step / max(1.0, reach)  # a long step would overflow before it comes back
    return coefficients


def _random_order(n: int, strata: Ints | None, seed: int) -> Ints:
    order = np.random.default_rng([seed, 1]).permutation(n)
    return order if strata is None else order[np.argsort(strata[order], kind="stable")]


def _checked(earlier: Floats, judged: Bools) -> Floats:
    probabilities = earlier[judged]
    if not np.all((probabilities > 0) & (probabilities <= 1)):
        raise TouchstoneError("the probability of a judged item is not between 0 and 1", code=Code.OUT_OF_RANGE)
    return earlier
