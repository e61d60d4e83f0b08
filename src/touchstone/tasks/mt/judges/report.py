"""The report of a meta-evaluation: metrics and judges, systems one by one, metrics among themselves."""

from math import isfinite
from typing import TYPE_CHECKING

from touchstone.base.tables import number
from touchstone.show import figures
from touchstone.show.clouds import Cloud, Dot, clouds
from touchstone.show.figures import Estimate, least_of, similarity
from touchstone.show.page import Beside, Block, Figure, Fold, Paragraph, Section, TableBlock
from touchstone.show.svg import Svg
from touchstone.tasks.mt.judges.metaeval.tables import (
    criteria_table,
    human_tables,
    is_rated,
    pairs_table,
    rated_table,
    rule_with_direction,
    segment_table,
    system_table,
    wmt_table,
)

if TYPE_CHECKING:
    from touchstone.tasks.mt.judges.metaeval.model import Criterion, Meta

SIMILARITY = {"systems": "Spearman of scores of systems", "segments": "Pearson of scores of segments"}


def meta_sections(meta: "Meta") -> list[Section]:
    """Return the sections of the report: metrics and judges, the systems, metrics among themselves, and tests."""
    several = len(meta.criteria) > 1
    sections = [Section("Criteria", "criteria", [TableBlock(criteria_table(meta))])] if several else []
    for position, criterion in enumerate(meta.criteria):
        suffix, anchor = (f": {criterion.name}", f"-{position}") if several else ("", "")
        sections += [
            Section(f"Metrics and judges{suffix}", f"judges{anchor}", _against_judges(meta, criterion)),
            Section(f"Systems{suffix}", f"systems{anchor}", _systems(meta, criterion)),
        ]
        if len(meta.measures) > 1:
            sections += [
                Section(f"Metrics among themselves{suffix}", f"metrics{anchor}", _similarities(meta, criterion)),
                Section(f"Tests{suffix}", f"tests{anchor}", [TableBlock(pairs_table(meta, criterion))]),
            ]
    if meta.remarks:
        remarks: list[Block] = [Fold("Notes on texts and scores", [Paragraph(text) for text in meta.remarks])]
        sections.append(Section("Texts and scores of systems", "texts", remarks))
    return sections


def _against_judges(meta: "Meta", criterion: "Criterion") -> list[Block]:
    statistics = {"spearman": "Spearman, systems", f"tau.{meta.ties}": f"tau, ties {meta.ties}", "acc_eq": "acc_eq"}
    estimates = [
        Estimate(measure, agreement.value, agreement.low, agreement.high, name)
        for statistic, name in statistics.items()
        for measure in meta.measures
        for agreement in [criterion.agreement(measure, statistic, criterion.overall_group)]
    ]
    drawn = figures.intervals(estimates, "How well metrics agree with judges")
    how = meta.signature["intervals"].partition(";")[0]
    caption = f"{'Averages over groups; whiskers' if criterion.overall_group is None else 'Whiskers'}: {how}."
    tables: list[Block] = [TableBlock(system_table(meta, criterion)), TableBlock(segment_table(meta, criterion))]
    if is_rated(criterion):
        tables.append(Fold("Correlation with the scores of translations", [TableBlock(rated_table(meta, criterion))]))
    return [Figure(drawn, caption), *tables, Fold("WMT's conventions", [TableBlock(wmt_table(meta, criterion))])]


def _systems(meta: "Meta", criterion: "Criterion") -> list[Block]:
    """Return the scatter of every metric, the one that agrees best open, and the scores behind it."""
    first = _best_on_systems(meta, criterion)
    others = [measure for measure in meta.measures if measure != first]
    caption = "A dot for each system; the line through it is the interval of the judges' value."
    blocks: list[Block] = [Figure(scatter(meta, criterion, first), caption)]
    blocks += [Fold(f"Under {measure}", [Figure(scatter(meta, criterion, measure))]) for measure in others]
    return [*blocks, Fold("All scores of systems", [*map(TableBlock, human_tables(meta, criterion))])]


def _best_on_systems(meta: "Meta", criterion: "Criterion") -> str:
    """Return the metric with the highest Spearman correlation over systems; the first of equals."""
    values = {
        measure: criterion.agreement(measure, "spearman", criterion.overall_group).value for measure in meta.measures
    }
    return max(meta.measures, key=lambda measure: values[measure] if isfinite(values[measure]) else -2.0)


def scatter(meta: "Meta", criterion: "Criterion", measure: str) -> Svg:
    """Return a metric's scores of systems against the judges' values, a panel for each group."""
    drawn_groups = []
    for group in criterion.groups:
        dots = [
            Dot(standing.system, score, standing.human, standing.low, standing.high)
            for standing in criterion.standings
            if standing.group == group and (score := standing.scores[measure]) is not None
        ]
        rho, r = (number(criterion.agreement(measure, name, group).value) for name in ("spearman", "pearson"))
        drawn_groups.append(Cloud(f"{group}: Spearman {rho}, Pearson {r}", dots))
    lower = measure in meta.lower_is_better
    return clouds(
        drawn_groups, measure, rule_with_direction(criterion), f"{measure} against judges", lower_is_better=lower
    )


def _similarities(meta: "Meta", criterion: "Criterion") -> list[Block]:
    least = min(map(least_of, criterion.similarity.values()), default=1.0)
    over = ", averaged over groups" if len(criterion.groups) > 1 else ""
    maps = [
        Figure(
            similarity(meta.measures, values, f"Metric against metric: {level}", least), SIMILARITY[level] + over + "."
        )
        for level, values in criterion.similarity.items()
    ]
    return [Beside(maps)]
