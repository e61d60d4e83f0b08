"""Means of the levels of a factor in several ways, and whether these ways agree on which levels differ.

A raw mean is that of the rows of a level. Where levels differ in the other factors too, it counts those differences as
the level's own; a least-squares mean is what the model predicts for the level if all other factors are balanced.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from touchstone.base.errors import TouchstoneError
from touchstone.base.tables import Cell, Column, Table, number
from touchstone.show.finding import kind_rows
from touchstone.stats.anova import Anova
from touchstone.stats.comparisons import Comparisons, Means, TestName, fisher_lsd, tukey_hsd
from touchstone.stats.groups import letters
from touchstone.stats.mixed import MixedModel

RAW, LEAST_SQUARES, MIXED = "raw", "least-squares", "mixed-model"

TESTS = {"Tukey HSD": tukey_hsd, "Fisher LSD": fisher_lsd}


@dataclass(frozen=True, eq=False)
class LevelMeans:
    """The comparisons of one factor by each kind of mean; *note* says why there are no least-squares means."""

    factor: str
    kinds: Mapping[str, Comparisons]
    note: str | None = None

    @property
    def alike(self) -> bool:
        """Whether all kinds give the same means and tell the same pairs apart, as in a balanced design."""
        first, *others = self.kinds.values()
        return all(
            np.allclose(_by_level(first), _by_level(other)) and differing_pairs(first) == differing_pairs(other)
            for other in others
        )

    @property
    def sentence(self) -> str:
        """How many pairs each kind tells apart."""
        (kind, first), *others = self.kinds.items()
        counts = [f"{compared.n_differing:,} by {other_kind} means" for other_kind, compared in others]
        pairs = f"{first.n_differing:,} of {first.n_pairs:,} pairs of {self.factor} apart"
        return f"{first.test} tells {', '.join([f'{pairs} by {kind} means', *counts])}."

    @property
    def disagreement(self) -> str | None:
        """What raw and least-squares means disagree about; None if they tell the same pairs apart."""
        if LEAST_SQUARES not in self.kinds:
            return None
        raw, adjusted = differing_pairs(self.kinds[RAW]), differing_pairs(self.kinds[LEAST_SQUARES])
        if raw == adjusted:
            return None
        alone = (
            f"{len(raw - adjusted):,} differ by raw means alone, {len(adjusted - raw):,} by least-squares means alone"
        )
        return (
            f"raw and least-squares means of {self.factor} disagree about {len(raw ^ adjusted):,} pairs "
            f"({alone}): raw means contain what the other factors of the model add to a level."
        )

    @property
    def title(self) -> str:
        """The kinds by name."""
        *first, last = self.kinds
        return f"{', '.join(first)} and {last} means" if first else f"{last} means"

    def table(self) -> Table:
        """Return each level with its mean and letters of each kind, in the order of the first kind."""
        first = next(iter(self.kinds.values()))
        letters_of = {kind: letters(compared) for kind, compared in self.kinds.items()}
        rows: list[list[Cell]] = []
        for level, n, *_ in first.estimates:
            cells: list[Cell] = [level, n]
            for kind, compared in self.kinds.items():
                cells += [number(float(compared.means[compared.position(level)]), 4), letters_of[kind][level]]
            rows.append(cells)
        columns = [Column(self.factor), Column("n", "right")]
        for kind in self.kinds:
            columns += [Column(f"{kind} mean", "right"), Column(f"{kind} letters")]
        notes = [self.sentence, *([self.disagreement] if self.disagreement else [])]
        signatures = [compared.signature for compared in self.kinds.values()]
        return Table(columns, rows, f"{self.factor}: {self.title}, {first.test}", (*notes, *signatures))

    def rows(self) -> list[dict[str, object]]:
        """Return the mean of every level, and every pair that differs, by each kind of mean."""
        rows = []
        for kind, compared in self.kinds.items():
            about = {"factor": self.factor, "means": kind}
            rows += kind_rows(
                "mean", ({**about, "level": level, "value": mean} for level, _, mean, *_ in compared.estimates)
            )
            rows += kind_rows(
                "mean_pair",
                ({**about, "higher": higher, "lower": lower} for higher, lower in sorted(differing_pairs(compared))),
            )
        return rows


def level_means(model: Anova, factor: str, test: TestName, alpha: float, mixed: MixedModel | None = None) -> LevelMeans:
    """Return the levels of a factor of *model* by raw and least-squares means, and by those of the mixed model.

    Parameters
    ----------
    model
        The fitted analysis of variance.
    factor
        One of its factors.
    test, alpha
        How levels are compared.
    mixed
        A mixed model of the same rows, if there is one; it has means of its fixed factors alone.
    """
    kinds: dict[str, Comparisons] = {RAW: _compare(model, factor, test, alpha, "raw")}
    note = None
    try:
        kinds[LEAST_SQUARES] = _compare(model, factor, test, alpha, "least-squares")
    except TouchstoneError as error:
        note = error.faults[0].what
    if mixed and factor in [factor_data.name for factor_data in mixed.data.factors]:
        kinds[MIXED] = mixed.compare(factor, test, alpha=alpha)
    return LevelMeans(factor, kinds, note)


def _compare(model: Anova, factor: str, test: TestName, alpha: float, means: Means) -> Comparisons:
    return TESTS[test](model, factor, alpha=alpha, means=means)


def differing_pairs(compared: Comparisons) -> set[tuple[str, str]]:
    """Return the pairs of levels that differ, each in the order of the levels."""
    """Return the pairs that differ, the higher level first."""
    return {pair for pair in combinations(compared.levels, 2) if compared.different(*pair)}


def _by_level(compared: Comparisons) -> Sequence[float]:
    return [mean for _, mean in sorted(zip(compared.levels, compared.means.tolist(), strict=True))]
