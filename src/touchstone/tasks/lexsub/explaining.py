"""Why an item scored what it did: the paper's table of rank, frequency and cumulative frequency."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from touchstone.base.ids import Policy
from touchstone.base.ragged import Floats
from touchstone.base.tables import Cell, Column, Table, number
from touchstone.core.explanation import Explanation
from touchstone.core.formulas import MOST_TERMS, Formula, Steps, added, quotient, summed, written
from touchstone.core.gold import Earned, Gold, Golds
from touchstone.core.inputs import Inputs
from touchstone.core.measures import Measure, parse_name
from touchstone.tasks.lexsub.joining import Joined, join
from touchstone.tasks.lexsub.measures import MEASURES, PAPER
from touchstone.tasks.lexsub.model import OOT, GoldSet, Item, Run, key
from touchstone.tasks.lexsub.preparing import base_form

MOST_RANKS = 100
"""Ranks of a list that are shown."""


@dataclass(frozen=True)
class Rank:
    """One rank of a list: the answer there and its weight, and credit and optimum of the list so far."""

    rank: int
    answer: str | None
    weight: float
    credit: float
    optimum: float
    note: str = ""


@dataclass(frozen=True)
class RankedItem:
    """The answers of one system to one item, rank by rank, and what the item scores under each measure."""

    system: str
    item: Item
    ranks: Sequence[Rank]
    values: dict[str, float]
    scored: bool = True
    """Whether the item has enough human answers to be scored."""
    formulas: Sequence[Formula] = ()
    """How each value comes about."""

    @property
    def answered(self) -> Sequence[Rank]:
        """The ranks that hold an answer."""
        return [rank for rank in self.ranks if rank.answer is not None]

    def gold_table(self) -> Table:
        """Return what people said, heaviest first."""
        weights = sorted(self.item.gold.weights.items(), key=lambda pair: -pair[1])
        rows = [(answer, f"{weight:g}") for answer, weight in weights]
        mode = self.item.gold.mode
        notes = [f"W = {self.item.gold.optimum():g}, m = {self.item.gold.optimum(1):g}, mode = {mode or 'none'}"]
        notes += [] if self.scored else ["This item is left out of the scoring: too few people answered."]
        return Table([Column("people said"), Column("freq", "right")], rows, notes=notes)

    def table(self) -> Table:
        """Return the paper's table: at each rank the credit so far over the best that could have been earned."""
        numbers = [Column(name, "right") for name in ("freq", "cum.freq", "best cum.freq", "share")]
        columns = [Column("rank", "right"), Column("answer"), *numbers, Column("")]
        shares = (number(r.credit / r.optimum if r.optimum else None) for r in self.ranks)
        rows = [
            (r.rank, r.answer, f"{r.weight:g}", f"{r.credit:g}", f"{r.optimum:g}", share, r.note)
            for r, share in zip(self.ranks, shares, strict=True)
        ]
        return Table(columns, rows, title=self.system)


def explain_item(inputs: Inputs[GoldSet, Run], item: str, measure: str | None, policy: Policy) -> Explanation:
    """Show one item: its sentence, what people said, and the list of each system rank by rank.

    The drawing of the explanation is a list of `RankedItem`, one for each run.
    """
    names = [*PAPER, *([measure] if measure else [])]
    ranked = [rank_items(inputs, run, [item], policy, names)[0] for run in inputs.runs]
    first = ranked[0]
    measures: list[list[Cell]] = [[name, *(system.values[name] for system in ranked)] for name in first.values]
    columns = [Column("measure"), *(Column(system.system, "right") for system in ranked)]
    context = f"\n\n  {first.item.context}" if first.item.context else ""
    tables = [first.gold_table(), *(system.table() for system in ranked), Table(columns, measures)]
    word = f": {first.item.word}" if first.item.word else ""
    formulas = [formula for system in ranked for formula in system.formulas]
    return Explanation(item, f"item {item}{word}{context}", tables, ranked, formulas=formulas)


def rank_items(
    inputs: Inputs[GoldSet, Run], run: Run, ids: Sequence[str], policy: Policy, measures: Sequence[str] = PAPER
) -> list[RankedItem]:
    """Return the answers of a run to several items, rank by rank.

    Parameters
    ----------
    inputs
        The gold and the options.
    run
        The answers of one system.
    ids
        The ids of the items, scored or not.
    policy
        What to do with missing, unknown and duplicate ids.
    measures
        The measures whose values are shown.
    """
    gold = inputs.gold
    items = [gold[name] for name in ids]
    rows = np.array([gold.rows[name] for name in ids], np.int64)
    joined = join(gold, run, policy, inputs.options, rows)
    scored = MEASURES.find_all(measures)
    records = {m.name: m.item_records(joined) for m in scored}
    values = {m.name: m.values(records[m.name]).tolist() for m in scored}
    return [
        RankedItem(
            run.name,
            item,
            _ranks(joined, index, item),
            {name: column[index] for name, column in values.items()},
            bool(gold.kept[rows[index]]),
            [
                steps(m, joined.part(slice(index, index + 1)), records[m.name][index], value).of(
                    run.name, m.name, value
                )
                for m in scored
                for value in [values[m.name][index]]
            ],
        )
        for index, item in enumerate(items)
    ]


