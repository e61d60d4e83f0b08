"""The alignment of METEOR 1.5, compiled.

A beam search goes over the reference words from left to right and keeps the paths with the most exact links, then the
fewest chunks, then the least distance. It does not always find the fewest chunks; it finds what METEOR finds.
"""

import numpy as np
import numpy.typing as npt

from touchstone.base.compiling import compiled_after, compiled_part
from touchstone.base.ragged import Ints
from touchstone.tasks.mt.meteor.words import EXACT, NONE, STEM, SYNONYM

Bits = npt.NDArray[np.uint64]

BEAM = 40
"""How many paths METEOR keeps."""

LINKS, CHUNKS, DISTANCE, LAST = range(4)
"""The state of a path: exact links (negative), closed chunks and distance, which are compared in this order, the
smallest first; and the system word of the last link, -1 if the last reference word has none."""


@compiled_after(10_000)  # they take plain Python a tenth of a second
def align(
    left: Ints, left_ends: Ints, right: Ints, right_ends: Ints, stems: Ints, synset_ends: Ints, synsets: Ints
) -> tuple[Ints, Ints]:
    """Align each system text with the reference beside it.

    Parameters
    ----------
    left, left_ends, right, right_ends
        The words of the system's texts and of the references by number, with the offsets of the texts.
    stems
        For each word the number of its stem.
    synset_ends, synsets
        For each word its synsets in ascending order.

    Returns
    -------
    For each reference word the place of its system word and the module that links them, -1 for none.
    """
    places = np.full(len(right), NONE, np.int64)
    modules = np.full(len(right), NONE, np.int64)
    first_index = np.zeros(len(stems), np.int64)
    for pair in range(len(left_ends) - 1):
        start, end = right_ends[pair], right_ends[pair + 1]
        system = left[left_ends[pair] : left_ends[pair + 1]]
        reference = right[start:end]
        if len(system) and len(reference):
            begin, stop, linked, by = candidates(system, reference, first_index, stems, synset_ends, synsets)
            fixed = fixed_links(begin, stop, linked, len(system))
            search(begin, stop, linked, by, fixed, len(system), places[start:end], modules[start:end])
    return places, modules


