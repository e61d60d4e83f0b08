"""Files of inference sets, told apart by suffix and first line: pairs, predictions and answers of readers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from touchstone.core.errors import TouchstoneError
from touchstone.io.jsonl import parse_json
from touchstone.io.text import decode, lines, read_bytes, read_text
from touchstone.io.writing import write_text
from touchstone.tasks.nli.formats import answers, pairs, predictions
from touchstone.tasks.nli.formats.answers import AnswerSheet
from touchstone.tasks.nli.formats.fields import NAMES
from touchstone.tasks.nli.formats.writing import pairs_as_jsonl, pairs_as_tsv, run_as_jsonl, run_as_tsv
from touchstone.tasks.nli.model import PairSet, Run, Spelling

Kind = Literal["pairs", "predictions", "answers"]


def read_pairs(path: str | Path, *, encoding: str = "utf-8") -> PairSet:
    """Read sentence pairs: JSONL in SNLI's names or ours, a table with a header, or parallel files, also .gz.

    Of parallel files ``s1.X s2.X labels.X`` any one may be named.
    """
    if _is_parallel(path):
        return pairs.read_parallel(Path(path), encoding)
    text, source = read_text(path, encoding)
    return pairs.read_jsonl(text, source) if _is_json(text) else pairs.read_tsv(text, source)


def read_predictions(path: str | Path, *, system: str | None = None, encoding: str = "utf-8") -> Run:
    """Read what a system says, from JSONL or from a table; its name is the file's, unless *system* gives one."""
    text, source = read_text(path, encoding)
    read = predictions.read_jsonl if _is_json(text) else predictions.read_tsv
    return read(text, source, system)


def read_runs(paths: Sequence[str | Path], *, names: Sequence[str] = (), encoding: str = "utf-8") -> list[Run]:
    """Read several systems; *names* are theirs, in the order of the files, where the files' own will not do."""
    if names and len(names) != len(paths):
        raise TouchstoneError(
            f"{len(names)} names for {len(paths)} systems", hint="give --system once for each file, in their order"
        )
    given: Sequence[str | None] = names or [None] * len(paths)
    return [read_predictions(path, system=name, encoding=encoding) for path, name in zip(paths, given, strict=True)]


def read_answers(path: str | Path, *, encoding: str = "utf-8") -> AnswerSheet:
    """Read what readers answered to the three questions about each pair."""
    text, source = read_text(path, encoding)
    return answers.read_jsonl(text, source)


def file_kind(path: str | Path, encoding: str = "utf-8") -> Kind:
    """Tell what a file holds by the names in its first line."""
    if _is_parallel(path):
        return "pairs"
    raw, source = read_bytes(path)
    text = decode(raw, source.name, encoding)
    number, first = next(lines(text))
    found = parse_json(first, file=source.name, line=number) if _is_json(text) else first.split("\t")
    names = set(found) if isinstance(found, dict | list) else set()
    if names & {"q1", "q3"}:
        return "answers"
    return "pairs" if names & {*NAMES["premise"], *NAMES["hypothesis"]} else "predictions"


def convert(path: str | Path, out: str | Path, *, spelling: Spelling | None = None, encoding: str = "utf-8") -> str:
    """Write pairs or predictions as .jsonl or .tsv, by the suffix of *out*, and say what was written.

    *spelling* says whose names the fields of pairs have; by default those of the file that is read.
    """
    suffix = Path(out).suffix
    kind = file_kind(path, encoding)
    if suffix not in (".jsonl", ".tsv") or kind == "answers":
        hint = "pairs and predictions can be written as .jsonl or .tsv"
        raise TouchstoneError(f"{kind} cannot be written in this form", value=str(out), hint=hint)
    if kind == "predictions":
        run = read_predictions(path, encoding=encoding)
        write_text(out, run_as_jsonl(run) if suffix == ".jsonl" else run_as_tsv(run))
        return f"{len(run.ids):,} predictions of {run.system}"
    found = read_pairs(path, encoding=encoding)
    written = pairs_as_jsonl if suffix == ".jsonl" else pairs_as_tsv
    write_text(out, written(found.pairs, spelling or found.spelling))
    return f"{len(found):,} pairs"


def _is_parallel(path: str | Path) -> bool:
    return Path(path).name.split(".")[0] in pairs.PARALLEL and Path(path).suffix not in (".jsonl", ".tsv", ".gz")


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{")
