"""How much of two annotators' sets is shared."""

from itertools import combinations

import numpy as np

from touchstone.people.coefficient import Terms, coefficient
from touchstone.people.ratings import Ratings
from touchstone.stats.records import mean


@coefficient("sets")
def overlap(ratings: Ratings) -> Terms:
    """Mean over items of the mean overlap |A∩B| / |A∪B| of two annotators' sets; two empty sets overlap fully."""
    compared = ratings.sizes > 1
    values = [_mean_overlap(row) if len(row) > 1 else 0.0 for row in ratings.rows]  # type: ignore[arg-type]
    return Terms(np.column_stack([values, compared]), mean, compared, distance="jaccard")


def _mean_overlap(sets: list[frozenset[object]]) -> float:
    pairs = list(combinations(sets, 2))
    return sum(len(a & b) / len(a | b) if a | b else 1.0 for a, b in pairs) / len(pairs)
