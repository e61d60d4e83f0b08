"""Whether the items that people scored may be a random sample: a warning where the judge's scores deny it.

Estimates, plans and figures about a judge hold for random samples. People who score the first rows, or what the judge
finds worst, make no random sample, and nothing else in the numbers shows it.
"""

from dataclasses import dataclass

import numpy as np

from touchstone.base.notes import warning
from touchstone.base.ragged import Bools, Floats, Ints
from touchstone.base.tables import number, p_text
from touchstone.judge.paired import Paired
from touchstone.stats.selection import (
    RATE,
    chance_of_block,
    chance_of_draw,
    chance_of_trend,
    deviations,
    rank_columns,
)

MOST_STRATA = 20
"""Strata up to which each has columns of its own."""

REMEDY = (
    "values for all items may be wrong, since estimates, plans and figures about a judge are for random samples: draw "
    "items at random, as estimates draw the next, or name the strata or the probabilities that they were drawn with"
)


@dataclass(frozen=True, eq=False)
class _Sample:
    """What people took of what the judge scored: *ranks* and *taken* have a row for each item."""

    paired: Paired
    systems: list[str]
    ranks: Floats
    taken: Bools
    strata: Ints


def sample_warnings(paired: Paired, strata: Ints | None = None) -> list[str]:
    """Return a warning where the items that people scored are hardly a random sample of those that the judge scored.

    Of random samples, about one in 200 gets a warning. Items with different known probabilities get none.

    Parameters
    ----------
    paired
        Scores of people and of the judge.
    strata
        The stratum of each output, where people scored a random sample of each.
    """
    probabilities = paired.probability
    if probabilities is not None and np.ptp(probabilities[np.isfinite(probabilities)]) > 0:
        return []
    scores = paired.grid(paired.judge_values)
    scored: Bools = np.isfinite(paired.grid(paired.human_values))
    judged = np.isfinite(scores)
    scored &= judged
    tested = np.asarray(scored.any(axis=0) & (judged & ~scored).any(axis=0))
    if not tested.any():
        return []
    rows = judged[:, tested].any(axis=1)  # an item that the judge did not score could not be drawn
    names = [name for name, is_tested in zip(paired.systems, tested.tolist(), strict=True) if is_tested]
    codes = np.zeros(len(paired), np.int64) if strata is None else strata
    groups = np.unique(paired.by_item(codes), return_inverse=True)[1]
    ranks = rank_columns(scores[np.ix_(rows, tested)])
    # The ranks and their distances from the middle are columns of the same sample, hence twice.
    sample = _Sample(paired, names, ranks, np.tile(scored[np.ix_(rows, tested)], 2), groups[rows])
    units = None if paired.clusters is None else paired.by_item(paired.clusters)[rows]
    clusters = None if units is None else np.unique(units, return_inverse=True)[1]
    chance = _chance(sample, clusters)
    if chance <= RATE:
        return [warning(f"{_difference(sample, scores[rows][:, tested])} ({_p(chance)}); {REMEDY}")]
    return _first_rows(sample, clusters) if strata is None else []


SHARED = 0.9
"""The share of the items that systems have in common below which their values may differ by their items alone."""


def different_items(paired: Paired) -> list[str]:
    """Return a note where the judge scored different items of the systems; a warning where they share few.

    Parameters
    ----------
    paired
        Scores of people and of the judge.
    """
    judged = paired.grid(paired.judge[:, -1]) > 0  # nan and what does not count: no
    shared, scored = int(judged.all(axis=1).sum()), int(judged.any(axis=1).sum())
    if shared == scored or paired.measure.own_items:
        return []
    note = (
        f"systems have different items: of {scored:,} items, the judge scored {shared:,} for all systems; each value "
        "is over the system's own items, and so are differences, so let the judge score the same items of all systems"
    )
    return [note if shared >= SHARED * scored else warning(note)]


