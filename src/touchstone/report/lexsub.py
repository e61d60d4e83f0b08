"""The report of lexical substitution: scores, parts of speech, pairs of systems, and the items behind them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from touchstone.comparison import compare
from touchstone.report import figures
from touchstone.report.page import Block, Figure, Fold, Page, Paragraph, Section, TableBlock
from touchstone.report.results import (
    comparison_section,
    groups_section,
    measures_section,
    results_page,
    summary_section,
)
from touchstone.report.svg import Svg
from touchstone.results import Results
from touchstone.tasks.lexsub.explaining import Explanation, explain_all
from touchstone.tasks.lexsub.model import POS_NAMES, GoldSet, Run
from touchstone.tasks.lexsub.pairing import Policy
from touchstone.tasks.lexsub.tables import order_table

LENIENT = Policy("ignore", "first")
"""The results are there, so whatever was to be refused has been."""

SHOWN_ITEMS = 3
"""Best and worst items shown of each system."""

SHOWN_SYSTEMS = 4
"""Systems whose items are shown."""


def lexsub_page(results: Results, gold: GoldSet, runs: Sequence[Run]) -> Page:
    """Return the report of a scoring."""
    overall = replace(results, by=None)
    sections = [summary_section(overall)]
    groups = replace(results, by=results.by or "pos", group_names=POS_NAMES if results.by in (None, "pos") else {})
    sections.append(groups_section(groups, f"By {groups.by}"))
    if len(results.systems) > 1:
        order = order_table(results)
        section = comparison_section([compare(overall, measure.name) for measure in reversed(results.measures)])
        extra = [TableBlock(order)] if order else []
        sections.append(replace(section, blocks=[*section.blocks, *extra]))
    sections.append(Section("Items", "items", _items(results, gold, runs)))
    sections.append(measures_section(results.measures))
    return results_page("Lexical substitution", results, sections)


def cumulative_figure(explanation: Explanation) -> Svg:
    """Return the drawing of an item's ranked list beside the best one."""
    ranks = explanation.ranks
    return figures.cumulative(
        [rank.optimum for rank in ranks],
        [rank.credit for rank in ranks],
        [rank.answer or "" for rank in explanation.answered],
        title=f"{explanation.system}, item {explanation.item.id}: {explanation.item.target}",
    )


def explanation_blocks(explanation: Explanation) -> list[Block]:
    """Return one item as the paper would show it."""
    item = explanation.item
    return [
        Paragraph(str(item.context) if item.context else f"{item.target} ({item.pos or 'no part of speech'})"),
        TableBlock(explanation.gold_table()),
        TableBlock(explanation.table()),
        Figure(cumulative_figure(explanation)),
    ]


def _items(results: Results, gold: GoldSet, runs: Sequence[Run]) -> list[Block]:
    measure = results.measures[-1]
    ids = results.items_known.column("id").to_pylist()
    blocks: list[Block] = [Paragraph(f"The best and the worst items of each system under {measure.name}.")]
    for system, run in list(zip(results.systems, runs, strict=True))[:SHOWN_SYSTEMS]:
        values = measure.values(system.records[measure.name])
        order = [row for row in np.argsort(-values, kind="stable").tolist() if not np.isnan(values[row])]
        for kind, rows in (("best", order[:SHOWN_ITEMS]), ("worst", order[-SHOWN_ITEMS:][::-1])):
            for row, found in zip(rows, explain_all(gold, run, [ids[row] for row in rows], LENIENT), strict=True):
                said = f"{system.system}, {kind}: item {ids[row]}, {found.item.target} ({values[row]:.3f})"
                blocks.append(Fold(said, explanation_blocks(found)))
    return blocks
