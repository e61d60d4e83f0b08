"""Checks before human and judge scores are paired: inclusion probabilities, sizes, and what the judge does not have.

Everything is refused with its file and line, as far as the task keeps them.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from touchstone.base.errors import SHOWN, Fault, TouchstoneError, nearest
from touchstone.base.ids import Ids, Policy
from touchstone.base.ragged import Floats
from touchstone.base.spelling import setting
from touchstone.core.task import Inputs
from touchstone.io.cells import parse_number

PROBABILITY = "probability"
"""The field of the human items that holds their inclusion probabilities, where people did not get a plain sample."""

LARGEST = 1e12
"""A float has fifteen digits, and tables show three decimals."""


def probabilities(human: Inputs[Any, Any]) -> dict[str, float] | None:
    """Return the inclusion probability of each item that has one; None if there is no such column."""
    runs = human.runs
    columns = [(run.ids, run.columns[PROBABILITY]) for run in runs if PROBABILITY in getattr(run, "columns", ())]
    columns += [(run.ids, values) for run in runs if run.name == PROBABILITY for values in run.columns.values()]
    for file in getattr(human.gold, "files", ()):
        if PROBABILITY in file.columns and not columns:
            file.numbers(PROBABILITY)  # refuses the cells that are no numbers, with their lines
    if columns:
        return checked_probabilities(columns)
    cells = _gold_cells(human.gold)
    return None if cells is None else checked_probabilities([_numbers(places(human), cells)])


def _gold_cells(gold: Any) -> Mapping[str, object] | None:  # noqa: ANN401 (of any task)
    """Return what the field of probabilities holds for each item of a gold; None if there is no such field."""
    further = {pair.id: pair.rest for pair in getattr(gold, "pairs", ())}  # fields of numbers are no fields of items
    if any(PROBABILITY in rest for rest in further.values()):
        return {item: rest.get(PROBABILITY) for item, rest in further.items()}
    if PROBABILITY not in gold.items.column_names:
        return None
    return dict(zip(gold.items.column("id").to_pylist(), gold.items.column(PROBABILITY).to_pylist(), strict=True))


def _numbers(ids: Ids, cells: Mapping[str, object]) -> tuple[Ids, list[float]]:
    """Return the items with their cells as numbers; refuse what is none."""
    values = [parse_number(cells[item]) for item in ids.ids]
    faults = [
        Fault(f"{PROBABILITY} is not a finite number", ids.file or None, line or None, str(cells[item]))
        for item, line, value in zip(ids.ids, ids.lines, values, strict=True)
        if value is None
    ]
    if faults:
        raise TouchstoneError.of(faults)
    return ids, [value for value in values if value is not None]


def checked_probabilities(columns: Iterable[tuple[Ids, Sequence[float] | Floats]]) -> dict[str, float]:
    """Return the probability of each item; refuse what is none, and two different ones of an item.

    Parameters
    ----------
    columns
        The items of some rows, and the probability in each row; nan where a cell is empty.

    Examples
    --------
    >>> checked_probabilities([(Ids("human.csv", ["1", "2", "1"], [2, 3, 4]), [0.5, 0.2, 0.5])])
    {'1': 0.5, '2': 0.2}
    """
    known: dict[str, tuple[float, int | str]] = {}
    faults = []
    for ids, values in columns:
        for item, line, value in zip(ids.ids, ids.lines, map(float, values), strict=True):
            if np.isnan(value):
                continue
            first, seen = known.setdefault(item, (value, line))
            if not 0 < value <= 1:
                what = "no inclusion probability above 0 and at most 1"
                faults.append(Fault(what, ids.file or None, line, f"{value:g}"))
            elif value != first:
                what = f"another inclusion probability than on line {seen}, where it is {first:g}"
                faults.append(Fault(what, ids.file or None, line, f"{value:g}"))
    if faults:
        hint = (
            "the column probability is the probability that an item was given to people, for all systems at once; "
            "leave it out for a simple random sample"
        )
        raise TouchstoneError.of(faults, hint)
    return {item: value for item, (value, _) in known.items()}


def check_sizes(inputs: Inputs[Any, Any], measures: Sequence[str]) -> None:
    """Refuse scores of a table that are too large to be summed."""
    faults = [
        Fault(f"{name} is larger than {LARGEST:g}", run.ids.file, run.ids.lines[row], f"{run.columns[name][row]:g}")
        for run in inputs.runs
        for name in measures
        if name in getattr(run, "columns", ())
        for row in np.flatnonzero(np.abs(run.columns[name]) > LARGEST).tolist()
    ]
    if faults:
        raise TouchstoneError.of(faults, "use smaller numbers, such as their logarithms")


def empty_scores(inputs: Inputs[Any, Any], measure: str, whose: str) -> list[str]:
    """Return a note on the rows of a table that have no score."""
    columns = [run.columns[measure] for run in inputs.runs if measure in getattr(run, "columns", ())]
    empty = sum(int(np.isnan(values).sum()) for values in columns)
    return [f"rows of {whose} without a score ({measure}), which are left out: {empty:,}"] if empty else []


def places(inputs: Inputs[Any, Any]) -> Ids:
    """Return the items of a gold with their file and lines, as far as it keeps them."""
    gold = inputs.gold
    lines = dict(zip(getattr(gold, "ids", ()), getattr(gold, "lines", ()), strict=False))
    ids = gold.items.column("id").to_pylist()
    return Ids(gold_name(inputs), ids, [lines.get(item, "") for item in ids])


def output_lines(inputs: Inputs[Any, Any]) -> dict[str, Ids] | None:
    """Return the items of each system with their lines; None if the runs keep none, as those of a gold's files."""
    known = {run.name: ids for run in inputs.runs if isinstance(ids := getattr(run, "ids", None), Ids)}
    return known if len(known) == len(inputs.runs) else None