def _chance(sample: _Sample, clusters: Ints | None) -> float:
    """Return the chance of a random sample that is as unlike the others.

    Where people scored whole clusters, clusters were drawn. Where they scored some items of clusters, either single
    items were drawn or clusters and then items of each: the sample is suspected if it is unlike both.
    """
    columns, taken, groups = _with_strata(sample.ranks, sample.taken, sample.strata)
    if clusters is None:
        return chance_of_draw(columns, taken, groups)
    touched, count = _touched(taken, clusters)
    stratum = np.zeros(count, np.int64)
    stratum[clusters] = groups
    if not (touched[clusters] & ~taken & (columns != 0)).any():
        return chance_of_draw(_sums(columns, clusters, count), touched, stratum)
    chance = chance_of_draw(columns, taken, groups)
    if chance > RATE:
        return chance
    means = _sums(columns, clusters, count) / np.bincount(clusters)[:, None]
    between = chance_of_draw(means, touched, stratum)
    within = chance_of_draw(columns, taken, clusters) if between > RATE / 2 else between
    # A draw in two steps has two tests: twice the smaller p (Bonferroni).
    return max(chance, min(1.0, 2 * min(between, within)))


def _touched(taken: Bools, clusters: Ints) -> tuple[Bools, int]:
    count = int(clusters.max()) + 1
    touched = np.zeros((count, taken.shape[1]), np.bool_)
    np.logical_or.at(touched, clusters, taken)
    return touched, count


def _sums(columns: Floats, clusters: Ints, count: int) -> Floats:
    sums = np.zeros((count, columns.shape[1]))
    np.add.at(sums, clusters, columns)
    return sums


def _with_strata(ranks: Floats, taken: Bools, strata: Ints) -> tuple[Floats, Bools, Ints]:
    """Return the columns over all strata and, unless these are many, those of each stratum."""
    count = int(strata.max()) + 1
    members = [strata[:, None] == code for code in range(count)] if 1 < count <= MOST_STRATA else []
    columns = np.hstack([ranks, *(np.where(inside, ranks, 0.0) for inside in members)])
    return columns, np.hstack([taken, *([taken] * len(members))]), strata


def _p(chance: float) -> str:
    text = p_text(chance)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def _difference(sample: _Sample, scores: Floats) -> str:
    """Return in which way the items that people scored differ most from the others."""
    off = deviations(sample.ranks, sample.taken, sample.strata)
    worst = int(np.abs(off).argmax())
    system = worst % len(sample.systems)
    taken = sample.taken[:, system]
    judged = np.isfinite(scores[:, system])
    whom = f" of {sample.systems[system]}" if len(sample.systems) > 1 else ""
    if worst >= len(sample.systems):
        how = "farther from the middle than" if off[worst] > 0 else "nearer to the middle than"
        what = f"the judge's scores of the items{whom} that they scored are {how} those of the others"
    else:
        means = [number(float(scores[part, system].mean())) for part in (taken, judged & ~taken)]
        what = f"the judge gives {means[0]} on average to the items{whom} that they scored and {means[1]} to the others"
    return f"people hardly scored a random sample of the items: {what}"


def _first_rows(sample: _Sample, clusters: Ints | None) -> list[str]:
    """Return a warning where people scored rows in a block, and the judge's scores depend on the place of a row."""
    ranks, taken = sample.ranks[:, : len(sample.systems)], sample.taken[:, : len(sample.systems)]
    if clusters is not None:
        first = np.unique(clusters, return_index=True)[1]
        order = np.argsort(first)
        touched, count = _touched(taken, clusters)
        ranks, taken = (_sums(ranks, clusters, count) / np.bincount(clusters)[:, None])[order], touched[order]
    blocks = [chance_of_block(taken[:, column]) for column in range(taken.shape[1])]
    trend = chance_of_trend(ranks - ranks.mean(axis=0))
    if min(blocks) > RATE or trend > RATE:
        return []
    count = int(taken[:, int(np.argmin(blocks))].sum())
    what = "items" if clusters is None else sample.paired.resampling.over
    where = "the first" if taken[0].any() else "the last" if taken[-1].any() else "neighbouring"
    some = f"{where} {count:,} {what}" if where != "neighbouring" else f"{count:,} {where} {what}"
    statement = f"people scored {some}, and the judge's scores change from the first to the last of all ({_p(trend)})"
    return [warning(f"{statement}, so this is hardly a random sample; {REMEDY}")]
