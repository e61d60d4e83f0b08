"""What a challenge set is made of: its pairs by label, relation and list, its word pairs and its premises."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from touchstone.base.tables import Cell, Column, Table
from touchstone.tasks.nli.edits import find_edit
from touchstone.tasks.nli.labels import LABELS, Label
from touchstone.tasks.nli.model import RELATIONS, GoldSet, Pair

WORD_PAIRS_LISTED = 20
"""Word pairs that a table names, the most frequent first."""
UNKNOWN = "?"


@dataclass(frozen=True, eq=False)
class Composition:
    """The pairs of a set; one without a gold label counts under the label that it was generated for."""

    pairs: Sequence[Pair]

    @property
    def labels(self) -> list[Label]:
        """The labels that occur, in the usual order."""
        present = set(map(label_of, self.pairs))
        return [label for label in LABELS if label in present]

    @property
    def relations(self) -> list[str]:
        """The relations that occur, in the usual order."""
        present = {pair.relation for pair in self.pairs}
        return [relation for relation in RELATIONS if relation in present]

    @cached_property
    def words(self) -> Counter[tuple[str, str]]:
        """The replaced and the new words, each two with the number of their pairs."""
        return Counter(words for pair in self.pairs if (words := words_of(pair)))

    def relations_table(self) -> Table:
        """Return the pairs of each relation: by label, and how many premises and word pairs they have."""
        return self._table("relation", [(r, [p for p in self.pairs if p.relation == r]) for r in self.relations])

    def lists_table(self) -> Table:
        """Return the pairs of each list, or category, the largest first."""
        lists = Counter(pair.category or UNKNOWN for pair in self.pairs)
        parts = [(name, [p for p in self.pairs if (p.category or UNKNOWN) == name]) for name, _ in lists.most_common()]
        return self._table("list", parts)

    def words_table(self) -> Table:
        """Return the most frequent word pairs, with their share of the set."""
        rows: list[list[Cell]] = [
            [old, new, count, f"{count / len(self.pairs):.1%}"]
            for (old, new), count in self.words.most_common(WORD_PAIRS_LISTED)
        ]
        singletons = sum(count == 1 for count in self.words.values())
        note = f"{len(self.words):,} distinct word pairs; {singletons:,} of them occur once"
        columns = [Column("replaced"), Column("by"), Column("pairs", "right"), Column("share", "right")]
        return Table(columns, rows, notes=[note])

    def premises_table(self) -> Table:
        """Return how many premises have one pair, two, and so on."""
        sizes = Counter(Counter(pair.premise for pair in self.pairs).values())
        rows: list[list[Cell]] = [[f"{size:,}", count, size * count] for size, count in sorted(sizes.items())]
        rows.append(["all", sum(sizes.values()), len(self.pairs)])
        columns = [Column("pairs on a premise"), Column("premises", "right"), Column("pairs", "right")]
        return Table(columns, rows, rules={len(rows) - 1})

    def intended_table(self) -> Table:
        """Return how many pairs of each intended label have each gold label."""
        counts = Counter((intended_of(pair), pair.gold) for pair in self.pairs)
        rows: list[list[Cell]] = [
            [label, *(counts[label, gold] for gold in LABELS)]
            for label in LABELS
            if any(counts[label, gold] for gold in LABELS)
        ]
        right = sum(counts[label, label] for label in LABELS)
        total = sum(count for (label, gold), count in counts.items() if label and gold)
        share = f" ({right / total:.1%})" if total else ""
        note = f"the gold label is the intended one in {right:,} of {total:,} pairs{share}"
        return Table([Column("intended"), *(Column(gold, "right") for gold in LABELS)], rows, notes=[note])

    def _table(self, name: str, parts: Iterable[tuple[str, Sequence[Pair]]]) -> Table:
        """Return a row for each part of the set, and one for all."""
        rows: list[list[Cell]] = []
        for part, pairs in (*parts, ("all", self.pairs)):
            labels, composition = Counter(map(label_of, pairs)), Composition(pairs)
            counts = [labels[label] for label in self.labels]
            rows.append([part, len(pairs), *counts, len({pair.premise for pair in pairs}), len(composition.words)])
        heads = ("pairs", *self.labels, "premises", "word pairs")
        return Table([Column(name), *(Column(head, "right") for head in heads)], rows, rules={len(rows) - 1})


def intended_of(pair: Pair) -> Label | None:
    """Return the label that a pair was generated for, None if it was not generated."""
    intended = pair.rest.get("intended")
    return intended if intended in LABELS else None


def label_of(pair: Pair) -> Label | None:
    """Return the gold label of a pair, or the intended one where it has none."""
    return pair.gold or intended_of(pair)


def words_of(pair: Pair) -> tuple[str, str] | None:
    """Return the replaced and the new word: the entries of the lists where the pair names them, else the edit."""
    origin = pair.provenance or {}
    if origin.get("from") and origin.get("to"):
        return str(origin["from"]), str(origin["to"])
    edit = find_edit(pair)
    return (" ".join(edit.replaced), " ".join(edit.replacement)) if edit else None


def labelled(pairs: GoldSet) -> GoldSet:
    """Return the pairs that have a label, each with the intended one as gold where it has no other."""
    rows = [row for row, pair in enumerate(pairs.pairs) if label_of(pair)]
    chosen = [replace(pairs.pairs[row], gold=label_of(pairs.pairs[row])) for row in rows]
    return replace(pairs, pairs=chosen, lines=[pairs.lines[row] for row in rows])
