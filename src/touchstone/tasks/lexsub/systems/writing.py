"""Answers of a system, written in the form that the suffix names."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from touchstone.core.errors import TouchstoneError, nearest
from touchstone.core.ragged import Ragged, StringLists
from touchstone.io.writing import write_text
from touchstone.tasks.lexsub.formats.writing import answers_as_els07, answers_as_jsonl
from touchstone.tasks.lexsub.model import Answers, Run

SUFFIXES = (".oot", ".best", ".jsonl")


def check_suffix(path: str | Path) -> str:
    """Return the suffix of *path*, or say before work that answers are not written in that form."""
    suffix = Path(path).suffix
    if suffix not in SUFFIXES:
        hint = f"use one of {', '.join(SUFFIXES)}"
        raise TouchstoneError(
            "answers cannot be written in this form", value=str(path), near=nearest(suffix, SUFFIXES), hint=hint
        )
    return suffix


def write_run(path: str | Path, run: Run) -> None:
    """Write the ranked lists of a run; ``.jsonl`` carries its boundaries, in ``.oot`` and ``.best`` lists end there."""
    suffix = check_suffix(path)
    if suffix == ".jsonl":
        write_text(path, answers_as_jsonl(run))
    else:
        assert run.ranked is not None
        ended = replace(run, ranked=_ended(run.ranked))
        write_text(path, answers_as_els07(ended, "best" if suffix == ".best" else "ranked"))


def _ended(answers: Answers) -> Answers:
    """Return lists that end at their boundaries where they have one."""
    codes: Ragged[np.int64] = answers.lists.codes
    ends = np.where(answers.cuts >= 0, answers.cuts, codes.sizes)
    inside = codes.place < ends[codes.row]
    return replace(answers, lists=StringLists(answers.lists.words, codes.keep(inside)))
