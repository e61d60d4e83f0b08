"""Weights, candidates and boundary learned from sentences with human answers, nothing else.

Settings are compared by cross-validation over target words: the sentences of a word are never on both sides. The
winner has the greatest mean of oot recall and rank@10 on held-out words; its weights are then fitted on all items, and
its boundary is the one of the greatest F(k=1) on the held-out lists.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from random import Random

import numpy as np

from touchstone.core.errors import TouchstoneError, nearest
from touchstone.core.ragged import Floats
from touchstone.core.resampling import Resampling
from touchstone.tasks.lexsub.keys import key
from touchstone.tasks.lexsub.model import GoldSet, Run, Sentence
from touchstone.tasks.lexsub.scoring import score
from touchstone.tasks.lexsub.systems.boundary import choose_fixed, choose_threshold
from touchstone.tasks.lexsub.systems.candidates import Candidate
from touchstone.tasks.lexsub.systems.config import Config
from touchstone.tasks.lexsub.systems.features import BOW, LM, OF_ITSELF, Features
from touchstone.tasks.lexsub.systems.generating import Generator
from touchstone.tasks.lexsub.systems.loglinear import fit
from touchstone.tasks.lexsub.systems.resources import Resources
from touchstone.tasks.lexsub.systems.substituter import as_run, wanted_of
from touchstone.tasks.lexsub.systems.system import Ranking, System
from touchstone.tasks.lexsub.systems.targets import Target, find_targets

FOLDS = 10
SEED = 0
CRITERION = ("R", "rank@10")
FEATURES: Mapping[str, tuple[str, ...]] = {
    "bow": (*OF_ITSELF, *BOW),
    "lm": (*OF_ITSELF, *LM),
    "cmlc": (*OF_ITSELF, *BOW, *LM),
}
"""What each system looks at: all share the candidates and what is known of them, and each has its model of context."""


@dataclass(frozen=True)
class Settings:
    """What weights cannot say: which candidates there are, and how strongly weights are held back."""

    level: int
    twice: bool
    penalty: float

    def __str__(self) -> str:
        further = " with synonyms of synonyms" if self.twice else ""
        return f"WN{self.level}{further}, penalty {self.penalty:g}"


GRID = tuple(
    Settings(level, twice, penalty) for level, twice, penalty in product((2, 3, 4), (False, True), (0.01, 0.03))
)


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
    """Learn a system from *gold*, which must have its sentences; *tell* hears of every setting that was tried."""
    if system not in FEATURES:
        hint = f"known: {', '.join(FEATURES)}; neural is learned after cmlc, by training.train_neural"
        raise TouchstoneError("no such system to learn", value=system, near=nearest(system, FEATURES), hint=hint)
    trainer = Trainer(system, FEATURES[system], resources, examples_of(gold, resources))
    tried: list[tuple[float, Settings, list[Ranking]]] = []
    for settings in grid:
        found = trainer.held_out(settings)
        tried.append((criterion(gold, trainer.run(found)), settings, found))
        tell(f"{settings}: {tried[-1][0]:.4f}")
    value, settings, found = max(tried, key=lambda one: one[0])
    threshold, fixed = trainer.boundary(found)
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
    return Trained(replace(config, learned=learned), trainer.run(found, config.threshold), fixed)


def criterion(gold: GoldSet, run: Run) -> float:
    """Return the mean of oot recall and rank@10."""
    results = score(gold, run, CRITERION, resampling=Resampling("none"))
    return sum(results.row(run.system, name).value for name in CRITERION) / len(CRITERION)


def examples_of(gold: GoldSet, resources: Resources) -> list[Example]:
    """Return the kept items of a gold set with their analysed targets."""
    if not gold.contexts or not all(gold.contexts[row] for row in np.flatnonzero(gold.kept).tolist()):
        raise TouchstoneError("the sentences are missing", file=gold.source.name, hint="give their XML file too")
    items = [gold[gold.ids[row]] for row in np.flatnonzero(gold.kept).tolist()]
    sentences = [Sentence(item.id, item.target, item.pos, item.context) for item in items if item.context]
    targets = find_targets(map(wanted_of, sentences), resources.analyser, resources.lexicon)
    return [
        Example(sentence, target, {key(answer): weight for answer, weight in item.gold.weights.items()})
        for sentence, target, item in zip(sentences, targets, items, strict=True)
    ]


@dataclass(frozen=True)
class Trainer:
    """Fits one system on some examples and applies it to others."""

    system: str
    features: tuple[str, ...]
    resources: Resources
    examples: Sequence[Example]
    _generators: dict[tuple[int, bool], Generator] = field(default_factory=dict, compare=False)
    _tables: dict[tuple[int, bool, str], Floats] = field(default_factory=dict, compare=False)

    def held_out(self, settings: Settings) -> list[Ranking]:
        """Return the ranking of every example by what was learned from the words of other folds."""
        found: dict[str, Ranking] = {}
        for inside, outside in self._folds():
            system = System(self.learned(settings, inside), self.resources)
            found |= {example.sentence.id: system.ranking(example.target) for example in outside}
        return [found[example.sentence.id] for example in self.examples]

    def learned(self, settings: Settings, examples: Sequence[Example]) -> Config:
        """Return the configuration that *examples* teach; its boundary is still open."""
        config = Config(self.system, settings.level, settings.twice, {}, 1.0)
        generator = self._generators.setdefault((settings.level, settings.twice), Generator(config, self.resources))
        tables = [self._table(settings, example, generator) for example in examples]
        golds = [example.weights(generator.candidates(example.target)) for example in examples]
        if not any(gold.any() for gold in golds):
            raise TouchstoneError("none of the human answers is among the candidates: there is nothing to learn from")
        weights = fit(tables, golds, settings.penalty).round(6).tolist()
        return replace(config, weights=dict(zip(self.features, weights, strict=True)))

    def run(self, found: Sequence[Ranking], threshold: float | None = None) -> Run:
        """Return rankings of all examples as a run."""
        rows = zip((example.sentence for example in self.examples), found, strict=True)
        return as_run(self.system, self.system, rows, threshold)

    def boundary(self, found: Sequence[Ranking]) -> tuple[float, int]:
        """Return the boundary that held-out lists ask for, and the fixed number of answers that it must beat."""
        earned = [
            example.weights([row.candidates[place] for place in row.order])
            for example, row in zip(self.examples, found, strict=True)
        ]
        totals = [sum(example.gold.values()) for example in self.examples]
        return choose_threshold([row.values for row in found], earned, totals), choose_fixed(earned, totals)

    def _folds(self) -> Iterator[tuple[list[Example], list[Example]]]:
        """Yield the examples in two parts, those of other words and those of the words of a fold."""
        words = sorted({example.target.lemma for example in self.examples})
        Random(SEED).shuffle(words)
        if len(words) < 2:
            raise TouchstoneError("sentences of one word alone cannot be divided for cross-validation")
        for start in range(min(FOLDS, len(words))):
            fold = set(words[start::FOLDS])
            inside = [example for example in self.examples if example.target.lemma not in fold]
            yield inside, [example for example in self.examples if example.target.lemma in fold]

    def _table(self, settings: Settings, example: Example, generator: Generator) -> Floats:
        """Return the features of the candidates of an example, which do not change from fold to fold."""
        known = (settings.level, settings.twice, example.sentence.id)
        if known not in self._tables:
            candidates = generator.candidates(example.target)
            empty = np.zeros((0, len(self.features)))
            self._tables[known] = self._maker.table(example.target, candidates) if candidates else empty
        return self._tables[known]

    @cached_property
    def _maker(self) -> Features:
        return self.resources.features(self.features)
