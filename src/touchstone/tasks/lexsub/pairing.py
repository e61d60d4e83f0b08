"""A run beside the gold: joined by id, checked, its missing views derived.

The outcome is a record batch with a row for each item: id, target, pos, gold, weight, best, ranked, set. Answers stand
as they were written; what counts as the same answer is the scorer's business.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from touchstone.core.errors import Fault, TouchstoneError
from touchstone.core.joining import Duplicates, Unknown, find_rows
from touchstone.core.ragged import Bools, Ints, StringLists
from touchstone.io import arrow
from touchstone.tasks.lexsub.keys import key
from touchstone.tasks.lexsub.measures import OOT
from touchstone.tasks.lexsub.model import Answers, GoldSet, Run


@dataclass(frozen=True)
class Policy:
    """What to do with ids that the gold does not have, and with ids that stand twice."""

    unknown: Unknown = "error"
    duplicates: Duplicates = "error"


STRICT = Policy()


def pair(gold: GoldSet, run: Run, items: Ints, policy: Policy = STRICT) -> tuple[pa.RecordBatch, list[str]]:
    """Join *run* with the given *items* (rows of the gold) and return the batch and warnings with counts."""
    notes = list(run.notes)
    best = _joined(gold, run, run.best, items, policy, notes) if run.best else None
    ranked = _joined(gold, run, run.ranked, items, policy, notes) if run.ranked else None
    lists, cuts = ranked or best or _nothing(len(items))
    guess = best[0] if best else lists.keep(lists.codes.place < 1)
    behind = lists if (cuts < 0).all() else lists.keep(lists.codes.place < _boundaries(lists, cuts))
    rows = items.tolist()
    columns = {
        "id": pa.array([gold.ids[row] for row in rows], pa.string()),
        "target": arrow.strings([gold.targets[row] for row in rows]),
        "pos": arrow.strings([gold.pos[row] for row in rows]),
        "gold": arrow.from_strings(gold.answers.take(items)),
        "weight": arrow.from_floats(gold.weights.take(items)),
        "best": arrow.from_strings(guess),
        "ranked": arrow.from_strings(lists),
        "set": arrow.from_strings(behind),
    }
    return pa.RecordBatch.from_pydict(columns), notes


def _joined(
    gold: GoldSet, run: Run, answers: Answers, items: Ints, policy: Policy, notes: list[str]
) -> tuple[StringLists, Ints]:
    """Return the answers and cuts of the *items*, in their order."""
    found = find_rows(
        gold.ids, answers.known_ids, unknown=policy.unknown, duplicates=policy.duplicates, known=gold.known
    )
    rows = found.rows
    others = _other_words(gold, answers, rows)
    faults = [*answers.faults, *found.faults, *others]
    if faults:
        hints = [*found.hints, *(["answers under another word may belong to another gold file"] if others else [])]
        raise TouchstoneError.of(faults, "; ".join(hints) or None)
    wanted = rows[items]
    lists = answers.lists.take(wanted)
    notes += [f"{run.system}: {said}" for said in _warnings(gold, answers, rows, lists)]
    return lists, np.where(wanted < 0, -1, answers.cuts[wanted] if len(answers.cuts) else -1)


def _nothing(n: int) -> tuple[StringLists, Ints]:
    return StringLists.of([[]] * n), np.full(n, -1)


def _boundaries(lists: StringLists, cuts: Ints) -> Ints:
    return np.where(cuts < 0, np.iinfo(np.int64).max, cuts)[lists.codes.row]


def _other_words(gold: GoldSet, answers: Answers, rows: Ints) -> list[Fault]:
    """Return a fault for each line that answers an item under another lemma than the gold's."""
    return [
        Fault(
            f"item {gold.ids[item]} has the target '{gold.targets[item]}', not this one",
            answers.source.name,
            answers.lines[row],
            answers.targets[row],
        )
        for item, row in enumerate(rows.tolist())
        if row >= 0 and answers.targets[row] not in (None, gold.targets[item])
    ]


def _warnings(gold: GoldSet, answers: Answers, rows: Ints, lists: StringLists) -> list[str]:
    """Return what is worth knowing of a run, with counts; none of it stops the scoring."""
    unanswered = int((lists.codes.sizes == 0).sum())
    excluded = int((rows[~gold.kept] >= 0).sum())
    long = int((lists.map(key).codes.distinct().sizes > OOT).sum())
    own = _equal_to_target(gold, answers, rows)
    pairs = ((answers.pos[row], gold.pos[item]) for item, row in enumerate(rows.tolist()) if row >= 0)
    other_pos = sum(given not in (None, expected) for given, expected in pairs)
    said = {
        "lines with another part of speech than the gold's": other_pos,
        f"unanswered items, which score 0 (of {len(lists):,})": unanswered,
        "answered items that have too few human answers": excluded,
        f"lists of more than {OOT}, of which oot, rank@{OOT} and r@{OOT} use the first {OOT}": long,
        "answers that are the target itself": own,
    }
    return [f"{what}: {count:,}" for what, count in said.items() if count]


def _equal_to_target(gold: GoldSet, answers: Answers, rows: Ints) -> int:
    keys = answers.lists.map(key)
    number = {word: code for code, word in enumerate(keys.words)}
    targets = np.full(len(answers.ids) + 1, -1)
    targets[rows] = [number.get(key(target), -1) for target in gold.targets]
    found: Bools = keys.codes.values == targets[keys.codes.row]
    return int(found.sum())
