"""The joined estimate of a mean, against the package of the authors of PPI++.

The figures were printed by ``ppi_mean_pointestimate`` and ``ppi_mean_ci`` of ppi-python 0.2.3 with its tuned weight
(``lam=None``) and alpha 0.05; where that package is installed, it is asked again.
"""

import numpy as np
import pytest
from scipy.special import ndtri

from touchstone.base.ragged import Floats
from touchstone.stats import mean, mean_records
from touchstone.stats.prediction_powered import influences, published_weight

FIGURES = [
    (0, 20, 200, "good", 0.0974140937603922, -0.18311469307606734, 0.37794288059685177),
    (1, 50, 300, "good", -0.13071018251914124, -0.2896813817228844, 0.028261016684601875),
    (2, 30, 100, "useless", -0.07557027182808608, -0.4346980089431662, 0.28355746528699405),
    (3, 40, 120, "against", -0.041112513627908596, -0.40070086725011567, 0.3184758399942985),
    (4, 60, 500, "binary", 0.6548526989570465, 0.5785173785422346, 0.7311880193718583),
]
"""Seed, human items, other items and kind of judge; the estimate and the ends of its interval."""


def scores(seed: int, n: int, others: int, kind: str) -> tuple[Floats, Floats]:
    """Return human scores and a judge's: of *n* items that people scored, then of the *others*."""
    random = np.random.default_rng(seed)
    size = n + others
    human = (random.random(size) < 0.7).astype(float) if kind == "binary" else random.normal(size=size)
    if kind == "binary":
        return human, np.where(random.random(size) < 0.85, human, 1 - human)
    noise = random.normal(size=size)
    return human, {"good": 0.8 * human + 0.6 * noise + 0.5, "useless": noise, "against": -human + 0.3 * noise}[kind]


def estimated(human: Floats, judge: Floats, n: int) -> tuple[float, float, float]:
    """Return our estimate with the published weight, and a normal interval from its influences."""
    records = mean_records(human)
    records[n:] = np.nan
    both = influences(records, mean_records(judge), mean)
    weight = published_weight(both)
    reach = ndtri(0.975) * np.sqrt(np.sum(both.moves(weight) ** 2))
    return both.value(weight), both.value(weight) - reach, both.value(weight) + reach


@pytest.mark.parametrize(("seed", "n", "others", "kind", "value", "low", "high"), FIGURES)
def test_a_mean_with_the_published_weight_is_that_of_ppi_python(seed, n, others, kind, value, low, high):
    human, judge = scores(seed, n, others, kind)
    assert estimated(human, judge, n) == pytest.approx((value, low, high), abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", ["good", "useless", "against", "binary"])
def test_other_means_are_those_of_ppi_python_where_it_is_installed(seed, kind):
    ppi = pytest.importorskip("ppi_py", reason="ppi-python is not installed; its figures are in the test above")
    n, others = 25 + 10 * seed, 150
    human, judge = scores(100 + seed, n, others, kind)
    theirs = human[:n], judge[:n], judge[n:]
    value = float(np.squeeze(ppi.ppi_mean_pointestimate(*theirs)))
    low, high = (float(np.squeeze(end)) for end in ppi.ppi_mean_ci(*theirs, alpha=0.05))
    assert estimated(human, judge, n) == pytest.approx((value, low, high), abs=1e-9)
