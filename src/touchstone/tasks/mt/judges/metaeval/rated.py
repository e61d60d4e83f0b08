"""Segment level where judges gave scores: correlation of a metric's scores of translations with theirs.

``pooled`` is over all translations of a group; ``by_segment`` the mean over segments of the correlation among the
systems there; ``by_system`` the mean over systems of the correlation among the segments.
"""

from collections.abc import Callable

import numpy as np
import scipy

from touchstone.base.ragged import Floats, Ints
from touchstone.core.measures import Measure, ratio
from touchstone.stats import CorrelationName, affordable_draws, folded
from touchstone.stats.correlation import FEWEST_POINTS, KENDALL_COST, resampled_correlations
from touchstone.tasks.mt.judges.metaeval.evaluation import Evaluation, Value, counts_of_draws
from touchstone.tasks.mt.judges.metaeval.systems import COEFFICIENTS, coefficients
from touchstone.tasks.mt.model import Joined

Level = Callable[[Floats, Floats, Ints, CorrelationName], Floats]
"""From scores of a metric and of judges (segments x systems), and rows of how often each segment counts, a value to
each row."""


def add_rating_agreements(evaluation: Evaluation, measure: Measure[Joined]) -> None:
    """Add the correlations of a metric with scores of translations, pooled, by segment and by system."""
    joined, how = evaluation.joined, evaluation.how
    cells = [(part.values(measure), folded(part.human.fold, part.human.rows)) for part in joined.parts]
    draws = affordable_draws(sum(x.size for x, _ in cells) * KENDALL_COST, how.draws) if how.method != "none" else 0
    drawn_counts = counts_of_draws(joined.n_clusters, draws, how.seed)
    # In the first row each cluster counts once: that is the value itself.
    counts = np.concatenate([np.ones((1, joined.n_clusters)), drawn_counts]).astype(np.int64)
    times = [np.where(part.clusters >= 0, counts[:, part.clusters], 0) for part in joined.parts]
    sizes = [int((~np.isnan(x + y)).sum()) for x, y in cells]
    for level, function in LEVELS.items():
        for name in COEFFICIENTS:
            values = [function(x, y, row, name) for (x, y), row in zip(cells, times, strict=True)]
            reason = "too few scores, or all are equal"
            groups = [Value(float(drawn[0]), drawn[1:], n, reason) for drawn, n in zip(values, sizes, strict=True)]
            evaluation.add(measure.name, f"{name}.{level}", groups)


def pooled(x: Floats, y: Floats, times: Ints, name: CorrelationName) -> Floats:
    """Return the correlation over all translations, for each row of *times*.

    >>> x, y = np.array([[1.0, 2.0], [3.0, np.nan]]), np.array([[1.0, 4.0], [5.0, 6.0]])
    >>> pooled(x, y, np.array([[1, 1]]), "spearman").tolist()
    [1.0]
    """
    both = ~np.isnan(x + y)
    segment, _ = np.nonzero(both)
    return resampled_correlations(x[both], y[both], segment, times, name)


def by_segment(x: Floats, y: Floats, times: Ints, name: CorrelationName) -> Floats:
    """Return the mean over segments of the correlation among systems, where at least three have both scores."""
    correlations = np.array([_coefficient(*rows, name) for rows in zip(x, y, strict=True)])
    defined = ~np.isnan(correlations)
    return ratio(times[:, defined] @ correlations[defined], times[:, defined].sum(axis=1).astype(np.float64))


def by_system(x: Floats, y: Floats, times: Ints, name: CorrelationName) -> Floats:
    """Return the mean over systems of the correlation among segments, where there are three with both scores."""
    correlations = np.array([pooled(a[:, None], b[:, None], times, name) for a, b in zip(x.T, y.T, strict=True)])
    defined = ~np.isnan(correlations)
    return ratio(np.where(defined, correlations, 0.0).sum(axis=0), defined.sum(axis=0).astype(np.float64))


LEVELS: dict[str, Level] = {"pooled": pooled, "by_segment": by_segment, "by_system": by_system}


def _coefficient(x: Floats, y: Floats, name: CorrelationName) -> float:
    both = ~np.isnan(x + y)
    if both.sum() < FEWEST_POINTS:
        return float("nan")
    if name == "kendall":
        return float(scipy.stats.kendalltau(x[both], y[both]).statistic)
    return float(coefficients(x[both], y[both], name))
