"""The network of the analyser: vectors of word types, a convolution that tags, an LSTM that tags and parses."""

import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from touchstone.base.codes import Code
from touchstone.base.compiling import compiled_after, is_compiled
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Ints
from touchstone.io.checksums import check_shipped
from touchstone.io.jsonl import Json
from touchstone.text.arithmetic import BYTE, CLIP, UNSIGNED, Layer, Matrix, rectify
from touchstone.text.features import AFFIXES, buckets, normalised, vocabulary_keys
from touchstone.text.recurrent import Recurrent, run_layers
from touchstone.text.trees import decode

Bytes = npt.NDArray[np.int8]

FORMAT = 2

_MANY = 1_500
"""Tokens from which compiled code is used, as in `recurrent`."""
_STEP_TOKENS = 2_048
"""Tokens that go through the network together: their arrays stay within the processor's cache."""
_HINT = "install the package again, or write the file again with training/train_analyser.py"


@dataclass(frozen=True)
class Parses:
    """Numbers of tags, heads (from 0, the root) and relations, for all tokens of some sentences in a row."""

    tags: Ints
    heads: Ints
    relations: Ints


class Network:
    """The arrays of a model file and what is computed with them; it never changes, so threads may share it."""

    def __init__(self, arrays: dict[str, npt.NDArray[np.generic]], digest: str) -> None:
        self._arrays, self.digest = arrays, digest
        self.about: dict[str, Json] = json.loads(arrays["about"].tobytes())
        # What is learned as one tag is a Penn tag and a universal part of speech.
        self.tags, self.upos = zip(*(name.split(" ") for name in self._list("tags")), strict=True)
        self.relations = tuple(self._list("relations"))
        self.width = len(arrays["vector.bias"])
        self._word_vectors, self._glove, self._rows = arrays["word"], arrays["glove"], arrays["rows"]
        self._tables = [arrays[affix.name] for affix in AFFIXES]
        # Each layer is read when it is first used: tagging needs no parser.
        self._layer = cache(lambda name: Layer(*self._parts(name)))

    def vectors(self, forms: Sequence[str]) -> Bytes:
        """Return the vector of each word type, in steps of a byte; it depends on the form alone."""
        normalised_forms = [normalised(form) for form in forms]
        hashed = np.array([buckets(form) for form in normalised_forms], np.int64).reshape(-1, len(AFFIXES))
        glove = np.array([self._glove_row(form) for form in normalised_forms], np.int64)
        exact = np.array([self._row_by_word.get(form.lower(), -1) for form in normalised_forms], np.int64)
        rows = np.where(exact >= 0, self._rows[exact], 0)
        glove_vectors = self._glove[np.maximum(glove, 0)] * (glove >= 0)[:, None]
        parts = [glove_vectors, self._word_vectors[rows], *(t[hashed[:, n]] for n, t in enumerate(self._tables))]
        x = np.concatenate(parts, 1, dtype=np.float32, casting="unsafe")
        return self._layer("vector").squashed(self._layer("inner").rectified(x)).astype(np.int8)

    def fast_tags(self, vectors: Matrix, types: Ints, lengths: Ints) -> Ints:
        """Return the tag of every token by the convolution; *types* are rows of *vectors*, of sentences in a row."""
        first = self._convolutions[0]
        # Each vector is multiplied once, whatever the number of tokens of its type; the last row is a blank.
        blank = np.zeros((1, self.width), np.float32)
        products = np.stack([np.concatenate([vectors, blank]) @ weight for weight in first.weight])
        tags = [np.empty(0, np.int64)]
        for part, tokens in parts(lengths):
            tags.append(self._fast_tags(products, types[tokens], lengths[part]))
        return np.concatenate(tags)

    def _fast_tags(self, products: Matrix, types: Ints, lengths: Ints) -> Ints:
        first, *others = self._convolutions
        margin = max(len(layer.weight) // 2 for layer in self._convolutions)
        # Between two sentences and at both ends are rows of zeros, so that no window sees a neighbour.
        padded_rows = np.arange(len(types)) + margin * (1 + np.repeat(np.arange(len(lengths)), lengths))
        padded = np.full(len(types) + margin * (len(lengths) + 1), len(products[0]) - 1)
        padded[padded_rows] = types
        blank = padded == len(products[0]) - 1
        if is_compiled(sum_windows) and len(types) >= _MANY:
            rows = np.empty((len(padded), products.shape[2]), np.float32)
            sum_windows(products, padded, first.bias, first.unit * np.float32(UNSIGNED / CLIP), rows)
        else:
            rows = first.over(lambda window: products[window].take(padded, 0))
        rows[blank] = 0
        for layer in others:
            rows = layer(rows)
            rows[blank] = 0
        tags: Ints = self._layer("fast_tags").scores(rows[padded_rows]).argmax(1)
        return tags

    def parse(self, vectors: Matrix, types: Ints, lengths: Ints) -> Parses:
        """Return tags, heads and relations of sentences in a row, the longest first; *types* as in `fast_tags`."""
        entering = [side(vectors) for side in self._lstms[0].inward]
        outputs, ends = self._layer("outputs"), np.cumsum(self._arrays["widths"])[:-1]
        units = np.split(outputs.unit, ends)
        tags, sides = [], []
        for part, tokens in parts(lengths):
            states = run_layers(self._lstms, entering, types[tokens], lengths[part])
            likely, dependents, heads, below, above = np.split(outputs(states), ends, axis=1)
            tags.append((likely * units[0]).argmax(1))
            sides.append((rectify(dependents, units[1]), _signed(heads, units[2]), below.copy(), above.copy()))
        dependents, heads, below, above = (np.concatenate(column) for column in zip(*sides, strict=True))
        best = self._heads(dependents, heads, lengths)
        starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
        chosen = above[starts + np.maximum(best - 1, 0)]
        chosen[best == 0] = self._float("root_label")
        relations = self._layer("labels").scores(rectify(below + chosen, units[3])).argmax(1)
        return Parses(np.concatenate(tags), best, relations)

    def _heads(self, dependents: Matrix, heads: Matrix, lengths: Ints) -> Ints:
        """Return the head of every token; sentences of one length are scored together."""
        best = np.empty(len(dependents), np.int64)
        sizes, counts = np.unique(lengths, return_counts=True)
        start = 0
        for size, count in zip(sizes[::-1].tolist(), counts[::-1].tolist(), strict=True):
            stop = start + size * count
            above = np.empty((count, size + 1, heads.shape[1]), np.float32)
            above[:, 0] = self._float("root_head")
            above[:, 1:] = heads[start:stop].reshape(count, size, -1)
            below = dependents[start:stop].reshape(count, size, -1)
            best[start:stop] = decode(below @ above.transpose(0, 2, 1)).ravel()
            start = stop
        return best

    @property
    def common(self) -> tuple[list[str], Bytes]:
        """The most frequent words of English, in falling order, and GloVe's vector of each in steps of a byte."""
        return self._list("words")[: len(self._glove)], np.asarray(self._glove, np.int8)

    @cached_property
    def _row_by_word(self) -> dict[str, int]:
        return {word: n for n, word in enumerate(self._list("words"))}

    @cached_property
    def _convolutions(self) -> list["Convolution"]:
        return [Convolution(*self._parts(f"convolution{n}")) for n in range(self._count("convolution"))]

    @cached_property
    def _lstms(self) -> list[Recurrent]:
        return [self._lstm(f"lstm{n}") for n in range(self._count("lstm"))]

    def _glove_row(self, form: str) -> int:
        """Return the row of the first key that GloVe has, -1 where it has none."""
        row = next((self._row_by_word[key] for key in vocabulary_keys(form) if key in self._row_by_word), -1)
        return row if row < len(self._glove) else -1

    def _count(self, name: str) -> int:
        return sum(key.startswith(name) and key.endswith(".bias") for key in self._arrays)

    def _lstm(self, name: str) -> Recurrent:
        halves = ([np.ascontiguousarray(half) for half in np.split(part, 2, axis=-1)] for part in self._parts(name))
        forward, backward = map(Layer, *halves)
        return Recurrent((forward, backward), self._float(f"{name}.onward"))

    def _parts(self, name: str) -> tuple[Matrix, Matrix, Matrix]:
        return self._float(f"{name}.weight"), self._float(f"{name}.bias"), self._float(f"{name}.unit")

    def _float(self, name: str) -> Matrix:
        return self._arrays[name].astype(np.float32)

    def _list(self, name: str) -> list[str]:
        return self._arrays[name].tobytes().decode().split("\n")


class Convolution(Layer):
    """A layer over windows of rows, rectified: one matrix for each place in the window."""

    def __call__(self, rows: Matrix) -> Matrix:
        """Return the layer's rows; what lies beyond the ends counts as zeros."""
        return self.over(lambda window: rows @ self.weight[window])

    def over(self, product: Callable[[int], Matrix]) -> Matrix:
        """Return the rectified sum of the products of each place in the window, shifted to the middle."""
        reach = len(self.weight) // 2
        sums = product(reach)
        for offset in range(1, reach + 1):
            sums[offset:] += product(reach - offset)[:-offset]
            sums[:-offset] += product(reach + offset)[offset:]
        sums += self.bias
        return rectify(sums, self.unit)


@compiled_after(0)
def sum_windows(products: Matrix, padded: Ints, bias: Matrix, scale: Matrix, rows: Matrix) -> None:
    """Fill in the *rows* that `Convolution.over` gives for the products of types, number by number: the same bits.

    Parameters
    ----------
    products
        For each place in the window, the product of each type.
    padded
        The type of each row.
    bias, scale
        What is added to each column, and by what it is then multiplied.
    rows
        The result: rectified sums in whole steps.
    """
    reach, least, most = len(products) // 2, np.float32(0), np.float32(255)
    for row in range(len(padded)):
        sums = rows[row]
        for column in range(len(sums)):
            sums[column] = bias[column]
        for offset in range(max(-reach, -row), min(reach, len(padded) - 1 - row) + 1):
            product = products[reach + offset, padded[row + offset]]
            for column in range(len(sums)):
                sums[column] += product[column]
        for column in range(len(sums)):
            value = sums[column] * scale[column]
            value = least if value < least else value  # noqa: FURB136 (as in `arithmetic.squashed`)
            sums[column] = np.rint(most if value > most else value)  # noqa: FURB136


def parts(lengths: Ints) -> Iterator[tuple[slice, slice]]:
    """Yield which neighbouring sentences go through the network together, and which tokens these are.

    >>> list(parts(np.array([1500, 500, 48, 1])))
    [(slice(0, 3, None), slice(0, 2048, None)), (slice(3, 4, None), slice(2048, 2049, None))]
    """
    ends = [0, *np.cumsum(lengths).tolist()]
    for sentences in neighbours(lengths.tolist(), _STEP_TOKENS):
        yield sentences, slice(ends[sentences.start], ends[sentences.stop])


def neighbours(sizes: Sequence[int], most: int) -> Iterator[slice]:
    """Yield runs of neighbours whose sizes add up to *most* or less; a larger one is a run of its own.

    >>> list(neighbours([60, 5, 1, 70], 66))
    [slice(0, 3, None), slice(3, 4, None)]
    """
    start = total = 0
    for number, size in enumerate(sizes):
        if number > start and total + size > most:
            yield slice(start, number)
            start, total = number, 0
        total += size
    if len(sizes):
        yield slice(start, len(sizes))


def _signed(y: Matrix, unit: Matrix) -> Matrix:
    """Return integers of size *unit* cut to -CLIP … CLIP in steps of a byte."""
    y = y * (unit * np.float32(BYTE / 2))
    np.clip(y, -BYTE, BYTE, out=y)
    return np.rint(y, out=y)


def open_network(path: Path) -> Network:
    """Return the network in a model file, or say why there is none."""
    try:
        raw = path.read_bytes()
        check_shipped(path, sha256(raw).hexdigest())
        with np.load(BytesIO(raw), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        what = f"the analyser's model cannot be read ({reason})"
        raise TouchstoneError(what, file=str(path), code=Code.UNREADABLE, hint=_HINT) from None
    except TouchstoneError:
        raise
    except (ValueError, BadZipFile, EOFError, zlib.error):
        raise TouchstoneError("not a model of the analyser", file=str(path), code=Code.UNREADABLE, hint=_HINT) from None
    if int(arrays.get("format", np.array(0))) != FORMAT:
        raise TouchstoneError(f"not a model of format {FORMAT}", file=str(path), code=Code.UNREADABLE, hint=_HINT)
    return Network(arrays, sha256(raw).hexdigest())
