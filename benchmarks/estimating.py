"""Few human scores and many of a judge, on real data: coverage, width beside human scores alone, and labels saved.

The full human scores give the truth, the mean over all items; 1,000 random samples of them are the few that there are.
``docs/estimating.md`` shows the tables that this prints.
"""

import gzip
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.base.tables import Cell, Column, Table
from touchstone.judge.estimating import estimate as estimate_systems
from touchstone.judge.paired import Paired
from touchstone.stats.prediction_powered import Estimate
from touchstone.stats.sampling import Sample, draw_next, residual_sizes
from touchstone.tasks.items.answers import paired_tables

DRAWS = 1000
SIZES = (20, 50, 100, 200, 500)
LARGEST_SHARE = 0.5
"""Samples of more than half of the items are not few."""


@dataclass(frozen=True, eq=False)
class Case:
    """Human and judge scores of all items of a set: items × one column, or two whose difference is estimated.

    *systems* has the system of each item, where items are outputs of several, and *strata* its stratum, where samples
    may be drawn from strata.
    """

    name: str
    judged_by: str
    human: Floats
    judge: Floats
    systems: tuple[str, ...] = ()
    strata: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.human)

    @property
    def truth(self) -> float:
        """The mean of all human scores, or of their differences."""
        return float(_contrast(self.human).mean())

    @property
    def correlation(self) -> float:
        """Pearson's r of human and judge scores, or of their differences."""
        return float(np.corrcoef(_contrast(self.human), _contrast(self.judge))[0, 1])

    @property
    def sizes(self) -> list[int]:
        """The sizes of samples that are few beside all items."""
        return [size for size in SIZES if size <= LARGEST_SHARE * len(self)]

    @cached_property
    def paired(self) -> Paired:
        """All scores, as the command reads them."""
        human, judge = (
            [
                {"item": str(item), "system": "ab"[k], "score": float(x)}
                | ({"stratum": f"s{self.strata[item]}"} if self.strata else {})
                for (item, k), x in np.ndenumerate(scores)
            ]
            for scores in (self.human, self.judge)
        )
        (paired,) = paired_tables(human, judge)
        return paired


def _contrast(scores: Floats) -> Floats:
    return scores[:, 0] - scores[:, 1] if scores.shape[1] > 1 else scores[:, 0]


@dataclass(frozen=True, eq=False)
class Outcome:
    """The estimates of many samples: a row for each, with value, low, high and effective number of human scores."""

    case: Case
    n: int
    alone: Floats
    both: Floats

    @property
    def coverage(self) -> tuple[float, float]:
        """How often the intervals held the truth, human only and both."""
        low, high = (
            (side[:, 1] <= self.case.truth) & (self.case.truth <= side[:, 2]) for side in (self.alone, self.both)
        )
        return float(low.mean()), float(high.mean())

    @property
    def width(self) -> float:
        """The mean width of the joined intervals."""
        return float((self.both[:, 2] - self.both[:, 1]).mean())

    @property
    def width_alone(self) -> float:
        """The mean width of the intervals from human scores alone."""
        return float((self.alone[:, 2] - self.alone[:, 1]).mean())

    @property
    def saved(self) -> float:
        """The share of human scores that the judge saves, by the median effective number of them."""
        return 1 - self.n / float(np.median(self.both[:, 3]))

    @property
    def bias(self) -> tuple[float, float]:
        """The mean errors, human only and both, in standard errors of that mean: beyond 3 it would not be chance."""
        alone, both = (side[:, 0] - self.case.truth for side in (self.alone, self.both))
        root = np.sqrt(len(both))
        return float(alone.mean() / alone.std() * root), float(both.mean() / both.std() * root)


Draw = Callable[[Case, int, int], Sample]
"""Chooses so many items of a case, with a seed."""


def uniform(case: Case, n: int, seed: int) -> Sample:
    """Draw all items at once, all alike."""
    return draw_next(n, np.zeros(len(case), bool), seed=seed)


