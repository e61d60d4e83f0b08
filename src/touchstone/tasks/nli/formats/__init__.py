"""Files of inference sets: pairs, runs of systems, and answers of readers, in any format of `records`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from touchstone.core.errors import TouchstoneError
from touchstone.io.runs import run_files
from touchstone.io.writing import write_text
from touchstone.tasks.nli.formats.answers import AnswerSheet, parse_answers
from touchstone.tasks.nli.formats.pairs import parse_gold
from touchstone.tasks.nli.formats.records import read_records
from touchstone.tasks.nli.formats.runs import parse_run
from touchstone.tasks.nli.formats.writing import SUFFIXES, format_pairs, format_run
from touchstone.tasks.nli.model import GoldSet, Run

if TYPE_CHECKING:
    from touchstone.tasks.nli.task import ConvertOptions


def read_gold(path: str | Path, *, encoding: str = "utf-8") -> GoldSet:
    """Read sentence pairs.

    Parameters
    ----------
    path
        JSONL, TSV, CSV or Parquet, with SNLI's names of fields or ours, also .gz; or one of three parallel files
        ``s1.X``, ``s2.X``, ``labels.X``; ``-`` is standard input.
    encoding
        The encoding of text files.
    """
    return parse_gold(read_records(path, encoding))


def read_run(path: str | Path, *, name: str | None = None, encoding: str = "utf-8") -> Run:
    """Read the labels that one system gave.

    Parameters
    ----------
    path
        JSONL, TSV, CSV or Parquet with the fields id and label.
    name
        The name of the system; the file's by default.
    encoding
        The encoding of text files.
    """
    return parse_run(read_records(path, encoding), name)


def read_runs(paths: Sequence[str | Path], *, encoding: str = "utf-8") -> list[Run]:
    """Read the runs of several systems, each called what ``NAME=FILE`` or its file says."""
    return [read_run(files.path, name=files.name, encoding=encoding) for files in run_files(paths)]


def read_answers(path: str | Path, *, encoding: str = "utf-8") -> AnswerSheet:
    """Read what readers answered to the three questions about each pair."""
    return parse_answers(read_records(path, encoding))


def convert_file(path: str | Path, out: str | Path, options: "ConvertOptions") -> str:
    """Write pairs or a run in the format that the suffix of *out* names, and say what was written."""
    records = read_records(path, options.encoding)
    suffix = Path(out).suffix
    if suffix not in SUFFIXES or records.kind == "answers":
        hint = f"pairs and predictions can be written as {', '.join(SUFFIXES)}"
        raise TouchstoneError(f"{records.kind} cannot be written in this format", value=str(out), hint=hint)
    if records.kind == "predictions":
        run = parse_run(records)
        write_text(out, format_run(run, suffix))
        return f"{len(run.ids):,} predictions of {run.name}"
    gold = parse_gold(records)
    write_text(out, format_pairs(gold.pairs, options.names or gold.spelling, suffix))
    return f"{len(gold):,} pairs"
