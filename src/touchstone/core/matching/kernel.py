"""The loops of bulk matching, compiled.

A list of pairs of lists is given as item values and offsets on each side (see `touchstone.base.ragged`). *Cells* hold
a number for each left item (row) with each right item (column), pair after pair, row by row.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from touchstone.base.compiling import compiled, compiled_after, compiled_part
from touchstone.base.ragged import Bools, Floats, Ints

Bytes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.integer[Any]]
Weights = npt.NDArray[np.float64] | Bytes

NONE = -1


@compiled
def equal_cells(left_ends: Ints, left: Numbers, right_ends: Ints, right: Numbers, cells: Bytes) -> None:
    """Set cells to 1 where the left number is the right number, to 0 elsewhere."""
    done = 0
    for pair in range(len(left_ends) - 1):
        for i in range(left_ends[pair], left_ends[pair + 1]):
            for j in range(right_ends[pair], right_ends[pair + 1]):
                cells[done] = left[i] == right[j]
                done += 1


@compiled
def related_cells(
    left_ends: Ints, left: Numbers, right_ends: Ints, right: Numbers, table_ends: Ints, table: Numbers, cells: Bytes
) -> None:
    """Set cells to 1 where the right number is in the row of the left number in the table; all cells are 0 before."""
    # The places of a pair's right items by their number, as linked lists: first[number] is the first place, and
    # following[place] the next place with the same number.
    table_rows = len(table_ends) - 1
    first, following = np.empty(table_rows, np.int64), np.empty(len(right), np.int64)
    for number in range(table_rows):
        first[number] = NONE
    done = 0
    for pair in range(len(left_ends) - 1):
        start, end = right_ends[pair], right_ends[pair + 1]
        for j in range(end - 1, start - 1, -1):
            if right[j] < table_rows:
                following[j], first[right[j]] = first[right[j]], j
        for i in range(left_ends[pair], left_ends[pair + 1]):
            if left[i] < table_rows:
                for entry in range(table_ends[left[i]], table_ends[left[i] + 1]):
                    j = first[table[entry]]
                    while j != NONE:
                        cells[done + j - start] = 1
                        j = following[j]
            done += end - start
        # Only what this pair wrote is reset: a new table for each pair would cost more than the pair.
        for j in range(start, end):
            if right[j] < table_rows:
                first[right[j]] = NONE


@compiled
def link_equal(
    left_ends: Ints, left_keys: Numbers, right_ends: Ints, right_keys: Numbers, partners: Ints, taken: Bools
) -> None:
    """Give each free left item, in order, the first free right item with an equal key (a row of numbers).

    *partners* holds for each left item the place of its right item, -1 for none; *taken* says which right items have
    a link. Both are updated.
    """
    size = left_keys.shape[1]
    for pair in range(len(left_ends) - 1):
        start, end = right_ends[pair], right_ends[pair + 1]
        for i in range(left_ends[pair], left_ends[pair + 1]):
            if partners[i] != NONE:
                continue
            for j in range(start, end):
                if left_keys[i, 0] == right_keys[j, 0] and not taken[j]:
                    k = 1
                    while k < size and left_keys[i, k] == right_keys[j, k]:
                        k += 1
                    if k == size:
                        partners[i], taken[j] = j - start, True
                        break


@compiled_after(5_000)  # they take plain Python 20 milliseconds, where the weights are hard to assign 300
def assign(left_ends: Ints, right_ends: Ints, cells: Weights) -> Ints:
    """Return for each left item the place of its right item, -1 for none, for the greatest total weight of each pair.

    Weights are not negative, and a link of weight 0 is none.
    """
    partners = np.empty(left_ends[-1] - left_ends[0], np.int64)
    done = 0
    for pair in range(len(left_ends) - 1):
        first, last = left_ends[pair] - left_ends[0], left_ends[pair + 1] - left_ends[0]
        columns = right_ends[pair + 1] - right_ends[pair]
        _assign_pair(cells[done : done + (last - first) * columns], columns, partners[first:last])
        done += (last - first) * columns
    return partners


@compiled_part
def _assign_pair(weights: Weights, columns: int, column_of: Ints) -> None:
    """Find the assignment of greatest total weight: shortest augmenting paths (Jonker and Volgenant 1987).

    A row may stay free: that is a path which ends at a row instead of a free column.
    """
    # Dual variables, never negative: weight of (i, j) <= profit[i] + price[j], with equality on assigned pairs; free
    # columns cost nothing, and free rows have no profit.
    profit, price = np.zeros(len(column_of)), np.zeros(columns)
    row_of = np.empty(columns, np.int64)
    for j in range(columns):
        row_of[j] = NONE
    distance, came_from, scanned = np.empty(columns), np.empty(columns, np.int64), np.empty(columns, np.bool_)
    for root in range(len(column_of)):
        column_of[root] = NONE
        # The best offer of all columns at their prices; of equal offers that of a free column.
        best, gain = NONE, 0.0
        for j in range(columns):
            offer = weights[root * columns + j] - price[j]
            if offer > gain or (offer == gain and best != NONE and row_of[best] != NONE and row_of[j] == NONE):
                best, gain = j, offer
        profit[root] = gain
        if best == NONE:
            continue  # no column offers anything: the row stays free
        if row_of[best] == NONE:
            column_of[root], row_of[best] = best, root
            continue
        _augment(root, weights, profit, price, column_of, row_of, distance, came_from, scanned)


@compiled_part
def _augment(
    root: int,
    weights: Weights,
    profit: Floats,
    price: Floats,
    column_of: Ints,
    row_of: Ints,
    distance: Floats,
    came_from: Ints,
    scanned: Bools,
) -> None:
    """Assign row *root* along the shortest path from it to a free column, or to a row that is left free instead."""
    # Dijkstra over reduced costs profit[i] + price[j] - weight of (i, j). Leaving row i free costs profit[i].
    columns = len(price)
    for j in range(columns):
        distance[j], scanned[j] = np.inf, False
    row, reached = root, 0.0
    last_row, shortest = root, profit[root]
    last_column = NONE
    while True:
        nearest, lowest = NONE, np.inf
        for j in range(columns):
            if not scanned[j]:
                length = reached + (profit[row] + price[j] - weights[row * columns + j])
                if length < distance[j]:
                    distance[j], came_from[j] = length, row
                if distance[j] < lowest or (distance[j] == lowest and row_of[nearest] != NONE and row_of[j] == NONE):
                    nearest, lowest = j, distance[j]
        if lowest >= shortest:
            break
        if row_of[nearest] == NONE:
            last_column, shortest = nearest, lowest
            break
        scanned[nearest] = True
        row, reached = row_of[nearest], lowest
        if reached + profit[row] < shortest:
            last_row, shortest = row, reached + profit[row]
    # Lower the profits and raise the prices along the tree, so that every edge of the path becomes tight.
    profit[root] -= shortest
    for j in range(columns):
        if scanned[j]:
            profit[row_of[j]] -= shortest - distance[j]
            price[j] += shortest - distance[j]
    # Shift the links along the path, from its end to the root.
    j = last_column
    if last_column == NONE:
        j, column_of[last_row] = column_of[last_row], NONE
    while j != NONE:
        i = came_from[j]
        row_of[j] = i
        j, column_of[i] = column_of[i], j
