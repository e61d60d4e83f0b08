"""The references and one run, joined by segment; and the joined runs cut into blocks of segments."""

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ids import STRICT, Ids, Policy, join_ids
from touchstone.base.notes import count_note
from touchstone.io.tables import repeated_strings
from touchstone.tasks.mt.about import Options
from touchstone.tasks.mt.model import GoldSet, Joined, Run

MISSING, NO_REFERENCE, EMPTY = "missing", "no reference", "empty"
"""Flags of segments in the table of items."""


def join(gold: GoldSet, run: Run, policy: Policy = STRICT, options: Options | None = None) -> Joined:  # noqa: ARG001
    """Join the references and one run.

    Parameters
    ----------
    gold, run
        What was read; the run has a place for every segment of the gold.
    policy
        What to do with missing translations.
    options
        Not used: all tasks have the same form.

    Examples
    --------
    >>> from touchstone.base.files import Source
    >>> from touchstone.tasks.mt.texts import Texts
    >>> gold = GoldSet((Texts(["a cat", "a dog"]),), ("1", "2"), (Source("ref.en", "0"),))
    >>> join(gold, Run("mine", Texts(["a cat", None]), Source("mine", "1")), Policy("skip")).counted.tolist()
    [True, False]
    """
    if len(run.texts) != len(gold):
        what = f"{len(run.texts):,} translations of {len(gold):,} segments"
        raise TouchstoneError(what, file=run.source.name, code=Code.MISMATCH, hint="read gold and runs together")
    present = [name for name, text in zip(gold.ids, run.texts, strict=True) if text is not None]
    run_ids = run.ids or Ids(run.source.name, present, range(len(present)))
    missing = f"{run.name!r} has no translation of this segment"
    ids = join_ids(gold.ids, run_ids, policy, missing=missing).check()
    flags = [
        MISSING if text is None else NO_REFERENCE if row in gold.unreferenced else EMPTY if not text.strip() else None
        for row, text in enumerate(run.texts)
    ]
    notes = [*run.notes, *ids.note(run.name, "segments without a translation")]
    if EMPTY in flags:
        notes.append(count_note(f"{run.name}: empty translations, which score 0", flags.count(EMPTY), len(flags)))
    facts = pa.table({"flag": repeated_strings(flags)})
    resources = gold.source, gold.thesaurus
    return Joined(run.texts.filled(), gold.texts, ids.counted, facts, tuple(notes), *resources)


def moved(run: Run, gold: GoldSet, other: GoldSet) -> Run:
    """Return a run that was read with one *gold* for the segments of an *other*, in the order of that one."""
    return replace(run, texts=run.texts.placed([gold.rows.get(name) for name in other.ids]))


def cut(joined: Sequence[Joined], rows: slice) -> list[Joined]:
    """Return the joined runs of one gold, cut to some segments; they share their references.

    Parameters
    ----------
    joined
        Runs that were joined with the same gold.
    rows
        The segments of the block.
    """
    first = joined[0]
    references = tuple(texts.cut(rows) for texts in first.references)
    source = first.source.cut(rows) if first.source else None
    shared = {"source": source, "thesaurus": first.thesaurus}
    return [Joined(system.hypotheses.cut(rows), references, system.counted[rows], **shared) for system in joined]  # type: ignore[arg-type]
