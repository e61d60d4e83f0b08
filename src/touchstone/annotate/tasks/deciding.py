"""Gold from the answers of several people: which answer to an item stands, and why some items have none."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from touchstone.annotate.tasks.base import Answers, FinishedAnswer, OutputFile, Subject, independent
from touchstone.io.jsonl import Json

ADJUDICATED = "adjudicated"
AGREED = "agreed"
MAJORITY = "majority"
SINGLE = "single"

DECIDED = {
    ADJUDICATED: "a person decided after seeing the answers",
    AGREED: "everybody who answered gave the same answer",
    MAJORITY: "more than half gave the same answer",
    SINGLE: "answered by one person",
    "counted": "the answers of all people, with counts",
}
"""How an item of the gold was decided, in words."""

UNANSWERED = "nobody has finished an answer"
UNFINISHED = "some of the people who have it have not finished it: wait, take it back from them, or adjudicate"
DIFFERENT = "the answers differ: adjudicate"


@dataclass(frozen=True)
class Work:
    """An item with its finished answers, and how many people still have an *open* assignment to annotate it."""

    item: Subject
    answers: Answers
    open: int = 0

    @property
    def adjudicated(self) -> FinishedAnswer | None:
        """The adjudicated answer, if there is one."""
        return next((answer for answer in self.answers if answer.kind == "adjudicated"), None)

    @property
    def independent(self) -> list[FinishedAnswer]:
        """The answers that people gave on their own, without an imported one that they began with."""
        answers = independent(self.answers)
        return [answer for answer in answers if not answer.starting] or answers

    @property
    def open_reason(self) -> str | None:
        """Why the people who have the item have not decided it yet; None if they have, or an adjudicator has."""
        if self.adjudicated:
            return None
        return UNFINISHED if self.open else None if self.independent else UNANSWERED


@dataclass
class GoldExport:
    """The files of a gold, how its items were decided, and how many items are not in it, by reason."""

    files: list[OutputFile] = field(default_factory=list)
    decided: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)

    def text(self) -> str:
        """Return the numbers as lines for people."""
        lines = [f"In the gold: {self.decided.total():,}"]
        lines += [f"  {count:,} {how}: {DECIDED[how]}" for how, count in self.decided.items()]
        lines += [f"Not in the gold: {self.left_out.total():,}"]
        lines += [f"  {count:,}: {reason}" for reason, count in self.left_out.items()]
        return "".join(f"{line}\n" for line in lines)


def settle(works: Iterable[Work], same: Callable[[Subject, Json, Json], bool]) -> "Settled":
    """Return the answer that stands for each item: the adjudicated one, the only one, or the one that all gave.

    Parameters
    ----------
    works
        The items with their answers.
    same
        Whether two bodies are the same answer to an item.
    """
    settled = Settled([], Counter())
    for work in works:
        last, answers = work.adjudicated, work.independent
        if work.open_reason:
            settled.left_out[work.open_reason] += 1
        elif last is not None:
            settled.rows.append((last, ADJUDICATED, len(answers)))
        elif all(same(answers[0].item, answers[0].body, other.body) for other in answers[1:]):
            settled.rows.append((answers[0], AGREED if len(answers) > 1 else SINGLE, len(answers)))
        else:
            settled.left_out[DIFFERENT] += 1
    return settled


@dataclass(frozen=True)
class Settled:
    """The answers that stand, each with how it was decided and by how many people; and the items without one."""

    rows: list[tuple[FinishedAnswer, str, int]]
    left_out: Counter[str]

    @property
    def decided(self) -> Counter[str]:
        """How many items were decided in each way."""
        return Counter(how for _, how, _ in self.rows)


def provenance(how: str, people: Sequence[object]) -> dict[str, Json]:
    """Return the fields of a gold record that say how it was decided, and how many people answered."""
    return {"decided": how, "people": len(people)}
