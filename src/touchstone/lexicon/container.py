"""One file of named arrays, opened by mapping it into memory: workers share its pages and nothing is parsed.

Layout: magic, format, size of the whole, SHA-256 of what follows it, length of a JSON description, that
description, then the arrays, little-endian and aligned. Uncompressed on purpose: a mapped file opens in a
few milliseconds and costs eight processes one copy; a package archive compresses it anyway.
"""

import hashlib
import json
import mmap
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.io.jsonl import Json

Array = npt.NDArray[Any]

MAGIC = b"TSTONELX"
FORMAT = 1
ALIGNMENT = 64
BLOCK = 1 << 24
"""Bytes of an array that are written or checked at a time."""
_HEAD = struct.Struct("<8sIQ32s")
_LENGTH = struct.Struct("<I")


@dataclass(frozen=True)
class Container:
    """Arrays by name, what else the file says about them, and the digest of both."""

    arrays: Mapping[str, Array]
    about: Mapping[str, Json]
    digest: str


def pack(arrays: Mapping[str, Array], about: Mapping[str, Json]) -> bytes:
    """Return *arrays* and *about* as the bytes of a file; equal input gives equal bytes.

    >>> unpack(pack({"odd": np.array([1, 3], np.uint8)}, {"name": "toy"})).arrays["odd"].tolist()
    [1, 3]
    """
    buffer = BytesIO()
    write(buffer, arrays, about)
    return buffer.getvalue()


def write(file: BinaryIO, arrays: Mapping[str, Array], about: Mapping[str, Json]) -> None:
    """Write what `pack` returns to an empty file, array by array, so that no two of them are in memory twice."""
    table, offset = [], 0
    for name, array in arrays.items():
        table.append([name, array.dtype.newbyteorder("<").str, offset, len(array)])
        offset += array.nbytes + _gap(array.nbytes)
    header = json.dumps({"about": dict(about), "arrays": table}, sort_keys=True, separators=(",", ":")).encode()
    digest, size = hashlib.sha256(), _HEAD.size

    def add(part: bytes | memoryview) -> None:
        nonlocal size
        file.write(part)
        digest.update(part)
        size += len(part)

    # The head has the digest of all that follows, so it is written last.
    file.write(bytes(_HEAD.size))
    add(_LENGTH.pack(len(header)) + _padded(header, _HEAD.size + _LENGTH.size))
    for array in arrays.values():
        contiguous = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
        for part in _blocks(memoryview(contiguous.reshape(-1).view(np.uint8).data)):
            add(part)
        add(bytes(_gap(array.nbytes)))
    file.seek(0)
    file.write(_HEAD.pack(MAGIC, FORMAT, size, digest.digest()))


def open_container(path: Path) -> Container:
    """Return the arrays of a file, mapped into memory, or say in a sentence why it is none."""
    try:
        with path.open("rb") as file:
            if not file.seek(0, 2):
                raise _broken(str(path), "the file is empty")
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise TouchstoneError(f"cannot be read ({reason})", file=str(path), code=Code.NO_FILE) from None
    return unpack(memoryview(mapped), file=str(path))


def unpack(buffer: bytes | memoryview, file: str = "lexicon") -> Container:
    """Return the arrays in *buffer* as read-only views of it, after checking size and digest."""
    view = memoryview(buffer)
    digest = _checked(view, file)
    start = _HEAD.size + _LENGTH.size
    (length,) = _LENGTH.unpack_from(view, _HEAD.size)
    header = json.loads(bytes(view[start : start + length]))
    base = start + length + _gap(start + length)
    arrays = {
        name: np.frombuffer(view, np.dtype(dtype), count, base + offset)
        for name, dtype, offset, count in header["arrays"]
    }
    return Container(arrays, header["about"], digest)


def _checked(view: memoryview, file: str) -> str:
    """Return the digest of a file whose magic, format, size and digest are what they should be."""
    if len(view) < _HEAD.size or bytes(view[: len(MAGIC)]) != MAGIC:
        raise _broken(file, "not a lexicon file")
    _, version, size, digest = _HEAD.unpack_from(view)
    if version != FORMAT:
        raise _broken(file, f"lexicon format {version}, where this version reads format {FORMAT}")
    if size != len(view):
        raise _broken(file, f"holds {len(view):,} bytes where its first lines promise {size:,}")
    content_digest = hashlib.sha256()
    for part in _blocks(view[_HEAD.size :]):
        content_digest.update(part)
    if content_digest.digest() != digest:
        raise _broken(file, "damaged: its checksum does not fit its content")
    return str(digest.hex())


def _blocks(view: memoryview) -> Iterator[memoryview]:
    """Yield a view in blocks, and let go of what was read where it is mapped: memory is for what is looked up."""
    mapped: object = view.obj
    while isinstance(mapped, np.ndarray) and mapped.base is not None:
        mapped = mapped.base
    for start in range(0, len(view), BLOCK):
        yield view[start : start + BLOCK]
        if isinstance(mapped, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            mapped.madvise(mmap.MADV_DONTNEED)


def _broken(file: str, what: str) -> TouchstoneError:
    return TouchstoneError(
        what, file=file, code=Code.UNREADABLE, hint="install the package again, or build the file again"
    )


def _padded(raw: bytes, start: int) -> bytes:
    return raw + bytes(_gap(start + len(raw)))


def _gap(offset: int) -> int:
    return -offset % ALIGNMENT
