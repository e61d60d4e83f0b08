"""Scores of metrics that were computed elsewhere, joined with the runs by system and segment.

| form | content |
|---|---|
| scores of segments | a table with a system, a segment and one or more columns of scores |
| scores of systems | a table with a system and one or more columns of scores |
| without a header | system and score, segment after segment, or one row per system (mt-metrics-eval) |

A table with one column of scores is the metric that the user named; of several, each is ``NAME.COLUMN``.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from pathlib import Path

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, closest, nearest
from touchstone.base.files import Source
from touchstone.base.ids import Policy
from touchstone.base.ragged import Floats
from touchstone.base.spelling import setting
from touchstone.core.inputs import Inputs
from touchstone.core.measures import Measure
from touchstone.stats.records import mean, mean_records
from touchstone.tasks.mt.judges.judgements import REFERENCE_NAME, reference_key
from touchstone.tasks.mt.judges.reading import JUDGEMENTS, OTHERS, UNJUDGED
from touchstone.tasks.mt.judges.rows import RowStream, is_number, open_rows
from touchstone.tasks.mt.model import GoldSet, Joined, Run

LOWER = ":lower"
NO_SEGMENT = ""
"""The segment of a score that is one of a whole system."""

Scored = tuple[Measure[Joined], Mapping[str, Floats]]


@dataclass(frozen=True, eq=False)
class Supplied:
    """The scores of one metric by system and segment, with their lines."""

    name: str
    source: Source
    values: Mapping[tuple[str, str], tuple[float, int]]
    lower_is_better: bool = False

    @property
    def of_systems(self) -> bool:
        """Whether there is only one score of each system."""
        return all(segment == NO_SEGMENT for _, segment in self.values)


def supplied_scores(inputs: Inputs[GoldSet, Run], policy: Policy) -> list[Scored]:
    """Return every metric that the user supplied scores of, with the records of each run."""
    scored: list[Scored] = []
    options = inputs.options
    unused_systems = {reference_key(name) for name in (*options.reference_system, *options.exclude_system)}
    for entry in options.scores:
        name, equals, path = str(entry).partition("=")
        if not (name and equals and path):
            raise TouchstoneError("not of the form NAME=FILE", value=str(entry), code=Code.BAD_VALUE)
        read = read_scores(path, name.removesuffix(LOWER), lower=name.endswith(LOWER))
        for supplied in read:
            records, notes = _records(supplied, inputs.gold, inputs.runs, policy, unused_systems)
            scored.append((replace(_measure(supplied), notes=tuple(notes)), records))
    return scored


def read_scores(path: str | Path, name: str, *, lower: bool = False) -> list[Supplied]:
    """Read the scores of one or several metrics.

    Parameters
    ----------
    path
        The file.
    name
        The metric; the columns of a table with several are ``NAME.COLUMN``.
    lower
        Whether lower scores are better.
    """
    stream = open_rows(path)
    if len(stream.first) == 2 and is_number(stream.first[1]):
        columns = {name: _read_blocks(stream)}
    else:
        columns = _read_table(stream, name)
    stream.check("a row has a system, a segment and a score")
    return [Supplied(metric, stream.source, values, lower) for metric, values in columns.items()]


def _read_table(stream: RowStream, name: str) -> dict[str, dict[tuple[str, str], tuple[float, int]]]:
    header, file = stream.first, stream.source.name
    roles = JUDGEMENTS.places(header)
    if "system" not in roles:
        near = nearest("system", header)
        what = "has no column 'system'"
        raise TouchstoneError(what, file=file, line=1, near=near, kind="column", code=Code.NO_COLUMN)
    id_columns = {*roles.values()}
    metrics = [index for index, column in enumerate(header) if index not in id_columns and column.lower() not in OTHERS]
    if not metrics:
        what = "has no column of scores"
        raise TouchstoneError(what, file=file, line=1, code=Code.NO_COLUMN, hint=f"the columns are {', '.join(header)}")
    names = {index: name if len(metrics) == 1 else f"{name}.{header[index]}" for index in metrics}
    scores: dict[str, dict[tuple[str, str], tuple[float, int]]] = {metric: {} for metric in names.values()}
    for line, cells in stream.rows():
        key = cells[roles["system"]], cells[roles["segment"]] if "segment" in roles else NO_SEGMENT
        for index, metric in names.items():
            _add(scores[metric], key, cells[index], line, stream)
    return scores


def _read_blocks(stream: RowStream) -> dict[tuple[str, str], tuple[float, int]]:
    """Read scores without ids: those of a system are in the order of the segments; a single one is of the system."""
    counts: Counter[str] = Counter()
    scores: dict[tuple[str, str], tuple[float, int]] = {}
    for line, (system, score) in stream.rows(headless=True):
        counts[system] += 1
        _add(scores, (system, str(counts[system])), score, line, stream)
    # One row for each system is a score of the system, as mt-metrics-eval writes it.
    single = set(counts.values()) == {1}
    return {(system, NO_SEGMENT if single else segment): value for (system, segment), value in scores.items()}


def _add(
    scores: dict[tuple[str, str], tuple[float, int]], key: tuple[str, str], score: str, line: int, stream: RowStream
) -> None:
    if score in UNJUDGED:
        return
    if not is_number(score):
        stream.fault("a score must be a number", line, score)
    elif key in scores:
        what = f"duplicate score{f' of segment {key[1]}' if key[1] else ''} (first on line {scores[key][1]})"
        stream.fault(what, line, key[0], code=Code.DUPLICATE_ID)
    else:
        scores[key] = float(score), line


def _measure(supplied: Supplied) -> Measure[Joined]:
    level = "systems" if supplied.of_systems else "segments"
    return Measure(
        supplied.name,
        _unasked,
        mean,
        f"scores of {level} made elsewhere",
        item_values=_no_values if supplied.of_systems else None,
        lower_is_better=supplied.lower_is_better,
        signature=f"scores of {level} from {supplied.source}",
        of_items=not supplied.of_systems,
        supplied=True,
    )


def _unasked(joined: Joined) -> Floats:  # noqa: ARG001 (the form of all records)
    raise AssertionError("the records of these scores are read from a file")


def _no_values(records: Floats) -> Floats:
    return np.full(records.shape[:-1], nan)


def _records(
    supplied: Supplied, gold: GoldSet, runs: Sequence[Run], policy: Policy, unused_systems: set[str]
) -> tuple[dict[str, Floats], list[str]]:
    """Return the records of each run, and notes; refuse scores of unknown systems and segments, and missing ones.

    *unused_systems* are the systems that are the reference or left out: they may have scores, which are not used.
    """
    ids = list(gold.ids) if not supplied.of_systems else [NO_SEGMENT]
    names = [run.name for run in runs]
    ignored = _ignored(supplied, ids, names, policy, unused_systems)
    what = "scores of unknown systems and segments, which are ignored"
    notes = [f"{supplied.name}: {what}: {ignored:,}"] if ignored else []
    table = {(reference_key(system), segment): value for (system, segment), (value, _) in supplied.values.items()}
    records, faults = {}, []
    for name in names:
        values = np.array([table.get((reference_key(name), segment), nan) for segment in ids])
        absent = [segment for segment, value in zip(ids, values.tolist(), strict=True) if np.isnan(value)]
        if absent and (policy.missing != "skip" or supplied.of_systems):
            of_segments = f" of {len(absent):,} segments, such as {absent[0]}" if not supplied.of_systems else ""
            what, file = f"{supplied.name} has no score{of_segments}", supplied.source.name
            near = closest(name, dict.fromkeys(system for system, _ in supplied.values))
            faults.append(Fault(what, file, value=name, near=near, code=Code.MISSING_ID))
        if absent:
            notes.append(f"{name}: segments without a score of {supplied.name}, which are left out: {len(absent):,}")
        records[name] = mean_records(np.broadcast_to(values, len(gold)) if supplied.of_systems else values)
    if faults:
        hint = f"every system needs a score of every segment; {setting('missing', 'skip')} leaves gaps out"
        raise TouchstoneError.of(faults, hint)
    return records, notes


def _ignored(
    supplied: Supplied, ids: Sequence[str], names: Sequence[str], policy: Policy, unused_systems: set[str]
) -> int:
    """Return how many scores are of unknown systems and segments; refuse them unless the policy ignores them.

    A reference may have scores without being a run.
    """
    segments, systems = set(ids), {reference_key(name) for name in names} | unused_systems
    file, faults, reported, ignored = supplied.source.name, list[Fault](), set[str](), 0
    for (system, segment), (_, line) in supplied.values.items():
        strange = reference_key(system) not in systems and not REFERENCE_NAME.fullmatch(system)
        ignored += strange or segment not in segments
        if strange and system not in reported:
            reported.add(system)
            what, near = "a score of an unknown system", closest(system, names)
            faults.append(Fault(what, file, line, system, near, code=Code.UNKNOWN_NAME))
        if segment not in segments and segment not in reported:
            reported.add(segment)
            what, near = "a score of an unknown segment", nearest(segment, ids)
            faults.append(Fault(what, file, line, segment, near, "id", code=Code.UNKNOWN_ID))
    if faults and policy.unknown == "error":
        hint = f"the systems are {', '.join(names)}; {setting('unknown', 'ignore')} skips others"
        raise TouchstoneError.of(faults, hint)
    return ignored
