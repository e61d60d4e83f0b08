"""The LSTM gives each sentence what a plain LSTM would, alone or among others."""

import numpy as np

from touchstone.text.arithmetic import Layer
from touchstone.text.recurrent import Recurrent, advance_compiled, advance_plainly, run_layers

CHANCE = np.random.default_rng(2)
SIZE, WIDE = 8, 32


def run(layers, x, lengths):
    return run_layers(layers, [side(x) for side in layers[0].inward], np.arange(len(x)), lengths)


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
    found = run([layer], x, np.array([9]))
    expected = np.concatenate([plain_lstm(layer, x, 0), plain_lstm(layer, x, 1)], 1)
    assert np.abs(found - expected).max() <= 2
    assert np.abs(expected).max() > 40


def test_a_sentence_has_the_same_states_alone_and_among_others():
    layer = made()
    lengths = np.array([9, 9, 5, 1, 1])
    x = CHANCE.integers(-127, 128, (lengths.sum(), 6)).astype(np.float32)
    together = run([layer], x, lengths)
    for end, length in zip(np.cumsum(lengths), lengths, strict=True):
        alone = run([layer], x[end - length : end], np.array([length]))
        assert (alone == together[end - length : end]).all()


def test_compiled_steps_give_the_same_bits_as_plain_ones():
    for _ in range(20):
        gates, ways = (CHANCE.integers(-200_000, 200_000, (2, 9, WIDE)).astype(np.float32) for _ in range(2))
        unit, cell = CHANCE.random((2, WIDE), np.float32) * np.float32(1e-5), CHANCE.normal(size=(2, 9, SIZE))
        made, rows = [], CHANCE.permutation(9)
        for advance in (advance_plainly, advance_compiled):
            state, kept = np.zeros((2, 9, SIZE), np.float32), cell.astype(np.float32)
            advance(gates.copy(), *ways, rows, rows[::-1].copy(), 0, unit, state, kept)
            made.append((state, kept))
        assert all((plain == compiled).all() for plain, compiled in zip(*made, strict=True))
