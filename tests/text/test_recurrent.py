"""The LSTM gives each sentence what a plain LSTM would, alone or among others."""

import numpy as np

from touchstone.text.arithmetic import Layer
from touchstone.text.recurrent import Recurrent, run_layers

CHANCE = np.random.default_rng(2)
SIZE, WIDE = 8, 32


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def made():
    def side():
        weight = CHANCE.integers(-127, 128, (6, WIDE)).astype(np.float32)
        return Layer(weight, CHANCE.integers(-500, 500, WIDE).astype(np.float32), np.full(WIDE, 4e-5, np.float32))

    return Recurrent((side(), side()), CHANCE.integers(-127, 128, (2, SIZE, WIDE)).astype(np.float32))


def plain_lstm(layer, x, direction):
    """Return the states of one sentence by the textbook, in double precision, rounded as the states are."""
    inward, states = layer.inward[direction], []
    state = cell = np.zeros(SIZE)
    for row in x if direction == 0 else x[::-1]:
        z = (row @ inward.weight + inward.bias + state @ layer.onward[direction]) * inward.unit.astype(np.float64)
        forget, enter, leave = (sigmoid(2 * part) for part in np.split(z, 4)[:3])
        cell = forget * cell + enter * np.tanh(np.split(z, 4)[3])
        state = np.rint(127 * leave * np.tanh(cell))
        states.append(state)
    return np.array(states if direction == 0 else states[::-1])


def test_states_are_those_of_the_textbook_to_a_step_of_a_byte():
    layer, x = made(), CHANCE.integers(-127, 128, (9, 6)).astype(np.float32)
    found = run_layers([layer], x, np.array([9]))
    expected = np.concatenate([plain_lstm(layer, x, 0), plain_lstm(layer, x, 1)], 1)
    assert np.abs(found - expected).max() <= 2
    assert np.abs(expected).max() > 40


def test_a_sentence_has_the_same_states_alone_and_among_others():
    layer = made()
    lengths = np.array([9, 9, 5, 1, 1])
    x = CHANCE.integers(-127, 128, (lengths.sum(), 6)).astype(np.float32)
    together = run_layers([layer], x, lengths)
    for end, length in zip(np.cumsum(lengths), lengths, strict=True):
        alone = run_layers([layer], x[end - length : end], np.array([length]))
        assert (alone == together[end - length : end]).all()
