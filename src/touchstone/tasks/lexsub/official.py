"""The rules of the official scorer of SemEval-2007 task 10, oddities included.

Published figures of that task were printed by its scorer, so a figure that is compared with them must be computed in
the same way. Touchstone itself does not score by these rules. Texts are read as the scorer reads them: split at line
feeds alone, with carriage returns kept. Its rules, by number:

1. gold lines, and which items are kept
2. what a substitute is
3. the mode, and the weight of an item
4. answer lines, and how answers are normalised
5. a line without answers reuses those of the last line evaluated
6. credit
7. mode hits
8. rounding, and what cannot be divided
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Bools, Floats

OUT_OF_TEN = 10
"""How many answers an ``oot`` line may give (McCarthy and Navigli 2007)."""

LONGEST_COUNT = 15
"""Digits of a count: with more, the scorer's own floating-point sums are no longer exact."""

# An item may occur anywhere in a line, after a word character or dot and one blank. The possessive `++` and
# the look-behinds below keep every search linear in the length of the line: a run is entered once, at its start.
_BEST = re.compile(r"(?<=[\w.] )(\S++) :: (.*)", re.ASCII)
_OOT = re.compile(r"(?<=[\w.] )(\S++) ::: (.*)", re.ASCII)
_FIRST_COUNT = re.compile(r"(?<![\w'\s-])[\w'\s-]+ (\d+)", re.ASCII)
_SUBSTITUTE = re.compile(r"(?<![\w'\s-])['\s-]*+(\w[\w'\s-]+) (\d+)", re.ASCII)
_VISIBLE = re.compile(r"\S", re.ASCII)
_NON = re.compile(r"\Anon[\s-]", re.ASCII)


@dataclass(frozen=True)
class OfficialItem:
    """The gold of one item: its substitutes as stored, and its mode, None if it was withdrawn.

    >>> item = read_gold("glow.n 7 :: after-glow 2;shine 1;")["7"]
    >>> item.weights, item.mode, item.total, item.credit(["after glow", "shine", "shine"])
    ({'after-glow': 2, 'shine': 1}, 'after-glow', 3, 1.3333333333333333)
    """

    weights: Mapping[str, int]
    mode: str | None

    @cached_property
    def total(self) -> int:
        """The sum of the stored counts; 0 where no substitute could be read, and such an item is never scored."""
        return sum(self.weights.values())

    def credit(self, answers: Iterable[str]) -> float:
        """Return the sum of count / total over the *answers*, a repeated answer counted again (rule 6).

        One by one and from the left, as the scorer adds: a half in the last printed digit depends on it.
        """
        credit = 0.0
        for answer in answers:
            credit += self._spellings.get(answer, 0) / self.total
        return credit

    @cached_property
    def _spellings(self) -> dict[str, int]:
        """The counts of the substitutes and of their hyphen-free forms.

        Where the gold has both, the scorer takes either, as its hash order falls; here the stored one wins.
        """
        return {word.replace("-", " "): count for word, count in self.weights.items()} | dict(self.weights)


@dataclass(frozen=True)
class OfficialScores:
    """What a file earns item by item, in the order of the gold.

    P = credit / attempted, R = credit / items, mode P = mode_hit / mode_attempted, mode R = mode_hit / has_mode,
    each a quotient of sums. An item that reused answers (rule 5) has credit and is not attempted.

    >>> gold = read_gold("happy.a 1 :: glad 3;merry 2;cheerful 1;jovial 1;")
    >>> scores = score_best(gold, "happy.a 1 :: glad;cheerful")
    >>> percent(scores.credit.sum() / scores.attempted.sum()), scores.mode_hit.tolist()
    ('28.57', [True])
    """

    ids: tuple[str, ...]
    credit: Floats
    attempted: Bools
    has_mode: Bools
    mode_attempted: Bools
    mode_hit: Bools


def read_gold(text: str, *, file: str | None = None) -> dict[str, OfficialItem]:
    r"""Return the items that the official scorer keeps of a gold file, by id, in file order (rules 1 to 3).

    An item is kept if more than one response is left of it, or its first one has a count above 1.

    >>> list(read_gold("warm.a 1 :: mild 2;\nwarm.a 2 :: mild 1;\nwarm.a 3 :: mild 1;kind 1;"))
    ['1', '3']
    """
    items: dict[str, OfficialItem] = {}
    for number, line in enumerate(text.split("\n"), 1):
        match = _BEST.search(line)
        responses = [field for field in _fields(match[2]) if "pn" not in field] if match else []
        if not match or not _two_answered(responses):
            continue
        if match[1] in items:
            what = "the same item twice in the gold"
            raise TouchstoneError(what, file=file, line=number, value=match[1], code=Code.DUPLICATE_ID)
        items[match[1]] = _item(responses, file, number)
    if not items:
        what = "no item that the official scorer keeps"
        raise TouchstoneError(what, file=file, code=Code.EMPTY, hint="give an ELS07 gold file")
    return items


def score_best(gold: Mapping[str, OfficialItem], text: str, *, file: str | None = None) -> OfficialScores:
    """Score a ``::`` file: credit(answers) / number of answers; the first answer may hit the mode.

    >>> gold = read_gold("happy.a 1 :: glad 3;merry 2;cheerful 1;jovial 1;")
    >>> score_best(gold, "happy.a 1 :: glad;cheerful").credit.tolist() == [2 / 7]
    True
    """
    lines = _evaluated(gold, text, _BEST)
    return _scores(gold, lines, [len(line.answers) for line in lines], [line.answers[:1] for line in lines], file)