@compiled_part
def candidates(
    system: Ints, reference: Ints, first_index: Ints, stems: Ints, synset_ends: Ints, synsets: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return, for each reference word, where its candidates begin and stop; their system words; their modules.

    The candidates of a word are in the order of the modules and, within a module, of the system words. Equal words
    share their candidates: a line of ten thousand equal words has ten thousand, not a hundred million. *first_index*
    is scratch space with an entry for each word of the vocabulary.
    """
    # Texts that are equal are aligned by equal words alone.
    modules = 1 if len(system) == len(reference) else 3
    for i in range(len(reference)):
        if modules == 1 and system[i] != reference[i]:
            modules = 3
    begin, stop = np.zeros(len(reference), np.int64), np.zeros(len(reference), np.int64)
    linked = np.empty(len(system) + len(reference), np.int64)
    by = np.empty(len(linked), np.int64)
    count = 0
    for j in range(len(reference)):
        word = reference[j]
        # An entry of another pair may lie beyond this one or name another word: both are checked.
        earlier = first_index[word]
        if earlier < j and reference[earlier] == word:
            begin[j], stop[j] = begin[earlier], stop[earlier]
            continue
        first_index[word] = j
        begin[j] = count
        for module in range(modules):
            for i in range(len(system)):
                if joined(system[i], word, module, stems, synset_ends, synsets):
                    if count == len(linked):
                        linked, by = doubled(linked), doubled(by)
                    linked[count], by[count] = i, module
                    count += 1
        stop[j] = count
    return begin, stop, linked, by


@compiled_part
def joined(a: int, b: int, module: int, stems: Ints, synset_ends: Ints, synsets: Ints) -> bool:
    """Return whether a module links two words."""
    if a == b or module == EXACT:
        return a == b and module == EXACT
    if module == STEM:
        return bool(stems[a] == stems[b])
    # Both lists are in ascending order: advance in the one with the smaller synset.
    i, j = synset_ends[a], synset_ends[b]
    while i < synset_ends[a + 1] and j < synset_ends[b + 1]:
        if synsets[i] == synsets[j]:
            return True
        if synsets[i] < synsets[j]:
            i += 1
        else:
            j += 1
    return False


@compiled_part
def doubled(array: Ints) -> Ints:
    """Return the array with as much room again at its end."""
    larger = np.empty(2 * len(array), np.int64)
    for i in range(len(array)):
        larger[i] = array[i]
    return larger


@compiled_part
def fixed_links(begin: Ints, stop: Ints, linked: Ints, size: int) -> Ints:
    """Return, for each reference word, whether its one candidate is also the only one of its system word."""
    count = np.zeros(size, np.int64)
    for j in range(len(begin)):
        for candidate in range(begin[j], stop[j]):
            count[linked[candidate]] += 1
    fixed = np.zeros(len(begin), np.int64)
    for j in range(len(begin)):
        fixed[j] = stop[j] - begin[j] == 1 and count[linked[begin[j]]] == 1
    return fixed


@compiled_part
def search(
    begin: Ints, stop: Ints, linked: Ints, by: Ints, fixed: Ints, size: int, places: Ints, modules: Ints
) -> None:
    """Find the links of one pair of texts and write them into *places* and *modules*.

    *begin*, *stop*, *linked* and *by* are the candidates, *fixed* says which links are certain, and *size* is the
    number of system words.
    """
    length = len(places)
    # A path is stored as the path that it came from and the candidate that it took, step by step.
    came_from = np.empty((length, BEAM), np.int64)
    took = np.empty((length, BEAM), np.int64)
    state, next_state = np.zeros((BEAM, 4), np.int64), np.zeros((BEAM, 4), np.int64)
    # The system words that a path has used, as bits.
    used, next_used = np.zeros((BEAM, (size >> 6) + 1), np.uint64), np.zeros((BEAM, (size >> 6) + 1), np.uint64)
    state[0, LAST] = NONE
    # Of one type from the start: numba compiles what is called with a number as written, and again with any other.
    paths: int = np.int64(1)  # type: ignore[assignment]
    for j in range(length):
        grown = grow(j, begin[j], stop[j], linked, by, fixed[j], paths, state, used, next_state, came_from[j], took[j])
        for path in range(grown):
            for k in range(used.shape[1]):
                next_used[path, k] = used[came_from[j, path], k]
            if took[j, path] != NONE:
                i = linked[took[j, path]]
                next_used[path, i >> 6] |= np.uint64(1) << np.uint64(i & 63)
        paths, state, next_state, used, next_used = grown, next_state, state, next_used, used
    # Follow the best path from its end to its start.
    best = finish(state, paths)
    for j in range(length - 1, -1, -1):
        if took[j, best] != NONE:
            places[j], modules[j] = linked[took[j, best]], by[took[j, best]]
        best = came_from[j, best]


@compiled_part
def grow(
    j: int,
    begin: int,
    stop: int,
    linked: Ints,
    by: Ints,
    fixed: int,
    paths: int,
    state: Ints,
    used: Bits,
    next_state: Ints,
    came_from: Ints,
    took: Ints,
) -> int:
    """Extend each path by each candidate of reference word *j* and by none; keep the best and return their number.

    *begin* and *stop* are the candidates of the word and *fixed* is whether its link is certain; *next_state*,
    *came_from* and *took* are written.
    """
    grown: int = np.int64(0)  # type: ignore[assignment]
    none: int = np.int64(NONE)  # type: ignore[assignment]
    for path in range(paths):
        links, chunks, distance, last = state[path, 0], state[path, 1], state[path, 2], state[path, 3]
        for candidate in range(begin, stop):
            i = linked[candidate]
            if used[path, i >> 6] >> np.uint64(i & 63) & np.uint64(1):
                continue
            broken = 1 if last != NONE and i != last + 1 else 0
            # METEOR adds the distance of a branch, after copying it, to the path that it was copied from: a branch
            # bears the distances of the branches before it. A fixed link is no branch and bears its own distance.
            added_distance = abs(i - j) if fixed else 0
            exact = 1 if by[candidate] == EXACT else 0
            new = (links - exact, chunks + broken, distance + added_distance, i)
            rank = keep(next_state, came_from, took, grown, new, path, candidate)
            grown = min(grown + (rank < BEAM), BEAM)
            distance += abs(i - j)
            # The candidates left are no better: they have more distance and, after the last link, no chunk to continue.
            if rank == BEAM and i > last and (by[candidate] == SYNONYM or next_state[BEAM - 1, LINKS] < links):
                break
        # The word may also stay without a link, unless its link is certain.
        if not fixed:
            closed = 1 if last != NONE else 0
            rank = keep(next_state, came_from, took, grown, (links, chunks + closed, distance, none), path, none)
            grown = min(grown + (rank < BEAM), BEAM)
    return grown


@compiled_part
def keep(
    state: Ints, came_from: Ints, took: Ints, count: int, new: tuple[int, int, int, int], path: int, candidate: int
) -> int:
    """Insert a path after those that are as good, if it is among the best; return its rank, else `BEAM`.

    *state*, *came_from* and *took* hold *count* paths, best first; *new* is the state of the path.
    """
    rank = count
    while rank > 0 and (new[0], new[1], new[2]) < (state[rank - 1, 0], state[rank - 1, 1], state[rank - 1, 2]):
        rank -= 1
    if rank == BEAM:
        return rank
    for later in range(min(count, BEAM - 1), rank, -1):
        for k in range(4):
            state[later, k] = state[later - 1, k]
        came_from[later], took[later] = came_from[later - 1], took[later - 1]
    state[rank, 0], state[rank, 1], state[rank, 2], state[rank, 3] = new
    came_from[rank], took[rank] = path, candidate
    return rank


@compiled_part
def finish(state: Ints, paths: int) -> int:
    """Close the last chunk of each path and return the best path, the first of equals."""
    best = 0
    for path in range(paths):
        state[path, CHUNKS] += 1 if state[path, LAST] != NONE else 0
        rival = (state[path, LINKS], state[path, CHUNKS], state[path, DISTANCE])
        if rival < (state[best, LINKS], state[best, CHUNKS], state[best, DISTANCE]):
            best = path
    return best
