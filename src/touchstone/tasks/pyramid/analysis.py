"""What moves the scores: analysis of variance, then which levels differ, as the paper's section 5 does it.

The statistics are those of `touchstone.stats`; this module chooses the factors to compare.
The paper's comparison of two peers by Tukey's HSD is an analysis after the model; `compare` tests pairs over sets.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from touchstone import __version__
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.notes import warning
from touchstone.base.spelling import setting
from touchstone.base.tables import Table
from touchstone.show.finding import Finding, Statement, kind_rows
from touchstone.stats.anova import Anova, AnovaType, analyse_variance
from touchstone.stats.comparisons import Comparisons, Means, TestName
from touchstone.stats.groups import (
    dominance_groups,
    dominance_table,
    groups_table,
    letters,
    letters_table,
    pairs_table,
    significant_pairs,
)
from touchstone.stats.mixed import MixedModel, fit_mixed
from touchstone.tasks.pyramid.evaluations import Evaluations
from touchstone.tasks.pyramid.means import MIXED, TESTS, LevelMeans, level_means
from touchstone.tasks.pyramid.model import unpadded
from touchstone.tasks.pyramid.scores import Annotators, ScoreTable
from touchstone.tasks.pyramid.within import Within, within_groups

if TYPE_CHECKING:
    from touchstone.show.page import Section

TestChoice = Literal["hsd", "lsd"]

NAMES: Mapping[TestChoice, TestName] = {"hsd": "Tukey HSD", "lsd": "Fisher LSD"}


@dataclass(frozen=True, eq=False, repr=False)
class Analysis(Finding):
    """A fitted model, the comparisons of levels after it, and whether peers differ alike in all groups of sets.

    *comparisons* holds document sets and peers, where they are factors, and the other factors that are significant;
    *means* has the same factors by each kind of mean. *mixed* is the mixed model, where random factors were named.
    """

    table: ScoreTable
    model: Anova
    comparisons: Mapping[str, Comparisons]
    means: Mapping[str, LevelMeans]
    mixed: MixedModel | None
    baseline: str | None
    annotators: Annotators
    evaluations: Evaluations | None = None

    @property
    def peers(self) -> Comparisons | None:
        """The comparisons of peers."""
        return self.comparisons.get(self.table.peers)

    @property
    def sets(self) -> Comparisons | None:
        """The comparisons of document sets."""
        return self.comparisons.get(self.table.sets)

    @property
    def others(self) -> list[Comparisons]:
        """The comparisons of all other factors."""
        return [
            compared for name, compared in self.comparisons.items() if name not in (self.table.sets, self.table.peers)
        ]

    @cached_property
    def within(self) -> Within | None:
        """Whether peers differ alike in groups of sets; None where there are no groups, or sets or peers no factors."""
        if self.sets is None or self.peers is None:
            return None
        return within_groups(self.table, self.model.data.response, self.sets, self.peers)

    @property
    def signature(self) -> dict[str, str]:
        """What the numbers depend on."""
        model, compared = self.model, next(iter(self.comparisons.values()))
        return {
            "touchstone": __version__,
            "task": "pyramid analysis",
            "table": str(self.table.source),
            "rows": f"{len(model.data.values)} used, {model.data.dropped} dropped",
            "annotators": self.annotators,
            "model": f"{model.formula}, type {model.type}",
            "residual": f"df {model.residual_df}, MSE {model.mse:.5g}",
            "comparisons": f"{compared.test}, alpha {compared.alpha:g}, {compared.means_of} means",
            **({"mixed": f"{self.mixed.formula}, {self.mixed.error}"} if self.mixed else {}),
            **({} if self.baseline is None else {"baseline": self.baseline}),
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """How the table was read, the factors that are left out, and means that cannot be estimated."""
        left_out = [factor.name for factor in self.model.data.factors if factor.name not in self.comparisons]
        what = f"levels are not compared of factors that are not significant: {', '.join(left_out)}"
        of_means = dict.fromkeys(means.note for means in self.means.values() if means.note)
        return (*self.table.notes, *([what] if left_out else []), *of_means)

    @property
    def above_baseline(self) -> tuple[str, ...]:
        """The peers that are significantly above the baseline, the highest first."""
        if self.baseline is None or self.peers is None:
            return ()
        return self.peers.above(self.baseline)

    @property
    def sentences(self) -> list[str]:
        """The result in words."""
        significant = [effect.factor for effect in self.model.effects if effect.p < self.alpha]
        listed = ", ".join(significant) or "none"
        sentences = [f"Factors with p < {self.alpha:g} (type {self.model.type}): {listed}."]
        for name, compared in self.comparisons.items():
            means = self.means[name]
            pairs = f"{compared.n_differing:,} of {compared.n_pairs:,} pairs of {compared.factor}"
            sentences.append(f"{compared.test} tells {pairs} apart." if means.alike else means.sentence)
        if self.mixed:
            shares = [f"{component.name} {component.share:.0%}" for component in self.mixed.components]
            sentences.append(f"Shares of the variance in {self.mixed.formula}: {', '.join(shares)}.")
        if self.baseline is not None and self.peers is not None:
            n = len(self.above_baseline)
            sentences.append(
                f"{n} of {len(self.peers.levels) - 1} peers are significantly above the baseline {self.baseline}."
            )
        return sentences

    @property
    def warnings(self) -> list[str]:
        """Where raw and least-squares means disagree about which pairs differ."""
        return [means.disagreement for means in self.means.values() if means.disagreement]

    @property
    def alpha(self) -> float:
        """The probability of error of every test."""
        return next(iter(self.comparisons.values())).alpha

    def statement(self) -> Statement:
        """Return effects, sets in groups, peers and whom they beat, and pairs of levels, as the paper's tables do."""
        parts = [finding.statement() for finding in (self.within, self.evaluations) if finding]
        beside = {"evaluations": self.evaluations.signature["tables"]} if self.evaluations else {}
        return Statement(
            "Pyramid analysis",
            self._tables(),
            self._rows(),
            self.sentences,
            [*map(warning, self.warnings), *self.notes],
            {**self.signature, **beside},
            parts=parts,
            subtitle=f"{self.model.formula}, type {self.model.type}",
            sections=self._sections,
        )

    def _sections(self) -> "Sequence[Section]":
        from touchstone.tasks.pyramid.analysis_report import analysis_sections

        return analysis_sections(self)

    def _tables(self) -> list[Table]:
        tables = [self.model.to_table()]
        if self.sets:
            tables.append(groups_table(self.sets))
        if self.peers:
            tables += [dominance_table(self.peers), letters_table(self.peers)]
        for other in self.others:
            tables += [pairs_table(other), letters_table(other)]
        tables += [means.table() for means in self.means.values() if not means.alike]
        tables += [self.mixed.components_table()] if self.mixed else []
        tables += [self.mixed.effects_table()] if self.mixed and self.mixed.effects else []
        tables += [letters_table(means.kinds[MIXED]) for means in self.means.values() if MIXED in means.kinds]
        return tables

    def _rows(self) -> list[dict[str, object]]:
        """Return effects, levels with their letters, pairs that differ, means of each kind, and the mixed model."""
        rows = kind_rows("effect", ({**asdict(effect), "type": self.model.type} for effect in self.model.effects))
        rows += kind_rows("residual", [{"df": self.model.residual_df, "mse": self.model.mse}])
        for compared in self.comparisons.values():
            rows += _comparison_rows(compared)
        for means in self.means.values():
            rows += means.rows()
        if self.mixed:
            about = {"formula": self.mixed.formula}
            rows += kind_rows("component", ({**about, **asdict(component)} for component in self.mixed.components))
            rows += kind_rows("mixed_effect", ({**about, **asdict(effect)} for effect in self.mixed.effects))
        return rows


