"""The rules of a pyramid, and the check of a save against them.

C1: a unit has at most as many contributors as there are model summaries. C2: at most one from each summary. C3: a
contributor lies in one summary, outside the headers. Every part must be at its offsets. A document that came from a
file may break rules; a save is refused only for violations that were not there before.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from touchstone.annotate.pyramid.document import LARGEST, Document, Entry, Mark
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.io.jsonl import Json
from touchstone.tasks.pyramid.model import Part, Summary

HEADER = "header"
"""What a contributor touches that has characters in no summary."""

CONTRIBUTOR_PER_SUMMARY = "a unit takes one contributor from each summary"
AS_PART = "add the words to the contributor that is there, as a part"
WITHIN_SUMMARY = "a contributor lies in one summary"
NO_HEADER = "mark words of one summary, without the lines of its header"


class RefusalError(TouchstoneError):
    """A step that breaks a rule, so that the document stays as it was.

    Parameters
    ----------
    rule
        The name of the rule, for programs.
    reason
        Why the step is refused, for people.
    hint
        What to do instead.
    more
        Further reasons.
    """

    def __init__(self, rule: str, reason: str, hint: str | None = None, more: Sequence[str] = ()) -> None:
        super().__init__(reason, hint=hint)
        self.rule = rule
        self.faults = tuple(map(Fault, (reason, *more)))


@dataclass(frozen=True)
class Violation:
    """A broken rule: in which unit (*uid*) and contributors (*marks*), and *about* which summaries or span."""

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


def check_save(stored: Document, after: Document, allowed: Sequence[Document] = ()) -> None:
    """Raise `TouchstoneError` if the document *after* may not replace the *stored* one.

    Parameters
    ----------
    stored
        The latest saved document.
    after
        What a browser sent; the rules are checked again here.
    allowed
        Further documents whose violations are tolerated: an imported file, or the state that an undo restores.
    """
    check_size(after, stored.size)
    if after.next_unit < stored.next_unit or after.next_mark < stored.next_mark:
        raise TouchstoneError("the next numbers are lower than those that were saved", hint="numbers are never reused")
    check_step(stored, after, allowed)


def check_size(document: Document, before: int = 0) -> None:
    """Refuse a document that is too large to be compared with others, unless it was as large *before*."""
    if document.size > max(LARGEST, before):
        raise TouchstoneError(
            f"a document has at most {LARGEST:,} units, and contributors with {LARGEST:,} parts in all",
            hint="the largest pyramid of DUC 2006 has a seventh of that",
        )


def check_step(before: Document, after: Document, allowed: Sequence[Document] = ()) -> None:
    """Raise `RefusalError` if *after* has violations that neither *before* nor the *allowed* documents have."""
    new = new_violations(after, [before, *allowed])
    if new:
        raise RefusalError(new[0].rule, new[0].reason, new[0].hint, [violation.reason for violation in new[1:]])


def violations(document: Document) -> list[Violation]:
    """Return every violation in *document*; those of single contributors come first, since they explain the others."""
    owned = [(unit.uid, mark) for unit in document.units for mark in unit.contributors]
    marks: list[tuple[str | None, Mark]] = [*owned, *((None, mark) for mark in document.unassigned)]
    of_marks = [violation for uid, mark in marks for violation in _mark_violations(document, uid, mark)]
    return of_marks + [violation for unit in document.units for violation in _unit_violations(document, unit)]


def new_violations(after: Document, allowed: Iterable[Document]) -> list[Violation]:
    """Return the violations of *after* that none of the *allowed* documents has.

    A group of contributors (C1, C2) is not new if it is part of an earlier group; a contributor over several summaries
    (C3) is not new if it reached over them before; a misplaced span is not new if it was there before. Units that are
    the same objects as in an allowed document are not looked at: their violations are not new.
    """
    allowed = list(allowed)
    same = {id(unit) for document in allowed for unit in document.units}
    current = violations(replace(after, units=tuple(unit for unit in after.units if id(unit) not in same)))
    if not current:
        return []
    earlier: dict[tuple[str, str], list[Violation]] = defaultdict(list)
    for document in allowed:
        for violation in violations(document):
            for key in _keys(violation):
                earlier[key].append(violation)
    return [now for now in current if not any(_covers(was, now) for was in earlier[_keys(now)[0]])]


def touched(parts: Sequence[Part], summaries: Sequence[Summary]) -> tuple[int, ...]:
    """Return the indices of the summaries that contain a character of *parts*, in the order of the text.

    >>> touched([Part("", 2, 7)], [Summary("A", 0, 3), Summary("B", 6, 9), Summary("C", 9, 12)])
    (0, 1)
    """
    return tuple(sorted({index for part in parts for index in _touched(part, summaries)}))


def _touched(part: Part, summaries: Sequence[Summary]) -> Iterator[int]:
    index = bisect_right(summaries, part.start, key=lambda summary: summary.end)
    while index < len(summaries) and summaries[index].start < part.end:
        if summaries[index].start < summaries[index].end and part.start < part.end:
            yield index
        index += 1


def _is_partly_outside(part: Part, summaries: Sequence[Summary]) -> bool:
    inside = (summaries[index] for index in _touched(part, summaries))
    covered = sum(min(part.end, summary.end) - max(part.start, summary.start) for summary in inside)
    return covered < part.end - part.start


def _unit_violations(document: Document, unit: Entry) -> Iterator[Violation]:
    groups: dict[int, list[str]] = defaultdict(list)
    for mark in unit.contributors:
        for summary_index in touched(mark.parts, document.summaries):
            groups[summary_index].append(mark.id)
    for summary_index, ids in sorted(groups.items()):
        if len(ids) > 1:
            reason = (
                f"unit {unit.uid} would have two contributors from the summary {document.summaries[summary_index].id}"
            )
            yield Violation("C2", unit.uid, frozenset(ids), frozenset({str(summary_index)}), reason, AS_PART)
    if document.models is not None and unit.weight > document.models:
        every = frozenset(mark.id for mark in unit.contributors)
        counts = f"{unit.weight} contributors, but there are {document.models} model summaries"
        yield Violation(
            "C1", unit.uid, every, frozenset(), f"unit {unit.uid} would have {counts}", CONTRIBUTOR_PER_SUMMARY
        )


def _mark_violations(document: Document, uid: str | None, mark: Mark) -> Iterator[Violation]:
    ids = frozenset({mark.id})
    if not mark.parts:
        yield Violation("parts", uid, ids, frozenset(), "a contributor needs at least one part")
    for part in mark.parts:
        fault = span_fault(part, document.text)
        if fault:
            yield Violation("span", uid, ids, frozenset({f"{part.start} {part.end} {part.label}"}), fault)
    summary_indices = touched(mark.parts, document.summaries)
    inside = [part for part in mark.parts if 0 <= part.start < part.end <= len(document.text)]
    if document.summaries and any(_is_partly_outside(part, document.summaries) for part in inside):
        about = frozenset({*map(str, summary_indices), HEADER})
        yield Violation("C3", uid, ids, about, "a contributor would reach into the header of a summary", NO_HEADER)
    elif len(summary_indices) > 1:
        names = ", ".join(document.summaries[index].id for index in summary_indices)
        reason = f"a contributor would reach over the summaries {names}"
        yield Violation("C3", uid, ids, frozenset(map(str, summary_indices)), reason, WITHIN_SUMMARY)


def span_fault(part: Part, text: str) -> str | None:
    """Return why the words of *part* are not at its offsets in *text*, or None; newlines are ignored.

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
    """Return the keys to look up a violation by: its span, or each of its contributors."""
    names = violation.about if violation.rule == "span" else sorted(violation.marks)
    return [(violation.rule, name) for name in names]


def _covers(was: Violation, now: Violation) -> bool:
    if now.rule == "C3":
        return now.about <= was.about
    return now.rule == "span" or (now.about == was.about and now.marks <= was.marks)
