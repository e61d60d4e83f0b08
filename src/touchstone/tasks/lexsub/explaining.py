"""Why an item scored what it did: the paper's table of rank, frequency and cumulative frequency."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from touchstone.base.ids import Policy
from touchstone.base.tables import Cell, Column, Table, number
from touchstone.core.explanation import Explanation
from touchstone.core.formulas import Formula
from touchstone.core.gold import Gold
from touchstone.core.inputs import Inputs
from touchstone.tasks.lexsub.formulas import steps
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