def analyse(
    table: ScoreTable,
    dependent: str = "score",
    factors: Sequence[str] = (),
    *,
    type: AnovaType = "II",  # noqa: A002 (the word that every reader of such a table knows)
    test: TestChoice = "hsd",
    means: Means = "raw",
    alpha: float = 0.05,
    annotators: Annotators = "mean",
    baseline: str | None = None,
    random: Sequence[str] = (),
) -> Analysis:
    """Return the analysis of variance of *dependent* by *factors*, all categorical, and the levels that differ.

    Parameters
    ----------
    table
        The scores (see `score_table` and `read_scores`).
    dependent
        The column that is explained.
    factors
        The columns that explain it; set and peer by default.
    type
        Sums of squares: ``I`` (in the order of the factors), ``II`` or ``III``.
    test
        The test of levels after the model: ``hsd`` (Tukey) or ``lsd`` (Fisher).
    means
        Which means of levels are compared: ``raw`` or ``least-squares``.
    alpha
        The level of significance.
    annotators
        ``mean`` averages the annotators of a summary, ``each`` keeps a row for each.
    baseline
        A peer that the others are compared with.
    random
        Random factors, such as document sets, of a mixed model that is fitted too; the other factors are fixed in it.

    Examples
    --------
    >>> scores = {"set": [*"AAABBBCCC"], "peer": [*"123123123"], "score": [0.2, 0.4, 0.6, 0.3, 0.4, 0.7, 0.2, 0.5, 0.6]}
    >>> analysis = analyse(ScoreTable.of(scores))
    >>> analysis.peers.different("1", "3"), analysis.peers.different("1", "2")
    (True, True)
    """
    chosen = list(factors) or [table.sets, table.peers]
    used = table.averaged(dependent, [*chosen, *random]) if annotators == "mean" else table
    model = analyse_variance(used.columns, dependent, chosen, type=type)
    compared = [f for f in chosen if f in (used.sets, used.peers) or model.effect(f).p < alpha]
    if not compared:
        what = "no factor is significant, and neither sets nor peers are factors: nothing to compare"
        raise TouchstoneError(what, code=Code.TOO_FEW)
    name = NAMES[test]
    comparisons = {factor: TESTS[name](model, factor, alpha=alpha, means=means) for factor in compared}
    fixed = [factor for factor in chosen if factor not in random]
    mixed = fit_mixed(used.columns, dependent, fixed, random) if random else None
    levels = {factor: level_means(model, factor, name, alpha, mixed) for factor in compared}
    if baseline is not None:
        baseline = _baseline_peer(baseline, comparisons.get(used.peers))
    return Analysis(used, model, comparisons, levels, mixed, baseline, annotators)


