"""Figures for notebooks: results and comparisons drawn as the report draws them."""

from dataclasses import dataclass
from pathlib import Path

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.core.comparison import Comparison
from touchstone.core.explanation import Explanation
from touchstone.core.report.results import draw, square_figure
from touchstone.core.results import Results
from touchstone.show import figures
from touchstone.show.figures import Estimate
from touchstone.show.svg import Svg


@dataclass(frozen=True)
class Plot:
    """A figure that a notebook shows inline; *label* says what is drawn."""

    svg: Svg
    label: str

    def save(self, path: str | Path) -> None:
        """Write the figure to an SVG file; programs such as ``rsvg-convert`` turn it into PDF or PNG.

        Parameters
        ----------
        path
            The file to write; its suffix is ``.svg``.
        """
        from touchstone.io.writing import check_suffix, write_text

        check_suffix(path, "figure")
        write_text(path, self.svg)

    def __repr__(self) -> str:
        return f"Plot({self.label!r})"

    def _repr_svg_(self) -> str:
        return str(self.svg)


def plot(drawn: Results | Comparison | Explanation, measure: str | None = None) -> Plot:
    """Return a figure of results, of a comparison, or of one item that was explained.

    Results are drawn as values with intervals, with a panel for each measure. If they are grouped, the figure shows one
    measure, with bars for each group. A comparison is drawn as the differences of all pairs, an item by
    the drawing of its task.

    Parameters
    ----------
    drawn
        The result of `score`, `compare` or `explain`.
    measure
        The measure to draw; by default all, the first where results are grouped, and that of a comparison.

    Examples
    --------
    >>> import touchstone
    >>> results = touchstone.items.score({"a": {"q1": 1.0, "q2": 0.5}, "b": {"q1": 0.5, "q2": 0.0}})
    >>> touchstone.plot(results)
    Plot('value')
    """
    if isinstance(drawn, Explanation):
        return Plot(draw(drawn), f"item {drawn.item}")
    if not isinstance(drawn, Results | Comparison):
        hint = "give what score, compare or explain returns"
        raise TouchstoneError(f"a {type(drawn).__name__} cannot be drawn", code=Code.BAD_VALUE, hint=hint)
    if isinstance(drawn, Comparison):
        return Plot(square_figure(drawn), f"differences under {drawn.measure}")
    chosen = drawn if measure is None else drawn.under([measure])
    if chosen.by is not None:
        grouped = chosen.under([chosen.measures[0].name])
        return Plot(_group_bars(grouped), f"{grouped.measures[0].name} by {grouped.by}")
    estimates = [Estimate(row.system, *row.ends, row.measure) for row in chosen.rows]
    return Plot(figures.intervals(estimates), f"{', '.join(m.name for m in chosen.measures)}")


def _group_bars(results: Results) -> Svg:
    """Return the values of each group and of all items under the one measure of *results*."""
    names = [results.group_names.get(row.group, row.group) if row.group else "all" for row in results.rows]
    estimates = [Estimate(row.system, *row.ends, name) for row, name in zip(results.rows, names, strict=True)]
    return figures.bars(estimates, title=results.measures[0].name)
