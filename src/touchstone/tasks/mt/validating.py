"""Every problem of a set of translations, found before anything is scored."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from touchstone.core.errors import Fault, TouchstoneError
from touchstone.tasks.mt.formats import NONE, Analyses, read_translations
from touchstone.tasks.mt.formats.plain import check_lengths, read_text_file, system_files
from touchstone.tasks.mt.inputs import Reading, References, System
from touchstone.tasks.mt.pairing import STRICT, Policy, pair_up, remarks
from touchstone.tasks.mt.scoring import reference_remarks

T = TypeVar("T")


@dataclass
class Validation:
    """What was found in some files: faults stop a scoring, warnings do not."""

    faults: list[Fault] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)


def validate(
    systems: Sequence[str | Path],
    references: Sequence[str | Path] = (),
    *,
    named: Mapping[str, str | Path] | None = None,
    reading: Reading | None = None,
    analyses: Analyses = NONE,
    allow_empty: bool = False,
    policy: Policy = STRICT,
) -> Validation:
    """Read everything that a scoring would read, and return all that is wrong with it."""
    found = Validation()
    reading = reading or Reading()
    if references:
        _look_at_files(found, systems, references, named or {}, reading)
    if found.faults:
        return found
    whole = _try(
        found,
        lambda: read_translations(
            systems, references, named=named, reading=reading, analyses=analyses, allow_empty=allow_empty
        ),
    )
    if whole is not None:
        _look_at_systems(found, *whole, policy)
    return found


def _look_at_files(
    found: Validation,
    systems: Sequence[str | Path],
    references: Sequence[str | Path],
    named: Mapping[str, str | Path],
    reading: Reading,
) -> None:
    """Try every file by itself, so that a fault in one does not hide those of the others."""
    files = _try(found, lambda: system_files(systems, named)) or {}
    texts = [_try(found, partial(read_text_file, path, reading)) for path in [*references, *files.values()]]
    _try(found, lambda: check_lengths([text for text in texts if text is not None]))


def _look_at_systems(found: Validation, references: References, systems: Sequence[System], policy: Policy) -> None:
    texts = sum(text is not None for column in references.texts for text in column)
    found.facts.append(f"{', '.join(map(str, references.sources))}: {len(references):,} segments, {texts:,} references")
    found.warnings += reference_remarks(references)
    for system in systems:
        _try(found, partial(pair_up, references, system, policy))
        given = sum(text is not None for text in system.texts)
        found.facts.append(f"{system.name}: {given:,} translations ({system.source})")
        found.warnings += remarks(references, system, policy)


def _try(found: Validation, read: Callable[[], T]) -> T | None:
    """Return what *read* gives, or keep its faults and go on."""
    try:
        return read()
    except TouchstoneError as error:
        found.faults += error.faults
        found.hints += [error.hint] if error.hint and error.hint not in found.hints else []
        return None
