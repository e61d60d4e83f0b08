"""Text files, read strictly: what cannot be read is refused with a sentence that names the place."""

import codecs
import gzip
import hashlib
import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import DENSEST, GZIP, PACKED, STDIN, SUSPICIOUS, UTF8, Source, read_bytes
from touchstone.base.spelling import setting

_LONE_CR = re.compile(r"\r(?!\n|\Z)")
WESTERN = ("iso8859-1", "iso8859-15", "cp1252")
"""Encodings of one byte in which a text that is also valid UTF-8 makes no sense, unless it is ASCII."""

BINARY = {
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"PK\x03\x04": "a zip file",
    b"%PDF": "a PDF file",
    b"SQLite format 3": "an SQLite database",
}
"""What a file is that is no text, by its first bytes."""


def read_text(path: str | Path, encoding: str = UTF8) -> tuple[str, Source]:
    """Return the text of a file, strictly decoded and without its byte-order mark, and where it came from."""
    raw, source = read_bytes(path)
    return decode(raw, source.name, encoding), replace(source, encoding=encoding)


def decode(raw: bytes, name: str, encoding: str = UTF8) -> str:
    """Return *raw* as text, or say at which byte it is not what it should be."""
    kind = next((kind for start, kind in BINARY.items() if raw.startswith(start)), None)
    if kind == "a zip file" and b"xl/" in raw:
        raise TouchstoneError("is an Excel workbook", file=name, code=Code.UNKNOWN_FORMAT, hint="save the sheet as CSV")
    if kind is not None:
        what, hint = f"is {kind}, but text is expected", "give a text file, or a table where tables are read"
        raise TouchstoneError(what, file=name, code=Code.UNKNOWN_FORMAT, hint=hint)
    mark = len(raw) - len(raw.removeprefix(codecs.BOM_UTF8))
    encoding = _marked(raw, name, encoding)
    try:
        text = raw[mark:].decode(encoding)
    except UnicodeDecodeError as error:
        offset = mark + error.start
        raise TouchstoneError(
            f"byte {offset} is not {encoding} (0x{raw[offset]:02x})",
            file=name,
            line=raw.count(b"\n", 0, offset) + 1,
            code=Code.ENCODING,
            hint=f"give the file's encoding, for example {setting('encoding', _likely(raw))}, or convert it to UTF-8",
        ) from None
    except (LookupError, ValueError):
        hint = "try utf-8 or latin-1"
        raise TouchstoneError("unknown encoding", value=encoding, code=Code.UNKNOWN_NAME, hint=hint) from None
    if not text.strip():
        raise TouchstoneError("is empty", file=name, code=Code.EMPTY)
    # Old Macintosh line ends, or a cell with a line break: either way lines would be counted wrongly.
    lone = _LONE_CR.search(text) if "\r" in text else None
    if lone:
        line = text.count("\n", 0, lone.start()) + 1
        hint = "convert the line ends to line feeds"
        raise TouchstoneError("a carriage return inside a line", file=name, line=line, code=Code.BAD_CELL, hint=hint)
    return text


def _marked(raw: bytes, name: str, encoding: str) -> str:
    """Return the encoding that the bytes tell, else the one asked for; refuse UTF-8 that is read as UTF-16.

    A byte-order mark tells it. So does valid UTF-8 where Latin-1 is asked for: a command may read files of both kinds.
    """
    # The mark of UTF-32 begins with that of UTF-16.
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and not raw.startswith(codecs.BOM_UTF32_LE):
        return "utf-16"
    wide = encoding.lower().replace("_", "-").startswith(("utf-16", "utf16"))
    if raw.startswith(codecs.BOM_UTF8):
        return UTF8 if wide else encoding
    if wide and b"\0" not in raw and _is_utf8(raw):
        hint = f"leave {setting('encoding')} out: a file in UTF-16 is recognised by its byte-order mark"
        raise TouchstoneError(f"is not {encoding}, but UTF-8", file=name, code=Code.ENCODING, hint=hint)
    return UTF8 if _is_western(encoding) and _is_utf8(raw) else encoding


