"""An analysed sentence: columns of forms, places, tags, lemmas, heads and relations, one entry for each token."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Ragged, StringLists

ROOT = 0
"""The head of the word that depends on no other; tokens are counted from 1, as in CoNLL-U."""


class Tokens(NamedTuple):
    """The tokens of a text and where each starts and ends in it."""

    text: str
    forms: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]


class Token(NamedTuple):
    """One token; *upos* is its universal part of speech; *head* and *relation* are None if nothing was parsed."""

    form: str
    start: int
    end: int
    tag: str
    lemma: str
    upos: str | None = None
    head: int | None = None
    relation: str | None = None


@dataclass(frozen=True)
class Sentence:
    """A sentence and what was found in it; ``text[starts[i]:ends[i]]`` is where token i + 1 stands.

    *heads* and *relations* are empty where the sentence was only tagged. *segment* is the number, from 0, of the text
    that holds the sentence, and *offset* the place in that text where it starts.

    >>> birds = Sentence("Birds sing", ("Birds", "sing"), (0, 6), (5, 10), ("NNS", "VBP"), ("bird", "sing"),
    ...     (2, 0), ("nsubj", "root"))
    >>> birds.tokens[0].lemma, birds.parsed, birds.dependents("nsubj")
    ('bird', True, ((1, 2),))
    """

    text: str
    forms: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    tags: tuple[str, ...]
    lemmas: tuple[str, ...]
    heads: tuple[int, ...] = ()
    relations: tuple[str, ...] = ()
    upos: tuple[str, ...] = ()
    segment: int = 0
    offset: int = 0

    def __len__(self) -> int:
        return len(self.forms)

    @cached_property
    def lowered(self) -> tuple[str, ...]:
        """The form and the lemma of each token in lower case, one after the other."""
        return tuple(word.lower() for both in zip(self.forms, self.lemmas, strict=True) for word in both)

    @property
    def parsed(self) -> bool:
        """Whether heads and relations are known; an empty sentence has none to know."""
        return len(self.heads) == len(self.forms)

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens, one object each."""
        unknown = (None,) * len(self)
        parsed = (self.heads, self.relations) if self.heads else (unknown, unknown)
        columns = (self.forms, self.starts, self.ends, self.tags, self.lemmas, self.upos or unknown, *parsed)
        return tuple(map(Token, *columns))

    def dependents(self, *relations: str) -> tuple[tuple[int, int], ...]:
        """Return (dependent, head) of every edge with one of the *relations*, or a subtype of it such as nsubj:pass."""
        edges = zip(self.heads, self.relations, strict=True)
        return tuple((n, head) for n, (head, name) in enumerate(edges, 1) if name.partition(":")[0] in relations)


@dataclass(frozen=True)
class Columns:
    """Many sentences as columns, without an object for each: forms and tags, and heads and relations where parsed."""

    forms: StringLists
    tags: StringLists
    heads: Ragged[np.int64] | None = None
    relations: StringLists | None = None

    def __len__(self) -> int:
        return len(self.forms)


def placed(forms: Sequence[str], text: str | None) -> Tokens:
    """Return *forms* with their places in *text*, one after another; joined by blanks where one is not there.

    >>> placed(["did", "n't"], "He didn't").starts, placed(["It", "rains"], None)
    ((3, 6), Tokens(text='It rains', forms=('It', 'rains'), starts=(0, 3), ends=(2, 8)))
    """
    starts = None if text is None else _find_all(forms, text)
    if text is None or starts is None:
        text, starts = " ".join(forms), list(accumulate((len(form) + 1 for form in forms), initial=0))[:-1]
    ends = tuple(start + len(form) for start, form in zip(starts, forms, strict=True))
    return Tokens(text, tuple(forms), tuple(starts), ends)


def _find_all(forms: Sequence[str], text: str) -> list[int] | None:
    starts, position = [], 0
    for form in forms:
        position = text.find(form, position)
        if position < 0:
            return None
        starts.append(position)
        position += len(form)
    return starts


def check_token(form: str, row: int) -> str:
    """Return a token that was given, or raise where it is none: empty, or with a blank in it."""
    if not form or form.isspace() or len(form.split()) > 1:
        what = "a token is empty or holds a blank"
        raise TouchstoneError(what, line=row, value=form, code=Code.BAD_CELL, hint="give tokens without blanks in them")
    return form
