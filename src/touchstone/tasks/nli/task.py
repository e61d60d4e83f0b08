"""Inference as a task of the pipeline: pairs, labels, and the majority class as a baseline."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pyarrow as pa

from touchstone.base.errors import TouchstoneError
from touchstone.base.ids import Policy
from touchstone.base.notes import warning
from touchstone.base.options import option
from touchstone.base.spelling import setting
from touchstone.base.tables import Cell, Column, Table, p_text
from touchstone.core.comparison import Comparison
from touchstone.core.results import Results
from touchstone.core.task import Explanation, Inputs, Rows, Task, TaskReport
from touchstone.io.runs import RunFiles
from touchstone.io.schema import Field
from touchstone.stats.paired import mcnemar
from touchstone.tasks.nli import formats
from touchstone.tasks.nli.doubts import doubts, is_chance
from touchstone.tasks.nli.explaining import explain_pair, pair_formulas
from touchstone.tasks.nli.formats.pairs import GOLD
from touchstone.tasks.nli.formats.records import ID
from touchstone.tasks.nli.formats.runs import RUN
from touchstone.tasks.nli.joining import Joined, Options, join
from touchstone.tasks.nli.labels import LABELS, TWO_LABELS, Label
from touchstone.tasks.nli.measures import CALIBRATION, DEFAULT_MEASURES, MEASURES, usual_measures
from touchstone.tasks.nli.model import SHARES, GoldSet, Run, Spelling, most_frequent_label

MAJORITY = "majority_class"
"""The baseline that always gives the most frequent gold label."""


@dataclass(frozen=True)
class ConvertOptions(Options):
    """How files are converted."""

    names: Spelling | None = option(None, "How the fields of pairs are named; by default as in IN.")


def read_gold(paths: Sequence[object], options: Options) -> GoldSet:
    """Read the pairs of one file or object."""
    if len(paths) != 1:
        raise TouchstoneError(f"{len(paths)} files of pairs", hint="give one gold file")
    return formats.read_gold_beside_runs(paths[0], options, options.label)


def apply_labels(gold: GoldSet, options: Options) -> GoldSet:
    """Return the gold with the labels that are told apart."""
    if options.labels == "two":
        return gold.with_two_labels()
    if options.labels == "three" and gold.labels != LABELS:
        hint = f"score it with {setting('labels', 'two')}, which is also the default for it"
        raise TouchstoneError("the gold has two labels, not three", file=gold.source.name, hint=hint)
    return gold


def read_run(files: RunFiles, gold: GoldSet, options: Options) -> Run:
    """Read what one system gave."""
    return formats.read_run(files.path, options, name=files.name, labels=options.label, gold=gold)


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
        raise TouchstoneError(
            "no pair has a gold label",
            file=gold.source.name,
            hint=f"{formats.label_hint(gold)}, or verify the pairs first",
        )
    counts = Counter(pair.gold for pair in gold.pairs if pair.gold)
    shares = np.array([counts[label] for label in cast("tuple[Label, ...]", SHARES)]) / counts.total()
    given = np.tile(shares, (len(gold), 1)) if probabilities else None
    return Run(MAJORITY, gold.source, gold.ids, [label] * len(gold), gold.lines, given)


def baselines(inputs: Inputs[GoldSet, Run]) -> list[Run]:
    """Return the majority class; with probabilities where a system gives some."""
    return [majority_run(inputs.gold, probabilities=any(run.probabilities is not None for run in inputs.runs))]


def select(names: Sequence[str], inputs: Inputs[GoldSet, Run]) -> list[str]:
    """Return the measures to score: with accuracy always macro-F1 and the recalls; calibration where it can be."""
    usual = usual_measures(inputs.gold.labels)
    calibrated = CALIBRATION if all(run.probabilities is not None for run in inputs.runs) else ()
    return [name for asked in names or (*usual, *calibrated) for name in (usual if asked == "accuracy" else [asked])]


def order_categories(items: pa.Table, field: str) -> dict[str, str]:
    """Return the categories in the paper's order: by their most frequent label, the larger first."""
    if field != "category" or field not in items.column_names:
        return {}
    members: dict[str, Counter[str]] = {}
    for category, label in zip(items.column(field).to_pylist(), items.column("gold").to_pylist(), strict=True):
        members.setdefault(category or "?", Counter())[label] += 1
    known = (*LABELS, TWO_LABELS[1])

    def rank(name: str) -> tuple[int, int]:
        counts = members[name]
        return max(range(len(known)), key=lambda place: (counts[known[place]], -place)), -counts.total()

    return {name: name for name in sorted(members, key=rank)}


