"""Figures shown during annotation: tiers, text not covered yet, and the current scores of a peer.

The scores are those of `touchstone pyramid score`, by the same functions.
"""

from collections.abc import Iterator, Sequence
from typing import cast

from touchstone.annotate.pyramid.document import PeerDocument, PyramidDocument, to_annotation, to_pyramid
from touchstone.base.errors import TouchstoneError
from touchstone.io.jsonl import Json
from touchstone.tasks.pyramid.explaining import explain_summary
from touchstone.tasks.pyramid.measures import MODIFIED, ORIGINAL
from touchstone.tasks.pyramid.model import Pyramid, Summary

Object = dict[str, Json]
Span = tuple[int, int]


def pyramid_figures(document: PyramidDocument) -> Object:
    """Return the figures of a pyramid under construction.

    *tiers* are by falling weight, *average* is X, *optimum* the most that X units can earn; *reason* says why X is not
    known yet. *uncovered* are the spans of the summaries that no unit covers.
    """
    pyramid = to_pyramid(document)
    average, optimum, reason = None, None, None
    try:
        average = pyramid.average
        optimum = pyramid.gold.optimum(average)
    except TouchstoneError as error:
        reason = error.faults[0].what
    open_spans = list(uncovered(document))
    return {
        "models": document.models,
        "units": len(document.units),
        "total": pyramid.total,
        "unassigned": len(document.unassigned),
        "tiers": [[weight, len(units)] for weight, units in pyramid.tiers.items()],
        "mean_weight": mean_weight(pyramid),
        "average": average,
        "optimum": optimum,
        "reason": reason,
        "uncovered": [[*span] for span in open_spans],
        "covered": _covered_share(document, open_spans),
    }


def mean_weight(pyramid: Pyramid) -> float | None:
    """Return the mean weight of the units, or None if there are none."""
    return pyramid.mean_weight if pyramid.units else None


def peer_figures(document: PeerDocument) -> Object:
    """Return the current scores of a peer under annotation, and how its optimum is derived.

    *optimum* is that of X units, *most* that of all its contributors. *derivation* has a row for each tier: weight,
    units, in the summary, taken for the optimum, earn, so far. Scores are None if the pyramid is too small to score
    against; *reason* then says so.
    """
    annotation = to_annotation(document)
    figures: Object = {
        "count": len(annotation.counts),
        "repeats": annotation.repeats,
        "unmatched": annotation.unmatched,
        "unassigned": len(document.unassigned),
        **dict.fromkeys(("credit", "average", "optimum", "most", "modified", "original")),
    }
    try:
        explained = explain_summary(annotation)
    except TouchstoneError as error:
        return {**figures, "derivation": [], "notes": [], "reason": error.faults[0].what}
    scored, table = explained.counts, explained.optimum_table()
    return {
        **figures,
        "credit": scored.credit,
        "average": scored.average,
        "optimum": scored.gold.optimum(scored.average),
        "most": scored.gold.optimum(scored.size),
        "modified": explained.values[MODIFIED],
        "original": explained.values[ORIGINAL],
        "derivation": [[cell for cell in row if isinstance(cell, int)] for row in table.rows],
        "notes": [*table.notes],
        "reason": None,
    }


def modified_score(document: PeerDocument) -> float | None:
    """Return the modified score of a peer, or None if the pyramid is too small to score against."""
    return cast("float | None", peer_figures(document)["modified"])


def uncovered(document: PyramidDocument) -> Iterator[Span]:
    """Yield the spans of the model summaries that no unit covers, without spaces at their ends.

    Spans without a letter or a digit are left out; unassigned contributors do not cover anything.
    """
    spans = sorted(span for unit in document.units for mark in unit.contributors for span in mark.spans)
    for summary in _summaries(document):
        position = summary.start
        # An empty span closes the summary, so that what follows the last unit is found like the gaps before it.
        for start, end in [*spans, (summary.end, summary.end)]:
            if position < min(start, summary.end):
                last = min(start, summary.end)
                words = document.text[position:last]
                if any(map(str.isalnum, words)):
                    yield position + len(words) - len(words.lstrip()), last - len(words) + len(words.rstrip())
            position = max(position, end)


def _summaries(document: PyramidDocument) -> tuple[Summary, ...]:
    return document.summaries or (Summary("", 0, len(document.text)),)


def _covered_share(document: PyramidDocument, open_spans: Sequence[Span]) -> float:
    """Return the share of the letters and digits of the summaries that units cover."""
    letters = sum(_letters(document.text, summary.start, summary.end) for summary in _summaries(document))
    left = sum(_letters(document.text, *span) for span in open_spans)
    return 1 - left / letters if letters else 1.0


def _letters(text: str, start: int, end: int) -> int:
    return sum(map(str.isalnum, text[start:end]))
