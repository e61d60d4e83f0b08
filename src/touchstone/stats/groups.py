"""Levels that stand together, from one matrix of significant differences: four displays, each naming its test.

The layouts are those of Passonneau et al. (2006), Tables 1 to 3, and compact letters, which need no luck.
"""

from dataclasses import dataclass

import numpy as np

from touchstone.base.ragged import Ints
from touchstone.base.tables import Column, Table, number, p_text
from touchstone.stats.comparisons import Comparisons
from touchstone.stats.ranks import compact_letters


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


def dominance_groups(tests: Comparisons) -> list[LevelGroup]:
    """Return the levels that beat the same levels, in the order of their lowest member (the paper's Table 2).

    >>> from touchstone.stats.anova import analyse_variance
    >>> from touchstone.stats.comparisons import tukey_hsd
    >>> table = {"score": [1, 2, 3, 6, 7, 8, 7, 8, 9], "peer": list("aaabbbccc")}
    >>> tests = tukey_hsd(analyse_variance(table, "score", ["peer"]), "peer")
    >>> [(group.levels, group.mean, group.over) for group in dominance_groups(tests)]
    [(('a',), 2.0, ()), (('b', 'c'), 7.5, ('a',))]
    """
    rows: dict[tuple[int, ...], list[int]] = {}
    for level_index in reversed(range(len(tests.levels))):
        beaten = np.flatnonzero(tests.differ[level_index, level_index:]) + level_index
        rows.setdefault(tuple(beaten[::-1].tolist()), []).append(level_index)
    return [_group(tests, np.array(level_indices), over) for over, level_indices in rows.items()]


def significant_pairs(tests: Comparisons) -> list[LevelPair]:
    """Return the pairs of levels that differ (the paper's Table 3), the lowest of the higher levels first."""
    levels, means = tests.levels, tests.means.tolist()
    return [
        LevelPair(levels[i], means[i], levels[j], means[j], float(tests.p[i, j]))
        for i in reversed(range(len(levels)))
        for j in reversed(range(i + 1, len(levels)))
        if tests.differ[i, j]
    ]


def letters(tests: Comparisons) -> dict[str, str]:
    """Return the letters of each level, the highest first: two share one exactly when they do not differ."""
    return compact_letters(tests.levels, tests.different)


def disjoint_groups(tests: Comparisons) -> list[LevelGroup] | None:
    """Return groups of levels that do not differ within and all differ between (the paper's Table 1), lowest first.

    None if there are no such groups, because "does not differ" is not transitive: `chain` gives an example.
    """
    if chain(tests):
        return None
    tied = ~tests.differ
    firsts = [level_index for level_index in range(len(tied)) if not tied[level_index, :level_index].any()]
    groups = [np.flatnonzero(tied[first])[::-1] for first in reversed(firsts)]
    below: list[int] = []
    made = []
    for level_indices in groups:
        made.append(_group(tests, level_indices, tuple(below)))
        below += level_indices.tolist()
    return made


def chain(tests: Comparisons) -> tuple[str, str, str] | None:
    """Return three levels of which the first and the last differ, but neither from the middle one; None if none do."""
    tied = ~tests.differ
    broken = np.argwhere((tied.astype(int) @ tied > 0) & tests.differ)
    if not len(broken):
        return None
    first, last = broken[0]
    middle = int(np.argmax(tied[first] & tied[last]))
    return tests.levels[first], tests.levels[middle], tests.levels[last]


def dominance_table(tests: Comparisons) -> Table:
    """Return `dominance_groups` as a table: levels, their mean, the levels that they beat, how many those are."""
    rows = [(_listed(g.levels), number(g.mean, 4), _listed(g.over), len(g.over)) for g in dominance_groups(tests)]
    columns = (Column(tests.factor), Column("mean", "right"), Column("significantly above"), Column("N", "right"))
    return Table(columns, rows, _title(tests, "who is above whom"), (tests.signature,))


def pairs_table(tests: Comparisons) -> Table:
    """Return `significant_pairs` as a table, with p."""
    pairs = significant_pairs(tests)
    rows = [(x.higher, number(x.higher_mean, 4), x.lower, number(x.lower_mean, 4), p_text(x.p)) for x in pairs]
    sides = (tests.factor, "mean", "differs from", "mean", "p")
    columns = [Column(side, "right" if side in ("mean", "p") else "left") for side in sides]
    counted = f"{len(rows):,} of {tests.n_pairs:,} pairs differ"
    return Table(columns, rows, _title(tests, "pairs that differ"), (counted, tests.signature))


def letters_table(tests: Comparisons) -> Table:
    """Return each level with its size, mean, interval and letters, the highest first."""
    letters_by_level = letters(tests)
    rows = [
        (level, n, number(mean, 4), f"{number(low, 4)} to {number(high, 4)}", letters_by_level[level])
        for level, n, mean, low, high in tests.estimates
    ]
    sides = (tests.factor, "n", "mean", f"{100 * (1 - tests.alpha):g}% interval", "letters")
    columns = [Column(side, "left" if side in (tests.factor, "letters") else "right") for side in sides]
    shared = "two levels share a letter exactly when they do not differ"
    return Table(columns, rows, _title(tests, "levels by letters"), (shared, tests.signature))


def groups_table(tests: Comparisons) -> Table:
    """Return `disjoint_groups` as a table; where there are none, the letters, and a line saying why."""
    groups = disjoint_groups(tests)
    if groups is None:
        table = letters_table(tests)
        return Table(table.columns, table.rows, table.title, (_no_groups_note(tests), *table.notes))
    rows = [(_listed(group.levels), number(group.mean, 4)) for group in groups]
    return Table(
        (Column(tests.factor), Column("mean", "right")),
        rows,
        _title(tests, "distinct groups"),
        (tests.signature,),
    )


def _group(tests: Comparisons, level_indices: Ints, over: tuple[int, ...]) -> LevelGroup:
    mean = np.average(
        tests.means[level_indices], weights=tests.counts[level_indices] if tests.means_of == "raw" else None
    )
    levels = tuple(tests.levels[level_index] for level_index in level_indices)
    return LevelGroup(levels, float(mean), tuple(tests.levels[level_index] for level_index in over))


def _no_groups_note(tests: Comparisons) -> str:
    first, middle, last = chain(tests) or ("", "", "")
    return f"no disjoint groups: {middle} differs from neither {first} nor {last}, but these two differ"


def _title(tests: Comparisons, what: str) -> str:
    return f"{tests.factor}: {what}, {tests.test}"


def _listed(levels: tuple[str, ...]) -> str:
    return ", ".join(levels) or "none"
