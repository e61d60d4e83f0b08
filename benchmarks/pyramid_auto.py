"""Automatic pyramid scores beside people on DUC 2006 and REALSumm: nested folds, the frozen model, estimates, drafts.

    python -m benchmarks pyramid_auto

prints what it measures and writes ``benchmarks/results/pyramid_auto.json``, which docs/pyramid_auto.md shows and
``tests/conformance`` holds. It takes about ten minutes; TOUCHSTONE_AUTO_CASES names some of its cases instead.
"""

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import stdtrit

from benchmarks.estimating import Case, outcome, stratified
from benchmarks.pyramid_claims import nested_evaluation, stored_odds, with_odds
from touchstone.base.ragged import Floats, Ints
from touchstone.base.tables import Cell, Column, Table
from touchstone.core.resampling import interval_text
from touchstone.systems.pyramids import (
    DecidedSet,
    Evaluation,
    Matcher,
    draft,
    evaluate,
    open_network,
    read_decided,
)
from touchstone.systems.pyramids.clauses import Clause
from touchstone.systems.pyramids.evaluating import SOFT
from touchstone.systems.pyramids.views import parse_summary, words
from touchstone.tasks.pyramid.formats import read_annotation, read_pyramid
from touchstone.tasks.pyramid.model import Pyramid

RESULTS = Path(__file__).parent / "results" / "pyramid_auto.json"
ROUGES = {"rouge-score 1": "rouge1", "rouge-score 2": "rouge2", "rouge-score L": "rougeL"}
SAMPLES = (20, 50, 100, 200)
SHARES = {20: (2, 3, 5, 10), 100: (2, 3)}
"""Summaries of each document set in stratified samples, by the number of sets."""

DRAWS = 1000

Figures = dict[str, object]
Reader = Callable[[Path], tuple[list[DecidedSet], Ints]]
"""Reads annotated sets from the folder of the real data, with the fold of each."""


def main() -> None:
    """Measure each case and write the figures; those that are not measured this time are kept."""
    if "TOUCHSTONE_DATA" not in os.environ:
        print("set TOUCHSTONE_DATA to the folder of the real data")
        return
    root = Path(os.environ["TOUCHSTONE_DATA"])
    asked = os.environ.get("TOUCHSTONE_AUTO_CASES", " ".join(CASES)).split()
    for name in asked:
        figures = CASES[name](root)
        known = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
        RESULTS.write_text(json.dumps({**known, name: figures}, indent=1) + "\n", "utf-8")
        print(name, json.dumps(figures), flush=True)


def realsumm_sets(root: Path) -> tuple[list[DecidedSet], Ints]:
    """Return REALSumm and the published folds of its documents."""
    folder = root / "realsumm" / "clean"
    sets, _ = read_decided([folder])
    folds = {
        name: k for k in range(1, 6) for name in (folder / "by_examples" / f"fold{k}.id").read_text("utf-8").split()
    }
    return sets, np.array([folds[one.set] for one in sets])


def duc_sets(root: Path) -> tuple[list[DecidedSet], Ints]:
    """Return DUC 2006, D0631 by its first annotator, and five folds of document sets in turn."""
    sets, _ = read_decided([root / "duc2006" / "pan"])
    return sets, np.arange(len(sets)) % 5


def claim_sets(root: Path) -> tuple[list[DecidedSet], Ints]:
    """Return DUC 2006 and its folds, with what the reader of statements says of it."""
    sets, folds = duc_sets(root)
    return with_odds(sets, stored_odds("duc2006", sets)), folds


def encoded_sets(read: Reader) -> Reader:
    """Return a reader of the same sets with features by the encoder."""

    def encoded(root: Path) -> tuple[list[DecidedSet], Ints]:
        sets, folds = read(root)
        encoder = open_network("minilm")
        return [replace(one, encoder=encoder) for one in sets], folds

    return encoded