def _is_western(encoding: str) -> bool:
    try:
        return codecs.lookup(encoding).name in WESTERN
    except (LookupError, ValueError):
        return False


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _likely(raw: bytes) -> str:
    """Return the encoding that a file seems to have."""
    return "utf-16" if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "latin-1"


def lines(text: str) -> Iterator[tuple[int, str]]:
    r"""Yield the lines that are not blank with their numbers; only line feeds end a line, a CR before one goes.

    >>> list(lines("a\r\n\nb"))
    [(1, 'a'), (3, 'b')]
    """
    number, start = 1, 0
    while start <= len(text):  # line by line, not split at once: a large file must not be held twice
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        line = text[start:end]
        if line and not line.isspace():
            yield number, line.removesuffix("\r")
        number, start = number + 1, end + 1


class LineStream:
    r"""The lines of a text file one after the other; the file is never in memory as a whole.

    A line is without its line feed and the carriage return before it. *source* is known when all lines have been read.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".tsv") as file:
    ...     _ = Path(file.name).write_text("a\r\nb\n")
    ...     stream = LineStream(file.name)
    ...     list(stream), stream.source.digest == read_bytes(file.name)[1].digest
    (['a', 'b'], True)
    """

    def __init__(self, path: str | Path, encoding: str = UTF8) -> None:
        self.path, self.encoding = path, encoding
        self.source = Source(str(path).encode(UTF8, "backslashreplace").decode(), "", encoding=encoding)

    def __iter__(self) -> Iterator[str]:
        try:
            yield from self._streamed()
        except _NotPlainError:
            yield from self._from_memory()

    def _from_memory(self) -> Iterator[str]:
        """Read the file as a whole: it is standard input, not in the encoding of a line, or refused with its reason."""
        text, self.source = read_text(self.path, self.encoding)
        for line in text.removesuffix("\n").split("\n"):
            yield line.removesuffix("\r")

    def _streamed(self) -> Iterator[str]:
        digest, size, first, blank = hashlib.sha256(), 0, True, True
        if str(self.path) == STDIN or not Path(self.path).is_file():
            raise _NotPlainError
        with Path(self.path).open("rb") as raw:
            packed = raw.peek(2)[:2] == GZIP
            if packed or not str(self.path).endswith(PACKED):
                stream = BufferedReader(gzip.GzipFile(fileobj=raw), 1 << 16) if packed else raw
                most = max(SUSPICIOUS, DENSEST * Path(self.path).stat().st_size) if packed else None
                for line in _stream_lines(stream):
                    digest.update(line)
                    size += len(line)
                    if most is not None and size > most:
                        raise _NotPlainError
                    text = self._line(line, first=first)
                    first, blank = False, blank and not text.strip()
                    yield text
        if blank:
            raise _NotPlainError
        self.source = replace(self.source, digest=digest.hexdigest(), path=Path(self.path))

    def _line(self, raw: bytes, *, first: bool) -> str:
        """Return a line as text; what is not plain in it is explained by a reading of the whole file."""
        if first and (raw.startswith((*BINARY, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))):
            raise _NotPlainError
        try:
            line = (raw.removeprefix(codecs.BOM_UTF8) if first else raw).decode(self.encoding)
        except (UnicodeDecodeError, LookupError):
            raise _NotPlainError from None
        line = line.removesuffix("\n").removesuffix("\r")
        if "\r" in line:
            raise _NotPlainError
        return line


class _NotPlainError(Exception):
    """A file cannot be read line by line."""


def _stream_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a stream; a damaged archive is explained by a reading of the whole file."""
    try:
        yield from stream
    except (OSError, EOFError, zlib.error):
        raise _NotPlainError from None
