"""The report of an inference challenge set: scores, categories, systems side by side, annotators, and single pairs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from textwrap import wrap
from typing import cast

from touchstone.base.errors import visible
from touchstone.base.tables import Cell, Column, Table
from touchstone.core.comparison import Comparison
from touchstone.core.explanation import Explanation
from touchstone.core.inputs import Inputs
from touchstone.core.report.differences import groups_section
from touchstone.core.report.item_map import ItemTexts
from touchstone.core.report.verdict import ordered_rows
from touchstone.core.results import Results
from touchstone.show import figures
from touchstone.show.colours import BETTER, INK, MUTED, WORSE_TEXT
from touchstone.show.lexicon_paths import path_drawing
from touchstone.show.page import Block, Figure, Fold, Page, Paragraph, Section, TableBlock
from touchstone.show.svg import Svg, elided, framed, is_narrow, two_widths, width
from touchstone.tasks.nli.annotator_agreement import quiet_agreement, set_table
from touchstone.tasks.nli.calibration import Bin, reliability, reliability_table
from touchstone.tasks.nli.explaining import ExplainedPair, explain_pair
from touchstone.tasks.nli.model import OTHER, GoldSet, Pair, Run, Span
from touchstone.tasks.nli.task import MAJORITY

MISTAKES_PER_SYSTEM = 3
"""Wrongly labelled pairs shown of each system."""

MOST_SYSTEMS_WITH_MISTAKES = 4
"""Systems whose pairs are shown."""

_MARK = {"premise": BETTER, "hypothesis": WORSE_TEXT}
_SIZE, _LETTER, _LINE, _EDGE = 15, 7.6, 24, 14
"""In pixels: size of letters, their mean width, height of a line, margin."""


def sections(inputs: Inputs[GoldSet, Run], results: Results, comparisons: Sequence[Comparison]) -> list[Section]:  # noqa: ARG001 (the form of all tasks)
    """Return what only inference has in its report: confusions, agreement of annotators, pairs with wrong labels."""
    gold = inputs.gold
    task_sections = [Section("Confusion", "confusion", [TableBlock(_confusion(results, gold.labels))])]
    if any(len(pair.annotators) > 1 for pair in gold.pairs):
        agreement = quiet_agreement(gold, resampling=replace(results.resampling, cluster="premise"))
        paper = Fold("As in Table 2 of the paper", [TableBlock(set_table(gold, agreement.coefficients))])
        task_sections.append(Section("Annotators", "annotators", [TableBlock(agreement.table()), paper]))
    if any(run.probabilities is not None for run in inputs.runs):
        task_sections.append(_calibration(results))
    return [*task_sections, Section("Pairs", "pairs", list(_pairs(inputs)))]


def item_texts(inputs: Inputs[GoldSet, Run], rows: Sequence[int]) -> ItemTexts:
    """Return the sentences of pairs and the labels that annotators gave; what systems gave is known without it."""
    scored = inputs.gold.scored[list(rows)].tolist()
    return ItemTexts([_lines(inputs.gold.pairs[row]) for row in scored])


def _lines(pair: Pair) -> list[tuple[str, str]]:
    annotators = ", ".join(f"{label} {count:g}" for label, count in pair.votes.weights.items())
    return [("premise", pair.premise), ("hypothesis", pair.hypothesis), ("annotators", annotators)]


def _calibration(results: Results) -> Section:
    """Return how often systems are right where they are so confident."""
    bins = [each for each in reliability(results) if each.system != MAJORITY]
    caption = "On the diagonal a system is as often right as it is confident; below, it is too confident."
    return Section(
        "Calibration", "calibration", [Figure(reliability_figure(bins), caption), TableBlock(reliability_table(bins))]
    )


def reliability_figure(bins: Sequence[Bin]) -> Svg:
    """Return a panel for each system: accuracy with its interval over confidence, beside the diagonal."""
    panels: dict[str, list[figures.Bin]] = {}
    for each in bins:
        drawn = figures.Bin(each.confidence, each.accuracy, each.low, each.high, each.n)
        panels.setdefault(each.system, []).append(drawn)
    return figures.calibration(panels, ("confidence", "accuracy"))


def breakdown_page(results: Results, breakdowns: Sequence[Results]) -> Page:
    """Return the report of a scoring with accuracy on contradictions in each bin of the *breakdowns*."""
    page = results.page()
    order = [row.system for row in ordered_rows(results, results.measures[0].name)]
    pair = [system for system in order if system not in results.baselines][:2]
    bins = [
        replace(groups_section(breakdown, breakdown.measures[0].name, pair), anchor=str(breakdown.by))
        for breakdown in breakdowns
    ]
    return replace(page, sections=[page.sections[0], *bins, *page.sections[1:]])


def explanation_sections(explanation: Explanation) -> list[Section]:
    """Return one pair as a drawing, which shows all labels, and the same as tables, folded."""
    drawn = Figure(draw(cast("ExplainedPair", explanation.drawing)))
    return [Section("", "pair", [drawn, Fold("Labels and rules as tables", [*map(TableBlock, explanation.tables)])])]


@two_widths
def draw(explained: ExplainedPair) -> Svg:
    """Return the drawing of a pair: both sentences with the replaced words marked, all labels, the path in WordNet."""
    lines = [
        *_sentence("premise", explained.pair.premise, explained.replaced),
        *_sentence("hypothesis", explained.pair.hypothesis, explained.replacement),
        *_labels(explained),
    ]
    top = _EDGE + _SIZE
    letters = f'font-size="{_SIZE}" fill="{INK}"'
    texts = [f'<text x="{_EDGE}" y="{top + index * _LINE}" {letters}>{line}</text>' for index, line in enumerate(lines)]
    height, path, path_label = _path(explained, top + len(lines) * _LINE)
    label = " / ".join(explained.marked())[:1000] + path_label
    return framed("".join(texts) + path, width(), height, label)


def _confusion(results: Results, gold_labels: Sequence[str]) -> Table:
    """Return how often each system gave each label to pairs of each gold label."""
    golds = results.items_known.column("gold").to_pylist()
    labels: list[str | None] = [*gold_labels, OTHER, None]
    rows: list[list[Cell]] = []
    rules = set()
    for system in results.systems:
        if system.system == MAJORITY:
            continue
        rules.add(len(rows))
        predictions = system.facts.column("prediction").to_pylist()
        counts = Counter(zip(golds, predictions, strict=True))
        rows += [
            ["" if index else system.system, gold, *(counts[gold, label] for label in labels)]
            for index, gold in enumerate(gold_labels)
        ]
    heads = (*gold_labels, OTHER, "no prediction")
    used = [index for index, label in enumerate(labels) if label in gold_labels or any(row[2 + index] for row in rows)]
    columns = [Column("system"), Column("gold"), *(Column(heads[index], "right") for index in used)]
    visible_rows = [[*row[:2], *(row[2 + index] for index in used)] for row in rows]
    return Table(
        columns, visible_rows, rules=rules - {0}, notes=["rows: the gold label; columns: the label of the system"]
    )


def _pairs(inputs: Inputs[GoldSet, Run]) -> Iterator[Block]:
    """Yield some pairs that each system labels wrongly, of different categories where there are any."""
    yield Paragraph(
        f"The first {MISTAKES_PER_SYSTEM} pairs that each system labels wrongly, "
        "of different categories where there are any; "
        "touchstone nli explain shows any other."
    )
    for run in inputs.runs[:MOST_SYSTEMS_WITH_MISTAKES]:
        wrong = [pair for pair in inputs.gold.pairs if pair.gold and run.label(pair.id) not in (None, pair.gold)]
        first_of_each = {pair.category: pair.id for pair in reversed(wrong)}
        chosen = list(dict.fromkeys([*reversed(first_of_each.values()), *(pair.id for pair in wrong)]))
        for name in chosen[:MISTAKES_PER_SYSTEM]:
            explained = explain_pair(inputs.gold, [run], name)
            category = f", {explained.pair.category}" if explained.pair.category else ""
            title = f"{run.name}: pair {name}{category}, {run.label(name)} instead of {explained.pair.gold}"
            yield Fold(title, [Figure(draw(explained))])


def _labels(explained: ExplainedPair) -> list[str]:
    """Return the labels of annotators, gold, systems and rules, one per line."""
    labels = {"annotators": explained.votes} if explained.votes else {}
    labels |= {"gold": explained.pair.gold or "no majority"}
    labels |= {system: label or "no prediction" for system, label in explained.predictions.items()}
    labels |= {name: f"{decision.label} ({decision.because})" for name, decision in explained.decisions.items()}
    small = f'<tspan fill="{MUTED}" font-size="13">'
    return [
        f"{small}{'' if index else escape(elided(who, _names() // 8))}</tspan>"
        f'<tspan x="{_EDGE + _names()}" font-size="13">{escape(line)}</tspan>'
        for who, label in labels.items()
        for index, line in enumerate(wrap(visible(label), _letters()))
    ]


def _names() -> int:
    """Return the units that the names of the lines take."""
    return 90 if is_narrow() else 138


def _letters() -> int:
    """Return how many letters of a sentence there is room for in a line."""
    return int((width() - 2 * _EDGE - _names()) / _LETTER)


def _path(explained: ExplainedPair, top: float) -> tuple[float, str, str]:
    """Return the height of the drawing; the path in WordNet, if there is one, under the sentences; and its label."""
    if not explained.way:
        return top, "", ""
    path = path_drawing(explained.way)
    scale = min(1.0, width() / path.across)
    placed = f'<g transform="translate(0 {top:g}) scale({scale:.4g})">{path.elements}</g>'
    return top + path.down * scale, placed, f"; path in WordNet: {path.label}"


def _sentence(name: str, sentence: str, span: Span | None) -> list[str]:
    """Return a sentence in lines of marked-up text, its name in front of the first."""
    start, end = (span.start, span.end) if span else (0, 0)
    parts = [(sentence[:start], False), (sentence[start:end] or "∅" * bool(span), True), (sentence[end:], False)]
    words = [(word, marked) for text, marked in parts for word in text.split()]
    lines: list[list[tuple[str, bool]]] = [[]]
    for word, marked in words:
        if sum(len(earlier) + 1 for earlier, _ in lines[-1]) + len(word) > _letters():
            lines.append([])
        lines[-1].append((word, marked))
    texts = [" ".join(_marked(word, _MARK[name] if marked else None) for word, marked in line) for line in lines]
    return [
        f'<tspan fill="{MUTED}">{"" if index else name}</tspan><tspan x="{_EDGE + _names()}">{line}</tspan>'
        for index, line in enumerate(texts)
    ]


def _marked(word: str, colour: str | None) -> str:
    text = escape(visible(word))
    return text if colour is None else f'<tspan fill="{colour}" font-weight="bold">{text}</tspan>'