def score_oot(gold: Mapping[str, OfficialItem], text: str, *, file: str | None = None) -> OfficialScores:
    """Score a ``:::`` file: credit(first ten answers); any of the ten may hit the mode.

    >>> gold = read_gold("happy.a 1 :: glad 3;merry 2;cheerful 1;jovial 1;")
    >>> score_oot(gold, "happy.a 1 ::: glad;cheerful").credit.tolist() == [4 / 7]
    True
    """
    lines = _evaluated(gold, text, _OOT, OUT_OF_TEN)
    return _scores(gold, lines, [1] * len(lines), [line.answers for line in lines], file)


def percent(fraction: float) -> str:
    """Return *fraction* as the official scorer prints it: int(10000 * fraction + 0.5) / 100 (rule 8).

    >>> percent(2 / 7), percent(1.0), percent(0.0049996), percent(0)
    ('28.57', '100.00', '0.50', '0.00')
    """
    # The scorer multiplies by 100 twice; once by 10000 can fall on the other side of a half.
    return f"{int(fraction * 100 * 100 + 0.5) / 100:.2f}"


@dataclass(frozen=True)
class _Line:
    """The answers that an item was scored with, which may be another line's, and whether it was attempted."""

    answers: tuple[str, ...] = ()
    attempted: bool = False


def _fields(answer_text: str) -> list[str]:
    """Return the fields between semicolons; empty ones at the end are dropped, others stay."""
    fields = answer_text.rstrip(";").split(";")
    return fields if fields != [""] else []


def _two_answered(responses: Sequence[str]) -> bool:
    """Whether two people answered, as far as the scorer can tell (rule 1)."""
    if len(responses) > 1:
        return True
    count = _FIRST_COUNT.search(responses[0]) if responses else None
    return count is not None and count[1].lstrip("0") not in ("", "1")


def _item(responses: Iterable[str], file: str | None, line: int) -> OfficialItem:
    """Return the gold of one line (rules 2 and 3): a repeated substitute overwrites, the mode is the first one."""
    matches = filter(None, map(_SUBSTITUTE.search, responses))
    counted = [(match[1].replace("'", "", 1), _count(match[2], file, line)) for match in matches]
    weights = dict(counted)
    if counted and not any(weights.values()):
        hint = "a count says how many people answered"
        raise TouchstoneError("all counts are 0", file=file, line=line, code=Code.BAD_CELL, hint=hint)
    tied = any(count == counted[0][1] for _, count in counted[1:])
    return OfficialItem(weights, counted[0][0] if counted and not tied else None)


def _count(digits: str, file: str | None, line: int) -> int:
    if len(digits) > LONGEST_COUNT:
        hint = f"a count has at most {LONGEST_COUNT} digits"
        what = "a count too long to add up"
        raise TouchstoneError(what, file=file, line=line, value=digits, code=Code.BAD_CELL, hint=hint)
    return int(digits)


def _evaluated(
    gold: Mapping[str, OfficialItem], text: str, pattern: re.Pattern[str], most: int | None = None
) -> list[_Line]:
    """Return what each item is scored with: the first line of its id, cut to *most* answers (rules 4 and 5)."""
    lines: dict[str, _Line] = {}
    answers: tuple[str, ...] = ()
    for match in filter(None, map(pattern.search, text.split("\n"))):
        name, answer_text = match.groups()
        if name in lines or name not in gold or not gold[name].total:
            continue
        answered = _VISIBLE.search(answer_text) is not None
        if answered:
            answers = tuple(_normalised(answer) for answer in _fields(answer_text)[:most])
        lines[name] = _Line(answers, attempted=answered and len(answers) > 0)
    return [lines.get(name, _Line()) for name in gold]


def _normalised(answer: str) -> str:
    """Return an *answer* as it is compared: ``non-`` glued, hyphens blank, the first apostrophe gone (rule 4)."""
    return _NON.sub("non", answer).replace("-", " ").replace("'", "", 1)


def _scores(
    gold: Mapping[str, OfficialItem],
    lines: Sequence[_Line],
    divisors: Sequence[int],
    guesses: Sequence[Sequence[str]],
    file: str | None,
) -> OfficialScores:
    """Return credit over *divisors*, and whether the *guesses* hold the mode, item by item (rules 6 to 8)."""
    items = list(gold.values())
    credit = [item.credit(line.answers) / (by or 1) for item, line, by in zip(items, lines, divisors, strict=True)]
    attempted = np.array([line.attempted for line in lines], np.bool_)
    has_mode = np.array([item.mode is not None for item in items], np.bool_)
    mode_attempted = has_mode & np.array([len(guess) > 0 for guess in guesses], np.bool_)
    mode_hit = np.array([item.mode in guess for item, guess in zip(items, guesses, strict=True)], np.bool_)
    for answered, what in ((attempted, "no item of the gold"), (mode_attempted, "no item with a mode")):
        if not answered.any():
            hint = "the official scorer divides by zero here; check ids and separator (:: for best, ::: for oot)"
            raise TouchstoneError(f"{what} is answered", file=file, code=Code.UNSUPPORTED, hint=hint)
    return OfficialScores(tuple(gold), np.array(credit, np.float64), attempted, has_mode, mode_attempted, mode_hit)
