"""The report of translations: scores, systems side by side, how far measures agree, segments with their matching."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from touchstone.core.comparison import compare
from touchstone.core.measures import Measure
from touchstone.core.results import Results
from touchstone.core.tables import Cell, Column, Table
from touchstone.report import figures
from touchstone.report.alignment import draw_alignments
from touchstone.report.figures import Estimate
from touchstone.report.page import Block, Figure, Fold, Page, Paragraph, Section, TableBlock
from touchstone.report.results import comparison_section, groups_section, measures_section, results_page
from touchstone.stats import correlate
from touchstone.tasks.mt.explaining import explain, explainable
from touchstone.tasks.mt.inputs import References, System
from touchstone.tasks.mt.model import Compared
from touchstone.tasks.mt.tables import score_table

SHOWN_SEGMENTS = 4
"""Segments that are shown with the translations of all systems: those on which systems differ most."""

MOST_COMPARED = 12
"""Systems whose differences are drawn; more would take minutes to test and fill no readable square."""

LONGEST_SHOWN = 60
"""Words of a segment that is drawn in the report; longer ones are there for `explain`."""


def mt_page(results: Results, references: References, systems: Sequence[System]) -> Page:
    """Return the report of a scoring."""
    overall = results.overall() if results.by else results
    sections = [_summary(overall)]
    if results.by:
        sections.append(groups_section(results, f"By {results.by}"))
    if 1 < len(systems) <= MOST_COMPARED:
        sections.append(comparison_section([compare(overall, measure.name) for measure in overall.measures]))
    elif len(systems) > MOST_COMPARED:
        said = f"{len(systems)} systems are too many for a readable square of pairs: see `touchstone mt compare`."
        sections.append(Section("Comparison", "comparison", [Paragraph(said)]))
    if len(overall.measures) > 1:
        sections.append(_agreement(overall))
    sections.append(Section("Segments", "segments", list(_segments(overall, references, systems))))
    sections.append(measures_section(overall.measures))
    return results_page("Translation", overall, sections)


def _summary(results: Results) -> Section:
    """Return the measures side by side, then each with its intervals, drawn to its own scale."""
    blocks: list[Block] = [TableBlock(score_table(results))]
    for measure in results.measures:
        sign = 1 if measure.lower_is_better else -1
        rows = sorted((row for row in results.rows if row.measure == measure.name), key=lambda row: sign * row.value)
        estimates = [Estimate(row.system, row.value, row.low, row.high, row.measure) for row in rows]
        said = "lower is better" if measure.lower_is_better else ""
        blocks.append(Figure(figures.intervals(estimates, xlabel=said), measure.summary))
    whiskers = [] if results.resampling.method == "none" else [Paragraph(f"Whiskers: {results.resampling}.")]
    return Section("Summary", "summary", [*blocks, *whiskers, Fold("All values", [TableBlock(results.table())])])


def _agreement(results: Results) -> Section:
    """Return how far measures agree on segments: the mean over systems of Spearman's correlation."""
    names = [measure.name for measure in results.measures]
    shared = {pair: _correlation(results, *pair) for pair in combinations(results.measures, 2)}
    found = {(a.name, b.name): value for (a, b), value in shared.items()}
    rows: list[list[Cell]] = [
        [a, *(None if a == b else found.get((a, b), found.get((b, a))) for b in names)] for a in names
    ]
    said = (
        "Spearman's correlation of two measures over the segments of a system, mean over systems; "
        "a measure where lower is better is turned round."
    )
    table = Table([Column(""), *(Column(name, "right") for name in names)], rows)
    return Section("Measures against measures", "agreement", [Paragraph(said), TableBlock(table)])


def _correlation(results: Results, a: Measure[Compared], b: Measure[Compared]) -> float | None:
    found = []
    for system in results.systems:
        x, y = ((-1 if m.lower_is_better else 1) * m.values(system.records[m.name]) for m in (a, b))
        found.append(correlate(x, y, "spearman", draws=20).value)  # its interval is not shown
    known = [value for value in found if np.isfinite(value)]
    return float(np.mean(known)) if known else None


def _segments(results: Results, references: References, systems: Sequence[System]) -> Iterator[Block]:
    """Yield the segments on which the systems differ most, with all translations and the matching of two."""
    measure = next((one for one in results.measures if explainable(one.name)), results.measures[0])
    values = np.stack([measure.values(system.records[measure.name]) for system in results.systems])
    spread = np.nan_to_num(np.ptp(values, axis=0) if len(systems) > 1 else -values[0], nan=-np.inf)
    how = "on which the systems differ most" if len(systems) > 1 else "with the lowest scores"
    yield Paragraph(f"Segments {how} under {measure.name}.")
    for row in np.argsort(-spread, kind="stable")[:SHOWN_SEGMENTS].tolist():
        order = np.argsort(-np.nan_to_num(values[:, row], nan=-np.inf), kind="stable").tolist()
        blocks: list[Block] = [TableBlock(_texts(measure, references, systems, values, row))]
        blocks += _drawings(measure, references, [systems[n] for n in dict.fromkeys((order[0], order[-1]))], row)
        yield Fold(f"Segment {references.ids[row]}", blocks)


def _texts(
    measure: Measure[Compared], references: References, systems: Sequence[System], values: np.ndarray, row: int
) -> Table:
    """Return the references of a segment and what systems made of it, best first."""
    models = [text for texts in references.texts if (text := texts[row])]
    rows: list[list[Cell]] = [["reference", text, None] for text in models]
    rank = np.argsort(-np.nan_to_num(values[:, row], nan=-np.inf), kind="stable")
    order = rank[::-1] if measure.lower_is_better else rank
    for n in order.tolist():
        value = float(values[n, row])
        rows.append([systems[n].name, systems[n].texts[row] or "(nothing)", value if np.isfinite(value) else None])
    return Table([Column(""), Column("text"), Column(measure.name, "right")], rows, rules={len(models)})


def _drawings(
    measure: Measure[Compared], references: References, systems: Sequence[System], row: int
) -> Iterator[Block]:
    if not explainable(measure.name):
        return
    for system in systems:
        text = system.texts[row]
        if text and len(text.split()) <= LONGEST_SHOWN:
            found = explain(references, system, references.ids[row], measure.name)
            drawn = [one for one in found.parts if len(one.reference) <= LONGEST_SHOWN]
            if drawn:
                yield Figure(draw_alignments(drawn[:1]), f"{system.name} against its first reference")
