"""The arithmetic is exact: the order of sums cannot show."""

import numpy as np
import pytest

from touchstone.text.arithmetic import Layer, squash

CHANCE = np.random.default_rng(1)


def test_a_layer_gives_exact_integers_whatever_stands_beside_a_row():
    weight = CHANCE.integers(-127, 128, (400, 96)).astype(np.float32)
    x = CHANCE.integers(-127, 128, (513, 400)).astype(np.float32)
    layer = Layer(weight, CHANCE.integers(-99, 99, 96).astype(np.float32), np.ones(96, np.float32))
    exact = x.astype(np.int64) @ weight.astype(np.int64) + layer.bias.astype(np.int64)
    assert (layer(x) == exact).all()
    for row in (0, 7, 512):
        assert (layer(x[row : row + 1]) == exact[row]).all()


def test_a_layer_that_float32_cannot_add_exactly_is_refused():
    with pytest.raises(ValueError, match="not exact"):
        Layer(np.full((1000, 1), 127, np.float32), np.zeros(1, np.float32), np.ones(1, np.float32))


def test_squash_is_tanh_to_a_seventh_of_the_step_of_a_byte_and_odd():
    z = np.linspace(-12, 12, 100_001, dtype=np.float32)
    found = z.copy()
    squash(found, np.empty_like(z), np.empty_like(z))
    assert np.abs(found - np.tanh(z.astype(np.float64))).max() < 1 / 7 / 127
    assert (found == -found[::-1]).all()
    assert np.abs(found).max() <= 1
