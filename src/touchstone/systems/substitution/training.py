"""Weights, candidates and boundary learned from sentences with human answers, nothing else.

Settings are compared by cross-validation over target words: the sentences of a word are never on both sides. The
winner has the greatest mean of oot recall and rank@10 on held-out words; its weights are then fitted on all items, and
its boundary is the one of the greatest F(k=1) on the held-out lists.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from random import Random

import numpy as np
from scipy.optimize import minimize

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.ragged import Floats, Ints, Ragged
from touchstone.core.resampling import Resampling
from touchstone.systems.substitution.candidates import Candidate
from touchstone.systems.substitution.config import Config
from touchstone.systems.substitution.features import BOW, FRAME, LM, OF_ITSELF, VERBS
from touchstone.systems.substitution.ranking import Ranking, Scores, candidates_of, cut
from touchstone.systems.substitution.resources import Resources
from touchstone.systems.substitution.substituter import as_run, marked_text
from touchstone.systems.substitution.targets import Target, find_targets
from touchstone.tasks.lexsub.model import GoldSet, Run, Sentence, key
from touchstone.tasks.lexsub.task import TASK

FOLDS = 10
SEED = 0
THRESHOLDS = tuple(n / 100 for n in range(2, 101, 2))
CRITERION = ("R", "rank@10")
FIXED = {FRAME: 1.0, VERBS: 1.5}
"""Weights that are not learned: the words of the trial data have few frames, but a wrong one spoils a sentence."""
FEATURES: Mapping[str, tuple[str, ...]] = {
    "bow": (*OF_ITSELF, *BOW),
    "lm": (*OF_ITSELF, *LM),
    "cmlc": (*OF_ITSELF, *BOW, *LM),
}
"""What each system looks at: all share the candidates and what is known of them, and each has its model of context."""


NEIGHBOURS = 20
"""Words near in vectors that are candidates too. They cost about .005 of the criterion on trial words, but everyday
words that WordNet does not reach (*game* for *match*) come from nowhere else."""


@dataclass(frozen=True)
class Settings:
    """What is chosen, not fitted: which candidates there are, and the penalty on the weights."""

    level: int
    twice: bool
    penalty: float
    neighbours: int = 0

    def __str__(self) -> str:
        further = " with synonyms of synonyms" if self.twice else ""
        near = f" and {self.neighbours} neighbours" if self.neighbours else ""
        return f"WN{self.level}{further}{near}, penalty {self.penalty:g}"


GRID = tuple(Settings(*chosen, NEIGHBOURS) for chosen in product((3,), (False, True), (0.01, 0.03)))


@dataclass(frozen=True)
class Example:
    """An item to learn from: its target, and what people gave, by key."""

    sentence: Sentence
    target: Target
    gold: Mapping[str, float]

    def weights(self, candidates: Sequence[Candidate]) -> Floats:
        """Return how many people gave each candidate."""
        return np.array([self.gold.get(key(candidate.word), 0.0) for candidate in candidates])


@dataclass(frozen=True)
class Trained:
    """A configuration, and how it did on words it was not fitted on."""

    config: Config
    held_out: Run
    """The answers to every item by what was learned from other words, with the boundary."""
    fixed: int
    """The best number of answers to give to every item: what the boundary must beat."""


def train(
    system: str,
    gold: GoldSet,
    resources: Resources,
    *,
    grid: Sequence[Settings] = GRID,
    tell: Callable[[str], None] = lambda _: None,
) -> Trained:
    """Learn a system from human answers.

    Parameters
    ----------
    system
        ``bow``, ``lm`` or ``cmlc``.
    gold
        The answers, with their sentences.
    resources
        What candidates and features come from.
    grid
        The settings that are compared.
    tell
        Called with a line of text for every setting.
    """
    if system not in FEATURES:
        hint = f"known: {', '.join(FEATURES)}; neural is learned after cmlc, by training.train_neural"
        what = "no such system to learn"
        raise TouchstoneError(what, value=system, near=nearest(system, FEATURES), code=Code.UNKNOWN_NAME, hint=hint)
    trainer = Trainer(system, FEATURES[system], resources, examples_of(gold))
    tried: list[tuple[float, Settings, list[Ranking]]] = []
    for settings in grid:
        rankings = trainer.held_out(settings)
        tried.append((criterion(gold, trainer.run(rankings)), settings, rankings))
        tell(f"{settings}: {tried[-1][0]:.4f}")
    value, settings, rankings = max(tried, key=lambda trial: trial[0])
    threshold, fixed = trainer.boundary(rankings)
    config = replace(trainer.learned(settings, trainer.examples), threshold=threshold)
    learned = {
        "from": str(gold.source),
        "items": str(len(gold)),
        "words": str(len({example.target.lemma for example in trainer.examples})),
        "resources": resources.signature(config.weights),
        "settings": f"{settings}; the best of {len(tried)} by {FOLDS}-fold cross-validation over words",
        "held_out": f"mean of oot recall and rank@10 {value:.4f}",
        "best_fixed_number": str(fixed),
    }
    return Trained(replace(config, learned=learned), trainer.run(rankings, config.threshold), fixed)


def criterion(gold: GoldSet, run: Run) -> float:
    """Return the mean of oot recall and rank@10."""
    results = TASK.score(gold, run, CRITERION, resampling=Resampling("none"))
    return sum(results.row(run.name, name).value for name in CRITERION) / len(CRITERION)


def examples_of(gold: GoldSet) -> list[Example]:
    """Return the kept items of a gold set with their analysed targets."""
    items = gold.scored_items
    sentences = [Sentence(item.id, item.target, item.pos, item.context) for item in items if item.context]
    if len(sentences) < len(items):
        hint = "give their XML file too"
        raise TouchstoneError("the sentences are missing", file=gold.source.name, code=Code.OPTION_NEEDED, hint=hint)
    targets = find_targets(map(marked_text, sentences))
    return [
        Example(sentence, target, {key(answer): weight for answer, weight in item.gold.weights.items()})
        for sentence, target, item in zip(sentences, targets, items, strict=True)
    ]


Inputs = tuple[tuple[Candidate, ...], Floats, Floats]
"""The candidates of an example, a row of features for each, and how many people gave each."""


class Trainer:
    """Fits one system on some examples and applies it to others.

    Parameters
    ----------
    system
        The name that its configuration and its runs get.
    features
        The names of the features that get weights.
    resources
        What candidates and features come from.
    examples
        All items to learn from.
    """

    def __init__(self, system: str, features: Sequence[str], resources: Resources, examples: Sequence[Example]) -> None:
        self.system, self.features, self.resources, self.examples = system, tuple(features), resources, examples
        self._inputs = cache(self._compute_inputs)

    def held_out(self, settings: Settings) -> list[Ranking]:
        """Return the ranking of every example by what was learned from the words of other folds."""
        rankings: dict[str, Ranking] = {}
        _, inputs = self._inputs(settings.level, settings.twice, settings.neighbours)
        for inside, outside in self._folds():
            weights = np.array(list(self.learned(settings, inside).weights.values()))
            for example in outside:
                candidates, table, _ = inputs[example.sentence.id]
                rankings[example.sentence.id] = Ranking.of(example.target, candidates, Scores(table @ weights))
        return [rankings[example.sentence.id] for example in self.examples]

    def learned(self, settings: Settings, examples: Sequence[Example]) -> Config:
        """Return the configuration learned from some of the *examples*; its boundary is not yet set."""
        config, inputs = self._inputs(settings.level, settings.twice, settings.neighbours)
        _, tables, golds = zip(*(inputs[example.sentence.id] for example in examples), strict=True)
        if not any(gold.any() for gold in golds):
            what = "none of the human answers is among the candidates: there is nothing to learn from"
            raise TouchstoneError(what, code=Code.TOO_FEW)
        fixed = np.array([FIXED.get(name, 0.0) for name in self.features])
        weights = fit(tables, golds, settings.penalty, fixed).round(6).tolist()
        return replace(config, weights=dict(zip(self.features, weights, strict=True)))

    def run(self, rankings: Sequence[Ranking], threshold: float | None = None) -> Run:
        """Return *rankings* of all examples as a run; with a *threshold*, with its boundary."""
        rows = zip((example.sentence for example in self.examples), rankings, strict=True)
        return as_run(self.system, self.system, rows, threshold)

    def boundary(self, rankings: Sequence[Ranking]) -> tuple[float, int]:
        """Return the best boundary for held-out *rankings*, and the fixed number of answers that it must beat."""
        earned = [
            example.weights([ranking.candidates[index] for index in ranking.order])
            for example, ranking in zip(self.examples, rankings, strict=True)
        ]
        totals = [sum(example.gold.values()) for example in self.examples]
        return choose_threshold([ranking.values for ranking in rankings], earned, totals), choose_fixed(earned, totals)

    def _folds(self) -> Iterator[tuple[list[Example], list[Example]]]:
        """Yield the examples in two parts, those of other words and those of the words of a fold."""
        words = sorted({example.target.lemma for example in self.examples})
        Random(SEED).shuffle(words)
        if len(words) < 2:
            what = "sentences of one word alone cannot be divided for cross-validation"
            raise TouchstoneError(what, code=Code.TOO_FEW)
        for start in range(min(FOLDS, len(words))):
            fold = set(words[start::FOLDS])
            inside = [example for example in self.examples if example.target.lemma not in fold]
            yield inside, [example for example in self.examples if example.target.lemma in fold]

    def _compute_inputs(self, level: int, twice: bool, neighbours: int) -> tuple[Config, dict[str, Inputs]]:
        """Return the candidates of every example, their features and gold weights, the same in every fold."""
        config = Config(self.system, level, twice, {}, 1.0, neighbours=neighbours)
        candidates_for = candidates_of(config, self.resources)
        features = self.resources.features(self.features)
        inputs = {}
        for example in self.examples:
            candidates = candidates_for(example.target.lemma, example.target.pos)
            empty = np.zeros((0, len(self.features)))
            table = features.table(example.target, candidates) if candidates else empty
            inputs[example.sentence.id] = candidates, table, example.weights(candidates)
        return config, inputs


def fit(tables: Sequence[Floats], golds: Sequence[Floats], penalty: float, fixed: Floats | None = None) -> Floats:
    """Return the weights that make what people said most probable.

    They minimise the mean over items of −Σ g ln p, with g the share of people who gave a candidate and p the softmax
    of weights · features over the item's candidates, plus a penalty on the squared length of the weights. Items
    none of whose candidates anybody gave are left out.

    Parameters
    ----------
    tables
        For each item, a row for each candidate with a column for each feature.
    golds
        For each item, how many people gave each candidate.
    penalty
        The factor of the squared length of the weights.
    fixed
        The weights that are not learned, 0 for those that are; by default all are learned.

    Examples
    --------
    >>> table = np.array([[1.0], [-1.0]])
    >>> fit([table, table], [np.array([3.0, 0.0]), np.array([1.0, 0.0])], 0.1).round(2).tolist()
    [1.06]
    """
    answered = [(table, gold / gold.sum()) for table, gold in zip(tables, golds, strict=True) if gold.sum() > 0]
    rows = Ragged.from_sizes(
        np.array([len(gold) for _, gold in answered]), np.concatenate([gold for _, gold in answered])
    )
    features = np.concatenate([table for table, _ in answered])
    fixed_weights = np.zeros(features.shape[1]) if fixed is None else fixed
    constant, free = features @ fixed_weights, (fixed_weights == 0).astype(np.float64)

    def loss(weights: Floats) -> tuple[float, Floats]:
        logs = _log_softmax(features @ weights + constant, rows)
        gradient = features.T @ (np.exp(logs) - rows.values) / len(answered)
        value = -float(rows.values @ logs) / len(answered) + penalty * float(weights @ weights)
        return value, (gradient + 2 * penalty * weights) * free

    # The gradient of a fixed weight is 0, so it stays at its start, 0; what it adds is in the constant.
    solution = minimize(loss, np.zeros(features.shape[1]), jac=True, method="L-BFGS-B")
    return np.asarray(solution.x + fixed_weights, np.float64)


def _log_softmax(scores: Floats, rows: Ragged[np.float64]) -> Floats:
    """Return the logarithms of the softmax of each row of scores."""
    starts: Ints = rows.offsets[:-1]
    # Less the largest of each row, so that no exponential overflows.
    shifted = scores - np.maximum.reduceat(scores, starts)[rows.row]
    return np.asarray(shifted - np.log(np.add.reduceat(np.exp(shifted), starts))[rows.row], np.float64)


def choose_threshold(scores: Sequence[Floats], earned: Sequence[Floats], totals: Sequence[float]) -> float:
    """Return the threshold of the greatest F(k=1): the harmonic mean of mean P and mean R over items.

    Parameters
    ----------
    scores
        The scores of each item's list, best first.
    earned
        How many people gave each answer of the list.
    totals
        How many answers people gave to the item in all.
    """
    return max(THRESHOLDS, key=lambda threshold: f_value([cut(row, threshold) for row in scores], earned, totals))


def choose_fixed(earned: Sequence[Floats], totals: Sequence[float], most: int = 20) -> int:
    """Return the one number of answers to every item that has the greatest F(k=1): what a boundary must beat."""
    return max(range(1, most + 1), key=lambda n: f_value([n] * len(earned), earned, totals))


def f_value(cuts: Sequence[int], earned: Sequence[Floats], totals: Sequence[float]) -> float:
    """Return F(k=1) of lists cut after the given numbers of answers.

    >>> f_value([2], [np.array([3.0, 0.0, 1.0])], [4.0])
    0.75
    """
    credit = np.array([row[:n].sum() for row, n in zip(earned, cuts, strict=True)])
    wrong = np.array([(row[:n] == 0).sum() for row, n in zip(earned, cuts, strict=True)])
    precision = np.where(credit > 0, credit / np.maximum(credit + wrong, 1), 0).mean()
    recall = (credit / np.array(totals)).mean()
    return float(2 * precision * recall / (precision + recall)) if precision + recall else 0.0
