"""The matching of MAXSIM for many pairs of sentences, compiled: counts of n-grams, weights of relations.

Everything is counted in whole numbers: a similarity of n-grams in steps of 1/(2n), one of relations in steps of 1/3.
So the optimum is exact. The same matchings, one pair at a time and with their links, are in `maxsim_matching`, which
tests hold against this module. Importing it imports the compiler: only what matches in bulk does.
"""

import numpy as np
import numpy.typing as npt

from touchstone.core.ragged import Ints
from touchstone.tasks.mt.compiling import compiled

Bytes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int32]

LEMMA, EXACT, WEIGHT = 0x80, 0x40, 0x3F
"""A cell holds for two n-grams: all lemmas equal, all lemmas and tags equal, and twice the sum of the S_i."""


@compiled
def count_ngrams(
    order: int,
    identity: bool,
    left_ends: Ints,
    left_lemmas: Numbers,
    left_tags: Numbers,
    right_ends: Ints,
    right_lemmas: Numbers,
    right_tags: Numbers,
    sharing_ends: Ints,
    sharing: Numbers,
) -> Ints:
    """Return for each pair of sentences and each n: links of equal n-grams, of equal lemmas, and 2n times the rest."""
    pairs = len(left_ends) - 1
    counts = np.zeros((pairs, order, 3), np.int64)
    first = np.full(len(sharing_ends) - 1, -1, np.int32)
    for pair in range(pairs):
        left, right = left_ends[pair], right_ends[pair]
        rows, columns = left_ends[pair + 1] - left, right_ends[pair + 1] - right
        if not rows or not columns:
            continue
        tokens = np.zeros((rows, columns), np.uint8)
        of_left, of_right = left_lemmas[left : left + rows], right_lemmas[right : right + columns]
        _mark_equal(tokens, of_left, left_tags[left : left + rows], of_right, right_tags[right : right + columns])
        _mark_synonyms(tokens, identity, of_left, of_right, first, sharing_ends, sharing)
        cells = tokens
        for n in range(1, min(order, rows, columns) + 1):
            if n > 1:
                cells = _longer(cells, tokens, n - 1)
            _match(cells, counts[pair, n - 1])
    return counts


@compiled
def weigh_triples(
    identity: bool,
    left_ends: Ints,
    left: Numbers,
    right_ends: Ints,
    right: Numbers,
    sharing_ends: Ints,
    sharing: Numbers,
) -> Ints:
    """Return 3 times the weight of the best matching of (child, type, parent), for each pair of sentences."""
    pairs = len(left_ends) - 1
    weights = np.zeros(pairs, np.int64)
    for pair in range(pairs):
        some, others = left[left_ends[pair] : left_ends[pair + 1]], right[right_ends[pair] : right_ends[pair + 1]]
        cells = np.zeros((len(some), len(others)), np.uint8)
        for i in range(len(some)):
            for j in range(len(others)):
                if some[i, 1] == others[j, 1]:
                    child = _share(identity, some[i, 0], others[j, 0], sharing_ends, sharing)
                    parent = _share(identity, some[i, 2], others[j, 2], sharing_ends, sharing)
                    cells[i, j] = 1 + child + parent
        weights[pair] = heaviest(cells)
    return weights


@compiled
def _mark_equal(tokens: Bytes, lemmas: Numbers, tags: Numbers, other_lemmas: Numbers, other_tags: Numbers) -> None:
    """Set LEMMA, EXACT and 1 for an equal tag in the cells of all pairs of words."""
    for i in range(len(lemmas)):
        lemma, tag = lemmas[i], tags[i]
        for j in range(len(other_lemmas)):
            same_lemma, same_tag = np.uint8(lemma == other_lemmas[j]), np.uint8(tag == other_tags[j])
            tokens[i, j] = same_tag | (same_lemma << 7) | ((same_lemma & same_tag) << 6)


@compiled
def _mark_synonyms(
    tokens: Bytes,
    identity: bool,
    lemmas: Numbers,
    others: Numbers,
    first: Numbers,
    sharing_ends: Ints,
    sharing: Numbers,
) -> None:
    """Add 1 to the cells of words that share a synonym; *first* is -1 everywhere, before and after."""
    known = len(first)
    following = np.full(len(others), -1, np.int32)
    for j in range(len(others) - 1, -1, -1):
        if others[j] < known:
            following[j] = first[others[j]]
            first[others[j]] = j
    for i in range(len(lemmas)):
        if lemmas[i] < known:
            for place in range(sharing_ends[lemmas[i]], sharing_ends[lemmas[i] + 1]):
                j = first[sharing[place]]
                while j >= 0:
                    tokens[i, j] += 1
                    j = following[j]
        elif identity:
            for j in range(len(others)):
                tokens[i, j] += tokens[i, j] >> 7
    for j in range(len(others)):
        if others[j] < known:
            first[others[j]] = -1


@compiled
def _longer(cells: Bytes, tokens: Bytes, shift: int) -> Bytes:
    """Return the cells of n-grams one word longer: 0 as weight where any of their words has none."""
    rows, columns = cells.shape[0] - 1, cells.shape[1] - 1
    longer = np.empty((rows, columns), np.uint8)
    for i in range(rows):
        for j in range(columns):
            shorter, word = cells[i, j], tokens[i + shift, j + shift]
            one, other = shorter & WEIGHT, word & WEIGHT
            weight = one + other if one and other else 0
            longer[i, j] = (shorter & word & (LEMMA | EXACT)) | weight
    return longer


