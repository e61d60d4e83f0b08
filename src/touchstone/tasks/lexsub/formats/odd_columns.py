"""What looks wrong in the numbers of a table of substitutes: unused weights, ranks and scores upside down."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from touchstone.base.notes import warning
from touchstone.base.spelling import setting
from touchstone.io.cells import parse_number
from touchstone.io.schema import Rows

Items = Sequence[Sequence[tuple[int, Mapping[str, Any]]]]
"""The rows of each item with their places in the table."""

FEWEST = 5
"""Items with several answers from which one order in all of them is no chance."""


def unused_weights(rows: Rows, items: Items, substitute: str) -> list[str]:
    """Return what is said about gold without weights: a warning where an unused column looks like them.

    It does where no mention repeats, so that all weights would be 1, and its numbers differ within an item.

    Parameters
    ----------
    rows
        The rows of the table.
    items
        The rows of each item.
    substitute
        The role of the substitutes.
    """
    remark = f"{rows.stem}: no column of weights; each mention of a substitute counts 1"
    several = [item for item in items if len(item) > 1]
    if any(len({str(row[substitute]) for _, row in item}) < len(item) for item in several):
        return [remark]
    for name in rows.further:
        cells = rows.table.columns[name]
        numbers = [[parse_number(cells[place]) or 0.0 for place, _ in item] for item in several]
        differ = sum(len(set(item)) > 1 for item in numbers)
        if several and all(min(item) > 0 for item in numbers) and 2 * differ > len(several):
            choice = setting("column", f"weight={name}")
            return [warning(f"{remark}, though {name} has numbers: if they are weights, choose them with {choice}")]
    return [remark]


def ranked_weights(stem: str, items: Sequence[Sequence[float]]) -> list[str]:
    """Return a warning where the weights of items are 1, 2, 3 and so on in the order of their rows, as ranks are.

    Parameters
    ----------
    stem
        The name of the gold.
    items
        The weights of each item.

    Examples
    --------
    >>> ranked_weights("gold", [[1, 2, 3], [3, 2, 1]] * 5), len(ranked_weights("gold", [[1, 2, 3]] * 5))
    ([], 1)
    """
    several = [weights for weights in items if len(weights) > 2]
    ranked = sum(list(weights) == list(range(1, len(weights) + 1)) for weights in several)
    if len(several) < FEWEST or ranked < 0.9 * len(several):
        return []
    what = f"{stem}: weights are 1, 2, 3 in the order of rows in {ranked:,} of {len(several):,} items"
    return [warning(f"{what}, as ranks are; a weight is the number of people who gave the substitute")]


def order_remarks(stem: str, role: str, items: Items) -> list[str]:
    """Return what is odd about the numbers that order the answers of items, where they have a rank or a score.

    Parameters
    ----------
    stem
        The name of the run.
    role
        ``rank`` or ``score``.
    items
        The rows of each item.

    Examples
    --------
    >>> order_remarks("mine", "score", [[(0, {"score": 0.2}), (1, {"score": 0.7})]] * 5)
    ['warning: mine: answers go by falling score, which reverses the rows of 5 of 5 items: negate costs']
    """
    numbers = [[parse_number(row[role]) or 0.0 for _, row in item] for item in items if len(item) > 1]
    if len(numbers) < FEWEST:
        return []
    if role == "rank":
        least = min(map(min, numbers))
        if least <= 1:
            return []
        what = f"{stem}: the least rank is {least:g}, not 1, and the answer with the least rank comes first"
        return [warning(f"{what}; if the greatest is the best, call the column score")]
    rising = sum(all(before < after for before, after in pairwise(one)) for one in numbers)
    reverses = f"{stem}: answers go by falling score, which reverses the rows of {rising:,} of {len(numbers):,} items"
    if rising <= 0.9 * len(numbers):
        return []
    return [warning(f"{reverses}: negate costs") if max(map(max, numbers)) > 0 else reverses]  # below 0: logarithms
