"""Plain text: a file for each reference and for each system, a segment to a line, the same lines in all of them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from touchstone.core.errors import Fault, TouchstoneError
from touchstone.io.text import STDIN, Source
from touchstone.tasks.mt.formats.cleaning import cleaned
from touchstone.tasks.mt.formats.lines import fits_a_line, read_lines
from touchstone.tasks.mt.inputs import Reading

SUFFIXES = (".en", ".txt")
"""Endings that say what a file holds, not which system wrote it."""


@dataclass(frozen=True)
class TextFile:
    """A file that was read: its segments, where they came from, and what is worth saying of them."""

    segments: Sequence[str]
    source: Source
    notes: Sequence[str]


def read_text_file(path: str | Path, reading: Reading) -> TextFile:
    """Return the segments of a file, as *reading* wants them."""
    lines, source, notes = read_lines(path, reading.encoding)
    segments, changes = cleaned(lines, reading, _short(path))
    return TextFile(segments, source, [*notes, *changes])


def system_files(paths: Sequence[str | Path], named: Mapping[str, str | Path]) -> dict[str, Path]:
    """Return the file of each system by the system's name.

    In a folder a file is called as its system is. A file given singly loses an ending such as .en, unless two
    systems would then have one name.
    """
    inside, single = [], []
    for path in map(Path, paths):
        if path.is_dir():
            inside += _inside(path)
        else:
            single.append(path)
    shown = [*named, *(path.name for path in inside)]
    bare = [_bare(path) for path in single]
    if len({*shown, *bare}) < len(shown) + len(bare):
        bare = [path.name for path in single]
    names = [*shown, *bare]
    files = [*map(Path, named.values()), *inside, *single]
    _check_names(names, files)
    return dict(zip(names, files, strict=True))


def check_apart(references: Sequence[str | Path], systems: Mapping[str, Path]) -> None:
    """Refuse a reference that is given as a system too: it would score as a perfect one."""
    taken = {Path(path).resolve() for path in references if str(path) != STDIN}
    for path in systems.values():
        if path.resolve() in taken:
            raise TouchstoneError("this file is a reference and a system", file=str(path), hint="leave one of them out")


def check_lengths(files: Sequence[TextFile]) -> None:
    """Refuse files with unlike numbers of lines; every file is named with its own."""
    counts = Counter(len(file.segments) for file in files)
    if len(counts) <= 1 and 0 not in counts:
        return
    usual = counts.most_common(1)[0][0]
    odd = [file for file in files if len(file.segments) != usual] or files
    faults = [Fault(f"{len(file.segments):,} lines where others have {usual:,}", file.source.name) for file in odd]
    if len(counts) == 1:
        faults = [Fault("is empty", file.source.name) for file in files]
    listed = "\n   ".join(f"{len(file.segments):>9,} {file.source.name}" for file in files)
    raise TouchstoneError.of(
        faults, f"line n of a system translates line n of the references; lines of all files:\n   {listed}"
    )


def _inside(folder: Path) -> list[Path]:
    found = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    deeper = next((path for path in found if path.is_dir()), None)
    if deeper is not None:
        raise TouchstoneError(
            "holds a folder, not only files", file=str(folder), value=deeper.name, hint="give that folder"
        )
    if not found:
        raise TouchstoneError("is an empty folder", file=str(folder), hint="give a folder with a file for each system")
    return found


def _bare(path: Path) -> str:
    name = "stdin" if str(path) == STDIN else path.name.removesuffix(".gz")
    return next((name.removesuffix(suffix) for suffix in SUFFIXES if name.removesuffix(suffix) not in ("", name)), name)


def _check_names(names: Sequence[str], files: Sequence[Path]) -> None:
    if not names:
        raise TouchstoneError("no system to score", hint="give at least one file of translations")
    strange = next((name for name in names if not fits_a_line(name)), None)
    if strange is not None:
        hint = "name it otherwise: --sys NAME=FILE"
        raise TouchstoneError("a system has a name with a control character", value=strange, hint=hint)
    twice = next((name for name, times in Counter(names).items() if times > 1), None)
    if twice is not None:
        where = ", ".join(str(path) for name, path in zip(names, files, strict=True) if name == twice)
        raise TouchstoneError(
            f"two systems have the same name ({where})", value=twice, hint="name them: --sys NAME=FILE"
        )


def _short(path: str | Path) -> str:
    return "stdin" if str(path) == STDIN else Path(path).name
