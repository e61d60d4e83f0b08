"""Why an item scored what it did: the paper's table of rank, frequency and cumulative frequency."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from touchstone.gold import Gold
from touchstone.io import arrow
from touchstone.tables import Column, Table, number
from touchstone.tasks.lexsub.answers import base_form
from touchstone.tasks.lexsub.keys import key
from touchstone.tasks.lexsub.measures import MEASURES, OOT, PAPER
from touchstone.tasks.lexsub.model import GoldSet, Item, Run
from touchstone.tasks.lexsub.pairing import Policy, pair
from touchstone.tasks.lexsub.scorer import Scorer


@dataclass(frozen=True)
class Rank:
    """One rank of a list: the answer there, what it earns, and how the list stands to the best one so far."""

    rank: int
    answer: str | None
    weight: float
    credit: float
    optimum: float
    note: str = ""


@dataclass(frozen=True)
class Explanation:
    """A system's answers to one item, beside what people said."""

    system: str
    item: Item
    ranks: Sequence[Rank]
    values: dict[str, float]

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
        return Table([Column("people said"), Column("freq", "right")], rows, notes=notes)

    def table(self) -> Table:
        """Return the paper's table: at each rank the credit so far over the best that could have been earned."""
        numbers = [Column(name, "right") for name in ("freq", "cum.freq", "best cum.freq", "share")]
        columns = [Column("rank", "right"), Column("answer"), *numbers, Column("")]
        rows = [
            (r.rank, r.answer, f"{r.weight:g}", f"{r.credit:g}", f"{r.optimum:g}", number(r.credit / r.optimum), r.note)
            for r in self.ranks
        ]
        return Table(columns, rows, title=self.system)

    def values_table(self) -> Table:
        """Return what the item scores under each measure."""
        return Table([Column("measure"), Column("value", "right")], list(self.values.items()))


def explain(gold: GoldSet, run: Run, id: str) -> Explanation:  # noqa: A002 (an id is what people look an item up by)
    """Return how the answers of *run* to one item come to their scores."""
    item = gold[id]
    batch, _ = pair(gold.only(id), run, np.array([0]), Policy("ignore", "first"))
    scored = Scorer(PAPER)(batch)
    values = {
        measure.name: float(measure.values(arrow.to_records(scored.column(measure.name)))[0])
        for measure in MEASURES.find_all(PAPER)
    }
    answers = batch.column("ranked")[0].as_py()
    return Explanation(run.system, item, _ranks(item, answers, behind=len(batch.column("set")[0])), values)


def _ranks(item: Item, answers: Sequence[str], behind: int) -> list[Rank]:
    """Return at least ten ranks; a repeated answer has none of its own, since repetition earns nothing."""
    weights: dict[str, float] = {}
    for answer, weight in item.gold.weights.items():
        weights[key(answer)] = weights.get(key(answer), 0) + weight
    gold = Gold(weights)
    first: dict[str, int] = {}
    for place, answer in enumerate(answers):
        first.setdefault(key(answer), place)
    keys = list(first)
    ranks = []
    for n in range(1, max(OOT, len(keys)) + 1):
        if n > len(keys):
            ranks.append(Rank(n, None, 0, gold.credit(keys), gold.optimum(n)))
            continue
        own, place = keys[n - 1], first[keys[n - 1]]
        weight = gold.credit([own])
        note = "beyond the system's boundary" if place >= behind else "" if weight else _note(own, gold, item)
        ranks.append(Rank(n, answers[place], weight, gold.credit(keys[:n]), gold.optimum(n), note))
    return ranks


def _note(answer: str, gold: Gold, item: Item) -> str:
    """Say how near a wrong answer came."""
    if answer == key(item.target):
        return "the target itself"
    pos = item.pos or ""
    for human in gold.weights:
        if base_form(answer, pos) == base_form(human, pos):
            return f'differs only by inflection from gold "{human}"'
    return ""
