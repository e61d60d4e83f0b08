"""The measures of lexical substitution, in the words credit, optimum, hits and wrong.

Sources: "paper" is Jabbari, Hepple and Guthrie, "Evaluating Lexical Substitution: Analysis and New Measures"
(2010); "ELS07" is McCarthy and Navigli's task description, SemEval-2007 task 10.
Every value is a fraction from 0 to 1. An item without an answer scores 0.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Literal

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import Source
from touchstone.base.ids import Policy
from touchstone.base.ragged import Bools, Floats, Ragged, StringLists
from touchstone.base.ranges import COUNT, SHARE, Range
from touchstone.core.formulas import Steps, quotient, written
from touchstone.core.gold import Earned, Gold
from touchstone.core.measures import Measure, Measures, harmonic_mean, ratio, whole_number
from touchstone.stats.records import mean, mean_records
from touchstone.tasks.lexsub.about import Options
from touchstone.tasks.lexsub.joining import Joined, View, join
from touchstone.tasks.lexsub.model import OOT, Answers, GoldSet, Run
from touchstone.tasks.lexsub.swords import BARS, MODES

Penalty = float | Literal["mean"]

MOST_PENALTY = 10**9

MEASURES: Measures[Joined] = Measures(
    "lexsub",
    sources={
        "els07": "mccarthy-navigli-2007",
        "gap": "kishida-2005",
        **dict.fromkeys(("best", "best1", "P", "R", "F", "rank@"), "jabbari-2010"),
    },
)

PAPER = ("best", "best1", "P(k=1)", "R", "F(k=1)", "rank@10")
"""What the paper proposes; scored where nothing else is asked for."""

ELS07 = tuple(f"els07.{row}.{figure}" for row in ("best", "best_mode", "oot", "oot_mode") for figure in "PR")
"""What SemEval-2007 task 10 reported."""

RANKING = ("gap", "gap.nomwe", "p@1", "p@3", "r@10")
"""What papers on contextual language models report (Melamud et al. 2015, Zhou et al. 2019)."""

_POOLED = {"f": "2PR/(P + R) of p and r", "fs": "2PR/(P + R) of p and rs", "p": "hits / answers"}
_POOLED |= {"r": "hits / min(references, n)", "rs": "hits / references"}
SWORDS = (
    *(f"swords.{mode}_{bar}_{of}@{OOT}" for mode in MODES for bar in BARS for of in _POOLED),
    "swords.strict_c_p@1",
)
"""What the evaluation of SWORDS prints, under its names."""

OFFICIAL = "@official"
"""The end of the name of an ``els07`` measure that is computed by the official rules."""

OFFICIAL_SUMMARY = "as the official scorer of SemEval-2007 task 10 computes it"

MEASURES.group("paper", PAPER)
MEASURES.group("els07", ELS07)
MEASURES.group("ranking", RANKING)
MEASURES.group("swords", SWORDS)

Value = Callable[[Earned], Floats]
DeepValue = Callable[[Earned, int], Floats]
Counts = Callable[[Earned], Bools]


def average(
    name: str,
    view: View,
    value: Value,
    counts: Counts | None = None,
    empty: float = np.nan,
    range: Range = Range(),  # noqa: A002, B008 (its name everywhere; immutable)
) -> Measure[Joined]:
    """Return a measure that averages a value over items.

    Parameters
    ----------
    name
        The name of the measure, with its parameters.
    view
        The answers it looks at: ``best``, ``ranked`` or ``set``.
    value
        A function that takes the credit of the answers to all items (`Earned`) and returns the value of each item.
    counts
        A function that returns a flag for each item: whether it counts in the average; by default all items count.
    empty
        The value if no item counts.
    range
        The least and the greatest value that an item can have; unbounded by default.

    Examples
    --------
    >>> from touchstone import lexsub
    >>> from touchstone.base.ids import Policy
    >>> first = average("first", "ranked", lambda earned: earned.credit(1))
    >>> gold = lexsub.read_gold({"1": {"glad": 3}, "2": {"smart": 2}})
    >>> run = lexsub.read_run({"1": ["glad"], "2": ["shiny"]}, name="mine")
    >>> joined = lexsub.join(gold, run, Policy(), lexsub.Options())
    >>> first.values(first.item_records(joined)).tolist()
    [3.0, 0.0]
    """
    summary = (value.func if isinstance(value, partial) else value).__doc__ or ""
    record = partial(_average_record, view=view, value=value, counts=counts)
    return Measure(name, record, mean, summary, empty, range=range)


def _average_record(joined: Joined, view: View, value: Value, counts: Counts | None) -> Floats:
    earned: Earned = getattr(joined, view)
    counted = joined.counted(view) & (True if counts is None else counts(earned))
    # 0/0, as without any answer, scores 0; only items that do not count are left out, as nan.
    return mean_records(np.where(counted, np.nan_to_num(value(earned)), np.nan))


def measured(name: str, view: View, counts: Counts | None = None, empty: float = np.nan) -> Callable[[Value], Value]:
    """Register a function of `Earned` as the measure *name*; `average` explains the parameters."""

    def register(value: Value) -> Value:
        MEASURES.add(name, partial(average, name, view, value, counts, empty, SHARE))
        return value

    return register


def measured_at(family: str, view: View, depth: int) -> Callable[[DeepValue], DeepValue]:
    """Register a function of `Earned` and a depth *n* as the measures ``family`` + n; *depth* is the example."""

    def register(value: DeepValue) -> DeepValue:
        def make(at: str) -> Measure[Joined]:
            n = whole_number(at, f"the depth of {family}")
            return average(f"{family}{n}", view, partial(value, n=n), range=SHARE)  # type: ignore[call-arg]

        MEASURES.add(family, make, f"{family}{depth}")
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


def precision(earned: Earned, k: Penalty) -> Floats:
    """Credit / (credit + k * wrong): each wrong answer costs k (paper, section 5)."""
    cost = mean_weight(earned) if k == "mean" else k
    return ratio(earned.credit(), earned.credit() + cost * earned.wrong)


def mean_weight(earned: Earned) -> Floats:
    """W / number of gold answers: what k=mean means here, the mean weight of the item's HUMAN answers."""
    return ratio(earned.golds.optimum(), earned.golds.answers.sizes.astype(np.float64))


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
    np.minimum.at(first, earned.gains.row[right], earned.gains.position[right] + 1)
    return 1 / first


