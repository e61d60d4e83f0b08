"""A labeller of inference that needs NumPy alone: a cross-encoder in one file, its weights in eight bits.

The network is that of `touchstone.systems.inference.cross_encoder`. Weights are kept as whole numbers of eight bits
with factors, and computed with in 32 bits; so labels differ from those of the run that they came from where two labels
are nearly as likely, and nowhere else.
"""

import os
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats
from touchstone.core.scoring import Progress
from touchstone.neural.packages import installed
from touchstone.neural.pieces import WordPieces, by_length
from touchstone.systems.inference.labelling_file import LabellerFile, Matrix, read_labeller, scaled
from touchstone.systems.inference.predictions import DECIMALS, Predictions
from touchstone.systems.inference.texts import MARKS, check_sentences
from touchstone.systems.inference.tokens import as_written
from touchstone.tasks.nli.labels import LABELS
from touchstone.tasks.nli.model import GoldSet

VARIABLE = "TOUCHSTONE_NLI_LABELLER"
"""The environment variable that names the file."""
PACKAGE, FILE = "touchstone-nli-labeller", "labeller.safetensors"
"""The package that carries the file, and the name that it has there."""

_TOGETHER = 256
"""Pieces that are computed together: few enough that all numbers of a layer stay in the cache of a processor."""
_EPSILON, _HALF = np.float32(1e-12), np.float32(0.5)

# Phi(-x) = (a_1 t + … + a_5 t^5) e^(-x²/2) / 2 with t = 1 / (1 + p x / sqrt 2), at most 8e-8 off (Abramowitz and Stegun
# 1964, 7.1.26); SciPy's erf takes six times as long. The factors run from a_5 to a_1, as Horner's scheme takes them.
_SLOPE = np.float32(0.3275911 / np.sqrt(2))
_SERIES = np.array([1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592], np.float32) / 2


def find_labeller(path: str | Path | None = None) -> Path:
    """Return the file of the labeller that is named, that the environment names, or that is installed."""
    named = path or os.environ.get(VARIABLE)
    if named:
        return Path(named)
    folder = installed(PACKAGE)
    if folder is None:
        hint = f"run make labeller in a clone of the repository, or name a file of a model, also in {VARIABLE}"
        raise TouchstoneError("no labeller is installed", code=Code.MISSING_EXTRA, hint=hint)
    return folder / FILE


