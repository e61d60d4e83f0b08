"""Figures that are shown while people work: tiers, text not covered yet, and what a peer scores so far.

The scores are those of `touchstone pyramid score`, by the same functions.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from touchstone.annotate.pyramid.document import PeerDocument, PyramidDocument, to_annotation, to_pyramid
from touchstone.core.errors import TouchstoneError
from touchstone.tasks.pyramid.explaining import Explanation, explain
from touchstone.tasks.pyramid.measures import MODIFIED, ORIGINAL
from touchstone.tasks.pyramid.model import Summary

Span = tuple[int, int]


@dataclass(frozen=True)
class PyramidFigures:
    """A pyramid at a glance: *tiers* by falling weight, *average* is X, *optimum* the most that X units can earn.

    *reason* says why X is not known yet; *uncovered* are the stretches of the summaries that no unit has.
    """

    models: int | None
    units: int
    total: int
    unassigned: int
    tiers: tuple[tuple[int, int], ...]
    mean_weight: float | None
    average: int | None
    optimum: float | None
    reason: str | None
    uncovered: tuple[Span, ...]
    covered: float


@dataclass(frozen=True)
class PeerFigures:
    """What a peer scores so far; *optimum* is that of X units, *most* that of all its contributors.

    *derivation* has a row for each tier: weight, units, in the summary, taken for the optimum, earn, so far. Scores are
    None, and *reason* says why, where the pyramid is too small to score against.
    """

    count: int
    repeats: int
    unmatched: int
    unassigned: int
    credit: float | None = None
    average: int | None = None
    optimum: float | None = None
    most: float | None = None
    modified: float | None = None
    original: float | None = None
    derivation: tuple[tuple[int, ...], ...] = ()
    notes: tuple[str, ...] = ()
    reason: str | None = None


def pyramid_figures(document: PyramidDocument) -> PyramidFigures:
    """Return the figures of a pyramid under construction."""
    pyramid = to_pyramid(document)
    average, optimum, reason = None, None, None
    try:
        average = pyramid.average
        optimum = pyramid.gold.optimum(average)
    except TouchstoneError as error:
        reason = error.faults[0].what
    open_spans = tuple(uncovered(document))
    return PyramidFigures(
        document.models,
        len(document.units),
        pyramid.total,
        len(document.unassigned),
        tuple((weight, len(units)) for weight, units in pyramid.tiers.items()),
        pyramid.mean_weight if pyramid.units else None,
        average,
        optimum,
        reason,
        open_spans,
        _covered_share(document, open_spans),
    )


def peer_figures(document: PeerDocument) -> PeerFigures:
    """Return what a peer under annotation scores so far, and how its optimum comes about."""
    annotation = to_annotation(document)
    counts = (len(annotation.counts), annotation.repeats, annotation.unmatched, len(document.unassigned))
    try:
        explained = explain(annotation)
    except TouchstoneError as error:
        return PeerFigures(*counts, reason=error.faults[0].what)
    match = explained.match
    return PeerFigures(
        *counts,
        credit=match.credit,
        average=match.average,
        optimum=match.gold.optimum(match.average),
        most=match.gold.optimum(match.size),
        modified=explained.values[MODIFIED],
        original=explained.values[ORIGINAL],
        derivation=tuple(_rows(explained)),
        notes=tuple(explained.optimum_table().notes),
    )


def _rows(explained: Explanation) -> Iterator[tuple[int, ...]]:
    for row in explained.optimum_table().rows:
        yield tuple(cell for cell in row if isinstance(cell, int))


def uncovered(document: PyramidDocument) -> Iterator[Span]:
    """Yield the stretches of the model summaries that no unit has, without the blanks at their ends.

    Stretches without a letter or a digit are left out; unassigned contributors do not cover anything.
    """
    spans = sorted(span for unit in document.units for mark in unit.contributors for span in mark.spans)
    whole = document.summaries or (Summary("", 0, len(document.text)),)
    for summary in whole:
        place = summary.start
        for start, end in [*spans, (summary.end, summary.end)]:
            if place < min(start, summary.end):
                yield from _worded(document.text, place, min(start, summary.end))
            place = max(place, end)


def _worded(text: str, start: int, end: int) -> Iterator[Span]:
    words = text[start:end]
    if any(character.isalnum() for character in words):
        yield start + len(words) - len(words.lstrip()), end - len(words) + len(words.rstrip())


def _covered_share(document: PyramidDocument, open_spans: tuple[Span, ...]) -> float:
    """Return the share of the letters and digits of the summaries that a unit has."""
    whole = document.summaries or (Summary("", 0, len(document.text)),)
    letters = sum(_letters(document.text, one.start, one.end) for one in whole)
    left = sum(_letters(document.text, *span) for span in open_spans)
    return 1 - left / letters if letters else 1.0


def _letters(text: str, start: int, end: int) -> int:
    return sum(character.isalnum() for character in text[start:end])
