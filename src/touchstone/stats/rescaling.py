"""Scores of a judge on the scale of people: a rising curve fitted on the items that both scored.

The curve is fitted in parts, so that no item has a share in the curve that rescales it: an estimate that joins human
and rescaled scores stays valid (cross-prediction; Zrnic & Candès 2024).
"""

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import stdtrit

from touchstone.base.ragged import Floats, Ints
from touchstone.stats.intervals import FEWEST_CLUSTERS

PARTS = 5
"""Parts of the human items: each is rescaled by a curve that was fitted on the others."""

COMMON = 0.5
"""Two ranges of scores that share less than this of what they cover together are two scales."""


def on_another_scale(human: Floats, judge: Floats) -> bool:
    """Return whether the scores of the judge are on another scale: their range is not nearly that of people.

    >>> on_another_scale(np.array([0.0, 1.0, 1.0]), np.array([0.1, 0.9])), on_another_scale([0, 1], [20, 85])
    (False, True)
    """
    (low, high), (bottom, top) = ((float(np.nanmin(scores)), float(np.nanmax(scores))) for scores in (human, judge))
    if low == high or bottom == top:  # a constant has no scale
        return False
    return (min(high, top) - max(low, bottom)) / (max(high, top) - min(low, bottom)) < COMMON


def goes_against(human: Floats, judge: Floats, systems: Ints, clusters: Ints) -> bool:
    """Return whether a judge's scores fall where people's rise, within systems, more than chance explains (p < .025).

    Parameters
    ----------
    human, judge
        Scores of the same outputs; nan where people, or the judge, gave none.
    systems, clusters
        The system and the cluster of each output; the test counts clusters, as outputs of one vary together.

    Examples
    --------
    >>> scores, one = np.arange(10.0), np.zeros(10, int)
    >>> goes_against(scores, -scores, one, np.arange(10)), goes_against(scores, scores, one, np.arange(10))
    (True, False)
    """
    both = np.isfinite(human) & np.isfinite(judge)
    system_index = np.unique(systems[both], return_inverse=True)[1]
    y, f = (
        side[both] - (np.bincount(system_index, side[both]) / np.bincount(system_index))[system_index]
        for side in (human, judge)
    )
    n, size = len(np.unique(clusters[both])), float(np.sqrt((y @ y) * (f @ f)))
    if n < FEWEST_CLUSTERS or not size:
        return False
    r = float(np.clip(y @ f / size, -1, 1))
    return bool(r * np.sqrt(n - 2) < stdtrit(n - 2, 0.025) * np.sqrt(1 - r * r))


def rescaled(human: Floats, judge: Floats, clusters: Ints) -> Floats:
    """Return the judge's scores on the scale of people, by a rising curve.

    Parameters
    ----------
    human, judge
        Scores of the same items, of any systems; nan where people, or the judge, gave none.
    clusters
        The cluster of each item; the scores of a cluster are rescaled by the same curve.

    Examples
    --------
    >>> judge = np.arange(40.0)
    >>> human = np.where(judge < 20, judge / 10, np.nan)
    >>> rescaled(human, judge, np.arange(40))[[5, 30]].round(2).tolist()  # 0.5 by the curve; 1.9 is the last it knows
    [0.5, 1.88]
    """
    both = np.isfinite(human) & np.isfinite(judge)
    labelled, labelled_index = np.unique(clusters[both], return_inverse=True)
    part = np.full(len(human), -1)
    # Clusters are dealt out in turn, so that the parts are alike in size whatever the order of the items.
    part[both] = labelled_index % PARTS
    curves = [_curve(judge[both & (part != held_out)], human[both & (part != held_out)]) for held_out in range(PARTS)]
    values = np.stack([np.interp(judge, *curve) for curve in curves])
    # An item without a human score may sit in a labelled cluster: that cluster's curve is its own, too.
    cluster_index = np.searchsorted(labelled, clusters)
    inside = np.isin(clusters, labelled)
    chosen = np.where(inside, np.minimum(cluster_index, max(len(labelled) - 1, 0)) % PARTS, 0)
    return np.asarray(np.where(inside, values[chosen, np.arange(len(human))], values.mean(axis=0)))


def _curve(judge: Floats, human: Floats) -> tuple[Floats, Floats]:
    """Return the points of the rising curve with the least squared error."""
    points, point_index, counts = np.unique(judge, return_inverse=True, return_counts=True)
    means = np.bincount(point_index, human) / counts
    return points, isotonic_regression(means, weights=counts).x
