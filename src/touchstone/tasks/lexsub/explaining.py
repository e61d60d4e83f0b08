"""Why an item scored what it did: the paper's table of rank, frequency and cumulative frequency."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from touchstone.base.ids import Policy
from touchstone.base.ragged import Floats
from touchstone.base.tables import Cell, Column, Table, number
from touchstone.core.explanation import Explanation
from touchstone.core.formulas import MOST_TERMS, Formula, Steps, added, quotient, summed, written
from touchstone.core.gold import Earned, Gold
from touchstone.core.inputs import Inputs
from touchstone.core.measures import Measure, parse_name
from touchstone.tasks.lexsub.joining import Joined, View, join
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

    def for_each_answer(self, weight: str) -> str:
        """Return a *weight* times the number of answers."""
        return f"({weight} × {len(self.answers)})" if self.answers else "0"

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
        joined = replace(joined, ranked=Earned.by(single, answers.keep(~joined.has_blank[answers.values])))
        family = "gap"
    if family in ("P", "F"):
        return _penalised(Weights.of(joined.set), parameters.partition("=")[2], both=family == "F")
    if family.startswith("els07.best_mode"):
        return _mode(joined.best, 1, "the first answer is")
    if family.startswith("els07.oot_mode"):
        return _mode(joined.ranked, OOT, "one of the first ten answers is")
    if family in FORMULAS:
        view, words, arithmetic = FORMULAS[family]
        return Steps(words.format(n=depth), arithmetic(Weights.of(getattr(joined, view)), depth))
    return Steps(measure.summary or measure.name, written(value))


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


def _reciprocal_rank(weights: Weights, _: int) -> str:
    first = next((rank for rank, weight_at_rank in enumerate(weights.answers, 1) if weight_at_rank), None)
    return f"1/{first}" if first else "0"


def _gap(weights: Weights, _: int) -> str:
    sums, ideal = np.cumsum(weights.answers).tolist(), np.cumsum(weights.gold).tolist()
    earned = [
        (total, rank) for rank, (total, weight) in enumerate(zip(sums, weights.answers, strict=True), 1) if weight
    ]
    best = [(total, rank) for rank, total in enumerate(ideal, 1)]
    return quotient(_ranked(earned), _ranked(best))


def _ranked(shares: Sequence[tuple[float, int]]) -> str:
    """Return a sum of credit/rank; of many its value."""
    if len(shares) > MOST_TERMS:
        return written(sum(total / rank for total, rank in shares))
    return added(f"{written(total)}/{rank}" for total, rank in shares)


def _rank(weights: Weights, n: int) -> str:
    """Return the mean share of n ranks, equal shares at the end together, as the paper writes it."""
    credit, optimum = (_running(list_weights, n) for list_weights in (weights.answers, weights.gold))
    shares = [f"{written(earned)}/{written(most)}" for earned, most in zip(credit, optimum, strict=True)]
    return f"{added(shares)}/{n}"


def _running(weights: Sequence[float], n: int) -> list[float]:
    padded = [*weights[:n], *[0.0] * (n - len(weights))]
    return [float(total) for total in np.cumsum(padded)]


def _mode(earned: Earned, n: int, where: str) -> Steps:
    mode = earned.golds.mode[0]
    hit = bool((earned.answers.values[:n] == mode).any()) and mode >= 0
    return Steps(f"{where} the mode (1) or not (0)", str(int(hit)))


ViewFormula = tuple[View, str, Callable[[Weights, int], str]]

_SHARED: ViewFormula = (
    "best",
    "credit / (W × number of answers)",
    lambda w, _: quotient(w.credit(), w.for_each_answer(w.total)),
)
_OUT_OF_TEN: ViewFormula = (
    "ranked",
    "credit of the first ten answers / W",
    lambda w, _: quotient(w.credit(OOT), w.total),
)

FORMULAS: dict[str, ViewFormula] = {
    "best": ("best", "credit / (m × number of answers)", lambda w, _: quotient(w.credit(), w.for_each_answer(w.most))),
    "best1": ("best", "weight of the first answer / m", lambda w, _: quotient(w.credit(1), w.most)),
    "R": ("set", "credit / W", lambda w, _: quotient(w.credit(), w.total)),
    "P.set": ("set", "hits / answers", lambda w, _: quotient(str(w.hits()), str(len(w.answers)))),
    "R.set": ("set", "hits / human answers", lambda w, _: quotient(str(w.hits()), str(len(w.gold)))),
    "mrr": ("ranked", "1 / rank of the first hit", _reciprocal_rank),
    "gap": ("ranked", "sum of credit so far / rank over the hits, divided by the same sum in ideal order", _gap),
    "rank@": ("ranked", "mean of credit / optimum of the first r answers, the column share", _rank),
    "p@": ("ranked", "hits among the first {n} / {n}", lambda w, n: f"{w.hits(n)}/{n}"),
    "r@": (
        "ranked",
        "hits among the first {n} / human answers",
        lambda w, n: quotient(str(w.hits(n)), str(len(w.gold))),
    ),
    **{f"els07.best.{figure}": _SHARED for figure in "PR"},
    **{f"els07.oot.{figure}": _OUT_OF_TEN for figure in "PR"},
}
"""The view that a measure looks at, its formula in words, and as arithmetic with the weights of an item."""
