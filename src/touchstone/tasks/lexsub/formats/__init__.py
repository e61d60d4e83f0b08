"""Gold and runs of lexical substitution: ELS07, SWORDS, CoInCo, the neutral JSONL, and tables of any format."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, refuse
from touchstone.base.files import Source, read_bytes
from touchstone.base.options import TableOptions
from touchstone.base.spelling import setting
from touchstone.io.formats import binary_format, suffix_of, table_suffixes
from touchstone.io.jsonl import parse_json
from touchstone.io.objects import table_of
from touchstone.io.reading import DEFAULT_OPTIONS, parse_table
from touchstone.io.runs import RunFiles, run_files
from touchstone.io.schema import Schema
from touchstone.io.tables import TableFile, refuse_absent_columns
from touchstone.io.text import decode, lines
from touchstone.io.writing import write_text
from touchstone.io.xml import parse_xml
from touchstone.tasks.lexsub.about import ReadingOptions
from touchstone.tasks.lexsub.formats import coinco, els07, jsonl, swords, tables
from touchstone.tasks.lexsub.formats.tables import joined_run, numbered_gold, sentence_texts
from touchstone.tasks.lexsub.formats.writing import (
    gold_as_els07,
    gold_as_jsonl,
    run_as_els07,
    run_as_jsonl,
    run_as_swords,
)
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
    sentences = None if source is None else Path(source)
    options = ReadingOptions(tuple(column), encoding, sentences, min_responses, min_weight)
    gold = read_gold_beside_runs(given, options)
    refuse_absent_columns(column, [gold.source])
    return gold


def read_gold_beside_runs(path_or_table: object, options: ReadingOptions) -> GoldSet:
    """Read human answers as `read_gold` does, where a column may be chosen for the runs beside them."""
    source = options.source
    try:
        if isinstance(path_or_table, str | Path):
            gold = _read_gold_file(_File(*read_bytes(path_or_table), options), options)
        else:
            gold = _gold_of(_table_of(path_or_table, "the gold", tables.GOLD), (), options)
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


def _read_gold_file(file: "_File", options: ReadingOptions) -> GoldSet:
    least = options.min_responses
    if file.is_table(tables.GOLD):
        return _gold_of(*file.table(tables.GOLD), options)
    if file.form == ".xml":
        return coinco.read_gold(file.raw, file.origin, least)
    if file.form == ".json":
        return swords.read_gold(file.text, file.source, least, options.min_weight)
    read_lines = jsonl.read_gold if file.is_jsonl else els07.read_gold
    return read_lines(file.text, file.source, least)


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
    files = RunFiles(name or called, inputs, named=name is not None)
    run = read_files(files, TableOptions(tuple(column), encoding), gold)
    refuse(run.faults)
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
    return [read_files(files, TableOptions(encoding=encoding)) for files in run_files(inputs, TOGETHER)]


def read_files(files: RunFiles, options: TableOptions = DEFAULT_OPTIONS, gold: GoldSet | None = None) -> Run:
    """Read the files, or the Python object, of one system; what cannot be read stays with the run."""
    if not files.paths:
        raise TouchstoneError("no file of answers given", code=Code.OPTION_NEEDED)
    options = replace(options, column=files.choices(tables.SUBSTITUTE, options.column))
    runs = [
        _read_run_file(_File(*read_bytes(path_or_table), options), gold)
        if isinstance(path_or_table, str | Path)
        else _run_of(_table_of(path_or_table, files.name, tables.RUN), (), options.column, gold)
        for path_or_table in files.paths
    ]
    sources = tuple(source for run in runs for source in run.sources)
    files.check_column(sources)
    best = [run.best for run in runs if run.best is not None]
    ranked = [run.ranked for run in runs if run.ranked is not None]
    if len(best) > 1 or len(ranked) > 1:
        view = "best" if len(best) > 1 else "ranked"
        names = " and ".join(source.name for source in sources)
        raise TouchstoneError(f"two files give the {view} view of one system: {names}", code=Code.DUPLICATE_NAME)
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
            what = "an instance needs an id of its own"
            raise TouchstoneError(what, file=origin.name, value=sentence.id, code=Code.DUPLICATE_ID)
        sentences[sentence.id] = sentence
    if not sentences:
        what = "has no sentence"
        raise TouchstoneError(what, file=origin.name, code=Code.EMPTY, hint="give a file with at least one sentence")
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
    kind = file_kind(path, TableOptions(tuple(column), encoding))
    if kind == "sentences":
        return list(read_sentences(path).values())
    if kind == "run":
        hint = "give ELS07 XML, SWORDS .json, CoInCo .xml, or gold as JSONL or a table with its sentences"
        raise TouchstoneError("a file of answers has no sentences", file=str(path), code=Code.UNSUPPORTED, hint=hint)
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
        raise TouchstoneError(what, file=gold.source.name, value=absent[0], code=Code.UNSUPPORTED, hint=hint)
    return sentences


def file_kind(path: str | Path, options: TableOptions = DEFAULT_OPTIONS) -> Kind:
    """Return what a file holds, by its suffix and, where several kinds have that suffix, by its content."""
    file = _File(*read_bytes(path), options)
    if file.is_table(tables.GOLD) and file.is_table(tables.RUN):
        return tables.table_kind(tables.GOLD.bind(file.table(tables.GOLD)[0], options.column))
    if file.form == ".xml":
        return "sentences" if parse_xml(file.raw, file.origin.name).tag == "corpus" else "gold"
    if file.form in (".best", ".oot", ".mw"):
        return "run"
    if file.form == ".json":
        return "gold" if '"substitute_labels"' in file.text else "run"
    if file.is_jsonl:
        record = parse_json(file.first, file=file.origin.name, line=1)
        return "gold" if isinstance(record, dict) and "gold" in record else "run"
    return "gold" if file.form == ".gold" or re.search(r" :: .*\s[0-9]+;", file.first) else "run"


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
    kind = file_kind(path, options)
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
    what = f"a file of {kind} cannot be written in this format"
    raise TouchstoneError(what, value=str(out), code=Code.UNKNOWN_FORMAT, hint=hint)


def _read_run_file(file: "_File", gold: GoldSet | None) -> Run:
    """Read one file; the run has the name that the file gives its system, or the name of the file."""
    if file.is_table(tables.RUN):
        return _run_of(*file.table(tables.RUN), file.options.column, gold)
    if file.form == ".json":
        return swords.read_run(file.text, file.source)
    read_lines = jsonl.read_run if file.is_jsonl else els07.read_run
    return read_lines(file.text, file.source)


def _gold_of(table: TableFile, faults: Sequence[Fault], options: ReadingOptions) -> GoldSet:
    """Return the gold of a table; items without ids are told apart by their sentences."""
    numbering: Sequence[str] = ()
    if tables.has_sentences(table, options.column):
        table, numbering = numbered_gold(table, options.column)
    return tables.read_gold(tables.GOLD.bind(table, options.column, faults), numbering, options.min_responses)


def _run_of(table: TableFile, faults: Sequence[Fault], column: Sequence[str], gold: GoldSet | None) -> Run:
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


@dataclass(frozen=True)
class _File:
    """The content of a file, and which format it has by its suffix and its content."""

    raw: bytes
    origin: Source
    options: TableOptions

    @property
    def form(self) -> str:
        return suffix_of(self.origin.name)

    @property
    def source(self) -> Source:
        """The file, with the encoding of its text."""
        return replace(self.origin, encoding=self.options.encoding)

    @cached_property
    def text(self) -> str:
        return decode(self.raw, self.origin.name, self.options.encoding)

    @property
    def first(self) -> str:
        """The first line with anything in it."""
        return next(line for _, line in lines(self.text))

    @property
    def is_jsonl(self) -> bool:
        return self.form == ".jsonl" or (self.form != ".json" and self.text.lstrip().startswith("{"))

    def table(self, schema: Schema) -> tuple[TableFile, list[Fault]]:
        """Return the table of the file, and the faults of its rows."""
        faults: list[Fault] = []
        encoding, roles = self.options.encoding, schema.fields
        return parse_table(self.raw, self.origin, encoding, value=schema.value, roles=roles, faults=faults), faults

    def is_table(self, schema: Schema) -> bool:
        """Return whether the file is a table, and in none of the formats of lexical substitution."""
        if self.form == ".xml" or binary_format(self.raw, self.form):
            return self.form != ".xml"
        if self.text.lstrip().startswith("["):
            return True
        if self.form == ".json":
            # The columns of a table are lists, the parts of a SWORDS file objects.
            value = parse_json(self.text, file=self.origin.name)
            return isinstance(value, dict) and bool(value) and all(isinstance(value.get(p, []), list) for p in SWORDS)
        if self.is_jsonl:
            return self._is_jsonl_table(schema)
        if els07.LINE.fullmatch(self.first):
            return False
        names = re.split("[\t,;]", self.first)
        return self.form in table_suffixes() or tables.has_columns(names, schema, self.options.column)

    def _is_jsonl_table(self, schema: Schema) -> bool:
        """Return whether the first of many JSON objects is a row of a table, and no record of our own."""
        try:
            record = parse_json(self.first, file=self.origin.name, line=1)
        except TouchstoneError:
            return False  # the reader of JSONL tells all that is wrong
        if not isinstance(record, dict):
            return False
        is_record = isinstance(record.get("gold"), dict) or isinstance(record.get("answers"), list)
        return not is_record and tables.has_columns(record, schema, self.options.column)
