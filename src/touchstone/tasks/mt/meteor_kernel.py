"""METEOR's candidates and its search, compiled: import this only where something is scored.

The search is METEOR 1.5's: over the reference words from left to right with a beam of paths, ordered by more exact
links, then by fewer chunks, then by distance. It does not always find the fewest chunks; it finds what METEOR finds.
"""

import numpy as np
import numpy.typing as npt

from touchstone.core.ragged import Ints
from touchstone.tasks.mt.compiling import compiled
from touchstone.tasks.mt.meteor_words import EXACT, NONE, STEM, SYNONYM

Bits = npt.NDArray[np.uint64]

BEAM = 40
LINKS, CHUNKS, DISTANCE, LAST = range(4)
"""What is known of a path: exact links (negative), closed chunks and distance, of which the smallest are best, and the
system word of its last link."""


@compiled
def align(
    left: Ints, left_ends: Ints, right: Ints, right_ends: Ints, stems: Ints, synset_ends: Ints, synsets: Ints
) -> tuple[Ints, Ints]:
    """Align each system text (*left*) with the reference beside it (*right*), given as numbers of words.

    Returns, for each reference word, the place of its system word and the module that links them, -1 for none.
    """
    places = np.full(len(right), NONE, np.int64)
    modules = np.full(len(right), NONE, np.int64)
    first_seen = np.zeros(len(stems), np.int64)
    for pair in range(len(left_ends) - 1):
        start, end = right_ends[pair], right_ends[pair + 1]
        system = left[left_ends[pair] : left_ends[pair + 1]]
        reference = right[start:end]
        if len(system) and len(reference):
            begin, stop, linked, by = candidates(system, reference, first_seen, stems, synset_ends, synsets)
            fixed = fixed_links(begin, stop, linked, len(system))
            search(begin, stop, linked, by, fixed, len(system), places[start:end], modules[start:end])
    return places, modules


