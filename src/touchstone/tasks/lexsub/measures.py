"""The measures of lexical substitution, in the words credit, optimum, hits and wrong.

Sources: "paper" is Jabbari, Hepple and Guthrie, "Evaluating Lexical Substitution: Analysis and New Measures"
(2010); "ELS07" is McCarthy and Navigli's task description, SemEval-2007 task 10.
Every value is a fraction from 0 to 1. An item without an answer scores 0.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from touchstone.errors import TouchstoneError
from touchstone.gold import Earned, Gold
from touchstone.measures import Measure, Measures, harmonic_mean, positive_int, ratio
from touchstone.ragged import Bools, Floats
from touchstone.stats.records import mean, mean_records

View = Literal["best", "ranked", "set"]

OOT = 10
"""How many answers ELS07's "out of ten" and the paper's rank look at."""


@dataclass(frozen=True)
class Views:
    """The three views of a system's answers: its best guess, its ranked list, and what it stands behind."""

    best: Earned
    ranked: Earned
    set: Earned
    has_blank: Bools
    """For each key, whether it is several words: `gap.nomwe` leaves those out."""


MEASURES: Measures[Views] = Measures("lexsub")

PAPER = ("best", "best1", "P(k=1)", "R", "F(k=1)", "rank@10")
"""What the paper proposes; scored where nothing else is asked for."""

ELS07 = tuple(f"els07.{row}.{which}" for row in ("best", "best_mode", "oot", "oot_mode") for which in "PR")
"""What SemEval-2007 task 10 reported."""

Value = Callable[[Earned], Floats]
Counts = Callable[[Earned], Bools]


def average(name: str, view: View, value: Value, counts: Counts | None = None, empty: float = np.nan) -> Measure[Views]:
    """Return a measure that averages *value* of a *view* over the items that count (all by default)."""

    def record(views: Views) -> Floats:
        earned: Earned = getattr(views, view)
        values = np.nan_to_num(value(earned))
        return mean_records(values if counts is None else np.where(counts(earned), values, np.nan))

    return Measure(name, record, mean, value.__doc__ or "", empty)


def measured(name: str, view: View, counts: Counts | None = None, empty: float = np.nan) -> Callable[[Value], Value]:
    """Register a function of `Earned` as the measure *name*, averaged over the items that count."""

    def register(value: Value) -> Value:
        MEASURES.add(name, lambda: average(name, view, value, counts, empty))
        return value

    return register


@measured("best", "best")
def best(earned: Earned) -> Floats:
    """Credit / (m * size): hedged guesses share the credit of the heaviest human answer (paper, section 4)."""
    return ratio(earned.credit(), earned.golds.optimum(1) * earned.size)


@measured("best1", "best")
def best1(earned: Earned) -> Floats:
    """w(first answer) / m: one guess, whether or not the item has a mode (paper, section 4)."""
    return ratio(earned.credit(1), earned.golds.optimum(1))


@measured("R", "set")
def recall(earned: Earned) -> Floats:
    """Credit / W: how much of what people said was found (paper, section 5)."""
    return ratio(earned.credit(), earned.golds.optimum())


def precision(earned: Earned, k: Floats | float) -> Floats:
    """Credit / (credit + k * wrong): each wrong answer costs k (paper, section 5)."""
    return ratio(earned.credit(), earned.credit() + k * earned.wrong)


@measured("P.set", "set")
def unweighted_precision(earned: Earned) -> Floats:
    """Hits / size: the share of answers that are right; not the paper's proposal (section 5)."""
    return ratio(earned.hits(), earned.size.astype(np.float64))


@measured("R.set", "set")
def unweighted_recall(earned: Earned) -> Floats:
    """Hits / number of gold answers; not the paper's proposal (section 5)."""
    return ratio(earned.hits(), earned.golds.answers.sizes.astype(np.float64))


@measured("mrr", "ranked")
def reciprocal_rank(earned: Earned) -> Floats:
    """1 / rank of the first hit, 0 if there is none."""
    first = np.full(len(earned.gains), np.inf)
    right = earned.hit.values
    np.minimum.at(first, earned.gains.row[right], earned.gains.place[right] + 1)
    return 1 / first


@measured("gap", "ranked")
def gap(earned: Earned) -> Floats:
    """Generalised average precision: sum of credit(i)/i over hits, over the same sum in ideal order (Kishida 2005)."""
    found = earned.gains.running()
    ideal = earned.golds.ideal.running()
    precisions = type(found)(found.offsets, found.values / (earned.gains.place + 1) * earned.hit.values)
    ideal_precisions = type(ideal)(ideal.offsets, ideal.values / (ideal.place + 1))
    return ratio(precisions.sums(), ideal_precisions.sums())


def _gap_without_multiwords() -> Measure[Views]:
    def record(views: Views) -> Floats:
        golds, answers = views.ranked.golds, views.ranked.answers
        single_golds = golds.keep(~views.has_blank[golds.answers.values])
        single = Earned.by(single_golds, answers.keep(~views.has_blank[answers.values]))
        return mean_records(gap(single))

    summary = "`gap` after dropping answers of several words from gold and system; over items with gold left"
    return Measure("gap.nomwe", record, mean, summary)


MEASURES.add("gap.nomwe", _gap_without_multiwords)


