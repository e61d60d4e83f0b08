"""The report of a challenge set itself: its pairs, what annotators said about them, and what gives labels away."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from html import escape

from touchstone.base.errors import visible
from touchstone.base.tables import Cell, Column, Table, counted, number
from touchstone.core.resampling import Resampling, interval_heading, interval_text
from touchstone.people.finding import AnnotatorAgreement
from touchstone.show.colours import BETTER, INK, MUTED, PALETTE, WORSE_TEXT
from touchstone.show.finding import Statement
from touchstone.show.page import Block, Figure, Fold, Paragraph, Passage, Section, TableBlock
from touchstone.show.plots import Axis
from touchstone.show.sheet import UNDER_NUMBERS, Sheet, room_left
from touchstone.show.svg import Markup, Svg, elided, is_narrow, letters_across, two_widths
from touchstone.tasks.nli.auditing import audit
from touchstone.tasks.nli.composition import Composition, label_of, labelled, words_of
from touchstone.tasks.nli.hypothesis_only import PARTS, hypothesis_only, telling_words
from touchstone.tasks.nli.model import GoldSet, Pair, Span
from touchstone.tasks.nli.task import TASK
from touchstone.tasks.nli.verification import OUTCOMES, Verification

EXAMPLES = 4
"""Pairs shown of each relation, with different words."""
_BLOCK = f"color:{INK};overflow-wrap:anywhere;padding:0.4rem 0.75rem"


def verified_statement(verified: Verification, agreement: AnnotatorAgreement) -> Statement:
    """Return what verification and agreement found, with the report of the kept pairs.

    Parameters
    ----------
    verified
        The outcome of each pair.
    agreement
        How well the annotators agree on all pairs that they answered.
    """
    stated, challenge_set, kappa = verified.statement(), verified.kept, agreement.coefficients["kappa"]
    ends = interval_text(kappa.interval.low, kappa.interval.high)
    labels = kappa.answers // max(kappa.units, 1)
    agreed = (
        f"On all {counted(kappa.units, 'answered pair')}, {labels} annotators agree with kappa "
        f"{number(kappa.value)}{f' ({ends})' if ends else ''}."
    )
    return replace(
        stated,
        sentences=[*stated.sentences, agreed],
        parts=[replace(agreement, parts={}).statement()],
        signature={**stated.signature, **agreement.signature, "task": stated.signature["task"]},
        subtitle=f"{counted(len(challenge_set), 'pair')} on {counted(challenge_set.premises, 'premise')}",
        sections=lambda: _verified_sections(verified, agreement),
    )


def _verified_sections(verified: Verification, agreement: AnnotatorAgreement) -> list[Section]:
    """Return the sections on a verified set: outcomes, annotators, and what the kept pairs are."""
    challenge_set = verified.kept
    by_category, n_columns = verified.outcomes_table(), 2 + len(OUTCOMES)  # the labels are in the table of lists
    rows = [row[:n_columns] for row in by_category.rows]
    outcomes: list[Block] = [TableBlock(replace(by_category, columns=by_category.columns[:n_columns], rows=rows))]
    intended = Composition(challenge_set.pairs).intended_table()
    outcomes += [TableBlock(intended)] if intended.rows else []
    people = [TableBlock(verified.annotators_table()), TableBlock(agreement.table())]
    return [
        Section("Outcomes", "outcomes", outcomes),
        Section("Annotators", "annotators", people),
        *set_sections(challenge_set, agreement.coefficients["kappa"].interval.level),
    ]


def set_sections(pairs: GoldSet, level: float = 0.95) -> list[Section]:
    """Return what any challenge set has to show: relations, lists, words, premises, edits, giveaways, examples.

    Parameters
    ----------
    pairs
        The set.
    level
        The confidence level of its intervals.
    """
    if not len(pairs):
        return [Section("Pairs", "pairs", [Paragraph("The set has no pair.")])]
    made = Composition(pairs.pairs)
    examples = [_examples(name, [pair for pair in pairs.pairs if pair.relation == name]) for name in made.relations]
    relations: list[Block] = [TableBlock(made.relations_table()), Figure(relations_figure(made))] if examples else []
    return [
        Section("Pairs", "pairs", relations or [TableBlock(audit(pairs).labels_table())]),
        Section("Lists", "lists", [TableBlock(made.lists_table())]),
        Section("Words", "words", _words(made)),
        Section("Premises", "premises", [TableBlock(made.premises_table())]),
        Section("Edits", "edits", [TableBlock(audit(pairs).edits_table())]),
        Section("Hypothesis alone", "hypothesis", _giveaways(labelled(pairs), level)),
        *([Section("Examples", "examples", examples)] if examples else []),
    ]


def _words(made: Composition) -> list[Block]:
    """Return how many word pairs there are, and the most frequent of them, folded."""
    table = made.words_table()
    counts = [Paragraph(f"{note}.") for note in table.notes]
    return [*counts, Fold("The most frequent word pairs", [TableBlock(replace(table, notes=[]))])]


@two_widths
def relations_figure(made: Composition) -> Svg:
    """Return a bar for each relation and label, as long as it has pairs."""
    counts = Counter((str(pair.relation), label_of(pair)) for pair in made.pairs)
    rows = [(relation, label) for relation in made.relations for label in made.labels if counts[relation, label]]
    names = [elided(relation, 16 if is_narrow() else 34) for relation, _ in rows]
    sheet = Sheet()
    (panel,) = sheet.row(30 * len(rows), y=Axis(len(rows) - 0.5, -0.5), left=room_left(names), below=UNDER_NUMBERS + 6)
    labels = {row: f"{row[1]}, {counts[row]:,}" for row in rows}
    room = max(letters_across(label) for label in labels.values()) + 12  # right of the longest bar
    panel.x_axis = Axis.between(0, max(counts.values()) * panel.across / max(panel.across - room, panel.across / 4))
    panel.numbers_below()
    panel.names_left(names)
    for position, row in enumerate(rows):
        panel.box((0, counts[row]), (position - 0.33, position + 0.33), PALETTE[made.labels.index(row[1])])
        panel.write((counts[row], position), labels[row], right=6, colour=INK, size=12)
    return sheet.finished(f"pairs of {len(rows)} relations and labels")


def _giveaways(pairs: GoldSet, level: float) -> list[Block]:
    """Return how well labels are guessed without the premise, and the words that give them away."""
    if len({pair.gold for pair in pairs.pairs}) < 2 or pairs.premises < PARTS:
        return [Paragraph("There are too few pairs, or only one label, to tell whether hypotheses give labels away.")]
    results = TASK.score(pairs, hypothesis_only(pairs), measures=("accuracy",), resampling=Resampling(level=level))
    text = (
        "A naive Bayes classifier sees the words of the hypothesis and not the premise; it is tested on premises that "
        "it was not trained on. The nearer it is to the majority class, the less the hypotheses give away."
    )
    rows: list[list[Cell]] = [
        [row.system, row.value, f"{number(row.low)}–{number(row.high)}", row.n]
        for row in results.rows
        if row.measure == "accuracy"
    ]
    heads = ("accuracy", interval_heading(level), "pairs")
    guessed = Table([Column("system"), *(Column(head, "right") for head in heads)], rows)
    telling = Fold("Words that go most with each label", [TableBlock(telling_words(pairs))])
    values = {row.system: number(row.value) for row in results.rows if row.measure == "accuracy"}
    guess = (
        f"Without the premise, a classifier guesses a share of {values.pop('hypothesis_only')} of the labels; "
        f"the most frequent label is right for {values.popitem()[1]}."
    )
    return [Paragraph(guess), Paragraph(text), TableBlock(guessed), telling]


def _examples(relation: str, pairs: Sequence[Pair]) -> Passage:
    """Return some pairs of a relation with different words, spread over the set."""
    first: dict[tuple[str, str] | None, Pair] = {}
    for pair in pairs:
        first.setdefault(words_of(pair), pair)
    distinct = list(first.values())
    examples = "".join(map(_example, distinct[:: max(1, len(distinct) // EXAMPLES)][:EXAMPLES]))
    return Passage(Markup(f'<div style="{_BLOCK};font-weight:600">{escape(relation)}</div>{examples}'))


def _example(pair: Pair) -> str:
    label = escape(f"{label_of(pair) or 'no label'}" + (f" · {visible(pair.category)}" if pair.category else ""))
    sides = ((pair.premise, pair.replaced, BETTER), (pair.hypothesis, pair.replacement, WORSE_TEXT))
    lines = "".join(f"<div>{_marked(text, spans, colour)}</div>" for text, spans, colour in sides)
    return f'<div style="{_BLOCK}">{lines}<div style="color:{MUTED};font-size:0.875rem">{label}</div></div>'


def _marked(text: str, spans: Sequence[Span], colour: str) -> str:
    if not spans:
        return escape(visible(text))
    start, end = spans[0].start, spans[0].end
    before, inside, after = (escape(visible(part)) for part in (text[:start], text[start:end], text[end:]))
    return f'{before}<b style="color:{colour}">{inside}</b>{after}'
