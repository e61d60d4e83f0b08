"""GGUF files: the metadata and the tensors of a language model, as llama.cpp stores them."""

import mmap
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError

Value = bool | int | float | str | list["Value"]
"""A value of the metadata."""
Kind = TypeVar("Kind")

_MAGIC = b"GGUF"
_NUMBERS = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd", strict=True))
_STRING, _ARRAY = 8, 9
_MOST = 1 << 24
"""More entries than any model has in one array, and fewer than would fill the memory."""

_ROWS = 4096
"""Rows that are decoded together; a multiple of the weights of a block, so that a part has whole blocks."""


@dataclass(frozen=True)
class Quantised:
    """How a block of weights is stored: its bytes, how many weights they hold, and how they are read."""

    size: int
    weights: int
    decode: Callable[[NDArray[np.uint8]], NDArray[np.float32]]


def _halves(blocks: NDArray[np.uint8], offset: int) -> NDArray[np.float32]:
    return np.ascontiguousarray(blocks[:, offset : offset + 2]).view(np.float16).astype(np.float32)


def _nibbles(blocks: NDArray[np.uint8], offset: int) -> NDArray[np.float32]:
    packed = blocks[:, offset:]
    # The low halves of the bytes are the first weights of a block, the high halves the others.
    return np.concatenate([packed & 15, packed >> 4], axis=1).astype(np.float32)


_KINDS = {
    0: Quantised(4, 1, lambda blocks: np.ascontiguousarray(blocks).view(np.float32)),
    1: Quantised(2, 1, lambda blocks: _halves(blocks, 0)),
    2: Quantised(18, 32, lambda blocks: _halves(blocks, 0) * (_nibbles(blocks, 2) - 8)),
    3: Quantised(20, 32, lambda blocks: _halves(blocks, 0) * _nibbles(blocks, 4) + _halves(blocks, 2)),
    8: Quantised(34, 32, lambda blocks: _halves(blocks, 0) * blocks[:, 2:].view(np.int8).astype(np.float32)),
}
"""The kinds of tensors that are read: F32, F16, Q4_0, Q4_1, Q8_0."""


@dataclass(frozen=True)
class _TensorInfo:
    shape: tuple[int, ...]
    kind: int
    offset: int


@dataclass(frozen=True, eq=False)
class Gguf:
    """An open GGUF file: *metadata* by key, tensors by name."""

    path: Path
    metadata: Mapping[str, Value]
    _infos: Mapping[str, _TensorInfo] = field(repr=False)
    _data: memoryview = field(repr=False)

    def __contains__(self, name: str) -> bool:
        return name in self._infos

    def get(self, key: str, kind: type[Kind]) -> Kind:
        """Return the metadata under *key*, which must be there and be of a *kind*; a whole number is a float too."""
        value = self.metadata.get(key)
        if kind is float and isinstance(value, int):
            value = float(value)
        if not isinstance(value, kind):
            what = f"{key} is missing" if value is None else f"{key} is not of the kind {kind.__name__}"
            raise TouchstoneError(
                f"the model's metadata cannot be used: {what}", file=str(self.path), code=Code.UNREADABLE
            )
        return value

    def tensor(self, name: str) -> NDArray[np.float32]:
        """Return a tensor as 32-bit numbers, its last axis the one that is stored contiguously."""
        return np.concatenate(list(self.parts(name))).reshape(self._info(name).shape)

    def parts(self, name: str) -> Iterator[NDArray[np.float32]]:
        """Yield a tensor some rows at a time, so that a large one is never in memory as 32-bit numbers."""
        tensor = self._info(name)
        kind = _KINDS.get(tensor.kind)
        if kind is None:
            hint = "use a file quantised as Q4_0, Q4_1, Q8_0, F16 or F32"
            what = f"tensor {name} is of a kind that is not read"
            raise TouchstoneError(what, file=str(self.path), code=Code.UNSUPPORTED, hint=hint)
        width = tensor.shape[-1]
        size = int(np.prod(tensor.shape)) // kind.weights * kind.size
        raw = np.frombuffer(self._data[tensor.offset : tensor.offset + size], np.uint8)
        if len(raw) < size:
            _corrupt(self.path)
        step = _ROWS * width // kind.weights * kind.size
        for start in range(0, size, step):
            yield kind.decode(raw[start : start + step].reshape(-1, kind.size)).reshape(-1, width)
        # What was decoded is not read again: its pages can go.
        if hasattr(mmap, "MADV_DONTNEED") and isinstance(self._data.obj, mmap.mmap):
            self._data.obj.madvise(mmap.MADV_DONTNEED)

    def _info(self, name: str) -> _TensorInfo:
        tensor = self._infos.get(name)
        if tensor is None:
            raise TouchstoneError("the model has no such tensor", file=str(self.path), value=name, code=Code.UNREADABLE)
        return tensor


