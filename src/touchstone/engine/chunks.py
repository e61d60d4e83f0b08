"""Large files in chunks of rows: Parquet, JSON lines, and plain text with one item per line.

A file is scanned once: its rows are counted and its bytes digested in blocks, so that every chunk has a digest of its
content. Then chunks are read in order, each as bytes that another process can take apart.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, incomplete
from touchstone.base.files import PACKED, Source
from touchstone.base.ragged import Ints
from touchstone.io.formats import Chunks, chunks_of, table_suffixes
from touchstone.io.objects import table_of
from touchstone.io.reading import parse_table
from touchstone.io.tables import TableFile
from touchstone.io.text import decode

BLOCK = 1000
"""Rows of text that are digested together; chunks begin at multiples of it."""

READ = 1 << 24
"""Bytes of a text file that are looked at together."""

Kind = Chunks | Literal["lines"]


@dataclass(frozen=True)
class Chunk:
    """Some rows of a file as bytes: *first* is the row at which they begin, counted from 0."""

    file: str
    kind: Kind
    raw: bytes
    first: int
    rows: int

    def table(self, column: str | None, encoding: str) -> TableFile:
        """Return the rows as a table, with their lines in the file.

        Parameters
        ----------
        column
            The column that the lines of plain text stand for.
        encoding
            The encoding of text.
        """
        source = Source(self.file, "", encoding=encoding)
        numbers = range(self.first + 1, self.first + self.rows + 1)
        if self.kind == "parquet":
            table = table_of(pa.ipc.open_stream(self.raw).read_all(), name=self.file)
            return replace(table, source=replace(source, columns=tuple(table.columns)), lines=numbers)
        try:
            if self.kind == "jsonl":
                table = parse_table(self.raw, Source(f"{self.file}.jsonl", ""), encoding)
            else:
                table = table_of({str(column): self._lines(encoding)}, roles=(), value=str(column))
        except TouchstoneError as error:
            moved = [replace(fault, file=self.file, line=self._line(fault.line)) for fault in error.faults]
            raise TouchstoneError.of(moved, error.hint) from None
        if len(table) != self.rows:
            blank = f"{self.rows - len(table):,} blank lines among the rows from line {self.first + 1:,} on"
            hint = "every line of a file that is read in shards is a row"
            raise TouchstoneError(blank, file=self.file, code=Code.BAD_CELL, hint=hint)
        return replace(table, source=replace(source, columns=tuple(table.columns)), lines=numbers)

    def _lines(self, encoding: str) -> list[str]:
        text = decode(self.raw, self.file, encoding) if self.raw.strip() else self.raw.decode(encoding)
        return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]

    def _line(self, line: int | str | None) -> int | str | None:
        return line + self.first if isinstance(line, int) else line


@dataclass(frozen=True)
class FileScan:
    """A file that was scanned: how many rows it has, and the digests of its parts.

    *ends* are the rows at which the parts end; *offsets* are the bytes at which parts of text begin.
    """

    path: Path
    kind: Kind
    ends: Ints
    digests: Sequence[bytes]
    offsets: Sequence[int] = ()
    schema: str = ""

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.ends[-1]) if len(self.ends) else 0

    @property
    def digest(self) -> str:
        """The digest of the whole content."""
        return hashlib.sha256(b"".join([self.schema.encode(), *self.digests])).hexdigest()

    def digest_of(self, rows: range) -> str:
        """Return the digest of some rows: of the parts that hold them, and their places in these."""
        # The rows of a shard may begin and end inside a part: its digest counts with the places of the rows in it, so a
        # change anywhere in the part makes another shard, never the same key for other rows.
        digest = hashlib.sha256(self.schema.encode())
        first = int(np.searchsorted(self.ends, rows.start, side="right"))
        begin = int(self.ends[first - 1]) if first else 0
        for index in range(first, int(np.searchsorted(self.ends, rows.stop, side="left")) + 1):
            end = int(self.ends[index])
            digest.update(self.digests[index])
            digest.update(f"{max(rows.start - begin, 0)}-{min(rows.stop, end) - begin}".encode())
            begin = end
        return digest.hexdigest()

    def chunks(self, row_ranges: Iterable[range]) -> Iterator[Chunk]:
        """Yield the chunks of rows in these ranges, which must be in order."""
        read = self._parquet_chunks if self.kind == "parquet" else self._text_chunks
        try:
            yield from read(row_ranges)
        except MemoryError:
            raise
        except (pa.ArrowException, OSError) as error:
            raise _unreadable(self.path, error) from None

    def _text_chunks(self, row_ranges: Iterable[range]) -> Iterator[Chunk]:
        with self.path.open("rb") as file:
            for rows in row_ranges:
                # Shards of text begin at multiples of `BLOCK`, where a part begins.
                start = self.offsets[rows.start // BLOCK]
                stop = self.offsets[-(-rows.stop // BLOCK)]
                file.seek(start)
                yield Chunk(str(self.path), self.kind, file.read(stop - start), rows.start, len(rows))

    def _parquet_chunks(self, row_ranges: Iterable[range]) -> Iterator[Chunk]:
        # A row group may hold a million rows: it is read page by page, and only the rows of the ranges are kept.
        batches = _Batches(self.path, self.ends)
        for rows in row_ranges:
            table = pa.Table.from_batches(batches.take(rows))
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, table.schema) as stream:
                stream.write_table(table)
            yield Chunk(str(self.path), self.kind, sink.getvalue().to_pybytes(), rows.start, len(rows))


class _Batches:
    """The rows of a Parquet file in order; row groups without a row that is asked for are passed over."""

    def __init__(self, path: Path, ends: Ints) -> None:
        self.file = parquet.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False)
        self.ends = ends
        self.stream: Iterator[Any] = iter(())
        self.batch: Any = None
        self.at = 0  # the row after those that were read
        self.limit = 0  # the row at which the open row groups end

    def take(self, rows: range) -> list[Any]:
        """Return the record batches of some rows, which come after all that were taken before."""
        batches = []
        at = rows.start
        while at < rows.stop:
            batch, first = self._batch_with(at)
            part = batch.slice(at - first, rows.stop - at)
            batches.append(part)
            at += part.num_rows
        return batches

    def _batch_with(self, row: int) -> tuple[Any, int]:
        """Return the batch that holds a row, and its first row."""
        if row >= self.limit:
            group = int(np.searchsorted(self.ends, row, side="right"))
            self.at = int(self.ends[group - 1]) if group else 0
            self.limit = int(self.ends[-1])
            groups = list(range(group, len(self.ends)))
            self.stream = self.file.iter_batches(batch_size=BLOCK * 16, row_groups=groups, use_threads=False)
        while self.at <= row:
            group = int(np.searchsorted(self.ends, self.at, side="right"))
            if self.at == (self.ends[group - 1] if group else 0) and row >= self.ends[group]:
                self.limit = 0  # a whole row group can be passed over
                return self._batch_with(row)
            self.batch = next(self.stream)
            self.at += self.batch.num_rows
        return self.batch, self.at - self.batch.num_rows


def file_kind(path: Path) -> Kind | None:
    """Return how a file is read in chunks, by its name; None if it is not.

    >>> file_kind(Path("a.parquet")), file_kind(Path("ref.en")), file_kind(Path("a.csv"))
    ('parquet', 'lines', None)
    """
    suffix = path.suffix.lower()
    return chunks_of(path) or (None if suffix in (PACKED, *table_suffixes()) else "lines")


def scan(path: Path) -> FileScan:
    """Return the scan of a file: one pass over its bytes."""
    kind = file_kind(path)
    assert kind is not None
    try:
        file_scan = _scan_parquet(path) if kind == "parquet" else _scan_text(path, kind)
    except FileNotFoundError:
        raise TouchstoneError("no such file", file=str(path), code=Code.NO_FILE) from None
    except MemoryError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from None
    if not file_scan.rows:
        raise TouchstoneError("has no rows", file=str(path), code=Code.EMPTY)
    return file_scan


def _unreadable(path: Path, error: Exception) -> TouchstoneError:
    if isinstance(error, OSError) and error.strerror:
        return TouchstoneError(f"cannot be read ({error.strerror.lower()})", file=str(path), code=Code.UNREADABLE)
    return incomplete("Parquet file", str(path), "write it again, or leave it out")


def _scan_parquet(path: Path) -> FileScan:
    """Return the scan of a Parquet file, whose parts are its row groups."""
    meta = parquet.read_metadata(path)
    ends, digests = [], []
    row = 0
    with path.open("rb") as file:
        for index in range(meta.num_row_groups):
            group = meta.row_group(index)
            row += group.num_rows
            ends.append(row)
            digests.append(_group_digest(file, group))
    return FileScan(path, "parquet", np.array(ends, np.int64), digests, schema=str(meta.schema.to_arrow_schema()))


def _group_digest(file: Any, group: Any) -> bytes:  # noqa: ANN401 (a binary file and Parquet's metadata)
    """Return the digest of the bytes of a row group's columns."""
    digest = hashlib.sha256()
    for index in range(group.num_columns):
        column = group.column(index)
        offsets = (column.dictionary_page_offset, column.data_page_offset)
        file.seek(min(offset for offset in offsets if offset))
        left = column.total_compressed_size
        while left > 0:
            block = file.read(min(left, READ))
            if not block:
                raise pa.ArrowInvalid("ends early")
            digest.update(block)
            left -= len(block)
    return digest.digest()


def _scan_text(path: Path, kind: Kind) -> FileScan:
    """Return the scan of a file of lines, whose parts are blocks of lines."""
    offsets, digests, ends = [0], [], []
    row = at = 0
    ended = True
    part = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(READ):
            # Of all line feeds only those that end a block of lines are needed; the first of them fills the open part.
            breaks = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
            begin = 0
            for index in breaks[BLOCK - row % BLOCK - 1 :: BLOCK].tolist():
                part.update(block[begin : index + 1])
                digests.append(part.digest())
                part, begin = hashlib.sha256(), index + 1
                offsets.append(at + begin)
                ends.append(BLOCK * len(digests))
            part.update(block[begin:])
            row, at, ended = row + len(breaks), at + len(block), block.endswith(b"\n")
    row += not ended
    if row > BLOCK * len(digests):
        offsets.append(at)
        digests.append(part.digest())
        ends.append(row)
    return FileScan(path, kind, np.array(ends, np.int64), digests, offsets)
