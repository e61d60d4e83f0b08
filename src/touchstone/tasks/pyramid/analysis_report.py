"""The reports of a pyramid analysis: what moves the scores, who differs, how sure; agreement; power."""

from typing import TYPE_CHECKING

from touchstone.people.finding import AnnotatorAgreement
from touchstone.show.figures import Estimate
from touchstone.show.page import Block, Figure, Fold, Paragraph, Section, TableBlock
from touchstone.show.svg import Svg
from touchstone.stats.comparisons import Comparisons
from touchstone.stats.groups import dominance_table, groups_table, letters, letters_table, pairs_table
from touchstone.stats.mixed import MixedModel
from touchstone.tasks.pyramid.figures import difficulty, grouped_levels, power_line, two_scores
from touchstone.tasks.pyramid.means import MIXED
from touchstone.tasks.pyramid.readings import Scores
from touchstone.tasks.pyramid.tokens import PyramidsAgreement, pyramids_table

if TYPE_CHECKING:
    from touchstone.tasks.pyramid.analysis import Analysis
    from touchstone.tasks.pyramid.power import Power


def analysis_sections(analysis: "Analysis") -> list[Section]:
    """Return the sections of the report of an analysis."""
    sections = [Section("What moves the score", "effects", [TableBlock(analysis.model.to_table())])]
    if analysis.peers:
        sections.append(Section("Peers", "peers", _peers(analysis, analysis.peers)))
    if analysis.sets:
        sections.append(Section("Document sets", "sets", _sets(analysis, analysis.sets)))
    for position, comparisons in enumerate(analysis.others):
        sections.append(Section(comparisons.factor, f"factor-{position}", _levels(analysis, comparisons)))
    if analysis.mixed:
        sections.append(Section("Mixed model", "mixed", _mixed(analysis, analysis.mixed)))
    if analysis.within:
        sections.append(Section("Within groups of sets", "within", [TableBlock(analysis.within.table())]))
    if analysis.evaluations:
        sections.append(Section("Two evaluations", "evaluations", [TableBlock(analysis.evaluations.table())]))
    return sections


def power_sections(power: "Power") -> list[Section]:
    """Return the sections of the report of how many document sets tell peers apart, and which few do it best."""
    sections = [Section("Which few sets", "subsets", [TableBlock(power.subsets.to_table())])]
    if power.curve and power.peers:
        title = f"Peers {power.peers[0]} and {power.peers[1]}: how many document sets tell them apart"
        drawn = Figure(power_line(power.curve, title))
        sections.insert(0, Section("How many sets", "curve", [drawn, TableBlock(power.curve_table())]))
    return sections


def agreement_sections(agreement: AnnotatorAgreement) -> list[Section]:
    """Return the sections of the report of agreement: scores with their drawing, content units, pyramids."""
    sections = []
    scores, pyramids = agreement.parts.get("scores"), agreement.parts.get("pyramids")
    if isinstance(scores, Scores):
        title = "Scores of the same summaries"
        svg = two_scores(scores.names, scores.first, scores.second, scores.annotators, title)
        drawn = Figure(svg, "On the dotted line both annotators give the same score.")
        sections.append(Section("Scores", "scores", [TableBlock(scores.table()), drawn]))
    if agreement.groups:
        sections.append(Section("Content units", "units", [TableBlock(agreement.table())]))
    if isinstance(pyramids, PyramidsAgreement):
        sections.append(Section("Pyramids", "pyramids", [TableBlock(pyramids_table(pyramids.pyramids))]))
    return sections


def levels_figure(comparisons: Comparisons, title: str = "") -> Svg:
    """Return the means of a factor's levels with their groups."""
    letters_of = letters(comparisons)
    levels = _estimates(comparisons)
    return grouped_levels(
        levels, [letters_of[level.name] for level in levels], title, f"mean {comparisons.model.data.response}"
    )


def _peers(analysis: "Analysis", comparisons: Comparisons) -> list[Block]:
    above = ", ".join(analysis.above_baseline) or "none"
    return [
        Figure(levels_figure(comparisons, "Peers and their groups"), _caption(comparisons)),
        TableBlock(dominance_table(comparisons)),
        Fold("Means, intervals and letters", [TableBlock(letters_table(comparisons))]),
        Fold(f"The {comparisons.n_differing:,} pairs that differ", [TableBlock(pairs_table(comparisons))]),
        *_kinds_of_means(analysis, comparisons),
        *([Paragraph(f"Significantly above the baseline {analysis.baseline}: {above}.")] if analysis.baseline else []),
    ]


def _sets(analysis: "Analysis", comparisons: Comparisons) -> list[Block]:
    scores: dict[str, list[float]] = {}
    response = comparisons.model.data.response
    for name, score in zip(analysis.table.columns[analysis.table.sets], analysis.table.numbers(response), strict=True):
        scores.setdefault(str(name), []).append(float(score))
    drawn = difficulty(
        scores, _estimates(comparisons), "Difficulty of the document sets", f"{response}, the hardest set first"
    )
    return [
        Figure(drawn, "A pale dot for the score of each peer, the mean with its interval."),
        TableBlock(groups_table(comparisons)),
        Fold("Which sets are above which", [TableBlock(dominance_table(comparisons))]),
        Fold(f"The {comparisons.n_differing:,} pairs that differ", [TableBlock(pairs_table(comparisons))]),
        *_kinds_of_means(analysis, comparisons),
    ]


def _levels(analysis: "Analysis", comparisons: Comparisons) -> list[Block]:
    return [
        Figure(levels_figure(comparisons, f"Levels of {comparisons.factor}"), _caption(comparisons)),
        TableBlock(pairs_table(comparisons)),
        Fold("Means, intervals and letters", [TableBlock(letters_table(comparisons))]),
        *_kinds_of_means(analysis, comparisons),
    ]


def _kinds_of_means(analysis: "Analysis", comparisons: Comparisons) -> list[Block]:
    """Return the means of each kind beside each other, the warning outside of the fold."""
    means = analysis.means[comparisons.factor]
    if means.alike:
        return []
    warning: list[Block] = [Paragraph(f"Warning: {means.disagreement}")] if means.disagreement else []
    return [*warning, Fold(means.title.capitalize(), [TableBlock(means.table())])]


def _mixed(analysis: "Analysis", mixed: MixedModel) -> list[Block]:
    blocks: list[Block] = [TableBlock(mixed.components_table())]
    if mixed.effects:
        blocks.append(TableBlock(mixed.effects_table()))
    for means in analysis.means.values():
        if MIXED in means.kinds:
            compared = means.kinds[MIXED]
            drawn = levels_figure(compared, f"{compared.factor} after the mixed model")
            blocks += [
                Figure(drawn, _caption(compared)),
                Fold("Means, intervals and letters", [TableBlock(letters_table(compared))]),
            ]
    return blocks


def _estimates(comparisons: Comparisons) -> list[Estimate]:
    return [Estimate(level, mean, low, high) for level, _, mean, low, high in comparisons.estimates]


def _caption(comparisons: Comparisons) -> str:
    whiskers = f"Whiskers: {100 * (1 - comparisons.alpha):g}% intervals from the error of the model."
    return f"{whiskers} Two levels share a letter exactly when {comparisons.test} does not tell them apart."