def half_uncertain(case: Case, n: int, seed: int) -> Sample:
    """Draw half of the items alike, and the rest where the judge is probably wrong."""
    first = uniform(case, n // 2, seed)
    judged = np.isfinite(first.probability)
    sizes = residual_sizes(np.where(judged[:, None], case.human, np.nan), case.judge)
    return draw_next(n - n // 2, judged, earlier=first.probability, sizes=sizes, seed=seed + DRAWS)


def stratified(case: Case, n: int, seed: int) -> Sample:
    """Draw the same share of each stratum."""
    return draw_next(n, np.zeros(len(case), bool), strata=np.array(case.strata), seed=seed)


def outcome(case: Case, n: int, draw: Draw = uniform, draws: int = DRAWS) -> Outcome:
    """Return the estimates of many samples of *n* items."""
    strata = "stratum" if draw is stratified else None
    sides = [estimate(case, draw(case, n, seed), strata) for seed in range(draws)]
    alone, both = (np.array(side) for side in zip(*sides, strict=True))
    return Outcome(case, n, alone, both)


def estimate(case: Case, sample: Sample, strata: str | None = None) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return value, low, high and effective scores from a sample of human scores, without and with the judge."""
    probability = sample.probability[case.paired.item]
    human = np.where(np.isfinite(probability)[:, None], case.paired.human, np.nan)
    paired = replace(case.paired, human=human, probability=probability)
    found = estimate_systems(paired, population="set", strata=strata)
    if not found.pairs:
        return _numbers(found.systems[0].human), _numbers(found.systems[0].both)
    (pair,) = found.pairs
    return _numbers(pair.human, pair.a == "b"), _numbers(pair.both, pair.a == "b")


def _numbers(one: Estimate, turned: bool = False) -> tuple[float, ...]:
    ends = (-one.value, -one.high, -one.low) if turned else (one.value, one.low, one.high)
    return (*ends, one.effective)


def main() -> None:
    """Print all tables."""
    if "TOUCHSTONE_DATA" not in os.environ:
        print("set TOUCHSTONE_DATA to the folder of the real data to estimate from samples of it")
        return
    for title, table in all_tables(Path(os.environ["TOUCHSTONE_DATA"])).items():
        print(f"<!-- {title} -->\n\n{table.to_markdown()}\n")


def all_tables(root: Path, draws: int = DRAWS) -> dict[str, Table]:
    """Return what uniform samples give, and what chosen ones give beside them."""
    cases = list(all_cases(root))
    plain, chosen = (
        [[outcome(case, n, draw, draws) for n in case.sizes] for case in cases] for draw in (uniform, half_uncertain)
    )
    return {
        "cases": case_table(cases),
        "coverage": by_size(plain, lambda one: f"{one.coverage[1]:.3f} ({one.coverage[0]:.3f})"),
        "width": by_size(plain, lambda one: f"{one.width / one.width_alone:.2f}"),
        "saved": by_size(plain, lambda one: f"{one.saved:.0%}"),
        "chosen: gain": by_size(chosen, partial(_gain, beside=plain)),
        "chosen: bias": by_size(chosen, lambda one: f"{one.bias[1]:+.1f} ({one.bias[0]:+.1f})"),
        "chosen: coverage": by_size(chosen, lambda one: f"{one.coverage[1]:.3f} ({one.coverage[0]:.3f})"),
    }


def all_cases(root: Path) -> Iterator[Case]:
    """Yield every case of the tables."""
    for read in (duc, realsumm, partial(translation, pair="zhen"), partial(translation, pair="ende"), inference):
        yield from read(root)


def case_table(cases: Sequence[Case]) -> Table:
    """Return what the cases are."""
    rows: list[list[Cell]] = [[case.name, case.judged_by, len(case), f"{case.correlation:.2f}"] for case in cases]
    return Table([Column("data"), Column("judge"), Column("items", "right"), Column("r", "right")], rows)


def by_size(outcomes: Sequence[Sequence[Outcome]], cell: Callable[[Outcome], str]) -> Table:
    """Return a table with a row for each case and a column for each size of sample."""
    rows: list[list[Cell]] = []
    for each in outcomes:
        cells = {one.n: cell(one) for one in each}
        rows.append([each[0].case.name, *(cells.get(size) for size in SIZES)])
    return Table([Column("data"), *(Column(f"{size} scored", "right") for size in SIZES)], rows)


def _gain(chosen: Outcome, beside: Sequence[Sequence[Outcome]]) -> str:
    """Return how many uniform items give an interval as narrow as that of one chosen item."""
    (plain,) = (one for each in beside for one in each if one.case is chosen.case and one.n == chosen.n)
    return f"{(plain.width / chosen.width) ** 2:.2f}"


def duc(root: Path) -> Iterator[Case]:
    """Yield the summaries of DUC 2006: modified pyramid scores, and ROUGE-2 recall."""
    from touchstone import pyramid

    human, judge = dict[tuple[str, str], list[float]](), dict[tuple[str, str], float]()
    for path in sorted((root / "duc2006" / "pan").glob("*.pan")):
        annotation = pyramid.read_annotation(path)
        summary = annotation.set, annotation.system
        score = pyramid.value("pyramid.modified", pyramid.unit_counts(annotation))
        human.setdefault(summary, []).append(score)  # one set has two annotators
        whole = annotation.pyramid
        models = [whole.text[one.start : one.end] for one in whole.summaries]
        judge[summary] = rouge(annotation.text, models)
    scores = np.array([[np.mean(each)] for each in human.values()])
    systems = tuple(system for _, system in human)
    yield Case("DUC 2006, pyramid score of a summary", "ROUGE-2", scores, np.array([*judge.values()])[:, None], systems)


def realsumm(root: Path) -> Iterator[Case]:
    """Yield the summaries of REALSumm: the share of content units that are present, and ROUGE-2 recall."""
    folder = root / "realsumm" / "clean"
    references = [re.sub("</?t>", " ", line) for line in _lines(folder / "references.txt")]
    human, judge = list[float](), list[float]()
    for path in sorted((folder / "labels").glob("*.label")):
        human += [np.fromstring(line, sep="\t").mean() for line in _lines(path)]
        summaries = _lines(folder / "summaries" / f"{path.stem}.summary")
        judge += [rouge(text, [reference]) for text, reference in zip(summaries, references, strict=True)]
    yield Case("REALSumm, share of units in a summary", "ROUGE-2", np.array([human]).T, np.array([judge]).T)


def translation(root: Path, pair: str) -> Iterator[Case]:
    """Yield the segments of a TED language pair (MQM and chrF) and the difference of its two best systems."""
    from sacrebleu.metrics.chrf import CHRF

    texts = _targets(root / "mqm" / f"mqm_ted_{pair}.tsv.gz")
    chrf = CHRF()
    human, judge = dict[str, dict[str, float]](), dict[str, dict[str, float]]()
    for line in _lines(root / "mqm" / f"mqm_ted_{pair}.avg_seg_scores.tsv")[1:]:
        system, score, segment = line.split()
        if score != "None" and not system.startswith("ref"):
            human.setdefault(system, {})[segment] = float(score)
            found = chrf.sentence_score(texts[system, segment], [texts["ref", segment]])
            judge.setdefault(system, {})[segment] = found.score
    people, machine = (np.array([[*own.values()] for own in side.values()]).T for side in (human, judge))
    name = f"TED {pair[:2]}-{pair[2:]}, MQM of a segment"
    yield Case(name, "chrF", people.reshape(-1, 1), machine.reshape(-1, 1))
    best = np.argsort(-people.mean(axis=0))[:2]
    yield Case(f"{name}, best system – second", "chrF", people[:, best], machine[:, best])


def inference(root: Path) -> Iterator[Case]:
    """Yield the pairs of Breaking NLI: is a classifier right, by the gold label and by that of the WordNet baseline."""
    from touchstone import nli
    from touchstone.tasks.nli.baseline import wordnet_baseline
    from touchstone.tasks.nli.hypothesis_only import hypothesis_only

    pairs = nli.read_gold(root / "breaking_nli" / "dataset.jsonl")
    run, baseline = hypothesis_only(pairs).labels, wordnet_baseline(pairs).run.labels
    gold = [pair.gold for pair in pairs.pairs]
    human, judge = (
        np.array([[one == other] for one, other in zip(run, labels, strict=True)], np.float64)
        for labels in (gold, baseline)
    )
    yield Case("Breaking NLI, is a label right", "WordNet rule", human, judge)


def rouge(text: str, references: Sequence[str]) -> float:
    """Return ROUGE-2 recall: the share of the references' pairs of words that the text has, each as often as it has it.

    >>> rouge("the cat sat", ["the cat sat down"])
    0.6666666666666666
    """
    own = _bigrams(text)
    wanted = [_bigrams(reference) for reference in references]
    return sum((own & each).total() for each in wanted) / max(sum(each.total() for each in wanted), 1)


def _bigrams(text: str) -> Counter[tuple[str, str]]:
    words = re.findall("[a-z0-9]+", text.lower())
    return Counter(pairwise(words))


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").rstrip("\n").split("\n")


def _targets(path: Path) -> dict[tuple[str, str], str]:
    """Return the translation of each segment by each system, without the marks of errors."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        head, *rows = (line.rstrip("\n").split("\t") for line in file)
    system, segment, target = (head.index(name) for name in ("system", "seg_id", "target"))
    return {(row[system], row[segment]): re.sub("</?v>", "", row[target]) for row in rows}