def gold_name(inputs: Inputs[Any, Any]) -> str:
    """Return the name of the file of a gold; nothing where there are several."""
    return str(getattr(getattr(inputs.gold, "source", None), "name", ""))


def check_systems_judged(human: Inputs[Any, Any], judge: Inputs[Any, Any]) -> None:
    """Refuse systems that people scored and the judge did not; the only one of each side may have any name."""
    known = {run.name: run for run in judge.runs}
    lacking = [run for run in human.runs if run.name not in known]
    if not lacking or len(human.runs) == len(judge.runs) == 1:
        return
    faults = []
    for run in lacking:
        ids = (output_lines(human) or {}).get(run.name)
        file, line = (ids.file, ids.lines[0]) if ids else (None, None)
        what = "the judge has no scores of this system"
        faults.append(Fault(what, file, line, run.name, nearest(run.name, known)))
    hint = f"the judge has: {', '.join(known)}"
    files = "; give each file of the judge with its own --judge, or give a folder"
    raise TouchstoneError.of(faults, hint + files * (output_lines(human) is None))


def check_outputs_judged(human: Inputs[Any, Any], judge: Inputs[Any, Any], policy: Policy, *, tables: bool) -> None:
    """Refuse outputs, or items of a gold, that people scored and the judge did not, unless they are to be left out.

    Parameters
    ----------
    human, judge
        The inputs of both sides.
    policy
        Whether what the judge lacks is refused; where it has nothing at all that people scored, it always is.
    tables
        Whether the files of each side carry runs of their own.
    """
    known = judge.gold.items.column("id").to_pylist()
    scored, seen = (output_lines(side) if tables else None for side in (human, judge))
    if scored is not None and seen is not None:
        alone = next(iter(seen)) if len(scored) == len(seen) == 1 else None
        judged = {name: set(ids.ids) for name, ids in seen.items()}
        asked = [(name, ids, judged[alone or name]) for name, ids in scored.items()]
    else:
        asked = [("", places(human), set(known))]
    faults: list[Fault] = []
    every = {*known, *getattr(judge.gold, "ids", ())}
    outputs, own = sum(len(ids.ids) for _, ids, _ in asked), {item for _, ids, _ in asked for item in ids.ids}
    for name, ids, has in asked:
        what = f"the judge has no score of {name!r} for this item" if name else "the judge does not score this item"
        for row, item in enumerate(ids.ids):
            if item not in has:
                misspelt = item not in every and len(faults) < SHOWN and len(known) >= len(own)
                near = nearest(item, known) if misspelt else None
                near = None if near in ids.first else near  # both sides have that one, so it is not this one misspelt
                faults.append(Fault(what, ids.file or None, ids.lines[row] or None, item, near, "id"))
    if faults and (policy.unknown == "error" or len(faults) == outputs):
        hint = f"{len(faults):,} of {outputs:,} have none; leave them out with {setting('unknown', 'ignore')}"
        hint = "the judge scored nothing that people scored" if len(faults) == outputs else hint
        raise TouchstoneError.of(faults, "; ".join([hint, *_too_small(set(known), own)]))


def _too_small(judge: set[str], people: set[str]) -> list[str]:
    """Return why a judge with fewer items than people is refused; nothing where it has more."""
    if len(judge) >= len(people):
        return []
    fewer = f"the judge has fewer items ({len(judge):,}) than people ({len(people):,})"
    return [f"{fewer}: are the two swapped?" if judge < people else f"{fewer}, but it should score all items"]


def as_judge(error: TouchstoneError, judge: str) -> TouchstoneError:
    """Return an error of the judge's side whose hint says so: there the judge takes the place of the gold.

    >>> error = TouchstoneError("unknown item", file="a.jsonl", hint="the gold has 10 items")
    >>> print(as_judge(error, "labels.jsonl"))
    a.jsonl: unknown item
       the gold has 10 items; here the gold is what the judge says, labels.jsonl
    """
    whose = f"here the gold is what the judge says{f', {judge}' if judge else ''}"
    return TouchstoneError.of(error.faults, f"{error.hint}; {whose}" if error.hint else whose)
