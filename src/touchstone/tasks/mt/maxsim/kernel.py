"""The similarity of n-grams, compiled: import this module only where n-grams are matched."""

import numpy as np
import numpy.typing as npt

from touchstone.base.compiling import compiled, compiled_part
from touchstone.base.ragged import Ints

Bytes = npt.NDArray[np.uint8]
NONE = -1


@compiled
def ngram_cells(
    n: int,
    left_ends: Ints,
    left: Ints,
    right_ends: Ints,
    right: Ints,
    lemmas: Ints,
    tags: Ints,
    other_lemmas: Ints,
    other_tags: Ints,
    table_ends: Ints,
    table: npt.NDArray[np.int32],
    cells: Bytes,
) -> None:
    """Set the cell of each left n-gram (row) with each right one (column) to the steps of their similarity.

    An n-gram is given by the place of its first word; *lemmas* and *tags* are those of all words of a side. A word
    counts a step for an equal tag and one for a synonym, which a row of the table lists; an n-gram with a word that
    counts none has none. All cells are 0 before.
    """
    # The right n-grams of a pair by the lemma, and by the tag, of their first word, as linked lists: `first` is the
    # first place, and `following` the next one. Most n-grams share neither, and their cells are never looked at.
    first = np.full(len(table_ends) - 1, NONE, np.int64)
    first_tagged = np.full(max(_largest(tags), _largest(other_tags)) + 1, NONE, np.int64)
    done = 0
    for pair in range(len(left_ends) - 1):
        start, size = right_ends[pair], right_ends[pair + 1] - right_ends[pair]
        following = _linked(right, start, size, other_lemmas, first)
        following_tagged = _linked(right, start, size, other_tags, first_tagged)
        for i in range(left_ends[pair], left_ends[pair + 1]):
            a = left[i]
            # A step for an equal tag of the first words, then one for a synonym.
            j = first_tagged[tags[a]]
            while j != NONE:
                cells[done + j] = 1
                j = following_tagged[j]
            for entry in range(table_ends[lemmas[a]], table_ends[lemmas[a] + 1]):
                j = first[table[entry]]
                while j != NONE:
                    cells[done + j] += 1
                    # Those of an equal tag go on below, when their first word has all its steps.
                    if n > 1 and tags[a] != other_tags[right[start + j]]:
                        b = right[start + j]
                        cells[done + j] = _with_next_words(
                            np.int64(1), n, a, b, lemmas, tags, other_lemmas, other_tags, table_ends, table
                        )
                    j = following[j]
            if n > 1:
                j = first_tagged[tags[a]]
                while j != NONE:
                    steps, b = np.int64(cells[done + j]), right[start + j]
                    cells[done + j] = _with_next_words(
                        steps, n, a, b, lemmas, tags, other_lemmas, other_tags, table_ends, table
                    )
                    j = following_tagged[j]
            done += size
        # Only what this pair wrote is reset: new lists for each pair would cost more than the pair.
        for j in range(size):
            first[other_lemmas[right[start + j]]] = NONE
            first_tagged[other_tags[right[start + j]]] = NONE


@compiled_part
def _with_next_words(
    steps: np.int64,
    n: int,
    a: int,
    b: int,
    lemmas: Ints,
    tags: Ints,
    other_lemmas: Ints,
    other_tags: Ints,
    table_ends: Ints,
    table: npt.NDArray[np.int32],
) -> np.int64:
    """Return the steps of the first word and of those after it, 0 where one of them counts none."""
    for k in range(1, n):
        word = 1 if tags[a + k] == other_tags[b + k] else 0
        for entry in range(table_ends[lemmas[a + k]], table_ends[lemmas[a + k] + 1]):
            if table[entry] == other_lemmas[b + k]:
                word += 1
                break
        if word == 0:
            return np.int64(0)
        steps += word
    return steps


@compiled_part
def _largest(numbers: Ints) -> int:
    largest = NONE
    for number in numbers:
        largest = max(largest, number)
    return largest


@compiled_part
def _linked(right: Ints, start: int, size: int, numbers: Ints, first: Ints) -> Ints:
    """Return for each right n-gram of a pair the next one whose first word has the same number, `NONE` after the last.

    The first n-gram of each number is written into *first*.
    """
    following = np.empty(size, np.int64)
    for j in range(size - 1, -1, -1):
        number = numbers[right[start + j]]
        following[j], first[number] = first[number], j
    return following
