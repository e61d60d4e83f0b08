"""How well a matcher agrees with people: each decision is predicted by a model that saw no summary of its document set.

Document sets are split into folds. For each fold a model is fitted on the others; its penalty is chosen inside them, by
folds of their own. Lexical baselines, which learn nothing, stand beside it; intervals resample document sets.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from scipy.stats import rankdata

from touchstone import __version__
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats, Ints
from touchstone.base.signature import content_digest
from touchstone.base.tables import Cell, Column, Table, counted, number
from touchstone.core.resampling import interval_text
from touchstone.core.scoring import Progress
from touchstone.show.finding import Finding, Statement, table_rows
from touchstone.stats.sets import SetValue, drawn_sets, mean_of_sets, order_of_means, pearson, pearson_of_means
from touchstone.systems.pyramids.baselines import BASELINES
from touchstone.systems.pyramids.examples import DecidedSet, compute_rows
from touchstone.systems.pyramids.features import feature_names
from touchstone.systems.pyramids.learning import Curves, fit_curves
from touchstone.systems.runs import RunRow, RunTable
from touchstone.tasks.pyramid.joining import natural

PENALTIES = (0.003, 0.01, 0.03, 0.1)
"""What a model may have as its penalty; chosen inside the sets that it is fitted on."""

FOLDS, INNER = 5, 3
DRAWS = 1000
SOFT, HARD = "automatic, soft", "automatic, hard"
SCORE = "score"
BINS = 10


def train(sets: Sequence[DecidedSet], penalty: float | None = None) -> Curves:
    """Fit a model; its penalty is chosen by folds of document sets where none is given."""
    chosen = penalty if penalty is not None else choose_penalty(sets)
    return fit_curves(feature_names(sets[0].encoder), *_stacked(sets), chosen)


def choose_penalty(sets: Sequence[DecidedSet]) -> float:
    """Return the penalty whose models predict held-out document sets best, by log likelihood."""
    folds = fold_numbers(len(sets), INNER)
    losses = []
    for penalty in PENALTIES:
        predicted = cross_predict(sets, folds, partial(train, penalty=penalty))
        pairs = zip(sets, predicted, strict=True)
        losses.append(np.mean([_loss(decided.targets, probabilities) for decided, probabilities in pairs]))
    return PENALTIES[int(np.argmin(losses))]


def _loss(targets: Floats, predicted: Floats) -> float:
    p = np.clip(predicted, 1e-6, 1 - 1e-6)
    return float(-np.mean(targets * np.log(p) + (1 - targets) * np.log(1 - p)))


def _stacked(sets: Sequence[DecidedSet]) -> tuple[Floats, Floats]:
    rows = np.concatenate([decided.rows.reshape(-1, decided.rows.shape[-1]) for decided in sets])
    return rows, np.concatenate([decided.targets.ravel() for decided in sets])


def fold_numbers(count: int, folds: int) -> Ints:
    """Return the fold of each of *count* document sets, in turn; as many folds as there are sets where they are few."""
    if count < 2:
        what = "models are tried on document sets that they were not fitted on, and there is one"
        hint = "give annotations of two document sets or more; a finished model can be judged on one"
        raise TouchstoneError(what, code=Code.TOO_FEW, hint=hint)
    return np.arange(count) % min(folds, count)


def cross_predict(
    sets: Sequence[DecidedSet],
    folds: Ints,
    fit: Callable[[Sequence[DecidedSet]], Curves],
) -> list[Floats]:
    """Return the probabilities of each set's decisions, by a model that *fit* makes of the sets of other folds."""
    predicted: dict[int, Floats] = {}
    for fold in np.unique(folds):
        model = fit([decided for decided, set_fold in zip(sets, folds, strict=True) if set_fold != fold])
        for index in np.flatnonzero(folds == fold).tolist():
            predicted[index] = model.probability(sets[index].rows)
    return [predicted[index] for index in range(len(sets))]


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Finding):
    """Decisions of people and of a matcher, and scores of summaries by both and by baselines.

    Parameters
    ----------
    sets
        The document sets.
    probabilities
        For each set, the probability of each decision: peers by units.
    how
        How they were predicted.
    notes
        What was left out.
    more
        Scores of further methods by their names: those of the peers of each set.
    """

    sets: Sequence[DecidedSet]
    probabilities: Sequence[Floats]
    how: str
    notes: Sequence[str] = ()
    more: Mapping[str, Sequence[Floats]] = field(default_factory=dict)

    @cached_property
    def runs(self) -> RunTable[str]:
        """The score of each peer of each set by every method, whose one run on a set is at the position of that set."""
        pairs = list(zip(self.sets, self.probabilities, strict=True))
        scores: dict[str, Sequence[Floats]] = {
            SOFT: [p @ decided.credit for decided, p in pairs],
            HARD: [(p > 0.5) @ decided.credit for decided, p in pairs],
            **{name: [score(decided) for decided in self.sets] for name, score in BASELINES.items()},
            **self.more,
        }
        return RunTable(
            [
                RunRow(name, position, name, {SCORE: values})
                for name, each in scores.items()
                for position, values in zip(range(len(self.sets)), each, strict=True)
            ]
        )

    def scores(self, method: str) -> list[Floats]:
        """Return the score of each peer of each set by a method."""
        return [self.runs.mean(method, position, SCORE) for position in self.runs.sets]

    @cached_property
    def summary_r(self) -> dict[str, Floats]:
        """For each method, the correlation with people over the peers of each set; nan where one side is constant."""
        human = [decided.scores for decided in self.sets]
        return {name: np.array(list(map(pearson, self.scores(name), human))) for name in self.runs.methods}

    @cached_property
    def _drawn(self) -> Ints:
        return drawn_sets(len(self.sets), DRAWS)

    def interval(self, values: Floats) -> SetValue:
        """Return the mean of a value of each set, and its interval over draws of sets."""
        return mean_of_sets(values, self._drawn)

    def over(self, baseline: str, method: str = SOFT) -> SetValue:
        """Return how much higher the summary-level r of *method* is than that of a baseline, with its interval."""
        return self.interval(self.summary_r[method] - self.summary_r[baseline])

    @cached_property
    def best_baseline(self) -> str:
        """The baseline with the highest summary-level r on these sets."""
        return max(self._baselines, key=lambda name: float(np.nanmean(self.summary_r[name])))

    def _system_scores(self, scores: Sequence[Floats]) -> Floats:
        """Return the score of each system in each set, nan where it has none there."""
        names = sorted({peer for decided in self.sets for peer in decided.peers}, key=natural)
        table = np.full((len(names), len(self.sets)), np.nan)
        for column, (decided, set_scores) in enumerate(zip(self.sets, scores, strict=True)):
            table[[names.index(peer) for peer in decided.peers], column] = set_scores
        return table

    def systems(self, method: str) -> tuple[float, float, float, float, float]:
        """Return r over the means of systems with its interval, Kendall's tau-b, and the share of pairs in order."""
        return self._by_system[method]

    @cached_property
    def _by_system(self) -> dict[str, tuple[float, float, float, float, float]]:
        human = self._system_scores([decided.scores for decided in self.sets])
        automatic = {name: self._system_scores(self.scores(name)) for name in self.runs.methods}
        return {
            name: (*pearson_of_means(scores, human, self._drawn), *order_of_means(human, scores))
            for name, scores in automatic.items()
        }

    @cached_property
    def decisions(self) -> tuple[Floats, Floats]:
        """All decisions of people, and their probabilities."""
        return (
            np.concatenate([decided.present.ravel() for decided in self.sets]),
            np.concatenate([probabilities.ravel() for probabilities in self.probabilities]),
        )

    @property
    def auc(self) -> float:
        """The chance that a present unit has a higher probability than an absent one."""
        present, p = self.decisions
        ranks, positive = rankdata(p), present > 0
        n = positive.sum()
        # Mann and Whitney: the sum of the ranks of present units less its least value, over the number of pairs.
        return float((ranks[positive].sum() - n * (n + 1) / 2) / (n * (len(p) - n)))

    @property
    def f1(self) -> float:
        """F1 of the units with p > .5."""
        present, p = self.decisions
        both = np.sum((p > 0.5) & (present > 0))
        return float(2 * both / max(np.sum(p > 0.5) + present.sum(), 1))

    @cached_property
    def calibration(self) -> list[tuple[float, float, int]]:
        """Of each tenth of probabilities: their mean, the share of present units, and the number of decisions."""
        present, p = self.decisions
        bins = np.minimum((p * BINS).astype(int), BINS - 1)
        inside = [bins == number for number in range(BINS)]
        return [
            (float(p[in_bin].mean()), float(present[in_bin].mean()), int(in_bin.sum()))
            for in_bin in inside
            if in_bin.any()
        ]

    @property
    def calibration_error(self) -> float:
        """The mean distance of probability and share, weighted by decisions (ECE)."""
        total = sum(n for *_, n in self.calibration)
        return sum(abs(p - share) * n for p, share, n in self.calibration) / total

    @property
    def signature(self) -> dict[str, str]:
        """What was evaluated, and how."""
        peers = sum(len(decided.peers) for decided in self.sets)
        return {
            "touchstone": __version__,
            "task": "pyramid auto",
            "gold": content_digest(
                set=[
                    [decided.set, decided.statements, decided.credit.tolist(), decided.targets.tolist()]
                    for decided in self.sets
                ]
            ),
            "systems": content_digest(
                peer=[[decided.set, list(decided.peers), list(decided.texts)] for decided in self.sets]
            ),
            "auto": self.how,
            "items": f"{counted(len(self.sets), 'document set')}, {counted(peers, 'summary')}",
        }

    def sentences(self) -> list[str]:
        """Return how scores go with people's, beside the best baseline, and how well single units are found."""
        other = self.best_baseline
        r, low, high = map(number, self.interval(self.summary_r[SOFT]))
        beside = number(self.interval(self.summary_r[other])[0])
        return [
            f"Over the summaries of a document set, automatic scores go with people's at r = {r} "
            f"(95% interval {low} to {high}); the best baseline, {other}, at {beside}.",
            f"Units that people found are told from others with AUC {number(self.auc)}, F1 {number(self.f1)}.",
        ]

    def tables(self) -> list[Table]:
        """Return the correlations with people, the decisions, and how far probabilities can be believed."""
        return [self._correlations(), self._decisions(), self._calibration()]

    def statement(self) -> Statement:
        """Return correlations, decisions and calibration; the report draws them."""
        from touchstone.systems.pyramids.report import evaluation_sections

        summaries = sum(len(decided.peers) for decided in self.sets)
        return Statement(
            "Automatic pyramid scores and people",
            self.tables(),
            list(self._rows()),
            self.sentences(),
            self.notes,
            self.signature,
            subtitle=f"{counted(summaries, 'summary')}, {counted(len(self.sets), 'document set')}",
            sections=lambda: evaluation_sections(self),
        )

    def _rows(self) -> Iterator[dict[str, object]]:
        """Yield the agreement of each method with people, what is above baselines, decisions and calibration."""
        for name in self.runs.methods:
            r, low, high, tau, order = self.systems(name)
            about = {"kind": "value", "method": name}
            yield {**about, "measure": "summary_r", **_ends(self.interval(self.summary_r[name]))}
            yield {**about, "measure": "system_r", **_ends((r, low, high))}
            yield {**about, "measure": "system_tau", "value": tau}
            yield {**about, "measure": "pairs_in_order", "value": order}
        for name in self._baselines:
            difference, low, high = self.over(name)
            ends = {"difference": difference, "low": low, "high": high}
            yield {"kind": "pair", "a": SOFT, "b": name, "measure": "summary_r", **ends}
        yield {"kind": "decisions", **self._decision_figures}
        yield from table_rows("calibration", self._calibration())

    @property
    def _baselines(self) -> list[str]:
        return [name for name in self.runs.methods if name not in (SOFT, HARD)]

    @property
    def _decision_figures(self) -> dict[str, Cell]:
        present, _ = self.decisions
        return {
            "decisions": len(present),
            "present": float(present.mean()),
            "AUC": self.auc,
            "F1": self.f1,
            "calibration error": self.calibration_error,
        }

    def _correlations(self) -> Table:
        interval = "95% interval"
        heads = ("summary r", interval, "above it by", interval, "system r", interval, "tau", "pairs in order")
        columns = [Column("method"), *(Column(head, "right") for head in heads)]
        rows: list[list[Cell]] = []
        for name in self.runs.methods:
            value, low, high = self.interval(self.summary_r[name])
            more = self.over(name) if name in self._baselines else None
            gap: list[Cell] = [more[0], interval_text(*more[1:])] if more else [None, None]
            r, lowest, highest, tau, order = self.systems(name)
            rows.append([name, value, interval_text(low, high), *gap, r, interval_text(lowest, highest), tau, order])
        notes = [
            f"above it by: how much higher the summary r of {SOFT} is; the best baseline here is {self.best_baseline}"
        ]
        return Table(columns, rows, "Agreement with people", notes)

    def _decisions(self) -> Table:
        figures = self._decision_figures
        columns = [Column(head, "right") for head in figures]
        return Table(columns, [list(figures.values())], "Decisions about units")

    def _calibration(self) -> Table:
        columns = [Column(head, "right") for head in ("probability", "present", "decisions")]
        return Table(columns, [list(row) for row in self.calibration], "How far probabilities can be believed")


def _ends(ends: tuple[float, float, float]) -> dict[str, float]:
    return dict(zip(("value", "low", "high"), ends, strict=True))


def evaluate(
    sets: Sequence[DecidedSet],
    folds: Ints | None = None,
    progress: Progress = lambda done, total: None,  # noqa: ARG005
) -> Evaluation:
    """Predict every decision by nested cross-validation over document sets.

    Parameters
    ----------
    sets
        The document sets that people decided on.
    folds
        The fold of each set; by default five, the sets in turn.
    progress
        Told of how many document sets the features are computed, which takes most of the time.
    """
    numbers = fold_numbers(len(sets), FOLDS) if folds is None else folds
    compute_rows(sets, progress)
    predicted = cross_predict(sets, numbers, train)
    count = len(np.unique(numbers))
    return Evaluation(sets, predicted, f"{count} folds of document sets, penalty chosen inside them")
