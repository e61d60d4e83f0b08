"""Doubts: what makes a run look like a mistake of the user, with the likely cause; a bad system can still be scored.

A run in another notation, of another test set or in another order gives a number that looks like that of a bad system.
A task says how many answers of a run match the gold, and how many would match under other readings; the functions here
decide what is unlikely, in the same way for all tasks. Scores carry a doubt as a warning, ``validate`` as an error.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtrc

from touchstone.base.notes import Note, warning
from touchstone.base.ragged import Floats, Ints
from touchstone.base.spelling import setting

LEAST = 0.02
"""The share of answers in the gold below which a run looks like a mistake. The weakest of the real runs that the tests
score, a baseline of the trial data of SemEval-2007, has .05."""

FEWEST = 3
"""Answered items from which nothing in common with the gold is a doubt."""

EXPLAINED = 0.3
"""The share of answers that must match under another reading for it to be the likely cause, and
`TIMES` as many as match now."""

TIMES = 5

LEVELS = {"order": 0.05, "labels": 0.02}
"""The levels of one-sided sign tests between two readings: five of five shifted items pass, and six of six labels."""

SHIFTED = 1.25
"""How much better answers must match the gold of neighbouring items; neighbours may share a target or a premise."""

STAKES = (0.25, 0.5, 0.75)
"""Shares of a capital that are bet on each next item being shifted. If it is not, the capital exceeds 1 / level with a
probability of at most the level, wherever the count of items ends (Ville's inequality)."""

PERIOD = 13
"""Places up to which the gold of items further away is compared, to tell gold that repeats itself."""

GAIN = 0.2
"""How much higher the accuracy must be with permuted labels."""

AGREED = 0.4
"""The kappa that permuted labels must reach: *moderate* agreement begins there (Landis and Koch 1977)."""

COPIED = 0.9
"""The share of items on which a run must equal something else to look like a copy of it."""


@dataclass(frozen=True)
class Doubt:
    """A sentence on what is unlikely about the run of a *system*, and one on its likely cause and what to do.

    *stops* says whether ``validate`` takes it as an error, because nothing matches; else it is a warning.

    >>> print(Doubt("mine", "none of its 12 answers is in the gold", "it may be a run of another test set"))
    mine: none of its 12 answers is in the gold; it may be a run of another test set
    """

    system: str
    what: str
    cause: str
    stops: bool = True

    def __str__(self) -> str:
        return f"{self.system}: {self.what}; {self.cause}"

    @property
    def note(self) -> Note:
        """The doubt as a warning of scores; those of one cause are alike, whatever was counted."""
        return Note(warning(str(self)), f"{self.system}: {self.cause}")


def doubt_matches(
    system: str,
    answer_count: int,
    matched: int,
    readings: Mapping[str, int],
    *,
    what: str = "answers are in the gold of their items",
    otherwise: str = "they may be in another language or notation, or belong to another test set",
    least: float = LEAST,
    items: int | None = None,
) -> list[Doubt]:
    """Return a doubt where next to none of the answers of a run match the gold.

    Parameters
    ----------
    system
        The name of the system.
    answer_count, matched
        How many answers it gives, and how many of them match.
    readings
        How many would match if they were read otherwise, by a sentence that says how and what to do; the likeliest
        first. "{count}" in it becomes a count such as ``480 of 500``.
    what
        What the answers do that match, after their number.
    otherwise
        The likely cause where no reading explains it.
    least
        The share of matches below which there is a doubt.
    items
        How many items have an answer; as many as answers by default.

    Examples
    --------
    >>> readings = {'{count} are after splitting at "|": separate answers with ";"': 10}
    >>> print(*doubt_matches("mine", 12, 0, readings))
    mine: 0 of 12 answers are in the gold of their items; 10 of 12 are after splitting at "|": separate answers with ";"
    >>> doubt_matches("mine", 12, 1, readings)
    []
    """
    if (answer_count if items is None else items) < FEWEST or matched >= least * answer_count:
        return []
    sentence, most = max(readings.items(), key=lambda reading: reading[1], default=("", 0))
    explained = most >= max(EXPLAINED * answer_count, TIMES * matched, 1)
    cause = sentence.format(count=f"{most:,} of {answer_count:,}") if explained else otherwise
    return [Doubt(system, f"{matched:,} of {answer_count:,} {what}", cause)]


def doubt_order(system: str, match: Callable[[int], Floats], *, item: str, what: str) -> list[Doubt]:
    """Return a doubt where answers match the gold of neighbouring items better than that of their own.

    Parameters
    ----------
    system
        The name of the system.
    match
        How well each item's answers match the gold of the item that stands so many places after it.
    item
        What an item is.
    what
        What matches, such as "answers".

    Examples
    --------
    >>> gold, labels = np.array([0, 1, 0, 1, 1, 0, 1]), np.array([1, 0, 1, 1, 0, 1, 0])
    >>> [doubt] = doubt_order("mine", lambda moved: 1.0 * (np.roll(gold, -moved) == labels), item="pair", what="labels")
    >>> doubt.what
    'its labels match the gold of the next pair better than their own, on 6 of 7 items'
    """
    here, others = match(0), {f"previous {item}": match(-1), f"next {item}": match(1)}
    neighbour, there = max(others.items(), key=lambda other: float(other[1].sum()))
    better, worse = int((there > here).sum()), int((there < here).sum())
    if not _certain(better, worse, "order") or there.sum() < SHIFTED * here.sum():
        return _doubt_order_of_part(system, match, here, others, what)
    statement = (
        f"its {what} match the gold of the {neighbour} better than their own, on {better:,} of {len(here):,} items"
    )
    return [Doubt(system, statement, "its rows may be shifted by one, such as by a header or a lost line")]


def _doubt_order_of_part(
    system: str, match: Callable[[int], Floats], here: Floats, others: Mapping[str, Floats], what: str
) -> list[Doubt]:
    """Return a doubt where the first or the last items match the gold of their neighbours better than their own.

    Gold that repeats itself is no evidence: there the items further away match as well as the neighbours.
    """
    for neighbour, there in others.items():
        for part, step in (("last", -1), ("first", 1)):
            rows = slice(None, None, step)
            length = _shifted_part(np.sign(there - here)[rows], LEVELS["order"])

            def matched(matches: Floats, rows: slice = rows, length: int = length) -> float:
                return float(matches[rows][:length].sum())

            if not length or matched(there) < SHIFTED * matched(here):
                continue
            further = max(matched(match(moved * sign)) for moved in range(2, PERIOD) for sign in (-1, 1))
            if matched(there) >= SHIFTED * further:
                statement = (
                    f"its {what} match the gold of the {neighbour} better than their own, on the {part} {length:,} of"
                )
                cause = "a line may be lost or doubled there, which shifts the rows by one"
                return [Doubt(system, f"{statement} {len(here):,} items", cause, stops=False)]
    return []


def _shifted_part(signs: Floats, level: float) -> int:
    """Return how many of the first items are shifted, where a shift is certain: 1 is for a shift, -1 against it.

    >>> _shifted_part(np.array([1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1]), 0.05)
    11
    """
    capital = sum(np.exp(np.log1p(stake * signs).cumsum()) for stake in STAKES) / len(STAKES)
    return int(np.argmax(signs.cumsum())) + 1 if len(signs) and np.max(capital) > 1 / level else 0


def _certain(better: int, worse: int, level: str) -> bool:
    """Return whether a one-sided sign test tells that one reading is better than another."""
    return better > worse and bool(bdtrc(better - 1, better + worse, 0.5) < LEVELS[level])


def doubt_labels(system: str, gold: Ints, predicted: Ints, labels: Sequence[str], *, flag: str) -> list[Doubt]:
    """Return a doubt where a run uses no label of the gold, or where it is right once its labels are exchanged.

    Parameters
    ----------
    system
        The name of the system.
    gold, predicted
        The position of the label of each item among *labels*, -1 for a prediction that is none of them.
    labels
        The names of the labels.
    flag
        The setting that says what a label means.

    Examples
    --------
    >>> gold = np.array([0, 1, 0, 1, 1, 0])
    >>> print(*doubt_labels("mine", gold, 1 - gold, ["yes", "no"], flag="label"))  # doctest: +ELLIPSIS
    mine: 0 of 6 labels are right, but 6 would be if its yes meant no and its no meant yes; say what each label ...
    """
    used = np.isin(predicted, np.unique(gold))
    unknown = doubt_matches(
        system, len(predicted), int(used.sum()), {}, what="labels are any that the gold uses",
        otherwise="they may have other names, or belong to another test set",
    )  # fmt: skip
    if unknown or not len(predicted):
        return unknown
    right = predicted == gold
    for meaning in _permutations(len(labels)):
        exchanged = np.append(meaning, -1)[predicted] == gold
        better, worse = int((exchanged & ~right).sum()), int((right & ~exchanged).sum())
        gain = exchanged.mean() - right.mean()
        if (
            gain >= GAIN
            and _certain(better, worse, "labels")
            and kappa(np.append(meaning, -1)[predicted], gold) >= AGREED
        ):
            moved = [label for label in range(len(labels)) if meaning[label] != label]
            names = [f"its {labels[label]} meant {labels[meaning[label]]}" for label in moved]
            listed = f"{', '.join(names[:-1])} and {names[-1]}"
            what = f"{right.sum():,} of {len(gold):,} labels are right, but {exchanged.sum():,} would be if {listed}"
            remedy = f"say what each label of the run means with {setting(flag, 'VALUE=LABEL')}"
            return [Doubt(system, what, remedy)]
    return []


def _permutations(n: int) -> Iterable[Ints]:
    """Yield every order of n labels but their own."""
    from itertools import permutations

    return [np.array(order) for order in permutations(range(n)) if order != tuple(range(n))]


def kappa(left: Ints, right: Ints) -> float:
    """Return Cohen's kappa of two columns of labels; 0 where both have one label."""
    codes = np.union1d(left, right)
    expected = sum(float((left == code).mean() * (right == code).mean()) for code in codes)
    return (float((left == right).mean()) - expected) / (1 - expected) if expected < 1 else 0.0


GOLD_NAMES = {"gold", "ref", "reference", "references"}
"""What files of human answers are called."""


def doubt_names(systems: Iterable[str]) -> list[Doubt]:
    """Return a doubt for each system that has the name of a gold: the arguments may be exchanged.

    >>> print(*doubt_names(["mine", "gold"]))
    gold: is scored as a system; give the gold first and the systems after it, or name the system: NAME=FILE
    """
    remedy = "give the gold first and the systems after it, or name the system: NAME=FILE"
    named = [name for name in systems if name.casefold() in GOLD_NAMES]
    return [Doubt(name, "is scored as a system", remedy, stops=False) for name in named]


def doubt_copy(
    system: str, equal: int, items: int, of: str, cause: str, *, fewest: int, share: float = COPIED
) -> list[Doubt]:
    """Return a doubt where a run equals something that no system gives, such as the gold.

    Parameters
    ----------
    system
        The name of the system.
    equal, items
        On how many items it is equal, and how many items it answers.
    of
        What it equals.
    cause
        The likely cause.
    fewest
        Items below which equal answers may be chance, or a perfect system.
    share
        The share of equal items from which there is a doubt.

    Examples
    --------
    >>> print(*doubt_copy("mine", 20, 20, "the gold", "the run may be a copy of it", fewest=20))
    mine: equals the gold on 20 of 20 items; the run may be a copy of it
    """
    if items < fewest or equal < share * items:
        return []
    return [Doubt(system, f"equals {of} on {equal:,} of {items:,} items", cause, stops=False)]
