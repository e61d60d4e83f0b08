"""Which rules of a pyramid a document breaks, and the check of a save against them.

C1: a unit has at most as many contributors as there are model summaries. C2: at most one from each summary. C3: a
contributor lies in one summary, outside the headers. Every part must be at its offsets. A document that came from a
file may break rules; a save is refused only for violations that were not there before. The rules and their sentences
are the table in `rules`; here are the facts that they are about.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf

from touchstone.annotate.pyramid.document import LARGEST, Document, Entry, Mark
from touchstone.annotate.pyramid.rules import Facts, broken_rule
from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.io.jsonl import Json
from touchstone.tasks.pyramid.model import Part, Summary

HEADER = "header"
"""What a contributor touches that has characters in no summary."""


_CODES = {"missing": Code.UNKNOWN_ID, "stale": Code.MISMATCH, "text": Code.MISMATCH}
"""The kinds of faults of the rules that are about what a step refers to."""


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
        code = _CODES.get(rule, Code.UNSUPPORTED)
        self.faults = tuple(Fault(sentence, code=code) for sentence in (reason, *more))


@dataclass(frozen=True)
class Violation:
    """A broken rule: in which unit (*uid*) and contributors (*marks*).

    *claims* are those contributors and the summaries or the span that the rule is about: a later violation that claims
    no more is the same one.
    """

    rule: str
    uid: str | None
    marks: frozenset[str]
    claims: frozenset[str]
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
        what = "the next numbers are lower than those that were saved"
        raise TouchstoneError(what, code=Code.OUT_OF_RANGE, hint="numbers are never reused")
    check_step(stored, after, allowed)


def check_size(document: Document, before: int = 0) -> None:
    """Refuse a document that is too large to be compared with others, unless it was as large *before*."""
    if document.size > max(LARGEST, before):
        raise TouchstoneError(
            f"a document has at most {LARGEST:,} units, and contributors with {LARGEST:,} parts in all",
            code=Code.TOO_LARGE,
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
    for violation in (violation for document in allowed for violation in violations(document)):
        for claim in violation.claims:
            earlier[violation.rule, claim].append(violation)

    def is_new(now: Violation) -> bool:
        # Imports can break a rule thousands of times: compare only with those that share the rarest claim.
        candidates = min((earlier.get((now.rule, claim), []) for claim in now.claims), key=len)
        return not any(now.claims <= was.claims for was in candidates)

    return list(filter(is_new, current))


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
        for index in touched(mark.parts, document.summaries):
            groups[index].append(mark.id)
    for index, ids in sorted(groups.items()):
        facts = {"uid": unit.uid, "contributors": len(ids), "summary": document.summaries[index].id}
        yield from _broken("summary", facts, unit.uid, ids, [str(index), *ids])
    models = inf if document.models is None else document.models
    facts = {"uid": unit.uid, "contributors": unit.weight, "models": models}
    ids = [mark.id for mark in unit.contributors]
    yield from _broken("unit", facts, unit.uid, ids, ids)


def _mark_violations(document: Document, uid: str | None, mark: Mark) -> Iterator[Violation]:
    for part in mark.parts:
        claim = f"{part.start} {part.end} {part.label}"  # without the contributor: a part may move to another one
        yield from _broken("span", span_facts(part, document.text), uid, [mark.id], [claim])
    indices = touched(mark.parts, document.summaries)
    inside = [part for part in mark.parts if _is_span(part, document.text)]
    header = bool(document.summaries) and any(_is_partly_outside(part, document.summaries) for part in inside)
    names = ", ".join(document.summaries[index].id for index in indices)
    facts = {"empty": not mark.parts, "header": header, "summaries": len(indices), "names": names}
    yield from _broken("contributor", facts, uid, [mark.id], [mark.id, *map(str, indices), *[HEADER] * header])


def _broken(kind: str, facts: Facts, uid: str | None, ids: Sequence[str], claims: Sequence[str]) -> Iterator[Violation]:
    rule = broken_rule(kind, facts)
    if rule is not None:
        yield Violation(rule.rule, uid, frozenset(ids), frozenset(claims), rule.reason, rule.hint)


def span_facts(part: Part, text: str) -> Facts:
    """Return whether a part is outside *text* or has different words there, newlines ignored, and what tells it.

    >>> span_facts(Part("Dogs", 0, 4), "Cats sleep.")["different"]
    True
    """
    words = text[part.start : part.end]
    return {
        "start": part.start,
        "end": part.end,
        "length": f"{len(text):,}",
        "words": _short(words),
        "label": _short(part.label),
        "outside": not _is_span(part, text),
        "different": words.replace("\n", "") != part.label.replace("\n", ""),
    }


def _is_span(part: Part, text: str) -> bool:
    return 0 <= part.start < part.end <= len(text)


def _short(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else f"{text[:limit]}…"