def weak_runs(inputs: Any, joined: Sequence[Joined], results: Results) -> list[str]:  # noqa: ANN401
    """Return a warning for each system that agrees with the gold by chance, and a note for those below one label."""
    by_id = {run.name for run in inputs.runs if not run.in_gold_order}  # `doubts` has those without ids
    cause = "it may belong to another test set with the same ids"
    chance = [
        warning(f"{one.system}: its labels agree with the gold no more than by chance; {cause}")
        for one in joined
        if one.system in by_id and is_chance(one)
    ]
    return [*chance, *_below_majority(results)]


def _below_majority(results: Results) -> list[str]:
    if "accuracy" not in {measure.name for measure in results.measures}:
        return []
    accuracy = {
        system.system: float(results.measure("accuracy").fold(system.records["accuracy"].sum(axis=0)))
        for system in results.systems
    }
    least = accuracy[MAJORITY]
    return [
        f"{name}: accuracy {value:.3f} is below that of the majority class, {least:.3f}"
        for name, value in accuracy.items()
        if value < least
    ]


def tables(results: Results, options: Options) -> list[Table]:  # noqa: ARG001 (the form of all tasks)
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


def discordant_tables(comparison: Comparison) -> list[Table]:
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


def explain_item(inputs: Inputs[GoldSet, Run], item: str, measure: str | None, policy: Policy) -> Explanation:  # noqa: ARG001
    """Show one pair: the replaced word, what annotators and systems say, its path in WordNet, and its values."""
    explained = explain_pair(inputs.gold, inputs.runs, item)
    premise, hypothesis = explained.marked()
    category = f", {explained.pair.category}" if explained.pair.category else ""
    heading = f"pair {item}{category}\n\n  premise     {premise}\n  hypothesis  {hypothesis}"
    names = [measure] if measure else ["accuracy", *(["votes"] if explained.votes else []), "macro_f1"]
    formulas = pair_formulas(inputs.gold, inputs.runs, item, names, inputs.options)
    tables = [explained.labels_table(), explained.lexicon_table()]
    return Explanation(item, heading, tables, explained, formulas=formulas)


def _report() -> TaskReport:
    from touchstone.tasks.nli import report

    return report


TASK: Task[GoldSet, Run, Joined] = Task(
    name="nli",
    title="Inference",
    report=_report,
    summary="Inference between two sentences: entailment, contradiction or neutral.",
    measures=MEASURES,
    default=DEFAULT_MEASURES,
    compared=("accuracy",),
    cluster="premise",
    grouped="category",
    options=Options,
    convert_options=ConvertOptions,
    values=True,
    read_gold=read_gold,
    prepare=apply_labels,
    read_run=read_run,
    rows=Rows(ID, run_line="label"),
    gold_roles=GOLD.fields,
    answers=Field("prediction", RUN["label"].names),
    join=join,
    baselines=baselines,
    select=select,
    group_names=order_categories,
    remarks=weak_runs,
    doubts=doubts,
    tables=tables,
    comparison_tables=discordant_tables,
    explain_item=explain_item,
    converter=formats.convert_file,
    gold_help="Pairs in a table of any format, with the column names of the public sets, a row for each pair or for "
    "each label of an annotator; or s1.X of parallel files.",
    run_help="Labels or probabilities in a table with ids, or one label per line; FILE:COLUMN is one column.",
    example="gold.jsonl bert=a.jsonl esim=b.jsonl",
)