def rouge_scores(sets: Sequence[DecidedSet]) -> dict[str, list[Floats]]:
    """Return the recall that the rouge-score package gives, with stemming, averaged over model summaries."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(list(ROUGES.values()), use_stemmer=True)
    found: dict[str, list[Floats]] = {name: [] for name in ROUGES}
    for one in sets:
        scored = [[scorer.score(model, text) for model in one.models] for text in one.texts]
        for name, own in ROUGES.items():
            found[name].append(np.array([np.mean([each[own].recall for each in row]) for row in scored]))
    return found


def figures_of(found: Evaluation) -> Figures:
    """Return everything that is reported of an evaluation."""
    methods: Figures = {}
    for name in found.runs.methods:
        r, low, high, tau, order = found.systems(name)
        methods[name] = {
            "summary_r": _rounded(found.interval(found.summary_r[name])),
            "system_r": _rounded((r, low, high)),
            "system_tau": round(tau, 4),
            "pairs_in_order": round(order, 4),
        }
    best = found.best_baseline
    return {
        "sets": len(found.sets),
        "decisions": len(found.decisions[0]),
        "present": round(float(found.decisions[0].mean()), 4),
        "auc": round(found.auc, 4),
        "f1": round(found.f1, 4),
        "calibration_error": round(found.calibration_error, 4),
        "calibration": [_rounded(row) for row in found.calibration],
        "methods": methods,
        "best_baseline": best,
        "above_best_baseline": _rounded(found.over(best)),
    }


def _rounded(numbers: Sequence[float]) -> list[float]:
    return [round(float(number), 4) for number in numbers]


def nested(
    read: Reader, predict: Callable[[list[DecidedSet], Ints], Evaluation] = evaluate
) -> Callable[[Path], Figures]:
    """Return the case of a set predicted in folds, everything chosen inside the sets that a model is fitted on."""

    def case(root: Path) -> Figures:
        sets, folds = read(root)
        return figures_of(replace(predict(sets, folds), more=rouge_scores(sets)))

    return case


def frozen(read: Reader) -> Callable[[Path], Figures]:
    """Return the case of DUC 2006 by the model that is shipped, which has seen nothing of it."""

    def case(root: Path) -> Figures:
        sets, _ = read(root)
        curves = Matcher(encoder=sets[0].encoder).curves
        predicted = [curves.probability(one.rows) for one in sets]
        return figures_of(Evaluation(sets, predicted, "frozen", more=rouge_scores(sets)))

    return case


def ceiling(root: Path) -> Figures:
    """Return how well one person's annotations of D0631 predict another's."""
    people = [
        {one.system: one for one in map(read_annotation, sorted((root / "duc2006" / "pan").glob(f"{who}.D0631.*")))}
        for who in ("114", "115")
    ]
    uids = [unit.uid for unit in next(iter(people[0].values())).pyramid.units]
    first, second = (
        np.array([[float(uid in side[peer].counts) for uid in uids] for peer in sorted(side)]) for side in people
    )
    both = float((first * second).sum())
    weights = np.array([unit.weight for unit in next(iter(people[0].values())).pyramid.units])
    r = float(np.corrcoef(first @ weights, second @ weights)[0, 1])
    return {"f1": round(2 * both / (first.sum() + second.sum()), 4), "score_r": round(r, 4)}


def estimates(root: Path) -> Figures:
    """Return coverage, width and labels saved where automatic soft scores are the judge of whole summaries."""
    figures: Figures = {}
    sets, folds = duc_sets(root)
    matcher = Matcher()
    figures["DUC 2006, folds"] = simulated("DUC 2006", sets, evaluate(sets, folds).scores(SOFT))
    soft = [matcher.curves.probability(one.rows) @ one.credit for one in sets]
    figures["DUC 2006, frozen model"] = simulated("DUC 2006", sets, soft)
    sets, folds = realsumm_sets(root)
    figures["REALSumm, folds"] = simulated("REALSumm", sets, evaluate(sets, folds).scores(SOFT))
    return figures


def simulated(name: str, sets: Sequence[DecidedSet], scores: Sequence[Floats]) -> Figures:
    """Return what samples of summaries that people annotate give, with the automatic scores and without."""
    human = np.concatenate([one.scores for one in sets])[:, None]
    strata = np.repeat(np.arange(len(sets)), [len(one.scores) for one in sets])
    case = Case(name, "automatic", human, np.concatenate(scores)[:, None], strata=tuple(strata.tolist()))
    rows: Figures = {}
    for size in SAMPLES:
        each = outcome(case, size, draws=DRAWS)
        alone, both = each.coverage
        rows[str(size)] = {
            "coverage_human_only": round(alone, 3),
            "coverage_both": round(both, 3),
            "width_ratio": round(each.width / each.width_alone, 3),
            "saved": round(each.saved, 3),
        }
    figures = {"items": len(case), "r": round(case.correlation, 3), **levels(sets, scores), "samples": rows}
    return {**figures, "stratified": {str(n * len(sets)): by_sets(case, n * len(sets)) for n in SHARES[len(sets)]}}


def by_sets(case: Case, size: int) -> Figures:
    """Return what as many summaries of each set give, beside as many of all at random without the machine."""
    plain, drawn = outcome(case, size, draws=DRAWS), outcome(case, size, stratified, DRAWS)
    ratios = {
        "machine_alone": plain.width / plain.width_alone,
        "strata_alone": drawn.width_alone / plain.width_alone,
        "both": drawn.width / plain.width_alone,
    }
    return {
        "coverage_human_only": round(drawn.coverage[0], 3),
        "coverage_both": round(drawn.coverage[1], 3),
        "bias": round(drawn.bias[1], 2),
        **{f"width_{name}": round(ratio, 3) for name, ratio in ratios.items()},
        **{f"saved_{name}": round(saved(size, len(case), ratio), 3) for name, ratio in ratios.items()},
    }


def saved(size: int, items: int, ratio: float) -> float:
    """Return the share saved of the annotations at random that an interval *ratio* times as wide would need.

    They are t(n) sqrt(1/n - 1/N) as wide as t(size) sqrt(1/size - 1/N), for n of N items.

    >>> round(saved(100, 100_000, 0.5**0.5), 2), saved(100, 440, 1.0)
    (0.49, 0.0)
    """
    numbers = np.arange(2, items + 1)
    widths = stdtrit(numbers - 1, 0.975) * np.sqrt(1 / numbers - 1 / items)
    enough = float(np.interp(-ratio * widths[size - 2], -widths, numbers))
    return 1 - size / enough


def levels(sets: Sequence[DecidedSet], scores: Sequence[Floats]) -> Figures:
    """Return how much human scores vary between sets, r of the means of sets and within them, and r with known means.

    The last is the correlation that scores would have whose means of sets were those of people.
    """
    human = [one.scores for one in sets]
    means, own = (np.array([each.mean() for each in side]) for side in (human, scores))
    inside, beside = (
        np.concatenate([each - each.mean() for each in side]) for side in (human, scores)
    )  # about the mean of each set
    known = np.repeat(means, [len(each) for each in human])
    everything = known + inside
    slope = float(inside @ beside / (beside @ beside))
    return {
        "between_sets": round(float(known.var() / everything.var()), 3),
        "r_of_sets": round(float(np.corrcoef(means, own)[0, 1]), 3),
        "r_within_sets": round(float(np.corrcoef(inside, beside)[0, 1]), 3),
        "r_with_known_sets": round(float(np.corrcoef(everything, known + slope * beside)[0, 1]), 3),
    }


def drafts(root: Path) -> Figures:
    """Return F1 of drafts on the sets of DUC 2006 that the threshold was not chosen on, beside drafts of sentences."""
    pyramids = [read_pyramid(path) for path in sorted((root / "duc2006" / "pyr").glob("*.pyr"))[1::2]]
    figures: Figures = {}
    for name, make in (("draft", draft), ("sentences", partial(draft, pieces=sentences))):
        counts = np.zeros((5, 3))
        for pyramid in pyramids:
            counts += matched_units(pyramid, make(replace(pyramid, units=())))
        figures[name] = {
            str(weight): _rounded([2 * both / max(own + other, 1), own, other])
            for weight, (both, own, other) in enumerate(counts)
            if weight
        }
        pairs = np.array([shared_pairs(one, make(replace(one, units=()))) for one in pyramids]).sum(axis=0)
        figures[f"{name}, pairs of contributors"] = _rounded([2 * pairs[0] / (pairs[1] + pairs[2]), *pairs])
    return figures


def sentences(text: str, offset: int = 0) -> list[Clause]:
    """Return the sentences of a text in place of clauses: the baseline that cuts nothing smaller."""
    cut = []
    for number, one in enumerate(parse_summary(text)):
        start = offset + one.offset
        cut.append(Clause(((start, start + len(one.text)),), Counter(words(one)), number))
    return [one for one in cut if one.words]


def _places(pyramid: Pyramid) -> list[list[frozenset[int]]]:
    """Return, for each unit, the characters of each contributor, blanks left out."""
    text = pyramid.text
    return [
        [
            frozenset(at for part in one.parts for at in range(part.start, part.end) if not text[at : at + 1].isspace())
            for one in unit.contributors
        ]
        for unit in pyramid.units
    ]


def _overlap(one: frozenset[int], other: frozenset[int]) -> bool:
    """Return whether two contributors share half of the shorter one's characters, as the tests of proposals count."""
    return bool(one and other) and 2 * len(one & other) >= min(len(one), len(other))


