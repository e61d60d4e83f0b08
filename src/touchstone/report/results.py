"""Sections that every report has: the values with their intervals, the groups, and all pairs of systems."""

from collections.abc import Sequence

import numpy as np

from touchstone.core.comparison import Comparison
from touchstone.core.measures import Measure
from touchstone.core.results import Results
from touchstone.report import figures
from touchstone.report.figures import Estimate
from touchstone.report.page import Block, Figure, Fold, Page, Paragraph, Section, TableBlock
from touchstone.stats import signed_differences

MOST_WATERFALLS = 6
"""Pairs whose items are drawn one by one; more would bury the rest of the page."""


def results_page(title: str, results: Results, sections: Sequence[Section]) -> Page:
    """Return a page with the signature of *results* and the notes that were said of its inputs."""
    notes = [Section("Notes", "notes", [Paragraph(note) for note in results.notes])] if results.notes else []
    systems = ", ".join(system.system for system in results.systems)
    version = results.signature.get("touchstone", "")
    return Page(
        title=title,
        subtitle=f"{systems} on {len(results):,} items",
        sections=[*sections, *notes],
        signature=results.signature,
        generated=f"touchstone {version}",
    )


def summary_section(results: Results) -> Section:
    """Return the values of all systems, as a table and drawn."""
    overall = [row for row in results.rows if row.group is None]
    estimates = [Estimate(row.system, row.value, row.low, row.high, row.measure) for row in overall]
    svg = figures.intervals(estimates, title="Scores")
    return Section("Summary", "summary", [TableBlock(results.table()), Figure(svg, _caption(results))])


def groups_section(results: Results, title: str) -> Section:
    """Return the values of each group of items, a drawing for each measure."""
    blocks: list[Block] = []
    for measure in results.measures:
        rows = [row for row in results.rows if row.measure == measure.name]
        names = [results.group_names.get(row.group, row.group) if row.group else "all" for row in rows]
        estimates = [
            Estimate(row.system, row.value, row.low, row.high, name) for row, name in zip(rows, names, strict=True)
        ]
        blocks.append(Figure(figures.bars(estimates, title=measure.name), measure.summary))
    return Section(title, "groups", [*blocks, Fold("The same as a table", [TableBlock(results.table())])])


def comparison_section(comparisons: Sequence[Comparison]) -> Section:
    """Return all pairs of systems under each measure: the first in full, the others folded."""
    first, *others = comparisons
    folds = [Fold(f"Under {comparison.measure}", _comparison(comparison)) for comparison in others]
    return Section("Comparison", "comparison", [*_comparison(first), *folds])


def measures_section(measures: Sequence[Measure[object]]) -> Section:
    """Return what each measure says of itself."""
    paragraphs = [Paragraph(f"{measure.name}: {measure.summary}") for measure in measures]
    return Section("Measures", "measures", paragraphs)


def _comparison(comparison: Comparison) -> list[Block]:
    names = [row.system for row in comparison.standings]
    gaps, real = _square(comparison, names)
    measure = comparison.results.measure(comparison.measure)
    lower, title = measure.lower_is_better, f"Differences under {comparison.measure}"
    blocks: list[Block] = [
        TableBlock(comparison.table()),
        Figure(figures.matrix(names, gaps, real, title=title, lower_is_better=lower)),
        TableBlock(comparison.pairs_table()),
    ]
    values = {s.system: measure.values(s.records[measure.name]) for s in comparison.results.systems}
    for pair in comparison.pairs[:MOST_WATERFALLS]:
        gap = signed_differences(values[pair.a], values[pair.b])
        if np.isnan(gap).all():
            continue
        title = f"{pair.a} against {pair.b}, item by item"
        drawn = figures.differences(gap, (pair.a, pair.b), title=title, lower_is_better=lower)
        blocks.append(Figure(drawn))
    return blocks


def _square(comparison: Comparison, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    place = {name: row for row, name in enumerate(names)}
    gaps = np.zeros((len(names), len(names)))
    real = np.zeros((len(names), len(names)), np.bool_)
    for pair in comparison.pairs:
        a, b = place[pair.a], place[pair.b]
        gaps[a, b], gaps[b, a] = pair.difference, -pair.difference
        real[a, b] = real[b, a] = pair.significant
    return gaps, real


def _caption(results: Results) -> str:
    return "" if results.resampling.method == "none" else f"Whiskers: {results.resampling}."
