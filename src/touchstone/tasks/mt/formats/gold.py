"""References, and the outputs of systems that stand in the same table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, nearest, no_such_system
from touchstone.base.files import Source, read_bytes
from touchstone.base.ids import Ids
from touchstone.base.spelling import setting
from touchstone.io.texts import exact_form
from touchstone.tasks.mt.about import Options
from touchstone.tasks.mt.formats.analyses import AnalysedTexts
from touchstone.tasks.mt.formats.lines import parse_lines
from touchstone.tasks.mt.formats.matching import row_id
from touchstone.tasks.mt.formats.runs import PathLike, analysed_texts, cleaned, run_of_texts
from touchstone.tasks.mt.formats.tables import GOLD, Row, SegmentRows, read_segments
from touchstone.tasks.mt.judges.judgements import REFERENCE_NAME, reference_key
from touchstone.tasks.mt.model import GoldSet, Run
from touchstone.tasks.mt.synonyms import read_synonyms
from touchstone.tasks.mt.texts import GivenAnalyses, Texts


def read_gold(given: Sequence[Any], options: Options | None = None) -> GoldSet:
    """Read references, and the outputs of systems where a table names its systems.

    Parameters
    ----------
    given
        Files or Python objects: plain text, one segment per line; or tables, which may hold several references and the
        document of each segment. Further ones are further references of the same segments.
    options
        How to read them, and further references.

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> from touchstone import mt
    >>> folder = Path(touchstone.__file__).parent / "examples" / "mt"
    >>> gold = mt.read_gold([folder / "refA.en", folder / "refB.en"])
    >>> len(gold), len(gold.texts), gold.texts[0][2]
    (12, 2, 'She asked the conductor whether the train would stop at the lake.')
    """
    options = options or Options()
    sources = [*_several(given), *_several(options.ref)]
    if not sources:
        hint = "give a reference, or a table with references and outputs"
        raise TouchstoneError("no references", code=Code.OPTION_NEEDED, hint=hint)
    files = [Path(source) for source in sources if isinstance(source, PathLike)]
    twice = next((path for index, path in enumerate(files) if path in files[:index]), None)
    if twice is not None:
        hint = f"the first argument is a reference; {setting('ref')} adds further ones"
        raise TouchstoneError("this reference is given twice", file=str(twice), code=Code.DUPLICATE_NAME, hint=hint)
    parts = [read_segments(source, options, GOLD, "the gold") for source in sources]
    parts = [_with_references(part, options, bool(parts[1:])) if part.named else part for part in parts]
    first = [part for part in parts if part.named] or parts[:1]
    return _gold(first, [part for part in parts if part not in first], options)


def _with_references(part: SegmentRows, options: Options, others: bool) -> SegmentRows:
    """Return a table of systems whose references are the outputs of some of them, without the systems left out.

    Where the table has no references, the one system that is called so is the reference, unless there are *others*.
    """
    systems = list(dict.fromkeys(str(row.system) for row in part.rows))
    by_key = {reference_key(name): name for name in reversed(systems)} | {name: name for name in systems}
    reference_systems = _chosen(options.reference_system, by_key, systems)
    # A name that is not in the table may be that of a file beside it: `left_out` refuses those that nothing has.
    left_out = [
        by_key.get(name) or by_key[key] for name in options.exclude_system if (key := reference_key(name)) in by_key
    ]
    if not reference_systems and not others and not any(row.texts for row in part.rows):
        likely = [name for name in systems if name not in left_out and REFERENCE_NAME.fullmatch(name)]
        if len(likely) != 1:
            hint = f"choose one with {setting('reference-system')}: {', '.join(likely or systems)}"
            what = "which system is the reference?"
            raise TouchstoneError(what, file=part.source.name, code=Code.AMBIGUOUS, hint=hint)
        reference_systems = likely
    texts = {(name, row.key): row.output for row in part.rows if (name := str(row.system)) in reference_systems}
    rows = [
        row._replace(texts=(*row.texts, *(texts.get((name, row.key)) for name in reference_systems)))
        for row in part.rows
        if row.system not in (*reference_systems, *left_out)
    ]
    notes = [f"the reference is the output of {', '.join(reference_systems)}"] if reference_systems else []
    notes += [f"left out: {', '.join(left_out)}"] if left_out else []
    return replace(part, rows=rows, remarks=[*part.remarks, *notes], left_out=[*left_out, *reference_systems])


def _chosen(names: Sequence[str], by_key: Mapping[str, str], systems: Sequence[str]) -> list[str]:
    """Return the systems that have some *names*; a reference has several, such as ``ref`` and ``ref-A``."""
    chosen = [by_key.get(name) or by_key.get(reference_key(name)) for name in names]
    if None in chosen:
        wrong = names[chosen.index(None)]
        raise no_such_system(str(wrong), systems, "no such system in the table")
    return [str(name) for name in chosen]


def left_out(gold: GoldSet, names: Sequence[str], options: Options) -> list[str]:
    """Return which of the *names* of runs are to be left out; refuse names that do not change anything.

    Parameters
    ----------
    gold
        The references, which know the systems of their tables that are no runs.
    names
        The runs.
    options
        The systems to leave out, and those that are the reference.

    Examples
    --------
    >>> gold = read_gold([["The cat sat."]])
    >>> left_out(gold, ["heron", "magpie"], Options(exclude_system=("magpie",)))
    ['magpie']
    """
    if not options.reference_system and not options.exclude_system:
        return []
    of_tables = {reference_key(name) for name in gold.left_out}
    there = [*gold.left_out, *(run.name for run in gold.runs), *names]
    for name in options.reference_system:
        if reference_key(name) not in of_tables:
            hint = f"it chooses a system of a table; give the file of a reference as GOLD or with {setting('ref')}"
            what = f"{setting('reference-system')} names no system of a table"
            raise TouchstoneError(what, value=name, code=Code.UNKNOWN_NAME, hint=hint)
    for name in options.exclude_system:
        if reference_key(name) not in {*of_tables, *map(reference_key, there)}:
            raise no_such_system(name, there, "no such system to leave out")
    excluded = {reference_key(name) for name in options.exclude_system}
    return [name for name in names if reference_key(name) in excluded]


def _several(value: object) -> list[Any]:
    """Return the files or objects of a list; a single *value* is a list of its own."""
    return list(value) if isinstance(value, list | tuple) else [value]


def _gold(first: Sequence[SegmentRows], others: Sequence[SegmentRows], options: Options) -> GoldSet:
    """Return the gold: *first* hold its segments, *others* further references of them."""
    rows = [row for part in first for row in part.rows]
    numbered = len(first) == 1 and first[0].ordered and not first[0].named  # each row is a segment of its own
    faults = [] if numbered else list(_inconsistencies(rows))
    if faults:
        raise TouchstoneError.of(faults, "a row has a segment and its references, or also a system and its translation")
    distinct: dict[tuple[str | None, str], Row] = {}
    for row in rows:
        distinct.setdefault(row.key, row)
    segments = list(distinct.values())
    _check_lengths(first, others, len(segments))
    # Language pairs may number their segments alike: then an id begins with its group.
    repeated = len({row.segment for row in segments}) < len(segments)
    ids = [f"{row.group}/{row.segment}" if repeated else row.segment for row in segments]
    columns, notes = _reference_columns(segments, first, others, ids, options)
    unreferenced = _fill_unreferenced(columns, len(segments))
    if unreferenced and not options.allow_empty_ref:
        way = setting("allow-empty-ref", "True")
        hint = f"every segment needs a reference; {way} lets such segments score 0"
        raise TouchstoneError.of(
            [_empty_fault(segments[row], first[0].from_lines) for row in sorted(unreferenced)], hint
        )
    analysed = _analysed(options)
    parts = _reference_texts(columns, first[0].source, options, analysed)
    has_documents = options.documents is None and segments[0].document is not None
    return GoldSet(
        texts=tuple(texts for texts, _ in parts),
        ids=tuple(ids),
        sources=tuple(part.source for part in (*first, *others)),
        reading=options.reading,
        groups=tuple(str(row.group) for row in segments) if segments[0].group is not None else None,
        documents=tuple(str(row.document) for row in segments)
        if has_documents
        else _read_documents(options, len(segments)),
        source=_source_texts(segments, options),
        thesaurus=read_synonyms(options.synonyms) if options.synonyms else None,
        analysed=analysed,
        unreferenced=unreferenced,
        runs=tuple(_carried(first, distinct, options, analysed)),
        analyses=tuple(source for _, sources in parts for source in sources),
        file_notes=(*(note for part in (*first, *others) for note in part.notes), *notes),
        remarks=tuple(remark for part in (*first, *others) for remark in part.remarks),
        left_out=tuple(name for part in (*first, *others) for name in part.left_out),
    )


def _empty_fault(row: Row, from_lines: bool) -> Fault:
    if from_lines:
        return Fault("an empty reference", row.file, row.line, code=Code.MISSING_ID)
    return Fault("no reference for this segment", row.file, row.line or None, row.segment, code=Code.MISSING_ID)


def _check_lengths(first: Sequence[SegmentRows], others: Sequence[SegmentRows], segments: int) -> None:
    """Refuse references without ids that have other numbers of lines, and empty ones."""
    counts = {**{part.source.name: segments for part in first}, **{part.source.name: len(part) for part in others}}
    if segments and all(len(part) == segments for part in others if part.ordered):
        return
    listed = "\n   ".join(f"{count:>9,} {name}" for name, count in counts.items())
    file, hint = next(iter(counts)), f"lines of all references:\n   {listed}"
    if set(counts.values()) == {0}:
        raise TouchstoneError("is empty", file=file, code=Code.EMPTY, hint=hint)
    raise TouchstoneError("the references differ in their numbers of lines", file=file, code=Code.MISMATCH, hint=hint)


def _reference_columns(
    segments: Sequence[Row],
    first: Sequence[SegmentRows],
    others: Sequence[SegmentRows],
    ids: Sequence[str],
    options: Options,
) -> tuple[list[list[str | None]], list[str]]:
    """Return the references column by column, None if one is absent, and notes."""
    names = ", ".join(Path(part.source.name).name for part in first)
    blocks = [(names, first[0].from_lines, [row.texts for row in segments])]
    blocks += [(Path(part.source.name).name, part.from_lines, _aligned(part, ids)) for part in others]
    columns: list[list[str | None]] = []
    notes: list[str] = []
    for name, from_lines, rows in blocks:
        for index in range(max(map(len, rows), default=0)):
            raw_texts = [row[index] if index < len(row) else None for row in rows]
            texts, changes = cleaned(raw_texts, options, name if from_lines else f"{name}, reference {index + 1}")
            column = [text if text and text.strip() else None for text in texts]
            if from_lines or not columns or any(column):
                columns.append(column)
                notes += changes
    return columns, notes


def _aligned(part: SegmentRows, ids: Sequence[str]) -> list[tuple[str | None, ...]]:
    """Return the references of a further table in the order of the gold's *ids*; none where it lacks a segment."""
    if part.ordered:
        return [row.texts for row in part.rows]
    gold_ids = set(ids)
    part_ids = Ids(part.source.name, [row_id(row, gold_ids) for row in part.rows], [row.line for row in part.rows])
    strange = [
        (segment, line) for segment, line in zip(part_ids.ids, part_ids.lines, strict=True) if segment not in gold_ids
    ]
    if strange:
        faults = [
            Fault("unknown segment", part_ids.file, line, segment, nearest(segment, ids), "id", code=Code.UNKNOWN_ID)
            for segment, line in strange
        ]
        raise TouchstoneError.of(faults, "further references have the ids of the first")
    rows = part_ids.rows()
    return [part.rows[rows[segment]].texts if segment in rows else () for segment in ids]


