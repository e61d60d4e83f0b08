"""Reports of experiments with trained models: what they lose on a challenge set, and what more pairs change."""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from touchstone.base.tables import number
from touchstone.core.report.differences import differences_blocks, groups_section
from touchstone.core.report.results import measures_blocks, results_page
from touchstone.core.resampling import interval_heading
from touchstone.show import figures
from touchstone.show.figures import Curve, Estimate, curves
from touchstone.show.page import Block, Figure, Fold, Page, Paragraph, Section, TableBlock
from touchstone.show.svg import Svg
from touchstone.systems.inference.drops import DROP, Drop
from touchstone.systems.inference.experiments import MEASURES, Experiment, Point


def drop_page(drops: Drop) -> Page:
    """Return the report of models on an original test set and on a challenge set."""
    sections = [Section("Drop", "drop", _summary(drops))]
    sections += [replace(groups_section(one, one.measures[0].name), anchor=str(one.by)) for one in drops.groups]
    labels = replace(drops.challenge.table(), title="")
    sections.append(Section("Labels", "labels", [TableBlock(labels)]))
    if drops.comparisons:
        tables = [Fold(f"All pairs under {one.measure}", [TableBlock(one.pairs_table())]) for one in drops.comparisons]
        sections.append(Section("Differences", "differences", [*differences_blocks(drops.comparisons), *tables]))
    measures = measures_blocks([*drops.challenge.measures, *drops.both.measures])
    sections.append(Section("Measures", "measures", measures))
    models = replace(drops.both, systems=[one for one in drops.both.systems if one.system in drops.models])
    return replace(results_page("From a test set to a challenge set", models, sections), verdict=_verdict(drops))


def _verdict(drops: Drop) -> list[str]:
    """Return the accuracies of the model that loses least, and whether the tests confirm it."""
    names = [row.system for row in drops.comparisons[-1].standings] if drops.comparisons else list(drops.models)
    before, after = (number(one.row(names[0], "accuracy").value) for one in (drops.original, drops.challenge))
    fall = drops.both.row(names[0], DROP)
    heading = interval_heading(drops.both.resampling.level)
    ends = f" ({fall.value:+.3f}, {heading} {number(fall.low)} to {number(fall.high)})" if isfinite(fall.low) else ""
    return [f"The accuracy of {names[0]} goes from {before} to {after}{ends}.", *drops.least_loss()[:1]]


def _summary(drops: Drop) -> list[Block]:
    """Return the table of the paper, each run, the drawing of both accuracies and the drop, and the conclusion."""
    columns = (
        ("original", drops.original, "accuracy"),
        ("challenge", drops.challenge, "accuracy"),
        ("drop", drops.both, DROP),
        ("macro_f1 on the challenge set", drops.challenge, "macro_f1"),
    )
    estimates = [
        Estimate(row.system, row.value, row.low, row.high, head)
        for head, results, measure in columns
        for row in (results.row(system.system, measure) for system in drops.both.systems)
    ]
    drawn = Figure(figures.intervals(estimates), f"Whiskers: {drops.both.resampling}.")
    sentences = [Paragraph(sentence) for sentence in drops.least_loss()[1:]]
    seeds = [TableBlock(drops.seeds_table())] if drops.comparisons and drops.several else []
    return [*sentences, TableBlock(drops.table()), drawn, TableBlock(drops.runs_table()), *seeds]


def experiment_page(experiment: Experiment, title: str) -> Page:
    """Return the report of models that were given different numbers of pairs."""
    heading = interval_heading(experiment.level)
    caption = f"Lines: the mean of the runs; bands: its {heading} over premises; dots: the runs farthest apart."
    drawn = [
        Figure(lines_figure(experiment.points, experiment.along, measure), f"{measure}. {caption}")
        for measure in MEASURES
    ]
    blocks: list[Block] = [*drawn, TableBlock(experiment.table()), TableBlock(experiment.changes_table())]
    blocks += [Paragraph(note) for note in experiment.notes]
    subtitle = f"{', '.join(experiment.models)} on {', '.join(experiment.single)}"
    section = Section(f"Values by {experiment.along}", "values", blocks)
    return Page(title, [section], subtitle, experiment.signature, verdict=_changes(experiment))


def _changes(experiment: Experiment) -> list[str]:
    """Return what the largest size changes in the accuracy of two models at most, on the last test set."""
    test = list(experiment.single)[-1]
    last = {one.model: one for one in experiment.changes if one.test == test}
    first = {model: min(size for name, size in experiment.runs if name == model) for model in last}
    heading = interval_heading(experiment.level)
    return [
        f"From {first[model]:,} to {one.size:,} {experiment.along}, the accuracy of {model} on {test} changes by "
        f"{one.difference:+.3f} ({heading} {number(one.low)} to {number(one.high)}; p = {number(one.p)})."
        for model, one in list(last.items())[:2]
    ]


def lines_figure(points: Sequence[Point], along: str, measure: str) -> Svg:
    """Return a panel for each test set: values over the number of pairs, a line for each model.

    Parameters
    ----------
    points
        Means with their intervals, in the order in which test sets and models are drawn.
    along
        What the sizes of the points count.
    measure
        The measure that is drawn.
    """
    panels: dict[str, list[Curve]] = {}
    for test, model in dict.fromkeys((point.test, point.model) for point in points):
        line = [one for one in points if (one.model, one.test, one.measure) == (model, test, measure)]
        x, values, low, high = ([getattr(point, name) for point in line] for name in ("size", "value", "low", "high"))
        ends = [[point.least for point in line], [point.most for point in line]]
        panels.setdefault(test, []).append(Curve(model, x, values, low, high, ends))
    return curves(panels, along, measure)
