"""Result files of other evaluation tools, read as tables of items; a file is recognised by what it holds.

Each tool is a module of this package, which is found by being there and has a `TOOL`. The system is the model that a
file names, the item is the sample, and every score of a sample is a column.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import NamedTuple

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import PACKED, STDIN, Source, read_bytes
from touchstone.base.options import TableOptions
from touchstone.io.formats import binary_format, suffix_of
from touchstone.io.jsonl import Json, parse_json
from touchstone.io.reading import read_rows
from touchstone.io.runs import RunFiles
from touchstone.io.schema import Rows, Schema
from touchstone.io.text import decode, lines
from touchstone.tasks.items.logs import Log, log_tables


@dataclass(frozen=True)
class ToolFile:
    """A file that may be one of a tool.

    Parameters
    ----------
    raw, source
        Its bytes, and the file.
    encoding
        The encoding of text.
    system
        What its system is called where the file does not say it.
    """

    raw: bytes
    source: Source
    encoding: str
    system: str

    @property
    def binary(self) -> bool:
        """Whether it is no text."""
        packed = self.raw.startswith(b"PK") or self.source.name.endswith(".eval")
        return packed or binary_format(self.raw, suffix_of(self.source.name)) is not None

    @cached_property
    def text(self) -> str:
        """Its text, empty where it is binary."""
        return "" if self.binary else decode(self.raw, self.source.name, self.encoding)

    @cached_property
    def first(self) -> Json:
        """The JSON value on its first line, None if there is none."""
        return self._parsed(*next(lines(self.text))) if self.text.strip() else None

    @cached_property
    def value(self) -> Json:
        """Its JSON value; None if it is none, or has one on each line."""
        several = self.text.strip().count("\n") > 0
        return None if several and self.first is not None else self._parsed(1, self.text)

    def _parsed(self, line: int, text: str) -> Json:
        try:
            return parse_json(text, file=self.source.name, line=line)
        except TouchstoneError:
            return None


class Tool(NamedTuple):
    """A tool whose files are read.

    Parameters
    ----------
    recognise
        Whether a file is one of the tool.
    read
        Returns the logs of the systems in a file; none where it has no values of samples.
    begins
        What its files begin with, so that other tables are not read twice; by default what JSON does.
    """

    recognise: Callable[[ToolFile], bool]
    read: Callable[[ToolFile], list[Log]]
    begins: tuple[bytes, ...] = (b"{", b"[")


@cache
def all_tools() -> tuple[Tool, ...]:
    """Return the tools of all modules of this package."""
    return tuple(import_module(f"{__name__}.{module.name}").TOOL for module in iter_modules(__path__))


def read_files(runs: Sequence[RunFiles], schema: Schema, options: TableOptions) -> list[tuple[str, Rows]]:
    """Return the table of each file with the name of its system; files of known tools become long tables.

    Parameters
    ----------
    runs
        The files, with the names of their systems where the user gave them.
    schema, options
        The fields of tables, and which columns the user chose for them.
    """
    read: list[tuple[str, Rows | list[Log]]] = []
    for files in runs:
        logs = [_read_logs(path, files, options.encoding) for path in files.paths]
        if None in logs:
            read.append((files.name, read_rows(files.path, schema, options)))
        else:
            read += [(files.name, contents) for contents in logs if contents]
    if not read:
        what = "holds no values of samples, only of whole evaluations"
        hint = "give logs of inspect_ai, or the files samples_TASK_DATE.jsonl that lm_eval --log_samples writes"
        raise TouchstoneError(what, file=str(runs[0].paths[0]), code=Code.UNSUPPORTED, hint=hint)
    tables = iter(log_tables([contents for _, contents in read if isinstance(contents, list)]))
    return [
        (name, schema.bind(next(tables), options.column) if isinstance(contents, list) else contents)
        for name, contents in read
    ]


def _read_logs(path: str | Path, files: RunFiles, encoding: str) -> list[Log] | None:
    """Return what a file of a known tool holds; None for other files, an empty list for results without samples."""
    if not _may_be_log(path):
        return None
    file = ToolFile(*read_bytes(path), encoding, files.name)
    tool = next((tool for tool in all_tools() if tool.recognise(file)), None)
    logs = None if tool is None else tool.read(file)
    if not files.named or not logs:
        return logs
    if len(logs) > 1:
        what = "holds several systems, so that it cannot have one name"
        raise TouchstoneError(what, file=file.source.name, code=Code.UNSUPPORTED)
    return [replace(log, system=files.name, named=True) for log in logs]


def _may_be_log(path: str | Path) -> bool:
    """Return whether the first bytes of a file could be those of a log, so that tables are not read twice."""
    if str(path) == STDIN or str(path).endswith((".eval", PACKED)):
        return True
    try:
        if not Path(path).is_file():  # a pipe can be read but once
            return False
        with Path(path).open("rb") as stream:
            head = stream.read(1000).removeprefix(b"\xef\xbb\xbf").lstrip()
    except (OSError, ValueError):
        return False  # the reader of tables says why
    return any(head.startswith(tool.begins) for tool in all_tools())
