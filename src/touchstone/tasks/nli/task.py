"""Inference as a task of the pipeline: pairs, labels, and the majority class as a baseline."""

from collections import Counter
from collections.abc import Sequence
from typing import cast

import numpy as np
import pyarrow as pa

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ids import Policy
from touchstone.base.spelling import setting
from touchstone.base.tables import Cell, Column, Table, p_text
from touchstone.core.comparison import Comparison
from touchstone.core.doubts import Doubt
from touchstone.core.explanation import Explanation
from touchstone.core.inputs import Inputs
from touchstone.core.results import Results
from touchstone.core.task import PathLike, ShardRows, Task, TaskReport
from touchstone.io.reading import read_rows
from touchstone.io.runs import RunFiles
from touchstone.io.schema import Field
from touchstone.stats.paired import mcnemar
from touchstone.tasks.nli import formats
from touchstone.tasks.nli.about import ABOUT, ConvertOptions, Options
from touchstone.tasks.nli.doubts import doubts, warn_of_certainty
from touchstone.tasks.nli.explaining import explain_pair, pair_formulas
from touchstone.tasks.nli.formats.pairs import GOLD, parse_gold
from touchstone.tasks.nli.formats.records import ID
from touchstone.tasks.nli.formats.runs import RUN, parse_run
from touchstone.tasks.nli.joining import Joined, join
from touchstone.tasks.nli.labels import LABELS, TWO_LABELS, Label
from touchstone.tasks.nli.measures import CALIBRATION, DEFAULT_MEASURES, MEASURES, measures_for
from touchstone.tasks.nli.model import SHARES, GoldSet, Run, most_frequent_label

MAJORITY = "majority_class"
"""The baseline that always gives the most frequent gold label."""


def majority_run(gold: GoldSet, *, probabilities: bool = False) -> Run:
    """Return the system that gives every pair the most frequent gold label, the first of `LABELS` where two are equal.

    Parameters
    ----------
    gold
        The pairs.
    probabilities
        Whether to give probabilities: the shares of the labels in the gold.

    Examples
    --------
    >>> from touchstone import nli
    >>> gold = nli.read_gold([
    ...     {"id": "1", "premise": "A dog runs.", "hypothesis": "An animal runs.", "label": "entailment"},
    ...     {"id": "2", "premise": "A dog runs.", "hypothesis": "A cat runs.", "label": "contradiction"},
    ... ])
    >>> nli.majority_run(gold).name
    'majority_class'
    """
    label = most_frequent_label(gold.pairs)
    if label is None:
        hint = f"{formats.label_hint(gold)}, or verify the pairs first"
        raise TouchstoneError("no pair has a gold label", file=gold.source.name, code=Code.UNSUPPORTED, hint=hint)
    counts = Counter(pair.gold for pair in gold.pairs if pair.gold)
    shares = np.array([counts[label] for label in cast("tuple[Label, ...]", SHARES)]) / counts.total()
    label_shares = np.tile(shares, (len(gold), 1)) if probabilities else None
    return Run(MAJORITY, gold.source, gold.ids, [label] * len(gold), gold.lines, label_shares)