def _precision(k: str = "1") -> Measure[Views]:
    penalty, shown = _penalty(k)
    return average(f"P(k={shown})", "set", _documented(lambda e: precision(e, penalty(e)), precision))


def _f_score(k: str = "1") -> Measure[Views]:
    penalty, shown = _penalty(k)

    def record(views: Views) -> Floats:
        parts = precision(views.set, penalty(views.set)), recall(views.set)
        return np.column_stack([*map(np.nan_to_num, parts), np.ones(len(parts[0]))])

    summary = "2PR/(P + R) of the average P and the average R, not an average of F (paper, section 5)"
    return Measure(f"F(k={shown})", record, harmonic_mean, summary)


MEASURES.add("P", _precision, "P(k=1)")
MEASURES.add("F", _f_score, "F(k=1)")


def _penalty(k: str) -> tuple[Callable[[Earned], Floats | float], str]:
    """Return what a wrong answer costs: a number, or the mean weight of the item's human answers."""
    if k == "mean":
        return lambda e: ratio(e.golds.optimum(), e.golds.answers.sizes.astype(np.float64)), k
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", k):
        raise TouchstoneError("k must be a number of at least 0, or mean", value=k)
    number = float(k)
    return lambda _: number, f"{number:g}"


def _rank(depth: str) -> Measure[Views]:
    n = positive_int(depth, "the depth of rank@")

    def rank(earned: Earned) -> Floats:
        """Mean over r = 1..n of credit(first r) / optimum(r): how near the best order came (paper, section 6)."""
        return np.asarray(ratio(earned.credits(n), earned.golds.optima(n)).mean(axis=1))

    return average(f"rank@{n}", "ranked", rank)


def _precision_at(depth: str) -> Measure[Views]:
    n = positive_int(depth, "the depth of p@")

    def hits_at(earned: Earned) -> Floats:
        """Hits in the first n / n: a short list counts as padded with misses."""
        return earned.hits(n) / n

    return average(f"p@{n}", "ranked", hits_at)


def _recall_at(depth: str) -> Measure[Views]:
    n = positive_int(depth, "the depth of r@")

    def found_at(earned: Earned) -> Floats:
        """Hits in the first n / number of gold answers."""
        return ratio(earned.hits(n), earned.golds.answers.sizes.astype(np.float64))

    return average(f"r@{n}", "ranked", found_at)


MEASURES.add("rank@", _rank, "rank@10")
MEASURES.add("p@", _precision_at, "p@1")
MEASURES.add("r@", _recall_at, "r@10")


def shared_credit(earned: Earned) -> Floats:
    """Credit / (W * size): cannot reach 1 unless all annotators agree (ELS07 best)."""
    return ratio(earned.credit(), earned.golds.optimum() * earned.size)


def first_is_mode(earned: Earned) -> Floats:
    """1 if the first answer is the item's mode (ELS07 best, mode)."""
    return _finds_mode(earned, 1)


def oot(earned: Earned) -> Floats:
    """Credit of the first ten / W (ELS07 out of ten)."""
    return ratio(earned.credit(OOT), earned.golds.optimum())


def mode_in_oot(earned: Earned) -> Floats:
    """1 if the item's mode is among the first ten (ELS07 out of ten, mode)."""
    return _finds_mode(earned, OOT)


def _finds_mode(earned: Earned, n: int) -> Floats:
    is_mode = earned.answers.values == earned.golds.mode[earned.answers.row]
    return type(earned.hit)(earned.answers.offsets, is_mode).sums(first=n)


def _has_mode(earned: Earned) -> Bools:
    return earned.golds.mode >= 0


def _attempted(earned: Earned) -> Bools:
    return earned.attempted


def _attempted_with_mode(earned: Earned) -> Bools:
    return earned.attempted & _has_mode(earned)


measured("els07.best.P", "best", _attempted, empty=0)(shared_credit)
measured("els07.best.R", "best")(shared_credit)
measured("els07.best_mode.P", "best", _attempted_with_mode, empty=0)(first_is_mode)
measured("els07.best_mode.R", "best", _has_mode)(first_is_mode)
measured("els07.oot.P", "ranked", _attempted, empty=0)(oot)
measured("els07.oot.R", "ranked")(oot)
measured("els07.oot_mode.P", "ranked", _attempted_with_mode, empty=0)(mode_in_oot)
measured("els07.oot_mode.R", "ranked", _has_mode)(mode_in_oot)


def value(name: str, gold: Gold, answers: Sequence[str]) -> float:
    """Return what *answers* to one item score under the measure *name*; the list stands for all three views.

    >>> happy = Gold({"glad": 3, "merry": 3, "sunny": 2, "jovial": 1, "cheerful": 1})
    >>> value("best1", happy, ["sunny"]) == 2 / 3
    True
    """
    keys: dict[str, int] = {}
    for answer in [*gold.weights, *answers]:
        keys.setdefault(answer, len(keys))
    earned = Earned.of(gold, answers)
    has_blank = np.array([" " in key for key in keys], np.bool_)
    measure = MEASURES.find(name)
    return float(measure.values(measure.record(Views(earned, earned, earned, has_blank)))[0])


def _documented(value: Value, source: Callable[..., Floats]) -> Value:
    value.__doc__ = source.__doc__
    return value
