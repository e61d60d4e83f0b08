"""What was changed between a premise and its hypothesis: found once, for baseline, breakdowns, audit and explanations.

Tokens are runs of letters and digits, with an apostrophe part; every other character that is not a blank is a token,
so hyphens split. Lower-cased token lists are aligned by recursive longest matching blocks (Ratcliff and Obershelp);
the first block that differs is the edit.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.tasks.nli.model import GoldSet, Pair, Span

ARTICLES = frozenset(("a", "an", "the"))

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|[^\s]")
_HYPHENED = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\s]")


@dataclass(frozen=True)
class Edit:
    """The tokens ``premise[start:end]`` became ``hypothesis[new_start:new_end]``; either side may be empty.

    *places* counts the blocks in which the sentences differ: a word that changes twice gives 2. Where a word was
    replaced by another the articles in front of both are not part of the edit, and *single* was decided with them.
    """

    premise: Sequence[str]
    hypothesis: Sequence[str]
    start: int
    end: int
    new_start: int
    new_end: int
    places: int
    single: bool

    @cached_property
    def replaced(self) -> tuple[str, ...]:
        """The tokens that went."""
        return tuple(self.premise[self.start : self.end])

    @cached_property
    def replacement(self) -> tuple[str, ...]:
        """The tokens that came."""
        return tuple(self.hypothesis[self.new_start : self.new_end])

    @property
    def words(self) -> tuple[str, str] | None:
        """The two words, where one word was replaced by one; several words have no vector and no frequency."""
        single_words = len(self.replaced) == len(self.replacement) == 1
        return (self.replaced[0], self.replacement[0]) if single_words else None


MOST_TOKENS = 2
"""The most tokens on either side of a single edit."""


def tokens(text: str, *, hyphens: bool = False) -> list[str]:
    """Return the tokens of *text* in lower case; *hyphens* keeps words with hyphens whole.

    >>> tokens("The boy's four-wheeled cart."), tokens("four-wheeled", hyphens=True)
    (['the', "boy's", 'four', '-', 'wheeled', 'cart', '.'], ['four-wheeled'])
    """
    matches = (_HYPHENED if hyphens else _TOKEN).findall(text)
    return [token.lower().replace("’", "'") for token in matches]


def find_edit(pair: Pair, *, hyphens: bool = False) -> Edit | None:
    """Return the edit of a *pair*: where it says so itself, else found by alignment; None if nothing differs.

    A final period that only one of the sentences has is no edit.

    Examples
    --------
    >>> edit = find_edit(Pair("1", "He holds a saxophone", "He holds an electric guitar."))
    >>> edit.replaced, edit.replacement
    (('saxophone',), ('electric', 'guitar'))

    Parameters
    ----------
    pair
        The two sentences.
    hyphens
        Whether words joined by hyphens are split.
    """
    before, after = (tokens(text, hyphens=hyphens) for text in (pair.premise, pair.hypothesis))
    if (before[-1:] == ["."]) != (after[-1:] == ["."]):
        before, after = (side[:-1] if side[-1:] == ["."] else side for side in (before, after))
    blocks = _differing(before, after)
    if pair.replaced or pair.replacement:
        marked = (_marked(pair.premise, pair.replaced, hyphens), _marked(pair.hypothesis, pair.replacement, hyphens))
        return _edit(before, after, (*marked[0], *marked[1]), max(len(pair.replaced), len(pair.replacement)))
    return _edit(before, after, blocks[0], len(blocks)) if blocks else None


def single_edits(pairs: GoldSet) -> GoldSet:
    """Return only the pairs that differ in one place, by at most `MOST_TOKENS` tokens on either side.

    Parameters
    ----------
    pairs
        The pairs to choose from.

    Examples
    --------
    >>> from touchstone import nli
    >>> gold = nli.read_gold([
    ...     {"id": "1", "premise": "A dog runs.", "hypothesis": "An animal runs.", "label": "entailment"},
    ...     {"id": "2", "premise": "A dog runs.", "hypothesis": "A cat runs.", "label": "contradiction"},
    ... ])
    >>> len(nli.single_edits(gold))
    2
    """
    edits = [find_edit(pair) for pair in pairs.pairs]
    rows = [row for row, edit in enumerate(edits) if edit and edit.single]
    if not rows:
        what = "no pair differs in one place by a word or two"
        raise TouchstoneError(what, file=pairs.source.name, code=Code.UNSUPPORTED)
    return replace(pairs, pairs=[pairs.pairs[row] for row in rows], lines=[pairs.lines[row] for row in rows])


def spans(text: str, start: int, end: int) -> Span:
    """Return the span of the tokens *start* to *end* in *text*; an empty span is before token *start*."""
    places = [match.span() for match in _TOKEN.finditer(text)]
    if start == end:
        at = places[start][0] if start < len(places) else len(text)
        return Span("", at, at)
    first, last = places[start][0], places[end - 1][1]
    return Span(text[first:last], first, last)


def _differing(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int, int, int]]:
    # Its heuristic for junk would pass over frequent tokens of sentences with 200 tokens and more.
    opcodes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return [(start, end, new, new_end) for kind, start, end, new, new_end in opcodes if kind != "equal"]


def _edit(before: Sequence[str], after: Sequence[str], block: tuple[int, int, int, int], places: int) -> Edit:
    start, end, new, new_end = block
    single = places == 1 and 0 < end - start <= MOST_TOKENS and 0 < new_end - new <= MOST_TOKENS
    # An article goes with its noun: a dog → an animal replaces dog by animal.
    while end - start > 1 and new_end - new > 1 and before[start] in ARTICLES and after[new] in ARTICLES:
        start, new = start + 1, new + 1
    return Edit(before, after, start, end, new, new_end, places, single)


def _marked(text: str, marks: Sequence[Span], hyphens: bool) -> tuple[int, int]:
    """Return the tokens that the first of *marks* covers; an empty stretch where there is none."""
    if not marks:
        return 0, 0
    places = [match.span() for match in (_HYPHENED if hyphens else _TOKEN).finditer(text)]
    inside = [index for index, (start, end) in enumerate(places) if start < marks[0].end and end > marks[0].start]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)
