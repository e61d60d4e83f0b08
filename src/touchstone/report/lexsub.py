"""The report of lexical substitution: scores, parts of speech, pairs of systems, and the items behind them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from touchstone.core.comparison import Comparison, compare
from touchstone.core.results import Results
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
from touchstone.tasks.lexsub.answers import Pool
from touchstone.tasks.lexsub.explaining import Explanation, explain_all
from touchstone.tasks.lexsub.measures import PAPER
from touchstone.tasks.lexsub.model import POS_NAMES, GoldSet, Run
from touchstone.tasks.lexsub.pairing import Policy
from touchstone.tasks.lexsub.scorer import Scorer
from touchstone.tasks.lexsub.tables import order_table

LENIENT = Policy("ignore", "first")
"""The results are there, so whatever was to be refused has been."""

SHOWN_ITEMS = 3
"""Best and worst items shown of each system."""

SHOWN_SYSTEMS = 4
"""Systems whose items are shown."""


def lexsub_page(
    results: Results,
    gold: GoldSet,
    runs: Sequence[Run],
    comparisons: Sequence[Comparison] = (),
    *,
    lemmatize: bool = False,
    pool: Pool | None = None,
) -> Page:
    """Return the report of a scoring, led by the first of the *comparisons*, or by the paper's rank.

    *lemmatize* and *pool* are those of the scoring.
    """
    grouped = results if results.by else replace(results, by="pos", group_names=POS_NAMES)
    overall = grouped.overall()
    comparisons = comparisons or _comparisons(overall)
    lead = comparisons[0].measure if comparisons else _lead(results)
    sections = [summary_section(overall), groups_section(grouped, f"By {grouped.by}")]
    if comparisons:
        section = comparison_section(comparisons)
        order = order_table(results)
        sections.append(replace(section, blocks=[*section.blocks, *([TableBlock(order)] if order else [])]))
    scorer = Scorer(PAPER, lemmatize, pool)
    sections.append(Section("Items", "items", _items(results, lead, gold, runs, scorer)))
    sections.append(measures_section(results.measures))
    return results_page("Lexical substitution", results, sections)


def _lead(results: Results) -> str:
    names = [measure.name for measure in results.measures]
    return "rank@10" if "rank@10" in names else names[0]


def _comparisons(results: Results) -> list[Comparison]:
    """Return all pairs of systems under every measure, the leading one first."""
    if len(results.systems) < 2:
        return []
    names = dict.fromkeys([_lead(results), *(measure.name for measure in results.measures)])
    return [compare(results, name) for name in names]


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


def _items(results: Results, lead: str, gold: GoldSet, runs: Sequence[Run], scorer: Scorer) -> list[Block]:
    measure = results.measure(lead)
    ids = results.items_known.column("id").to_pylist()
    blocks: list[Block] = [Paragraph(f"The best and the worst items of each system under {measure.name}.")]
    for system, run in list(zip(results.systems, runs, strict=True))[:SHOWN_SYSTEMS]:
        values = measure.values(system.records[measure.name])
        order = [row for row in np.argsort(-values, kind="stable").tolist() if not np.isnan(values[row])]
        shown = [
            *((row, "best") for row in order[:SHOWN_ITEMS]),
            *((row, "worst") for row in order[: -SHOWN_ITEMS - 1 : -1]),
        ]
        found = explain_all(gold, run, [ids[row] for row, _ in shown], scorer, LENIENT)
        for (row, kind), one in zip(shown, found, strict=True):
            said = f"{system.system}, {kind}: item {ids[row]}, {one.item.target} ({values[row]:.3f})"
            blocks.append(Fold(said, explanation_blocks(one)))
    return blocks
