"""The files of runs: ``NAME=FILE``, ``FILE`` or a folder, and what the system of each file is called."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from touchstone.base.codes import Code
from touchstone.base.errors import DISTURBING, TouchstoneError
from touchstone.base.files import STDIN, Source, unpacked_name
from touchstone.io.cells import no_column

SUFFIX = re.compile(r"\.(best|oot|mw|out|txt|xml|conllu|[a-z]{2})")
"""Endings that say what a file holds, not which system wrote it; two letters are a language."""


@dataclass(frozen=True)
class RunFiles:
    """The files that hold the run of one system, and the name of the system; *named* where the user gave the name.

    A Python object may take the place of a file. *column* is the column with the answers, where the user chose one.
    """

    name: str
    paths: tuple[Any, ...]
    named: bool = False
    column: str | None = None

    def __post_init__(self) -> None:
        if DISTURBING.search(self.name):
            what, hint = "the name of a system has a control character", "give it another name: NAME=FILE"
            raise TouchstoneError(what, value=self.name, code=Code.BAD_VALUE, hint=hint)

    @property
    def path(self) -> Any:  # noqa: ANN401 (a file or a Python object)
        """The one file, or the Python object, of the run; refuse several."""
        if len(self.paths) != 1:
            listed = " and ".join(map(str, self.paths))
            raise TouchstoneError(f"several files for one system ({listed})", value=self.name, code=Code.AMBIGUOUS)
        return self.paths[0]

    def choices(self, role: str, chosen: Sequence[str]) -> tuple[str, ...]:
        """Return the columns *chosen* for roles, ``ROLE=NAME``, where the column of this run replaces that of *role*.

        >>> RunFiles("a", ("w.csv",), column="new").choices("label", ["id=nr", "label=old"])
        ('id=nr', 'label=new')
        """
        if self.column is None:
            return tuple(chosen)
        return (*(text for text in chosen if str(text).partition("=")[0] != role), f"{role}={self.column}")

    def check_column(self, read: Iterable[Source]) -> None:
        """Refuse a column that none of the files has: readers of files without columns, such as lines, pass it over.

        Parameters
        ----------
        read
            The files that were read.
        """
        names = [name for source in read for name in source.columns]
        if self.column is None or self.column.lower() in map(str.lower, names):
            return
        raise no_column(self.column, names, str(self.path))


def run_files(runs: Iterable[str | Path], together: Sequence[str] = ()) -> list[RunFiles]:
    """Return the files of each system, in the order given.

    Each file in a folder is one system. The name of a system is NAME in ``NAME=FILE``, or the name of its file: without
    the suffix if names stay distinct, else with the suffix, else with the folder. ``FILE:COLUMN`` is a column of a
    table; the column is the name of the system.

    Parameters
    ----------
    runs
        Paths, and texts of the form ``NAME=FILE``, ``FILE:COLUMN`` or ``NAME=FILE:COLUMN``.
    together
        Suffixes of files that are one run where the rest of their paths is the same.

    Examples
    --------
    >>> [(files.name, len(files.paths)) for files in run_files(["mine=a.oot", "b.best", "b.oot"], (".best", ".oot"))]
    [('mine', 1), ('b', 2)]
    """
    files: dict[str | Path, list[str | Path]] = {}  # by the name given, or by the path without the suffix of its kind
    columns: dict[str | Path, str] = {}
    for text in runs:
        name, path = parse_run(text)
        path, column = split_column(path)
        if column is not None:
            name = name or (column if column not in files else f"{path.name}:{column}")
            if name in files:
                what, hint = "two systems have the same name", "name them apart: NAME=FILE"
                raise TouchstoneError(what, value=name, code=Code.DUPLICATE_NAME, hint=hint)
            columns[name] = column
        for file in _files(path):
            unpacked = Path(unpacked_name(file))
            files.setdefault(name or (unpacked.with_suffix("") if unpacked.suffix in together else file), []).append(
                file
            )
    names = _distinct_names([key for key in files if isinstance(key, Path)], [k for k in files if isinstance(k, str)])
    return [
        RunFiles(names[key], tuple(paths))
        if isinstance(key, Path)
        else RunFiles(key, tuple(paths), named=True, column=columns.get(key))
        for key, paths in files.items()
    ]


def parse_run(text: str | Path) -> tuple[str | None, Path]:
    """Return the name, or None, and the path of ``NAME=FILE`` or ``FILE``.

    A file whose own name has an equals sign is a file.

    >>> parse_run("mine=a.oot")
    ('mine', PosixPath('a.oot'))
    """
    # A file whose name holds an equals sign exists; then the text is its path and names no system.
    name, equals, path = str(text).partition("=")
    if isinstance(text, Path) or not equals or _exists(Path(text)):
        return None, Path(text)
    if not name or not path:
        raise TouchstoneError("not of the form NAME=FILE", value=text, code=Code.BAD_VALUE)
    return name, Path(path)


def split_column(path: Path) -> tuple[Path, str | None]:
    """Return the file and the column of ``FILE:COLUMN``; no column where a file has this very name.

    >>> split_column(Path("gone.csv:modelA"))
    (PosixPath('gone.csv:modelA'), None)
    """
    file, colon, column = str(path).rpartition(":")
    if not colon or not file or not column or _exists(path) or not (_exists(Path(file)) and Path(file).is_file()):
        return path, None
    return Path(file), column


def run_path(text: str | Path) -> Path:
    """Return the file of ``NAME=FILE``, ``FILE:COLUMN`` or ``FILE``, for outputs to stay off.

    >>> run_path("mine=a.oot")
    PosixPath('a.oot')
    """
    try:
        return split_column(parse_run(text)[1])[0]
    except TouchstoneError:
        return Path(text)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that no file can have: reading will say it
        return False


def _files(path: Path) -> Iterator[Path]:
    if not _exists(path) or not path.is_dir():
        yield path
        return
    inside = sorted(file for file in path.iterdir() if not file.name.startswith("."))
    folder = next((file for file in inside if file.is_dir()), None)
    if folder is not None:
        hint = "give that folder"
        raise TouchstoneError("contains a folder", file=str(path), value=folder.name, code=Code.NO_FILE, hint=hint)
    if not inside:
        hint = "give a folder with a file for each system"
        raise TouchstoneError("is an empty folder", file=str(path), code=Code.EMPTY, hint=hint)
    yield from inside


def _distinct_names(paths: Sequence[Path], taken: Sequence[str]) -> dict[Path, str]:
    """Return a name for each unnamed system: the shortest of three forms that keeps all of them apart."""
    forms: tuple[Callable[[Path], str], ...] = (
        lambda path: _without_suffix(path.name),
        lambda path: "stdin" if str(path) == STDIN else path.name,
        lambda path: f"{path.parent.name}/{path.name}" if path.parent.name else path.name,
    )
    for form in forms:
        names = [form(path) for path in paths]
        if max(Counter([*names, *taken]).values(), default=0) <= 1:
            break
    return dict(zip(paths, names, strict=True))


def _without_suffix(name: str) -> str:
    if name == STDIN:
        return "stdin"
    from touchstone.io.formats import table_suffixes  # which takes time that help does not need

    unpacked = unpacked_name(name)
    suffix = Path(unpacked).suffix
    return unpacked.removesuffix(suffix) if suffix.lower() in table_suffixes() or SUFFIX.fullmatch(suffix) else unpacked
