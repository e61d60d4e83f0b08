"""What only translation has in its report: how far measures agree, and segments with their matching."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import cast

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.base.tables import Cell, Column, Table, number
from touchstone.core.comparison import Comparison
from touchstone.core.explanation import Explanation
from touchstone.core.inputs import Inputs
from touchstone.core.measures import Measure
from touchstone.core.report.item_map import ItemTexts
from touchstone.core.results import Results
from touchstone.show.page import Block, Figure, Fold, Paragraph, Section, TableBlock
from touchstone.show.plots import Axis
from touchstone.show.svg import Svg
from touchstone.stats import correlate
from touchstone.stats.correlation import FEWEST_POINTS
from touchstone.tasks.mt.alignment import draw_alignments
from touchstone.tasks.mt.explaining import RunExplanation, explain_run, explainable
from touchstone.tasks.mt.model import GoldSet, Joined, Run

DETAILED_SEGMENTS = 4
"""Segments that are shown with the translations of all systems: those where systems differ most."""

LONGEST_TITLE = 60
"""Letters of a reference that stand on the fold of its segment."""

LONGEST_IN_REPORT = 60
"""Words of a segment that is drawn in the report; `explain` draws longer ones."""


def sections(inputs: Inputs[GoldSet, Run], results: Results, comparisons: Sequence[Comparison]) -> list[Section]:  # noqa: ARG001 (the form of all tasks)
    """Return how far measures agree on segments, and the segments where systems differ most."""
    agreement = [_agreement(results)] if len(results.measures) > 1 else []
    return [*agreement, Section("Segments", "segments", list(_segments(results, inputs.gold, inputs.runs)))]


def item_texts(inputs: Inputs[GoldSet, Run], rows: Sequence[int]) -> ItemTexts:
    """Return the references of segments, and the translation that each system gave."""
    references = [[("reference", texts[row] or "") for texts in inputs.gold.texts] for row in rows]
    return ItemTexts(references, {run.name: [run.texts[row] or "(nothing)" for row in rows] for run in inputs.runs})


def explanation_sections(explanation: Explanation) -> list[Section]:
    """Return the texts of one segment, and for each run its matching with the nearest reference, the rest folded."""
    explained = cast("Sequence[RunExplanation]", explanation.drawing)
    values = {run.system: run.value for run in explained}
    lines = [line.strip().split("  ", 1) for line in explanation.heading.splitlines()[2:]]
    rows: list[list[Cell]] = [[name, text.strip(), values.get(name)] for name, text in lines]
    heads = [Column(""), Column("text"), Column(explained[0].measure, "right")]
    texts = Table(heads, rows, rules={len(explained[0].alignments)})
    return [Section("Texts", "texts", [TableBlock(texts)]), *map(_explained_run, range(len(explained)), explained)]


def _explained_run(index: int, run: RunExplanation) -> Section:
    nearest, *others = sorted(run.alignments, key=lambda alignment: -alignment.value)
    folds = [
        Fold(f"With reference {other.reference_of[0]}: {number(other.value)}", [Figure(draw_alignments([other]))])
        for other in others
    ]
    tables = [TableBlock(table) for table in (run.parts_table(), *run.links_tables())]
    blocks: list[Block] = [
        Figure(draw_alignments([nearest])),
        *folds,
        Fold("Parts of the score and all links", tables),
    ]
    return Section(f"{run.system}: {run.measure} {number(run.value)}", f"run-{index}", blocks)


def draw(explained: Sequence[RunExplanation]) -> Svg:
    """Return the drawing of one segment: the alignment of each run with each reference."""
    return draw_alignments([alignment for run in explained for alignment in run.alignments])


def _agreement(results: Results) -> Section:
    """Return how far measures agree on segments: the mean over systems of Spearman's correlation."""
    names = [measure.name for measure in results.measures]
    pairs = {(a.name, b.name): _correlation(results, a, b) for a, b in combinations(results.measures, 2)}
    rows: list[list[Cell]] = [
        [a, *(None if a == b else pairs.get((a, b), pairs.get((b, a))) for b in names)] for a in names
    ]
    text = (
        "Spearman's correlation of two measures over the segments of a system, mean over systems. "
        "Measures where lower is better are negated."
    )
    table = Table([Column(""), *(Column(name, "right") for name in names)], rows)
    return Section("Measures against measures", "agreement", [Paragraph(text), TableBlock(table)])


