"""References and translations from files: plain text with one segment per line, or tables that hold both."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from touchstone.core.errors import Fault, TouchstoneError, nearest
from touchstone.io.runs import RunFiles
from touchstone.io.text import STDIN, Source
from touchstone.tasks.mt.formats.analyses import inline_analyses, read_analyses
from touchstone.tasks.mt.formats.cleaning import clean
from touchstone.tasks.mt.formats.lines import read_lines
from touchstone.tasks.mt.formats.tables import Row, Rows, is_table, read_rows
from touchstone.tasks.mt.model import GoldSet, Options, Role, Run, Texts
from touchstone.tasks.mt.roles import read_roles
from touchstone.text import Analyser

PathLike = str | Path

_EMPTY = "every segment needs a reference; --allow-empty-ref lets such segments score 0"


def read_gold(paths: Sequence[PathLike], options: Options | None = None) -> GoldSet:
    """Read references: files of plain text, or tables that hold the references and the outputs of systems.

    Parameters
    ----------
    paths
        A file for each reference, one segment per line; or tables (.tsv, .jsonl).
    options
        How to read them, and further references.
    """
    options = options or Options()
    paths = [*paths, *options.ref]
    if not paths:
        raise TouchstoneError("no references", hint="give a reference, or a table that holds references and outputs")
    if any(map(is_table, paths)):
        return _read_tables(paths, options)
    twice = next((path for place, path in enumerate(paths) if Path(path) in map(Path, paths[:place])), None)
    if twice is not None:
        hint = "the first argument is a reference; --ref adds further ones"
        raise TouchstoneError("this reference is given twice", file=str(twice), hint=hint)
    return _read_references(paths, options)


def read_run(files: RunFiles, gold: GoldSet, options: Options | None = None) -> Run:
    """Read the output of one system: plain text, line n translates line n of the references.

    Parameters
    ----------
    files
        The file and the name of the system.
    gold
        The references.
    options
        How to read it, and analyses and roles of its texts.
    """
    options = options or Options()
    path = files.path
    if gold.runs or is_table(path):
        hint = "a table (.tsv, .jsonl) holds references and outputs: give it alone, in the place of GOLD"
        raise TouchstoneError("a table beside plain text", file=str(path), hint=hint)
    if str(path) != STDIN and Path(path).resolve() in {one.path.resolve() for one in gold.sources if one.path}:
        raise TouchstoneError("this file is a reference and a run", file=str(path), hint="leave one of them out")
    segments, source, notes = _read_segments(path, options)
    if len(segments) != len(gold):
        what = f"{len(segments):,} lines where the references have {len(gold):,}"
        names = ", ".join(one.name for one in gold.sources)
        hint = f"line n of a run translates line n of the references ({names})"
        raise TouchstoneError(what, file=source.name, hint=hint)
    analyses, roles = named_files(options.analyses, ".conllu"), named_files(options.roles, ".jsonl")
    for what, given, of_gold in (("analyses", analyses, options.ref_analyses), ("roles", roles, options.ref_roles)):
        if (given or of_gold) and files.name not in given:
            near = nearest(files.name, given)
            hint = f"give {what} of every reference and every system, or of none"
            raise TouchstoneError(f"no {what} of this system", value=files.name, near=near, hint=hint)
    texts, further = _texts(segments, source, options, analyses.get(files.name), roles.get(files.name))
    return Run(files.name, texts, source, further, notes)


def named_files(given: Iterable[PathLike], suffix: str) -> dict[str, Path]:
    """Return files by name.

    Parameters
    ----------
    given
        ``NAME=FILE`` texts, and folders, whose files are named by what comes before the *suffix*.
    suffix
        The suffix of files in folders that count.

    >>> named_files(["mine=out/a.conllu"], ".conllu")
    {'mine': PosixPath('out/a.conllu')}
    """
    files: dict[str, Path] = {}
    for text in given:
        if Path(text).is_dir():
            pairs = [(path.name.removesuffix(suffix), path) for path in sorted(Path(text).glob(f"*{suffix}"))]
        else:
            name, equals, path = str(text).partition("=")
            if not (name and equals and path):
                raise TouchstoneError("not of the form NAME=FILE", value=str(text))
            pairs = [(name, Path(path))]
        for name, file in pairs:
            if name in files:
                raise TouchstoneError("two files have the same name", value=name, hint="give each its own name")
            files[name] = file
    return files


def _read_segments(path: PathLike, options: Options) -> tuple[list[str], Source, tuple[str, ...]]:
    """Return the segments of a file of plain text, its source, and notes."""
    lines, source, notes = read_lines(path, options.encoding)
    segments, changes = clean(lines, options, Path(source.name).name)
    return segments, source, (*notes, *changes)


def _read_references(paths: Sequence[PathLike], options: Options) -> GoldSet:
    files = [_read_segments(path, options) for path in paths]
    _check_lengths({source.name: len(segments) for segments, source, _ in files})
    for what, given in (("analyses", options.ref_analyses), ("roles", options.ref_roles)):
        systems = options.analyses if what == "analyses" else options.roles
        if (given or systems) and len(given) != len(files):
            hint = f"give {what} of every reference and every system, or of none"
            raise TouchstoneError(f"{what} of {len(given)} references where there are {len(files)}", hint=hint)
    columns: list[list[str | None]] = [[text if text.strip() else None for text in file[0]] for file in files]
    rows = len(columns[0])
    bare = _fill_bare(columns, rows)
    if bare and not options.allow_empty_ref:
        raise TouchstoneError.of([Fault("an empty reference", files[0][1].name, row + 1) for row in bare], _EMPTY)
    none = [None] * len(files)
    further = zip(options.ref_analyses or none, options.ref_roles or none, strict=True)
    parts = [
        _texts(column, source, options, trees, roles)
        for column, (_, source, _), (trees, roles) in zip(columns, files, further, strict=True)
    ]
    documents, document_sources = _read_documents(options, rows)
    return GoldSet(
        texts=tuple(texts for texts, _ in parts),
        ids=tuple(str(line) for line in range(1, rows + 1)),
        sources=tuple(source for _, source, _ in files),
        reading=options.reading,
        documents=documents,
        bare=bare,
        further_sources=(*(source for _, sources in parts for source in sources), *document_sources),
        file_notes=tuple(note for _, _, notes in files for note in notes),
    )


def _check_lengths(lines: Mapping[str, int]) -> None:
    """Refuse references with different numbers of lines, and empty ones."""
    if len(set(lines.values())) == 1 and 0 not in lines.values():
        return
    listed = "\n   ".join(f"{count:>9,} {name}" for name, count in lines.items())
    what = "is empty" if set(lines.values()) == {0} else "the references differ in their numbers of lines"
    raise TouchstoneError(what, file=next(iter(lines)), hint=f"lines of all references:\n   {listed}")


def _read_documents(options: Options, rows: int) -> tuple[tuple[str, ...] | None, tuple[Source, ...]]:
    """Return the document of each segment, where a file gives them, and the file."""
    if options.documents is None:
        return None, ()
    names, source, _ = read_lines(options.documents, options.encoding)
    if len(names) != rows:
        what = f"{len(names):,} lines where the references have {rows:,}"
        raise TouchstoneError(what, file=source.name, hint="give the name of a document for each segment, one per line")
    return tuple(name.strip() for name in names), (source,)


def _texts(
    segments: Sequence[str | None],
    source: Source,
    options: Options,
    trees_path: PathLike | None = None,
    roles_path: PathLike | None = None,
) -> tuple[Texts, tuple[Source, ...]]:
    """Return segments with their analyses and roles, where there are any, and the files of these."""
    analyser: Analyser | None = None
    roles: Sequence[tuple[Role, ...]] | None = None
    further: list[Source] = []
    if options.inline:
        analyser = inline_analyses(segments, source.name)
    elif trees_path is not None:
        analyser, trees_source = read_analyses(trees_path, segments)
        further.append(trees_source)
    if roles_path is not None:
        roles, roles_source = read_roles(roles_path, len(segments))
        further.append(roles_source)
    return Texts(segments, analyser, source, roles), tuple(further)


def _fill_bare(columns: Sequence[list[str | None]], rows: int) -> frozenset[int]:
    """Give rows without any reference an empty one, which nothing matches, and return these rows."""
    bare = [row for row in range(rows) if not any(column[row] for column in columns)]
    for row in bare:
        columns[0][row] = ""
    return frozenset(bare)


def _read_tables(paths: Sequence[PathLike], options: Options) -> GoldSet:
    plain = next((path for path in paths if not is_table(path)), None)
    if plain is not None:
        hint = "a table (.tsv, .jsonl) holds all references and outputs: give tables alone, or plain text alone"
        raise TouchstoneError("plain text beside a table", file=str(plain), hint=hint)
    if options.analyses or options.ref_analyses or options.roles or options.ref_roles or options.documents:
        hint = "give the texts as files of plain text; a table has its own column of documents"
        raise TouchstoneError("analyses, roles and documents are read beside plain text, not beside tables", hint=hint)
    table = read_rows(paths, options.encoding)
    first = {row.key: row for row in reversed(table.rows)}
    segments = list(dict.fromkeys(row.key for row in table.rows))
    rows = [first[key] for key in segments]
    columns, notes = _reference_columns(rows, table, options)
    bare = _fill_bare(columns, len(rows))
    if bare and not options.allow_empty_ref:
        faults = [Fault("no reference for this segment", rows[n].file, rows[n].line, rows[n].segment) for n in bare]
        raise TouchstoneError.of(faults, _EMPTY)
    repeated = len({row.segment for row in rows}) < len(rows)
    gold = GoldSet(
        texts=tuple(_texts(column, table.sources[0], options)[0] for column in columns),
        ids=tuple(f"{row.group}/{row.segment}" if repeated else row.segment for row in rows),
        sources=tuple(table.sources),
        reading=options.reading,
        groups=tuple(str(row.group) for row in rows) if rows[0].group is not None else None,
        documents=tuple(str(row.document) for row in rows) if rows[0].document is not None else None,
        bare=bare,
        file_notes=(*table.notes, *notes),
    )
    return replace(gold, runs=tuple(_table_runs(table, segments, options)))


def _reference_columns(rows: Sequence[Row], table: Rows, options: Options) -> tuple[list[list[str | None]], list[str]]:
    """Return the references of a table column by column, None where one is absent, and notes."""
    name = ", ".join(Path(source.name).name for source in table.sources)
    columns: list[list[str | None]] = []
    notes: list[str] = []
    for place in range(max(1, *(len(row.references) for row in rows))):
        given = [row.references[place] if place < len(row.references) else "" for row in rows]
        texts, changes = clean(given, options, f"{name}, reference {place + 1}")
        columns.append([text if text.strip() else None for text in texts])
        notes += changes
    return columns, notes


def _table_runs(table: Rows, segments: Sequence[tuple[str | None, str]], options: Options) -> list[Run]:
    """Return the run of each system of a table, None where it lacks a segment."""
    places = {key: place for place, key in enumerate(segments)}
    outputs: dict[str, list[Row]] = {}
    for row in table.rows:
        outputs.setdefault(row.system, []).append(row)
    sources = {source.name: source for source in table.sources}
    runs = []
    for name, rows in outputs.items():
        texts, notes = clean([row.hypothesis for row in rows], options, name)
        column: list[str | None] = [None] * len(segments)
        for row, text in zip(rows, texts, strict=True):
            column[places[row.key]] = text
        source = sources[rows[0].file]
        runs.append(Run(name, _texts(column, source, options)[0], source, notes=tuple(notes)))
    return runs
