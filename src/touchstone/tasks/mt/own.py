"""Metrics of one's own: a `Matcher` of one's own items, or any function of a translation and its references.

Both are named ``module:object``, in every place that takes the name of a measure. A `Matcher` gives the mean over
segments of F = m / (alpha r + (1 - alpha) s), with m the weight of the matching of s system items with r reference
items; with several references their mean counts, as in MAXSIM.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from touchstone.core.errors import TouchstoneError
from touchstone.core.matching import Matcher, Matching, match
from touchstone.core.measures import Measure, ratio
from touchstone.core.ragged import Floats
from touchstone.stats.records import mean, mean_records
from touchstone.tasks.mt.model import MEASURES, Compared, Explanation, Layer, Texts

T = TypeVar("T")

ONE_OF_SEVERAL = "the total weight is unique; where several matchings reach it, one of them is shown"

ALPHA = "0.9"
"""The weight of recall in F, as MAXSIM has it."""


@dataclass(frozen=True)
class Own:
    """A function of a translation and its references, as a metric: the value of a system is the mean over segments.

    >>> length = Own(lambda hypothesis, references: min(1.0, len(hypothesis) / len(references[0])))
    >>> length.value("a cat", ["the cat sat"]).__round__(3)
    0.455
    """

    value: Callable[[str, Sequence[str]], float]
    lower_is_better: bool = False
    summary: str = "a function of the translation and its references; mean over segments"


def own_measure(name: str, own: Own, source: str) -> Measure[Compared]:
    """Return a function of one's own as a measure; an empty translation scores 0 where more is better."""

    def record(compared: Compared) -> Floats:
        values = np.zeros(len(compared))
        for row in np.flatnonzero(compared.counted).tolist():
            hypothesis = compared.hypotheses.present[row]
            if hypothesis or own.lower_is_better:
                values[row] = _called(name, row, own.value, hypothesis, _models(compared, row))
                if not np.isfinite(values[row]):
                    raise TouchstoneError(f"this measure gives no finite number for segment {row + 1:,}", value=name)
        return mean_records(np.where(compared.counted, values, np.nan))

    return Measure(name, record, mean, own.summary, lower_is_better=own.lower_is_better, signature=source)


def matcher_measure(name: str, matcher: Matcher[str, object], source: str, alpha: str = ALPHA) -> Measure[Compared]:
    """Return a way of matching as a measure: the mean over segments of F(alpha)."""
    weight = _alpha(alpha)
    shown = name if alpha == ALPHA else f"{name}(alpha={weight:g})"

    def record(compared: Compared) -> Floats:
        records = np.zeros((len(compared), 4))
        for row in np.flatnonzero(compared.counted).tolist():
            found = matchings(name, matcher, compared, row)
            if found and compared.hypotheses.present[row]:
                earned = [(one.f(weight), one.precision, one.recall) for one in found]
                records[row, :3] = np.mean(earned, axis=0)
        records[:, 3] = compared.counted
        return records

    summary = f"matching of own items, F with alpha {weight:g}; mean over references and segments"
    return Measure(shown, record, _mean_f, summary, parts=_parts, signature=source)


def matchings(name: str, matcher: Matcher[str, object], compared: Compared, row: int) -> list[Matching]:
    """Return the matching of a segment with each reference that it has."""
    left = _items(name, matcher, compared.hypotheses)[row]
    rights = [_items(name, matcher, texts)[row] for texts in compared.references if texts[row] is not None]
    return [
        _called(name, row, lambda a, b: match(a, b, stages=matcher.stages, similarity=matcher.similarity), left, right)
        for right in rights
    ]


def explain_matcher(matcher: Matcher[str, object], measure: Measure[Compared], compared: Compared) -> Explanation:
    """Return the matching behind the score of the one segment that is *compared*."""
    name = measure.name.partition("(")[0]
    (found,) = matchings(name, matcher, compared, 0)
    left, right = (
        tuple(map(str, _items(name, matcher, texts)[0])) for texts in (compared.hypotheses, compared.references[0])
    )
    value = float(measure.values(measure.record(compared))[0])
    places = tuple((place,) for place in range(max(len(left), len(right))))
    layer = Layer(
        "items", left, right, found, found.precision, found.recall, value, places[: len(left)], places[: len(right)]
    )
    return Explanation(measure.name, "", "", left, right, (layer,), value, (ONE_OF_SEVERAL,))


def _items(name: str, matcher: Matcher[str, object], texts: Texts) -> list[Sequence[object]]:
    def make(given: Texts) -> list[Sequence[object]]:
        return [_called(name, row, matcher.items, text) for row, text in enumerate(given.present)]

    return texts.once(("items", name), make)


def _models(compared: Compared, row: int) -> list[str]:
    return [text for texts in compared.references if (text := texts[row]) is not None]


def _called(name: str, row: int, function: Callable[..., T], *given: object) -> T:
    """Return what a user's function gives; whatever it raises is said in a sentence."""
    try:
        return function(*given)
    except TouchstoneError:
        raise
    except Exception as error:
        what = f"this measure fails on segment {row + 1:,} ({type(error).__name__}: {error})"
        raise TouchstoneError(what, value=name, hint="mend its function") from error


def _alpha(text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = np.nan
    if not 0 <= weight <= 1:
        raise TouchstoneError("alpha must be a number from 0 to 1", value=text, hint="0 is precision, 1 is recall")
    return weight


def _mean_f(sums: Floats) -> Floats:
    return ratio(sums[..., 0], sums[..., -1])


def _parts(records: Floats) -> dict[str, Floats]:
    return {"P": records[:, 1], "R": records[:, 2]}


MEASURES.adapt(Own, own_measure)
MEASURES.adapt(Matcher, matcher_measure)
