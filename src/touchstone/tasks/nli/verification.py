"""Turn annotators' answers into a challenge set: labels, majorities, discards, and how each annotator did.

Three people answer three questions about each pair (Glockner et al. 2018, section 3.2). A pair that any of them calls
wrong or ungrammatical is discarded, and so is one without a majority.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from touchstone import __version__
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ids import Ids, Policy, join_ids
from touchstone.base.signature import Signature
from touchstone.base.tables import Cell, Column, Table, counted
from touchstone.core.gold import Gold
from touchstone.io.jsonl import Json
from touchstone.show.finding import Finding, Statement, table_rows
from touchstone.tasks.nli.annotator_agreement import doubts_about_annotators
from touchstone.tasks.nli.formats.answers import Answer, AnswerSheet
from touchstone.tasks.nli.formats.writing import pair_object
from touchstone.tasks.nli.model import DISCARDED, KEPT_OF, LABELS, GoldSet, Pair, majority

ANNOTATORS = 3
"""How many people must answer about a pair before it has an outcome (paper, section 3.2)."""

Outcome = Literal["kept", "ungrammatical", "tie", "pending"]
OUTCOMES: tuple[Outcome, ...] = ("kept", "ungrammatical", "tie", "pending")


@dataclass(frozen=True)
class VerifiedPair:
    """The outcome for one pair: *pair* has the annotators' labels and, where it is kept, their majority as gold."""

    pair: Pair
    outcome: Outcome
    answers: Sequence[Answer]

    @property
    def reason(self) -> str:
        """Who said what of a pair that is not kept."""
        if self.outcome == "ungrammatical":
            return f"called wrong by {', '.join(answer.annotator for answer in self.answers if answer.ungrammatical)}"
        if self.outcome == "tie":
            return f"no majority: {', '.join(f'{answer.annotator} {answer.label}' for answer in self.answers)}"
        return f"{len(self.answers)} of {ANNOTATORS} answers" if self.outcome == "pending" else ""


@dataclass(frozen=True, eq=False, repr=False)
class Verification(Finding):
    """Candidate pairs after verification: an outcome for each."""

    candidates: GoldSet
    verified: Sequence[VerifiedPair]
    signature: Signature
    notes: Sequence[str] = field(default=())

    def statement(self) -> Statement:
        """Return how many pairs have each outcome, and how each annotator did."""
        outcomes, annotators = self.outcomes_table(), self.annotators_table()
        counts = Counter(verified.outcome for verified in self.verified)
        others = ", ".join(f"{counts[name]:,} {name}" for name in OUTCOMES if name != "kept" and counts[name])
        pairs = counted(len(self.verified), "pair")
        return Statement(
            "Verified challenge pairs",
            [outcomes, annotators],
            [*table_rows("outcome", outcomes), *table_rows("annotator", annotators)],
            [f"{counts['kept']:,} of {pairs} are kept{f' ({others})' if others else ''}."],
            self.notes,
            self.signature,
        )

    @property
    def kept(self) -> GoldSet:
        """The pairs with a gold label: the challenge set. If others were discarded, each says of how many."""
        rows = [row for row, verified in enumerate(self.verified) if verified.outcome == "kept"]
        decided = sum(verified.outcome != "pending" for verified in self.verified)
        mark = {KEPT_OF: decided} if len(rows) < decided else {}
        pairs = [replace(pair, rest={**pair.rest, **mark}) for pair in (self.verified[row].pair for row in rows)]
        return replace(self.candidates, pairs=pairs, lines=[self.candidates.lines[row] for row in rows])

    @property
    def answered(self) -> GoldSet:
        """All pairs with their annotators' labels, kept or not: those on which agreement is computed."""
        return replace(self.candidates, pairs=[verified.pair for verified in self.verified])

    def discards(self) -> Iterator[dict[str, Json]]:
        """Yield the pairs that were discarded or are pending, as JSON, with who and why."""
        for verified in self.verified:
            if verified.outcome != "kept":
                yield pair_object(verified.pair, self.candidates.spelling) | {
                    DISCARDED: verified.outcome,
                    "why": verified.reason,
                }

    def outcomes_table(self) -> Table:
        """Return how many pairs were kept, discarded or are pending, in each category and in all."""
        members: dict[str, list[VerifiedPair]] = {}
        for verified in self.verified:
            members.setdefault(verified.pair.category or "?", []).append(verified)
        rows = [_counts(name, pairs) for name, pairs in members.items()] if len(members) > 1 else []
        columns = [Column("category"), *(Column(head, "right") for head in ("pairs", *OUTCOMES, *LABELS))]
        return Table(columns, [*rows, _counts("all", self.verified)], rules={len(rows)} if rows else set())

    def annotators_table(self) -> Table:
        """Return, for each annotator, how often they agree with the mode of the others and call a pair wrong."""
        # Each answer with the mode of the other annotators.
        answers_by_annotator: dict[str, list[tuple[Answer, str | None]]] = {}
        for verified in self.verified:
            for answer in verified.answers:
                others = Gold(Counter(other.label for other in verified.answers if other is not answer))
                answers_by_annotator.setdefault(answer.annotator, []).append((answer, others.mode))
        rows: list[list[Cell]] = []
        for name, answers in sorted(answers_by_annotator.items()):
            equal = [answer.label == mode for answer, mode in answers if mode is not None]
            wrong = sum(answer.ungrammatical for answer, _ in answers)
            share = sum(equal) / len(equal) if equal else None
            rows.append([name, len(answers), sum(equal), len(equal), share, wrong / len(answers)])
        heads = ("pairs", "with the others", "of", "share", "called wrong")
        note = "with the others: labels equal to the mode of the other annotators, where these have one"
        return Table([Column("annotator"), *(Column(head, "right") for head in heads)], rows, notes=[note])


