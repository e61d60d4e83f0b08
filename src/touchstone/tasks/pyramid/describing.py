"""Pyramids at a glance: their sizes, their tiers, and what a summary is measured against."""

from collections.abc import Sequence

from touchstone.core.errors import TouchstoneError
from touchstone.core.tables import Cell, Column, Table
from touchstone.tasks.pyramid.model import Pyramid


def describe(pyramids: Sequence[Pyramid]) -> Table:
    """Return a row for each pyramid: models, units, contributors, parts, tiers, mean weight, X and its optimum."""
    if not pyramids:
        raise TouchstoneError("no pyramid to describe", hint="give at least one .pyr file")
    weights = sorted({weight for pyramid in pyramids for weight in pyramid.tiers}, reverse=True)
    heads = ["models", "units", "contributors", "parts", *(f"weight {weight}" for weight in weights)]
    columns = [Column("set"), *(Column(head, "right") for head in [*heads, "mean weight", "X", "optimum(X)"])]
    rows = [_row(pyramid, weights) for pyramid in pyramids]
    mean = sum(pyramid.mean_weight for pyramid in pyramids) / len(pyramids)
    units = sum(len(pyramid.units) for pyramid in pyramids)
    notes = [f"{units:,} units; the mean of the mean weights is {mean:.3f}"]
    return Table(columns, rows, title="Pyramids", notes=notes)


def _row(pyramid: Pyramid, weights: Sequence[int]) -> list[Cell]:
    if not pyramid.units:
        raise TouchstoneError(f"the pyramid of {pyramid.set} has no units")
    parts = sum(len(contributor.parts) for unit in pyramid.units for contributor in unit.contributors)
    tiers = [len(pyramid.tiers.get(weight, ())) for weight in weights]
    best = int(pyramid.gold.optimum(pyramid.average))
    sizes = (pyramid.n, len(pyramid.units), pyramid.total, parts)
    return [pyramid.set, *sizes, *tiers, pyramid.mean_weight, pyramid.average, best]
