"""Translations and references in: plain text, folders of systems, tables; each with its analyses where they are given.

Whatever the form, the outcome is the same: `References` and a `System` for each name, on the same segments.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from touchstone.core.errors import Fault, TouchstoneError, nearest
from touchstone.io.text import Source
from touchstone.tasks.mt.formats.analyses import inline_analyses, read_analyses
from touchstone.tasks.mt.formats.cleaning import cleaned
from touchstone.tasks.mt.formats.plain import TextFile, check_apart, check_lengths, read_text_file, system_files
from touchstone.tasks.mt.formats.tables import Row, is_table, read_rows
from touchstone.tasks.mt.inputs import Reading, References, System
from touchstone.tasks.mt.model import Role, Texts
from touchstone.tasks.mt.roles import read_roles
from touchstone.text import Analyser

PathLike = str | Path


@dataclass(frozen=True)
class Analyses:
    """Where analyses are: CoNLL-U files of the references in order and of systems by name, or inline in the texts.

    Semantic roles, which CoNLL-U has not, are in JSONL files of their own.
    """

    references: Sequence[PathLike] = ()
    systems: Mapping[str, PathLike] = field(default_factory=dict)
    inline: bool = False
    reference_roles: Sequence[PathLike] = ()
    roles: Mapping[str, PathLike] = field(default_factory=dict)

    def of(self, which: int | str) -> tuple[PathLike | None, PathLike | None]:
        """Return the files of analyses and of roles of a reference, by its place, or of a system, by its name."""
        if isinstance(which, str):
            return self.systems.get(which), self.roles.get(which)
        trees, roles = dict(enumerate(self.references)), dict(enumerate(self.reference_roles))
        return trees.get(which), roles.get(which)


NONE = Analyses()


def read_translations(
    systems: Sequence[PathLike],
    references: Sequence[PathLike] = (),
    *,
    named: Mapping[str, PathLike] | None = None,
    reading: Reading | None = None,
    analyses: Analyses = NONE,
    allow_empty: bool = False,
) -> tuple[References, list[System]]:
    """Read references and systems: files or folders of plain text beside *references*, or tables that hold both.

    *named* adds systems under names of their own. A segment without any reference is refused, unless *allow_empty*.
    """
    reading = reading or Reading()
    if references:
        return _read_plain(systems, references, named or {}, reading, analyses, allow_empty)
    strange = next((path for path in (*systems, *(named or {}).values()) if not is_table(path)), None)
    if strange is not None or not systems:
        hint = "give --ref FILE for plain text, or a table (.tsv, .jsonl) that holds the references too"
        raise TouchstoneError("no references", file=None if strange is None else str(strange), hint=hint)
    if analyses.references or analyses.systems or analyses.reference_roles or analyses.roles:
        raise TouchstoneError("analyses are read beside plain text, not beside tables", hint="give the texts as files")
    return _read_tables(systems, reading, analyses, allow_empty)


def _read_plain(
    systems: Sequence[PathLike],
    references: Sequence[PathLike],
    named: Mapping[str, PathLike],
    reading: Reading,
    analyses: Analyses,
    allow_empty: bool,
) -> tuple[References, list[System]]:
    files = system_files(systems, named)
    check_apart(references, files)
    models = [read_text_file(path, reading) for path in references]
    outputs = {name: read_text_file(path, reading) for name, path in files.items()}
    check_lengths([*models, *outputs.values()])
    _check_analyses(analyses, len(models), list(files))
    columns, bare = _present(models, allow_empty)
    parts = [_texts(columns[n], models[n].source, analyses, n) for n in range(len(models))]
    gold = References(
        texts=tuple(texts for texts, _ in parts),
        ids=tuple(str(line) for line in range(1, len(columns[0]) + 1)),
        sources=tuple(model.source for model in models),
        reading=reading,
        bare=bare,
        analyses=tuple(source for _, given in parts for source in given),
        notes=tuple(note for model in models for note in model.notes),
    )
    return gold, [_system(name, output, analyses) for name, output in outputs.items()]


def _system(name: str, output: TextFile, analyses: Analyses) -> System:
    texts, given = _texts(output.segments, output.source, analyses, name)
    return System(name, texts, output.source, given, tuple(output.notes))


def _texts(
    segments: Sequence[str | None], source: Source, analyses: Analyses, which: int | str
) -> tuple[Texts, tuple[Source, ...]]:
    """Return segments with their analyses and roles, if there are any, and the files of these."""
    analyser: Analyser | None = None
    roles: Sequence[tuple[Role, ...]] | None = None
    given: list[Source] = []
    trees_path, roles_path = analyses.of(which)
    if analyses.inline:
        analyser = inline_analyses(segments, source.name)
    elif trees_path is not None:
        analyser, found = read_analyses(trees_path, segments)
        given.append(found)
    if roles_path is not None:
        roles, found = read_roles(roles_path, len(segments))
        given.append(found)
    return Texts(segments, analyser, source, roles), tuple(given)


def _check_analyses(analyses: Analyses, references: int, systems: Sequence[str]) -> None:
    """Refuse analyses of some texts only: tags of two taggers are not held against each other."""
    _check_whole("analyses", analyses.references, analyses.systems, references, systems)
    _check_whole("roles", analyses.reference_roles, analyses.roles, references, systems)


def _check_whole(
    what: str, models: Sequence[PathLike], given: Mapping[str, PathLike], references: int, systems: Sequence[str]
) -> None:
    if not models and not given:
        return
    unknown = [name for name in given if name not in systems]
    faults = [Fault(f"{what} of an unknown system", None, None, name, nearest(name, systems)) for name in unknown]
    faults += [Fault(f"no {what} of this system", value=name) for name in systems if name not in given]
    if len(models) != references:
        faults.append(Fault(f"{what} of {len(models)} references where there are {references}"))
    if faults:
        raise TouchstoneError.of(faults, f"give {what} of every reference and every system, or of none")


def _present(models: Sequence[TextFile], allow_empty: bool) -> tuple[list[list[str | None]], frozenset[int]]:
    """Return the references with None for an empty one, and the rows that have none at all."""
    columns: list[list[str | None]] = [[text if text.strip() else None for text in m.segments] for m in models]
    bare = [row for row, texts in enumerate(zip(*columns, strict=True)) if not any(texts)]
    if bare and not allow_empty:
        faults = [Fault("an empty reference", models[0].source.name, row + 1) for row in bare]
        raise TouchstoneError.of(faults, _EMPTY)
    return _with_empty(columns, bare), frozenset(bare)


_EMPTY = "every segment needs a reference; --allow-empty-ref lets such segments score 0"


def _with_empty(columns: list[list[str | None]], bare: Sequence[int]) -> list[list[str | None]]:
    """Return the references with an empty text where there is none at all: nothing matches it."""
    for row in bare:
        columns[0][row] = ""
    return columns


def _read_tables(
    paths: Sequence[PathLike], reading: Reading, analyses: Analyses, allow_empty: bool
) -> tuple[References, list[System]]:
    found = read_rows(paths, reading.encoding)
    segments = list(dict.fromkeys(row.key for row in found.rows))
    first = {row.key: row for row in reversed(found.rows)}
    name = ", ".join(Path(source.name).name for source in found.sources)
    columns, notes, bare = _reference_columns([first[key] for key in segments], reading, name, allow_empty)
    numbers = [segment for _, segment in segments]
    repeated = len(set(numbers)) < len(numbers)
    gold = References(
        texts=tuple(_texts(column, found.sources[0], analyses, n)[0] for n, column in enumerate(columns)),
        ids=tuple(f"{group}/{segment}" if repeated else segment for group, segment in segments),
        sources=tuple(found.sources),
        reading=reading,
        groups=tuple(str(group) for group, _ in segments) if found.rows[0].group is not None else None,
        bare=bare,
        notes=(*found.notes, *notes),
    )
    return gold, _table_systems(found.rows, segments, found.sources, reading, analyses)


def _reference_columns(
    rows: Sequence[Row], reading: Reading, name: str, allow_empty: bool
) -> tuple[list[list[str | None]], list[str], frozenset[int]]:
    """Return the references of the segments column by column, cleaned, with notes and the rows without any."""
    width = max(len(row.references) for row in rows)
    columns: list[list[str | None]] = []
    notes: list[str] = []
    for place in range(width):
        given = [row.references[place] if place < len(row.references) else "" for row in rows]
        texts, changes = cleaned(given, reading, f"{name}, reference {place + 1}")
        columns.append([text if text.strip() else None for text in texts])
        notes += changes
    bare = (
        [at for at, texts in enumerate(zip(*columns, strict=True)) if not any(texts)]
        if columns
        else [*range(len(rows))]
    )
    if bare and not allow_empty:
        faults = [Fault("no reference for this segment", rows[at].file, rows[at].line, rows[at].segment) for at in bare]
        raise TouchstoneError.of(faults, _EMPTY)
    return _with_empty(columns or [[None] * len(rows)], bare), notes, frozenset(bare)


def _table_systems(
    rows: Sequence[Row],
    segments: Sequence[tuple[str | None, str]],
    sources: Sequence[Source],
    reading: Reading,
    analyses: Analyses,
) -> list[System]:
    places = {key: at for at, key in enumerate(segments)}
    outputs: dict[str, list[Row]] = {}
    for row in rows:
        outputs.setdefault(row.system, []).append(row)
    systems = []
    for name, own in outputs.items():
        texts, notes = cleaned([row.hypothesis for row in own], reading, name)
        column: list[str | None] = [None] * len(segments)
        for row, text in zip(own, texts, strict=True):
            column[places[row.key]] = text
        source = sources[[s.name for s in sources].index(own[0].file)]
        found, _ = _texts(column, source, analyses, name)
        systems.append(System(name, found, source, notes=tuple(notes)))
    return systems