@measured("gap", "ranked")
def gap(earned: Earned) -> Floats:
    """Generalised average precision: sum of credit(i)/i over hits, over the same sum in ideal order (Kishida 2005)."""
    sums = earned.gains.running()
    ideal = earned.golds.ideal.running()
    precisions = Ragged(sums.offsets, sums.values / (earned.gains.position + 1) * earned.hit.values)
    ideal_precisions = Ragged(ideal.offsets, ideal.values / (ideal.position + 1))
    return ratio(precisions.sums(), ideal_precisions.sums())


def _gap_record(joined: Joined) -> Floats:
    golds, answers = joined.ranked.golds, joined.ranked.answers
    single_golds = golds.keep(~joined.has_blank[golds.answers.values])
    values = gap(Earned.by(single_golds, answers.keep(~joined.has_blank[answers.values])))
    return mean_records(np.where(joined.counted("ranked"), values, np.nan))


def _gap_without_multiwords() -> Measure[Joined]:
    summary = "`gap` after dropping answers of several words from gold and system; over items with gold left"
    return Measure("gap.nomwe", _gap_record, mean, summary, range=SHARE)


def _precision(k: str = "1") -> Measure[Joined]:
    penalty, penalty_text = _penalty(k)
    return average(f"P(k={penalty_text})", "set", partial(precision, k=penalty), range=SHARE)


def _f_score(k: str = "1") -> Measure[Joined]:
    penalty, penalty_text = _penalty(k)
    summary = "2PR/(P + R) of the average P and the average R, not an average of F (paper, section 5)"
    return Measure(f"F(k={penalty_text})", partial(_f_record, k=penalty), harmonic_mean, summary, range=SHARE)


