"""Why an item scored what it did: the paper's table of rank, frequency and cumulative frequency."""

from collections.abc import Sequence
from dataclasses import dataclass

from touchstone.gold import Gold
from touchstone.tables import Column, Table, number
from touchstone.tasks.lexsub.answers import base_form
from touchstone.tasks.lexsub.keys import key
from touchstone.tasks.lexsub.measures import OOT, PAPER, value
from touchstone.tasks.lexsub.model import GoldSet, Item, Run


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
    by_key: dict[str, float] = {}
    for answer, weight in item.gold.weights.items():
        by_key[key(answer)] = by_key.get(key(answer), 0) + weight
    folded = Gold(by_key)
    answers = run.answers(id)
    keys = list(dict.fromkeys(map(key, answers)))
    best = list(dict.fromkeys(map(key, run.answers(id, "best"))))
    values = {name: value(name, folded, best if name.startswith("best") else keys) for name in PAPER}
    return Explanation(run.system, item, _ranks(folded, answers, item), values)


def _ranks(gold: Gold, answers: Sequence[str], item: Item) -> list[Rank]:
    """Return at least ten ranks; a repeated answer has none of its own, since repetition earns nothing."""
    spelt: dict[str, str] = {}
    for answer in answers:
        spelt.setdefault(key(answer), answer)
    keys = list(spelt)
    ranks = []
    for n in range(1, max(OOT, len(keys)) + 1):
        answer = keys[n - 1] if n <= len(keys) else ""
        weight = gold.credit([answer]) if answer else 0
        note = _note(answer, gold, item) if answer and not weight else ""
        shown = spelt[answer] if answer else None
        ranks.append(Rank(n, shown, weight, gold.credit(keys[:n]), gold.optimum(n), note))
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
