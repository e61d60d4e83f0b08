"""Parquet and Arrow files, and Arrow tables in memory."""

import json

import pyarrow as pa

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, incomplete
from touchstone.base.files import Source
from touchstone.io.formats import Format, Reading
from touchstone.io.tables import TableFile, check_column_names, make_table


def read_parquet(raw: bytes, reading: Reading) -> TableFile:
    """Return the table of a Parquet file."""
    from pyarrow import parquet

    try:
        table = parquet.read_table(pa.BufferReader(raw))
    except MemoryError:
        raise
    except (pa.ArrowException, OSError):
        raise incomplete("Parquet file", reading.source.name) from None
    return arrow_table(table, reading.source)


def read_arrow(raw: bytes, reading: Reading) -> TableFile:
    """Return the table of an Arrow file or stream."""
    try:
        buffer = pa.BufferReader(raw)
        opened = pa.ipc.open_file(buffer) if raw.startswith(b"ARROW1") else pa.ipc.open_stream(buffer)
        table = opened.read_all()
        table.validate(full=True)  # a damaged file may point anywhere
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise incomplete("Arrow file", reading.source.name) from None
    return arrow_table(table, reading.source)


def arrow_table(table: pa.Table, source: Source) -> TableFile:
    """Return the columns of an Arrow table; Hugging Face keeps the names of classes in its metadata.

    Parameters
    ----------
    table, source
        The table, and where it is from.
    """
    try:
        names = table.column_names
    except UnicodeDecodeError:
        raise TouchstoneError("has a column whose name is not UTF-8", file=source.name, code=Code.UNREADABLE) from None
    check_column_names(names, source)
    try:
        columns = {name: table.column(name).to_pylist() for name in table.column_names}
        features = json.loads((table.schema.metadata or {}).get(b"huggingface", b"{}"))["info"]["features"]
        categories = {name: list(feature["names"]) for name, feature in features.items() if feature.get("names")}
    except (KeyError, TypeError, AttributeError, ValueError, pa.ArrowException) as error:
        if isinstance(error, pa.ArrowException | UnicodeDecodeError):
            what = "contains values that cannot be read"
            raise TouchstoneError(what, file=source.name, code=Code.UNREADABLE) from None
        categories = {}
    return make_table(columns, source, categories=categories)


STREAM = b"\xff\xff\xff\xff"
"""What Arrow streams begin with."""

FORMATS = [
    Format((".parquet",), read_parquet, lambda raw, _: raw.startswith(b"PAR1"), binary=True, chunks="parquet"),
    Format((".arrow", ".feather"), read_arrow, lambda raw, _: raw.startswith((b"ARROW1", STREAM)), binary=True),
]
