"""The bidirectional LSTM: all sentences of a batch step together, those that have ended drop out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from touchstone.base.compiling import compiled_after, is_compiled
from touchstone.base.ragged import Ints
from touchstone.text.arithmetic import BYTE, Layer, Matrix, check_exact, squash, squashed

_MANY = 1_500
"""Tokens from which compiled code is used: loading it takes as long as some thousand tokens."""


@dataclass(frozen=True)
class Recurrent:
    """One layer: what comes in and what is carried on, forward and backward, gates in the order f i o g.

    The units of the sigmoid gates are halved in the file, as sigmoid(z) = (1 + tanh(z / 2)) / 2.
    """

    inward: tuple[Layer, Layer]
    onward: Matrix
    """For each direction a matrix of hidden × 4 hidden, in the units of *inward*."""

    def __post_init__(self) -> None:
        for side, onward in zip(self.inward, self.onward, strict=True):
            check_exact(BYTE * (np.abs(side.weight).sum(0) + np.abs(onward).sum(0)) + np.abs(side.bias))


@dataclass(frozen=True)
class Steps:
    """How the tokens of sentences, longest first, are ordered by steps; *backward* reads each from its end."""

    forward: Ints
    backward: Ints
    active: Ints

    @classmethod
    def of(cls, lengths: Ints) -> "Steps":
        """Return the order for sentences of these *lengths*, which must fall.

        >>> steps = Steps.of(np.array([3, 1]))
        >>> steps.forward.tolist(), steps.backward.tolist(), steps.active.tolist()
        ([0, 3, 1, 2], [2, 3, 1, 0], [2, 1, 1])
        """
        starts = np.cumsum(lengths) - lengths
        active = np.searchsorted(-lengths, -np.arange(1, lengths[0] + 1), side="right")
        step = np.repeat(np.arange(len(active)), active)
        sentence = np.arange(len(step)) - np.repeat(np.cumsum(active) - active, active)
        return cls(starts[sentence] + step, starts[sentence] + lengths[sentence] - 1 - step, active)


def run_layers(layers: Sequence[Recurrent], entering: Sequence[Matrix], types: Ints, lengths: Ints) -> Matrix:
    """Return the states of the last layer for the tokens of sentences in a row, the longest first.

    Parameters
    ----------
    layers
        The layers, the first first.
    entering
        What each type of word adds to the gates of the first layer, in both directions.
    types, lengths
        The type of each token, and how many tokens each sentence has.
    """
    steps = Steps.of(lengths)
    x = _run(layers[0], entering, (types[steps.forward], types[steps.backward]), steps)
    for layer in layers[1:]:
        x = _run(layer, [side(x) for side in layer.inward], (steps.forward, steps.backward), steps)
    return x


def _run(layer: Recurrent, entering: Sequence[Matrix], rows: tuple[Ints, Ints], steps: Steps) -> Matrix:
    """Return the states of one layer for all tokens, as they follow each other in the sentences.

    Parameters
    ----------
    layer, steps
        The layer, and how the tokens are ordered.
    entering, rows
        What may be added to the gates in each direction, and which row of it each token adds, step by step.
    """
    size, total, most = layer.onward.shape[1], len(steps.forward), int(steps.active[0])
    (ahead, back), unit = entering, np.stack([side.unit for side in layer.inward])
    advance = advance_compiled if is_compiled(advance_compiled) and total >= _MANY else advance_plainly
    state, cell = np.zeros((2, 2, most, size), np.float32)
    states = np.empty((total, 2, size), np.float32)
    room = np.empty(8 * most * size, np.float32)
    first = 0
    for count in steps.active.tolist():
        if count < state.shape[1]:
            state, cell = state[:, :count].copy(), cell[:, :count].copy()
        gates = room[: 8 * count * size].reshape(2, count, -1)
        np.matmul(state, layer.onward, out=gates)
        advance(gates, ahead, back, *rows, first, unit, state, cell)
        states[steps.forward[first : first + count], 0] = state[0]
        states[steps.backward[first : first + count], 1] = state[1]
        first += count
    return states.reshape(total, 2 * size)


def advance_plainly(
    gates: Matrix,
    ahead: Matrix,
    back: Matrix,
    ahead_rows: Ints,
    back_rows: Ints,
    first: int,
    unit: Matrix,
    state: Matrix,
    cell: Matrix,
) -> None:
    """Make c ← f c + i g and h ← o tanh(c), in place; the states are whole steps of a byte.

    Parameters
    ----------
    gates
        What the states add to the gates, in both directions.
    ahead, back, ahead_rows, back_rows, first
        What may be added to the gates in each direction, which row of it each token adds, and the first token of this
        step.
    unit
        What a unit of each gate is worth.
    state, cell
        The h and c of each sentence, in both directions.
    """
    for side, entering, rows in zip(gates, (ahead, back), (ahead_rows, back_rows), strict=True):
        side += entering[rows[first : first + len(side)]]
    gates *= unit[:, None]
    square, divisor = np.empty((2, *gates.shape), np.float32)
    squash(gates, square, divisor)
    size = cell.shape[2]
    doubled, made = gates[..., : 3 * size], gates[..., 3 * size :]
    doubled += 1
    forget, enter, leave = (doubled[..., n * size : (n + 1) * size] for n in range(3))
    cell *= forget
    made *= enter
    cell += made
    cell *= 0.5
    state[...] = cell
    squash(state, square[..., :size], divisor[..., :size])
    state *= leave
    state *= BYTE / 2
    np.rint(state, out=state)


@compiled_after(0)
def advance_compiled(
    gates: Matrix,
    ahead: Matrix,
    back: Matrix,
    ahead_rows: Ints,
    back_rows: Ints,
    first: int,
    unit: Matrix,
    state: Matrix,
    cell: Matrix,
) -> None:
    """Do what `advance_plainly` does, number by number: the same operations in the same order, so the same bits."""
    # A gate is a tanh, from -1 to 1: shifted by 1 and halved, it is the sigmoid that an LSTM needs.
    shift, half, byte = np.float32(1), np.float32(0.5), np.float32(63.5)
    size = cell.shape[2]
    for side in range(2):
        entering, rows, worth = (ahead if side == 0 else back), (ahead_rows if side == 0 else back_rows), unit[side]
        for row in range(cell.shape[1]):
            z, came = gates[side, row], entering[rows[first + row]]
            for k in range(4 * size):
                z[k] = squashed((z[k] + came[k]) * worth[k])
            forget, enter, leave, made = z[:size], z[size : 2 * size], z[2 * size : 3 * size], z[3 * size :]
            h, c = state[side, row], cell[side, row]
            for k in range(size):
                c[k] = (c[k] * (forget[k] + shift) + made[k] * (enter[k] + shift)) * half
                h[k] = np.rint(squashed(c[k]) * (leave[k] + shift) * byte)
