"""Audit a challenge set: one edit in each pair, known words, no sentence that occurs in training."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from touchstone import __version__
from touchstone.base.tables import Cell, Column, Table
from touchstone.show.finding import Finding, Statement, kind_rows
from touchstone.tasks.nli.edits import Edit, find_edit, tokens
from touchstone.tasks.nli.model import LABELS, GoldSet, Pair, most_frequent_label

MOST_WORDS_NAMED = 20
"""Unseen words that a table names; the rest are counted."""


@dataclass(frozen=True)
class Overlap:
    """What a set shares with another file; sentences are the same where their letters and digits are, in lower case."""

    other: GoldSet
    premises: int
    pairs_on_them: int
    other_pairs_on_them: int
    identical: int


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Finding):
    """What was found in a set, and of the set in other files."""

    pairs: GoldSet
    training: Sequence[GoldSet]
    overlaps: Sequence[Overlap]

    @cached_property
    def edits(self) -> list[Edit | None]:
        """The edit of each pair; None if the sentences do not differ."""
        return [find_edit(pair) for pair in self.pairs.pairs]

    @cached_property
    def new_words(self) -> set[str]:
        """The distinct tokens of all replacements."""
        return {token for edit in self.edits if edit for token in edit.replacement if token[0].isalnum()}

    @cached_property
    def unseen(self) -> set[str]:
        """The new words that no training sentence has."""
        return self.new_words - _vocabulary(self.training) if self.training else set()

    @property
    def unseen_pairs(self) -> list[Pair]:
        """The pairs whose replacement has an unseen word."""
        both = zip(self.pairs.pairs, self.edits, strict=True)
        return [pair for pair, edit in both if edit and not self.unseen.isdisjoint(edit.replacement)]

    @cached_property
    def edit_counts(self) -> dict[str, int]:
        """In how many places the sentences of pairs differ, and the kinds of edits, each with the number of pairs."""
        edits = [edit for edit in self.edits if edit]
        places = Counter(edit.places for edit in edits)
        return {
            "no difference": len(self.edits) - len(edits),
            **{f"differ in {n} place{'s' * (n > 1)}": times for n, times in sorted(places.items())},
            "one word for one word": sum(edit.words is not None for edit in edits),
            "several words on a side": sum(max(len(edit.replaced), len(edit.replacement)) > 1 for edit in edits),
            "words only taken away or added": sum(not (edit.replaced and edit.replacement) for edit in edits),
            "one edit of at most two tokens a side": sum(edit.single for edit in edits),
        }

    def edits_table(self) -> Table:
        """Return in how many places the sentences of a pair differ, and what kind of edit it is."""
        counts = self.edit_counts
        rows: list[list[Cell]] = [[name, count, f"{count / len(self.pairs):.1%}"] for name, count in counts.items()]
        return Table([Column("edits"), Column("pairs", "right"), Column("share", "right")], rows, rules={len(rows) - 4})

    @cached_property
    def pair_counts(self) -> dict[str, int]:
        """The number of pairs of each gold label, of premises, and of pairs that share one."""
        golds = Counter(pair.gold for pair in self.pairs.pairs)
        on_premise = Counter(pair.premise for pair in self.pairs.pairs)
        return {
            **{label: golds[label] for label in LABELS},
            "no gold label": golds[None],
            "premises": len(on_premise),
            "most pairs on one premise": max(on_premise.values()),
        }

    @property
    def majority(self) -> tuple[str, float] | None:
        """The most frequent gold label, and the share of the pairs with gold that it has; None where no pair has."""
        label = most_frequent_label(self.pairs.pairs)
        return (label, self.pair_counts[label] / len(self.pairs.scored)) if label else None

    def labels_table(self) -> Table:
        """Return the gold labels, the score of always giving the most frequent one, and how pairs share premises."""
        rows: list[list[Cell]] = [[name, count] for name, count in self.pair_counts.items()]
        notes = []
        if self.majority is not None:
            label, share = self.majority
            notes = [f"always {label} is right in {share:.2%} of the pairs with gold"]
        return Table([Column("set"), Column("pairs", "right")], rows, rules={len(LABELS) + 1}, notes=notes)

    def overlaps_table(self) -> Table:
        """Return what the set shares with each other file."""
        heads = ("pairs", "shared premises", "our pairs on them", "its pairs on them", "identical pairs")
        rows: list[list[Cell]] = [
            [str(o.other.source), len(o.other), o.premises, o.pairs_on_them, o.other_pairs_on_them, o.identical]
            for o in self.overlaps
        ]
        return Table([Column("file"), *(Column(head, "right") for head in heads)], rows)

    def _word_counts(self) -> dict[str, int]:
        categories = Counter(pair.category or "?" for pair in self.unseen_pairs)
        return {
            "new words": len(self.new_words),
            "of these unseen in training": len(self.unseen),
            "pairs with an unseen word": len(self.unseen_pairs),
            **{f"  {name}": times for name, times in categories.most_common()},
        }

    def words_table(self) -> Table:
        """Return how many of the new words training has seen, and the pairs of each category with one it has not."""
        rows: list[list[Cell]] = [[name, count] for name, count in self._word_counts().items()]
        words = sorted(self.unseen)
        more = f", … and {len(words) - MOST_WORDS_NAMED:,} more" if len(words) > MOST_WORDS_NAMED else ""
        notes = [f"unseen: {', '.join(words[:MOST_WORDS_NAMED])}{more}"] if words else []
        return Table([Column("words"), Column("n", "right")], rows, notes=notes)

    def statement(self) -> Statement:
        """Return labels and edits; unseen words where there is a training set; overlaps where there are other files."""
        edits = (
            {"name": name, "pairs": count, "share": count / len(self.pairs)} for name, count in self.edit_counts.items()
        )
        tables = [self.labels_table(), self.edits_table()]
        rows = [
            *kind_rows("count", ({"name": name, "pairs": count} for name, count in self.pair_counts.items())),
            *kind_rows(
                "majority", [dict(zip(("label", "share"), self.majority, strict=True))] if self.majority else []
            ),
            *kind_rows("edit", edits),
        ]
        if self.training:
            tables.append(self.words_table())
            rows += kind_rows("word_count", ({"name": name.strip(), "n": n} for name, n in self._word_counts().items()))
            rows += kind_rows("unseen_word", ({"word": word} for word in sorted(self.unseen)))
        if self.overlaps:
            tables.append(self.overlaps_table())
            rows += kind_rows(
                "overlap", ({**vars(overlap), "other": str(overlap.other.source)} for overlap in self.overlaps)
            )
        return Statement("Audit of a challenge set", tables, rows, notes=self.pairs.notes, signature=self.signature)

    @property
    def signature(self) -> dict[str, str]:
        """All that the numbers depend on."""
        files = {
            "training": [str(training.source) for training in self.training],
            "compared": [str(overlap.other.source) for overlap in self.overlaps],
        }
        return {
            "touchstone": __version__,
            "task": "nli audit",
            **self.pairs.signature,
            **{name: "; ".join(sources) for name, sources in files.items() if sources},
        }


def audit(pairs: GoldSet, training: Sequence[GoldSet] = (), tests: Sequence[GoldSet] = ()) -> Audit:
    """Audit a challenge set: its edits, its labels, unseen words, and sentences shared with other files.

    Parameters
    ----------
    pairs
        The challenge set.
    training
        Training sets; words that occur in none of them are unseen.
    tests
        Further files whose sentences are compared with those of the set.

    Examples
    --------
    >>> from touchstone import nli
    >>> gold = nli.read_gold([
    ...     {"id": "1", "premise": "A dog runs.", "hypothesis": "An animal runs.", "label": "entailment"},
    ...     {"id": "2", "premise": "A dog runs.", "hypothesis": "A cat runs.", "label": "contradiction"},
    ... ])
    >>> print(nli.audit(gold).edits_table())
    edits                                  pairs   share
    ────────────────────────────────────────────────────
    no difference                              0    0.0%
    differ in 1 place                          2  100.0%
    ────────────────────────────────────────────────────
    one word for one word                      2  100.0%
    several words on a side                    0    0.0%
    words only taken away or added             0    0.0%
    one edit of at most two tokens a side      2  100.0%
    """
    return Audit(pairs, training, [_overlap(pairs, other) for other in (*training, *tests)])


def letters_and_digits(text: str) -> str:
    """Return the letters and digits of *text* in lower case: tokenised and raw text come out the same.

    >>> letters_and_digits("It is n't 5 .") == letters_and_digits("it isn't 5.")
    True
    """
    return "".join(filter(str.isalnum, text.lower()))


def _overlap(pairs: GoldSet, other: GoldSet) -> Overlap:
    ours, theirs = (
        [(letters_and_digits(pair.premise), letters_and_digits(pair.hypothesis)) for pair in gold.pairs]
        for gold in (pairs, other)
    )
    shared = {premise for premise, _ in ours} & {premise for premise, _ in theirs}
    on_ours, on_theirs = (sum(premise in shared for premise, _ in both) for both in (ours, theirs))
    return Overlap(other, len(shared), on_ours, on_theirs, len(set(ours) & set(theirs)))


def _vocabulary(training: Iterable[GoldSet]) -> set[str]:
    sentences = (text for gold in training for pair in gold.pairs for text in (pair.premise, pair.hypothesis))
    return {token for text in sentences for token in tokens(text)}