def _f_record(joined: Joined, k: Penalty) -> Floats:
    parts = precision(joined.set, k), recall(joined.set)
    counted = joined.counted("set")
    return np.column_stack([*(np.where(counted, np.nan_to_num(part), 0.0) for part in parts), counted])


def _penalty(k: str) -> tuple[Penalty, str]:
    """Return what a wrong answer costs, and how a canonical name writes it."""
    if k == "mean":
        return "mean", k
    try:
        number = Decimal(k)
    except InvalidOperation:
        number = Decimal("nan")
    if not (number.is_finite() and 0 <= number <= MOST_PENALTY):
        raise TouchstoneError(f"k must be mean, or a number from 0 to {MOST_PENALTY:,}", value=k, code=Code.BAD_VALUE)
    return float(number), f"{number.normalize():f}"


MEASURES.add("gap.nomwe", _gap_without_multiwords)
MEASURES.add("P", _precision, "P(k=1)")
MEASURES.add("F", _f_score, "F(k=1)")


@measured_at("rank@", "ranked", OOT)
def rank(earned: Earned, n: int) -> Floats:
    """Mean over r = 1..n of credit(first r) / optimum(r): how near the best order came (paper, section 6)."""
    return np.asarray(ratio(earned.credits(n), earned.golds.optima(n)).mean(axis=1))


@measured_at("p@", "ranked", 1)
def precision_at(earned: Earned, n: int) -> Floats:
    """Hits in the first n / n: a short list counts as padded with misses."""
    return earned.hits(n) / n


@measured_at("r@", "ranked", OOT)
def recall_at(earned: Earned, n: int) -> Floats:
    """Hits in the first n / number of gold answers."""
    return ratio(earned.hits(n), earned.golds.answers.sizes.astype(np.float64))


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
    return Ragged(earned.answers.offsets, is_mode).sums(first=n)


def _has_mode(earned: Earned) -> Bools:
    return earned.golds.mode >= 0


def _attempted(earned: Earned) -> Bools:
    return earned.attempted


def _attempted_with_mode(earned: Earned) -> Bools:
    return earned.attempted & _has_mode(earned)


def _add_els07(name: str, view: View, value: Value, counts: Counts | None = None, empty: float = np.nan) -> None:
    """Register an ``els07`` measure twice: by our rules, and by those of the official scorer as ``NAME@official``.

    Where the run was joined with ``compat="els07"``, the plain name means the official rules too.
    """
    attempted = counts in (_attempted, _attempted_with_mode)
    by_our_rules = average(name, view, value, counts, empty, SHARE)
    measure = replace(
        by_our_rules, record=partial(_els07_record, name=name, ours=by_our_rules.item_records), own_items=attempted
    )
    MEASURES.add(name, lambda: measure)
    record = partial(Joined.official_record, name=name)
    official = Measure(
        f"{name}{OFFICIAL}", record, mean, OFFICIAL_SUMMARY, range=official_range(name), own_items=attempted
    )
    MEASURES.add(f"{name}@", partial(_official, official), official.name)


def official_range(name: str) -> Range:
    """Return the range of an ``els07`` measure by the official rules, which count the credit of each repeated answer.

    >>> str(official_range("els07.best.P")), str(official_range("els07.oot.P"))
    ('0–1', '0 and more')
    """
    return COUNT if name.startswith("els07.oot.") else SHARE


def _els07_record(joined: Joined, name: str, ours: Callable[[Joined], Floats]) -> Floats:
    return joined.official_record(name) if joined.compat == "els07" else ours(joined)


def _official(measure: Measure[Joined], at: str) -> Measure[Joined]:
    if f"@{at}" != OFFICIAL:
        raise TouchstoneError("unknown measure", value=at, near=measure.name, code=Code.UNKNOWN_NAME)
    return measure


