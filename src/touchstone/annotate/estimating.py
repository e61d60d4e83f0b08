"""Which annotators need another look, and which items people will disagree about: the model of annotators.

See `touchstone.stats.annotators`. Its estimates are shown beside the majority; they never enter the gold.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from touchstone.annotate.tasks.base import Labelled, OutputFile, as_table
from touchstone.io.jsonl import Json
from touchstone.stats.annotators import COMPARABLE, AnnotatorModel, dawid_skene

MOST_ROWS = 50
FEW = COMPARABLE
"""Two people who differ cannot say which of them is right."""


@dataclass(frozen=True)
class Estimate:
    """A label of an item: that of the majority (None for a tie), that of the model, and its probability."""

    item: tuple[str, ...]
    votes: Counter[str]
    label: str
    probability: float

    @property
    def majority(self) -> str | None:
        """The label that most people gave; None if two labels have as many."""
        (first, most), *others = self.votes.most_common(2)
        return None if others and others[0][1] == most else first

    @property
    def disputed(self) -> bool:
        """Whether the model is not sure, or contradicts the majority."""
        return self.label != self.majority or self.probability < 0.9


def estimates(rows: Sequence[Labelled]) -> tuple[AnnotatorModel[str], list[Estimate]]:
    """Return the model of the answers to one question, and its estimate for each item."""
    model = dawid_skene(rows)
    votes: dict[tuple[str, ...], Counter[str]] = {}
    for item, _, label in rows:
        votes.setdefault(item, Counter())[label] += 1
    return model, [Estimate(item, counts, *model.label(item)) for item, counts in votes.items()]


Labels = Mapping[str, Sequence[Labelled]]
"""The answers of people as labels, for each question of a task."""


def report(labels: Labels) -> dict[str, Json]:
    """Return for each question how far the others confirm each annotator, and the disputed items, as JSON."""
    questions: list[Json] = []
    for question, rows in labels.items():
        if not rows:
            continue
        model, items = estimates(rows)
        questions.append(
            {
                "question": question,
                "annotators": _annotators(model),
                "items": [_row(estimate) for estimate in _disputed(items)[:MOST_ROWS]],
                "notes": _notes(model, len(_disputed(items))),
            }
        )
    return {"questions": questions}


def _annotators(model: AnnotatorModel[str]) -> list[Json]:
    return [
        {
            "name": str(name),
            "answers": person.answers,
            "accuracy": person.accuracy,
            "low": _number(person.interval.low),
            "high": _number(person.interval.high),
            "another_look": person.below_others,
        }
        for name, person in sorted(model.reliability.items(), key=lambda row: row[1].accuracy)
    ]


def _number(value: float) -> float | None:
    return value if isfinite(value) else None


def _row(estimate: Estimate) -> dict[str, Json]:
    item, *part = estimate.item
    return {
        "item": item,
        "part": " ".join(part),
        "votes": dict(estimate.votes.most_common()),
        "majority": estimate.majority,
        "estimate": estimate.label,
        "probability": estimate.probability,
    }


def _disputed(items: Sequence[Estimate]) -> list[Estimate]:
    """Return the items whose label is not sure, the least sure first."""
    return sorted((item for item in items if item.disputed), key=lambda item: item.probability)


def _notes(model: AnnotatorModel[str], disputed: int) -> list[Json]:
    notes: list[Json] = []
    incomparable = sum(not person.comparable for person in model.reliability.values())
    if len(model.reliability) < FEW:
        notes.append("fewer than three people share items, so that nobody can say who of them is right")
    elif incomparable:
        notes.append(
            f"{incomparable} people share items with only one other, so that nobody can say who of the two is right"
        )
    if disputed > MOST_ROWS:
        notes.append(f"the {MOST_ROWS} least sure of {disputed:,}; the export has them all")
    return notes


def table(labels: Labels) -> OutputFile:
    """Return the estimates for all items as a table for the export."""
    lines: list[Sequence[Json]] = [("question", "item", "part", "votes", "majority", "estimate", "probability")]
    for question, rows in labels.items():
        for estimate in estimates(rows)[1] if rows else ():
            row = _row(estimate)
            votes = "; ".join(f"{label} {count}" for label, count in estimate.votes.most_common())
            figures = (row["majority"] or "", row["estimate"], round(estimate.probability, 4))
            lines.append((question, row["item"], row["part"], votes, *figures))
    return OutputFile("estimates.csv", as_table(lines))


def most_disputed(labels: Labels, number: int) -> list[str]:
    """Return the keys of the *number* items on which most disagreement is to be expected, the most disputed first.

    The disagreement of an item is the chance that the next two people differ: 1 - Σ q_l², where q_l is the share of
    the votes for l, with the estimate of the model as one more vote. An item that consists of several labels (pairs of
    systems, content units) has the sum over them. Items without any disagreement so far are left out.
    """
    expected: dict[str, float] = {}
    split: set[str] = set()
    for rows in labels.values():
        for estimate in estimates(rows)[1] if rows else ():
            key = estimate.item[0]
            expected[key] = expected.get(key, 0.0) + _disagreement(estimate)
            if len(estimate.votes) > 1:
                split.add(key)
    return sorted(split, key=lambda key: (-expected[key], key))[:number]


def _disagreement(estimate: Estimate) -> float:
    votes = {**estimate.votes, estimate.label: estimate.votes[estimate.label] + estimate.probability}
    total = estimate.votes.total() + estimate.probability
    return 1 - sum((count / total) ** 2 for count in votes.values())
