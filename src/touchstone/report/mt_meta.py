"""The report of a meta-evaluation: metrics and judges, systems one by one, metrics among themselves."""

from touchstone.core.tables import number
from touchstone.report import figures
from touchstone.report.figures import Estimate
from touchstone.report.mt_meta_figures import Cloud, Dot, clouds, similarity
from touchstone.report.page import Block, Figure, Fold, Page, Paragraph, Section, TableBlock
from touchstone.report.svg import Svg
from touchstone.tasks.mt.judges.metaeval.model import Criterion, Meta
from touchstone.tasks.mt.judges.metaeval.tables import (
    criteria_table,
    human_tables,
    is_rated,
    pairs_table,
    rated_table,
    segment_table,
    shown_rule,
    system_table,
    wmt_table,
)

SIMILARITY = {
    "systems": "Spearman of scores of systems, averaged over groups.",
    "segments": "Pearson of scores of segments, averaged over groups.",
}


def meta_page(meta: Meta) -> Page:
    """Return the report: metrics and judges, the systems, metrics among themselves, and tests."""
    several = len(meta.criteria) > 1
    sections = [Section("Criteria", "criteria", [TableBlock(criteria_table(meta))])] if several else []
    for place, criterion in enumerate(meta.criteria):
        which, anchor = (f": {criterion.name}", f"-{place}") if several else ("", "")
        sections += [
            Section(f"Metrics and judges{which}", f"judges{anchor}", _against_judges(meta, criterion)),
            Section(f"Systems{which}", f"systems{anchor}", _systems(meta, criterion)),
        ]
        if len(meta.measures) > 1:
            sections += [
                Section(f"Metrics among themselves{which}", f"metrics{anchor}", _similarities(meta, criterion)),
                Section(f"Tests{which}", f"tests{anchor}", [TableBlock(pairs_table(meta, criterion))]),
            ]
    remarks: list[Block] = [Paragraph(note) for note in meta.notes]
    remarks += [Fold("Texts and scores of systems", [Paragraph(one) for one in meta.remarks])] if meta.remarks else []
    notes = [Section("Notes", "notes", remarks)] if remarks else []
    groups = ", ".join(meta.criteria[0].groups)
    version = meta.signature["touchstone"]
    return Page(
        "Metrics and human judgements", [*sections, *notes], f"{len(meta.measures)} metrics on {groups}",
        meta.signature, f"touchstone {version}",
    )  # fmt: skip


def _against_judges(meta: Meta, criterion: Criterion) -> list[Block]:
    whole = None if len(criterion.groups) > 1 else criterion.groups[0]
    shown = {"spearman": "Spearman, systems", f"tau.{meta.ties}": f"tau, ties {meta.ties}", "acc_eq": "acc_eq"}
    estimates = [
        Estimate(measure, found.value, found.low, found.high, name)
        for statistic, name in shown.items()
        for measure in meta.measures
        for found in [criterion.finding(measure, statistic, whole)]
    ]
    drawn = figures.intervals(estimates, "How well metrics agree with judges")
    caption = f"{'Averages over groups; whiskers' if whole is None else 'Whiskers'}: {meta.signature['intervals']}."
    tables: list[Block] = [TableBlock(system_table(meta, criterion)), TableBlock(segment_table(meta, criterion))]
    if is_rated(criterion):
        tables.append(TableBlock(rated_table(meta, criterion)))
    return [Figure(drawn, caption), *tables, TableBlock(wmt_table(meta, criterion))]


def _systems(meta: Meta, criterion: Criterion) -> list[Block]:
    """Return the scatter of every metric, the first open, and the scores behind it."""
    first, *others = meta.measures
    caption = "A dot for each system; the line through it is the interval of the judges' value."
    blocks: list[Block] = [Figure(scatter(meta, criterion, first), caption)]
    blocks += [Fold(f"Under {measure}", [Figure(scatter(meta, criterion, measure))]) for measure in others]
    return [*blocks, Fold("All scores of systems", [*map(TableBlock, human_tables(meta, criterion))])]


def scatter(meta: Meta, criterion: Criterion, measure: str) -> Svg:
    """Return a metric's scores of systems against the judges' values, a panel for each group."""
    given = []
    for group in criterion.groups:
        dots = [
            Dot(one.system, score, one.human, one.low, one.high)
            for one in criterion.standings
            if one.group == group and (score := one.scores[measure]) is not None
        ]
        rho, r = (number(criterion.finding(measure, name, group).value) for name in ("spearman", "pearson"))
        given.append(Cloud(f"{group}: Spearman {rho}, Pearson {r}", dots))
    lower = measure in meta.lower_is_better
    return clouds(given, measure, shown_rule(criterion), f"{measure} against judges", lower_is_better=lower)


def _similarities(meta: Meta, criterion: Criterion) -> list[Block]:
    return [
        Figure(similarity(meta.measures, values, f"Metric against metric: {level}"), SIMILARITY[level])
        for level, values in criterion.similarity.items()
    ]
