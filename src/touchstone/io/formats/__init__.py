"""Formats of tables, each in a module of this package, which is found by being there: its `FORMATS` lists them.

The content of a file tells its format, the first bytes of a binary file or the beginning of a text; its suffix decides
where the content leaves it open.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, Literal, NamedTuple

from touchstone.base.errors import Fault
from touchstone.base.files import Source, unpacked_name
from touchstone.io.schema import Field
from touchstone.io.tables import Headless, TableFile

Chunks = Literal["parquet", "jsonl"]

TEXT_SUFFIXES = ("", ".txt")
"""The suffixes of plain text, such as one with an item on each line, in all tasks."""


@dataclass(frozen=True)
class Reading:
    """The file that is read, and how: what a format needs beside the content.

    Parameters
    ----------
    source
        The file.
    value, roles, headless, faults
        As in `touchstone.io.reading.read_table`.
    """

    source: Source
    value: str = "value"
    roles: Sequence[Field] = ()
    headless: Headless | None = None
    faults: list[Fault] | None = None

    @property
    def suffix(self) -> str:
        """The suffix of the file, without that of its packing."""
        return suffix_of(self.source.name)


class Format(NamedTuple):
    """A format of tables.

    Parameters
    ----------
    suffixes
        The suffixes of its files.
    read
        Returns the table in the content of a file: its bytes where the format is *binary*, else its text.
    recognise
        Whether a file with this content and this suffix has the format; None for the format of texts that no other one
        recognises.
    binary
        Whether the files are no text.
    chunks
        How such files are read in chunks of rows, by lines or by record batches; None if they cannot be.
    """

    suffixes: tuple[str, ...]
    read: Callable[[Any, Reading], TableFile]
    recognise: Callable[[Any, str], bool] | None
    binary: bool = False
    chunks: Chunks | None = None


@cache
def all_formats() -> tuple[Format, ...]:
    """Return the formats of all modules of this package; the one that recognises nothing is the last."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    formats: list[Format] = [each for module in modules for each in module.FORMATS]
    return tuple(sorted(formats, key=lambda each: each.recognise is None))


def binary_format(raw: bytes, suffix: str) -> Format | None:
    """Return the format of a binary file; None for text.

    Parameters
    ----------
    raw, suffix
        The bytes of the file, and its suffix.
    """
    return next(
        (each for each in all_formats() if each.binary and each.recognise and each.recognise(raw, suffix)), None
    )


def text_format(text: str, suffix: str) -> Format:
    """Return the format of a text.

    Parameters
    ----------
    text, suffix
        The content of the file, and its suffix.
    """
    texts = [each for each in all_formats() if not each.binary]
    return next(each for each in texts if each.recognise is None or each.recognise(text, suffix))


def table_suffixes() -> tuple[str, ...]:
    """Return the suffixes of all formats of tables.

    >>> {".csv", ".parquet", ".jsonl"} <= {*table_suffixes()}
    True
    """
    return tuple(suffix for each in all_formats() for suffix in each.suffixes)


def chunks_of(name: str | Path) -> Chunks | None:
    """Return how a table can be read in chunks of rows, by its suffix; None if it cannot, or is no table.

    >>> chunks_of("a.parquet"), chunks_of("b.JSONL"), chunks_of("c.csv"), chunks_of("d.jsonl.gz")
    ('parquet', 'jsonl', None, None)
    """
    suffix = Path(name).suffix.lower()
    return next((each.chunks for each in all_formats() if suffix in each.suffixes), None)


def suffix_of(name: str | Path) -> str:
    """Return the suffix of a file in small letters, without that of its packing.

    >>> suffix_of("runs/a.CSV.gz"), suffix_of("gold")
    ('.csv', '')
    """
    return Path(unpacked_name(name)).suffix.lower()


def is_table(name: str | Path, raw: bytes) -> bool:
    """Return whether a file is a table by its suffix, or a binary one by its first bytes; other texts may hold one too.

    Parameters
    ----------
    name, raw
        The name of the file, and its bytes.
    """
    suffix = suffix_of(name)
    return suffix in table_suffixes() or binary_format(raw, suffix) is not None
