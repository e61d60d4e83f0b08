"""Arithmetic that gives the same bits everywhere: whole numbers in float32, and a tanh made of + × ÷.

Weights and activations are integers of eight bits, held as float32 because BLAS is fast on those. A product of two
and a sum of up to 500 such products stays below 2**24, where float32 is exact, so the order in which BLAS adds
(which depends on batch, threads and machine) cannot change a result. Everything else is a chain of single
IEEE-754 operations, which have one right answer each.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from touchstone.base.compiling import compiled_part

Matrix = npt.NDArray[np.float32]

BYTE = 127
"""A signed activation of size 1 (a tanh, a state of the LSTM) in steps of a byte."""

UNSIGNED = 255
CLIP = 2.0
"""Rectified layers end at 2, which is 255 steps."""

_EXACT = 1 << 24

# x (1 + A x²) / (1 + B x² + C x⁴), least greatest error on [-4, 4]: 4e-4. With what tanh still grows beyond 4 that
# is 1.1e-3, a seventh of the step of a byte.
_A, _B, _C = np.float32(0.08296769), np.float32(0.41469878), np.float32(0.00658069)
_END, _CONSTANT_TERM = np.float32(4.0), np.float32(1.0)


@dataclass(frozen=True)
class Layer:
    """An affine map: integers in, integers out, and what a unit of each output column is worth."""

    weight: Matrix
    bias: Matrix
    unit: Matrix

    def __post_init__(self) -> None:
        weights = self.weight.reshape(-1, self.weight.shape[-1])
        check_exact(UNSIGNED * np.abs(weights).sum(0) + np.abs(self.bias))

    def __call__(self, x: Matrix) -> Matrix:
        """Return the exact integers ``x @ weight + bias``."""
        y: Matrix = x @ self.weight
        y += self.bias
        return y

    def rectified(self, x: Matrix) -> Matrix:
        """Return ``max(0, min(y, CLIP))`` in 255 steps."""
        return rectify(self(x), self.unit)

    def squashed(self, x: Matrix) -> Matrix:
        """Return ``tanh(y)`` in steps of a byte."""
        y = self(x)
        y *= self.unit
        squash(y, np.empty_like(y), np.empty_like(y))
        y *= BYTE
        return np.rint(y, out=y)

    def scores(self, x: Matrix) -> Matrix:
        """Return y as plain numbers, comparable between columns."""
        y = self(x)
        y *= self.unit
        return y


def check_exact(largest: Matrix) -> None:
    """Raise where a sum that can be as large as *largest* is not exact in float32: a model that must not be shipped."""
    if largest.max(initial=0) >= _EXACT:
        raise ValueError(f"a sum can reach {largest.max():.0f}, where float32 is not exact")


def rectify(y: Matrix, unit: Matrix) -> Matrix:
    """Return integers of size *unit* cut to 0 … CLIP in 255 steps, in place."""
    y *= unit * np.float32(UNSIGNED / CLIP)
    np.clip(y, 0, UNSIGNED, out=y)
    return np.rint(y, out=y)


def squash(z: Matrix, square: Matrix, divisor: Matrix) -> None:
    """Make z its tanh, in place; the other two are room to work in.

    >>> z = np.array([-9, -1, 0, 0.5, 1], np.float32)
    >>> squash(z, np.empty_like(z), np.empty_like(z))
    >>> bool(abs(z - np.tanh([-9, -1, 0, 0.5, 1])).max() < 0.0011)
    True
    """
    np.clip(z, -_END, _END, out=z)
    np.multiply(z, z, out=square)
    np.multiply(square, _C, out=divisor)
    divisor += _B
    divisor *= square
    divisor += 1
    square *= _A
    square += 1
    z *= square
    z /= divisor


@compiled_part
def squashed(z: np.float32) -> np.float32:
    """Return what `squash` makes of one number, by the same operations in the same order; for compiled code."""
    z = _END if z > _END else z  # noqa: FURB136 (min would ask about nan, which keeps the loop from being vectorised)
    z = -_END if z < -_END else z  # noqa: FURB136
    square = z * z
    return z * (square * _A + _CONSTANT_TERM) / ((square * _C + _B) * square + _CONSTANT_TERM)


@contextmanager
def single_threaded() -> Iterator[None]:
    """Compute matrix products with one thread: they are too small to gain from several, which wait for each other.

    The limit holds for the whole process while the call lasts. It changes no result.
    """
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
