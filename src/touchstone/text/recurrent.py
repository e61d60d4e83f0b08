"""The bidirectional LSTM: all sentences of a batch step together, those that have ended drop out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from touchstone.core.ragged import Ints
from touchstone.text.arithmetic import BYTE, Layer, Matrix, check_exact, squash


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


def run_layers(layers: Sequence[Recurrent], x: Matrix, lengths: Ints) -> Matrix:
    """Return the states of the last layer for the tokens *x* of sentences of falling *lengths*, one after another."""
    steps = Steps.of(lengths)
    for layer in layers:
        x = _run(layer, x, steps)
    return x


def _run(layer: Recurrent, x: Matrix, steps: Steps) -> Matrix:
    size = layer.onward.shape[1]
    entering = [side(x[order]) for side, order in zip(layer.inward, (steps.forward, steps.backward), strict=True)]
    unit = np.stack([side.unit for side in layer.inward])[:, None]
    most = int(steps.active[0])
    state, cell = np.zeros((2, 2, most, size), np.float32)
    states = np.empty((2, len(x), size), np.float32)
    room = np.empty((3, 2 * most * 4 * size), np.float32)
    first = 0
    for count in steps.active.tolist():
        if count < state.shape[1]:
            state, cell = state[:, :count].copy(), cell[:, :count].copy()
        gates, square, divisor = (part[: 8 * count * size].reshape(2, count, -1) for part in room)
        np.matmul(state, layer.onward, out=gates)
        for side, came in zip(gates, entering, strict=True):
            side += came[first : first + count]
        gates *= unit
        squash(gates, square, divisor)
        _advance(gates, state, cell, square, divisor)
        states[:, first : first + count] = state
        first += count
    found = np.empty((len(x), 2 * size), np.float32)
    found[steps.forward, :size], found[steps.backward, size:] = states
    return found


def _advance(gates: Matrix, state: Matrix, cell: Matrix, square: Matrix, divisor: Matrix) -> None:
    """Make c ← f c + i g and h ← o tanh(c) of the squashed gates; the states are whole steps of a byte."""
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
