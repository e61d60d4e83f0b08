"""Sections that every report has: the values with their intervals, the groups, and all pairs of systems."""

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from touchstone.core.comparison import Comparison, compare
from touchstone.core.errors import TouchstoneError
from touchstone.core.measures import Measure
from touchstone.core.results import Results
from touchstone.core.task import Explanation, Inputs, Task
from touchstone.report import figures
from touchstone.report.figures import Estimate
from touchstone.report.page import Block, Figure, Fold, Page, Paragraph, Section, TableBlock
from touchstone.report.svg import Svg, standalone
from touchstone.stats import signed_differences

MOST_WATERFALLS = 6
"""Pairs whose items are drawn one by one; more would bury the rest of the page."""

MOST_COMPARED = 12
"""Systems whose pairs are compared in a report; the tests of more take minutes, and no readable square shows them."""

SCALES = 10
"""Times that the largest value of one measure may exceed that of another in the same drawing."""


def task_page(
    task: Task[Any, Any, Any], inputs: Inputs[Any, Any], results: Results, comparisons: Sequence[Comparison] = ()
) -> Page:
    """Return the report of a scoring: values, groups, pairs of systems, the task's own sections, measures, notes.

    Parameters
    ----------
    task, inputs, results
        The task, what was read, and what was scored.
    comparisons
        Comparisons that were made already; else systems are compared under the task's usual measures.
    """
    overall = results.overall() if results.by else results
    by = results.by or (task.grouped if task.grouped in results.items_known.column_names else None)
    sections = [summary_section(overall)]
    if by:
        names = results.group_names or task.group_names(inputs.gold, by)
        sections.append(groups_section(replace(results, by=by, group_names=names)))
    comparisons = comparisons or compare_usual(task, overall)
    if comparisons:
        section = comparison_section(comparisons)
        extra = [TableBlock(table) for table in task.comparison_tables(comparisons[0])]
        sections.append(replace(section, blocks=[*section.blocks, *extra]))
    elif len(results.systems) > MOST_COMPARED:
        text = f"{len(results.systems)} systems have too many pairs for a report: see touchstone {task.name} compare."
        sections.append(Section("Comparison", "comparison", [Paragraph(text)]))
    own = _own_module(task.name)
    if own is not None:
        sections += own.sections(inputs, overall, comparisons)
    sections.append(measures_section(results.measures))
    return results_page(task.title, overall, sections)


def compare_usual(task: Task[Any, Any, Any], results: Results) -> list[Comparison]:
    """Return the comparisons of a report, under the measures that the task usually compares; none of one system."""
    names = [measure.name for measure in results.measures]
    usual = [name for name in task.compared if name in names] or names
    return [compare(results, name) for name in usual] if 1 < len(results.systems) <= MOST_COMPARED else []


def draw(task: Task[Any, Any, Any], explanation: Explanation) -> Svg:
    """Return the drawing of one item; refuse tasks that have none."""
    own = _own_module(task.name)
    if own is None or explanation.drawing is None:
        raise TouchstoneError(f"{task.name} has no drawing of this item", hint="leave out --svg")
    return standalone(own.draw(explanation.drawing))


def explanation_page(task: Task[Any, Any, Any], explanation: Explanation) -> Page:
    """Return the page of one item: its drawing and its tables, or the sections that the task makes of it."""
    own = _own_module(task.name)
    drawn = own is not None and explanation.drawing is not None
    if drawn and hasattr(own, "explanation_sections"):
        sections = own.explanation_sections(explanation.drawing)
    else:
        figure = [Figure(own.draw(explanation.drawing))] if drawn else []
        sections = [Section("Item", "item", [*figure, *map(TableBlock, explanation.tables)])]
    return Page(f"{task.title}: {explanation.item}", sections, subtitle=explanation.heading)


def _own_module(task: str) -> Any:  # noqa: ANN401 (a module)
    """Return the module of a task's own sections, with `sections` and `draw`; None where there is none."""
    name = f"touchstone.report.{task}"
    return import_module(name) if find_spec(name) else None


def results_page(title: str, results: Results, sections: Sequence[Section]) -> Page:
    """Return a page with the signature of *results* and the notes about its inputs."""
    notes = [Section("Notes", "notes", [Paragraph(note) for note in results.notes])] if results.notes else []
    systems = ", ".join(system.system for system in results.systems)
    return Page(
        title=title,
        subtitle=f"{systems} on {len(results):,} items",
        sections=[*sections, *notes],
        signature=results.signature,
        generated=f"touchstone {results.signature.get('touchstone', '')}",
    )


def summary_section(results: Results) -> Section:
    """Return the values of all systems, as a table and drawn: each measure by itself where their scales differ."""
    names = drawn_names(results)
    overall = [row for row in results.rows if row.group is None and row.measure in names]
    estimates = [Estimate(row.system, row.value, row.low, row.high, names[row.measure]) for row in overall]
    sizes = [max((abs(row.value) for row in overall if row.measure == name), default=0.0) for name in names]
    known = [size for size in sizes if size > 0]
    if not known or max(known) <= SCALES * min(known):
        drawn = [Figure(figures.intervals(estimates, title="Scores"), _caption(results))]
    else:
        drawn = [
            Figure(
                figures.intervals(
                    [one for one in estimates if one.group == names[measure.name]],
                    xlabel="lower is better" if measure.lower_is_better else "",
                ),
                f"{measure.summary}. {_caption(results)}",
            )
            for measure in results.measures
            if measure.name in names
        ]
    return Section("Summary", "summary", [TableBlock(results.table()), *drawn])


def drawn_names(results: Results) -> dict[str, str]:
    """Return the measures that are drawn, each with its title; those with the same values everywhere are drawn once."""
    together: dict[tuple[object, ...], list[str]] = {}
    for measure in results.measures:
        rows = (row for row in results.rows if row.measure == measure.name)
        values = tuple((row.system, row.group, repr((row.value, row.low, row.high))) for row in rows)
        together.setdefault((*values, measure.lower_is_better), []).append(measure.name)
    return {names[0]: ", ".join(names) for names in together.values()}


def groups_section(results: Results) -> Section:
    """Return the values of each group of items: a drawing for each measure, the first open and the others folded."""
    blocks: list[Block] = []
    titles = drawn_names(results)
    drawn = [measure for measure in results.measures if measure.name in titles]
    for measure in drawn:
        rows = [row for row in results.rows if row.measure == measure.name]
        names = [results.group_names.get(row.group, row.group) if row.group else "all" for row in rows]
        estimates = [
            Estimate(row.system, row.value, row.low, row.high, name) for row, name in zip(rows, names, strict=True)
        ]
        blocks.append(Figure(figures.bars(estimates, title=titles[measure.name]), measure.summary))
    others = [Fold(titles[measure.name], [block]) for measure, block in zip(drawn[1:], blocks[1:], strict=True)]
    table = Fold("The same as a table", [TableBlock(results.table())])
    return Section(f"By {results.by}", "groups", [*blocks[:1], *others, table])


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
        if np.isin(gap[~np.isnan(gap)], (-1, 0, 1)).all():  # right or wrong: wins, ties and losses say it all
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
