"""The values of a system in the order of the items, under a policy for missing ones."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.ids import Policy, join_ids
from touchstone.base.notes import count_note
from touchstone.base.ragged import Ints
from touchstone.base.spelling import setting
from touchstone.core.results import RECORD
from touchstone.tasks.items.about import Options
from touchstone.tasks.items.model import VALUE, GoldSet, Joined, Run, answers_decide_items


def join(gold: GoldSet, run: Run, policy: Policy, options: Options) -> Joined:
    """Return the values of a system in the order of the items.

    An empty cell of an item that another system has a value for is missing, as a row that is not there.
    """
    ids = join_ids(gold.ids, run.ids, policy, missing=f"{run.name!r} has no row for this item").check()
    present = ids.rows >= 0
    columns, notes, lacking = {}, ids.note(run.name), {}
    for name, values in run.columns.items():
        placed = np.where(present, values[ids.rows], np.nan)
        absent = np.isnan(placed) & gold.valued[name]
        empty = absent & present
        if ids.missing == "zero":
            if absent.any() and name in options.lower_is_better:
                what = f"{run.name}: a missing item cannot score 0 under {name}, where lower is better"
                hint = f"leave such items out with {setting('missing', 'skip')}, or fill in a value"
                raise TouchstoneError(what, code=Code.UNSUPPORTED, hint=hint)
            placed = np.where(absent, 0.0, placed)
        if empty.any() and not answers_decide_items(name):
            # Refused only when the measure is scored: another column of the same table may be complete.
            if ids.missing == "error":
                lacking[name] = _empty_cells(gold, run, name, np.flatnonzero(empty))
            elif not name.startswith(RECORD):
                value_text = "a value" if name == VALUE else f"a value of {name}"
                outcome = "score 0" if ids.missing == "zero" else "are left out"
                note_text = f"{run.name}: items without {value_text}, which {outcome}"
                notes.append(count_note(note_text, int(empty.sum()), len(empty)))
        columns[name] = placed
    return Joined(columns, pa.table({"row": pa.array(ids.rows)}).select([]), notes, lacking)


def join_failed(gold: GoldSet, run: Run, policy: Policy, options: Options) -> Joined:
    """Return the values of a system, where each item that it lacks has the worst value that any system has.

    A column declares no range, so 0 may be a good value; no value is worse than the worst of the table. Records that a
    task folds have no worst value.
    """
    joined = join(gold, run, replace(policy, missing="skip"), options)
    columns = {}
    for name, values in joined.columns.items():
        all_values = np.concatenate([other_run.columns[name] for other_run in gold.runs if name in other_run.columns])
        lower = name in options.lower_is_better
        worst = 1.0 if name.startswith(RECORD) else np.nanmax(all_values) if lower else np.nanmin(all_values)
        absent = np.isnan(values) & gold.valued[name]
        columns[name] = np.where(absent, worst, values) if absent.any() else values
    return replace(joined, columns=columns)


def _empty_cells(gold: GoldSet, run: Run, name: str, rows: Ints) -> TouchstoneError:
    """Return the error of a system without values for the items at some *rows*; its hint counts all systems'."""
    items = [gold.ids[row] for row in rows.tolist()]
    value_text = "value" if name == VALUE else name
    faults = [
        Fault(f"{run.name!r} has no {value_text} for this item", run.ids.file, run.ids.lines[run.ids.first[item]], item,
              kind="id", code=Code.MISSING_ID)
        for item in items
    ]  # fmt: skip
    valued = dict(zip(gold.ids, gold.valued[name].tolist(), strict=True))
    counts = {
        gold_run.name: sum(
            valued[gold_run.ids.ids[row]] for row in np.flatnonzero(np.isnan(gold_run.columns[name])).tolist()
        )
        for gold_run in gold.runs
        if name in gold_run.columns
    }
    empty = ", ".join(f"{system} {count:,}" for system, count in counts.items() if count)
    hint = f"empty cells (of {len(gold.ids):,} items): {empty}; score them 0 with {setting('missing', 'zero')}, "
    hint += f"or leave them out with {setting('missing', 'skip')}"
    return TouchstoneError.of(faults, hint)
