"""What only lexical substitution has in its report: sentences, human answers, and the ranked list of each system."""

from collections.abc import Sequence
from typing import cast

from touchstone.base.ids import Policy
from touchstone.core.comparison import Comparison
from touchstone.core.explanation import Explanation
from touchstone.core.inputs import Inputs
from touchstone.core.report.item_map import ItemTexts
from touchstone.core.results import Results
from touchstone.show import figures
from touchstone.show.figures import RankedList
from touchstone.show.page import Block, Figure, Fold, Section, TableBlock
from touchstone.show.svg import Svg
from touchstone.tasks.lexsub.explaining import RankedItem, rank_items
from touchstone.tasks.lexsub.model import GoldSet, Item, Run

LENIENT = Policy("zero", "ignore", "first")
"""The results exist, so what the user wanted refused was refused before."""


def sections(inputs: Inputs[GoldSet, Run], results: Results, comparisons: Sequence[Comparison]) -> list[Section]:  # noqa: ARG001 (the form of all tasks)
    """Return no section of its own: the map of items shows every list."""
    return []


def item_texts(inputs: Inputs[GoldSet, Run], rows: Sequence[int]) -> ItemTexts:
    """Return the sentence and the human answers of items, and each system's list with the weights of its answers."""
    gold = inputs.gold
    ids = [gold.ids[row] for row in gold.scored[list(rows)].tolist()]
    lists_by_system = {
        run.name: [_answers(ranked) for ranked in rank_items(inputs, run, ids, LENIENT, ())] for run in inputs.runs
    }
    return ItemTexts([_lines(gold[name]) for name in ids], lists_by_system)


def _lines(item: Item) -> list[tuple[str, str]]:
    people = sorted(item.gold.weights.items(), key=lambda pair: -pair[1])
    sentence = [("sentence", str(item.context))] if item.context else []
    return [*sentence, ("people", ", ".join(f"{answer} {weight:g}" for answer, weight in people))]


def _answers(ranked: RankedItem) -> str:
    """Return a list with the weight of each answer that people gave too."""
    answers = [f"{rank.answer} {rank.weight:g}" if rank.weight else str(rank.answer) for rank in ranked.answered]
    return ", ".join(answers) or "(nothing)"


def explanation_sections(explanation: Explanation) -> list[Section]:
    """Return the values of one item, what people said, and the list of each system as a drawing and as a table."""
    people, *lists, values = explanation.tables
    ranked = cast("Sequence[RankedItem]", explanation.drawing)
    blocks: list[Block] = [TableBlock(values), TableBlock(people)]
    for ranked_item, table in zip(ranked, lists, strict=True):
        blocks += [
            Figure(cumulative_figure(ranked_item)),
            Fold(f"The list of {ranked_item.system} as a table", [TableBlock(table)]),
        ]
    return [Section("", "item", blocks)]


def draw(ranked: Sequence[RankedItem]) -> Svg:
    """Return the drawing of an item: the ranked list of each system beside the best one."""
    if len(ranked) == 1:
        return cumulative_figure(ranked[0])
    first = ranked[0].item
    return figures.cumulative_lists(
        [_list_of(ranked_item, ranked_item.system) for ranked_item in ranked], f"item {first.id}: {first.target}"
    )


def cumulative_figure(ranked: RankedItem) -> Svg:
    """Return the drawing of a ranked list beside the best one: the credit so far at each rank."""
    title = f"{ranked.system}, item {ranked.item.id}: {ranked.item.target}"
    return figures.cumulative_lists([_list_of(ranked)], title)


def _list_of(ranked: RankedItem, title: str = "") -> RankedList:
    optimal, earned = ([getattr(rank, name) for rank in ranked.ranks] for name in ("optimum", "credit"))
    return RankedList(optimal, earned, [rank.answer or "" for rank in ranked.answered], title)
