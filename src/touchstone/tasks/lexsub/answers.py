"""What may be done to answers before they are scored, when the user asks for it: base forms, or a pool."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from touchstone.core.errors import Fault, TouchstoneError
from touchstone.core.ragged import StringLists
from touchstone.io import arrow
from touchstone.io.text import Source, lines, read_text
from touchstone.tasks.lexsub.keys import key

VIEWS = ("best", "ranked", "set")


@dataclass(frozen=True)
class Pool:
    """The candidates of each target: figures over a pool do not compare with figures over free answers."""

    source: Source
    candidates: Mapping[str, frozenset[str]]


def read_pool(path: str | Path, encoding: str = "utf-8") -> Pool:
    """Read a pool: ``word.pos::a;b;c`` to a line."""
    text, source = read_text(path, encoding)
    candidates: dict[str, frozenset[str]] = {}
    faults = []
    for number, line in lines(text):
        word, separator, rest = line.partition("::")
        if not separator or not word.strip() or word.strip() in candidates:
            faults.append(Fault("not a line of the form 'word.pos::a;b;c' for a new word", source.name, number, line))
        candidates[word.strip()] = frozenset(filter(None, map(key, rest.split(";"))))
    if faults:
        raise TouchstoneError.of(faults)
    return Pool(source, candidates)


def pooled(batch: pa.RecordBatch, pool: Pool) -> pa.RecordBatch:
    """Return the batch without the answers that are not candidates of their target."""
    words = [
        f"{t}.{p}" for t, p in zip(batch.column("target").to_pylist(), batch.column("pos").to_pylist(), strict=True)
    ]
    missing = next((word for word in words if word not in pool.candidates), None)
    if missing is not None:
        raise TouchstoneError("the pool has no line for a target", file=pool.source.name, value=missing)

    def inside(lists: StringLists) -> StringLists:
        keys = lists.map(key)
        flags = [
            keys.words[code] in pool.candidates[words[row]]
            for row, code in zip(keys.codes.row.tolist(), keys.codes.values.tolist(), strict=True)
        ]
        return lists.keep(np.array(flags, np.bool_))

    return _changed(batch, inside)


def lemmatized(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the batch with every answer as its base form, found without a look at the gold."""
    pos = [tag or "" for tag in batch.column("pos").to_pylist()]

    def based(lists: StringLists) -> StringLists:
        parts = {tag: lists.map(partial(base_form, pos=tag)) for tag in set(pos)}
        return StringLists.of(parts[tag][row] for row, tag in enumerate(pos))

    return _changed(batch, based)


def base_form(answer: str, pos: str) -> str:
    """Return the base form of an answer: of its last word if it is a noun, of its first word otherwise.

    >>> base_form("swimming pools", "n"), base_form("gave up", "v"), base_form("brighter", "a")
    ('swimming pool', 'give up', 'bright')
    """
    from touchstone.lexicon import wordnet

    words = answer.split()
    if not words or not pos:
        return answer
    place = -1 if pos == "n" else 0
    words[place] = wordnet().base_form(words[place], pos)
    return " ".join(words)


def _changed(batch: pa.RecordBatch, change: Callable[[StringLists], StringLists]) -> pa.RecordBatch:
    columns = {name: batch.column(name) for name in batch.schema.names}
    columns |= {view: arrow.from_strings(change(arrow.to_strings(batch.column(view)))) for view in VIEWS}
    return pa.RecordBatch.from_pydict(columns)
