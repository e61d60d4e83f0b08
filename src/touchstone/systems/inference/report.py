"""Reports of experiments with trained models: what they lose on a challenge set, and what more pairs change."""

from collections.abc import Sequence
from dataclasses import replace

from touchstone.core.report.differences import differences_blocks, groups_section
from touchstone.core.report.results import measures_blocks
from touchstone.core.resampling import interval_heading
from touchstone.show import figures
from touchstone.show.figures import Curve, Estimate, curves
from touchstone.show.page import Block, Figure, Fold, Section, TableBlock
from touchstone.show.svg import Svg
from touchstone.systems.inference.drops import DROP, Drop
from touchstone.systems.inference.experiments import MEASURES, Experiment
from touchstone.systems.inference.runs import Point


def drop_sections(drops: Drop) -> list[Section]:
    """Return the sections of the report of models on an original test set and on a challenge set."""
    sections = [Section("Drop", "drop", _summary(drops))]
    sections += [replace(groups_section(group, group.measures[0].name), anchor=str(group.by)) for group in drops.groups]
    labels = replace(drops.challenge.table(), title="")
    sections.append(Section("Labels", "labels", [TableBlock(labels)]))
    if drops.comparisons:
        tables = [
            Fold(f"All pairs under {comparison.measure}", [TableBlock(comparison.pairs_table())])
            for comparison in drops.comparisons
        ]
        sections.append(Section("Differences", "differences", [*differences_blocks(drops.comparisons), *tables]))
    measures = measures_blocks([*drops.challenge.measures, *drops.both.measures])
    return [*sections, Section("Measures", "measures", measures)]


def _summary(drops: Drop) -> list[Block]:
    """Return the table of the paper, the drawing of both accuracies and the drop, and each run."""
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
    seeds = [TableBlock(drops.seeds_table())] if drops.seed_pairs else []
    return [TableBlock(drops.table()), drawn, TableBlock(drops.runs_table()), *seeds]


def experiment_sections(experiment: Experiment) -> list[Section]:
    """Return the section of the report of models that were given different numbers of pairs."""
    heading = interval_heading(experiment.level)
    caption = f"Lines: the mean of the runs; bands: its {heading} over premises; dots: the runs farthest apart."
    drawn = [
        Figure(lines_figure(experiment.points, experiment.along, measure), f"{measure}. {caption}")
        for measure in MEASURES
    ]
    tables = [TableBlock(experiment.table()), TableBlock(experiment.changes_table())]
    return [Section(f"Values by {experiment.along}", "values", [*drawn, *tables])]


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
        line = [point for point in points if (point.model, point.test, point.measure) == (model, test, measure)]
        x, values, low, high = ([getattr(point, name) for point in line] for name in ("size", "value", "low", "high"))
        ends = [[point.least for point in line], [point.most for point in line]]
        panels.setdefault(test, []).append(Curve(model, x, values, low, high, ends))
    return curves(panels, along, measure)
