"""The records of a shard as a Parquet file: ids, fields and facts of the items, and numbers that may be summed.

Values, intervals, groups and comparisons are computed from these files alone; no text is read again.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.notes import Note
from touchstone.base.ragged import Floats, Ints
from touchstone.base.spelling import setting
from touchstone.core.results import CompactRecords, SystemRecords
from touchstone.engine.folder import Folder, finishing

ABOUT = b"touchstone"
"""The key of the metadata of a shard."""

CLUSTER = "cluster:"
"""What the column begins with that has a number for the cluster of each item instead of its text."""


@dataclass(frozen=True)
class ShardRecords:
    """The items of a shard and the records of each system, with the names of the measures and notes of the reader.

    *measures* are those that are shown; there may be records of further ones.
    """

    items: pa.Table
    systems: Sequence[SystemRecords]
    measures: Sequence[str]
    notes: Sequence[str] = ()

    def write(self, path: Path, cluster: str | None) -> None:
        """Write the records; the file is there when it is whole.

        Parameters
        ----------
        path
            The file.
        cluster
            The field whose values get numbers, so that no text is read to tell clusters apart.
        """
        columns = {f"item:{name}": self.items.column(name) for name in self.items.column_names}
        if cluster in self.items.column_names:
            columns[f"{CLUSTER}{cluster}"] = pa.array(cluster_numbers(self.items.column(cluster)))
        scored = list(self.systems[0].records)
        for system_index, system in enumerate(self.systems):
            for measure_index, name in enumerate(scored):
                numbers = system.records[name].T
                columns |= {
                    f"record:{system_index}:{measure_index}:{row}": pa.array(column)
                    for row, column in enumerate(numbers)
                }
            columns |= {f"fact:{system_index}:{name}": system.facts.column(name) for name in system.facts.column_names}
        about = {
            "systems": [system.system for system in self.systems],
            "measures": list(self.measures),
            "scored": scored,
            "notes": [Note.of_text(note).to_dict() for note in self.notes],
        }
        table = pa.table(columns).replace_schema_metadata({ABOUT: json.dumps(about)})
        with finishing(path) as beside:
            parquet.write_table(table, beside, compression="zstd")


class ShardFile:
    """The file of a shard, of which columns are read when they are asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._opened() as file:
            self.about: dict[str, Any] = json.loads(file.schema_arrow.metadata[ABOUT])
            self.names: list[str] = file.schema_arrow.names
            self.rows: int = file.metadata.num_rows

    def __len__(self) -> int:
        return self.rows

    @contextmanager
    def _opened(self) -> Iterator[parquet.ParquetFile]:
        """Open the file for a moment: there may be more shards than a process can have open files."""
        try:
            with parquet.ParquetFile(self.path) as file:
                yield file
        except MemoryError:
            raise
        except (pa.ArrowException, OSError, KeyError, TypeError):
            hint = "remove this file and start again: only this shard is done again"
            what = "is not a whole shard"
            raise TouchstoneError(what, file=str(self.path), code=Code.UNREADABLE, hint=hint) from None

    def fields(self) -> list[str]:
        """Return the fields of the items."""
        return [name.removeprefix("item:") for name in self.names if name.startswith("item:")]

    def columns(self, names: Sequence[str]) -> pa.Table:
        """Return some columns by their names in the file."""
        with self._opened() as file:
            return file.read(columns=list(names), use_threads=False)

    def items(self, fields: Sequence[str]) -> pa.Table:
        """Return fields of the items; those that this shard lacks are left out."""
        table = self.columns([f"item:{name}" for name in fields if f"item:{name}" in self.names])
        return table.rename_columns([name.removeprefix("item:") for name in table.column_names])

    def facts(self, system: int) -> pa.Table:
        """Return the facts of a system."""
        start = f"fact:{system}:"
        table = self.columns([name for name in self.names if name.startswith(start)])
        return table.rename_columns([name.removeprefix(start) for name in table.column_names])

    def records(self, system: int, measure: str) -> Floats:
        """Return the records of a system under a measure."""
        start = f"record:{system}:{self.about['scored'].index(measure)}:"
        width = sum(name.startswith(start) for name in self.names)
        table = self.columns([f"{start}{column_index}" for column_index in range(width)])
        return np.stack([column.to_numpy() for column in table.columns], axis=1).astype(np.float64)

    def clusters(self, field: str) -> Ints:
        """Return a number for the cluster of each item."""
        name = f"{CLUSTER}{field}"
        if name in self.names:
            return np.asarray(self.columns([name]).column(0).to_numpy())
        if f"item:{field}" not in self.names:
            return np.full(len(self), number_of(None))
        return cluster_numbers(self.items([field]).column(0))


def cluster_numbers(column: pa.ChunkedArray) -> Ints:
    """Return a number of 63 bits for each value of a column: equal values have equal numbers, on any machine."""
    texts, codes = text_codes(column)
    return np.array([number_of(text) for text in texts], np.int64)[codes]


def text_codes(column: pa.ChunkedArray) -> tuple[list[str], Ints]:
    """Return the distinct values of a column as texts, and for each row which one it has; a missing one is ``?``."""
    values = column.combine_chunks()
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    encoded = values.cast(pa.string()).fill_null("?").dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.to_numpy().astype(np.int64)


def number_of(value: str | None) -> int:
    """Return the number of one value; a missing one counts as ``?``, as in tables of groups."""
    # 63 bits fit into a signed number; two of a million different values share one with a chance of 1 in 20 million.
    return int.from_bytes(blake2b((value or "?").encode(), digest_size=8).digest(), "big") >> 1


def shard_files(folders: Sequence[Folder]) -> Iterator[ShardFile]:
    """Yield the files of all shards in order; refuse shards that were read in different ways."""
    first: dict[str, Any] | None = None
    placed = [(folder, shard) for folder in folders for shard in folder.shards()]
    for folder, shard in placed:
        file = ShardFile(folder.shard(shard.key))
        first = first or file.about
        for what in ("systems", "measures"):
            if file.about[what] != first[what]:
                choices = ", ".join(map(setting, ("column", "label", "measure")))
                difference = f"{', '.join(first[what])} at first, and {', '.join(file.about[what])} here"
                raise TouchstoneError(
                    f"other {what} from row {shard.first + 1:,} on ({difference})",
                    file=shard.file,
                    code=Code.MISMATCH,
                    hint=f"choose columns, labels and measures by name: {choices}",
                )
        yield file


def systems_of_shards(files: Sequence[ShardFile], measures: Sequence[str]) -> list[SystemRecords]:
    """Return the records and facts of each system, over all shards."""
    return [
        SystemRecords(
            name,
            CompactRecords({m: np.concatenate([file.records(system_index, m) for file in files]) for m in measures}),
            pa.concat_tables([file.facts(system_index) for file in files], promote_options="permissive"),
        )
        for system_index, name in enumerate(files[0].about["systems"])
    ]