class Nli(Task[GoldSet, Run, Joined]):
    """Inference between two sentences."""

    about = ABOUT
    measures = MEASURES
    default = DEFAULT_MEASURES
    compared = ("accuracy",)
    cluster = "premise"
    report_by = "category"
    gold_fields = GOLD.fields
    answer_field = Field("prediction", RUN["label"].names)
    texts_are_values = True
    shard_rows = ShardRows(ID, run_line="label")

    def read_gold(self, paths: Sequence[object], options: Options) -> GoldSet:
        """Read the pairs of one file or object."""
        if len(paths) != 1:
            raise TouchstoneError(f"{len(paths)} files of pairs", code=Code.OPTION_NEEDED, hint="give one gold file")
        return parse_gold(read_rows(paths[0], GOLD, options, name="the gold"), options.label)

    def prepare(self, gold: GoldSet, options: Options) -> GoldSet:
        """Return the gold with the labels that are told apart."""
        if options.labels == "two":
            return gold.with_two_labels()
        if options.labels == "three" and gold.labels != LABELS:
            hint = f"score it with {setting('labels', 'two')}, which is also the default for it"
            what = "the gold has two labels, not three"
            raise TouchstoneError(what, file=gold.source.name, code=Code.UNSUPPORTED, hint=hint)
        return gold

    def read_run(self, files: RunFiles, gold: GoldSet, options: Options) -> Run:
        """Read what one system gave."""
        return parse_run(read_rows(files.path, RUN, options, name=files.name), options.label, gold, files.name)

    def join(self, gold: GoldSet, run: Run, policy: Policy, options: Options) -> Joined:
        """Join by id, by the sentences, or by the order of rows."""
        return join(gold, run, policy, options)

    def baselines(self, inputs: Inputs[GoldSet, Run]) -> list[Run]:
        """Return the majority class; with probabilities where a system gives some."""
        return [majority_run(inputs.gold, probabilities=any(run.probabilities is not None for run in inputs.runs))]

    def select(self, names: Sequence[str], inputs: Inputs[GoldSet, Run]) -> list[str]:
        """Return the measures to score: with accuracy always macro-F1 and the recalls; calibration where it can be."""
        defaults = measures_for(inputs.gold.labels)
        calibrated = CALIBRATION if all(run.probabilities is not None for run in inputs.runs) else ()
        return [
            name
            for requested in names or (*defaults, *calibrated)
            for name in (defaults if requested == "accuracy" else [requested])
        ]

    def doubts(self, inputs: Inputs[GoldSet, Run], joined: Sequence[tuple[Run, Joined]]) -> list[Doubt]:
        """Return what makes labels look like those of other pairs, or in another spelling."""
        return doubts(inputs, joined)

    def notes(self, inputs: Inputs[GoldSet, Run], joined: Sequence[Joined], results: Results) -> list[str]:
        """Return a note on each system that is right less often than one label would be, or that is always certain."""
        names = {measure.name for measure in results.measures}
        certain = warn_of_certainty([joined_run for joined_run in joined if joined_run.system != MAJORITY], names)
        if "accuracy" not in names:
            return certain
        accuracy = {
            system.system: float(results.measure("accuracy").fold(system.records["accuracy"].sum(axis=0)))
            for system in results.systems
        }
        least = accuracy[MAJORITY]
        return certain + [
            f"{name}: accuracy {value:.3f} is below that of the majority class, {least:.3f}"
            for name, value in accuracy.items()
            if value < least
        ]

    def group_names(self, items: pa.Table, field: str) -> dict[str, str]:
        """Return the categories in the paper's order: by their most frequent label, the larger first."""
        if field != "category" or field not in items.column_names:
            return {}
        members: dict[str, Counter[str]] = {}
        for category, label in zip(items.column(field).to_pylist(), items.column("gold").to_pylist(), strict=True):
            members.setdefault(category or "?", Counter())[label] += 1
        labels = (*LABELS, TWO_LABELS[1])

        def rank(name: str) -> tuple[int, int]:
            counts = members[name]
            return max(range(len(labels)), key=lambda index: (counts[labels[index]], -index)), -counts.total()

        return {name: name for name in sorted(members, key=rank)}

    def tables(self, results: Results, options: Options) -> list[Table]:
        """Return the values; with groups, also how many pairs of each label a group has."""
        if results.by is None:
            return [results.table()]
        values = results.table()
        groups = results.items_known.column(results.by).to_pylist()
        counts = Counter(
            zip((group or "?" for group in groups), results.items_known.column("gold").to_pylist(), strict=True)
        )
        names = [*results.group_names] or list(dict.fromkeys(group or "?" for group in groups))
        labels = TWO_LABELS if any(label == TWO_LABELS[1] for _, label in counts) else LABELS
        rows: list[list[Cell]] = [[name, *(counts[name, label] for label in labels)] for name in names]
        columns = [Column(results.by), *(Column(label, "right") for label in labels)]
        return [values, Table(columns, rows, title=f"Gold labels by {results.by}")]

    def comparison_tables(self, comparison: Comparison) -> list[Table]:
        """Return the pairs that only one of two systems gets right, with McNemar's test; for accuracy alone."""
        if comparison.measure != "accuracy":
            return []
        over = comparison.results.resampling.cluster or "pair"
        heads = ("only first right", "only second right", "McNemar p", f"p by {over}", f"p ({comparison.correction})")
        rows: list[list[Cell]] = [
            [
                f"{pair.a} – {pair.b}",
                pair.wins,
                pair.losses,
                *map(p_text, (mcnemar(pair.wins, pair.losses), pair.p, pair.p_adjusted)),
            ]
            for pair in (*comparison.pairs, *comparison.baseline_pairs)
        ]
        note = f"McNemar's exact test takes pairs as independent; the test by {over} decides"
        return [Table([Column("pair"), *(Column(head, "right") for head in heads)], rows, notes=[note])]

    def explain_item(self, inputs: Inputs[GoldSet, Run], item: str, measure: str | None, policy: Policy) -> Explanation:
        """Show one pair: the replaced word, what annotators and systems say, its path in WordNet, and its values."""
        explained = explain_pair(inputs.gold, inputs.runs, item)
        premise, hypothesis = explained.marked()
        category = f", {explained.pair.category}" if explained.pair.category else ""
        heading = f"pair {item}{category}\n\n  premise     {premise}\n  hypothesis  {hypothesis}"
        names = [measure] if measure else ["accuracy", *(["votes"] if explained.votes else []), "macro_f1"]
        formulas = pair_formulas(inputs.gold, inputs.runs, item, names, inputs.options)
        tables = [explained.labels_table(), explained.lexicon_table()]
        return Explanation(item, heading, tables, explained, formulas=formulas)

    def convert_file(self, source: PathLike, target: PathLike, options: ConvertOptions) -> str:
        """Write pairs or a run in another format."""
        return formats.convert_file(source, target, options)

    def report(self) -> TaskReport:
        """Import the module of the report."""
        from touchstone.tasks.nli import report

        return report


TASK = Nli()
