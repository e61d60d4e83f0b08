"""The report of a scoring, from the verdict down to the details.

It reads from top to bottom: the verdict, one ranking of all systems under all measures, the differences between
systems, where these come from by group and by item, the sections of the task, and the details, folded. Systems and
measures have one order on the whole page: systems that of the first measure compared, which is also the first measure.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import isfinite
from typing import Any

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.notes import is_warning, warnings_of
from touchstone.base.tables import counted
from touchstone.core.comparison import Comparison, compare
from touchstone.core.comparisons import joint_signature
from touchstone.core.explanation import Explanation
from touchstone.core.formulas import formulas_table
from touchstone.core.gating import Gate, gates_sentences, gates_table
from touchstone.core.group_comparison import GroupComparison
from touchstone.core.inputs import Inputs
from touchstone.core.measures import Measure
from touchstone.core.ranking import rank_cell
from touchstone.core.report.differences import differences_blocks, groups_section
from touchstone.core.report.item_map import FEW, ItemTexts, item_map, map_order
from touchstone.core.report.verdict import ordered_rows, verdict
from touchstone.core.result_tables import interval_notes
from touchstone.core.results import Results
from touchstone.core.task import TaskReport
from touchstone.show import figures
from touchstone.show.page import Block, Figure, Fold, Html, Page, Paragraph, Section, TableBlock
from touchstone.show.plots import Dot, Panel, panel_grid, shared_axes, with_rules
from touchstone.show.svg import Svg

MOST_COMPARED = 20
"""Systems whose pairs are compared in a report: 190 tests on 3,000 items take half a minute."""


def scores_page(
    results: Results,
    comparisons: Sequence[Comparison] = (),
    group_comparisons: Sequence[GroupComparison] = (),
    gates: Sequence[Gate] = (),
) -> Page:
    """Return the report of a scoring.

    Parameters
    ----------
    results
        What was scored, with its inputs.
    comparisons
        Comparisons that were made already; else systems are compared under the task's usual measures.
    group_comparisons
        Comparisons within groups, whose tables stand among the details.
    gates
        Gates on the comparisons, whose verdict opens the report.
    """
    task, inputs = results.scoring_task, results.inputs
    if task is None or not isinstance(inputs, Inputs):
        hint = "score all systems in one call, which keeps the inputs"
        what = "a report shows the inputs, and these results hold records only"
        raise TouchstoneError(what, code=Code.UNSUPPORTED, hint=hint)
    overall = results.overall() if results.by else results
    by = results.by or (task.report_by if task.report_by in results.items_known.column_names else None)
    comparisons = comparisons or compare_defaults(overall)
    measure = comparisons[0].measure if comparisons else overall.compared_measures[0]
    order = [row.system for row in ordered_rows(overall, measure)]
    overall, results = (in_order(scored, order, measure) for scored in (overall, results))
    inputs = replace(inputs, runs=sorted(inputs.runs, key=lambda run: order.index(run.name)))
    sections = [Section("Gate", "gate", [TableBlock(gates_table(gates))])] if gates else []
    sections.append(ranking_section(overall, comparisons, measure))
    if comparisons:
        sections.append(Section("Differences", "differences", differences_blocks(comparisons)))
    if by:
        names = results.group_names or task.group_names(inputs.gold.items, by)
        pair = order[:2]
        sections.append(groups_section(replace(results, by=by, group_names=names), measure, pair))
    task_report = task.report()
    sections.append(items_section(inputs, overall, measure, task_report))
    if task_report is not None:
        sections += task_report.sections(inputs, overall, comparisons)
    extra = [TableBlock(table) for comparison in comparisons[:1] for table in task.comparison_tables(comparison)]
    extra += [TableBlock(comparison.table()) for comparison in group_comparisons]
    sections.append(details_section(overall, comparisons, extra))
    signature = joint_signature(comparisons) if comparisons else overall.signature
    page = results_page(task.title, overall, sections)
    page = replace(page, gate=gates_sentences(gates), passed=all(gates))
    warned = warnings_of([*(note for comparison in comparisons for note in comparison.notes), *results.notes])
    return replace(page, signature=signature, verdict=verdict(overall, comparisons, measure), warnings=warned)


def in_order(results: Results, systems: Sequence[str], measure: str) -> Results:
    """Return the same results with *systems* in this order and with *measure* first; no value is computed again."""
    first = results.measure(measure)
    measures = [first, *(m for m in results.measures if m.name != first.name)]
    ordered = replace(results, systems=[results.by_name[name] for name in systems], measures=measures)
    positions = {(name, m.name): position for position, (name, m) in enumerate(product(systems, measures))}
    ordered.__dict__["rows"] = tuple(sorted(results.rows, key=lambda row: positions[row.system, row.measure]))
    ordered.__dict__["failed"] = results.failed
    return ordered


def compare_defaults(results: Results) -> list[Comparison]:
    """Return the comparisons of a report, under the measures that the task usually compares; none of one system."""
    names = results.compared_measures if 1 < len(results.systems) <= MOST_COMPARED else []
    return [compare(results, name) for name in names]


def draw(explanation: Explanation) -> Svg:
    """Return the drawing of one item; refuse tasks that have none."""
    task = explanation.task
    report = task.report() if task else None
    if task is None or report is None or explanation.drawing is None:
        measures = ", ".join(task.drawn_measures) if task else ""
        hint = f"these measures have one: {measures}" if measures else None
        what = f"{task.name if task else 'this task'} has no drawing of this item"
        raise TouchstoneError(what, code=Code.UNSUPPORTED, hint=hint)
    return report.draw(explanation.drawing)


def explanation_sections(explanation: Explanation) -> list[Section]:
    """Return the sections that the task makes of one item, or its tables; then the formulas."""
    task = explanation.task
    report = task.report() if task is not None and explanation.drawing is not None else None
    if report is not None:
        sections = [*report.explanation_sections(explanation)]
    else:
        sections = [Section("", "item", [TableBlock(table) for table in explanation.tables])]
    if explanation.formulas:
        block = TableBlock(formulas_table(explanation.formulas))
        alone = len(sections) == 1 and not sections[0].title  # a page of one section has no contents
        sections = (
            [replace(sections[0], blocks=[*sections[0].blocks, block])]
            if alone
            else [*sections, Section("Formulas", "formulas", [block])]
        )
    return sections


def results_page(title: str, results: Results, sections: Sequence[Section]) -> Page:
    """Return a page with the signature of *results* and the notes about its inputs."""
    remarks = [Paragraph(note) for note in results.notes if not is_warning(note)]
    notes = [Section("Notes", "notes", remarks)] if remarks else []
    systems = ", ".join(system.system for system in results.systems)
    systems_text = systems if len(results.systems) <= MOST_NAMED else f"{len(results.systems)} systems"
    return Page(
        title=title,
        subtitle=f"{systems_text} on {counted(len(results), 'item')}",
        sections=[*sections, *notes],
        warnings=warnings_of(results.notes),
        signature=results.signature,
        generated=f"touchstone {results.signature.get('touchstone', '')}",
    )


MOST_NAMED = 8
"""Systems that the line under the title names."""


def same_values(results: Results) -> dict[str, list[str]]:
    """Return for each measure all those with the same values everywhere, itself among them: they are drawn once."""
    together: dict[tuple[object, ...], list[str]] = {}
    for measure in results.measures:
        rows = (row for row in results.rows if row.measure == measure.name)
        values = tuple((row.system, row.group, repr(row.ends)) for row in rows)
        together.setdefault((*values, measure.lower_is_better), []).append(measure.name)
    return {name: names for names in together.values() for name in names}


def ranking_section(results: Results, comparisons: Sequence[Comparison], measure: str) -> Section:
    """Return all systems under all measures: a panel for each, with the same order, and letters where they differ."""
    order = [row.system for row in ordered_rows(results, measure)]
    first = results.measure(measure)
    same = same_values(results)
    others = [m for m in results.measures if m.name == same[m.name][0] and first.name not in same[m.name]]
    measures = [first, *others]
    rows = {(row.system, row.measure): row for row in results.rows if row.group is None}
    columns = [[end for system in order for end in rows[system, each.name].ends] for each in measures]
    marks = {comparison.measure: _marks(comparison) for comparison in comparisons}
    panels = []
    for panel_measure, axis in zip(measures, shared_axes(columns), strict=True):
        system_marks = marks.get(panel_measure.name, {})
        unmarked = ["", ""] if system_marks else []
        dots = [
            Dot(system, *rows[system, panel_measure.name].ends, system_marks.get(system, unmarked)) for system in order
        ]
        starts = _cluster_starts(comparisons[0]) if comparisons and panel_measure.name == measure else ()
        note = "lower is better" if panel_measure.lower_is_better else ""
        heads, names = ["rank", "letters"] if system_marks else [], ", ".join(same[panel_measure.name])
        panels.append(Panel(names, with_rules(dots, starts), axis, heads, note))
    title, anchor = ("Ranking", "ranking") if len(order) > 1 else ("Scores", "scores")
    return Section(
        title, anchor, [Html(panel_grid(panels)), Paragraph(_ranking_caption(results, comparisons, measure))]
    )


def _ranking_caption(results: Results, comparisons: Sequence[Comparison], measure: str) -> str:
    order = f"Systems in the order of {measure}{', baselines last' * bool(results.baselines)}."
    order = order if len(results.systems) > 1 else ""
    whiskers = f"Whiskers: {results.resampling}." if any(isfinite(row.low) for row in results.rows) else ""
    letters = (
        "Rank: the ranks that a system may have, from its significant differences. "
        "Systems that share a letter do not differ significantly; a line separates groups that do."
        if comparisons
        else ""
    )
    notes = [f"{note[:1].upper()}{note[1:]}." for note in interval_notes(results)]
    if len(notes) > 1:
        notes = ["Some intervals are rough or missing: the table of all values says which."]
    return " ".join(filter(None, [order, whiskers, letters, *notes]))


def _marks(comparison: Comparison) -> dict[str, list[str]]:
    """Return the ranks and the letters of each system; baselines have none."""
    letters = comparison.letters
    return {system: [str(rank_cell(ends)), letters[system]] for system, ends in comparison.rank_ranges.items()}


def _cluster_starts(comparison: Comparison) -> list[int]:
    starts: list[int] = np.cumsum([len(rank) for rank in comparison.ranks]).tolist()
    return starts if comparison.baselines else starts[:-1]


def items_section(inputs: Inputs[Any, Any], results: Results, measure: str, task_report: TaskReport | None) -> Section:
    """Return the map of all items, which open with the texts that the task has for them."""
    systems = [results.by_name[row.system] for row in ordered_rows(results, measure)]
    scored = results.measure(measure)
    pair = [system.system for system in systems[:2]]
    order = map_order(scored, [results.by_name[name] for name in pair], systems)
    texts = ItemTexts(()) if task_report is None else task_report.item_texts(inputs, order.tolist())
    drawn = item_map(results, scored, systems, order, texts)
    return Section(
        "By item",
        "items",
        [Paragraph(_map_caption(results, measure, pair, len(order))), Html(drawn, interactive=len(order) > FEW)],
    )


def _map_caption(results: Results, measure: str, names: Sequence[str], mapped: int) -> str:
    if len(results) == 1:
        return f"1 item under {measure}. A row is a system; a click opens the item."
    order = f"largest gain of {names[0]} over {names[1]} first" if len(names) > 1 else "worst first"
    items_text = (
        f"{len(results):,} items"
        if mapped == len(results)
        else f"The {mapped:,} items where they differ most, of {len(results):,}"
    )
    return f"{items_text} under {measure}, {order}. A column is an item, a row a system; a click opens the item."


def details_section(results: Results, comparisons: Sequence[Comparison], extra: Sequence[Block]) -> Section:
    """Return the tables behind the figures, folded, and the description of each measure."""
    folds: list[Block] = [Fold("All values", [TableBlock(results.table())])]
    for comparison in comparisons:
        blocks: list[Block] = [TableBlock(comparison.table()), TableBlock(comparison.pairs_table())]
        square = [Figure(square_figure(comparison))] if len(comparison.standings) > 2 else []
        folds.append(Fold(f"All pairs under {comparison.measure}", [*square, *blocks]))
    if extra:
        folds.append(Fold("Further tables of the comparison", extra))
    return Section("Details", "details", [*folds, Fold("Measures", measures_blocks(results.measures))])


def measures_blocks(measures: Sequence[Measure[object]]) -> list[Block]:
    """Return the description of each measure."""
    return [Paragraph(f"{measure.name}: {measure.summary}") for measure in measures]


def square_figure(comparison: Comparison) -> Svg:
    """Return the differences of all pairs of systems as a square of colours."""
    names = [row.system for row in comparison.standings]
    row_of = {name: row for row, name in enumerate(names)}
    gaps = np.zeros((len(names), len(names)))
    real = np.zeros((len(names), len(names)), np.bool_)
    for pair in comparison.pairs:
        a, b = row_of[pair.a], row_of[pair.b]
        gaps[a, b], gaps[b, a] = pair.difference, -pair.difference
        real[a, b] = real[b, a] = pair.significant
    lower = comparison.scored.lower_is_better
    return figures.matrix(names, gaps, real, title=f"Differences under {comparison.measure}", lower_is_better=lower)
