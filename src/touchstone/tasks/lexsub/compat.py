"""Figures as the official scorer of SemEval-2007 prints them, beside our own records of the same items."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from touchstone.core.errors import TouchstoneError
from touchstone.core.measures import Measure
from touchstone.core.ragged import Bools, Floats
from touchstone.io.text import Source, read_bytes
from touchstone.stats.records import mean
from touchstone.tasks.lexsub import official
from touchstone.tasks.lexsub.measures import Views
from touchstone.tasks.lexsub.model import GoldSet, Run
from touchstone.tasks.lexsub.official import OfficialItem

__all__ = [
    "PREFIX",
    "Compat",
    "OfficialItem",
    "official_measure",
    "official_records",
    "officially_kept",
    "read_official_gold",
    "spread",
]

Compat = Literal["none", "els07", "both"]

PREFIX = "els07."
OFFICIAL = "@official"
"""What follows a measure's name where it stands beside our own figure of that name."""


def read_official_gold(gold: GoldSet) -> Mapping[str, OfficialItem]:
    """Read the gold file again, by the official rules."""
    return official.read_gold(_text(gold.source, gold.form), file=gold.source.name)


def official_records(items: Mapping[str, OfficialItem], run: Run) -> dict[str, Floats]:
    """Return the records of each ``els07`` measure whose view the run gives, in the order of *items*."""
    records: dict[str, Floats] = {}
    for view, answers, score in (("best", run.best, official.score_best), ("oot", run.ranked, official.score_oot)):
        if answers is None:
            continue
        found = score(items, _text(answers.source, answers.form), file=answers.source.name)
        everything = np.ones(len(found.ids))
        records[f"{PREFIX}{view}.P"] = np.column_stack([found.credit, found.attempted])
        records[f"{PREFIX}{view}.R"] = np.column_stack([found.credit, everything])
        records[f"{PREFIX}{view}_mode.P"] = np.column_stack([found.mode_hit, found.mode_attempted])
        records[f"{PREFIX}{view}_mode.R"] = np.column_stack([found.mode_hit, found.has_mode])
    return records


def official_measure(name: str, compat: Compat) -> Measure[Views]:
    """Return a measure whose records come from the official rules, not from views."""
    shown = name + OFFICIAL if compat == "both" else name
    return Measure(shown, _no_record, mean, "as the official scorer of SemEval-2007 task 10 computes it")


def _no_record(_: Views) -> Floats:
    raise TouchstoneError("official figures are made from files, not from views")


def spread(ids: Sequence[str], items: Mapping[str, OfficialItem], records: Floats) -> Floats:
    """Return *records*, which are in the order of *items*, in the order of *ids*; zeros where there is none."""
    place = {name: row for row, name in enumerate(items)}
    rows = np.array([place.get(name, -1) for name in ids])
    return np.where(rows[:, None] >= 0, records[rows], 0.0)


def officially_kept(gold: GoldSet, items: Mapping[str, OfficialItem]) -> Bools:
    """Return which items of the gold the official scorer keeps."""
    return np.array([name in items for name in gold.ids], np.bool_)


def _text(source: Source, form: str) -> str:
    if form != "els07":
        raise TouchstoneError("the official rules are for ELS07 files", file=source.name, value=form)
    if source.path is None:
        raise TouchstoneError("the official rules need a file, not standard input", file=source.name)
    # Byte for character, carriage returns and all: the official scorer knows no encodings.
    return read_bytes(source.path)[0].decode("latin-1")