def matched_units(human: Pyramid, made: Pyramid) -> Floats:
    """Return, for each weight: contributors of human units that a made unit of that weight has, and both numbers.

    Human and made units are matched one to one by the number of contributors that overlap.
    """
    from touchstone.core.matching import match

    people, machine = _places(human), _places(made)
    shared = np.array([[_common(one, other) for other in machine] for one in people], np.float64)
    counts = np.zeros((5, 3))
    for unit in people:
        counts[min(len(unit), 4), 2] += len(unit)
    for unit in machine:
        counts[min(len(unit), 4), 1] += len(unit)
    scaled = shared / max(shared.max(initial=0), 1)
    for link in match(range(len(people)), range(len(machine)), similarity=lambda one, other: scaled).links:  # noqa: ARG005
        if len(people[link.left]) == len(machine[link.right]):
            counts[min(len(people[link.left]), 4), 0] += shared[link.left, link.right]
    return counts


def _common(one: Sequence[frozenset[int]], other: Sequence[frozenset[int]]) -> int:
    return sum(any(_overlap(mine, theirs) for theirs in other) for mine in one)


def shared_pairs(human: Pyramid, made: Pyramid) -> tuple[int, int, int]:
    """Return how many pairs of contributors of one unit both pyramids have, and the number of pairs in each.

    A made pair is right where a human unit has an overlapping contributor for each; a human pair is found likewise.
    """
    people, machine = _places(human), _places(made)
    right = sum(any(_covers(unit, one, other) for unit in people) for own in machine for one, other in _combined(own))
    return right, sum(len(_combined(own)) for own in machine), sum(len(_combined(own)) for own in people)