def _analysed(options: Options) -> GivenAnalyses | None:
    """Return the analyses of all texts, where one file holds them."""
    files = [text for text in options.system_analyses if _is_pool(text)]
    if not files:
        return None
    if len(options.analyses) > 1:
        hint = "give one file with the analyses of all texts, or NAME=FILE for each system and ref=FILE"
        what = "analyses of all texts and of single ones"
        raise TouchstoneError(what, value=files[0], code=Code.OPTION_UNUSED, hint=hint)
    return AnalysedTexts.read(files[0])


def _is_pool(entry: PathLike) -> bool:
    """Return whether analyses are given as one file of all texts, without the name of a system."""
    path = Path(entry)
    return "=" not in str(entry) and not path.is_dir() and (path.is_file() or ".conllu" in path.suffixes)


def _reference_texts(
    columns: Sequence[Sequence[str | None]], source: Source, options: Options, analysed: GivenAnalyses | None
) -> list[tuple[Texts, tuple[Source, ...]]]:
    """Return the references with their analyses and roles, where there are any, and the files of these."""
    for what, reference_files in (("analyses", options.ref_analyses), ("roles", options.ref_roles)):
        systems = (
            []
            if analysed and what == "analyses"
            else options.system_analyses
            if what == "analyses"
            else options.system_roles
        )
        if (reference_files or systems) and len(reference_files) != len(columns):
            hint = f"give {what} of every reference and every system, or of none"
            raise TouchstoneError(
                f"{what} of {len(reference_files)} references where there are {len(columns)}",
                code=Code.MISMATCH,
                hint=hint,
            )
    none = [None] * len(columns)
    further = zip(options.ref_analyses or none, options.ref_roles or none, strict=True)
    return [
        analysed_texts(column, source, options, analysed, trees, roles)
        for column, (trees, roles) in zip(columns, further, strict=True)
    ]


