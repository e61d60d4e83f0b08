"""Ids of very many items are checked in little memory: their numbers are spread over files, and each file is sorted."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Ints
from touchstone.engine.folder import Folder, Shard, content_key
from touchstone.engine.records import ShardFile
from touchstone.io.writing import write_text

SPREAD = 64
"""Files that numbers are spread over, by their highest bits."""

HELD = 1_000_000
"""Ids up to which no file is needed."""

CHECKED = "checked"
"""The file that says for which shards ids were found to be unique."""


Placed = Sequence[tuple[Folder, Shard]]
"""Shards, each with its folder."""


def check_unique(folders: Sequence[Folder]) -> None:
    """Refuse folders in which two items have the same id; ids that were checked before are not read again."""
    shards = [(folder, shard) for folder in folders for shard in folder.shards()]
    key = content_key([shard.key for _, shard in shards])
    checked = folders[0].path / CHECKED
    if checked.exists() and checked.read_text(encoding="utf-8") == key:
        return
    twice = _repeated(_numbers(shards), sum(shard.rows for _, shard in shards))
    if twice:
        _refuse(shards, twice)
    with suppress(TouchstoneError):  # a folder that may only be read is checked again
        write_text(checked, key)


def _numbers(shards: Placed) -> Iterator[Ints]:
    """Yield a number of 64 bits for each id, shard by shard; the numbers hold in this process alone."""
    for folder, shard in shards:
        # Python's own hash: fast, and different in each process, so nobody can make ids that collide.
        ids = ShardFile(folder.shard(shard.key)).items(["id"]).column(0).to_pylist()
        yield np.fromiter(map(hash, ids), np.int64, len(ids))


def _repeated(numbers: Iterator[Ints], rows: int) -> set[int]:
    """Return the numbers that occur more than once."""
    if rows <= HELD:
        return _twice(np.concatenate([np.zeros(0, np.int64), *numbers]))
    twice: set[int] = set()
    with tempfile.TemporaryDirectory() as name:
        files = [(Path(name) / str(bucket)).open("w+b") for bucket in range(SPREAD)]
        try:
            for part in numbers:
                # Equal numbers have the same highest bits and meet in one file, which fits into memory.
                buckets = (part >> 58) + SPREAD // 2
                order = np.argsort(buckets, kind="stable")
                ends = np.searchsorted(buckets[order], np.arange(SPREAD + 1))
                for bucket, file in enumerate(files):
                    file.write(part[order[ends[bucket] : ends[bucket + 1]]].tobytes())
            for file in files:
                file.seek(0)
                twice |= _twice(np.frombuffer(file.read(), np.int64))
        finally:
            for file in files:
                file.close()
    return twice


def _twice(numbers: Ints) -> set[int]:
    ordered = np.sort(numbers)
    return set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())


def _refuse(shards: Placed, twice: set[int]) -> None:
    """Name the first id that occurs twice; two ids may share a number, and then nothing is wrong."""
    location_by_id: dict[str, str] = {}
    for folder, shard in shards:
        for row, name in enumerate(ShardFile(folder.shard(shard.key)).items(["id"]).column(0).to_pylist()):
            if hash(name) in twice:
                location = f"{shard.file}, item {shard.first + row + 1:,}"
                if name in location_by_id:
                    what = f"duplicate id (first seen in {location_by_id[name]}, again in {location})"
                    hint = "every item of the gold has an id of its own"
                    raise TouchstoneError(what, value=name, kind="id", code=Code.DUPLICATE_ID, hint=hint)
                location_by_id[name] = location
