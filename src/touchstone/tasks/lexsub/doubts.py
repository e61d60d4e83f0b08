"""What makes gold or a run of substitutes look like a mistake.

Runs may have wrong separators, inflected forms, or answers to other items; tables unused weights, or ranks and scores
upside down.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import lgamma, log
from typing import Any

import numpy as np
from scipy.special import bdtrc

from touchstone.base.notes import warning
from touchstone.base.ragged import Floats
from touchstone.base.spelling import setting
from touchstone.core.doubts import COPIED, EXPLAINED, LEAST, Doubt, doubt_copy, doubt_matches, doubt_order
from touchstone.core.gold import Earned
from touchstone.core.inputs import Inputs
from touchstone.io.cells import parse_number
from touchstone.io.schema import Rows
from touchstone.tasks.lexsub.joining import Joined
from touchstone.tasks.lexsub.model import GoldSet, Run, key
from touchstone.tasks.lexsub.preparing import base_form

SEVERAL = 10
"""Items from which answers that match the gold of others as well as their own are no chance."""

SAMPLE = 2000
"""Answers that are read otherwise: enough to tell why they do not match."""

FEWEST = 5
"""Items from which lists that equal those of the gold are no chance."""

FEWEST_ORDERED = 5
"""Items with several answers from which one order in all of them is no chance."""

Items = Sequence[Sequence[tuple[int, Mapping[str, Any]]]]
"""The rows of each item with their places in the table."""

SEPARATORS = {
    "|": '"|"',
    ",": "commas",
    "/": "slashes",
    "\t": "tabs",
    "\n": "line breaks",
    "+": '"+"',
    ">": '">"',
    "&": '"&"',
    "•": '"•"',
    "·": '"·"',
    "；": "wide semicolons",
    "，": "wide commas",
    "、": '"、"',
    ":": "colons",
    " ": "blanks",
}
"""What people put between answers, with its name; the answers of ELS07 and tables are separated by semicolons."""

UNSPLIT = 0.1
"""The share of answers that must be several answers in one for a doubt."""

WRAPPED = 0.1
"""The share of the answers in the gold that are there only without what stands around them for a doubt;
real runs of SemEval-2007 and Swords have none."""

ITSELF, BY_CHANCE = 0.1, 1e-3
"""The share of items whose gold has the target itself from which it looks like a mistake, and the probability of so
many where it is `LARGEST_OBSERVED_SHARE`."""

LARGEST_OBSERVED_SHARE = 0.014
"""The largest share of such items in SemEval-2007 and Swords."""

NO_ANSWER = {"#n/a", "<na>", "n/a", "nan"}
"""What tools write for an empty cell, and no word. "none" and "null" are words: see `AMBIGUOUS`."""

AMBIGUOUS = {"na", "none", "null", "-", "?"}
"""What also stands for an empty cell where items of several targets have it."""

LONG, EDITED = 3, 0.5
"""Human answers from which a system hardly gives all of them and no other, and the share of items on which it does from
which a run looks like an edited gold."""

ROTATIONS = 10
"""Golds of other items that answers are compared with, to tell how many they match by chance."""

ALPHABETICAL = 1e-3
"""The probability of lists in alphabetical order, if it were chance, below which they are not ranked."""

_BESIDE = re.compile(r"^[\W\dĠ▁]+|(?<=\w)[#.@][A-Za-z]{1,4}(?:[#.@]?\d+)?$|[\W\d]+$")
"""What stands around a word: quotes, numbers, scores; a part of speech after a dot, as in happy.a."""


def doubts(inputs: Inputs[GoldSet, Run], joined: Sequence[tuple[Run, Joined]]) -> list[Doubt]:
    """Return what is unlikely about the gold and about each run."""
    return [*_about_gold(inputs.gold), *(doubt for run, joined_run in joined for doubt in _doubts(run, joined_run))]


def _about_gold(gold: GoldSet) -> list[Doubt]:
    """Return a doubt where human answers are the target itself, or what tools write for an empty cell."""
    targets = list(map(key, gold.targets))
    itself = sum(bool(target) and target in gold.keys[row] for row, target in enumerate(targets))
    doubts = []
    chance = bdtrc(itself - 1, len(targets), LARGEST_OBSERVED_SHARE) if itself else 1.0
    if itself >= ITSELF * len(targets) and chance < BY_CHANCE:
        what = f"the target itself is a substitute in {itself:,} of {len(targets):,} items"
        doubts.append(Doubt("the gold", what, "the column of substitutes may hold targets", stops=False))
    having: dict[str, set[str]] = {}
    for row, target in enumerate(targets):
        for word in {answer.casefold() for answer in gold.answers[row]} & (NO_ANSWER | AMBIGUOUS):
            having.setdefault(word, set()).add(target)
    odd = sorted(word for word, its_targets in having.items() if word in NO_ANSWER or len(its_targets) >= FEWEST)
    if odd:
        what = f"{' and '.join(map(repr, odd))} is counted as a substitute"
        doubts.append(Doubt("the gold", what, "leave out rows without a substitute", stops=False))
    return doubts


def _doubts(run: Run, joined: Joined) -> list[Doubt]:
    earned = joined.ranked
    n_answers, matched = len(earned.hit.values), int(earned.hit.values.sum())
    readings = Readings(joined)
    counts = readings.counts(n_answers) if matched < LEAST * n_answers else {}
    unlikely = _unsplit(run, joined, readings) or doubt_matches(
        run.name, n_answers, matched, counts, items=int(earned.attempted.sum())
    )
    shifted = unlikely or _shifted(run, earned)
    return shifted or [
        *(_escaped(run, joined) or [*_misread(run, joined), *_wrapped(run, readings)]),
        *_elsewhere(run, joined),
        *_copied(run, joined),
        *_alphabetical(run, joined),
    ]


def _escaped(run: Run, joined: Joined) -> list[Doubt]:
    """Return a doubt where answers have characters that HTML writes as names, such as &eacute;, and no gold has."""
    words = list(dict.fromkeys(word for word in joined.lists.words if html.unescape(word) != word))
    gold = (word for row in joined.rows.tolist() for word in joined.gold.keys[row])
    if len(words) < FEWEST or any(html.unescape(word) != word for word in gold):
        return []
    what = f"{len(words):,} answers have names of HTML, such as {words[0]!r} for {html.unescape(words[0])!r}"
    return [Doubt(run.name, what, "give words alone, in the characters themselves", stops=False)]


def _misread(run: Run, joined: Joined) -> list[Doubt]:
    """Return a doubt where answers are in the gold but for their accents: a file was read or written in another code.

    Answers without letters beyond ASCII on either side are left alone, so English is hardly ever looked at.
    """
    golds = [set(joined.gold.keys[row]) for row in joined.rows.tolist()]
    n_answers = odd = 0
    for row, gold in enumerate(golds):
        answers = {key(answer) for answer in joined.lists[row]}
        n_answers += len(answers)
        spellings = set().union(*(_without_accents(word) for word in gold - answers if not word.isascii()))
        odd += sum(not spellings.isdisjoint(_without_accents(answer)) for answer in answers - gold) if spellings else 0
    if odd < FEWEST or odd < LEAST * n_answers:
        return []
    what = f"{odd:,} of {n_answers:,} answers are in the gold but for their accents"
    return [Doubt(run.name, what, "the file may have been written or read in another encoding", stops=False)]


def _wrapped(run: Run, readings: "Readings") -> list[Doubt]:
    """Return a doubt where a part of the answers is in the gold only without what stands around the word."""
    matched = sum(key(answer) in readings.gold[row] for row, answer in readings.answers)
    changed = [(row, answer, _word(answer)) for row, answer in readings.answers]
    gained = {
        (row, answer): word
        for row, answer, word in changed
        if word != answer and key(answer) not in readings.gold[row] and key(word) in readings.gold[row]
    }
    rows = {row for row, _ in gained}
    if len(rows) < FEWEST or len(gained) < WRAPPED * (matched + len(gained)):
        return []
    (_, answer), word = next(iter(gained.items()))
    what = f"{len(gained):,} of {len(readings.answers):,} answers are in the gold only when read as words alone"
    return [Doubt(run.name, f"{what}, such as {answer!r} as {word!r}", "give words alone", stops=False)]


def _without_accents(word: str) -> set[str]:
    """Return what another encoding leaves of a word: its letters without marks, and those that have none.

    >>> [sorted(_without_accents(word)) for word in ("équal", "ã©qual", "?qual", "мир")]
    [['equal', 'qual'], ['a©qual', 'qual'], ['?qual', 'qual'], ['мир']]
    """
    unmarked = "".join(sign for sign in unicodedata.normalize("NFD", word) if not unicodedata.combining(sign))
    ascii_letters = "".join(re.findall("[a-z]", unicodedata.normalize("NFC", word)))
    return {unmarked, ascii_letters} if 2 * len(ascii_letters) > len(word) else {unmarked}


def _unsplit(run: Run, joined: Joined, readings: "Readings") -> list[Doubt]:
    """Return a doubt where many answers hold a separator, and a part of them is in the gold: several answers in one."""
    suspects = [sign for sign in SEPARATORS if sign != " " and any(sign in word for word in joined.lists.words)]
    if not suspects:
        return []
    for sign in suspects:
        count = sum(readings.matches_split(sign))
        if count and count >= UNSPLIT * len(readings.answers):
            what = f"{count:,} of {len(readings.answers):,} answers are several, with {SEPARATORS[sign]} between them"
            return [Doubt(run.name, what, 'separate answers with ";"')]
    return []


class Readings:
    """The answers of a run, read in other ways; counts are those of a sample, scaled to all answers."""

    def __init__(self, joined: Joined) -> None:
        self.gold = [set(joined.gold.keys[row]) for row in joined.rows.tolist()]
        self.targets = [key(joined.gold.targets[row]) for row in joined.rows.tolist()]
        self.pos = [joined.gold.pos[row] or "" for row in joined.rows.tolist()]
        every = [(row, answer) for row in range(len(joined.lists)) for answer in dict.fromkeys(joined.lists[row])]
        self.answers = every[:: max(1, len(every) // SAMPLE)]

    def counts(self, n_answers: int) -> dict[str, int]:
        """Return how many of the answers would match under each reading, the likeliest first."""
        remedy = f"score with {setting('lemmatize', 'True')}" if any(self.pos) else "give base forms"
        ways: dict[str, Callable[[int, str], Iterable[str]]] = {
            "{count} are without what stands around the word: give words alone": lambda _, answer: [_word(answer)],
            **{
                f'{{count}} are after splitting at {name}: separate answers with ";"': self._splitter(character)
                for character, name in SEPARATORS.items()
            },
            f"{{count}} are as base forms: {remedy}": self._base_forms,
        }
        counts = {name: sum(map(self._matches, self._pairs(way))) for name, way in ways.items()}
        every = set().union(*self.gold)
        repeats = sum(key(answer) == self.targets[row] for row, answer in self.answers)
        counts["{count} repeat the target: give words that could replace it"] = repeats
        elsewhere = sum(key(answer) in every for _, answer in self.answers)
        shuffled = "the ids may belong to other items, or rows may be shuffled"
        counts[f"{{count}} are in the gold of other items: {shuffled}"] = elsewhere
        return {name: round(count * n_answers / max(1, len(self.answers))) for name, count in counts.items()}

    def matches_split(self, sign: str) -> Iterator[bool]:
        """Yield for each answer that holds a separator whether a part of it is in the gold and the whole is not."""
        for row, answer in self.answers:
            words = [key(part) for part in answer.split(sign)]
            if sum(any(map(str.isalpha, word)) for word in words) > 1 and key(answer) not in self.gold[row]:
                yield self._matches((row, words))

    def _base_forms(self, row: int, answer: str) -> list[str]:
        return [base_form(answer, pos) for pos in ([self.pos[row]] if self.pos[row] else "nvar")]

    def _splitter(self, character: str) -> Callable[[int, str], Iterable[str]]:
        return lambda _, answer: answer.split(character) if character in answer else ()

    def _pairs(self, way: Callable[[int, str], Iterable[str]]) -> Iterator[tuple[int, list[str]]]:
        return ((row, [key(_word(reading)) for reading in way(row, answer)]) for row, answer in self.answers)

    def _matches(self, read: tuple[int, list[str]]) -> bool:
        row, words = read
        return any(word in self.gold[row] for word in words)


def _word(answer: str) -> str:
    """Return an answer without what stands around it, and with the characters that HTML writes as names.

    >>> [_word(answer) for answer in ('"smart"', "smart 3", "smart:0.8", "smart.a", "smart#a#1", "caf&eacute;")]
    ['smart', 'smart', 'smart', 'smart', 'smart', 'café']
    """
    before, answer = None, html.unescape(answer)
    while answer != before:
        before, answer = answer, _BESIDE.sub("", answer)
    return answer


def _shifted(run: Run, earned: Earned) -> list[Doubt]:
    """Return a doubt where answers match the gold of the item before or after theirs better than their own."""
    rows = np.arange(len(earned.golds))
    if len(rows) < 2:
        return []

    def credit(moved: int) -> Floats:
        golds = earned.golds.take(np.clip(rows + moved, 0, len(rows) - 1))
        return Earned.by(golds, earned.answers).hits()

    return doubt_order(run.name, credit, item="item", what="answers")


def _elsewhere(run: Run, joined: Joined) -> list[Doubt]:
    """Return a doubt where answers match the gold of their items no more often than that of other items."""
    golds = [set(joined.gold.keys[row]) for row in joined.rows.tolist()]
    answered = [row for row in range(len(golds)) if len(joined.lists[row])]
    rows = answered[:: max(1, 4 * len(answered) // SAMPLE)]
    if len(rows) < SEVERAL:
        return []
    answers = [{key(answer) for answer in joined.lists[row]} for row in rows]
    matches = np.array([len(words & golds[row]) for words, row in zip(answers, rows, strict=True)])
    # Golds far apart, since neighbouring items may share their target.
    step = max(1, len(golds) // (ROTATIONS + 1))
    others = np.array([
        [len(words & golds[(row + turn * step) % len(golds)]) for words, row in zip(answers, rows, strict=True)]
        for turn in range(1, ROTATIONS + 1)
    ])  # fmt: skip
    totals = others.sum(axis=1)
    every = set().union(*golds)
    n_answers, in_any_gold = sum(map(len, answers)), sum(len(words & every) for words in answers)
    if matches.sum() > totals.max() or in_any_gold < EXPLAINED * n_answers or in_any_gold < 2 * matches.sum():
        return []
    what = f"{matches.sum():,} of {n_answers:,} answers are in the gold of their items"
    what += f", and {in_any_gold:,} in that of any item"
    return [Doubt(run.name, what, "the ids may belong to other items, or rows may be shuffled")]


def _alphabetical(run: Run, joined: Joined) -> list[Doubt]:
    """Return a doubt where the lists of answers are in alphabetical order, so they are hardly ranked."""
    lists = [[key(answer) for answer in joined.lists[row]] for row in range(min(len(joined.lists), SAMPLE))]
    several = [words for words in lists if len(set(words)) > 1]
    ordered = sum(words == sorted(words) for words in several)
    distinct = set(map(tuple, several))
    evidence = sum(lgamma(len(words) + 1) for words in distinct)  # n answers have n! orders
    if ordered < COPIED * len(several) or len(distinct) < FEWEST or evidence < -log(ALPHABETICAL):
        return []
    what = f"answers are in alphabetical order in {ordered:,} of {len(several):,} items"
    return [Doubt(run.name, what, "give them in the order of the system, the best first", stops=False)]


def _copied(run: Run, joined: Joined) -> list[Doubt]:
    """Return a doubt where lists are those of the gold, every answer that people gave and no other."""
    earned = joined.ranked
    several = earned.golds.answers.sizes > 1
    same = (earned.hits() == earned.golds.answers.sizes) & (earned.size == earned.golds.answers.sizes)
    answered = int((several & earned.attempted).sum())
    cause = "the run may be a copy of the gold"
    copied = doubt_copy(run.name, int((several & same).sum()), answered, "the gold", cause, fewest=FEWEST)
    long = earned.golds.answers.sizes >= LONG
    items, equal = int((long & earned.attempted).sum()), int((long & same).sum())
    cause = "the run may be an edited copy of the gold"
    of = f"the whole gold of {LONG} answers or more"
    return copied or doubt_copy(run.name, equal, items, of, cause, fewest=FEWEST, share=EDITED)


def unused_weights(rows: Rows, items: Items, substitute: str) -> list[str]:
    """Return what is said about gold without weights: a warning where an unused column looks like them.

    It does where no mention repeats, so that all weights would be 1, and its numbers differ within an item.

    Parameters
    ----------
    rows
        The rows of the table.
    items
        The rows of each item.
    substitute
        The role of the substitutes.
    """
    remark = f"{rows.stem}: no column of weights; each mention of a substitute counts 1"
    several = [item for item in items if len(item) > 1]
    if any(len({str(row[substitute]) for _, row in item}) < len(item) for item in several):
        return [remark]
    for name in rows.further:
        cells = rows.table.columns[name]
        numbers = [[parse_number(cells[row_index]) or 0.0 for row_index, _ in item] for item in several]
        differ = sum(len(set(item)) > 1 for item in numbers)
        if several and all(min(item) > 0 for item in numbers) and 2 * differ > len(several):
            choice = setting("column", f"weight={name}")
            return [warning(f"{remark}, though {name} has numbers: if they are weights, choose them with {choice}")]
    return [remark]


def ranked_weights(stem: str, items: Sequence[Sequence[float]]) -> list[str]:
    """Return a warning where weights are 1, 2, 3 and so on in the rows of each item, as ranks are, or rise in all rows.

    Parameters
    ----------
    stem
        The name of the gold.
    items
        The weights of each item.

    Examples
    --------
    >>> ranked_weights("gold", [[1, 2, 3], [3, 2, 1]] * 5), len(ranked_weights("gold", [[1, 2, 3]] * 5))
    ([], 1)
    """
    every = [weight for weights in items for weight in weights]
    if len(items) >= FEWEST_ORDERED and len(every) > len(items) and all(a < b for a, b in pairwise(every)):
        what = f"{stem}: weights rise from row to row through all {len(every):,} rows, as numbers of rows do"
        return [warning(f"{what}; a weight is the number of people who gave the substitute")]
    several = [weights for weights in items if len(weights) > 2]
    ranked = sum(list(weights) == list(range(1, len(weights) + 1)) for weights in several)
    if len(several) < FEWEST_ORDERED or ranked < 0.9 * len(several):
        return []
    what = f"{stem}: weights are 1, 2, 3 in the order of rows in {ranked:,} of {len(several):,} items"
    return [warning(f"{what}, as ranks are; a weight is the number of people who gave the substitute")]


def order_remarks(stem: str, role: str, items: Items) -> list[str]:
    """Return what is odd about the numbers that order the answers of items, where they have a rank or a score.

    Parameters
    ----------
    stem
        The name of the run.
    role
        ``rank`` or ``score``.
    items
        The rows of each item.

    Examples
    --------
    >>> order_remarks("mine", "score", [[(0, {"score": 0.2}), (1, {"score": 0.7})]] * 5)
    ['warning: mine: answers go by falling score, which reverses the rows of 5 of 5 items: negate costs']
    """
    numbers = [[parse_number(row[role]) or 0.0 for _, row in item] for item in items if len(item) > 1]
    if len(numbers) < FEWEST_ORDERED:
        return []
    if role == "rank":
        least = min(map(min, numbers))
        if least <= 1:
            return []
        what = f"{stem}: the least rank is {least:g}, not 1, and the answer with the least rank comes first"
        return [warning(f"{what}; if the greatest is the best, call the column score")]
    rising = sum(all(before < after for before, after in pairwise(scores)) for scores in numbers)
    reverses = f"{stem}: answers go by falling score, which reverses the rows of {rising:,} of {len(numbers):,} items"
    if rising <= 0.9 * len(numbers):
        return []
    return [warning(f"{reverses}: negate costs") if max(map(max, numbers)) > 0 else reverses]  # below 0: logarithms
