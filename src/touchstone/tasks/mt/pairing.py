"""A system beside the references: what is missing is settled, what is empty is counted."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from touchstone.core.errors import Fault, TouchstoneError
from touchstone.tasks.mt.inputs import References, System
from touchstone.tasks.mt.model import Compared

Missing = Literal["error", "zero", "skip"]

SHOWN_MISSING = 5
"""Missing translations that a refusal lists."""

MISSING, NO_REFERENCE, EMPTY = "missing", "no reference", "empty"
"""Flags of the table of items."""


@dataclass(frozen=True)
class Policy:
    """What to do with segments that a system did not translate: refuse, score 0, or leave out."""

    missing: Missing = "error"


STRICT = Policy()


def pair_up(references: References, system: System, policy: Policy = STRICT) -> Compared:
    """Return the translations of *system* beside the references; refuse what is missing, unless the policy settles it.

    >>> from touchstone.io.text import Source
    >>> from touchstone.tasks.mt.model import Texts
    >>> gold = References((Texts(["a cat", "a dog"]),), ("1", "2"), (Source("ref.en", "0"),))
    >>> pair_up(gold, System("mine", Texts(["a cat", None]), Source("mine", "1")), Policy("skip")).counted.tolist()
    [True, False]
    """
    if len(system.texts) != len(references):
        what = f"{len(system.texts):,} translations of {len(references):,} segments"
        raise TouchstoneError(what, file=system.source.name, hint="read systems and references together")
    absent = [row for row, text in enumerate(system.texts) if text is None]
    if absent and policy.missing == "error":
        raise _missing(absent, references, system)
    counted = np.ones(len(references), np.bool_)
    counted[absent] = policy.missing == "zero"
    # New texts: what measures work out of a system's output goes when it is scored, whoever keeps the system.
    return Compared(system.texts.afresh(), references.texts, counted)


def flags(references: References, system: System) -> list[str | None]:
    """Return for each segment what is odd about it, None where nothing is."""
    return [
        MISSING if text is None else NO_REFERENCE if row in references.bare else EMPTY if not text.strip() else None
        for row, text in enumerate(system.texts)
    ]


def remarks(references: References, system: System, policy: Policy) -> list[str]:
    """Return what is worth knowing of a system's translations, with counts; none of it stops a scoring."""
    found = flags(references, system)
    settled = "score 0" if policy.missing == "zero" else "are left out"
    said = {
        f"segments without a translation, which {settled} (of {len(found):,})": found.count(MISSING),
        f"empty translations, which score 0 (of {len(found):,})": found.count(EMPTY),
    }
    return [*system.notes, *(f"{system.name}: {what}: {count:,}" for what, count in said.items() if count)]


def _missing(absent: list[int], references: References, system: System) -> TouchstoneError:
    faults = [
        Fault(f"{system.name!r} has no translation of this segment", system.source.name, value=references.ids[row])
        for row in absent[:SHOWN_MISSING]
    ]
    hint = "let them score 0 with --missing zero, or leave them out with --missing skip"
    return TouchstoneError.of(faults, f"{len(absent):,} of {len(references):,} segments have none; {hint}")
