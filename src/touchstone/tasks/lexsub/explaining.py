"""Why an item scored what it did: the paper's table of rank, frequency and cumulative frequency."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from touchstone.core.gold import Gold
from touchstone.core.tables import Column, Table, number
from touchstone.io import arrow
from touchstone.tasks.lexsub.answers import Pool, base_form
from touchstone.tasks.lexsub.keys import key
from touchstone.tasks.lexsub.measures import MEASURES, OOT, PAPER
from touchstone.tasks.lexsub.model import GoldSet, Item, Run
from touchstone.tasks.lexsub.pairing import STRICT, Policy, pair
from touchstone.tasks.lexsub.scorer import Scorer

MOST_RANKS = 100
"""Ranks that are shown of a list; nobody reads on."""


@dataclass(frozen=True)
class Rank:
    """One rank of a list: the answer there, what it earns, and how the list stands to the best one so far."""

    rank: int
    answer: str | None
    weight: float
    credit: float
    optimum: float
    note: str = ""

    @property
    def share(self) -> float | None:
        """Credit over optimum; None where people gave no answer."""
        return self.credit / self.optimum if self.optimum else None


@dataclass(frozen=True)
class Explanation:
    """A system's answers to one item, beside what people said."""

    system: str
    item: Item
    ranks: Sequence[Rank]
    values: dict[str, float]
    scored: bool = True
    """Whether the item has enough human answers to be scored."""

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
        rows = [
            (r.rank, r.answer, f"{r.weight:g}", f"{r.credit:g}", f"{r.optimum:g}", number(r.share), r.note)
            for r in self.ranks
        ]
        return Table(columns, rows, title=self.system)

    def values_table(self) -> Table:
        """Return what the item scores under each measure."""
        return Table([Column("measure"), Column("value", "right")], list(self.values.items()))


def explain(
    gold: GoldSet,
    run: Run,
    id: str,  # noqa: A002 (what people look an item up by)
    *,
    lemmatize: bool = False,
    pool: Pool | None = None,
    policy: Policy = STRICT,
) -> Explanation:
    """Return how the answers of *run* to one item come to their scores."""
    return explain_all(gold, run, [id], Scorer(PAPER, lemmatize, pool), policy)[0]


def explain_all(
    gold: GoldSet, run: Run, ids: Sequence[str], scorer: Scorer, policy: Policy = STRICT
) -> list[Explanation]:
    """Return the explanation of each of several items, gold and run joined once."""
    items = [gold[name] for name in ids]
    rows = np.array([gold.rows[name] for name in ids], np.int64)
    batch = scorer.prepared(pair(gold, run, rows, policy)[0])
    scored = replace(scorer, lemmatize=False, pool=None)(batch)
    measures = MEASURES.find_all(scorer.measures)
    values = {m.name: m.values(arrow.to_records(scored.column(m.name))).tolist() for m in measures}
    ranked, behind = batch.column("ranked").to_pylist(), batch.column("set").value_lengths().to_pylist()
    return [
        Explanation(
            run.system,
            item,
            _ranks(item, ranked[place], behind[place]),
            {name: column[place] for name, column in values.items()},
            scored=bool(gold.kept[rows[place]]),
        )
        for place, item in enumerate(items)
    ]


def _ranks(item: Item, answers: Sequence[str], behind: int) -> list[Rank]:
    """Return ten ranks or more; a repeated answer has none of its own, since repetition earns nothing."""
    gold = Gold({key(answer): weight for answer, weight in item.gold.weights.items()})
    first: dict[str, int] = {}
    for place, answer in enumerate(answers):
        first.setdefault(key(answer), place)
    keys = list(first)
    ranks = []
    for n in range(1, min(max(OOT, len(keys)), MOST_RANKS) + 1):
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
