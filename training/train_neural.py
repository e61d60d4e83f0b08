"""Learns the configuration of neural that comes with the package, from trial data alone, in three steps.

    python -m training.train_neural places LS07 places.jsonl
    python -m training.score_fits places.jsonl fits.jsonl --causal MODEL.gguf --encoder FOLDER
    python -m training.train_neural learn LS07 fits.jsonl

LS07 is a folder with trial.gold and trial.xml of SemEval-2007 task 10. The candidates and the ranker before are those
of cmlc. Weights are fitted on lists that cmlc gave to words it was not fitted on, and compared by cross-validation over
words; no other file is opened. With `--of test` the first step writes the places of the test sentences, so that their
fits can be worked out elsewhere; it reads no gold.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from training.stored_fits import StoredFits

from touchstone import lexsub
from touchstone.base.ragged import Floats
from touchstone.io.writing import write_text
from touchstone.systems.substitution.config import SHIPPED, shipped_config
from touchstone.systems.substitution.neural import PARTS, cloze_of
from touchstone.systems.substitution.ranking import Ranking, Scores, System, best_indices, parts_table, scores_of_all
from touchstone.systems.substitution.resources import Resources
from touchstone.systems.substitution.substituter import marked_text
from touchstone.systems.substitution.targets import find_targets
from touchstone.systems.substitution.training import FEATURES, Example, Settings, Trainer, criterion, examples_of, fit

KEEP = (12, 16, 20)
"""More would make an answer wait for more than half a second on one core."""
PENALTIES = (0.01, 0.03)
_CMLC_PENALTY = 0.03
"""As cmlc was learned."""
_FITTED = 22
"""Candidates whose fits are worked out: those that cmlc puts first, learned from whichever words, are among them."""
_FOLDS = 10


@dataclass(frozen=True)
class Case:
    """An example with the candidates that cmlc, learned from other words, puts first."""

    example: Example
    before: Ranking
    best: list[int]
    table: Floats

    @property
    def gold(self) -> Floats:
        """What people gave to each of the best candidates."""
        return self.example.weights([self.before.candidates[place] for place in self.best])

    def ranked(self, weights: Floats) -> Ranking:
        """Return the candidates as the weights order them."""
        values = scores_of_all(self.before.scores.values, self.best, self.table @ weights)
        return Ranking.of(self.before.target, self.before.candidates, Scores(values))


def main() -> None:
    """Write places, or learn from fits."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("places", "learn"))
    parser.add_argument("ls07", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--of", choices=("trial", "test"), default="trial")
    options = parser.parse_args()
    resources = Resources()
    if options.step == "learn":
        learn(options.ls07, resources, StoredFits(options.file))
    else:
        write_text(options.file, "".join(_places(options.ls07 / f"{options.of}.xml", resources)))


def _places(sentences: Path, resources: Resources) -> Iterator[str]:
    """Yield the places of sentences with the candidates that cmlc puts first, a line of JSON each."""
    asked = list(lexsub.read_sentences(sentences).values())
    system = System(shipped_config("cmlc"), resources)
    for target in find_targets(map(marked_text, asked)):
        ranking = system.ranking(target)
        if ranking.candidates:
            words = [ranking.candidates[place].word for place in best_indices(ranking.scores.values, _FITTED)]
            yield json.dumps(vars(cloze_of(target, words)), ensure_ascii=False) + "\n"


def learn(ls07: Path, resources: Resources, fitter: StoredFits) -> None:
    """Choose how many candidates are kept and how weights are held back, then fit on all and write."""
    gold = lexsub.read_gold(ls07 / "trial.gold", source=ls07 / "trial.xml")
    trainer = Trainer("neural", FEATURES["cmlc"], resources, examples_of(gold))
    cmlc = shipped_config("cmlc")
    before = trainer.held_out(Settings(cmlc.level, cmlc.twice, _CMLC_PENALTY, cmlc.neighbours))
    tried = []
    for keep in KEEP:
        cases = [_case(*both, keep, fitter) for both in zip(trainer.examples, before, strict=True)]
        for penalty in PENALTIES:
            found = _held_out(cases, penalty)
            tried.append((criterion(gold, trainer.run(found)), keep, penalty, cases, found))
            print(f"the best {keep}, penalty {penalty}: {tried[-1][0]:.4f}")
    value, keep, penalty, cases, found = max(tried, key=lambda one: one[0])
    weights = dict(zip(PARTS, map(float, _fitted(cases, penalty).round(6)), strict=True))
    threshold, fixed = trainer.boundary(found)
    learned = dict(cmlc.learned) | {
        "networks": fitter.signature,
        "settings": f"the best {keep} of cmlc, penalty {penalty}; the best of {len(tried)} by cross-validation",
        "held_out": f"mean of oot recall and rank@10 {value:.4f}",
        "best_fixed_number": str(fixed),
    }
    config = replace(cmlc, system="neural", rerank=weights, keep=keep, threshold=threshold, learned=learned)
    write_text(SHIPPED / "neural.toml", config.to_toml())
    print(lexsub.score(gold, trainer.run(found, threshold), ["paper"], by="pos").table())


def _case(example: Example, before: Ranking, keep: int, fitter: StoredFits) -> Case:
    """Return the best candidates that have fits; one that only cmlc of a fold puts so high may have none."""
    values = before.scores.values
    best = [
        place
        for place in best_indices(values, keep)
        if fitter.has(cloze_of(before.target, [before.candidates[place].word]))
    ]
    words = [before.candidates[place].word for place in best]
    return Case(example, before, best, parts_table(values[best], fitter.fits(cloze_of(before.target, words))))


def _held_out(cases: Sequence[Case], penalty: float) -> list[Ranking]:
    words = sorted({case.example.target.lemma for case in cases})
    found: dict[str, Ranking] = {}
    for start in range(_FOLDS):
        fold = set(words[start::_FOLDS])
        weights = _fitted([case for case in cases if case.example.target.lemma not in fold], penalty)
        inside = [case for case in cases if case.example.target.lemma in fold]
        found |= {case.example.sentence.id: case.ranked(weights) for case in inside}
    return [found[case.example.sentence.id] for case in cases]


def _fitted(cases: Sequence[Case], penalty: float) -> Floats:
    return fit([case.table for case in cases], [case.gold for case in cases], penalty)


if __name__ == "__main__":
    main()
