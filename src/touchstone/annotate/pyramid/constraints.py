"""The rules of a pyramid: C1-C3 on the whole of every span, and spans that are where they say.

C1: a unit has at most as many contributors as there are model summaries. C2: at most one from each summary. C3: a
contributor lies in one summary, outside the headers. What a file breaks is listed and kept; a step is refused only for
what it breaks anew.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from touchstone.annotate.pyramid.document import Document, Entry, Mark
from touchstone.annotate.pyramid.refusals import RefusalError
from touchstone.io.jsonl import Json
from touchstone.tasks.pyramid.model import Part, Summary

HEADER = "header"
"""What a contributor touches that has characters in no summary."""

ONE_EACH = "a unit takes one contributor from each summary"
AS_PART = "add the words to the contributor that is there, as a part"
ONE_SUMMARY = "a contributor lies in one summary"
NO_HEADER = "mark words of one summary, without the lines of its header"


@dataclass(frozen=True)
class Violation:
    """A broken rule: whose it is, and what it is *about* (the summaries touched, or the span), so that two compare."""

    rule: str
    uid: str | None
    marks: frozenset[str]
    about: frozenset[str]
    reason: str
    hint: str | None = None

    def to_json(self) -> dict[str, Json]:
        """Return the violation for a browser."""
        marks: list[Json] = [*sorted(self.marks)]
        return {"rule": self.rule, "uid": self.uid, "contributors": marks, "reason": self.reason, "hint": self.hint}


def violations(document: Document) -> list[Violation]:
    """Return every rule that *document* breaks, those of single contributors first: they explain the others."""
    found = [one for uid, mark in _owned(document) for one in _mark(document, uid, mark)]
    return found + [one for unit in document.units for one in _unit(document, unit)]


def new_violations(after: Document, allowed: Iterable[Document]) -> list[Violation]:
    """Return what *after* breaks that none of the *allowed* documents did.

    A crowd of contributors (C1, C2) is none anew where it is a part of one that was; a contributor over summaries (C3)
    where it reached over these before; a span where the same stood somewhere.
    """
    found = violations(after)
    if not found:
        return []
    before: dict[tuple[str, str], list[Violation]] = defaultdict(list)
    for document in allowed:
        for violation in violations(document):
            for key in _keys(violation):
                before[key].append(violation)
    return [one for one in found if not any(_covers(was, one) for was in before[_keys(one)[0]])]


def guard(before: Document, after: Document) -> None:
    """Refuse a step from *before* to *after* that breaks a rule anew."""
    refuse(new_violations(after, [before]))


def refuse(found: Sequence[Violation]) -> None:
    """Raise a refusal that gives the reasons of all violations *found*, where there are any."""
    if found:
        first, *more = found
        raise RefusalError(first.rule, first.reason, first.hint, more=[one.reason for one in more])


def touched(parts: Sequence[Part], summaries: Sequence[Summary]) -> tuple[int, ...]:
    """Return the places of the summaries that *parts* have a character in, in the order of the text.

    >>> touched([Part("", 2, 7)], [Summary("A", 0, 3), Summary("B", 6, 9), Summary("C", 9, 12)])
    (0, 1)
    """
    return tuple(sorted({place for part in parts for place in _touched(part, summaries)}))


def _touched(part: Part, summaries: Sequence[Summary]) -> Iterator[int]:
    place = bisect_right(summaries, part.start, key=lambda summary: summary.end)
    while place < len(summaries) and summaries[place].start < part.end:
        if summaries[place].start < summaries[place].end and part.start < part.end:
            yield place
        place += 1


def _strays(part: Part, summaries: Sequence[Summary]) -> bool:
    """Return whether some of a part is in no summary."""
    inside = (summaries[place] for place in _touched(part, summaries))
    held = sum(min(part.end, one.end) - max(part.start, one.start) for one in inside)
    return held < part.end - part.start


def _unit(document: Document, unit: Entry) -> Iterator[Violation]:
    crowds: dict[int, list[str]] = defaultdict(list)
    for mark in unit.contributors:
        for place in touched(mark.parts, document.summaries):
            crowds[place].append(mark.id)
    for place, ids in sorted(crowds.items()):
        if len(ids) > 1:
            said = f"unit {unit.uid} would have two contributors from the summary {document.summaries[place].id}"
            yield Violation("C2", unit.uid, frozenset(ids), frozenset({str(place)}), said, AS_PART)
    if document.models is not None and unit.weight > document.models:
        every = frozenset(mark.id for mark in unit.contributors)
        said = f"unit {unit.uid} would have {unit.weight} contributors, but there are {document.models} model summaries"
        yield Violation("C1", unit.uid, every, frozenset(), said, ONE_EACH)


def _owned(document: Document) -> Iterator[tuple[str | None, Mark]]:
    for unit in document.units:
        for mark in unit.contributors:
            yield unit.uid, mark
    for mark in document.unassigned:
        yield None, mark


def _mark(document: Document, uid: str | None, mark: Mark) -> Iterator[Violation]:
    ids = frozenset({mark.id})
    if not mark.parts:
        yield Violation("parts", uid, ids, frozenset(), "a contributor needs at least one part")
    for part in mark.parts:
        said = span_fault(part, document.text)
        if said:
            yield Violation("span", uid, ids, frozenset({f"{part.start} {part.end} {part.label}"}), said)
    places = touched(mark.parts, document.summaries)
    names = [document.summaries[place].id for place in places]
    length = len(document.text)
    inside = [part for part in mark.parts if 0 <= part.start < part.end <= length]
    if document.summaries and any(_strays(part, document.summaries) for part in inside):
        about = frozenset({*map(str, places), HEADER})
        yield Violation("C3", uid, ids, about, "a contributor would reach into the header of a summary", NO_HEADER)
    elif len(places) > 1:
        said = f"a contributor would reach over the summaries {', '.join(names)}"
        yield Violation("C3", uid, ids, frozenset(map(str, places)), said, ONE_SUMMARY)


def span_fault(part: Part, text: str) -> str | None:
    """Return why a part is not where it says; newlines make no difference to its words.

    >>> span_fault(Part("Dogs", 0, 4), "Cats sleep.")
    '[0, 4) holds "Cats", not "Dogs"'
    """
    span = f"[{part.start}, {part.end})"
    if not 0 <= part.start < part.end <= len(text):
        return f"{span} is no span of this text of {len(text):,} characters"
    words = text[part.start : part.end]
    if words.replace("\n", "") == part.label.replace("\n", ""):
        return None
    return f'{span} holds "{_short(words)}", not "{_short(part.label)}"'


def _short(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else f"{text[:limit]}…"


def _keys(violation: Violation) -> list[tuple[str, str]]:
    """Return what a violation is found by: the span, or each contributor in it."""
    if violation.rule == "span":
        return [(violation.rule, next(iter(violation.about)))]
    return [(violation.rule, mark) for mark in sorted(violation.marks)]


def _covers(was: Violation, now: Violation) -> bool:
    if now.rule == "C3":
        return now.about <= was.about
    if now.rule == "span":
        return True
    return now.about == was.about and now.marks <= was.marks
