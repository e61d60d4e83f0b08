"""Metrics of the user's own: a `Matcher` of items, or any function of a translation and its references.

Both are named ``module:object`` wherever a measure is named. The value of a `Matcher` is the mean over segments of
F = m / (alpha r + (1 - alpha) s), with m the weight of the matching of s system items with r reference items; several
references are averaged, as in MAXSIM.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats
from touchstone.base.ranges import SHARE, Range
from touchstone.core.matching import Matcher, Matching, match
from touchstone.stats.records import mean, mean_records, mean_value
from touchstone.tasks.mt.formulas import matcher_steps
from touchstone.tasks.mt.model import MEASURES, TIED_MATCHINGS, Explanation, Joined, Layer, MtMeasure
from touchstone.tasks.mt.texts import Texts

T = TypeVar("T")

ALPHA = "0.9"
"""The weight of recall in F, as in MAXSIM."""


@dataclass(frozen=True)
class Own:
    """A function of a translation and its references as a metric: the value of a system is the mean over segments.

    Parameters
    ----------
    value
        Takes the translation and its references, and returns a number.
    lower_is_better
        Whether a lower value is a better one.
    summary
        What reports say about the metric.
    range
        The least and the greatest number that it can return, such as ``(0, 1)``; others are refused. Unbounded by
        default.
    batch
        In place of *value*: takes a `Batch` of up to 500 translations of a system, with their references and, where
        it is known, the source text, and returns a number for each. For models that are fast on many texts at once.

    Examples
    --------
    >>> length = Own(lambda hypothesis, references: min(1.0, len(hypothesis) / len(references[0])))
    >>> length.value("a cat", ["the cat sat"]).__round__(3)
    0.455
    >>> wordy = Own(batch=lambda batch: [len(text.split()) for text in batch.hypotheses])
    """

    value: Callable[[str, Sequence[str]], float] | None = None
    lower_is_better: bool = False
    summary: str = "a function of the translation and its references; mean over segments"
    batch: "Callable[[Batch], Sequence[float]] | None" = None
    range: tuple[float, float] = Range()

    def __post_init__(self) -> None:
        if (self.value is None) == (self.batch is None):
            what = "a metric of your own has one function"
            raise TouchstoneError(what, code=Code.BAD_VALUE, hint="give value or batch")


@dataclass(frozen=True)
class Batch:
    """Translations of a system, the references of each, and the source of each; None if no source is given."""

    hypotheses: Sequence[str]
    references: Sequence[Sequence[str]]
    sources: Sequence[str] | None = None


def function_measure(name: str, metric: Own, source: str) -> MtMeasure:
    """Return a function as a measure; an empty translation scores 0, or the least value, where more is better.

    Parameters
    ----------
    name
        The path that imports it, ``module:object``.
    metric
        The function.
    source
        The file of its module with a digest, for the signature.
    """
    possible = Range(*metric.range)

    def record(joined: Joined) -> Floats:
        present = joined.hypotheses.present
        scored_rows = [row for row in np.flatnonzero(joined.counted).tolist() if present[row] or metric.lower_is_better]
        references = [[text for texts in joined.references if (text := texts[row]) is not None] for row in scored_rows]
        values = np.full(len(joined), 0.0 if 0 in possible else float(possible.low))
        values[scored_rows] = _function_values(name, metric, joined, scored_rows, references)
        odd = next((row for row in scored_rows if not np.isfinite(values[row])), None)
        if odd is not None:
            segment = joined.hypotheses.first + odd
            what = f"this measure gives no finite number for segment {segment:,}"
            raise TouchstoneError(what, value=name, code=Code.NOT_FINITE)
        outside = next((row for row in scored_rows if values[row] not in possible), None)
        if outside is not None:
            what = f"this measure gives {values[outside]:g} for segment {joined.hypotheses.first + outside:,}"
            raise TouchstoneError(
                f"{what}, which is not in its range of {possible}", value=name, code=Code.OUT_OF_RANGE
            )
        return mean_records(np.where(joined.counted, values, np.nan))

    return MtMeasure(
        name, record, mean, metric.summary, range=possible, lower_is_better=metric.lower_is_better, signature=source
    )


def _function_values(
    name: str, metric: Own, joined: Joined, rows: Sequence[int], references: Sequence[Sequence[str]]
) -> Sequence[float]:
    """Return the values of the translations at some *rows*, one by one or all at once."""
    first, present = joined.hypotheses.first, joined.hypotheses.present
    if metric.batch is None:
        pairs = zip(rows, references, strict=True)
        return [_call(name, first + row, metric.value, present[row], row_references) for row, row_references in pairs]  # type: ignore[arg-type]
    sources = None if joined.source is None else [joined.source.present[row] for row in rows]
    batch = Batch([present[row] for row in rows], references, sources)
    values = list(_call(name, first, metric.batch, batch)) if rows else []
    if len(values) != len(rows):
        what = f"this measure gives {len(values):,} numbers for {len(rows):,} translations"
        hint = "return a number for each translation of the batch"
        raise TouchstoneError(what, value=name, code=Code.MISMATCH, hint=hint)
    return values


def matcher_measure(name: str, matcher: Matcher[str, object], source: str, alpha: str = ALPHA) -> MtMeasure:
    """Return a matcher as a measure: the mean over segments of F.

    Parameters
    ----------
    name, source
        As in `function_measure`.
    matcher
        The items, the stages at which equal ones are linked, and the similarity of the others.
    alpha
        The weight of recall: 1 is recall, 0 is precision.
    """
    weight = _parse_alpha(alpha)
    full_name = name if alpha == ALPHA else f"{name}(alpha={weight:g})"

    def record(joined: Joined) -> Floats:
        records = np.zeros((len(joined), 4))
        for row in np.flatnonzero(joined.counted).tolist():
            matchings = _matchings(name, matcher, joined, row)
            if matchings and joined.hypotheses[row]:
                shares = [(matching.f(weight), matching.precision, matching.recall) for matching in matchings]
                records[row, :3] = np.mean(shares, axis=0)
        records[:, 3] = joined.counted
        return records

    def explain(joined: Joined) -> Explanation:
        (matching,) = _matchings(name, matcher, joined, 0)
        sides = joined.hypotheses, joined.references[0]
        left, right = (tuple(map(str, _items(name, matcher, texts)[0])) for texts in sides)
        value = matching.f(weight) if joined.hypotheses.present[0] else 0.0
        layer = Layer("items", left, right, matching, matching.precision, matching.recall, value)
        return Explanation(left, right, (layer,), value, (TIED_MATCHINGS,))

    summary = f"matching of own items, F with alpha {weight:g}; mean over references and segments"
    return MtMeasure(
        full_name,
        record,
        mean_value,
        summary,
        range=SHARE,
        parts=partial(MtMeasure.columns, names=("P", "R"), first=1),
        signature=source,
        explain=explain,
        formula=partial(matcher_steps, alpha=weight),
        averages_references=True,
    )


def _matchings(name: str, matcher: Matcher[str, object], joined: Joined, row: int) -> list[Matching]:
    """Return the matching of a segment with each reference that it has."""
    left = _items(name, matcher, joined.hypotheses)[row]
    rights = [_items(name, matcher, texts)[row] for texts in joined.references if texts[row] is not None]
    matched = partial(match, stages=matcher.stages, similarity=matcher.similarity)
    return [_call(name, joined.hypotheses.first + row, matched, left, right) for right in rights]


def _items(name: str, matcher: Matcher[str, object], texts: Texts) -> list[Sequence[object]]:
    def make(texts: Texts) -> list[Sequence[object]]:
        return [_call(name, number, matcher.items, text) for number, text in enumerate(texts.present, texts.first)]

    return texts.once(("items", name), make)


def _call(name: str, segment: int, function: Callable[..., T], *arguments: object) -> T:
    """Return what a user's function gives; turn whatever it raises into a sentence."""
    try:
        return function(*arguments)
    except (TouchstoneError, MemoryError):
        raise
    except Exception as error:
        what = f"this measure fails on segment {segment:,} ({type(error).__name__}: {error})"
        raise TouchstoneError(what, value=name, code=Code.FAILED, hint="correct its function") from error


def _parse_alpha(text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = np.nan
    if not 0 <= weight <= 1:
        what = "alpha must be a number from 0 to 1"
        raise TouchstoneError(what, value=text, code=Code.BAD_VALUE, hint="0 is precision, 1 is recall")
    return weight


MEASURES.adapt(Own, function_measure)
MEASURES.adapt(Matcher, matcher_measure)