def _covers(unit: Sequence[frozenset[int]], one: frozenset[int], other: frozenset[int]) -> bool:
    return any(_overlap(mine, one) for mine in unit) and any(_overlap(mine, other) for mine in unit)


def _combined(own: Sequence[frozenset[int]]) -> list[tuple[frozenset[int], frozenset[int]]]:
    return [(one, other) for place, one in enumerate(own) for other in own[place + 1 :]]


TITLES = {
    "realsumm": "REALSumm, published folds",
    "realsumm_encoder": "REALSumm, published folds, with minilm",
    "realsumm_claims": "REALSumm, published folds, with smollm2",
    "duc2006": "DUC 2006, five folds",
    "duc2006_encoder": "DUC 2006, five folds, with minilm",
    "duc2006_claims": "DUC 2006, five folds, with smollm2",
    "duc2006_frozen": "DUC 2006, the shipped model",
    "duc2006_frozen_encoder": "DUC 2006, the shipped model, with minilm",
    "duc2006_frozen_claims": "DUC 2006, the shipped model, with smollm2",
}
"""The cases of the page, and what it calls them."""


def page_tables(results: Mapping[str, Any]) -> dict[str, Table]:
    """Return the tables of docs/pyramid_auto.md from the figures of record."""
    cases = {title: results[name] for name, title in TITLES.items() if name in results}
    heads = ("summary r", "best baseline", "above it by", "95% interval", "system r", "tau", "pairs in order")
    rows: list[list[Cell]] = []
    for title, case in cases.items():
        own, best, above = case["methods"][SOFT], case["best_baseline"], case["above_best_baseline"]
        beside = f"{best} {case['methods'][best]['summary_r'][0]:.3f}"
        more = [own["system_r"][0], own["system_tau"], own["pairs_in_order"]]
        rows.append([title, own["summary_r"][0], beside, above[0], interval_text(*above[1:]), *more])
    names = list(dict.fromkeys(name for case in cases.values() for name in case["methods"]))
    plain = {"REALSumm": results["realsumm"], "DUC 2006": results["duc2006"]}
    methods: list[list[Cell]] = [
        [name, *(case["methods"][name][level][0] for case in plain.values() for level in ("summary_r", "system_r"))]
        for name in names
    ]
    decisions: list[list[Cell]] = [
        [title, case["decisions"], case["present"], case["auc"], case["f1"], case["calibration_error"]]
        for title, case in cases.items()
    ]
    samples: list[list[Cell]] = [
        [title, case["r"], int(size), one["coverage_both"], one["width_ratio"], f"{one['saved']:.0%}"]
        for title, case in results["estimates"].items()
        for size, one in case["samples"].items()
    ]
    drawn: list[list[Cell]] = [
        [
            title,
            int(size),
            one["coverage_both"],
            one["width_both"],
            *(f"{one[f'saved_{name}']:.0%}" for name in ("machine_alone", "strata_alone", "both")),
        ]
        for title, case in results["estimates"].items()
        for size, one in case["stratified"].items()
    ]
    apart: list[list[Cell]] = [
        [title, *(case[key] for key in ("between_sets", "r_of_sets", "r_within_sets", "r", "r_with_known_sets"))]
        for title, case in results["estimates"].items()
    ]
    drafted: list[list[Cell]] = [
        [f"weight {weight}", *(results["drafts"][name][weight][0] for name in ("draft", "sentences"))]
        for weight in "1234"
    ]
    pairs = [results["drafts"][f"{name}, pairs of contributors"][0] for name in ("draft", "sentences")]
    drafted.append(["pairs of contributors, all weights", *pairs])
    levels = [f"{data}, {level}" for data in plain for level in ("summary r", "system r")]
    return {
        "agreement": _table(["data", *heads], rows),
        "methods": _table(["method", *levels], methods),
        "decisions": _table(["data", "decisions", "present", "AUC", "F1", "calibration error"], decisions),
        "estimates": _table(["data", "r", "annotated", "coverage", "width", "saved"], samples),
        "stratified": _table(
            ["data", "annotated", "coverage", "width", "saved by the machine", "by strata", "by both"], drawn
        ),
        "levels": _table(
            ["data", "variance between sets", "r of sets", "r within sets", "r of all", "r if sets were known"], apart
        ),
        "drafts": _table(["F1 of contributors", "clauses", "sentences"], drafted),
    }


def _table(heads: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Table:
    return Table([Column(heads[0]), *(Column(head, "right") for head in heads[1:])], rows)


CASES: dict[str, Callable[[Path], Figures]] = {
    "duc2006": nested(duc_sets),
    "duc2006_frozen": frozen(duc_sets),
    "realsumm": nested(realsumm_sets),
    "ceiling": ceiling,
    "estimates": estimates,
    "drafts": drafts,
    "duc2006_encoder": nested(encoded_sets(duc_sets)),
    "duc2006_frozen_encoder": frozen(encoded_sets(duc_sets)),
    "realsumm_encoder": nested(encoded_sets(realsumm_sets)),
    "duc2006_claims": nested(claim_sets),
    "duc2006_frozen_claims": frozen(claim_sets),
    "realsumm_claims": nested(realsumm_sets, nested_evaluation),
}