def _read_documents(options: Options, rows: int) -> tuple[str, ...] | None:
    """Return the document of each segment, where a file gives them."""
    if options.documents is None:
        return None
    names, _ = _read_lines(
        options.documents, options, rows, "give the name of a document for each segment, one per line"
    )
    return tuple(name.split("\t")[-1].strip() for name in names)  # WMT writes domain, tab, document


def _source_texts(segments: Sequence[Row], options: Options) -> Texts | None:
    """Return the source text of each segment, from a file or from the table; None if it is not known."""
    if options.source is None:
        has_sources = any(row.source is not None for row in segments)
        return Texts([row.source or "" for row in segments]) if has_sources else None
    lines, source = _read_lines(options.source, options, len(segments), "line n of the source is that of segment n")
    return Texts(lines, source=source)


def _read_lines(path: Path, options: Options, rows: int, hint: str) -> tuple[list[str], Source]:
    """Return the lines of a file, one for each segment."""
    raw, source = read_bytes(path)
    lines, _ = parse_lines(raw, source.name, options.encoding)
    if len(lines) != rows:
        what = f"{len(lines):,} lines where the references have {rows:,}"
        raise TouchstoneError(what, file=source.name, code=Code.MISMATCH, hint=hint)
    return lines, source


def _inconsistencies(rows: Sequence[Row]) -> Iterator[Fault]:
    """Yield faults: duplicate rows, and references or documents that differ within a segment."""
    first_by_system: dict[tuple[str | None, str | None, str], Row] = {}
    first_by_segment: dict[tuple[str | None, str], Row] = {}
    for row in rows:
        before = first_by_system.setdefault((row.system, *row.key), row)
        if before is not row:
            what = "duplicate id" if row.system is None else f"duplicate translation by {row.system!r}"
            what = f"{what} (first at {before.file}:{before.line})"
            yield Fault(what, row.file, row.line, row.segment, kind="id", code=Code.DUPLICATE_ID)
        model = first_by_segment.setdefault(row.key, row)
        for what in ("texts", "document", "source") if before is row else ():
            if _differ(getattr(row, what), getattr(model, what), what):
                difference = f"other {'references' if what == 'texts' else what} than at {model.file}:{model.line}"
                yield Fault(difference, row.file, row.line, row.segment, code=Code.MISMATCH)
    for what in ("group", "document"):
        if len({getattr(row, what) is None for row in rows}) > 1:
            row = next(row for row in rows if getattr(row, what) is None)
            yield Fault(f"no {what} where other rows have one", row.file, row.line, row.segment, code=Code.BAD_CELL)


