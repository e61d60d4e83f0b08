"""A WordNet as its source tells it, before it becomes arrays: what every reader of a source must deliver."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from unicodedata import normalize

from touchstone.lexicon.relation import Pos, Relation

Key = tuple[Pos, int]
"""Part of speech and number (Princeton's byte offset): what identifies a synset in its source."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """A link to another synset; words count from 1, and 0 on both sides means the synsets as wholes."""

    relation: Relation
    target: Key
    from_word: int = 0
    to_word: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """One synset: its words as spelled, their adjective markers (``p``, ``a``, ``ip`` or empty), its pointers."""

    key: Key
    satellite: bool
    file: int
    words: Sequence[str]
    markers: Sequence[str]
    pointers: Sequence[Pointer]


@dataclass(frozen=True)
class Dictionary:
    """All synsets; the senses of each lemma in order; how often a sense was tagged; irregular forms."""

    name: str
    version: str
    entries: Sequence[Entry]
    senses: Mapping[tuple[str, Pos], Sequence[Key]]
    counts: Mapping[tuple[str, Key], int]
    exceptions: Mapping[Pos, Mapping[str, Sequence[str]]]


def plain(form: str) -> str:
    """Return a form as lemmas are stored: lower case, single blanks between words, composed characters.

    >>> plain(" Hot_Dog ")
    'hot dog'
    """
    text = form if form.isascii() else normalize("NFC", form)
    return " ".join(text.replace("_", " ").split()).lower()
