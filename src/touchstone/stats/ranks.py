"""Ranks of systems from pairwise differences: ranges of ranks, systems that share a rank, or that share letters."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import combinations
from string import ascii_letters

Differ = Callable[[str, str], bool]
"""Whether the first system, the better, differs significantly from the second."""


def significance_ranks(order: Sequence[str], differ: Differ) -> list[list[str]]:
    """Return systems, given from best to worst, cut where every one above differs from every one below.

    The clusters of the WMT shared tasks (Bojar et al. 2013): some systems of one rank may differ from each other.

    >>> apart = {("a", "c"), ("b", "c"), ("a", "d"), ("b", "d")}
    >>> significance_ranks("abcd", lambda better, worse: (better, worse) in apart)
    [['a', 'b'], ['c', 'd']]
    """
    tied = _tied(order, differ)
    ranks: list[list[str]] = []
    reach = -1
    for position, system in enumerate(order):
        if position > reach:
            ranks.append([])
        ranks[-1].append(system)
        reach = max([reach, *(low for high, low in tied if high == position)])
    return ranks


def rank_ranges(systems: Sequence[str], won: Collection[tuple[str, str]]) -> dict[str, tuple[int, int]]:
    """Return the ranks that each system may have: the best, after all that beat it; the worst, before all it beats.

    Parameters
    ----------
    systems
        All systems that are ranked.
    won
        The pairs that differ significantly, the better system first.

    Examples
    --------
    >>> rank_ranges("abcd", {("a", "c"), ("a", "d"), ("b", "d")})
    {'a': (1, 2), 'b': (1, 3), 'c': (2, 4), 'd': (3, 4)}
    """
    losses, wins = Counter(worse for _, worse in won), Counter(better for better, _ in won)
    return {system: (1 + losses[system], len(systems) - wins[system]) for system in systems}


def compact_letters(order: Sequence[str], differ: Differ) -> dict[str, str]:
    """Return the letters of each system: two share a letter exactly when they do not differ significantly.

    Insert and absorb (Piepho 2004): from one letter for all, each pair that differs splits every letter that it
    shares, and a letter whose systems all share another is dropped. The best system has "a".

    >>> compact_letters("abc", lambda better, worse: (better, worse) == ("a", "c"))
    {'a': 'a', 'b': 'ab', 'c': 'b'}
    """
    tied = _tied(order, differ)
    groups = [frozenset(range(len(order)))]
    for pair in combinations(range(len(order)), 2):
        if pair not in tied:
            groups = _absorbed([part for group in groups for part in _split(group, pair)])
    ranked = sorted(groups, key=sorted)
    return {
        system: "".join(_letter(index) for index, group in enumerate(ranked) if position in group)
        for position, system in enumerate(order)
    }


def _tied(order: Sequence[str], differ: Differ) -> set[tuple[int, int]]:
    """Return the places of the pairs, the better first, that do not differ."""
    return {(i, j) for i, j in combinations(range(len(order)), 2) if not differ(order[i], order[j])}


def _split(group: frozenset[int], pair: tuple[int, int]) -> list[frozenset[int]]:
    return [group - {member} for member in pair] if group.issuperset(pair) else [group]


def _absorbed(groups: list[frozenset[int]]) -> list[frozenset[int]]:
    distinct = list(dict.fromkeys(groups))
    return [group for group in distinct if not any(group < other for other in distinct)]


def _letter(index: int) -> str:
    """Return a to z, A to Z, then a1, b1 and so on."""
    lap, letter_index = divmod(index, len(ascii_letters))
    return ascii_letters[letter_index] + (str(lap) if lap else "")
