"""An analysed sentence: columns of forms, places, tags, lemmas, heads and relations, one entry for each token."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from touchstone.core.errors import TouchstoneError

ROOT = 0
"""The head of the word that depends on no other; tokens are counted from 1, as in CoNLL-U."""


class Token(NamedTuple):
    """One token; *head* and *relation* are None where the sentence was tagged but not parsed."""

    form: str
    start: int
    end: int
    tag: str
    lemma: str
    head: int | None = None
    relation: str | None = None


@dataclass(frozen=True)
class Sentence:
    """A sentence and what was found in it; ``text[starts[i]:ends[i]]`` is where token i + 1 stands.

    *heads* and *relations* are empty where the sentence was only tagged. A form may differ from the text under
    it: the tokeniser writes double quotes as the Penn Treebank does.

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

    def __len__(self) -> int:
        return len(self.forms)

    @property
    def parsed(self) -> bool:
        """Whether heads and relations are known; an empty sentence has none to know."""
        return len(self.heads) == len(self.forms)

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens, one object each."""
        columns = (self.forms, self.starts, self.ends, self.tags, self.lemmas)
        if self.heads:
            return tuple(map(Token, *columns, self.heads, self.relations))
        return tuple(map(Token, *columns))

    def dependents(self, *relations: str) -> tuple[tuple[int, int], ...]:
        """Return (dependent, head) of every edge with one of the *relations*, or a subtype of it such as nsubj:pass."""
        edges = zip(self.heads, self.relations, strict=True)
        return tuple((n, head) for n, (head, name) in enumerate(edges, 1) if name.partition(":")[0] in relations)


def place_forms(forms: Sequence[str], text: str) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return where *forms* start and end in *text*, one after another, None where one of them is not there.

    >>> place_forms(["did", "n't"], "He didn't")
    ((3, 6), (6, 9))
    """
    starts, place = [], 0
    for form in forms:
        place = text.find(form, place)
        if place < 0:
            return None
        starts.append(place)
        place += len(form)
    return tuple(starts), tuple(start + len(form) for start, form in zip(starts, forms, strict=True))


def joined(forms: Sequence[str]) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """Return given tokens as a text, a blank between two, with their places in it.

    >>> joined(["It", "rains"])
    ('It rains', (0, 3), (2, 8))
    """
    starts, ends, place = [], [], 0
    for form in forms:
        starts.append(place)
        place += len(form)
        ends.append(place)
        place += 1
    return " ".join(forms), tuple(starts), tuple(ends)


def check_token(form: str, row: int) -> str:
    """Return a token that was given, or raise where it is none: empty, or with a blank in it."""
    if not form or form.isspace() or len(form.split()) > 1:
        raise TouchstoneError(
            "a token is empty or holds a blank", line=row, value=form, hint="give tokens without blanks in them"
        )
    return form
