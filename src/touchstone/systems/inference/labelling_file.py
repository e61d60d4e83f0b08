"""The file of a labeller: safetensors with weights in eight bits, the pieces of words, and what it was trained on.

A table of weights is kept as whole numbers, and as the factors of parts of its rows under the same name with
``.factor``. The form is read and written here, since the library of that name is not part of a core install.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import Source, read_bytes
from touchstone.io.checksums import check_installed, check_tensors, sealed_tensors
from touchstone.io.writing import replacing

Matrix = npt.NDArray[np.float32]
Array = npt.NDArray[Any]

FORMAT = 1
"""The version of the file; others are refused."""
ABOUT = "touchstone nli labeller"
"""The name under which the file says what it is."""
FACTOR = ".factor"
WORDS, MARKS = "words.vectors.weight", "words.own.weight"
_MARK_NAMES = ("padding", "unknown", "begin", "end")
"""The rows of `MARKS`, as in `touchstone.systems.inference.vocabulary`."""

_KINDS: dict[str, type[np.generic]] = {"I8": np.int8, "U8": np.uint8, "F32": np.float32}
_BYTE = 127
"""The largest integer of eight bits whose negative has eight bits too."""
_PART = 64
"""Numbers of a row that share a factor. A few weights of BERT are a hundred times as large as most others; with one
factor for a row, the others in their rows would have three times the error."""


@dataclass(frozen=True, eq=False)
class LabellerFile:
    """What the file of a labeller has.

    *words* are the rows of marks and pieces in whole numbers, with their factors; *weights* all else.
    """

    pieces: Sequence[str]
    words: tuple[npt.NDArray[np.int8], Matrix]
    weights: Mapping[str, Matrix]
    about: Mapping[str, Any]
    source: Source

    @property
    def heads(self) -> int:
        """How many heads attention has."""
        return int(self.about["heads"])

    @property
    def longest(self) -> int:
        """How many pieces of a sentence are read."""
        return int(self.about["longest"])

    @property
    def layers(self) -> int:
        """How many layers the network has."""
        return sum(name.endswith(".inner.bias") for name in self.weights)

    def table(self) -> Matrix:
        """Return the vectors of marks and pieces."""
        return scaled(*self.words)


def quantised(table: Matrix) -> tuple[npt.NDArray[np.int8], Matrix]:
    """Return a table in whole numbers of eight bits, and the factors of the parts of its rows.

    >>> integers, factors = quantised(np.array([[1, -0.5], [0, 0]], np.float32))
    >>> integers.tolist(), (factors * 127).tolist()
    ([[127, -64], [0, 0]], [[1.0], [127.0]])
    """
    parts = table.reshape(len(table), -1, _PART if table.shape[1] % _PART == 0 else table.shape[1])
    largest = np.abs(parts).max(2)
    # A part of zeros gets the factor 1, since parts are divided by their factors.
    factors = np.where(largest > 0, largest / _BYTE, 1).astype(np.float32)
    return np.rint(parts / factors[..., None]).astype(np.int8).reshape(table.shape), factors


def scaled(integers: npt.NDArray[np.int8], factors: Matrix) -> Matrix:
    """Return whole numbers times the factors of their parts.

    >>> scaled(np.array([[1, 2, 3, 4]], np.int8), np.array([[0.5, 2]], np.float32)).tolist()
    [[0.5, 1.0, 6.0, 8.0]]
    """
    parts: Matrix = integers.reshape(*factors.shape, -1) * factors[..., None]
    return parts.reshape(integers.shape)


def write_labeller(
    path: Path, weights: Mapping[str, Matrix], pieces: Sequence[str], *, heads: int, longest: int, **about: object
) -> None:
    """Write the file of a labeller.

    Parameters
    ----------
    path
        The file.
    weights
        The weights of a cross-encoder by their names.
    pieces
        What the rows of `WORDS` are, in their order.
    heads, longest
        The heads of its attention, and how many pieces of a sentence it reads.
    about
        What else there is to say: *trained_on*, the names of the training sets, and figures.
    """
    arrays: dict[str, Array] = {"pieces": np.frombuffer("\n".join(pieces).encode(), np.uint8)}
    for name, weight in weights.items():
        if weight.ndim > 1:
            arrays[name], arrays[name + FACTOR] = quantised(weight)
        else:
            arrays[name] = weight.astype(np.float32)
    header = {"format": FORMAT, "heads": heads, "longest": longest, **about}
    with replacing(path) as beside:
        beside.write_bytes(sealed_tensors(_packed(arrays, {ABOUT: json.dumps(header, sort_keys=True)})))


def read_labeller(path: str | Path) -> LabellerFile:
    """Read the file of a labeller, or of an encoder in the same form; any other file is refused."""
    if Path(path).is_dir():
        hint = "label with the model of a run by touchstone nli predict, or give the file of a labeller"
        raise TouchstoneError("is a folder, not the file of a labeller", file=str(path), code=Code.NO_FILE, hint=hint)
    raw, source = read_bytes(path)
    try:
        header, start = _header(raw)
        about_text = header.pop("__metadata__", {}).get(ABOUT)
        about = json.loads(about_text) if about_text else None
    except (ValueError, AttributeError, RecursionError):
        raise _refused("not a safetensors file", source) from None
    if not isinstance(about, dict):
        raise _refused("the weights of something else, not of a labeller", source)
    if about.get("format") != FORMAT:
        what = f"the labeller has format {about.get('format')}, and this version of touchstone reads format {FORMAT}"
        raise _refused(what, source)
    try:
        labeller = _labeller(_arrays(raw, header, start), about, source)
    except (ValueError, KeyError, TypeError):
        raise _refused("the labeller is damaged", source) from None
    check_tensors(raw, source.name, _AGAIN)
    check_installed(Path(path))
    return labeller


def _labeller(arrays: Mapping[str, Array], about: Mapping[str, Any], source: Source) -> LabellerFile:
    pieces = arrays["pieces"].tobytes().decode().split("\n")
    rows, factors = (np.concatenate([arrays[MARKS + end], arrays[WORDS + end]]) for end in ("", FACTOR))
    weights = {
        name: scaled(array, arrays[name + FACTOR]) if name + FACTOR in arrays else array
        for name, array in arrays.items()
        if not name.endswith(FACTOR) and name not in ("pieces", WORDS, MARKS)
    }
    file = LabellerFile(pieces, (rows, factors), weights, about, source)
    fitting = all(weights[name].shape == shape for name, shape in _shapes(file).items())
    if not fitting or len(rows) != len(_MARK_NAMES) + len(pieces) or rows.shape[1] % file.heads:
        # `read_labeller` catches it and names the file.
        raise ValueError("the parts do not belong together")
    return file


def _shapes(file: LabellerFile) -> dict[str, tuple[int, ...]]:
    """Return the shapes of all weights but those of words and of the classifier."""
    width, inner = file.words[0].shape[1], len(file.weights["layers.0.inner.bias"])
    maps, norms = {"pooler": (width, width)}, ["norm"]
    for layer in (f"layers.{number}" for number in range(file.layers)):
        maps |= {f"{layer}.attention": (3 * width, width), f"{layer}.mixed": (width, width)}
        maps |= {f"{layer}.inner": (inner, width), f"{layer}.outer": (width, inner)}
        norms += [f"{layer}.norm_1", f"{layer}.norm_2"]
    shapes: dict[str, tuple[int, ...]] = {"places.weight": (3 + 2 * file.longest, width), "kinds.weight": (2, width)}
    shapes |= {f"{name}.weight": shape for name, shape in maps.items()}
    shapes |= {f"{name}.bias": shape[:1] for name, shape in maps.items()}
    return shapes | {f"{name}.{end}": (width,) for name in norms for end in ("weight", "bias")}


_AGAIN = "give the file that touchstone-nli-labeller has, or one that python -m training.nli_labeller wrote"


def _refused(what: str, source: Source) -> TouchstoneError:
    return TouchstoneError(what, file=source.name, code=Code.UNREADABLE, hint=_AGAIN)


def _packed(arrays: Mapping[str, Array], metadata: Mapping[str, str]) -> bytes:
    """Return arrays in the form of safetensors: the size of a header, the header, the numbers."""
    names = {kind: name for name, kind in _KINDS.items()}
    # Numbers of 32 bits first, so that each starts at a multiple of its size.
    ordered = sorted(arrays.items(), key=lambda item: -item[1].itemsize)
    header: dict[str, Any] = {"__metadata__": dict(metadata)}
    end = 0
    for name, array in ordered:
        start, end = end, end + array.nbytes
        header[name] = {"dtype": names[array.dtype.type], "shape": list(array.shape), "data_offsets": [start, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([len(text).to_bytes(8, "little"), text, *(array.tobytes() for _, array in ordered)])


def _header(raw: bytes) -> tuple[dict[str, Any], int]:
    """Return the header of a file in the form of safetensors, and where its numbers start."""
    start = 8 + int.from_bytes(raw[:8], "little")
    header: dict[str, Any] = json.loads(raw[8:start])
    return header, start


def _arrays(raw: bytes, header: Mapping[str, Any], start: int) -> dict[str, Array]:
    """Return the arrays that a header names."""
    return {
        name: np.frombuffer(
            raw, _KINDS[entry["dtype"]], math.prod(entry["shape"]), start + entry["data_offsets"][0]
        ).reshape(entry["shape"])
        for name, entry in header.items()
    }
