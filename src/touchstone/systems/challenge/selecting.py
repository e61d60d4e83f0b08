"""Which candidates become the output: caps for premises and word pairs, and a balance of labels and relations.

Each candidate has a rank from a hash of seed, premise and edit. Caps and balance keep the lowest ranks, so that the
choice depends neither on the number of processes nor, much, on the other premises.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.systems.challenge.candidates import Candidate
from touchstone.tasks.nli.labels import LABELS

PER_WORD_PAIR = 100
"""A word pair is at most one in so many pairs of the output; it may always occur once."""
OVER_PREMISE, OVER_WORDS, OVER_BALANCE = "enough pairs of the premise", "enough pairs of the two words", "balance"


@dataclass(frozen=True)
class Balance:
    """How many contradictions there are for how many entailments; no balance where both are 0.

    >>> Balance.parse("2:1"), Balance.parse("none")
    (Balance(contradictions=2, entailments=1), Balance(contradictions=0, entailments=0))
    """

    contradictions: int = 1
    entailments: int = 1

    @classmethod
    def parse(cls, text: str) -> "Balance":
        """Return the balance that a text writes: ``1:1``, or ``none``."""
        if text == "none":
            return cls(0, 0)
        parts = text.split(":")
        if len(parts) != 2 or not all(part.isdecimal() and 0 < int(part) <= 1000 for part in parts):
            hint = "write contradictions:entailments, for example 1:1 or 2:1, or none"
            raise TouchstoneError("no such balance", value=text, code=Code.BAD_VALUE, hint=hint)
        return cls(*map(int, parts))

    def __str__(self) -> str:
        return f"{self.contradictions}:{self.entailments}" if self.contradictions else "none"


@dataclass(frozen=True)
class Selection:
    """The chosen candidates in the order of the output, and why others were left out."""

    chosen: Sequence[Candidate]
    reasons: Counter[str]


@dataclass(frozen=True)
class Selector:
    """Chooses candidates.

    Parameters
    ----------
    seed
        What the ranks depend on.
    per_premise
        Maximum number of pairs that share a premise.
    balance
        The ratio of contradictions to entailments; neutral pairs are as many as entailments at most. A label without
        any candidate is not waited for.
    """

    seed: int = 0
    per_premise: int = 3
    balance: Balance = Balance()

    def select(self, candidates: Sequence[Candidate]) -> Selection:
        """Return the chosen ones; the cap of word pairs follows from the size of the output."""
        ordered = self._ordered(candidates)
        # The cap depends on the size of the output, and the size on the cap: repeat until they agree.
        size = len(ordered)
        while True:
            cap = max(1, size // PER_WORD_PAIR)
            chosen, reasons = self._choose(ordered, cap)
            if len(chosen) == size or max(Counter(candidate.words for candidate in chosen).values(), default=0) <= max(
                1, len(chosen) // PER_WORD_PAIR
            ):
                break
            size = len(chosen)
        order = {candidate.premise: index for index, candidate in enumerate(candidates)}
        chosen.sort(key=lambda pair: (order[pair.premise], pair.replaced.start, pair.replacement.text, pair.hypothesis))
        return Selection(chosen, reasons)

    def rank(self, candidate: Candidate) -> bytes:
        """Return the rank of a candidate: a hash of the seed, the premise and the edit."""
        edit = f"{candidate.replaced.start}\t{candidate.hypothesis}"
        return hashlib.sha256(
            f"{self.seed}\t{candidate.premise.text}\t{edit}".encode("utf-8", "surrogatepass")
        ).digest()

    def _ordered(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Return candidates by rank; the second of a spot in a premise comes after the first of all spots."""
        turns: Counter[tuple[str, int, str]] = Counter()
        ordered: list[tuple[int, bytes, Candidate]] = []
        for rank, candidate in sorted(
            ((self.rank(candidate), candidate) for candidate in candidates), key=lambda pair: pair[0]
        ):
            spot_and_label = candidate.premise.text, candidate.replaced.start, candidate.label
            ordered.append((turns[spot_and_label], rank, candidate))
            turns[spot_and_label] += 1
        return [candidate for _, _, candidate in sorted(ordered, key=lambda entry: entry[:2])]

    def _choose(self, ordered: Sequence[Candidate], cap: int) -> tuple[list[Candidate], Counter[str]]:
        """Return candidates within the caps, always of the label, and then the relation, that lacks most."""
        caps = _Caps(self.per_premise, cap, ordered)
        if not self.balance.contradictions:
            return list(filter(caps.take, ordered)), caps.reasons
        present = {candidate.label for candidate in ordered}
        waiting = {label: _Queues(ordered, label, caps) for label in LABELS if label in present}
        parts = dict.fromkeys(LABELS, self.balance.entailments) | {"contradiction": self.balance.contradictions}
        chosen: list[Candidate] = []
        while waiting:
            label = min(waiting, key=lambda label: waiting[label].taken / parts[label])
            candidate = waiting[label].next()
            if candidate is not None:
                chosen.append(candidate)
            elif label == "neutral":
                del waiting[label]
            else:
                break
        caps.reasons[OVER_BALANCE] += len(ordered) - len(chosen) - caps.reasons.total()
        return chosen, caps.reasons


class _Caps:
    """Counts what was taken of each premise and of each two words; of two labels, one never gets the whole premise."""

    def __init__(self, per_premise: int, per_words: int, candidates: Iterable[Candidate]) -> None:
        self._per_premise, self._per_words = per_premise, per_words
        self._taken: Counter[object] = Counter()
        self.reasons: Counter[str] = Counter()
        labels: dict[str, set[str]] = defaultdict(set)
        for candidate in candidates:
            labels[candidate.premise.text].add(candidate.label)
        self._shared = (
            {premise for premise, premise_labels in labels.items() if len(premise_labels) > 1}
            if per_premise > 1
            else set()
        )

    def take(self, candidate: Candidate) -> bool:
        """Tell whether the caps allow a candidate, and count it."""
        premise, words, label = candidate.premise.text, candidate.words, (candidate.premise.text, candidate.label)
        # Where a premise has candidates of several labels, the last pair of its cap is kept for another label.
        cap_of_label = self._per_premise - (premise in self._shared)
        if self._taken[premise] >= self._per_premise or self._taken[label] >= cap_of_label:
            self.reasons[OVER_PREMISE] += 1
            return False
        if self._taken[words] >= self._per_words:
            self.reasons[OVER_WORDS] += 1
            return False
        self._taken.update((premise, words, label))
        return True


class _Queues:
    """The candidates of one label, in a queue for each relation; *taken* counts those that were chosen."""

    def __init__(self, ordered: Iterable[Candidate], label: str, caps: _Caps) -> None:
        queues: dict[str, list[Candidate]] = defaultdict(list)
        for candidate in ordered:
            if candidate.label == label:
                queues[candidate.relation].append(candidate)
        self._waiting = {relation: filter(caps.take, queue) for relation, queue in sorted(queues.items())}
        self._taken = dict.fromkeys(self._waiting, 0)

    @property
    def taken(self) -> int:
        """How many candidates were chosen."""
        return sum(self._taken.values())

    def next(self) -> Candidate | None:
        """Take the next candidate of the relation from which the fewest were taken; None if no queue has any left."""
        while self._waiting:
            relation = min(self._waiting, key=self._taken.__getitem__)
            candidate = next(self._waiting[relation], None)
            if candidate is not None:
                self._taken[relation] += 1
                return candidate
            del self._waiting[relation]
        return None
