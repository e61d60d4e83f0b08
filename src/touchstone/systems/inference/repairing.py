"""Repair: what trained models gain and lose when they are tuned on a few pairs of a challenge set.

The lists, or categories, of the pairs are put in two halves. A model is tuned on pairs of one half and tested on pairs
of both, on other premises, so that what it learned about the words of its own lists and what carries over to other
lists are told apart. Every pair that is tested has its category in one of the halves, so each question has an answer
for all of them.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.signature import content_digest
from touchstone.core.resampling import Resampling
from touchstone.io.jsonl import format_objects
from touchstone.io.writing import make_folder, write_text
from touchstone.systems.inference.experiments import Experiment, experiment
from touchstone.systems.inference.predicting import Labeller, run_state
from touchstone.systems.inference.runs import ModelRun
from touchstone.tasks.nli.composition import label_of, words_of
from touchstone.tasks.nli.formats import read_run
from touchstone.tasks.nli.model import GoldSet, Pair, Run

SAME, OTHER = "same lists", "other lists"
TESTED = 85
"""A premise is tested on where the first byte of its SHA-256 is below this: a third of them."""


@dataclass(frozen=True)
class Tuning:
    """How a model is tuned: epochs over the pairs, learning rate, and pairs in a batch."""

    epochs: int = 10
    rate: float = 1e-4
    batch: int = 10


@dataclass(frozen=True, eq=False)
class Halves:
    """Pairs for tuning, in two halves by their lists, and pairs for testing, with the half that each belongs to."""

    pools: tuple[Sequence[Pair], Sequence[Pair]]
    tests: GoldSet
    half: Mapping[str, int]


def halve(gold: GoldSet) -> Halves:
    """Put the lists of a set in two halves of about the same size, and its premises in those tuned and tested on.

    Parameters
    ----------
    gold
        Pairs with a category; one without a gold label has the label that it was generated for.
    """
    labelled_pairs = [
        (replace(pair, gold=label), line)
        for pair, line in zip(gold.pairs, gold.lines, strict=True)
        if (label := label_of(pair))
    ]
    counts = Counter(pair.category or "" for pair, _ in labelled_pairs)
    if len(counts) < 2:
        what = "all pairs are of one category, so none can be held out"
        hint = "give pairs of several lists, as nli generate makes them"
        raise TouchstoneError(what, file=gold.source.name, code=Code.TOO_FEW, hint=hint)
    sizes, half = [0, 0], {}
    # The largest list first, each into the half that is smaller so far.
    for name, count in counts.most_common():
        half[name] = int(sizes[1] < sizes[0])
        sizes[half[name]] += count
    tested = [(pair, line) for pair, line in labelled_pairs if _is_tested(pair.premise)]
    tests = replace(gold, pairs=[pair for pair, _ in tested], lines=[line for _, line in tested])
    left = [pair for pair, _ in labelled_pairs if not _is_tested(pair.premise)]
    first, second = ([pair for pair in left if half[pair.category or ""] == side] for side in (0, 1))
    return Halves((first, second), tests, {pair.id: half[pair.category or ""] for pair in tests.pairs})


def _is_tested(premise: str) -> bool:
    return hashlib.sha256(premise.strip().encode()).digest()[0] < TESTED


def repair(
    models: Mapping[str, Sequence[Path]],
    gold: GoldSet,
    tests: Mapping[str, GoldSet],
    folder: str | Path,
    *,
    sizes: Sequence[int],
    tuning: Tuning = Tuning(),
    vectors: str | Path | None = None,
    device: str = "auto",
    resampling: Resampling = Resampling(),  # noqa: B008 (immutable)
    tell: Callable[[str], None] = lambda _: None,
) -> Experiment:
    """Tune models on parts of a set, and score them on the rest of it and on other test sets.

    Parameters
    ----------
    models
        The folders of each model's runs, such as one for each seed.
    gold
        The pairs to tune on, by lists.
    tests
        Other test sets by name, such as a usual one. Of one with categories, the pairs whose two words are not those of
        any pair of *gold* are also a test set of their own.
    folder
        Where the labels are kept, so that an interrupted experiment goes on.
    sizes
        The numbers of pairs; 0 is the model as it is.
    tuning
        How models are tuned.
    vectors
        The vectors of the models, for words that are new to them.
    device, resampling, tell
        As in `touchstone.systems.inference.curves.learning_curve`.
    """
    halves = halve(gold)
    for name, test_gold in tests.items():
        without = new_words(test_gold, gold) if any(pair.category for pair in test_gold.pairs) else test_gold
        if 0 < len(without) < len(test_gold):
            tests = {**tests, f"{name}, new words": without}
    least = min(map(len, halves.pools))
    if max(sizes) > least:
        what = f"a size of {max(sizes):,}, and a half of the lists has {least:,} pairs to tune on"
        hint = "leave that size out, or generate more pairs"
        raise TouchstoneError(what, file=gold.source.name, code=Code.TOO_FEW, hint=hint)
    golds = {SAME: halves.tests, OTHER: halves.tests, **tests}
    make_folder(Path(folder))
    runs = []
    for model, folders in models.items():
        for run in folders:
            work = _Work(run, Path(folder), halves, tests, tuning, vectors, device)
            for size in sizes:
                tell(f"{run.name}: {size:,} pairs")
                runs += [
                    ModelRun(model, size, test, labels) for test, some in work.labels(size).items() for labels in some
                ]
    sizes_text = f"{len(halves.pools[0]):,} and {len(halves.pools[1]):,} pairs to tune on"
    notes = [f"two halves of the lists: {sizes_text}; {len(halves.tests):,} pairs on other premises to test on"]
    return experiment("Repair by a few pairs", "pairs", golds, runs, resampling=resampling, notes=notes)


@dataclass(frozen=True, eq=False)
class _Work:
    """One run of a model: its labels for all test sets after tuning on so many pairs."""

    run: Path
    folder: Path
    halves: Halves
    tests: Mapping[str, GoldSet]
    tuning: Tuning
    vectors: str | Path | None
    device: str

    @cached_property
    def model(self) -> Labeller:
        """The model as it was trained, with the words of all sets; read when it is first needed."""
        labeller = Labeller(self.run, device=self.device)
        sets = [gold.pairs for gold in (*self.tests.values(), self.halves.tests)] + [*self.halves.pools]
        pairs = [pair for pairs in sets for pair in pairs]
        return labeller.extended(pairs, self.vectors) if self.vectors else labeller

    def labels(self, size: int) -> dict[str, list[Run]]:
        """Return the runs on each test set: two of each other set, one of each half, and one of each question."""
        runs_by_half = [self._of_half(size, half) for half in (0, 1)]
        runs = {test: [half[test] for half in runs_by_half] for test in self.tests}
        challenge_runs, name = [half[SAME] for half in runs_by_half], f"{self.run.name}-{size}"
        of = self.halves.half
        # Each pair has the label of the model that was tuned on its half, or on the other half.
        for test, other in ((SAME, 0), (OTHER, 1)):
            labels = [challenge_runs[of[pair.id] ^ other].label(pair.id) or "" for pair in self.halves.tests.pairs]
            runs[test] = [replace(challenge_runs[0], name=name, labels=labels, probabilities=None)]
        return runs

    def _of_half(self, size: int, half: int) -> dict[str, Run]:
        """Return the labels after tuning on pairs of one half, from the folder where they are there already."""
        golds = {SAME: self.halves.tests, **self.tests}
        paths = {test: self.folder / f"{self._key(size, half, gold)}.jsonl" for test, gold in golds.items()}
        if not all(path.exists() for path in paths.values()):
            seed = self.model.settings.seed
            order = np.random.default_rng([seed, half]).permutation(len(self.halves.pools[half]))[:size]
            pairs = [self.halves.pools[half][index] for index in order.tolist()]
            tuned = self.model.tuned(pairs, **vars(self.tuning)) if pairs else self.model
            for test, gold in golds.items():
                write_text(paths[test], format_objects(tuned.predict(gold).objects()))
        name = f"{self.run.name}-{size}-{half}"
        return {test: read_run(path, name=name) for test, path in paths.items()}

    def _key(self, size: int, half: int, gold: GoldSet) -> str:
        """Return the name of the file with labels; all that decides them decides it."""
        pool = [pair.id + pair.premise + pair.hypothesis + str(pair.gold) for pair in self.halves.pools[half]]
        texts = [pair.id + pair.premise + pair.hypothesis for pair in gold.pairs]
        about = [self.run.name, *map(str, vars(self.tuning).values()), str(self.vectors is not None)]
        digest = content_digest(pool=pool, texts=texts, about=about, run=run_state(self.run))
        return f"{self.run.name}-{size}-{half}-{digest.strip('#')}"


def new_words(challenge: GoldSet, gold: GoldSet) -> GoldSet:
    """Return the pairs of a challenge set whose two words are not those of any pair of another set."""
    word_pairs = {frozenset(words) for pair in gold.pairs if (words := words_of(pair))}
    rows = [
        row
        for row, pair in enumerate(challenge.pairs)
        if (words := words_of(pair)) is None or frozenset(words) not in word_pairs
    ]
    return replace(
        challenge, pairs=[challenge.pairs[row] for row in rows], lines=[challenge.lines[row] for row in rows]
    )
