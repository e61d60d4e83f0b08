"""Why a segment has its score: the matching behind it, link by link, and what stayed unmatched."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, visible
from touchstone.base.ids import Policy
from touchstone.base.tables import Cell, Column, Table, number
from touchstone.core.explanation import Explanation as ItemExplanation
from touchstone.core.formulas import Formula, Steps, written
from touchstone.core.inputs import Inputs
from touchstone.core.measures import Measure
from touchstone.tasks.mt.formulas import segment_steps
from touchstone.tasks.mt.measures import MEASURES
from touchstone.tasks.mt.model import Explanation, GoldSet, Joined, Layer, MtMeasure, Run

DEFAULT_MEASURE = "maxsim(n)"
"""The measure that is explained where none is asked for."""

COUNTING = ("bleu", "chrf", "ter")
"""Measures that have counts to show."""

MATCHING = ("blend", "maxsim(n)", "meteor", "paraeval.P", "paraeval.R", "sr_overlap")
"""Our measures that have a matching to show."""


@dataclass(frozen=True)
class RunExplanation:
    """The score of one segment of one run, and the matching with each reference that the segment has."""

    measure: str
    system: str
    segment: str
    value: float
    alignments: tuple[Explanation, ...]
    formula: Formula

    def parts_table(self) -> Table:
        """Return the parts of the score, such as orders of n-grams: what was matched, precision, recall and F."""
        rows: list[list[Cell]] = []
        rules = set()
        for reference, alignment in enumerate(self.alignments, 1):
            rules.add(len(rows))
            for layer in alignment.layers:
                shares = layer.matching.weight, layer.precision, layer.recall, layer.f
                name = f"{layer.name}, reference {reference}" if len(self.alignments) > 1 else layer.name
                rows.append([name, _stages(layer), len(layer.left), len(layer.right), *shares])
        heads = ("part", "links by stage", "system", "reference", "weight", "P", "R", "F")
        columns = [Column(head, "left" if index < 2 else "right") for index, head in enumerate(heads)]
        notes = list(dict.fromkeys(note for alignment in self.alignments for note in alignment.notes))
        title = f"{self.system}: {self.measure} {number(self.value)}"
        return Table(columns, rows, title, notes, rules=rules if len(self.alignments) > 1 else set())

    def links_tables(self) -> list[Table]:
        """Return, for each reference, every link with its stage and weight, and what stayed unmatched."""
        several = len(self.alignments) > 1
        return [
            _links_table(alignment, f"{self.system}, links{f' with reference {reference}' if several else ''}")
            for reference, alignment in enumerate(self.alignments, 1)
        ]


def explain_item(inputs: Inputs[GoldSet, Run], item: str, measure: str | None, policy: Policy) -> ItemExplanation:  # noqa: ARG001
    """Show one segment in all runs that translate it; the drawing is a `RunExplanation` for each.

    Parameters
    ----------
    inputs
        The gold and the runs.
    item
        The id of the segment.
    measure
        A measure that has a matching or counts to show; `DEFAULT_MEASURE` by default.
    policy
        Not used: a run without this segment is listed as missing it.
    """
    gold, row = inputs.gold, inputs.gold.row(item)
    chosen = MEASURES.find(measure or DEFAULT_MEASURE)
    runs = [run for run in inputs.runs if run.texts[row] is not None]
    if not runs:
        names = ", ".join(repr(run.name) for run in inputs.runs)
        raise TouchstoneError(f"{names} has no translation of this segment", value=item, code=Code.MISSING_ID)
    counts = chosen.counts if isinstance(chosen, MtMeasure) else None
    explained = () if counts else tuple(explain_run(gold, run, row, chosen) for run in runs)
    references = [text for texts in gold.texts if (text := texts[row]) is not None]
    numbered = len(references) > 1
    named = [(f"reference {n}" if numbered else "reference", text) for n, text in enumerate(references, 1)]
    named += [(run.name, "(missing)" if (text := run.texts[row]) is None else text) for run in inputs.runs]
    width = max(len(name) for name, _ in named)
    # The report takes this heading apart again: names end where two blanks begin.
    texts = [f"  {name:<{width}}  {visible(text)}" for name, text in named]
    tables = [table for explanation in explained for table in (explanation.parts_table(), *explanation.links_tables())]
    formulas = [explanation.formula for explanation in explained]
    if counts:
        tables = [table for run in runs for table in _counts_tables(gold, run, row, chosen, counts)]
        formulas = [_formula(chosen, run.name, _joined(gold, run, row)) for run in runs]
    heading = "\n".join([f"segment {item}", "", *texts])
    return ItemExplanation(item, heading, tables, explained or None, formulas=formulas)


def _joined(gold: GoldSet, run: Run, row: int) -> Joined:
    """Return one segment of a run with the references that it has."""
    references = tuple(texts.only(row) for texts in gold.texts if texts[row] is not None)
    source = gold.source.only(row) if gold.source else None
    return Joined(run.texts.only(row), references, source=source, thesaurus=gold.thesaurus)


def _formula(measure: Measure[Joined], system: str, joined: Joined, alignments: Sequence[Explanation] = ()) -> Formula:
    """Return how the score of one segment comes about."""
    value = float(measure.values(measure.item_records(joined))[0])
    steps = segment_steps(measure, joined, alignments) if isinstance(measure, MtMeasure) else Steps("", written(value))
    return steps.of(system, measure.name, value)


def _counts_tables(
    gold: GoldSet, run: Run, row: int, measure: Measure[Joined], counts: Callable[[Joined], Sequence[Table]]
) -> list[Table]:
    """Return the counts behind the score of the segment at *row* in one run."""
    joined = _joined(gold, run, row)
    [value] = measure.values(measure.item_records(joined))
    first, *others = counts(joined)
    return [replace(first, title=f"{run.name}: {measure.name} {number(value)}"), *others]


def explain_run(gold: GoldSet, run: Run, row: int, measure: Measure[Joined]) -> RunExplanation:
    """Return the matching behind the score of the segment at *row* in one run, with each reference that it has.

    Parameters
    ----------
    gold, run
        What was read.
    row
        The place of the segment; the run must translate it.
    measure
        A measure that has a matching to show.
    """
    if not (isinstance(measure, MtMeasure) and measure.explain):
        hint = (
            f"measures that match: {', '.join(MATCHING)}, and a Matcher of your own; with counts: {', '.join(COUNTING)}"
        )
        what = "this measure has no matching to show"
        raise TouchstoneError(what, value=measure.name, code=Code.UNSUPPORTED, hint=hint)
    joined = _joined(gold, run, row)
    alignments = [measure.explain(replace(joined, references=(reference,))) for reference in joined.references]
    formula = _formula(measure, run.name, joined, alignments)
    value = formula.value
    name, segment = measure.name, gold.ids[row]
    named = tuple(
        replace(
            alignment,
            measure=name,
            system=run.name,
            segment=segment,
            segment_value=value,
            reference_of=(reference_number, len(alignments)),
        )
        for reference_number, alignment in enumerate(alignments, 1)
    )
    return RunExplanation(name, run.name, segment, value, named, formula)


def explainable(measure: Measure[Joined]) -> bool:
    """Return whether a measure has a matching to show."""
    return isinstance(measure, MtMeasure) and measure.explain is not None


def _links_table(alignment: Explanation, title: str) -> Table:
    rows: list[list[Cell]] = []
    rules = set()
    for layer in alignment.layers:
        rules.add(len(rows))
        links = sorted(layer.matching.links, key=lambda link: link.left)
        cells: list[list[Cell]] = [
            [layer.left[link.left], layer.right[link.right], link.stage, link.weight] for link in links
        ]
        left, right = {link.left for link in links}, {link.right for link in links}
        cells += [[item, None, "unmatched", None] for index, item in enumerate(layer.left) if index not in left]
        cells += [[None, item, "unmatched", None] for index, item in enumerate(layer.right) if index not in right]
        rows += [["" if index else layer.name, *row] for index, row in enumerate(cells)]
    columns = [Column("part"), Column("system"), Column("reference"), Column("stage"), Column("weight", "right")]
    return Table(columns, rows, title, rules=rules)


def _stages(layer: Layer) -> str:
    counts = Counter(link.stage for link in layer.matching.links)
    return ", ".join(f"{count} {stage}" for stage, count in counts.items()) or "none"
