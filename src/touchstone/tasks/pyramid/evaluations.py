"""Two evaluations, such as those of two years, compared by how many differences between peers each can show.

Both are analysed by the same model, score ~ set + peer. More document sets show more; so the differences are also
counted that subsets of either show, with as many sets as the smaller evaluation has.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from touchstone import __version__
from touchstone.base.tables import Cell, Column, Table, number
from touchstone.show.finding import Finding, Statement, kind_rows
from touchstone.stats.anova import Anova, analyse_variance
from touchstone.stats.comparisons import Comparisons, tukey_hsd
from touchstone.stats.subsets import subset_power
from touchstone.tasks.pyramid.model import unpadded
from touchstone.tasks.pyramid.scores import ScoreTable

SUBSETS = 200
"""Subsets drawn for the count with equally many sets: on DUC 2006 it has a standard error of about half a pair."""


@dataclass(frozen=True)
class Evaluation:
    """How well one evaluation tells its peers apart; *lowest* and *highest* are means of peers.

    *alike* is the mean number of differing pairs with as many sets as the smaller evaluation has.
    """

    name: str
    sets: int
    peers: int
    lowest: float
    highest: float
    mse: float
    critical: float
    differing: int
    above_baseline: int | None
    alike: float

    @property
    def pairs(self) -> int:
        """How many pairs of peers there are."""
        return self.peers * (self.peers - 1) // 2


@dataclass(frozen=True, repr=False)
class Evaluations(Finding):
    """Evaluations side by side; *sets* is the number of sets at which they are alike."""

    rows: tuple[Evaluation, ...]
    formula: str
    sets: int
    alpha: float
    signature: Mapping[str, str]

    def table(self) -> Table:
        """Return a row for each evaluation."""
        heads = ["sets", "peers", "means of peers", "MSE", "critical difference", "pairs that differ", "share"]
        heads += ["above baseline", f"pairs with {self.sets} sets"]
        return Table(
            [Column("evaluation"), *(Column(head, "right") for head in heads)],
            [_row(evaluation) for evaluation in self.rows],
            "Evaluations by the differences between peers that they show",
            (f"Tukey HSD after {self.formula} in each, α = {self.alpha:g}",),
        )

    def statement(self) -> Statement:
        """Return a row for each evaluation."""
        rows = ({**asdict(row), "pairs": row.pairs, "alike_sets": self.sets} for row in self.rows)
        return Statement("Two evaluations", [self.table()], kind_rows("evaluation", rows), signature=self.signature)


def compare_evaluations(
    tables: Sequence[ScoreTable], dependent: str = "score", *, alpha: float = 0.05, baseline: str | None = None
) -> Evaluations:
    """Return the evaluations of *tables* side by side, several annotators of a summary averaged.

    Parameters
    ----------
    tables
        A table of scores for each evaluation, such as those of two years.
    dependent
        The column of scores.
    alpha
        The level of significance.
    baseline
        A peer of every evaluation that the others are compared with.

    Examples
    --------
    >>> scores = {"set": [*"AAABBBCCC"], "peer": [*"123123123"], "score": [0.2, 0.4, 0.6, 0.3, 0.4, 0.7, 0.2, 0.5, 0.6]}
    >>> first, second = ScoreTable.of(scores), ScoreTable.of({**scores, "score": [0.5] * 4 + [0.4] * 5})
    >>> [evaluation.sets for evaluation in compare_evaluations([first, second]).rows]
    [3, 3]
    """
    used = [table.averaged(dependent) for table in tables]
    models = [analyse_variance(table.columns, dependent, [table.sets, table.peers]) for table in used]
    comparisons = [tukey_hsd(model, table.peers, alpha=alpha) for model, table in zip(models, used, strict=True)]
    fewest = min(len(model.data.factors[0].levels) for model in models)
    rows = [
        _evaluation(table, dependent, model, compared, fewest, baseline, name)
        for table, model, compared, name in zip(used, models, comparisons, _names(tables), strict=True)
    ]
    formula = f"{dependent} ~ set + peer"
    signature = {
        "touchstone": __version__,
        "task": "pyramid evaluations",
        "tables": "; ".join(str(table.source) for table in tables),
        "model": f"{formula}, Tukey HSD, alpha {alpha:g}",
        "subsets": f"{SUBSETS:,} of {fewest} sets",
        **({} if baseline is None else {"baseline": baseline}),
    }
    return Evaluations(tuple(rows), formula, fewest, alpha, signature)


def _names(tables: Sequence[ScoreTable]) -> list[str]:
    stems = [table.source.stem for table in tables]
    return stems if len(set(stems)) == len(stems) else [table.source.name for table in tables]


def _evaluation(
    table: ScoreTable, dependent: str, model: Anova, peers: Comparisons, fewest: int, baseline: str | None, name: str
) -> Evaluation:
    sets = len(model.data.factors[0].levels)
    return Evaluation(
        name,
        sets,
        len(peers.levels),
        float(peers.means[-1]),
        float(peers.means[0]),
        model.mse,
        float(peers.critical_difference[0, 1]),
        peers.n_differing,
        None if baseline is None else len(peers.above(unpadded(baseline))),
        # The evaluation with the fewest sets is compared as it is; of larger ones, samples of as many sets.
        float(peers.n_differing) if sets == fewest else _with_fewer(table, dependent, peers, fewest),
    )


def _with_fewer(table: ScoreTable, dependent: str, peers: Comparisons, size: int) -> float:
    """Return the mean number of pairs that subsets of *size* sets tell apart."""
    tried = subset_power(
        table.columns,
        dependent,
        items=table.sets,
        systems=table.peers,
        sizes=[size],
        subsets=SUBSETS,
        alpha=peers.alpha,
    )
    (row,) = tried.sizes
    return row.extra + (row.found * len(tried.wanted) if tried.wanted else 0.0)


def _row(evaluation: Evaluation) -> list[Cell]:
    means = f"{number(evaluation.lowest, 4)}–{number(evaluation.highest, 4)}"
    differing = f"{evaluation.differing:,} of {evaluation.pairs:,}"
    errors = number(evaluation.mse, 5), number(evaluation.critical, 4)
    shares = number(evaluation.differing / evaluation.pairs), evaluation.above_baseline, number(evaluation.alike, 1)
    return [evaluation.name, evaluation.sets, evaluation.peers, means, *errors, differing, *shares]