def read_gguf(path: Path) -> Gguf:
    """Open a GGUF file of version 2 or 3; tensors are mapped, and decoded when they are asked for."""
    try:
        with path.open("rb") as file:
            data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError) as error:
        raise TouchstoneError(f"the model cannot be read ({error})", file=str(path), code=Code.UNREADABLE) from error
    if bytes(data[:4]) != _MAGIC or int.from_bytes(data[4:8], "little") not in (2, 3):
        raise TouchstoneError("not a GGUF file of version 2 or 3", file=str(path), code=Code.UNREADABLE)
    try:
        return _read(_Cursor(data, path, position=8))
    except (struct.error, UnicodeDecodeError, KeyError, RecursionError):
        _corrupt(path)


class _Cursor:
    """A position in the bytes of a file, moved by reading."""

    def __init__(self, data: memoryview, path: Path, position: int) -> None:
        self.data, self.path, self.position = data, path, position

    def number(self, form: str) -> int:
        (value,) = struct.unpack_from(f"<{form}", self.data, self.position)
        self.position += struct.calcsize(f"<{form}")
        return value  # type: ignore[no-any-return]

    def count(self) -> int:
        count = self.number("Q")
        return count if count <= _MOST else _corrupt(self.path)

    def string(self) -> str:
        length = self.count()
        start, self.position = self.position, self.position + length
        return bytes(self.data[start : self.position]).decode()

    def value(self, kind: int) -> Value:
        if kind == _STRING:
            return self.string()
        if kind == _ARRAY:
            inner = self.number("I")
            return [self.value(inner) for _ in range(self.count())]
        return self.number(_NUMBERS[kind])


def _read(cursor: _Cursor) -> Gguf:
    tensors, keys = cursor.count(), cursor.count()
    metadata = {cursor.string(): cursor.value(cursor.number("I")) for _ in range(keys)}
    tensor_infos = [(cursor.string(), _shape(cursor), cursor.number("I"), cursor.number("Q")) for _ in range(tensors)]
    alignment = metadata.get("general.alignment", 32)
    if not isinstance(alignment, int) or alignment < 1:
        _corrupt(cursor.path)
    start = -(-cursor.position // alignment) * alignment
    info_by_name = {name: _TensorInfo(shape, kind, start + offset) for name, shape, kind, offset in tensor_infos}
    return Gguf(cursor.path, metadata, info_by_name, cursor.data)


def _shape(cursor: _Cursor) -> tuple[int, ...]:
    """Return the axes of a tensor, the contiguous one last; the file has it first."""
    # Tensors have at most four axes: a damaged file that names millions must not be read for hours.
    return tuple(cursor.number("Q") for _ in range(min(cursor.number("I"), 8)))[::-1]


def _corrupt(path: Path) -> NoReturn:
    what = "the model file is cut off or damaged"
    raise TouchstoneError(what, file=str(path), code=Code.UNREADABLE, hint="fetch or install it again")
