"""Segments of a file, one per line, read as they are needed: memory is bounded by a line, not by the file."""

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from touchstone.core.errors import TouchstoneError
from touchstone.io.text import STDIN, read_bytes

LONGEST_LINE = 10_000_000
"""Bytes. No segment is longer; a file without line ends is no file of segments."""


def read_segments(path: str | Path) -> Iterator[str]:
    """Yield the lines of a file (``-`` is standard input; ``.gz`` is unpacked), blank ones too, strictly decoded."""
    name = "stdin" if str(path) == STDIN else str(path)
    with _opened(path) as file:
        try:
            number = 0
            while line := file.readline(LONGEST_LINE):
                number += 1
                yield _segment(line, name, number)
        except (OSError, EOFError, zlib.error):
            raise TouchstoneError("is not a whole gzip file", file=name) from None


def _segment(line: bytes, name: str, number: int) -> str:
    if len(line) >= LONGEST_LINE:
        raise TouchstoneError(
            f"a line of {LONGEST_LINE:,} bytes or more", file=name, line=number, hint="give one segment per line"
        )
    try:
        text = line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise TouchstoneError(
            f"byte {error.start} of the line is not utf-8 (0x{line[error.start]:02x})",
            file=name,
            line=number,
            hint="convert the file to UTF-8",
        ) from None
    return text.removesuffix("\n").removesuffix("\r")


@contextmanager
def _opened(path: str | Path) -> Iterator[BinaryIO]:
    if str(path) == STDIN:
        yield sys.stdin.buffer
        return
    opening = gzip.open if str(path).endswith(".gz") else open
    try:
        with cast("BinaryIO", opening(path, "rb")) as file:
            yield file
    except (FileNotFoundError, IsADirectoryError, PermissionError):
        # The reader of whole files has a sentence for everything that can be wrong with a path.
        read_bytes(path)
        raise
