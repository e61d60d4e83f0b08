"""From readers' answers to a challenge set: labels, majorities, discards, and how each reader did.

Three people answer three questions about each pair (Glockner et al. 2018, section 3.2). A pair that any of them calls
wrong or ungrammatical is discarded, and so is one without a majority.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from touchstone.core.errors import TouchstoneError
from touchstone.core.gold import Gold
from touchstone.core.joining import Ids, align
from touchstone.core.tables import Cell, Column, Table
from touchstone.io.jsonl import Json
from touchstone.tasks.nli.formats.answers import Answer, AnswerSheet
from touchstone.tasks.nli.formats.writing import pair_object
from touchstone.tasks.nli.model import LABELS, Pair, PairSet, majority

READERS = 3
"""How many people must answer about a pair before it is settled (paper, section 3.2)."""

Fate = Literal["kept", "ungrammatical", "tie", "pending"]
FATES: tuple[Fate, ...] = ("kept", "ungrammatical", "tie", "pending")


@dataclass(frozen=True)
class Verified:
    """What became of one pair: *pair* carries the readers' labels and, where it is kept, their majority as gold."""

    pair: Pair
    fate: Fate
    answers: Sequence[Answer]

    @property
    def why(self) -> str:
        """Who said what of a pair that is not kept."""
        if self.fate == "ungrammatical":
            return f"called wrong by {', '.join(one.annotator for one in self.answers if one.ungrammatical)}"
        if self.fate == "tie":
            return f"no majority: {', '.join(f'{one.annotator} {one.label}' for one in self.answers)}"
        return f"{len(self.answers)} of {READERS} answers" if self.fate == "pending" else ""


@dataclass(frozen=True, eq=False)
class Verification:
    """A set of pairs after verification."""

    pairs: PairSet
    verified: Sequence[Verified]
    notes: Sequence[str] = field(default=())

    @property
    def kept(self) -> PairSet:
        """The pairs with a gold label: the challenge set."""
        rows = [row for row, one in enumerate(self.verified) if one.fate == "kept"]
        pairs, lines = [self.verified[row].pair for row in rows], [self.pairs.lines[row] for row in rows]
        return replace(self.pairs, pairs=pairs, lines=lines)

    def discards(self) -> Iterator[dict[str, Json]]:
        """Yield the pairs that were discarded or are pending, as JSON, with who and why."""
        for one in self.verified:
            if one.fate != "kept":
                yield pair_object(one.pair, self.pairs.spelling) | {"discarded": one.fate, "why": one.why}

    def fates_table(self) -> Table:
        """Return how many pairs were kept, discarded or are pending, in each category and in all."""
        categories = list(dict.fromkeys(one.pair.category or "?" for one in self.verified))
        rows: list[list[Cell]] = [
            [name, *_counted([one for one in self.verified if (one.pair.category or "?") == name])]
            for name in categories
            if len(categories) > 1
        ]
        heads = ["pairs", *FATES, *LABELS]
        whole: list[Cell] = ["all", *_counted(self.verified)]
        rules = {len(rows)} if rows else set()
        return Table([Column("category"), *(Column(h, "right") for h in heads)], [*rows, whole], rules=rules)

    def readers_table(self) -> Table:
        """Return, for each reader, how often they agree with the mode of the others and call a pair wrong."""
        heads = ("pairs", "with the others", "of", "share", "called wrong")
        rows: list[list[Cell]] = []
        for name, given in sorted(_by_reader(self.verified).items()):
            held = [answer.label == others for answer, others in given if others is not None]
            wrong = sum(answer.ungrammatical for answer, _ in given)
            share = sum(held) / len(held) if held else None
            rows.append([name, len(given), sum(held), len(held), share, wrong / len(given)])
        note = "with the others: labels equal to the mode of the other readers, where these have one"
        return Table([Column("reader"), *(Column(head, "right") for head in heads)], rows, notes=[note])


def verify(pairs: PairSet, sheet: AnswerSheet) -> Verification:
    """Return what the answers make of the pairs: labels, their majority as gold, discards, ties and pending ones."""
    ids = Ids(sheet.source.name, [answer.pair for answer in sheet.answers], sheet.lines)
    align(pairs.ids, ids, duplicates="first")
    given: dict[str, list[Answer]] = {name: [] for name in pairs.ids}
    for answer in sheet.answers:
        given[answer.pair].append(answer)
    verified = [_verified(pair, given[pair.id]) for pair in pairs.pairs]
    if not any(one.fate == "kept" for one in verified):
        counts = Counter(one.fate for one in verified)
        said = ", ".join(f"{counts[fate]:,} {fate}" for fate in FATES[1:])
        raise TouchstoneError(f"no pair is verified ({said})", file=sheet.source.name)
    changed = sum(bool(old.gold) and old.gold != new.pair.gold for old, new in zip(pairs.pairs, verified, strict=True))
    said = f"pairs whose gold label the answers changed: {changed:,}"
    return Verification(pairs, verified, [f"{pairs.source.stem}: {said}"] if changed else [])


def _verified(pair: Pair, answers: Sequence[Answer]) -> Verified:
    labels = tuple(answer.label for answer in answers)
    gold = majority(labels)
    if any(answer.ungrammatical for answer in answers):
        fate: Fate = "ungrammatical"
    elif len(answers) < READERS:
        fate = "pending"
    else:
        fate = "kept" if gold else "tie"
    return Verified(replace(pair, gold=gold if fate == "kept" else None, annotators=labels), fate, answers)


def _counted(verified: Sequence[Verified]) -> list[Cell]:
    fates, golds = Counter(one.fate for one in verified), Counter(one.pair.gold for one in verified)
    return [len(verified), *(fates[fate] for fate in FATES), *(golds[label] for label in LABELS)]


def _by_reader(verified: Sequence[Verified]) -> dict[str, list[tuple[Answer, str | None]]]:
    """Return the answers of each reader, each with the mode of what the others said of the pair."""
    found: dict[str, list[tuple[Answer, str | None]]] = {}
    for one in verified:
        for answer in one.answers:
            others = Gold(Counter(other.label for other in one.answers if other is not answer))
            found.setdefault(answer.annotator, []).append((answer, others.mode))
    return found