_add_els07("els07.best.P", "best", shared_credit, _attempted, empty=0)
_add_els07("els07.best.R", "best", shared_credit)
_add_els07("els07.best_mode.P", "best", first_is_mode, _attempted_with_mode, empty=0)
_add_els07("els07.best_mode.R", "best", first_is_mode, _has_mode)
_add_els07("els07.oot.P", "ranked", oot, _attempted, empty=0)
_add_els07("els07.oot.R", "ranked", oot)
_add_els07("els07.oot_mode.P", "ranked", mode_in_oot, _attempted_with_mode, empty=0)
_add_els07("els07.oot_mode.R", "ranked", mode_in_oot, _has_mode)


def _add_swords(mode: str, bar: str, figure: str) -> None:
    """Register a figure of SWORDS: within the first n answers, hits, answers and references summed over targets."""
    family = f"swords.{mode}_{bar}_{figure}@"
    wording = {"lenient": "labelled answers", "strict": "all answers", "a": "acceptable", "c": "conceivable"}
    summary = f"{_POOLED[figure]} within n, summed over targets: {wording[mode]}, {wording[bar]} references (SWORDS)"

    def make(at: str) -> Measure[Joined]:
        n = whole_number(at, f"the depth of {family}")
        record, fold = partial(_swords_record, n=n, mode=mode, bar=bar), partial(_swords_fold, figure=figure)
        formula = partial(_swords_steps, figure=figure)
        return Measure(f"{family}{n}", record, fold, summary, range=SHARE, formula=formula)

    MEASURES.add(family, make, f"{family}{OOT}")


def _swords_record(joined: Joined, n: int, mode: str, bar: str) -> Floats:
    counted = joined.joined_ids("ranked").counted.astype(np.float64)[:, None]
    return np.hstack([joined.shares.sums(n, mode, bar) * counted, counted])


def _swords_steps(record: Floats, figure: str) -> Steps:
    hits, answers, limited, references = map(written, record[:4].tolist())
    below = references if figure.endswith("s") else limited
    precision, recall = quotient(hits, answers), quotient(hits, below)
    if figure == "p":
        return Steps("hits / answers", precision)
    over = "references" if figure.endswith("s") else "min(references, n)"
    if figure[0] == "r":
        return Steps(f"hits / {over}", recall)
    words = f"2pr / (p + r), p = hits / answers, r = hits / {over}"
    return Steps(words, "0" if hits == "0" else "2 × p × r/(p + r)", {"p": precision, "r": recall})


def _swords_fold(sums: Floats, figure: str) -> Floats:
    """Fold hits, answers, references up to n, references and counts; 0 where there is nothing to divide by."""
    hits, answers, limited, references, counts = (sums[..., column] for column in range(5))
    precision = np.nan_to_num(ratio(hits, answers))
    recall = np.nan_to_num(ratio(hits, references if figure.endswith("s") else limited))
    both = np.nan_to_num(ratio(2 * precision * recall, precision + recall))
    value = {"p": precision, "r": recall}.get(figure[0], both)
    return np.where(counts > 0, value, np.nan)


for _mode in MODES:
    for _bar in BARS:
        for _figure in _POOLED:
            _add_swords(_mode, _bar, _figure)


def value(name: str, gold: Gold, answers: Sequence[str]) -> float:
    """Return what a list of answers to one item scores under a measure.

    Parameters
    ----------
    name
        The name of the measure.
    gold
        What people answered.
    answers
        The answers of a system, best first; the list stands for all three views.

    Examples
    --------
    >>> happy = Gold({"glad": 3, "merry": 3, "sunny": 2, "jovial": 1, "cheerful": 1})
    >>> value("best1", happy, ["Sunny"]) == 2 / 3
    True
    """
    source, ids, unknown = Source("one item", ""), ["1"], [None]
    weights: Ragged[np.float64] = Ragged.of([gold.weights.values()])
    golds = GoldSet(source, ids, [""], unknown, StringLists.of([gold.weights]), weights, [1], least=0)
    lists = Answers(source, ids, [1], unknown, unknown, StringLists.of([answers]), np.array([-1]))
    measure = MEASURES.find(name)
    joined = join(golds, Run("system", (source,), best=lists), Policy("zero"), Options())
    return float(measure.values(measure.item_records(joined))[0])