@compiled
def candidates(
    system: Ints, reference: Ints, first_seen: Ints, stems: Ints, synset_ends: Ints, synsets: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return, for each reference word, where its candidates begin and stop; their system words; their modules.

    The candidates of a word are in the order of the modules, and in each in that of the system words. Equal words
    share theirs: a line of ten thousand equal words has ten thousand candidates, not a hundred million.
    """
    modules = 1 if len(system) == len(reference) and (system == reference).all() else 3
    begin, stop = np.zeros(len(reference), np.int64), np.zeros(len(reference), np.int64)
    linked = np.empty(len(system) + len(reference), np.int64)
    by = np.empty(len(linked), np.int64)
    found = 0
    for j in range(len(reference)):
        word = reference[j]
        earlier = first_seen[word]
        if earlier < j and reference[earlier] == word:
            begin[j], stop[j] = begin[earlier], stop[earlier]
            continue
        first_seen[word] = j
        begin[j] = found
        for module in range(modules):
            for i in range(len(system)):
                if joined(system[i], word, module, stems, synset_ends, synsets):
                    if found == len(linked):
                        linked, by = doubled(linked), doubled(by)
                    linked[found], by[found] = i, module
                    found += 1
        stop[j] = found
    return begin, stop, linked, by


@compiled
def joined(a: int, b: int, module: int, stems: Ints, synset_ends: Ints, synsets: Ints) -> bool:
    """Return whether a module links two words."""
    if a == b or module == EXACT:
        return a == b and module == EXACT
    if module == STEM:
        return bool(stems[a] == stems[b])
    i, j = synset_ends[a], synset_ends[b]
    while i < synset_ends[a + 1] and j < synset_ends[b + 1]:
        if synsets[i] == synsets[j]:
            return True
        if synsets[i] < synsets[j]:
            i += 1
        else:
            j += 1
    return False


@compiled
def doubled(array: Ints) -> Ints:
    """Return an array with as much room again."""
    larger = np.empty(2 * len(array), np.int64)
    larger[: len(array)] = array
    return larger


@compiled
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


@compiled
def search(
    begin: Ints, stop: Ints, linked: Ints, by: Ints, fixed: Ints, size: int, places: Ints, modules: Ints
) -> None:
    """Find the links of one pair of texts and write them into *places* and *modules*."""
    length = len(places)
    # A path is kept as the path that it came from and the candidate that it took, step by step.
    came_from = np.empty((length, BEAM), np.int64)
    took = np.empty((length, BEAM), np.int64)
    state, next_state = np.zeros((BEAM, 4), np.int64), np.zeros((BEAM, 4), np.int64)
    used, next_used = np.zeros((2, BEAM, (size >> 6) + 1), np.uint64)
    state[0, LAST] = NONE
    paths = 1
    for j in range(length):
        grown = grow(j, begin[j], stop[j], linked, by, fixed[j], paths, state, used, next_state, came_from[j], took[j])
        for path in range(grown):
            next_used[path] = used[came_from[j, path]]
            if took[j, path] != NONE:
                i = linked[took[j, path]]
                next_used[path, i >> 6] |= np.uint64(1) << np.uint64(i & 63)
        paths, state, next_state, used, next_used = grown, next_state, state, next_used, used
    best = finish(state, paths)
    for j in range(length - 1, -1, -1):
        if took[j, best] != NONE:
            places[j], modules[j] = linked[took[j, best]], by[took[j, best]]
        best = came_from[j, best]


@compiled
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
    """Let each path take a candidate of reference word *j* or none; keep the best, and return how many there are."""
    grown = 0
    for path in range(paths):
        links, chunks, distance, last = state[path]
        for candidate in range(begin, stop):
            i = linked[candidate]
            if used[path, i >> 6] >> np.uint64(i & 63) & np.uint64(1):
                continue
            broken = 1 if last != NONE and i != last + 1 else 0
            # METEOR adds the distance of a branch, once it is copied, to the path that it was copied from: what a
            # branch has to bear are those of the branches before it. A fixed link is no branch and bears its own.
            own = abs(i - j) if fixed else 0
            exact = 1 if by[candidate] == EXACT else 0
            new = (links - exact, chunks + broken, distance + own, i)
            place = keep(next_state, came_from, took, grown, new, path, candidate)
            grown = min(grown + (place < BEAM), BEAM)
            distance += abs(i - j)
            # What is left is no better, as it has more distance and, behind the last link, no chunk to continue.
            if place == BEAM and i > last and (by[candidate] == SYNONYM or next_state[BEAM - 1, LINKS] < links):
                break
        if not fixed:
            closed = 1 if last != NONE else 0
            place = keep(next_state, came_from, took, grown, (links, chunks + closed, distance, NONE), path, NONE)
            grown = min(grown + (place < BEAM), BEAM)
    return grown


@compiled
def keep(
    state: Ints, came_from: Ints, took: Ints, count: int, new: tuple[int, int, int, int], path: int, candidate: int
) -> int:
    """Put a path behind those that are as good, if it is among the best, and return its place, else `BEAM`."""
    place = count
    while place > 0 and (new[0], new[1], new[2]) < (state[place - 1, 0], state[place - 1, 1], state[place - 1, 2]):
        place -= 1
    if place == BEAM:
        return place
    for later in range(min(count, BEAM - 1), place, -1):
        state[later] = state[later - 1]
        came_from[later], took[later] = came_from[later - 1], took[later - 1]
    state[place, 0], state[place, 1], state[place, 2], state[place, 3] = new
    came_from[place], took[place] = path, candidate
    return place


@compiled
def finish(state: Ints, paths: int) -> int:
    """Close the last chunk of each path and return the best path, the first of equals."""
    best = 0
    for path in range(paths):
        state[path, CHUNKS] += 1 if state[path, LAST] != NONE else 0
        rival = (state[path, LINKS], state[path, CHUNKS], state[path, DISTANCE])
        if rival < (state[best, LINKS], state[best, CHUNKS], state[best, DISTANCE]):
            best = path
    return best
