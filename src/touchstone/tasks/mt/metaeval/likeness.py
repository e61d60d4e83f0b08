"""How like metrics are to each other: correlation of their scores, of systems and of segments, averaged over groups."""

from collections.abc import Sequence

import numpy as np

from touchstone.core.measures import Measure
from touchstone.core.ragged import Floats
from touchstone.stats import CorrelationName
from touchstone.tasks.mt.metaeval.ground import Ground
from touchstone.tasks.mt.metaeval.systems import coefficients
from touchstone.tasks.mt.metaeval.testing import totals
from touchstone.tasks.mt.model import Compared


def likenesses(ground: Ground, measures: Sequence[Measure[Compared]]) -> dict[str, Floats]:
    """Return Spearman's rho of scores of systems, and Pearson's r of scores of the segments that count."""
    systems, segments = [], []
    for part in ground.parts:
        systems.append(_square(np.stack([totals(part, measure) for measure in measures]), "spearman"))
        values = np.stack([part.values(measure)[part.covered] for measure in measures])
        segments.append(_square(values[:, ~np.isnan(values).any(axis=0)], "pearson"))
    return {"systems": np.mean(systems, axis=0), "segments": np.mean(segments, axis=0)}


def _square(rows: Floats, name: CorrelationName) -> Floats:
    return np.stack([coefficients(rows, row, name) for row in rows])