def _baseline_peer(baseline: str, peers: Comparisons | None) -> str:
    if peers is None:
        what = "a baseline needs peers among the factors"
        raise TouchstoneError(what, value=baseline, code=Code.UNSUPPORTED, hint=f"add them to {setting('factors')}")
    return peers.levels[peers.position(unpadded(baseline))]


def _comparison_rows(compared: Comparisons) -> list[dict[str, object]]:
    """Return a comparison, its levels with their letters, the levels above the same others, and the pairs."""
    letters_of = letters(compared)
    levels = (
        {"level": level, "n": n, "mean": mean, "low": low, "high": high, "letters": letters_of[level]}
        for level, n, mean, low, high in compared.estimates
    )
    groups = (
        {"members": list(group.levels), "mean": group.mean, "above": list(group.over)}
        for group in dominance_groups(compared)
    )
    pairs = ({"higher": pair.higher, "lower": pair.lower, "p": pair.p} for pair in significant_pairs(compared))
    comparison = {"test": compared.test, "alpha": compared.alpha, "means": compared.means_of}
    by_kind: Mapping[str, Iterable[Mapping[str, object]]] = {
        "comparison": [comparison],
        "level": levels,
        "level_group": groups,
        "pair": pairs,
    }
    return [
        row
        for kind, rows in by_kind.items()
        for row in kind_rows(kind, ({"factor": compared.factor, **row} for row in rows))
    ]
