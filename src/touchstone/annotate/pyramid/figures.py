"""Figures shown during annotation: tiers, text not covered yet, and the current scores of a peer.

The scores are those of `touchstone pyramid score`, by the same functions.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from touchstone.annotate.pyramid.document import PeerDocument, PyramidDocument, to_annotation, to_pyramid
from touchstone.core.errors import TouchstoneError
from touchstone.tasks.pyramid.explaining import explain_summary
from touchstone.tasks.pyramid.measures import MODIFIED, ORIGINAL
from touchstone.tasks.pyramid.model import Summary

Span = tuple[int, int]


@dataclass(frozen=True)
class PyramidFigures:
    """Figures of a pyramid: *tiers* by falling weight, *average* is X, *optimum* the most that X units can earn.

    *reason* says why X is not known yet; *uncovered* are the spans of the summaries that no unit covers.
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
    """Current scores of a peer; *optimum* is that of X units, *most* that of all its contributors.

    *derivation* has a row for each tier: weight, units, in the summary, taken for the optimum, earn, so far. Scores are
    None if the pyramid is too small to score against; *reason* then says so.
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
    """Return the current scores of a peer under annotation, and how its optimum is derived."""
    annotation = to_annotation(document)
    counts = (len(annotation.counts), annotation.repeats, annotation.unmatched, len(document.unassigned))
    try:
        explained = explain_summary(annotation)
    except TouchstoneError as error:
        return PeerFigures(*counts, reason=error.faults[0].what)
    scored, table = explained.counts, explained.optimum_table()
    return PeerFigures(
        *counts,
        credit=scored.credit,
        average=scored.average,
        optimum=scored.gold.optimum(scored.average),
        most=scored.gold.optimum(scored.size),
        modified=explained.values[MODIFIED],
        original=explained.values[ORIGINAL],
        derivation=tuple(tuple(cell for cell in row if isinstance(cell, int)) for row in table.rows),
        notes=tuple(table.notes),
    )


def uncovered(document: PyramidDocument) -> Iterator[Span]:
    """Yield the spans of the model summaries that no unit covers, without spaces at their ends.

    Spans without a letter or a digit are left out; unassigned contributors do not cover anything.
    """
    spans = sorted(span for unit in document.units for mark in unit.contributors for span in mark.spans)
    for summary in _summaries(document):
        place = summary.start
        for start, end in [*spans, (summary.end, summary.end)]:
            if place < min(start, summary.end):
                last = min(start, summary.end)
                words = document.text[place:last]
                if any(map(str.isalnum, words)):
                    yield place + len(words) - len(words.lstrip()), last - len(words) + len(words.rstrip())
            place = max(place, end)


def _summaries(document: PyramidDocument) -> tuple[Summary, ...]:
    return document.summaries or (Summary("", 0, len(document.text)),)


def _covered_share(document: PyramidDocument, open_spans: tuple[Span, ...]) -> float:
    """Return the share of the letters and digits of the summaries that units cover."""
    letters = sum(_letters(document.text, summary.start, summary.end) for summary in _summaries(document))
    left = sum(_letters(document.text, *span) for span in open_spans)
    return 1 - left / letters if letters else 1.0


def _letters(text: str, start: int, end: int) -> int:
    return sum(map(str.isalnum, text[start:end]))
