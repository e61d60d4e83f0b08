"""Search over the text and the labels of a document: words as they are, or a regular expression with a time limit."""

from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic

import regex

from touchstone.annotate.pyramid.document import Document, PeerDocument
from touchstone.core.errors import TouchstoneError

SECONDS = 1.0
LONGEST = 200
"""What an expression may take and be: it comes from a person, and may run for years."""

MOST = 10_000
"""Hits that are counted one by one."""


@dataclass(frozen=True)
class Hit:
    """A place that was found: in the *text*, or in the *label* or *comment* of a unit or a contributor."""

    where: str
    start: int
    end: int
    uid: str | None = None
    contributor: str | None = None


@dataclass(frozen=True)
class Hits:
    """What a search found, text first; *complete* is False where there are more than are listed."""

    hits: tuple[Hit, ...]
    complete: bool = True


def find_words(document: Document, words: str) -> Hits:
    """Return where *words* stand, whatever their case."""
    return _found(document, regex.escape(_checked(words), special_only=True))


def find_expression(document: Document, expression: str) -> Hits:
    """Return where a regular *expression* matches, whatever the case; one that takes a second is refused."""
    return _found(document, _checked(expression))


def _checked(sought: str) -> str:
    if not sought or len(sought) > LONGEST:
        raise TouchstoneError(f"search for 1 to {LONGEST} characters", value=sought or None)
    return sought


def _found(document: Document, expression: str) -> Hits:
    try:
        compiled = regex.compile(expression, regex.IGNORECASE | regex.MULTILINE)
    except regex.error as error:
        raise TouchstoneError(f"not a regular expression ({error})", value=expression) from None
    deadline, hits = monotonic() + SECONDS, list[Hit]()
    for text, place in _places(document):
        try:
            for match in compiled.finditer(text, timeout=max(deadline - monotonic(), 1e-6)):
                if match.start() == match.end():
                    continue
                if len(hits) == MOST:
                    return Hits(tuple(hits), complete=False)
                hits.append(Hit(place.where, match.start(), match.end(), place.uid, place.contributor))
        except TimeoutError:
            hint = "give words, or an expression with fewer repetitions"
            what = f"the search took longer than {SECONDS:g} s"
            raise TouchstoneError(what, value=expression, hint=hint) from None
    return Hits(tuple(hits))


def _places(document: Document) -> Iterator[tuple[str, Hit]]:
    """Yield every text that is searched, and where it stands; in a peer the labels of its pyramid are searched too."""
    yield document.text, Hit("text", 0, 0)
    for unit in document.units:
        yield unit.label, Hit("label", 0, 0, unit.uid)
        if unit.comment:
            yield unit.comment, Hit("comment", 0, 0, unit.uid)
        for mark in unit.contributors:
            yield mark.label, Hit("label", 0, 0, unit.uid, mark.id)
            if mark.comment:
                yield mark.comment, Hit("comment", 0, 0, unit.uid, mark.id)
    for mark in document.unassigned:
        yield mark.label, Hit("label", 0, 0, None, mark.id)
    if isinstance(document, PeerDocument):
        for one in document.pyramid.units:
            for contributor in one.contributors:
                yield contributor.label, Hit("pyramid", 0, 0, one.uid)