def _ranks(joined: Joined, index: int, item: Item) -> list[Rank]:
    """Return ten ranks or more; a repeated answer has no rank of its own, since repetition earns nothing."""
    answers, bound = joined.lists[index], int(joined.bounds[index])
    gold = Gold({key(answer): weight for answer, weight in item.gold.weights.items()})
    first: dict[str, int] = {}
    for at, answer in enumerate(answers):
        first.setdefault(key(answer), at)
    keys = list(first)
    ranks = []
    for n in range(1, min(max(OOT, len(keys)), MOST_RANKS) + 1):
        if n > len(keys):
            ranks.append(Rank(n, None, 0, gold.credit(keys), gold.optimum(n)))
            continue
        answer_key, at = keys[n - 1], first[keys[n - 1]]
        weight = gold.credit([answer_key])
        note = "beyond the system's boundary" if at >= bound else "" if weight else _note(answer_key, gold, item)
        ranks.append(Rank(n, answers[at], weight, gold.credit(keys[:n]), gold.optimum(n), note))
    return ranks


def _note(answer: str, gold: Gold, item: Item) -> str:
    """Return how near a wrong answer came, in words."""
    if answer == key(item.target):
        return "the target itself"
    pos = item.pos or ""
    for human in gold.weights:
        if base_form(answer, pos) == base_form(human, pos):
            return f'differs only by inflection from gold "{human}"'
    return ""


@dataclass(frozen=True)
class Weights:
    """The weights of one item: of the answers of a system in their order, and of the human answers."""

    answers: Sequence[float]
    gold: Sequence[float]

    @classmethod
    def of(cls, earned: Earned) -> "Weights":
        """Return the weights of the only item."""
        return cls(earned.gains.values.tolist(), sorted(earned.golds.weights.values.tolist(), reverse=True))

    def credit(self, n: int | None = None) -> str:
        """Return the credit of the first *n* answers as a sum of the weights of hits."""
        return summed(weight for weight in self.answers[:n] if weight)

    def hits(self, n: int | None = None) -> int:
        """Return how many of the first *n* answers are right."""
        return sum(weight > 0 for weight in self.answers[:n])

    @property
    def total(self) -> str:
        """W, the sum of all human weights."""
        return summed(self.gold)

    @property
    def most(self) -> str:
        """m, the largest human weight."""
        return written(max(self.gold, default=0.0))

    @property
    def wrong(self) -> int:
        """How many answers are not in the gold."""
        return len(self.answers) - self.hits()


def steps(measure: Measure[Joined], joined: Joined, record: Floats, value: float) -> Steps:
    """Return how the value of the only item of a joined run comes about.

    Parameters
    ----------
    measure, joined
        The measure, and the run joined for this item alone.
    record, value
        Its record and its value.
    """
    family, at, parameters = parse_name(measure.name)
    depth = int(at[0]) if at and at[0].isdigit() else OOT
    official = joined.compat == "els07" or measure.name.endswith("@official")
    if official and family.startswith("els07."):
        return Steps("credit by the rules of the official scorer", written(value))
    if measure.formula:
        return measure.formula(record)
    if family == "gap.nomwe":
        golds, answers = joined.ranked.golds, joined.ranked.answers
        single = golds.keep(~joined.has_blank[golds.answers.values])
        return _gap(Weights.of(Earned.by(single, answers.keep(~joined.has_blank[answers.values]))), depth)
    if family in ("P", "F"):
        return _penalised(Weights.of(joined.set), parameters.partition("=")[2], both=family == "F")
    if family in OF_VIEW:
        view, make = OF_VIEW[family]
        earned: Earned = getattr(joined, view)
        if family.startswith(("els07.best_mode", "els07.oot_mode")):
            return _mode(earned, 1 if "best" in family else OOT)
        return make(Weights.of(earned), depth)
    return Steps(measure.summary or measure.name, written(value))


def _best(weights: Weights, n: int) -> Steps:  # noqa: ARG001 (the form of all)
    below = "0" if not weights.answers else f"({weights.most} × {len(weights.answers)})"
    return Steps("credit / (m × number of answers)", quotient(weights.credit(), below))


def _best1(weights: Weights, n: int) -> Steps:  # noqa: ARG001
    return Steps("weight of the first answer / m", quotient(weights.credit(1), weights.most))


def _recall(weights: Weights, n: int) -> Steps:  # noqa: ARG001
    return Steps("credit / W", quotient(weights.credit(), weights.total))


