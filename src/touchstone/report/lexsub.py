"""What only lexical substitution has in its report: the best and worst items of each system, rank by rank."""

from collections.abc import Sequence

import numpy as np

from touchstone.core.comparison import Comparison
from touchstone.core.joining import Policy
from touchstone.core.results import Results
from touchstone.core.task import Inputs
from touchstone.report import figures
from touchstone.report.page import Block, Figure, Fold, Paragraph, Section, TableBlock
from touchstone.report.svg import Svg
from touchstone.tasks.lexsub.explaining import RankedItem, rank_items
from touchstone.tasks.lexsub.model import GoldSet, Run

LENIENT = Policy("zero", "ignore", "first")
"""The results exist, so what the user wanted refused was refused before."""

SHOWN_ITEMS = 3
"""Best and worst items shown of each system."""

SHOWN_SYSTEMS = 4
"""Systems whose items are shown."""


def sections(inputs: Inputs[GoldSet, Run], results: Results, comparisons: Sequence[Comparison]) -> list[Section]:
    """Return the section of items, under the measure of the first comparison, or else under the paper's rank."""
    names = [comparison.measure for comparison in comparisons] or [measure.name for measure in results.measures]
    measure = results.measure("rank@10" if "rank@10" in names and not comparisons else names[0])
    ids = results.items_known.column("id").to_pylist()
    blocks: list[Block] = [Paragraph(f"The best and the worst items of each system under {measure.name}.")]
    for system, run in list(zip(results.systems, inputs.runs, strict=True))[:SHOWN_SYSTEMS]:
        values = measure.values(system.records[measure.name])
        order = [row for row in np.argsort(-values, kind="stable").tolist() if not np.isnan(values[row])]
        shown = [
            *((row, "best") for row in order[:SHOWN_ITEMS]),
            *((row, "worst") for row in order[: -SHOWN_ITEMS - 1 : -1]),
        ]
        ranked = rank_items(inputs, run, [ids[row] for row, _ in shown], LENIENT)
        for (row, kind), item in zip(shown, ranked, strict=True):
            title = f"{system.system}, {kind}: item {ids[row]}, {item.item.target} ({values[row]:.3f})"
            blocks.append(Fold(title, _item_blocks(item)))
    return [Section("Items", "items", blocks)]


def draw(ranked: Sequence[RankedItem]) -> Svg:
    """Return the drawing of an item: the ranked list of the first system beside the best one."""
    return cumulative_figure(ranked[0])


def cumulative_figure(ranked: RankedItem) -> Svg:
    """Return the drawing of a ranked list beside the best one: the credit so far at each rank."""
    return figures.cumulative(
        [rank.optimum for rank in ranked.ranks],
        [rank.credit for rank in ranked.ranks],
        [rank.answer or "" for rank in ranked.answered],
        title=f"{ranked.system}, item {ranked.item.id}: {ranked.item.target}",
    )


def _item_blocks(ranked: RankedItem) -> list[Block]:
    item = ranked.item
    return [
        Paragraph(str(item.context) if item.context else f"{item.target} ({item.pos or 'no part of speech'})"),
        TableBlock(ranked.gold_table()),
        TableBlock(ranked.table()),
        Figure(cumulative_figure(ranked)),
    ]