def _correlation(results: Results, a: Measure[Joined], b: Measure[Joined]) -> float | None:
    values = []
    for system in results.systems:
        x, y = ((-1 if m.lower_is_better else 1) * m.values(system.records[m.name]) for m in (a, b))
        if np.count_nonzero(~np.isnan(x + y)) >= FEWEST_POINTS:
            values.append(correlate(x, y, "spearman", draws=20).value)  # its interval is not shown
    finite = [value for value in values if np.isfinite(value)]
    return float(np.mean(finite)) if finite else None


def _segments(results: Results, gold: GoldSet, runs: Sequence[Run]) -> Iterator[Block]:
    """Yield the segments where systems differ most: all translations, and the matching of the best and the worst.

    *runs* have the order of the systems of *results*.
    """
    measure = next((candidate for candidate in results.measures if explainable(candidate)), results.measures[0])
    values = np.stack([measure.values(system.records[measure.name]) for system in results.systems])
    # From here on more is better.
    better = -values if measure.lower_is_better else values
    spread = np.nan_to_num(np.ptp(better, axis=0) if len(runs) > 1 else -better[0], nan=-np.inf)
    where = "where the systems differ most" if len(runs) > 1 else "with the worst scores"
    yield Paragraph(f"Segments {where} under {measure.name}.")
    for row in np.argsort(-spread, kind="stable")[:DETAILED_SEGMENTS].tolist():
        blocks: list[Block] = [TableBlock(_texts(measure, gold, runs, values[:, row], row))]
        if explainable(measure):
            comparable = np.nan_to_num(better[:, row], nan=-np.inf)
            ends = dict.fromkeys((int(comparable.argmax()), int(len(comparable) - 1 - comparable[::-1].argmin())))
            blocks += _drawings(measure, gold, [runs[n] for n in ends], row)
        yield Fold(_segment_title(gold, runs, better[:, row], values[:, row], row), blocks)


def _segment_title(gold: GoldSet, runs: Sequence[Run], better: Floats, values: Floats, row: int) -> str:
    """Return what stands on the fold of a segment: its reference, the best and the worst system."""
    reference = next((text for texts in gold.texts if (text := texts[row])), "")
    ends = [int(np.nanargmax(better)), int(np.nanargmin(better))] if np.isfinite(better).any() else []
    axis = Axis.of(values.tolist())
    scores = ", ".join(f"{runs[n].name} {axis.text(float(values[n]))}" for n in dict.fromkeys(ends))
    text = reference if len(reference) <= LONGEST_TITLE else f"{reference[:LONGEST_TITLE].rsplit(' ', 1)[0]} …"
    return f"Segment {gold.ids[row]}: {text}{f' ({scores})' if scores else ''}"


def _texts(measure: Measure[Joined], gold: GoldSet, runs: Sequence[Run], values: Floats, row: int) -> Table:
    """Return the references of a segment and its translations, in the order of *runs*."""
    references = [text for texts in gold.texts if (text := texts[row])]
    rows: list[list[Cell]] = [["reference", text, None] for text in references]
    for run, value in zip(runs, values.tolist(), strict=True):
        rows.append([run.name, run.texts[row] or "(nothing)", value if np.isfinite(value) else None])
    return Table([Column(""), Column("text"), Column(measure.name, "right")], rows, rules={len(references)})


def _drawings(measure: Measure[Joined], gold: GoldSet, runs: Sequence[Run], row: int) -> Iterator[Block]:
    for run in runs:
        text = run.texts[row]
        if text and len(text.split()) <= LONGEST_IN_REPORT:
            alignments = explain_run(gold, run, row, measure).alignments
            short = [alignment for alignment in alignments if len(alignment.reference) <= LONGEST_IN_REPORT]
            if short:
                each = f"each of its {len(short)} references" if len(short) > 1 else "its reference"
                yield Figure(draw_alignments(short), f"{run.name} against {each}")