class PairLabeller:
    """A labeller, read from its file.

    Parameters
    ----------
    path
        A file that ``python -m training.nli_labeller`` wrote; by default the one that `find_labeller` finds.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.file: LabellerFile = read_labeller(find_labeller(path))
        if "classifier.weight" not in self.file.weights:
            what = "an encoder that was not trained to label"
            raise TouchstoneError(what, file=self.file.source.name, code=Code.UNREADABLE)
        self._pieces = WordPieces(["", *MARKS, *self.file.pieces])
        self._network = _Network(self.file)

    @property
    def signature(self) -> str:
        """The name and the digest of the file."""
        return str(self.file.source)

    def label(self, gold: GoldSet, progress: Progress = lambda done, total: None) -> Predictions:  # noqa: ARG005
        """Label the pairs of a set.

        Parameters
        ----------
        gold
            The pairs; their labels are not looked at.
        progress
            Called with the pairs done and their number after each batch.
        """
        check_sentences(gold)
        number: Callable[[str], list[int]] = cache(self._numbers)
        sides = [(number(pair.premise), number(pair.hypothesis)) for pair in gold.pairs]
        probabilities = self.probabilities(sides, progress)
        pieces = [piece for both in sides for side in both for piece in side]
        return Predictions(gold.ids, probabilities.round(DECIMALS), len(pieces), pieces.count(self._pieces.unknown))

    def _numbers(self, sentence: str) -> list[int]:
        return self._pieces.encode(as_written(sentence))[0][: self.file.longest]

    def probabilities(
        self,
        sides: Sequence[tuple[list[int], list[int]]],
        progress: Progress = lambda done, total: None,  # noqa: ARG005
    ) -> Floats:
        """Return the probability of each label for pairs of numbered sentences."""
        first, last = self._pieces.first, self._pieces.last
        joined = [[first, *premise, last, *hypothesis, last] for premise, hypothesis in sides]
        probabilities = np.zeros((len(joined), len(LABELS)))
        done = 0
        for batch, padded in by_length(joined, _TOGETHER):
            lengths = np.array([len(joined[pair]) for pair in batch])
            second = np.array([len(sides[pair][0]) + 2 for pair in batch])
            probabilities[batch] = _softmax(self._network(padded, lengths, second))
            done += len(batch)
            progress(done, len(joined))
        return probabilities


class _Network:
    """The weights, ready to be computed with, and the computation."""

    def __init__(self, file: LabellerFile) -> None:
        self.heads, self.layers = file.heads, file.layers
        self._words, self._factors = file.words
        self._weights = {name: np.ascontiguousarray(weight.T) for name, weight in file.weights.items()}
        self._position_vectors, self._kinds = file.weights["places.weight"], file.weights["kinds.weight"]

    def __call__(
        self, numbers: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], second: npt.NDArray[np.int64]
    ) -> Matrix:
        """Return a number for each label and pair.

        Parameters
        ----------
        numbers
            The pieces of both sentences with their marks, filled up at the end, (B, T).
        lengths, second
            How many there are, and where the second sentence starts.
        """
        positions = np.arange(numbers.shape[1])
        x = scaled(self._words[numbers], self._factors[numbers])
        x += self._position_vectors[positions]
        x += self._kinds[(positions >= second[:, None]).astype(np.int64)]
        x = self._normed(x, "norm")
        absent = positions >= lengths[:, None]
        hidden = np.where(absent, np.float32(-np.inf), np.float32(0))[:, None, None, :] if absent.any() else None
        for layer in range(self.layers - 1):
            x = self._layer(x, x, f"layers.{layer}", hidden)
        # Only the first piece is looked at after the last layer.
        x = self._layer(x[:, :1], x, f"layers.{self.layers - 1}", hidden)[:, 0]
        return self._through(np.tanh(self._through(x, "pooler")), "classifier")

    def _layer(self, x: Matrix, every: Matrix, name: str, hidden: Matrix | None) -> Matrix:
        """Return the next states of the pieces *x*, which look at *every* piece but those *hidden*."""
        attended = self._attention(x, every, name, hidden)
        attended = self._through(attended, f"{name}.mixed")
        attended += x
        x = self._normed(attended, f"{name}.norm_1")
        inner = self._through(x, f"{name}.inner")
        next_state = self._through(_gelu(inner), f"{name}.outer")
        next_state += x
        return self._normed(next_state, f"{name}.norm_2")

    def _attention(self, x: Matrix, every: Matrix, name: str, hidden: Matrix | None) -> Matrix:
        weight, bias = self._weights[f"{name}.attention.weight"], self._weights[f"{name}.attention.bias"]
        width = x.shape[-1]
        queries = self._split(_affine(x, weight[:, :width], bias[:width]))
        both = _affine(every, weight[:, width:], bias[width:])
        keys, values = self._split(both[..., :width]), self._split(both[..., width:])
        queries *= np.float32((width // self.heads) ** -0.5)
        scores = queries @ keys.swapaxes(2, 3)
        if hidden is not None:
            scores += hidden
        attended: Matrix = (_softmax(scores) @ values).swapaxes(1, 2).reshape(x.shape)
        return attended

    def _split(self, x: Matrix) -> Matrix:
        """Return the parts of each head, (B, heads, T, width / heads)."""
        return x.reshape(*x.shape[:2], self.heads, -1).swapaxes(1, 2)

    def _through(self, x: Matrix, name: str) -> Matrix:
        return _affine(x, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])

    def _normed(self, x: Matrix, name: str) -> Matrix:
        """Return *x* less its mean, divided by its standard deviation, in place."""
        x -= x.mean(-1, keepdims=True)
        variance = np.einsum("...d,...d->...", x, x)[..., None] / np.float32(x.shape[-1])
        x *= 1 / np.sqrt(variance + _EPSILON)
        x *= self._weights[f"{name}.weight"]
        x += self._weights[f"{name}.bias"]
        return x


def _affine(x: Matrix, weight: Matrix, bias: Matrix) -> Matrix:
    y: Matrix = x.reshape(-1, x.shape[-1]) @ weight
    y += bias
    return y.reshape(*x.shape[:-1], -1)


def _gelu(x: Matrix) -> Matrix:
    """Return x times the normal distribution function Phi of x, in place: max(x, 0) - |x| Phi(-|x|)."""
    size = np.abs(x)
    t = size * _SLOPE
    t += np.float32(1)
    np.reciprocal(t, out=t)
    tail = t * _SERIES[0]
    for factor in _SERIES[1:]:
        tail += factor
        tail *= t
    np.multiply(x, x, out=t)
    t *= -_HALF
    tail *= np.exp(t, out=t)
    tail *= size
    np.maximum(x, 0, out=x)
    x -= tail
    return x


def _softmax(x: Matrix) -> Matrix:
    """Return e^x divided by its sum over the last axis, in place."""
    x -= x.max(-1, keepdims=True)
    np.exp(x, out=x)
    x /= x.sum(-1, keepdims=True)
    return x
