"""The most one-to-one links between words that are equal or share a synset, compiled: import this only to score."""

import numpy as np

from touchstone.core.ragged import Bools, Ints
from touchstone.tasks.mt.compiling import compiled
from touchstone.tasks.mt.meteor_kernel import candidates
from touchstone.tasks.mt.meteor_words import NONE


@compiled
def most_links(
    left: Ints, left_ends: Ints, right: Ints, right_ends: Ints, kinds: Ints, synset_ends: Ints, synsets: Ints
) -> Ints:
    """Return, for each reference word (*right*), the place of the system word (*left*) linked to it, -1 for none.

    *kinds* takes the part of METEOR's stems: where each word is a kind of its own, no two words are linked by it.
    """
    places = np.full(len(right), NONE, np.int64)
    first_seen = np.zeros(len(kinds), np.int64)
    for pair in range(len(left_ends) - 1):
        start, end = right_ends[pair], right_ends[pair + 1]
        system = left[left_ends[pair] : left_ends[pair + 1]]
        if len(system) and end > start:
            begin, stop, linked, _ = candidates(system, right[start:end], first_seen, kinds, synset_ends, synsets)
            match(begin, stop, linked, len(system), places[start:end])
    return places


@compiled
def match(begin: Ints, stop: Ints, linked: Ints, size: int, places: Ints) -> None:
    """Write a matching with the most links into *places*: first come, first served, then augmenting paths (Kuhn)."""
    taken = np.full(size, NONE, np.int64)
    for j in range(len(places)):
        for candidate in range(begin[j], stop[j]):
            if taken[linked[candidate]] == NONE:
                places[j] = linked[candidate]
                taken[places[j]] = j
                break
    reached_from = np.empty(size, np.int64)
    waiting = np.empty(len(places), np.int64)
    visited = np.zeros(size, np.bool_)
    for j in range(len(places)):
        # What a search without success has visited leads nowhere in later ones either, until one succeeds.
        if places[j] == NONE and augment(j, begin, stop, linked, places, taken, visited, reached_from, waiting):
            visited[:] = False


@compiled
def augment(
    root: int,
    begin: Ints,
    stop: Ints,
    linked: Ints,
    places: Ints,
    taken: Ints,
    visited: Bools,
    reached_from: Ints,
    waiting: Ints,
) -> bool:
    """Find a free system word for *root* by moving the links of others; return whether there is one."""
    waiting[0] = root
    first, last = 0, 1
    while first < last:
        j = waiting[first]
        first += 1
        for candidate in range(begin[j], stop[j]):
            i = linked[candidate]
            if visited[i]:
                continue
            visited[i], reached_from[i] = True, j
            if taken[i] == NONE:
                while i != NONE:
                    j = reached_from[i]
                    taken[i] = j
                    places[j], i = i, places[j]
                return True
            waiting[last] = taken[i]
            last += 1
    return False
