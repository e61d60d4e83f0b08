"""The value of one item under each measure of lexical substitution, as arithmetic with the weights of its answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.core.formulas import MOST_TERMS, Steps, added, quotient, summed, written
from touchstone.core.gold import Earned, Golds
from touchstone.core.measures import Measure, parse_name
from touchstone.tasks.lexsub.joining import Joined
from touchstone.tasks.lexsub.model import OOT


@dataclass(frozen=True)
class Weights:
    """The weights of one item: of the answers of a system in their order, and of the human answers."""

    answers: Sequence[float]
    gold: Sequence[float]

    @classmethod
    def of(cls, earned: Earned) -> "Weights":
        """Return the weights of the only item."""
        return cls(earned.gains.values.tolist(), sorted(earned.golds.weights.values.tolist(), reverse=True))

    def credit(self, n: int | None = None) -> str:
        """Return the credit of the first *n* answers as a sum of the weights of hits."""
        return summed(weight for weight in self.answers[:n] if weight)

    def hits(self, n: int | None = None) -> int:
        """Return how many of the first *n* answers are right."""
        return sum(weight > 0 for weight in self.answers[:n])

    @property
    def total(self) -> str:
        """W, the sum of all human weights."""
        return summed(self.gold)

    @property
    def most(self) -> str:
        """m, the largest human weight."""
        return written(max(self.gold, default=0.0))

    @property
    def wrong(self) -> int:
        """How many answers are not in the gold."""
        return len(self.answers) - self.hits()


def steps(measure: Measure[Joined], joined: Joined, record: Floats, value: float) -> Steps:
    """Return how the value of the only item of a joined run comes about.

    Parameters
    ----------
    measure, joined
        The measure, and the run joined for this item alone.
    record, value
        Its record and its value.
    """
    family, at, given = parse_name(measure.name)
    depth = int(at[0]) if at and at[0].isdigit() else OOT
    official = joined.compat == "els07" or measure.name.endswith("@official")
    if official and family.startswith("els07."):
        return Steps("credit by the rules of the official scorer", written(value))
    if measure.formula:
        return measure.formula(record)
    if family == "gap.nomwe":
        golds, answers = joined.ranked.golds, joined.ranked.answers
        single = golds.keep(~joined.has_blank[golds.answers.values])
        return _gap(Weights.of(Earned.by(single, answers.keep(~joined.has_blank[answers.values]))), depth)
    if family in ("P", "F"):
        return _penalised(Weights.of(joined.set), given.partition("=")[2], both=family == "F")
    if family in OF_VIEW:
        view, make = OF_VIEW[family]
        earned: Earned = getattr(joined, view)
        if family.startswith(("els07.best_mode", "els07.oot_mode")):
            return _mode(earned, 1 if "best" in family else OOT)
        return make(Weights.of(earned), depth)
    return Steps(measure.summary or measure.name, written(value))


def _best(own: Weights, n: int) -> Steps:  # noqa: ARG001 (the form of all)
    below = "0" if not own.answers else f"({own.most} × {len(own.answers)})"
    return Steps("credit / (m × number of answers)", quotient(own.credit(), below))


def _best1(own: Weights, n: int) -> Steps:  # noqa: ARG001
    return Steps("weight of the first answer / m", quotient(own.credit(1), own.most))


def _recall(own: Weights, n: int) -> Steps:  # noqa: ARG001
    return Steps("credit / W", quotient(own.credit(), own.total))


def _penalised(own: Weights, k: str, *, both: bool) -> Steps:
    """Return P, or F of P and R; a wrong answer costs k, or the mean human weight."""
    cost = f"{own.total}/{len(own.gold)}" if k == "mean" else k
    mean = " (k: the mean weight of the human answers)" * (k == "mean")
    credit = own.credit()
    precision = "0" if credit == "0" else f"{credit}/({credit} + {cost} × {own.wrong})"
    if not both:
        return Steps(f"credit / (credit + k × wrong answers){mean}", precision)
    recall = quotient(credit, own.total)
    arithmetic = "0" if credit == "0" else "2 × P × R/(P + R)"
    return Steps(f"2PR / (P + R){mean}", arithmetic, {"P": precision, "R": recall})


def _unweighted_precision(own: Weights, n: int) -> Steps:  # noqa: ARG001
    return Steps("hits / answers", quotient(str(own.hits()), str(len(own.answers))))


def _unweighted_recall(own: Weights, n: int) -> Steps:  # noqa: ARG001
    return Steps("hits / human answers", quotient(str(own.hits()), str(len(own.gold))))


def _reciprocal_rank(own: Weights, n: int) -> Steps:  # noqa: ARG001
    first = next((rank for rank, weight in enumerate(own.answers, 1) if weight), None)
    return Steps("1 / rank of the first hit", f"1/{first}" if first else "0")


def _gap(own: Weights, n: int) -> Steps:  # noqa: ARG001
    sums, ideal = np.cumsum(own.answers).tolist(), np.cumsum(own.gold).tolist()
    earned = [(total, rank) for rank, (total, one) in enumerate(zip(sums, own.answers, strict=True), 1) if one]
    best = [(total, rank) for rank, total in enumerate(ideal, 1)]
    words = "sum of credit so far / rank over the hits, divided by the same sum in ideal order"
    return Steps(words, quotient(_ranked(earned), _ranked(best)))


def _ranked(shares: Sequence[tuple[float, int]]) -> str:
    """Return a sum of credit/rank; of many its value."""
    if len(shares) > MOST_TERMS:
        return written(sum(total / rank for total, rank in shares))
    return added(f"{written(total)}/{rank}" for total, rank in shares)


def _rank(own: Weights, n: int) -> Steps:
    """Return the mean share of n ranks, equal shares at the end together, as the paper writes it."""
    credit, optimum = (_running(weights, n) for weights in (own.answers, own.gold))
    shares = [f"{written(one)}/{written(most)}" for one, most in zip(credit, optimum, strict=True)]
    return Steps("mean of credit / optimum of the first r answers, the column share", f"{added(shares)}/{n}")


def _running(weights: Sequence[float], n: int) -> list[float]:
    padded = [*weights[:n], *[0.0] * (n - len(weights))]
    return [float(total) for total in np.cumsum(padded)]


def _precision_at(own: Weights, n: int) -> Steps:
    return Steps(f"hits among the first {n} / {n}", f"{own.hits(n)}/{n}")


def _recall_at(own: Weights, n: int) -> Steps:
    return Steps(f"hits among the first {n} / human answers", quotient(str(own.hits(n)), str(len(own.gold))))


def _shared_credit(own: Weights, n: int) -> Steps:  # noqa: ARG001
    below = "0" if not own.answers else f"({own.total} × {len(own.answers)})"
    return Steps("credit / (W × number of answers)", quotient(own.credit(), below))


def _out_of_ten(own: Weights, n: int) -> Steps:  # noqa: ARG001
    return Steps("credit of the first ten answers / W", quotient(own.credit(OOT), own.total))


def _mode(earned: Earned, n: int) -> Steps:
    golds: Golds = earned.golds
    hit = bool((earned.answers.values[:n] == golds.mode[0]).any()) and golds.mode[0] >= 0
    where = "the first answer is" if n == 1 else "one of the first ten answers is"
    return Steps(f"{where} the mode (1) or not (0)", str(int(hit)))


OF_VIEW: dict[str, tuple[str, Callable[[Weights, int], Steps]]] = {
    "best": ("best", _best),
    "best1": ("best", _best1),
    "R": ("set", _recall),
    "P.set": ("set", _unweighted_precision),
    "R.set": ("set", _unweighted_recall),
    "mrr": ("ranked", _reciprocal_rank),
    "gap": ("ranked", _gap),
    "rank@": ("ranked", _rank),
    "p@": ("ranked", _precision_at),
    "r@": ("ranked", _recall_at),
    **{f"els07.best.{which}": ("best", _shared_credit) for which in "PR"},
    **{f"els07.oot.{which}": ("ranked", _out_of_ten) for which in "PR"},
    **{f"els07.best_mode.{which}": ("best", _best1) for which in "PR"},
    **{f"els07.oot_mode.{which}": ("ranked", _best1) for which in "PR"},
}
"""The view that a measure looks at, and its formula; modes are answers, which weights do not tell."""
