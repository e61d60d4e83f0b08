"""Why a pair has its label: the replaced word, what annotators and systems say, and the path in WordNet."""

from collections.abc import Sequence
from dataclasses import dataclass

from touchstone.base.ids import Policy
from touchstone.base.tables import Cell, Column, Table
from touchstone.core.formulas import Formula
from touchstone.core.measures import Measure
from touchstone.lexicon import Step
from touchstone.tasks.nli.about import Options
from touchstone.tasks.nli.baseline import Decision, wordnet_baseline
from touchstone.tasks.nli.edits import Edit, find_edit, spans
from touchstone.tasks.nli.joining import Joined, join
from touchstone.tasks.nli.measures import MEASURES, brier_steps, covered_steps, recall_steps, share_steps
from touchstone.tasks.nli.model import GoldSet, Pair, Run, Span
from touchstone.tasks.nli.readings import READINGS
from touchstone.tasks.nli.rules import lexical_rules


@dataclass(frozen=True)
class ExplainedPair:
    """One pair: *replaced* and *replacement* mark the edit in its sentences.

    *predictions* has the label of each system, *decisions* what each rule over the lexicon decides.
    """

    pair: Pair
    edit: Edit | None
    replaced: Span | None
    replacement: Span | None
    predictions: dict[str, str | None]
    decisions: dict[str, Decision]

    @property
    def way(self) -> Sequence[Step]:
        """The steps in WordNet from the replaced word to the new one, of the first rule that found any."""
        return next((decision.way for decision in self.decisions.values() if decision.way), ())

    def marked(self) -> tuple[str, str]:
        """Return both sentences with the edit in brackets."""
        return _bracketed(self.pair.premise, self.replaced), _bracketed(self.pair.hypothesis, self.replacement)

    @property
    def votes(self) -> str:
        """How many annotators gave each label."""
        weights = self.pair.votes.weights
        return ", ".join(f"{label} {weights[label]:g}" for label in sorted(weights))

    def labels_table(self) -> Table:
        """Return what annotators said, what systems say, and whether that is right."""
        rows: list[list[Cell]] = [["annotators", self.votes, ""]] if self.votes else []
        rows.append(["gold", self.pair.gold or "no majority", ""])
        for system, label in self.predictions.items():
            right = "" if not self.pair.gold or not label else "right" if label == self.pair.gold else "wrong"
            rows.append([system, label or "no prediction", right])
        return Table([Column("who"), Column("label"), Column("")], rows, rules={len(rows) - len(self.predictions)})

    def lexicon_table(self) -> Table:
        """Return what each rule over the lexicon decides and why; notes have the paths in WordNet."""
        rows: list[list[Cell]] = []
        names: dict[str, list[str]] = {}  # the rules that found each path
        for name, decision in self.decisions.items():
            words = " → ".join(word or "(nothing)" for word in decision.words)
            rows.append([name, words, decision.because, decision.label])
            if decision.path:
                names.setdefault(decision.path, []).append(name)
        notes = [f"{path} ({', '.join(of)})" for path, of in names.items()]
        return Table([Column(head) for head in ("rule", "words", "relation", "label")], rows, notes=notes)


def explain_pair(gold: GoldSet, runs: Sequence[Run], item: str) -> ExplainedPair:
    """Return one pair with its edit, what people and systems say about it, and what the rules over the lexicon decide.

    Parameters
    ----------
    gold, runs
        The pairs, and what systems said of them.
    item
        The id of the pair.

    Examples
    --------
    >>> from touchstone import nli
    >>> gold = nli.read_gold([
    ...     {"id": "1", "premise": "A dog runs.", "hypothesis": "An animal runs.", "label": "entailment"},
    ...     {"id": "2", "premise": "A dog runs.", "hypothesis": "A cat runs.", "label": "contradiction"},
    ... ])
    >>> pair = nli.explain_pair(gold, [nli.read_run({"1": "neutral", "2": "neutral"}, name="bert")], "1")
    >>> pair.edit.replaced, pair.edit.replacement
    (('dog',), ('animal',))
    """
    pair = gold[item]
    alone = GoldSet(gold.source, [pair], [gold.lines[gold.rows[item]]])
    edit = find_edit(pair)
    rules = (*(wordnet_baseline(alone, reading) for reading in READINGS.values()), lexical_rules(alone))
    return ExplainedPair(
        pair,
        edit,
        spans(pair.premise, edit.start, edit.end) if edit else None,
        spans(pair.hypothesis, edit.new_start, edit.new_end) if edit else None,
        {run.name: run.label(item) for run in runs},
        {rule.name: rule.decisions[0] for rule in rules},
    )


SET_LEVEL = ("macro_f1", "recall.", "ece")
"""Measures of all pairs together; of one pair they say nothing, so the formula is that of the set."""


def pair_formulas(
    gold: GoldSet, runs: Sequence[Run], item: str, names: Sequence[str], options: Options
) -> list[Formula]:
    """Return how the values of one pair come about; of measures of the whole set, with and without the pair.

    Parameters
    ----------
    gold, runs
        The pairs, and what systems said of them; a missing label scores 0.
    item
        The id of the pair.
    names
        The measures.
    options
        How runs are joined.
    """
    ids = gold.items.column("id").to_pylist()
    if item not in ids:
        return []
    index = ids.index(item)
    return [
        formula
        for run in runs
        for joined in [join(gold, run, LENIENT, options)]
        for measure in MEASURES.find_all(names)
        for formula in _formulas(joined, index, measure, run.name)
    ]


LENIENT = Policy("zero", "ignore", "first")
"""Explaining one pair does not refuse a run for others."""


def _formulas(joined: Joined, index: int, measure: Measure[Joined], system: str) -> list[Formula]:
    records = measure.item_records(joined)
    value = float(measure.values(records[index]))
    if measure.name.startswith(SET_LEVEL):
        total = records.sum(axis=0)
        show = measure.formula or recall_steps
        of = {"all pairs": total, "all pairs but this one": total - records[index]}
        return [
            show(sums).of(system, f"{measure.name}, {over}", float(measure.fold(sums))) for over, sums in of.items()
        ]
    steps = {
        "accuracy": lambda: share_steps(joined, index, votes=False),
        "votes": lambda: share_steps(joined, index, votes=True),
        "brier": lambda: brier_steps(joined, index),
    }.get(measure.name, lambda: covered_steps(value))()
    return [steps.of(system, measure.name, value)]


def _bracketed(sentence: str, span: Span | None) -> str:
    if span is None:
        return sentence
    return f"{sentence[: span.start]}[{span.text}]{sentence[span.end :]}"