def verify(candidates: GoldSet, sheet: AnswerSheet) -> Verification:
    """Return what annotators' answers make of pairs: labels, their majority as gold, discards, ties and pending ones.

    Parameters
    ----------
    candidates
        The pairs to verify; a gold label that they already have is replaced.
    sheet
        The answers of all annotators; each must be about one of the pairs.

    Examples
    --------
    >>> from touchstone import nli
    >>> pairs = nli.read_gold([{"id": "1", "premise": "A dog runs.", "hypothesis": "An animal runs."}])
    >>> rows = [{"pair": "1", "annotator": name, "q1": "yes", "q2": "no", "q3": "no"} for name in ("a", "b", "c")]
    >>> sheet = nli.read_answers(rows)
    >>> [pair.gold for pair in nli.verify(pairs, sheet).kept.pairs]
    ['entailment']
    """
    ids = Ids(sheet.source.name, [answer.pair for answer in sheet.answers], sheet.lines)
    join_ids(candidates.ids, ids, Policy("skip", duplicates="first")).check()
    answers: dict[str, list[Answer]] = {name: [] for name in candidates.ids}
    for answer in sheet.answers:
        answers[answer.pair].append(answer)
    verified = [_verify_pair(pair, answers[pair.id]) for pair in candidates.pairs]
    if not any(verified_pair.outcome == "kept" for verified_pair in verified):
        outcomes = Counter(verified_pair.outcome for verified_pair in verified)
        counts = ", ".join(f"{outcomes[outcome]:,} {outcome}" for outcome in OUTCOMES[1:])
        hint = f"a pair is verified when {ANNOTATORS} annotators have answered about it, and most give one label"
        raise TouchstoneError(f"no pair is verified ({counts})", file=sheet.source.name, code=Code.TOO_FEW, hint=hint)
    both = zip(candidates.pairs, verified, strict=True)
    changed = sum(bool(pair.gold) and pair.gold != verified_pair.pair.gold for pair, verified_pair in both)
    note = f"{candidates.source.stem}: pairs whose gold label the answers changed: {changed:,}"
    signature = {
        "touchstone": __version__,
        "task": "nli verify",
        "gold": candidates.signature["gold"],
        "answers": str(sheet.source),
    }
    labels = [{answer.annotator: answer.label for answer in answers[name]} for name in candidates.ids]
    notes = [*doubts_about_annotators(candidates.ids, labels), *([note] if changed else [])]
    return Verification(candidates, verified, signature, notes)


def _verify_pair(pair: Pair, answers: Sequence[Answer]) -> VerifiedPair:
    labels = tuple(answer.label for answer in answers)
    gold = majority(labels)
    if any(answer.ungrammatical for answer in answers):
        outcome: Outcome = "ungrammatical"
    elif len(answers) < ANNOTATORS:
        outcome = "pending"
    else:
        outcome = "kept" if gold else "tie"
    return VerifiedPair(replace(pair, gold=gold if outcome == "kept" else None, annotators=labels), outcome, answers)


def _counts(name: str, verified: Sequence[VerifiedPair]) -> list[Cell]:
    outcomes = Counter(verified_pair.outcome for verified_pair in verified)
    golds = Counter(verified_pair.pair.gold for verified_pair in verified)
    counts = [*(outcomes[outcome] for outcome in OUTCOMES), *(golds[label] for label in LABELS)]
    return [name, len(verified), *counts]
