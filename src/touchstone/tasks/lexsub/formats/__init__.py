"""Gold and runs of lexical substitution: ELS07, SWORDS, CoInCo, the neutral JSONL, and tables of any format."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.files import Source, read_bytes
from touchstone.base.spelling import setting
from touchstone.io.formats import binary_format, suffix_of, table_suffixes
from touchstone.io.jsonl import parse_json
from touchstone.io.objects import table_of
from touchstone.io.reading import parse_table
from touchstone.io.runs import RunFiles, run_files
from touchstone.io.schema import Rows, Schema
from touchstone.io.tables import TableFile, refuse_absent_columns
from touchstone.io.text import decode, lines
from touchstone.io.writing import write_text
from touchstone.io.xml import parse_xml
from touchstone.tasks.lexsub.formats import coinco, els07, jsonl, swords, tables
from touchstone.tasks.lexsub.formats.sentences import joined_run, numbered_gold, sentence_texts
from touchstone.tasks.lexsub.formats.writing import (
    gold_as_els07,
    gold_as_jsonl,
    run_as_els07,
    run_as_jsonl,
    run_as_swords,
)
from touchstone.tasks.lexsub.joining import ReadingOptions
from touchstone.tasks.lexsub.model import GoldSet, Run, Sentence

TOGETHER = (".best", ".oot")
"""Suffixes of files that are one run where the rest of their names is the same."""

Kind = Literal["gold", "run", "sentences"]

SWORDS = {"contexts", "targets", "substitutes", "substitute_labels", "substitutes_lemmatized"}
"""The parts of a SWORDS file."""


def read_gold(
    given: object,
    *,
    encoding: str = "utf-8",
    min_responses: float | None = None,
    min_weight: float = 1,
    source: str | Path | None = None,
    column: Sequence[str] = (),
) -> GoldSet:
    """Read human answers.

    Parameters
    ----------
    given
        ELS07, SWORDS (.json), CoInCo (.xml), JSONL, or a table in any format, also with .gz; or a Python object, such
        as a data frame or ``{"1": {"glad": 3}}``.
    encoding
        The encoding of text files.
    min_responses
        The least summed weight of an item that is scored; by default 2 for ELS07 and 1 for other formats.
    min_weight
        The least number of people who must accept a SWORDS substitute.
    source
        The ELS07 XML file of the sentences.
    column
        Which columns of a table to read, ``ROLE=NAME``.

    Examples
    --------
    >>> from touchstone import lexsub
    >>> gold = lexsub.read_gold({"1": {"glad": 3, "merry": 1}, "2": {"smart": 2}})
    >>> gold.ids, len(gold.scored)
    (['1', '2'], 2)
    """
    gold = read_gold_beside_runs(given, encoding, min_responses, min_weight, source, column)
    refuse_absent_columns(column, [gold.source])
    return gold


def read_gold_beside_runs(
    path_or_table: object,
    encoding: str,
    min_responses: float | None,
    min_weight: float,
    source: str | Path | None,
    column: Sequence[str],
) -> GoldSet:
    """Read human answers as `read_gold` does, where a column may be chosen for the runs beside them."""
    try:
        if isinstance(path_or_table, str | Path):
            gold = _read_gold_file(path_or_table, encoding, min_responses, min_weight, column)
        else:
            table = _table_of(path_or_table, "the gold", tables.GOLD)
            gold = tables.read_gold(*_gold_rows(table, column), min_responses)
    except TouchstoneError as error:
        if source is not None:
            _add_sentences(error, source)
        raise
    return gold if source is None else _with_sentences(gold, source)


def _with_sentences(gold: GoldSet, source: str | Path) -> GoldSet:
    """Return the gold with its sentences, whose ids runs may answer too."""
    try:
        sentences = read_sentences(source)
    except TouchstoneError as error:
        error.readable = replace(gold, complete=False)
        raise
    contexts = [sentences[name].context if name in sentences else None for name in gold.ids]
    return replace(gold, contexts=contexts, known=frozenset(sentences))


def _add_sentences(error: TouchstoneError, source: str | Path) -> None:
    """Add the sentences to the gold that an error carries, or their faults to the error."""
    try:
        if isinstance(error.readable, GoldSet):
            error.readable = _with_sentences(error.readable, source)
        else:
            read_sentences(source)
    except TouchstoneError as other:
        error.faults, error.readable = (*error.faults, *other.faults), other.readable


def _read_gold_file(
    path: str | Path, encoding: str, min_responses: float | None, min_weight: float, column: Sequence[str]
) -> GoldSet:
    raw, origin = read_bytes(path)
    if _is_table(raw, origin, encoding, tables.GOLD, column):
        table, faults = _parse_table(raw, origin, encoding, tables.GOLD)
        return tables.read_gold(*_gold_rows(table, column, faults), min_responses)
    form = suffix_of(origin.name)
    if form == ".xml":
        return coinco.read_gold(raw, origin, min_responses)
    text, origin = decode(raw, origin.name, encoding), replace(origin, encoding=encoding)
    if form == ".json":
        return swords.read_gold(text, origin, min_responses, min_weight)
    if _is_jsonl(form, text):
        return jsonl.read_gold(text, origin, min_responses)
    return els07.read_gold(text, origin, min_responses)


def read_run(
    *inputs: object,
    name: str | None = None,
    encoding: str = "utf-8",
    column: Sequence[str] = (),
    gold: GoldSet | None = None,
) -> Run:
    """Read the run of one system; refuse what cannot be read.

    Parameters
    ----------
    inputs
        One file, two of which one has best guesses and the other ranked lists, or a Python object such as a data frame
        or ``{"1": ["glad", "merry"]}``.
    name
        The name of the system; by default what the file says, or the name of the first file.
    encoding
        The encoding of the files.
    column
        Which columns of a table to read, ``ROLE=NAME``.
    gold
        Tells, in tables, whether ``bright.a 5`` is an id or has an id in it.

    Examples
    --------
    >>> from touchstone import lexsub
    >>> run = lexsub.read_run({"1": ["glad", "merry"], "2": ["clever"]}, name="mine")
    >>> print(run)
    mine: answers to 2 items (mine)
    """
    paths = [path for path in inputs if isinstance(path, str | Path)]
    called = run_files(paths, TOGETHER)[0].name if paths else "run" if inputs else ""
    run = read_files(RunFiles(name or called, inputs, named=name is not None), encoding, column, gold)
    if run.faults:
        raise TouchstoneError.of(run.faults)
    return run


def read_runs(paths: str | Path | Sequence[str | Path], *, encoding: str = "utf-8") -> list[Run]:
    """Read the runs of several systems.

    What cannot be read stays with the run: scoring and validating report it together with all other faults.

    Parameters
    ----------
    paths
        Files, ``NAME=FILE`` and ``FILE:COLUMN`` texts, or folders; ``a.best`` and ``a.oot`` are one system.
    encoding
        The encoding of the files.

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> from touchstone import lexsub
    >>> folder = Path(touchstone.__file__).parent / "examples" / "lexsub"
    >>> files = [folder / "careful.best", folder / "careful.oot", f"other={folder / 'eager.oot'}"]
    >>> [run.name for run in lexsub.read_runs(files)]
    ['careful', 'other']
    """
    inputs = [paths] if isinstance(paths, str | Path) else paths
    return [read_files(files, encoding) for files in run_files(inputs, TOGETHER)]


def read_files(
    files: RunFiles, encoding: str = "utf-8", column: Sequence[str] = (), gold: GoldSet | None = None
) -> Run:
    """Read the files, or the Python object, of one system; what cannot be read stays with the run."""
    if not files.paths:
        raise TouchstoneError("no file of answers given")
    column = files.choices(tables.SUBSTITUTE, column)
    runs = [
        _read_run_file(path_or_table, encoding, column, gold)
        if isinstance(path_or_table, str | Path)
        else _run_of(_table_of(path_or_table, files.name, tables.RUN), column, gold)
        for path_or_table in files.paths
    ]
    files.check_column(source for run in runs for source in run.sources)
    best = [run.best for run in runs if run.best is not None]
    ranked = [run.ranked for run in runs if run.ranked is not None]
    if len(best) > 1 or len(ranked) > 1:
        view = "best" if len(best) > 1 else "ranked"
        names = " and ".join(source.name for run in runs for source in run.sources)
        raise TouchstoneError(f"two files give the {view} view of one system: {names}")
    sources = tuple(source for run in runs for source in run.sources)
    name_in_file = next((run.name for run in runs if run.name != run.sources[0].stem), files.name)
    return Run(
        files.name if files.named else name_in_file,
        sources,
        best[0] if best else None,
        ranked[0] if ranked else None,
        sum(run.empty_answers for run in runs),
        [remark for run in runs for remark in run.remarks],
    )


def read_sentences(path: str | Path) -> Mapping[str, Sentence]:
    """Read an ELS07 XML file: the sentences by id.

    Parameters
    ----------
    path
        The file.

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> from touchstone import lexsub
    >>> folder = Path(touchstone.__file__).parent / "examples" / "lexsub"
    >>> sentence = lexsub.read_sentences(folder / "demo.xml")["1"]
    >>> sentence.target, sentence.context.left
    ('plot', 'The')
    """
    raw, origin = read_bytes(path)
    sentences: dict[str, Sentence] = {}
    for sentence in els07.read_sentences(raw, origin):
        if sentence.id in sentences or not sentence.id:
            raise TouchstoneError("an instance needs an id of its own", file=origin.name, value=sentence.id)
        sentences[sentence.id] = sentence
    if not sentences:
        raise TouchstoneError("has no sentence", file=origin.name, hint="give a file with at least one sentence")
    return sentences


def read_targets(
    path: str | Path, *, encoding: str = "utf-8", source: str | Path | None = None, column: Sequence[str] = ()
) -> list[Sentence]:
    """Read the sentences of any file that has some: ELS07 XML, or gold of any format with its sentences.

    Parameters
    ----------
    path
        The file.
    encoding
        The encoding of text files.
    source
        The ELS07 XML file of the sentences, where the file has none.
    column
        Which columns of a table to read, ``ROLE=NAME``.

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> from touchstone import lexsub
    >>> folder = Path(touchstone.__file__).parent / "examples" / "lexsub"
    >>> sentences = lexsub.read_targets(folder / "demo.gold", source=folder / "demo.xml")
    >>> len(sentences), sentences[0].target
    (36, 'plot')
    """
    kind = file_kind(path, encoding, column)
    if kind == "sentences":
        return list(read_sentences(path).values())
    if kind == "run":
        hint = "give ELS07 XML, SWORDS .json, CoInCo .xml, or gold as JSONL or a table with its sentences"
        raise TouchstoneError("a file of answers has no sentences", file=str(path), hint=hint)
    return sentences_of(read_gold(path, encoding=encoding, min_responses=0, source=source, column=column))


def sentences_of(gold: GoldSet) -> list[Sentence]:
    """Return the sentences of a gold set; refuse items that have none."""
    contexts = gold.contexts or [None] * len(gold.ids)
    columns = zip(gold.ids, gold.targets, gold.pos, contexts, strict=True)
    sentences = [
        Sentence(name, target or context.head, pos, context) for name, target, pos, context in columns if context
    ]
    if len(sentences) < len(gold.ids):
        ids_with_sentence = {sentence.id for sentence in sentences}
        absent = [name for name in gold.ids if name not in ids_with_sentence]
        hint = f"name their ELS07 XML file with {setting('source', 'FILE')}, or add the fields left, head and right"
        what = f"{len(absent):,} of {len(gold.ids):,} items have no sentence"
        raise TouchstoneError(what, file=gold.source.name, value=absent[0], hint=hint)
    return sentences


def file_kind(path: str | Path, encoding: str = "utf-8", column: Sequence[str] = ()) -> Kind:
    """Return what a file holds, by its suffix and, where several kinds have that suffix, by its content."""
    raw, origin = read_bytes(path)
    if all(_is_table(raw, origin, encoding, schema, column) for schema in (tables.GOLD, tables.RUN)):
        return tables.table_kind(tables.GOLD.bind(_parse_table(raw, origin, encoding, tables.GOLD)[0], column))
    form = suffix_of(origin.name)
    if form == ".xml":
        return "sentences" if parse_xml(raw, origin.name).tag == "corpus" else "gold"
    if form in (".best", ".oot", ".mw"):
        return "run"
    text = decode(raw, origin.name, encoding)
    if form == ".json":
        return "gold" if '"substitute_labels"' in text else "run"
    first = next(line for _, line in lines(text))
    if _is_jsonl(form, text):
        record = parse_json(first, file=origin.name, line=1)
        return "gold" if isinstance(record, dict) and "gold" in record else "run"
    return "gold" if form == ".gold" or re.search(r" :: .*\s[0-9]+;", first) else "run"


def convert(path: str | Path, out: str | Path, options: ReadingOptions) -> str:
    """Write gold or a run in another format and return what was written, in words.

    Parameters
    ----------
    path
        The file to read.
    out
        The file to write; its suffix gives the format: .gold (ELS07) or .jsonl for gold; .best, .oot, .jsonl or .json
        (SWORDS) for runs.
    options
        How the file is read.
    """
    suffix = Path(out).suffix
    kind = file_kind(path, options.encoding, options.column)
    if kind == "gold" and suffix in (".gold", ".jsonl"):
        gold = read_gold(path, **vars(options))
        write_text(out, gold_as_jsonl(gold) if suffix == ".jsonl" else gold_as_els07(gold))
        left_out = f"; left out, too few human answers: {', '.join(gold.excluded)}" if gold.excluded else ""
        return f"{len(gold):,} items{left_out}"
    if kind == "run" and suffix in (".best", ".oot", ".jsonl", ".json"):
        run = read_run(path, encoding=options.encoding, column=options.column)
        refuse_absent_columns(options.column, run.sources)
        view = "best" if suffix == ".best" else "ranked"
        formatter = {".jsonl": run_as_jsonl, ".json": run_as_swords}.get(suffix)
        write_text(out, formatter(run) if formatter else run_as_els07(run, view))
        lost = suffix != ".jsonl" and run.has_boundary
        return f"answers of {run.name}" + ("; this format cannot carry the system's boundaries" if lost else "")
    hint = "gold can be written as .gold or .jsonl, a run as .best, .oot, .jsonl or .json (SWORDS)"
    raise TouchstoneError(f"a file of {kind} cannot be written in this format", value=str(out), hint=hint)


def _read_run_file(path: str | Path, encoding: str, column: Sequence[str], gold: GoldSet | None) -> Run:
    """Read one file; the run has the name that the file gives its system, or the name of the file."""
    raw, origin = read_bytes(path)
    if _is_table(raw, origin, encoding, tables.RUN, column):
        table, faults = _parse_table(raw, origin, encoding, tables.RUN)
        return _run_of(table, column, gold, faults)
    text, origin = decode(raw, origin.name, encoding), replace(origin, encoding=encoding)
    form = suffix_of(origin.name)
    if form == ".json":
        return swords.read_run(text, origin)
    if _is_jsonl(form, text):
        return jsonl.read_run(text, origin)
    return els07.read_run(text, origin)


def _gold_rows(table: TableFile, column: Sequence[str], faults: Sequence[Fault] = ()) -> tuple[Rows, Sequence[str]]:
    """Return the rows of a table of gold, and how items without ids were told apart by their sentences."""
    sentences = tables.has_sentences(table, column)
    table, numbering = numbered_gold(table, column) if sentences else (table, [])
    return tables.GOLD.bind(table, column, faults), numbering


def _run_of(table: TableFile, column: Sequence[str], gold: GoldSet | None, faults: Sequence[Fault] = ()) -> Run:
    """Return the run of a table; its lists have the sentences of their rows, which must be those of the gold."""
    sentences = tables.has_sentences(table, column)
    table, remarks = joined_run(table, column, gold) if sentences else (table, [])
    run = tables.read_run(tables.RUN.bind(table, column, faults), gold.rows if gold else ())
    if not sentences or remarks:
        return replace(run, remarks=[*run.remarks, *remarks])
    texts: dict[int | str, str | None] = dict(zip(table.lines, sentence_texts(table, column)["sentence"], strict=True))
    best, ranked = (
        answers and replace(answers, sentences=[texts.get(line) for line in answers.lines])
        for answers in (run.best, run.ranked)
    )
    return replace(run, best=best, ranked=ranked)


def _table_of(table: object, name: str, schema: Schema) -> TableFile:
    return table_of(table, name=name, value=schema.value, roles=schema.fields)


def _parse_table(raw: bytes, origin: Source, encoding: str, schema: Schema) -> tuple[TableFile, list[Fault]]:
    """Return the table of a file, and the faults of its rows."""
    faults: list[Fault] = []
    return parse_table(raw, origin, encoding, value=schema.value, roles=schema.fields, faults=faults), faults


def _is_table(raw: bytes, origin: Source, encoding: str, schema: Schema, column: Sequence[str]) -> bool:
    """Return whether a file is a table, and in none of the formats of lexical substitution."""
    form = suffix_of(origin.name)
    if form == ".xml" or binary_format(raw, form):
        return form != ".xml"
    text = decode(raw, origin.name, encoding)
    if text.lstrip().startswith("["):
        return True
    if form == ".json":
        return _is_json_table(text, origin.name)
    first = next(line for _, line in lines(text))
    if _is_jsonl(form, text):
        return _is_jsonl_table(first, origin.name, schema, column)
    if els07.LINE.fullmatch(first):
        return False
    return form in table_suffixes() or tables.has_columns(re.split("[\t,;]", first), schema, column)


def _is_json_table(text: str, file: str) -> bool:
    """Return whether a JSON object is not that of a SWORDS file; its columns are lists, those of SWORDS objects."""
    value = parse_json(text, file=file)
    if not isinstance(value, dict):
        return False
    return len(value) > 0 and all(isinstance(value.get(part, []), list) for part in SWORDS)


def _is_jsonl_table(first: str, file: str, schema: Schema, column: Sequence[str]) -> bool:
    """Return whether the first of many JSON objects is a row of a table, and no record of our own."""
    try:
        record = parse_json(first, file=file, line=1)
    except TouchstoneError:
        return False  # the reader of JSONL tells all that is wrong
    if not isinstance(record, dict):
        return False
    is_record = isinstance(record.get("gold"), dict) or isinstance(record.get("answers"), list)
    return not is_record and tables.has_columns(record, schema, column)


def _is_jsonl(form: str, text: str) -> bool:
    return form == ".jsonl" or (form != ".json" and text.lstrip().startswith("{"))
