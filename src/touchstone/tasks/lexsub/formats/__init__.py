"""Files of lexical substitution, by suffix: ELS07, SWORDS, CoInCo and the neutral JSONL."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from touchstone.core.errors import TouchstoneError
from touchstone.core.task import PathLike
from touchstone.io.jsonl import parse_json
from touchstone.io.runs import RunFiles, run_files
from touchstone.io.text import Source, decode, lines, read_bytes
from touchstone.io.writing import write_text
from touchstone.io.xml import parse_xml
from touchstone.tasks.lexsub.formats import coinco, els07, jsonl, swords
from touchstone.tasks.lexsub.formats.writing import gold_as_els07, gold_as_jsonl, run_as_els07, run_as_jsonl
from touchstone.tasks.lexsub.joining import ReadingOptions
from touchstone.tasks.lexsub.model import GoldSet, Run, Sentence

TOGETHER = (".best", ".oot")
"""Suffixes of files that are one run where the rest of their names is the same."""

Kind = Literal["gold", "run", "sentences"]


def read_gold(
    path: str | Path,
    *,
    encoding: str = "utf-8",
    min_responses: float | None = None,
    min_weight: float = 1,
    source: str | Path | None = None,
) -> GoldSet:
    """Read human answers.

    Parameters
    ----------
    path
        SWORDS (.json), CoInCo (.xml), JSONL (.jsonl) or ELS07 (any other suffix), also with .gz.
    encoding
        The encoding of text files.
    min_responses
        The least summed weight of an item that is scored; by default 2 for ELS07 and 1 for other formats.
    min_weight
        The least number of people who must accept a SWORDS substitute.
    source
        The ELS07 XML file of the sentences.
    """
    raw, origin = read_bytes(path)
    form = _form(origin)
    if form == ".xml":
        gold = coinco.read_gold(raw, origin, min_responses)
    else:
        text, origin = decode(raw, origin.name, encoding), replace(origin, encoding=encoding)
        if form == ".json":
            gold = swords.read_gold(text, origin, min_responses, min_weight)
        elif form == ".jsonl" or (form == "" and text.lstrip().startswith("{")):
            gold = jsonl.read_gold(text, origin, min_responses)
        else:
            gold = els07.read_gold(text, origin, min_responses)
    if source is None:
        return gold
    sentences = read_sentences(source)
    contexts = [sentences[name].context if name in sentences else None for name in gold.ids]
    return replace(gold, contexts=contexts, known=frozenset(sentences))


def read_run(*paths: str | Path, name: str | None = None, encoding: str = "utf-8") -> Run:
    """Read the run of one system; refuse what cannot be read.

    Parameters
    ----------
    paths
        One file, or two of which one has best guesses and the other ranked lists.
    name
        The name of the system; by default what the file says, or the name of the first file.
    encoding
        The encoding of the files.
    """
    files = run_files(paths, TOGETHER)[0] if paths else RunFiles("", ())
    run = read_files(RunFiles(name or files.name, paths, named=name is not None), encoding)
    if run.faults:
        raise TouchstoneError.of(run.faults)
    return run


def read_runs(paths: str | Path | Sequence[str | Path], *, encoding: str = "utf-8") -> list[Run]:
    """Read the runs of several systems.

    What cannot be read stays with the run: scoring and validating report it together with all other faults.

    Parameters
    ----------
    paths
        Files, ``NAME=FILE`` texts or folders; ``a.best`` and ``a.oot`` are one system.
    encoding
        The encoding of the files.
    """
    given = [paths] if isinstance(paths, str | Path) else paths
    return [read_files(files, encoding) for files in run_files(given, TOGETHER)]


def read_files(files: RunFiles, encoding: str = "utf-8") -> Run:
    """Read the files of one system; what cannot be read stays with the run."""
    if not files.paths:
        raise TouchstoneError("no file of answers given")
    runs = [_read_file(path, encoding) for path in files.paths]
    best = [run.best for run in runs if run.best is not None]
    ranked = [run.ranked for run in runs if run.ranked is not None]
    if len(best) > 1 or len(ranked) > 1:
        view = "best" if len(best) > 1 else "ranked"
        names = " and ".join(map(str, files.paths))
        raise TouchstoneError(f"two files give the {view} view of one system: {names}")
    sources = tuple(source for run in runs for source in run.sources)
    own = next((run.name for run in runs if run.name != run.sources[0].stem), files.name)
    return Run(
        files.name if files.named else own,
        sources,
        best[0] if best else None,
        ranked[0] if ranked else None,
        sum(run.empty_answers for run in runs),
    )


def read_sentences(path: str | Path) -> Mapping[str, Sentence]:
    """Read an ELS07 XML file: the sentences by id."""
    raw, origin = read_bytes(path)
    sentences: dict[str, Sentence] = {}
    for sentence in els07.read_sentences(raw, origin):
        if sentence.id in sentences or not sentence.id:
            raise TouchstoneError("an instance needs an id of its own", file=origin.name, value=sentence.id)
        sentences[sentence.id] = sentence
    if not sentences:
        raise TouchstoneError("no sentence in it", file=origin.name)
    return sentences


def file_kind(path: str | Path, encoding: str = "utf-8") -> Kind:
    """Return what a file holds, by its suffix and, where several kinds have that suffix, by its first line."""
    raw, origin = read_bytes(path)
    form = _form(origin)
    if form == ".xml":
        return "sentences" if parse_xml(raw, origin.name).tag == "corpus" else "gold"
    if form in (".best", ".oot", ".mw"):
        return "run"
    text = decode(raw, origin.name, encoding)
    if form == ".json":
        return "gold" if '"substitute_labels"' in text else "run"
    first = next(line for _, line in lines(text))
    if form == ".jsonl" or first.startswith("{"):
        record = parse_json(first, file=origin.name, line=1)
        return "gold" if isinstance(record, dict) and "gold" in record else "run"
    return "gold" if form == ".gold" or re.search(r" :: .*\s[0-9]+;", first) else "run"


def convert(path: PathLike, out: PathLike, options: ReadingOptions) -> str:
    """Write gold or a run in another format and return what was written, in words.

    Parameters
    ----------
    path
        The file to read.
    out
        The file to write; its suffix gives the format: .gold (ELS07) or .jsonl for gold; .best, .oot or .jsonl for
        runs.
    options
        How the file is read.
    """
    suffix = Path(out).suffix
    kind = file_kind(path, options.encoding)
    if kind == "gold" and suffix in (".gold", ".jsonl"):
        gold = read_gold(path, **vars(options))
        write_text(out, gold_as_jsonl(gold) if suffix == ".jsonl" else gold_as_els07(gold))
        left_out = f"; left out, too few human answers: {', '.join(gold.excluded)}" if gold.excluded else ""
        return f"{len(gold):,} items{left_out}"
    if kind == "run" and suffix in (".best", ".oot", ".jsonl"):
        run = read_run(path, encoding=options.encoding)
        view = "best" if suffix == ".best" else "ranked"
        write_text(out, run_as_jsonl(run) if suffix == ".jsonl" else run_as_els07(run, view))
        lost = suffix != ".jsonl" and run.has_boundary
        return f"answers of {run.name}" + ("; this format cannot carry the system's boundaries" if lost else "")
    hint = "gold can be written as .gold or .jsonl, a run as .best, .oot or .jsonl"
    raise TouchstoneError(f"a file of {kind} cannot be written in this format", value=str(out), hint=hint)


def _read_file(path: str | Path, encoding: str) -> Run:
    """Read one file; the run has the name that the file gives its system, or the name of the file."""
    raw, origin = read_bytes(path)
    text, origin = decode(raw, origin.name, encoding), replace(origin, encoding=encoding)
    form = _form(origin)
    if form == ".json":
        return swords.read_run(text, origin)
    if form == ".jsonl" or (form == "" and text.lstrip().startswith("{")):
        return jsonl.read_run(text, origin)
    return els07.read_run(text, origin)


def _form(origin: Source) -> str:
    return Path(origin.name.removesuffix(".gz")).suffix
