"""The report of an inference challenge set: scores, categories, systems side by side, readers, and single pairs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape

from touchstone.core.comparison import compare
from touchstone.core.errors import visible
from touchstone.core.results import Results
from touchstone.core.tables import Cell, Column, Table
from touchstone.lexicon.drawing import draw_path
from touchstone.report import figures
from touchstone.report.figures import Estimate
from touchstone.report.page import Block, Figure, Fold, Page, Paragraph, Section, TableBlock
from touchstone.report.results import comparison_section, measures_section, results_page
from touchstone.report.svg import INK, MUTED, WIDTH, Svg, elided
from touchstone.tasks.nli.agreeing import agreement
from touchstone.tasks.nli.explaining import Explanation, explain
from touchstone.tasks.nli.model import LABELS, OTHER, PairSet, Run, Span
from touchstone.tasks.nli.scoring import category_order
from touchstone.tasks.nli.tables import discordant_table, group_table, score_table, set_table

COMPARED = ("accuracy", "macro_f1")
"""Measures under which systems are held against each other; recalls stand in the summary."""

SHOWN_ITEMS = 3
"""Wrongly labelled pairs shown of each system."""

SHOWN_SYSTEMS = 4
"""Systems whose pairs are shown."""

_MARK = {"premise": "#0072b2", "hypothesis": "#d55e00"}
_SIZE, _LETTER, _LINE, _EDGE, _NAME = 15, 7.6, 24, 20, 132
"""In pixels: size of letters, their mean width, height of a line, margin, width of the names of the sentences."""


def nli_page(results: Results, pairs: PairSet, runs: Sequence[Run], breakdowns: Sequence[Results] = ()) -> Page:
    """Return the report of a scoring."""
    overall = replace(results, by=None)
    sections = [_summary(overall)]
    by = results.by or ("category" if any(pair.category for pair in pairs.pairs) else None)
    if by:
        order = category_order(pairs) if by == "category" else {}
        sections.append(_groups(replace(results, by=by, group_names=order), f"By {by}", "groups"))
    sections += [_groups(one, f"By {one.by}", str(one.by)) for one in breakdowns]
    sections.append(_comparison(overall))
    if any(len(pair.annotators) > 1 for pair in pairs.pairs):
        found = agreement(pairs, resampling=results.resampling)
        blocks = [TableBlock(set_table(pairs, found)), TableBlock(found.table())]
        sections.append(Section("Readers", "readers", blocks))
    sections.append(Section("Pairs", "pairs", list(_pairs(pairs, runs))))
    sections.append(measures_section(results.measures))
    return results_page("Inference challenge set", overall, sections)


def pair_figure(explanation: Explanation) -> Svg:
    """Return the drawing of a pair: both sentences with the replaced words marked, and their way in WordNet."""
    lines = [
        *_sentence("premise", explanation.pair.premise, explanation.replaced),
        *_sentence("hypothesis", explanation.pair.hypothesis, explanation.replacement),
        *_said(explanation),
    ]
    top = _EDGE + _SIZE
    texts = [f'<text x="{_EDGE}" y="{top + place * _LINE}">{line}</text>' for place, line in enumerate(lines)]
    width, height, path = _path(explanation, top + len(lines) * _LINE)
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    style = "max-width:100%;height:auto;font-family:system-ui,'Segoe UI',Roboto,Arial,sans-serif"
    label = escape(visible(" / ".join(explanation.marked()))[:1000], quote=True)
    return Svg(
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{label}" style="{style}" '
        f'font-size="{_SIZE}" fill="{INK}">{"".join(texts)}{path}</svg>'
    )


def explanation_blocks(explanation: Explanation) -> list[Block]:
    """Return one pair with all that is said of it."""
    return [
        Figure(pair_figure(explanation)),
        TableBlock(explanation.labels_table()),
        TableBlock(explanation.lexicon_table()),
    ]


def _summary(results: Results) -> Section:
    names = [measure.name for measure in results.measures]
    rows = sorted((row for row in results.rows if row.group is None), key=lambda row: names.index(row.measure))
    estimates = [Estimate(row.system, row.value, row.low, row.high, row.measure) for row in rows]
    svg = figures.intervals(estimates, title="Scores")
    confusions = [TableBlock(_confusion(results, place)) for place in range(len(results.systems))]
    caption = "" if results.resampling.method == "none" else f"Whiskers: {results.resampling}."
    return Section(
        "Summary",
        "summary",
        [TableBlock(score_table(results)), Figure(svg, caption), Fold("Which label for which", confusions)],
    )


def _groups(results: Results, title: str, anchor: str) -> Section:
    """Return accuracy in each group, drawn and as the paper's table."""
    measure = results.measures[0].name
    order = {name: place for place, name in enumerate(results.group_names)}
    rows = [row for row in results.rows if row.measure == measure and row.group is not None]
    rows.sort(key=lambda row: order.get(str(row.group), len(order)))
    shares = [Estimate(row.system, 100 * row.value, 100 * row.low, 100 * row.high, row.group or "all") for row in rows]
    svg = figures.bars(shares, title=f"{measure.partition('/')[0]} by {results.by}, in percent", decimals=0)
    return Section(title, anchor, [Figure(svg), TableBlock(group_table(results, measure))])


