"""Pairs in lines: SNLI's JSONL and our own, tables with a header, and parallel files of sentences and labels."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from touchstone.core.errors import Fault, TouchstoneError, nearest
from touchstone.core.joining import Ids
from touchstone.io.jsonl import Json, parse_objects
from touchstone.io.text import Source, lines, read_text
from touchstone.tasks.nli.formats.fields import KNOWN, NAMES, Problem, read_pair, spelling_of
from touchstone.tasks.nli.model import Pair, PairSet

PARALLEL = ("s1", "s2", "labels")
"""The first parts of the names of parallel files: premises, hypotheses, labels."""

Record = tuple[int, dict[str, Json]]


def read_jsonl(text: str, source: Source) -> PairSet:
    """Read a pair to a line, in SNLI's names or ours."""
    faults: list[Fault] = []
    records = list(parse_objects(text, file=source.name, faults=faults))
    return _pair_set(records, source, faults)


def read_tsv(text: str, source: Source) -> PairSet:
    """Read a table with a header, columns apart by tabs."""
    faults: list[Fault] = []
    header = next(line for _, line in lines(text)).split("\t")
    for side in ("premise", "hypothesis"):
        if not set(NAMES[side]) & set(header):
            raise missing_column(side, header, source.name)
    return _pair_set(list(table_rows(text, source.name, faults)), source, faults)


def read_parallel(path: Path, encoding: str) -> PairSet:
    """Read ``s1.X``, ``s2.X`` and ``labels.X``, of which any may be named: line by line one pair."""
    _, _, which = path.name.partition(".")
    texts, sources = zip(*(read_text(path.with_name(f"{part}.{which}"), encoding) for part in PARALLEL), strict=True)
    columns = [[line.rstrip() for line in text.removesuffix("\n").split("\n")] for text in texts]
    sizes = [len(column) for column in columns]
    if len(set(sizes)) > 1:
        counted = ", ".join(f"{part}.{which} {size:,}" for part, size in zip(PARALLEL, sizes, strict=True))
        raise TouchstoneError(f"parallel files have different numbers of lines: {counted}", file=str(path))
    digest = hashlib.sha256("".join(source.digest for source in sources).encode()).hexdigest()
    source = Source(str(path.with_name(which)), digest, path)
    rows = enumerate(zip(*columns, strict=True), 1)
    records: list[Record] = [
        (n, {"sentence1": one, "sentence2": two, "gold_label": gold}) for n, (one, two, gold) in rows
    ]
    return _pair_set(records, source, [], name=which)


def table_rows(text: str, file: str, faults: list[Fault]) -> Iterator[Record]:
    """Yield the rows of a table as records of its header; a row of another width becomes a fault."""
    rows = lines(text)
    header = [name.strip() for name in next(rows)[1].split("\t")]
    for number, line in rows:
        cells = line.split("\t")
        if len(cells) == len(header):
            yield number, dict(zip(header, map(unquoted, cells), strict=True))
        else:
            faults.append(Fault(f"{len(cells)} fields under {len(header)} columns", file, number, line))


def unquoted(field: str) -> str:
    """Return a field without the quotes that enclose it; a stray quote is text.

    >>> unquoted('"a ""b"" c"'), unquoted('the "b"')
    ('a "b" c', 'the "b"')
    """
    enclosed = len(field) > 1 and field.startswith('"') and field.endswith('"')
    return field[1:-1].replace('""', '"') if enclosed else field


def missing_column(name: str, header: Iterable[str], file: str) -> TouchstoneError:
    """Return the error of a table that lacks a column, with the column that may have been meant."""
    seen = [column for column in header if column not in KNOWN]
    near = next((column for known in NAMES.get(name, (name,)) if (column := nearest(known, seen))), None)
    hint = f"the header needs {' or '.join(NAMES.get(name, (name,)))}"
    return TouchstoneError(
        f"no column for the {name}", file=file, line=1, hint=f'{hint}; is it "{near}"?' if near else hint
    )


def _pair_set(records: list[Record], source: Source, faults: list[Fault], name: str | None = None) -> PairSet:
    found = list(_read(records, source.name, faults, name or source.stem))
    if faults:
        raise TouchstoneError.of(faults)
    if not found:
        raise TouchstoneError("no pair in it", file=source.name)
    pairs, places = [pair for _, pair in found], [line for line, _ in found]
    Ids(source.name, [pair.id for pair in pairs], places).rows()
    return PairSet(source, pairs, places, spelling_of(records[0][1]))


def _read(records: Iterable[Record], file: str, faults: list[Fault], stem: str) -> Iterator[tuple[int, Pair]]:
    """Yield the pair of each record with its line; what is wrong with it becomes a fault."""
    for line, record in records:
        try:
            yield line, read_pair(record, f"{stem}:{line}")
        except Problem as problem:
            faults.append(problem.at(file, line))
