"""Levels that stand together, from one matrix of significant differences: four displays, each naming its test.

The layouts are those of Passonneau et al. (2006), Tables 1 to 3, and compact letters, which need no luck.
"""

from dataclasses import dataclass

import numpy as np

from touchstone.core.ragged import Ints
from touchstone.core.tables import Column, Table, number, p_text
from touchstone.stats.clusters import compact_letters
from touchstone.stats.comparisons import Comparisons


@dataclass(frozen=True)
class LevelGroup:
    """Levels that differ from the same others, the lowest first; their common mean; the levels that they beat."""

    levels: tuple[str, ...]
    mean: float
    over: tuple[str, ...]


@dataclass(frozen=True)
class LevelPair:
    """Two levels that differ significantly, the higher first."""

    higher: str
    higher_mean: float
    lower: str
    lower_mean: float
    p: float


def dominance_groups(found: Comparisons) -> list[LevelGroup]:
    """Return the levels that beat the same levels, in the order of their lowest member (the paper's Table 2).

    >>> from touchstone.stats import analyse_variance, tukey_hsd
    >>> table = {"score": [1, 2, 3, 6, 7, 8, 7, 8, 9], "peer": list("aaabbbccc")}
    >>> found = tukey_hsd(analyse_variance(table, "score", ["peer"]), "peer")
    >>> [(group.levels, group.mean, group.over) for group in dominance_groups(found)]
    [(('a',), 2.0, ()), (('b', 'c'), 7.5, ('a',))]
    """
    rows: dict[tuple[int, ...], list[int]] = {}
    for place in reversed(range(len(found.levels))):
        beaten = np.flatnonzero(found.differ[place, place:]) + place
        rows.setdefault(tuple(beaten[::-1].tolist()), []).append(place)
    return [_group(found, np.array(places), over) for over, places in rows.items()]


def significant_pairs(found: Comparisons) -> list[LevelPair]:
    """Return the pairs of levels that differ (the paper's Table 3), the lowest of the higher levels first."""
    return [
        LevelPair(found.levels[i], float(found.means[i]), found.levels[j], float(found.means[j]), float(found.p[i, j]))
        for i in reversed(range(len(found.levels)))
        for j in reversed(range(i + 1, len(found.levels)))
        if found.differ[i, j]
    ]


def letters(found: Comparisons) -> dict[str, str]:
    """Return the letters of each level, the highest first: two share one exactly when they do not differ."""
    return compact_letters(found.levels, found.different)


def disjoint_groups(found: Comparisons) -> list[LevelGroup] | None:
    """Return groups of levels that do not differ within and all differ between (the paper's Table 1), lowest first.

    None where there are no such groups, because "does not differ" is not transitive: `chain` gives an example.
    """
    if chain(found):
        return None
    tied = ~found.differ
    firsts = [place for place in range(len(tied)) if not tied[place, :place].any()]
    groups = [np.flatnonzero(tied[first])[::-1] for first in reversed(firsts)]
    below: list[int] = []
    made = []
    for places in groups:
        made.append(_group(found, places, tuple(below)))
        below += places.tolist()
    return made


def chain(found: Comparisons) -> tuple[str, str, str] | None:
    """Return three levels of which the first and the last differ, but neither from the middle one; None if none do."""
    tied = ~found.differ
    broken = np.argwhere((tied.astype(int) @ tied > 0) & found.differ)
    if not len(broken):
        return None
    first, last = broken[0]
    middle = int(np.argmax(tied[first] & tied[last]))
    return found.levels[first], found.levels[middle], found.levels[last]


def dominance_table(found: Comparisons) -> Table:
    """Return `dominance_groups` as a table: levels, their mean, the levels that they beat, how many those are."""
    rows = [(_listed(g.levels), number(g.mean, 4), _listed(g.over), len(g.over)) for g in dominance_groups(found)]
    columns = (Column(found.factor), Column("mean", "right"), Column("significantly above"), Column("N", "right"))
    return Table(columns, rows, _title(found, "who is above whom"), (found.signature,))


def pairs_table(found: Comparisons) -> Table:
    """Return `significant_pairs` as a table, with p."""
    pairs = significant_pairs(found)
    rows = [(x.higher, number(x.higher_mean, 4), x.lower, number(x.lower_mean, 4), p_text(x.p)) for x in pairs]
    sides = (found.factor, "mean", "differs from", "mean", "p")
    columns = [Column(side, "right" if side in ("mean", "p") else "left") for side in sides]
    k = len(found.levels)
    counted = f"{len(rows):,} of {k * (k - 1) // 2:,} pairs differ"
    return Table(columns, rows, _title(found, "pairs that differ"), (counted, found.signature))


def letters_table(found: Comparisons) -> Table:
    """Return each level with its size, mean, interval and letters, the highest first."""
    given = letters(found)
    rows = [
        (level, int(n), number(mean, 4), f"[{number(low, 4)}, {number(high, 4)}]", given[level])
        for level, n, mean, low, high in zip(
            found.levels, found.counts, found.means, found.low, found.high, strict=True
        )
    ]
    sides = (found.factor, "n", "mean", f"{100 * (1 - found.alpha):g} % interval", "letters")
    columns = [Column(side, "left" if side in (found.factor, "letters") else "right") for side in sides]
    shared = "two levels share a letter exactly when they do not differ"
    return Table(columns, rows, _title(found, "levels by letters"), (shared, found.signature))


def groups_table(found: Comparisons) -> Table:
    """Return `disjoint_groups` as a table; where there are none, the letters, and a line saying why."""
    groups = disjoint_groups(found)
    if groups is None:
        table = letters_table(found)
        return Table(table.columns, table.rows, table.title, (_why_not(found), *table.notes))
    rows = [(_listed(group.levels), number(group.mean, 4)) for group in groups]
    return Table(
        (Column(found.factor), Column("mean", "right")), rows, _title(found, "distinct groups"), (found.signature,)
    )


def _group(found: Comparisons, places: Ints, over: tuple[int, ...]) -> LevelGroup:
    mean = np.average(found.means[places], weights=found.counts[places] if found.means_of == "raw" else None)
    levels = tuple(found.levels[place] for place in places)
    return LevelGroup(levels, float(mean), tuple(found.levels[place] for place in over))


def _why_not(found: Comparisons) -> str:
    first, middle, last = chain(found) or ("", "", "")
    return f"no disjoint groups: {middle} differs from neither {first} nor {last}, but these two differ"


def _title(found: Comparisons, what: str) -> str:
    return f"{found.factor}: {what}, {found.test}"


def _listed(levels: tuple[str, ...]) -> str:
    return ", ".join(levels) or "none"