def _comparison(results: Results) -> Section:
    names = [measure.name for measure in results.measures]
    found = [compare(results, name) for name in COMPARED if name in names] or [compare(results, names[0])]
    section = comparison_section(found)
    extra = [TableBlock(discordant_table(found[0]))] if found[0].measure == "accuracy" else []
    return replace(section, blocks=[*section.blocks, *extra])


def _confusion(results: Results, place: int) -> Table:
    """Return how often a system gave each label to pairs of each gold label."""
    golds = results.items_known.column("gold").to_pylist()
    given = results.systems[place].facts.column("prediction").to_pylist()
    said = list(zip(golds, given, strict=True))
    rows: list[list[Cell]] = [[gold, *(said.count((gold, label)) for label in (*LABELS, OTHER))] for gold in LABELS]
    columns = [Column("gold"), *(Column(label, "right") for label in (*LABELS, OTHER))]
    return Table(columns, rows, title=results.systems[place].system)


def _pairs(pairs: PairSet, runs: Sequence[Run]) -> Iterator[Block]:
    """Yield some pairs that each system labels wrongly, of different categories where there are any."""
    yield Paragraph("Pairs that each system labels wrongly, of one category each while there are categories left.")
    for run in runs[:SHOWN_SYSTEMS]:
        wrong = [pair for pair in pairs.pairs if pair.gold and run.label(pair.id) not in (None, pair.gold)]
        first_of_each = {pair.category: pair for pair in reversed(wrong)}
        chosen = list(dict.fromkeys([*(pair.id for pair in reversed(first_of_each.values())), *(p.id for p in wrong)]))
        for name in chosen[:SHOWN_ITEMS]:
            found = explain(pairs, [run], name)
            said = f"{run.system}: pair {name}, {found.pair.category or 'no category'}, says {run.label(name)}"
            yield Fold(said, explanation_blocks(found))


def _said(explanation: Explanation) -> list[str]:
    """Return what gold, systems and engines say, a line each."""
    said: dict[str, str] = {"gold": explanation.pair.gold or "no majority"}
    said |= {system: label or "no prediction" for system, label in explanation.predictions.items()}
    said |= {name: f"{one.label} ({one.because})" for name, one in explanation.decisions.items()}
    return [
        f'<tspan fill="{MUTED}" font-size="13">{escape(elided(who, 18))}</tspan>'
        f'<tspan x="{_EDGE + _NAME}" font-size="13">{escape(visible(what))}</tspan>'
        for who, what in said.items()
    ]


def _path(explanation: Explanation, top: float) -> tuple[float, float, str]:
    """Return how wide and high the drawing is, and the way in WordNet, if there is one, under the sentences."""
    if not explanation.way:
        return WIDTH, top, ""
    drawn = draw_path(explanation.way)
    width, height = (float(drawn.split(f'{side}="', 1)[1].split('"', 1)[0]) for side in ("width", "height"))
    return max(WIDTH, width), top + height, drawn.replace("<svg ", f'<svg y="{top:g}" ', 1)


def _sentence(name: str, sentence: str, span: Span | None) -> list[str]:
    """Return a sentence in lines of marked-up text, its name in front of the first."""
    start, end = (span.start, span.end) if span else (0, 0)
    parts = [(sentence[:start], False), (sentence[start:end] or "∅" * bool(span), True), (sentence[end:], False)]
    words = [(word, marked) for text, marked in parts for word in text.split()]
    lines: list[list[tuple[str, bool]]] = [[]]
    for word, marked in words:
        if sum(len(one) + 1 for one, _ in lines[-1]) + len(word) > (WIDTH - 2 * _EDGE - _NAME) / _LETTER:
            lines.append([])
        lines[-1].append((word, marked))
    said = [" ".join(_marked(word, _MARK[name] if marked else None) for word, marked in line) for line in lines]
    return [
        f'<tspan fill="{MUTED}">{"" if place else name}</tspan><tspan x="{_EDGE + _NAME}">{line}</tspan>'
        for place, line in enumerate(said)
    ]


def _marked(word: str, colour: str | None) -> str:
    said = escape(visible(word))
    return said if colour is None else f'<tspan fill="{colour}" font-weight="bold">{said}</tspan>'
