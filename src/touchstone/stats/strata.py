"""Few human scores drawn from strata: the means of strata, of people and of the judge, added up by size."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from touchstone.base.ragged import Floats, Ints
from touchstone.stats.prediction_powered import Influences, has_few_values
from touchstone.stats.records import cluster_codes


def stratified_influences(human: Floats, judge: Floats, strata: Ints, *, clusters: Ints | None = None) -> Influences:
    """Return the influences of clusters on the mean of a finite set, of whose strata people scored random samples.

    With N items, N_h of them in stratum h, of which people scored n_h, and w the weight of the judge, the estimate is
    Σ N_h / N (mean human score + w (mean judge score of the stratum - mean judge score of what people scored)). Its
    variance is Σ (N_h / N)² (1 - n_h / N_h) s_h² / n_h, with s_h² that of human - w judge about the mean of the
    stratum (Cochran 1977, 5.6 and 7.49). What varies between strata is not in it.

    The s_h² of few scores are rough, but they are added up and not pooled: their sum is unbiased also where people
    scored a larger share of some strata, and its degrees of freedom say how rough it is.

    Parameters
    ----------
    human, judge
        Records of means of the same items, a row for each, all of which count; rows of nan where there is no score.
        The judge has one wherever people have.
    strata
        The stratum of each item, at least two clusters of which people scored, or all that it has.
    clusters
        The cluster of each item, which lies inside a stratum and was drawn as a whole; each item by default.

    Examples
    --------
    >>> from touchstone.stats import mean_records
    >>> human = mean_records(np.array([1.0, 3.0, 0.0, 0.0, 7.0, 9.0]))
    >>> human[2:4] = np.nan
    >>> both = stratified_influences(human, mean_records(np.arange(6.0)), np.array([0, 0, 0, 0, 1, 1]))
    >>> round(both.human, 6), both.judge_all, (both.by_human**2).round(6).tolist()
    (4.0, 2.5, [0.055556, 0.055556, 0.0, 0.0, 0.0, 0.0])
    """
    codes = cluster_codes(len(human), clusters)
    of_cluster = np.zeros(int(codes.max(initial=-1)) + 1, np.int64)
    of_cluster[codes] = np.unique(strata, return_inverse=True)[1]
    scored, judged = np.isfinite(human[:, 0]), np.isfinite(judge[:, 0])
    people, peer = (_means(side[scored], codes[scored], of_cluster) for side in (human, judge))
    every = _means(judge[judged], codes[judged], of_cluster)
    sizes = np.bincount(of_cluster[codes[judged]], minlength=len(every.values)) / max(int(judged.sum()), 1)
    single = sizes / np.maximum(people.items, 1)  # the share of one item of each stratum
    left = sizes * np.sqrt(1 - people.clusters / np.maximum(every.clusters, 1))
    counted, labels = int(people.clusters.sum()), int(scored.sum())
    return Influences(
        human=float(sizes @ people.values),
        judge=float(sizes @ peer.values),
        judge_all=float(sizes @ every.values),
        by_human=people.moves * left[of_cluster],
        by_judge=peer.moves * left[of_cluster],
        by_all=np.zeros(len(of_cluster)),
        shares=np.bincount(codes[scored], minlength=len(of_cluster)) * single[of_cluster],
        largest=float(single[people.items > 0].max(initial=0.0)),
        labels=labels,
        clusters=counted,
        sampled=counted / max(int(every.clusters.sum()), 1),
        discrete=has_few_values(human[scored], labels),
        strata=of_cluster,
    )


def pilot_influences(human: Floats, judge: Floats, strata: Ints, *, clusters: Ints | None = None) -> Influences:
    """Return influences of a pilot of strata that scatter as labels do when each stratum gets the same share of them.

    n labels so drawn have the variance (1 / n - 1 / N) Σ N_h / N s_h² (Cochran 1977, 5.31), so a label scatters by the
    mean of the s_h², weighted by size, whatever share of each stratum the pilot has.

    Parameters
    ----------
    human, judge, strata, clusters
        As in `stratified_influences`.

    Examples
    --------
    >>> from touchstone.stats import mean_records
    >>> from touchstone.stats.labels import pilot_spread
    >>> scores = mean_records(np.array([1.0, 2.0, 3.0, 11.0, 13.0, 15.0]))  # the s_h² are 1 and 4
    >>> both = pilot_influences(scores, scores, np.repeat([0, 1], 3))
    >>> round(pilot_spread(both, draws=10).variance, 9)
    2.5
    """
    influences = stratified_influences(human, judge, strata, clusters=clusters)
    codes = cluster_codes(len(human), clusters)
    of_cluster = influences.groups
    scored, judged = np.isfinite(human[:, 0]), np.isfinite(judge[:, 0])
    people, peer = (_means(side[scored], codes[scored], of_cluster) for side in (human, judge))
    sizes = np.bincount(of_cluster[codes[judged]], minlength=len(people.values)) / max(int(judged.sum()), 1)
    # Squares of influences on the mean of a stratum add up to s_h² (k - 1) / k / n_h, with k its clusters; what is
    # taken for all clusters together has that factor with their number.
    stratum_factor = people.clusters / np.maximum(people.clusters - 1, 1)
    every = (influences.clusters - 1) / influences.clusters
    scale = np.sqrt(sizes * people.items * stratum_factor * every / influences.labels)[of_cluster]
    return replace(influences, by_human=people.moves * scale, by_judge=peer.moves * scale)


class _Means(NamedTuple):
    """The mean of each stratum, how many clusters and items it has, and the influence of each cluster on it."""

    values: Floats
    clusters: Ints
    items: Ints
    moves: Floats


def _means(records: Floats, codes: Ints, strata: Ints) -> _Means:
    """Return the means of some records of items in clusters, by stratum; influences are those of leaving one out."""
    n, count = len(strata), int(strata.max(initial=-1)) + 1
    sums, items = np.bincount(codes, records[:, 0], n), np.bincount(codes, minlength=n)
    totals, sizes = (np.bincount(strata, each, count) for each in (sums, items))
    clusters = np.bincount(strata[items > 0], minlength=count)
    several = (items > 0) & (clusters[strata] > 1)
    stratum = strata[several]
    left_out = (totals[stratum] - sums[several]) / (sizes[stratum] - items[several])
    mean_left_out = np.bincount(stratum, left_out, count) / np.maximum(clusters, 1)
    moves = np.zeros(n)
    # As for all clusters together, but about the mean of each stratum.
    moves[several] = (1 - 1 / clusters[stratum]) * (mean_left_out[stratum] - left_out)
    return _Means(totals / np.maximum(sizes, 1), clusters, sizes.astype(np.int64), moves)
