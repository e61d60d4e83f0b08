"""The edits of TER, compiled.

Snover et al. (2006): the fewest words inserted, deleted or replaced, and phrases shifted, that turn a translation into
its reference. To find the best shifts takes too long, so tercom searches for them greedily, and its limits are part of
the measure. The loops here choose as sacrebleu's TER does, which is the reference: the number of edits is the same.
"""

import math

import numpy as np
import numpy.typing as npt

from touchstone.base.compiling import compiled_after, compiled_part
from touchstone.base.ragged import Ints

Costs = npt.NDArray[np.int32]

LONGEST_SHIFT = 10
"""The most words of a phrase that is shifted."""

FARTHEST = 50
"""The most places between a phrase of the translation and the equal phrase of the reference."""

BEAM = 25
"""How many columns on each side of the diagonal the edit distance looks at."""

MOST_TRIED = 1000
"""The shifts that are tried for a pair of texts; the round that reaches this number is given up."""

NONE = -1
FAR = 1 << 29
"""The cost of a cell outside the beam."""


@compiled_after(1_000)  # they take plain Python up to a second
def edits(left: Ints, left_ends: Ints, right: Ints, right_ends: Ints) -> Ints:
    """Return the number of edits from each translation to the reference beside it.

    Parameters
    ----------
    left, left_ends, right, right_ends
        The words of the translations and of the references by number, with the offsets of the texts.
    """
    counts = np.empty(len(left_ends) - 1, np.int64)
    for pair in range(len(counts)):
        words = left[left_ends[pair] : left_ends[pair + 1]].copy()
        reference = right[right_ends[pair] : right_ends[pair + 1]]
        if len(words) and len(reference):
            counts[pair] = _edits(words, reference)
        else:
            counts[pair] = len(words) + len(reference)
    return counts


@compiled_part
def _edits(words: Ints, reference: Ints) -> int:
    """Return the number of edits of one pair; *words* are shifted in place."""
    first, last, width = _beam(len(words), len(reference))
    # The edit distance of the first i words and the first j words of the reference, for the j of the beam at row i.
    costs = np.empty((len(words) + 1, width), np.int32)
    row, trial = np.empty(len(reference) + 1, np.int32), np.empty(len(words), np.int64)
    shifts, tried = 0, 0
    while True:
        distance = _distance(words, reference, costs, first, last, row)
        aligned_word, wrong, wrong_reference = _alignment(words, reference, costs, first, last)
        best = (0, 0, 0, 0)
        for start in range(len(words)):
            for other in range(max(start - FARTHEST, 0), min(start + FARTHEST + 1, len(reference))):
                longest = min(LONGEST_SHIFT, len(words) - start, len(reference) - other)
                # Of one type from the start: with a number as written numba compiles what is called once more.
                length: int = np.int64(0)  # type: ignore[assignment]
                while length < longest and words[start + length] == reference[other + length]:
                    length += 1
                    # Only a phrase with an error moves, and only to a place with an error outside the phrase.
                    right = wrong[start + length] == wrong[start]
                    right_reference = wrong_reference[other + length] == wrong_reference[other]
                    if right or right_reference or start <= aligned_word[other + 1] < start + length:
                        continue
                    target = NONE
                    for k in range(other, other + length + 1):
                        # Behind the word that is aligned with the reference word before place k.
                        if aligned_word[k] + 1 == target:
                            continue
                        target = aligned_word[k] + 1
                        _shift(words, start, length, target, trial)
                        gain = distance - _distance_after(trial, reference, costs, first, last, row, min(start, target))
                        # The greatest gain, then the longest phrase, then the first, then the first target.
                        if (gain, length, -start, -target) > best:
                            best = (gain, length, -start, -target)
                        tried += 1
                        if tried == MOST_TRIED:
                            return shifts + distance
        gain, length, start, target = best
        if gain == 0:
            return shifts + distance
        _shift(words, -start, length, -target, trial)
        words, trial = trial, words
        shifts += 1


@compiled_part
def _beam(rows: int, columns: int) -> tuple[Ints, Ints, int]:
    """Return the first column that each row looks at, the first after those, and the most columns of a row."""
    ratio = columns / rows
    # Where a row advances by more columns than the beam has, the beam is widened so that rows overlap.
    width = BEAM if ratio / 2 <= BEAM else math.ceil(ratio / 2 + BEAM)
    first, last = np.zeros(rows + 1, np.int64), np.zeros(rows + 1, np.int64)
    for i in range(1, rows + 1):
        middle = math.floor(i * ratio)
        first[i] = max(0, middle - width)
        last[i] = min(columns + 1, middle + width) if i < rows else columns + 1
    return first, last, min(2 * width, columns + 1)