def _differ(cell: Any, other: Any, what: str) -> bool:  # noqa: ANN401 (texts, or a name)
    """Return whether two rows of a segment differ; a source may be absent, and written with other blanks."""
    if what != "source":
        return bool(cell != other)
    return bool(cell and other) and exact_form(cell) != exact_form(other)


def _carried(
    parts: Sequence[SegmentRows],
    segments: Mapping[tuple[str | None, str], Row],
    options: Options,
    analysed: GivenAnalyses | None,
) -> Iterator[Run]:
    """Yield the run of each system of some tables, None if it lacks a segment."""
    places = {key: index for index, key in enumerate(segments)}
    outputs: dict[str, list[tuple[Row, Source]]] = {}
    for part in parts:
        for row in part.rows if part.named else ():
            outputs.setdefault(str(row.system), []).append((row, part.source))
    for name, translations in outputs.items():
        texts, notes = cleaned([row.output for row, _ in translations], options, name)
        column: list[str | None] = [None] * len(segments)
        for (row, _), text in zip(translations, texts, strict=True):
            column[places[row.key]] = text
        yield run_of_texts(name, column, translations[0][1], options, notes, analysed)


def _fill_unreferenced(columns: Sequence[list[str | None]], rows: int) -> frozenset[int]:
    """Give rows without any reference an empty one, which nothing matches, and return these rows."""
    unreferenced = [row for row in range(rows) if not any(column[row] for column in columns)]
    for row in unreferenced:
        columns[0][row] = ""
    return frozenset(unreferenced)
