"""Uploaded files for the readers of the tasks: unpacked, as paths, and without what is no data."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath

from touchstone.annotate.tasks.base import Task, Upload
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import PACKED, read_bytes, unpacked_name

LISTED = 5
"""How many files a note names."""

LONGEST_PART = 200
"""Bytes of a file's or folder's name."""


def data_files(task: Task, files: Sequence[Upload]) -> tuple[list[Upload], list[str]]:
    """Return the unpacked data files, and a note on what else is in an uploaded folder.

    Parameters
    ----------
    task
        Knows the suffixes of its data files.
    files
        The uploaded files; the name of one that comes with its folder has a slash.
    """
    data, skipped = list[Upload](), list[str]()
    for file in files:
        if "/" not in file.name or is_data(task, file.name):
            data.append(file)
        else:
            skipped.append(file.name)
    packed = [file for file in data if file.name.endswith(PACKED)]
    unpacked = {}
    with as_paths(packed) as paths:
        for file, path in zip(packed, paths, strict=True):
            unpacked[file.name] = replace(file, name=unpacked_name(file.name), content=read_bytes(path)[0])
    return [unpacked.get(file.name, file) for file in data], left_out(skipped, "no data of this task")


def is_data(task: Task, name: str) -> bool:
    """Return whether a file in a folder may be data, by its name."""
    path = PurePosixPath(unpacked_name(name))
    return not path.name.startswith(".") and task.is_data(path)


def left_out(names: Sequence[str], reason: str) -> list[str]:
    """Return a note on files that were not imported, in a list; none if there are none.

    >>> left_out(["a.md", "b.py"], "no data of this task")
    ['2 files are not imported (no data of this task): a.md, b.py']
    """
    if not names:
        return []
    listed = ", ".join(names[:LISTED]) + (", …" if len(names) > LISTED else "")
    count = "1 file is" if len(names) == 1 else f"{len(names):,} files are"
    return [f"{count} not imported ({reason}): {listed}"]


@contextmanager
def as_paths(files: Sequence[Upload]) -> Iterator[list[Path]]:
    """Give the files as paths under a folder of their own; errors name them as they were uploaded."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        try:
            yield [_written(root, file) for file in files]
        except TouchstoneError as error:
            where = f"{root}/"
            faults = [replace(fault, file=fault.file and fault.file.removeprefix(where)) for fault in error.faults]
            raise TouchstoneError.of(faults, error.hint and error.hint.replace(where, "")) from None


def _written(root: Path, file: Upload) -> Path:
    parts = [part for part in PurePosixPath(file.name.replace("\\", "/")).parts if part not in ("/", "..", ".")]
    path = root.joinpath(*parts)
    if not parts or any(len(part.encode()) > LONGEST_PART for part in parts):
        raise TouchstoneError("this name cannot be the name of a file", value=file.name, code=Code.BAD_VALUE)
    if path.exists():
        raise TouchstoneError(
            "two files have the same name", value=file.name, code=Code.DUPLICATE_NAME, hint="give each its own name"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(file.content)
    return path
