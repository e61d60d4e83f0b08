"""Files of lexical substitution, told apart by suffix: ELS07, SWORDS, CoInCo and the neutral JSONL."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from touchstone.core.errors import TouchstoneError
from touchstone.io.jsonl import parse_json
from touchstone.io.text import Source, decode, lines, read_bytes
from touchstone.io.writing import write_text
from touchstone.io.xml import parse_xml
from touchstone.tasks.lexsub.formats import coinco, els07, jsonl, swords
from touchstone.tasks.lexsub.formats.writing import answers_as_els07, answers_as_jsonl, gold_as_els07, gold_as_jsonl
from touchstone.tasks.lexsub.model import GoldSet, Run, Sentence

Kind = Literal["gold", "answers", "sentences"]


def read_gold(
    path: str | Path,
    *,
    encoding: str = "utf-8",
    min_responses: float | None = None,
    min_weight: float = 1,
    source: str | Path | None = None,
) -> GoldSet:
    """Read human answers: ELS07 (any other suffix), SWORDS (.json), CoInCo (.xml) or JSONL (.jsonl), also .gz.

    *source* is the ELS07 XML file of the sentences. An item is kept if its weights sum to *min_responses* (2 for
    ELS07, 1 for other forms); *min_weight* is the least number of people who must accept a SWORDS substitute.
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
    return gold if source is None else _with_sentences(gold, read_sentences(source))


def read_answers(*paths: str | Path, system: str | None = None, encoding: str = "utf-8") -> Run:
    """Read a system's answers: one file, or a best and a ranked file of the same system; refuse what cannot be read."""
    run = _read_run(paths, encoding)
    if run.faults:
        raise TouchstoneError.of(run.faults)
    return replace(run, system=system) if system else run


def _read_run(paths: Sequence[str | Path], encoding: str) -> Run:
    if not paths:
        raise TouchstoneError("no file of answers given")
    runs = [_read_one(path, encoding) for path in paths]
    best = [run.best for run in runs if run.best is not None]
    ranked = [run.ranked for run in runs if run.ranked is not None]
    if len(best) > 1 or len(ranked) > 1:
        view = "best" if len(best) > 1 else "ranked"
        names = " and ".join(str(path) for path in paths)
        raise TouchstoneError(f"two files give the {view} view of one system: {names}")
    return Run(
        runs[0].system,
        tuple(source for run in runs for source in run.sources),
        best[0] if best else None,
        ranked[0] if ranked else None,
        tuple(note for run in runs for note in run.notes),
    )


def read_runs(paths: str | Path | Sequence[str | Path], *, encoding: str = "utf-8") -> list[Run]:
    """Read several systems; two files of the same name with different views (``a.best a.oot``) are one system.

    What cannot be read stays with the run: scoring and validating tell of it together with all other faults.
    """
    files: dict[Path, list[Path]] = {}
    for path in map(Path, [paths] if isinstance(paths, str | Path) else paths):
        plain = Path(str(path).removesuffix(".gz"))
        files.setdefault(plain.with_suffix("") if plain.suffix in (".best", ".oot") else plain, []).append(path)
    runs = [_read_run(given, encoding) for given in files.values()]
    names = [run.system for run in runs]
    return [
        run if names.count(run.system) == 1 else replace(run, system=f"{name.parent.name}/{name.name}")
        for name, run in zip(files, runs, strict=True)
    ]


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
    """Tell what a file holds, by its suffix and, where that leaves it open, by its first line."""
    raw, origin = read_bytes(path)
    form = _form(origin)
    if form == ".xml":
        return "sentences" if parse_xml(raw, origin.name).tag == "corpus" else "gold"
    if form in (".best", ".oot", ".mw"):
        return "answers"
    text = decode(raw, origin.name, encoding)
    if form == ".json":
        return "gold" if '"substitute_labels"' in text else "answers"
    first = next(line for _, line in lines(text))
    if form == ".jsonl" or first.startswith("{"):
        record = parse_json(first, file=origin.name, line=1)
        return "gold" if isinstance(record, dict) and "gold" in record else "answers"
    return "gold" if form == ".gold" or re.search(r" :: .*\s[0-9]+;", first) else "answers"


def convert(
    path: str | Path,
    out: str | Path,
    *,
    encoding: str = "utf-8",
    min_responses: float | None = None,
    source: str | Path | None = None,
) -> str:
    """Write gold or answers in another form, told by the suffix of *out*, and say what was written.

    Gold goes to .gold (ELS07) or .jsonl; answers to .best, .oot or .jsonl.
    """
    suffix = Path(out).suffix
    kind = file_kind(path, encoding)
    if kind == "gold" and suffix in (".gold", ".jsonl"):
        gold = read_gold(path, encoding=encoding, min_responses=min_responses, source=source)
        write_text(out, gold_as_jsonl(gold) if suffix == ".jsonl" else gold_as_els07(gold))
        left_out = f"; left out, too few human answers: {', '.join(gold.excluded)}" if gold.excluded else ""
        return f"{len(gold):,} items{left_out}"
    if kind == "answers" and suffix in (".best", ".oot", ".jsonl"):
        run = read_answers(path, encoding=encoding)
        view = "best" if suffix == ".best" else "ranked"
        write_text(out, answers_as_jsonl(run) if suffix == ".jsonl" else answers_as_els07(run, view))
        lost = suffix != ".jsonl" and run.ranked is not None and bool((run.ranked.cuts >= 0).any())
        return f"answers of {run.system}" + ("; this form cannot carry the system's boundaries" if lost else "")
    hint = "gold can be written as .gold or .jsonl, answers as .best, .oot or .jsonl"
    raise TouchstoneError(f"{kind} cannot be written in this form", value=str(out), hint=hint)


def _read_one(path: str | Path, encoding: str) -> Run:
    raw, origin = read_bytes(path)
    text, origin = decode(raw, origin.name, encoding), replace(origin, encoding=encoding)
    form = _form(origin)
    if form == ".json":
        return swords.read_answers(text, origin)
    if form == ".jsonl" or (form == "" and text.lstrip().startswith("{")):
        return jsonl.read_answers(text, origin)
    view, answers, notes = els07.read_answers(text, origin)
    best, ranked = (answers, None) if view == "best" else (None, answers)
    return Run(origin.stem, (origin,), best, ranked, tuple(notes))


def _form(origin: Source) -> str:
    return Path(origin.name.removesuffix(".gz")).suffix


def _with_sentences(gold: GoldSet, sentences: Mapping[str, Sentence]) -> GoldSet:
    contexts = [sentences[name].context if name in sentences else None for name in gold.ids]
    return replace(gold, contexts=contexts, known=frozenset(sentences))
