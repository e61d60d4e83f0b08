"""The bytes of a file, unpacked where they are packed, with their digest: what signatures and readers start from."""

import gzip
import hashlib
import sys
import zlib
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, incomplete, nearest
from touchstone.base.spelling import setting

STDIN = "-"
UTF8 = "utf-8"
GZIP = b"\x1f\x8b"

PACKED = ".gz"
"""The last suffix of files that are packed with gzip."""

SUSPICIOUS, DENSEST = 1 << 25, 200
"""Bytes from which a packed file is checked, and how many times smaller than its content it may be."""


@dataclass(frozen=True)
class Source:
    """A file that was read: its name for messages, its digest for signatures, its path to find it again."""

    name: str
    digest: str
    path: Path | None = field(default=None, compare=False)
    encoding: str = UTF8
    columns: tuple[str, ...] = field(default=(), compare=False)
    """The names of the columns, where it is a table."""

    @property
    def stem(self) -> str:
        """The file's name without folders and suffix: what a system is called if nobody named it."""
        return Path(unpacked_name(self.name)).stem

    def __str__(self) -> str:
        read_as = "" if self.encoding == UTF8 else f" as {self.encoding}"
        digest = f"#{self.digest[:12]}" if self.digest else ""  # an object in Python has none
        return f"{Path(self.name).name}{digest}{read_as}"


def unpacked_name(name: str | Path) -> str:
    """Return the name of a file without the suffix of its packing.

    >>> unpacked_name("runs/a.csv.gz"), unpacked_name("gold.xml")
    ('runs/a.csv', 'gold.xml')
    """
    return str(name).removesuffix(PACKED)


def read_bytes(path: str | Path) -> tuple[bytes, Source]:
    """Return the bytes of a file, unpacked where gzip packed them, and their source; ``-`` is standard input."""
    name = str(path).encode(UTF8, "backslashreplace").decode()  # a file's name need not be text
    if name == STDIN:
        raw = _read_all(sys.stdin.buffer)
        raw = _unpacked(raw, "stdin") if raw.startswith(GZIP) else raw
        return raw, Source("stdin", _digest(raw))
    try:
        raw = Path(path).read_bytes()
    except FileNotFoundError:
        near, hint = _neighbour(Path(path)), _column_hint(name)
        raise TouchstoneError("no such file", file=name, near=near, code=Code.NO_FILE, hint=hint, kind="file") from None
    except IsADirectoryError:
        hint = "give one of the files in it"
        raise TouchstoneError("is a folder, not a file", file=name, code=Code.NO_FILE, hint=hint) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise TouchstoneError(f"cannot be read ({reason.lower()})", file=name, code=Code.UNREADABLE) from None
    # By either sign: a packed file may have lost its suffix, and a file that only has the suffix is refused.
    if raw.startswith(GZIP) or name.endswith(PACKED):
        raw = _unpacked(raw, name)
    return raw, Source(name, _digest(raw), Path(path))


@lru_cache(maxsize=1)
def _read_all(stream: BinaryIO) -> bytes:
    """Return all of a stream, which can be read but once."""
    return stream.read()


def _digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def _unpacked(raw: bytes, name: str) -> bytes:
    content = bytearray()
    try:
        with gzip.GzipFile(fileobj=BytesIO(raw)) as packed:
            while part := packed.read(1 << 24):
                content += part
                if len(content) > SUSPICIOUS and len(content) > DENSEST * len(raw):
                    break
            else:
                return bytes(content)
    except (OSError, EOFError, zlib.error):
        raise incomplete("gzip file", name) from None
    what = f"unpacks to more than {DENSEST} times its size, which text never does"
    raise TouchstoneError(what, file=name, code=Code.TOO_LARGE, hint="decompress it yourself if this is intended")


def _column_hint(name: str) -> str | None:
    """Return how to choose a column of a file that is not a run, where *name* is ``FILE:COLUMN``."""
    file, _, column = name.rpartition(":")
    if not (column and Path(file).is_file()):
        return None
    return f"only a run may be FILE:COLUMN; choose a column of {file} with {setting('column', f'ROLE={column}')}"


def _neighbour(path: Path) -> str | None:
    try:
        return nearest(path.name, sorted(p.name for p in path.parent.iterdir()))
    except OSError:
        return None
