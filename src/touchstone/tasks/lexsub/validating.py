"""Every problem of a set of files, found before anything is scored."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from touchstone.core.errors import Fault, TouchstoneError
from touchstone.core.resampling import Resampling
from touchstone.tasks.lexsub.answers import base_form
from touchstone.tasks.lexsub.formats import file_kind, read_gold, read_runs, read_sentences
from touchstone.tasks.lexsub.model import GoldSet, Run
from touchstone.tasks.lexsub.pairing import STRICT, Policy
from touchstone.tasks.lexsub.scoring import score

T = TypeVar("T")

MANY_INFLECTED = 0.1
"""From this share of inflected answers on, a system seems to have forgotten to lemmatise."""


@dataclass
class Validation:
    """What was found in some files: faults stop a scoring, warnings do not."""

    faults: list[Fault] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)


def validate(
    paths: Sequence[str | Path],
    *,
    encoding: str = "utf-8",
    source: str | Path | None = None,
    min_responses: float | None = None,
    min_weight: float = 1,
    policy: Policy = STRICT,
) -> Validation:
    """Read files of any kind, join the answers with the gold if there is one, and return all that is wrong."""
    found = Validation()
    kinds = {path: _try(found, partial(file_kind, path, encoding)) for path in paths}
    source = source or next((path for path, kind in kinds.items() if kind == "sentences"), None)
    read = partial(read_gold, encoding=encoding, source=source, min_responses=min_responses, min_weight=min_weight)
    gold: GoldSet | None = None
    for path in (path for path, kind in kinds.items() if kind == "gold"):
        gold = _try(found, partial(read, path)) or gold
        if gold is not None:
            found.facts.append(f"{gold.source}: {len(gold):,} items kept, {len(gold.excluded):,} excluded")
    for path in (path for path, kind in kinds.items() if kind == "sentences"):
        sentences = _try(found, partial(read_sentences, path))
        if sentences is not None:
            found.facts.append(f"{path}: {len(sentences):,} sentences")
    for path in (path for path, kind in kinds.items() if kind == "answers"):
        for run in _try(found, partial(read_runs, [path], encoding=encoding)) or []:
            _look_at_run(found, gold, run, policy)
    return found


def _look_at_run(found: Validation, gold: GoldSet | None, run: Run, policy: Policy) -> None:
    answers = run.ranked or run.best
    assert answers is not None
    found.facts.append(f"{run.sources[0]}: answers to {len(answers.ids):,} items")
    if gold is None:
        found.warnings += run.notes
    inflected = _inflected_share(run)
    if inflected >= MANY_INFLECTED:
        said = f"{run.system}: {inflected:.0%} of the answers are inflected forms; consider --lemmatize"
        found.warnings.append(said)
    if gold is None:
        found.faults += [*run.faults, *(answers.known_ids.repeated() if policy.duplicates == "error" else [])]
    else:
        notes = _try(found, partial(_notes, gold, run, policy)) or []
        found.warnings += [note for note in notes if note not in found.warnings]


def _notes(gold: GoldSet, run: Run, policy: Policy) -> list[str]:
    """Return all that a scoring would say of the run."""
    return list(score(gold, run, ["rank@10"], resampling=Resampling("none"), policy=policy).notes)


def _inflected_share(run: Run) -> float:
    """Return how many of the distinct answers have another base form."""
    answers = run.ranked or run.best
    assert answers is not None
    pairs = {
        (answers.lists.words[code], answers.pos[row])
        for row, code in zip(answers.lists.codes.row.tolist(), answers.lists.codes.values.tolist(), strict=True)
    }
    changed: int = sum(base_form(answer, pos or "") != answer for answer, pos in pairs)
    return changed / max(1, len(pairs))


def _try(found: Validation, read: Callable[[], T]) -> T | None:
    """Return what *read* gives, or keep its faults and go on."""
    try:
        return read()
    except TouchstoneError as error:
        found.faults += error.faults
        return None
