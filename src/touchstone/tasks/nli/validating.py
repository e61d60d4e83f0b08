"""Every problem of a set of files, found before anything is scored."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from touchstone.core.errors import Fault, TouchstoneError
from touchstone.tasks.nli.formats import file_kind, read_answers, read_pairs, read_predictions
from touchstone.tasks.nli.model import PairSet
from touchstone.tasks.nli.pairing import STRICT, Policy, pair_up
from touchstone.tasks.nli.scoring import remarks
from touchstone.tasks.nli.verifying import verify

T = TypeVar("T")


@dataclass
class Validation:
    """What was found in some files: faults stop a scoring, warnings do not."""

    faults: list[Fault] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)


def validate(paths: Sequence[str | Path], *, encoding: str = "utf-8", policy: Policy = STRICT) -> Validation:
    """Read files of any kind, join predictions and answers with the last set of pairs, and return all that is wrong."""
    found = Validation()
    kinds = {path: _try(found, partial(file_kind, path, encoding)) for path in paths}
    pairs: PairSet | None = None
    for path in (path for path, kind in kinds.items() if kind == "pairs"):
        pairs = _try(found, partial(read_pairs, path, encoding=encoding)) or pairs
        if pairs is not None:
            said = f"{len(pairs):,} pairs on {pairs.premises:,} premises, {len(pairs.scored):,} with a gold label"
            found.facts.append(f"{pairs.source}: {said}")
            found.warnings += remarks(pairs)
    for path in (path for path, kind in kinds.items() if kind == "predictions"):
        _look_at_predictions(found, path, pairs, encoding, policy)
    for path in (path for path, kind in kinds.items() if kind == "answers"):
        _look_at_answers(found, path, pairs, encoding)
    return found


def _look_at_predictions(
    found: Validation, path: str | Path, pairs: PairSet | None, encoding: str, policy: Policy
) -> None:
    run = _try(found, partial(read_predictions, path, encoding=encoding))
    if run is None:
        return
    found.facts.append(f"{run.source}: predictions for {len(run.ids):,} pairs")
    if pairs is not None:
        joined = _try(found, lambda: pair_up(pairs, run, policy))
        found.warnings += joined[1] if joined else []


def _look_at_answers(found: Validation, path: str | Path, pairs: PairSet | None, encoding: str) -> None:
    sheet = _try(found, partial(read_answers, path, encoding=encoding))
    if sheet is None:
        return
    people = len({answer.annotator for answer in sheet.answers})
    found.facts.append(f"{sheet.source}: {len(sheet.answers):,} answers of {people:,} readers")
    if pairs is not None:
        checked = _try(found, lambda: verify(pairs, sheet))
        found.warnings += checked.notes if checked else []


def _try(found: Validation, read: Callable[[], T]) -> T | None:
    """Return what *read* gives, or keep its faults and go on."""
    try:
        return read()
    except TouchstoneError as error:
        found.faults += error.faults
        return None