@compiled
def _match(cells: Bytes, counts: Ints) -> None:
    """Count the links of each stage for one pair and one n."""
    rows, columns = cells.shape
    left, right = np.ones(rows, np.bool_), np.ones(columns, np.bool_)
    counts[0] = _take_equal(cells, EXACT, left, right)
    counts[1] = _take_equal(cells, LEMMA, left, right)
    counts[2] = heaviest(_remaining(cells, left, right))


@compiled
def _take_equal(cells: Bytes, flag: int, left: npt.NDArray[np.bool_], right: npt.NDArray[np.bool_]) -> int:
    """Give each free row, in order, the first free column whose cell has *flag*; return how many found one."""
    taken = 0
    for i in range(len(left)):
        if left[i]:
            for j in range(len(right)):
                if cells[i, j] & flag and right[j]:
                    left[i] = right[j] = False
                    taken += 1
                    break
    return taken


@compiled
def _remaining(cells: Bytes, left: npt.NDArray[np.bool_], right: npt.NDArray[np.bool_]) -> Bytes:
    """Return the weights of what is free, without the rows and columns that have none."""
    some, others = np.zeros(len(left), np.bool_), np.zeros(len(right), np.bool_)
    for i in range(len(left)):
        if left[i]:
            for j in range(len(right)):
                if cells[i, j] & WEIGHT and right[j]:
                    some[i] = others[j] = True
    rows, columns = np.flatnonzero(some), np.flatnonzero(others)
    kept = np.empty((len(rows), len(columns)), np.uint8)
    for i in range(len(rows)):
        for j in range(len(columns)):
            kept[i, j] = cells[rows[i], columns[j]] & WEIGHT
    return kept


@compiled
def _share(identity: bool, one: int, other: int, sharing_ends: Ints, sharing: Numbers) -> int:
    """Return 1 where two lemmas share a synonym, else 0: a search in a sorted row."""
    if one >= len(sharing_ends) - 1:
        return int(identity and one == other)
    row = sharing[sharing_ends[one] : sharing_ends[one + 1]]
    place = np.searchsorted(row, other)
    return int(place < len(row) and row[place] == other)


@compiled
def heaviest(weights: Bytes) -> int:
    """Return the greatest total weight of a one-to-one matching of rows and columns.

    The Hungarian method by levels (Kuhn 1955): every free row has the same price, which falls from the largest
    weight to 0; at each level the matching grows along tight edges as far as it can. As weights are small whole
    numbers, there are few levels, and ties, which are the rule here, cost nothing.
    """
    rows, columns = weights.shape
    top = 0
    for i in range(rows):
        for j in range(columns):
            top = max(top, int(weights[i, j]))
    row_price, column_price = np.full(rows, top, np.int64), np.zeros(columns, np.int64)
    column_of, row_of = np.full(rows, -1, np.int64), np.full(columns, -1, np.int64)
    reached, tried, path = np.zeros(columns, np.bool_), np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    level = top
    while level > 0:
        while _grow(weights, row_price, column_price, column_of, row_of, reached, tried, path):
            pass
        level -= _lower(weights, level, row_price, column_price, column_of, reached)
    return int(row_price.sum() + column_price.sum())


@compiled
def _grow(
    weights: Bytes,
    row_price: Ints,
    column_price: Ints,
    column_of: Ints,
    row_of: Ints,
    reached: npt.NDArray[np.bool_],
    tried: Ints,
    path: Ints,
) -> int:
    """Lengthen the matching by disjoint augmenting paths of tight edges; return how many there were."""
    reached[:] = False
    grown = 0
    for start in range(len(column_of)):
        if column_of[start] >= 0:
            continue
        depth = 0
        path[0], tried[start] = start, 0
        while depth >= 0:
            row = path[depth]
            j = tried[row]
            while j < len(row_of) and (reached[j] or row_price[row] + column_price[j] != weights[row, j]):
                j += 1
            tried[row] = j + 1
            if j == len(row_of):
                depth -= 1
                continue
            reached[j] = True
            if row_of[j] >= 0:
                depth += 1
                path[depth] = row_of[j]
                tried[row_of[j]] = 0
                continue
            for step in range(depth + 1):
                column_of[path[step]] = tried[path[step]] - 1
                row_of[tried[path[step]] - 1] = path[step]
            grown += 1
            break
    return grown


@compiled
def _lower(
    weights: Bytes,
    level: int,
    row_price: Ints,
    column_price: Ints,
    column_of: Ints,
    reached: npt.NDArray[np.bool_],
) -> int:
    """Lower the price of free rows, and of all that tight edges reach from them, until a new edge is tight."""
    fall = level
    free = False
    moved = np.zeros(len(row_price), np.bool_)
    for i in range(len(row_price)):
        free |= column_of[i] < 0
        moved[i] = column_of[i] < 0 or reached[column_of[i]]
        if moved[i]:
            for j in range(len(column_price)):
                if not reached[j]:
                    fall = min(fall, row_price[i] + column_price[j] - weights[i, j])
    if not free:
        return level
    for i in range(len(row_price)):
        row_price[i] -= fall * moved[i]
    for j in range(len(column_price)):
        column_price[j] += fall * reached[j]
    return fall