def _penalised(weights: Weights, k: str, *, both: bool) -> Steps:
    """Return P, or F of P and R; a wrong answer costs k, or the mean human weight."""
    cost = f"{weights.total}/{len(weights.gold)}" if k == "mean" else k
    mean = " (k: the mean weight of the human answers)" * (k == "mean")
    credit = weights.credit()
    precision = "0" if credit == "0" else f"{credit}/({credit} + {cost} × {weights.wrong})"
    if not both:
        return Steps(f"credit / (credit + k × wrong answers){mean}", precision)
    recall = quotient(credit, weights.total)
    arithmetic = "0" if credit == "0" else "2 × P × R/(P + R)"
    return Steps(f"2PR / (P + R){mean}", arithmetic, {"P": precision, "R": recall})


def _unweighted_precision(weights: Weights, n: int) -> Steps:  # noqa: ARG001
    return Steps("hits / answers", quotient(str(weights.hits()), str(len(weights.answers))))


def _unweighted_recall(weights: Weights, n: int) -> Steps:  # noqa: ARG001
    return Steps("hits / human answers", quotient(str(weights.hits()), str(len(weights.gold))))


def _reciprocal_rank(weights: Weights, n: int) -> Steps:  # noqa: ARG001
    first = next((rank for rank, weight_at_rank in enumerate(weights.answers, 1) if weight_at_rank), None)
    return Steps("1 / rank of the first hit", f"1/{first}" if first else "0")


def _gap(weights: Weights, n: int) -> Steps:  # noqa: ARG001
    sums, ideal = np.cumsum(weights.answers).tolist(), np.cumsum(weights.gold).tolist()
    earned = [
        (total, rank) for rank, (total, weight) in enumerate(zip(sums, weights.answers, strict=True), 1) if weight
    ]
    best = [(total, rank) for rank, total in enumerate(ideal, 1)]
    words = "sum of credit so far / rank over the hits, divided by the same sum in ideal order"
    return Steps(words, quotient(_ranked(earned), _ranked(best)))


def _ranked(shares: Sequence[tuple[float, int]]) -> str:
    """Return a sum of credit/rank; of many its value."""
    if len(shares) > MOST_TERMS:
        return written(sum(total / rank for total, rank in shares))
    return added(f"{written(total)}/{rank}" for total, rank in shares)


def _rank(weights: Weights, n: int) -> Steps:
    """Return the mean share of n ranks, equal shares at the end together, as the paper writes it."""
    credit, optimum = (_running(list_weights, n) for list_weights in (weights.answers, weights.gold))
    shares = [f"{written(earned)}/{written(most)}" for earned, most in zip(credit, optimum, strict=True)]
    return Steps("mean of credit / optimum of the first r answers, the column share", f"{added(shares)}/{n}")


def _running(weights: Sequence[float], n: int) -> list[float]:
    padded = [*weights[:n], *[0.0] * (n - len(weights))]
    return [float(total) for total in np.cumsum(padded)]


def _precision_at(weights: Weights, n: int) -> Steps:
    return Steps(f"hits among the first {n} / {n}", f"{weights.hits(n)}/{n}")


def _recall_at(weights: Weights, n: int) -> Steps:
    return Steps(f"hits among the first {n} / human answers", quotient(str(weights.hits(n)), str(len(weights.gold))))


def _shared_credit(weights: Weights, n: int) -> Steps:  # noqa: ARG001
    below = "0" if not weights.answers else f"({weights.total} × {len(weights.answers)})"
    return Steps("credit / (W × number of answers)", quotient(weights.credit(), below))


def _out_of_ten(weights: Weights, n: int) -> Steps:  # noqa: ARG001
    return Steps("credit of the first ten answers / W", quotient(weights.credit(OOT), weights.total))


def _mode(earned: Earned, n: int) -> Steps:
    golds: Golds = earned.golds
    hit = bool((earned.answers.values[:n] == golds.mode[0]).any()) and golds.mode[0] >= 0
    where = "the first answer is" if n == 1 else "one of the first ten answers is"
    return Steps(f"{where} the mode (1) or not (0)", str(int(hit)))


OF_VIEW: dict[str, tuple[str, Callable[[Weights, int], Steps]]] = {
    "best": ("best", _best),
    "best1": ("best", _best1),
    "R": ("set", _recall),
    "P.set": ("set", _unweighted_precision),
    "R.set": ("set", _unweighted_recall),
    "mrr": ("ranked", _reciprocal_rank),
    "gap": ("ranked", _gap),
    "rank@": ("ranked", _rank),
    "p@": ("ranked", _precision_at),
    "r@": ("ranked", _recall_at),
    **{f"els07.best.{figure}": ("best", _shared_credit) for figure in "PR"},
    **{f"els07.oot.{figure}": ("ranked", _out_of_ten) for figure in "PR"},
    **{f"els07.best_mode.{figure}": ("best", _best1) for figure in "PR"},
    **{f"els07.oot_mode.{figure}": ("ranked", _best1) for figure in "PR"},
}
"""The view that a measure looks at, and its formula; modes are answers, which weights do not tell."""
