"""Tables from files and from Python objects, read strictly; every row keeps its line.

The content of a file tells its format (`touchstone.io.formats`), each also packed with gzip.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from touchstone.base.errors import Fault
from touchstone.base.files import Source, read_bytes
from touchstone.base.options import TableOptions
from touchstone.io.formats import Reading, binary_format, text_format
from touchstone.io.objects import table_of
from touchstone.io.schema import Field, Rows, Schema
from touchstone.io.tables import Headless, TableFile
from touchstone.io.text import decode

DEFAULT_OPTIONS = TableOptions()


def read_rows(
    data: object, schema: Schema, options: TableOptions = DEFAULT_OPTIONS, *, name: str = "the table"
) -> Rows:
    """Read a table by its schema; what is wrong with single rows stays with them, for `Rows.check` to refuse.

    Parameters
    ----------
    data
        As in `read_table`.
    schema
        The fields of the table.
    options
        Which columns the user chose, and the encoding of text files.
    name
        What messages call a Python object.
    """
    if isinstance(data, str | Path):
        laid_out = (layout(Path(data), options.encoding) for layout in schema.layouts)
        table = next((table for table in laid_out if table is not None), None)
        if table is not None:
            return schema.bind(table, options.column)
        raw, source = read_bytes(data)
        return parse_rows(raw, source, schema, options)
    table = table_of(data, name=name, value=schema.value, roles=schema.fields)
    return schema.bind(table, options.column)


def parse_rows(raw: bytes, source: Source, schema: Schema, options: TableOptions = DEFAULT_OPTIONS) -> Rows:
    """Return the rows in the bytes of a file.

    Parameters
    ----------
    raw, source
        The bytes, and the file that they are from.
    schema, options
        As in `read_rows`.
    """
    faults: list[Fault] = []
    table = parse_table(
        raw,
        source,
        options.encoding,
        value=schema.value,
        roles=schema.fields,
        headless=schema.headless,
        faults=faults,
    )
    return schema.bind(table, options.column, faults)


def read_table(
    data: object,
    encoding: str = "utf-8",
    *,
    name: str = "the table",
    value: str = "value",
    roles: Sequence[Field] = (),
    headless: Headless | None = None,
    faults: list[Fault] | None = None,
) -> TableFile:
    """Read a table; refuse unnamed and repeated columns, and rows with too many or too few cells.

    Parameters
    ----------
    data
        A path (``-`` is standard input), or a Python object: `table_of` says which.
    encoding
        The encoding of text files.
    name
        What messages call a Python object.
    value
        The column of a list of values, or of a mapping from ids to values.
    roles
        The columns that the task knows; a mapping from such names to lists holds columns, else its keys are ids.
    headless
        Recognises text files without a header.
    faults
        Takes the faults of single rows, which are then left out; without it they refuse the table.
    """
    if isinstance(data, str | Path):
        raw, source = read_bytes(data)
        return parse_table(raw, source, encoding, value=value, roles=roles, headless=headless, faults=faults)
    return table_of(data, name=name, value=value, roles=roles)


def parse_table(
    raw: bytes,
    source: Source,
    encoding: str = "utf-8",
    *,
    value: str = "value",
    roles: Sequence[Field] = (),
    headless: Headless | None = None,
    faults: list[Fault] | None = None,
) -> TableFile:
    """Return the table in the bytes of a file.

    Parameters
    ----------
    raw, source
        The bytes, and the file that they are from.
    encoding, value, roles, headless, faults
        As in `read_table`, which says what is refused.
    """
    reading = Reading(replace(source, encoding=encoding), value, roles, headless, faults)
    binary = binary_format(raw, reading.suffix)
    if binary is not None:
        return binary.read(raw, replace(reading, source=source))
    text = decode(raw, source.name, encoding)
    return text_format(text, reading.suffix).read(text, reading)
