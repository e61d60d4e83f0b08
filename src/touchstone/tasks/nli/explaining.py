"""Why a pair has its label: the replaced word, what readers and systems say, and the way through the lexicon."""

from collections.abc import Sequence
from dataclasses import dataclass

from touchstone.core.tables import Cell, Column, Table
from touchstone.lexicon import Step
from touchstone.tasks.nli.baseline import Decision, wordnet_baseline
from touchstone.tasks.nli.edits import Edit, find_edit, spans
from touchstone.tasks.nli.model import LABELS, Pair, PairSet, Run, Span
from touchstone.tasks.nli.readings import DEFAULT, Reading
from touchstone.tasks.nli.rules import lexical_rules


@dataclass(frozen=True)
class Explanation:
    """One pair: *replaced* and *replacement* mark the edit in its sentences, *decisions* are those of a lexicon."""

    pair: Pair
    edit: Edit | None
    replaced: Span | None
    replacement: Span | None
    predictions: dict[str, str | None]
    decisions: dict[str, Decision]

    @property
    def way(self) -> Sequence[Step]:
        """The steps in WordNet from the replaced word to the new one, of the first engine that found any."""
        return next((decision.way for decision in self.decisions.values() if decision.way), ())

    def marked(self) -> tuple[str, str]:
        """Return both sentences with the edit in brackets."""
        return _bracketed(self.pair.premise, self.replaced), _bracketed(self.pair.hypothesis, self.replacement)

    def labels_table(self) -> Table:
        """Return what readers said, what systems say, and whether that is right."""
        votes = self.pair.votes.weights
        said = ", ".join(f"{label} {votes[label]:g}" for label in LABELS if label in votes)
        rows: list[list[Cell]] = [["readers", said, ""]] if said else []
        rows.append(["gold", self.pair.gold or "no majority", ""])
        for system, label in self.predictions.items():
            right = "" if not self.pair.gold or not label else "right" if label == self.pair.gold else "wrong"
            rows.append([system, label or "no prediction", right])
        return Table([Column("who"), Column("label"), Column("")], rows, rules={len(rows) - len(self.predictions)})

    def lexicon_table(self) -> Table:
        """Return what each engine makes of the words: the rule that decides, and the way through WordNet."""
        rows: list[list[Cell]] = [
            [
                name,
                " → ".join(word or "(nothing)" for word in one.words),
                one.because,
                one.label,
                one.path,
            ]
            for name, one in self.decisions.items()
        ]
        heads = ("engine", "words", "rule", "label", "way")
        return Table([Column(head) for head in heads], rows)


def explain(
    pairs: PairSet,
    runs: Sequence[Run],
    id: str,  # noqa: A002 (an id is what people look a pair up by)
    reading: Reading = DEFAULT,
) -> Explanation:
    """Return one pair with its edit, what people and *runs* say of it, and what the lexicon engines make of it."""
    pair = pairs[id]
    one = PairSet(pairs.source, [pair], [pairs.lines[pairs.rows[id]]])
    edit = find_edit(pair)
    engines = (wordnet_baseline(one, reading), lexical_rules(one))
    return Explanation(
        pair,
        edit,
        spans(pair.premise, edit.start, edit.end) if edit else None,
        spans(pair.hypothesis, edit.new_start, edit.new_end) if edit else None,
        {run.system: run.label(id) for run in runs},
        {engine.name: engine.decisions[0] for engine in engines},
    )


def _bracketed(sentence: str, span: Span | None) -> str:
    if span is None:
        return sentence
    return f"{sentence[: span.start]}[{span.text}]{sentence[span.end :]}"