@compiled_part
def _distance(words: Ints, reference: Ints, costs: Costs, first: Ints, last: Ints, row: Costs) -> int:
    """Return the edit distance of *words* and write its rows into *costs*."""
    for j in range(last[1]):
        row[j] = j
    for i in range(1, len(words) + 1):
        _next_row(words, reference, first, last, row, i)
        for j in range(first[i], last[i]):
            costs[i, j - first[i]] = row[j]
    return int(row[len(reference)])


@compiled_part
def _distance_after(
    words: Ints, reference: Ints, costs: Costs, first: Ints, last: Ints, row: Costs, computed: int
) -> int:
    """Return the edit distance of *words*, of which the first *computed* have their rows in *costs*."""
    for j in range(max(first[computed] - 1, 0), last[min(computed + 1, len(words))]):
        row[j] = _cost(costs, first, last, computed, j)
    for i in range(computed + 1, len(words) + 1):
        _next_row(words, reference, first, last, row, i)
    return int(row[len(reference)])


@compiled_part
def _next_row(words: Ints, reference: Ints, first: Ints, last: Ints, row: Costs, i: int) -> None:
    """Replace row i - 1 of the edit distance by row *i*."""
    word, begin, end = words[i - 1], first[i], last[i]
    left = FAR
    diagonal = row[begin - 1] if begin else FAR
    for j in range(begin, end):
        above = row[j]
        cost = min(above, left) + 1
        if j and diagonal + (word != reference[j - 1]) < cost:
            cost = diagonal + (word != reference[j - 1])
        row[j] = left = cost
        diagonal = above
    # What the next row looks at beyond this one.
    if begin:
        row[begin - 1] = FAR
    if i < len(words):
        for j in range(end, last[i + 1]):
            row[j] = FAR


@compiled_part
def _cost(costs: Costs, first: Ints, last: Ints, i: int, j: int) -> int:
    """Return the edit distance of the first *i* words and the first *j* words of the reference."""
    if i == 0:
        return j
    return costs[i, j - first[i]] if first[i] <= j < last[i] else FAR


@compiled_part
def _alignment(words: Ints, reference: Ints, costs: Costs, first: Ints, last: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the place of the word before each place of the reference, and the errors up to each place of both.

    That is the word aligned with the reference word there or, where it has none, the last word before it; -1 for none.
    """
    aligned_word = np.full(len(reference) + 1, NONE, np.int64)
    wrong, wrong_reference = np.zeros(len(words) + 1, np.int64), np.zeros(len(reference) + 1, np.int64)
    i, j = len(words), len(reference)
    while i or j:
        # Of equal costs, the diagonal first, then the word above.
        cost = _cost(costs, first, last, i, j)
        differ = 0 if i and j and words[i - 1] == reference[j - 1] else 1
        if i and j and cost == _cost(costs, first, last, i - 1, j - 1) + differ:
            aligned_word[j] = i - 1
            wrong[i] = wrong_reference[j] = differ
            i, j = i - 1, j - 1
        elif i and cost == _cost(costs, first, last, i - 1, j) + 1:
            wrong[i] = 1
            i -= 1
        else:
            aligned_word[j] = i - 1
            wrong_reference[j] = 1
            j -= 1
    for i in range(len(words)):
        wrong[i + 1] += wrong[i]
    for j in range(len(reference)):
        wrong_reference[j + 1] += wrong_reference[j]
    return aligned_word, wrong, wrong_reference


@compiled_part
def _shift(words: Ints, start: int, length: int, target: int, shifted: Ints) -> None:
    """Write *words* with the *length* words at *start* moved before *target*; among themselves, that many further."""
    if start <= target <= start + length:
        target = min(target + length, len(words))
    # The words between the phrase and its target make room.
    between = target - start - length if target > start else start - target
    begin = min(start, target)
    ahead = between if target > start else 0
    behind = length if target < start else 0
    for i in range(len(words)):
        shifted[i] = words[i]
    for k in range(length):
        shifted[begin + ahead + k] = words[start + k]
    for k in range(between):
        shifted[begin + behind + k] = words[(start + length if target > start else target) + k]
