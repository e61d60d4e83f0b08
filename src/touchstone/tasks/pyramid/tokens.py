"""Two pyramids of the same models, compared by the tokens with which each token shares a content unit."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Ints
from touchstone.base.tables import Cell, Column, Table, number
from touchstone.core.resampling import Resampling, interval_heading, interval_text
from touchstone.people.coefficient import Agreement
from touchstone.people.coefficients import coefficients_of
from touchstone.people.finding import agreement_row
from touchstone.people.ratings import Ratings
from touchstone.show.finding import Finding, Statement, kind_rows
from touchstone.tasks.pyramid.model import Pyramid

TOKEN = re.compile(r"\w+(?:['’.,-]\w+)*")

SENTENCE_END = re.compile(r"[.!?]['\"”’)]*\s+|\n")


@dataclass(frozen=True)
class PyramidAgreement:
    """Alpha over tokens, and what the two pyramids are like: tokens covered, units, mean weights."""

    set: str
    alpha: Agreement
    covered: tuple[int, int]
    units: tuple[int, int]
    mean_weights: tuple[float, float]


@dataclass(frozen=True, eq=False, repr=False)
class PyramidsAgreement(Finding):
    """Two annotators' pyramids of the same models, for each document set."""

    pyramids: Sequence[PyramidAgreement]

    def statement(self) -> Statement:
        """Return alpha over tokens and the sizes of the pyramids of each set."""
        rows = [
            {"judgement": f"tokens of {agreement.set} that share a unit", "set": agreement.set, "measure": "alpha"}
            | agreement_row(agreement.alpha)
            for agreement in self.pyramids
        ]
        return Statement("Pyramids", [pyramids_table(self.pyramids)], kind_rows("coefficient", rows))


def pyramid_agreement(first: Pyramid, second: Pyramid, resampling: Resampling) -> PyramidAgreement:
    """Return alpha by MASI of two pyramids of the same models.

    The unit is a token of a model summary, its value the set of tokens that share a content unit with it, itself
    included; a token outside all units has the empty set. Intervals draw sentences, whose tokens go together.
    """
    if first.text != second.text:
        what = f"the two pyramids of {first.set} are not of the same models: their texts differ"
        hint = "compare pyramids that were made from the same text"
        raise TouchstoneError(what, value=_first_difference(first, second), code=Code.MISMATCH, hint=hint)
    if not (first.units and second.units):
        raise TouchstoneError(f"a pyramid of {first.set} has no unit to compare", code=Code.EMPTY)
    spans = tokens(first)
    sides = [companions(pyramid, spans) for pyramid in (first, second)]
    rows, clusters = zip(*sides, strict=True), _sentences(first.text, spans)
    ratings = Ratings.of(rows, distance="masi", clusters=clusters, unit="token")
    alpha = coefficients_of(ratings, ["alpha"], resampling)["alpha"]
    first_covered, second_covered = (sum(map(bool, side)) for side in sides)
    units, weights = (len(first.units), len(second.units)), (first.mean_weight, second.mean_weight)
    return PyramidAgreement(first.set, alpha, (first_covered, second_covered), units, weights)


def tokens(pyramid: Pyramid) -> Ints:
    """Return the tokens of the model summaries as spans, a row for each; headers are left out."""
    spans = [
        match.span()
        for summary in pyramid.summaries
        for match in TOKEN.finditer(pyramid.text, summary.start, summary.end)
    ]
    if not spans:
        what = f"no model summary was found in the pyramid of {pyramid.set or 'this file'}"
        raise TouchstoneError(what, code=Code.EMPTY)
    return np.array(spans, np.int64)


def companions(pyramid: Pyramid, spans: Ints) -> list[frozenset[int]]:
    """Return for each token the tokens that share a unit with it, itself included, by their indices in *spans*."""
    others_of: list[set[int]] = [set() for _ in spans]
    for unit in pyramid.units:
        parts = [part for contributor in unit.contributors for part in contributor.parts]
        inside = np.zeros(len(spans), np.bool_)
        for part in parts:
            inside |= (spans[:, 0] < part.end) & (spans[:, 1] > part.start)
        together = np.flatnonzero(inside).tolist()
        for token_index in together:
            others_of[token_index].update(together)
    return [frozenset(others) for others in others_of]


def _sentences(text: str, spans: Ints) -> Ints:
    ends = [match.start() for match in SENTENCE_END.finditer(text)]
    return np.searchsorted(ends, spans[:, 0]).astype(np.int64)


def _first_difference(first: Pyramid, second: Pyramid) -> str:
    for first_line, second_line in zip(first.lines, second.lines, strict=False):
        if first_line != second_line:
            return f"{first_line[:60]} / {second_line[:60]}"
    return f"{len(first.lines):,} lines beside {len(second.lines):,}"


def pyramids_table(pyramids: Sequence[PyramidAgreement]) -> Table:
    """Return a row for each document set."""
    rows = [_row(agreement) for agreement in pyramids]
    heads = ("tokens", "covered, first", "second", "units, first", "second", "mean weight, first", "second")
    notes = [
        "unit: a token of the model summaries; its value: the tokens that share a content unit with it",
        "this unit is a choice, not checked against a publication; intervals draw sentences",
        *(f"{p.set}: {p.alpha.note}" for p in pyramids if p.alpha.note),
    ]
    heading = interval_heading(pyramids[0].alpha.interval.level)
    columns = [Column("set"), *(Column(head, "right") for head in (*heads, "alpha (MASI)", heading))]
    return Table(columns, rows, "Two pyramids of the same models", notes)


def _row(agreement: PyramidAgreement) -> list[Cell]:
    weights, alpha = [number(weight) for weight in agreement.mean_weights], agreement.alpha
    bounds = interval_text(alpha.interval.low, alpha.interval.high)
    return [agreement.set, alpha.units, *agreement.covered, *agreement.units, *weights, alpha.value, bounds]
