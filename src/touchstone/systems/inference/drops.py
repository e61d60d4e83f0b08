"""What systems lose from an original test set to a challenge set, and whether one loses less than another.

Paper, Tables 3 and 4. A drop is challenge minus original accuracy, negative where accuracy is lost. It is a measure
over the pairs of both sets, so it has the intervals and tests of every other measure, over the premises of both sets.
A model that was trained with several seeds is one system: the records of its runs are averaged.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from math import isfinite
from pathlib import Path

import numpy as np
import pyarrow as pa
import scipy

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats
from touchstone.base.ranges import Range
from touchstone.base.tables import Cell, Column, Table, counted, number, p_text
from touchstone.core.comparison import Comparison, compare
from touchstone.core.measures import Measure, ratio
from touchstone.core.pairs import ALPHA
from touchstone.core.resampling import Resampling, interval_heading, interval_text
from touchstone.core.results import Results, SystemRecords
from touchstone.show.finding import Finding, Statement, kind_rows
from touchstone.stats import holm
from touchstone.systems.inference.runs import Condition, ModelRun, ModelRuns, score_runs
from touchstone.tasks.nli.auditing import audit
from touchstone.tasks.nli.breakdowns import Bins, breakdown, breakdown_table, frequency_bins, similarity_bins
from touchstone.tasks.nli.model import GoldSet, Run, most_frequent_label
from touchstone.tasks.nli.task import TASK

DROP = "drop"
ORIGINAL, CHALLENGE = "original", "challenge"
NO_NEW_WORDS, NEW_WORDS = "all seen in training", "some unseen in training"


def drop_results(original: Results, challenge: Results) -> Results:
    """Return the results of the measure ``drop`` for the systems that were scored on both sets.

    Parameters
    ----------
    original, challenge
        Results with the measure accuracy.

    Examples
    --------
    >>> from touchstone import nli
    >>> def results(right):
    ...     gold = {str(n): "neutral" for n in range(10)}
    ...     bert = {item: "neutral" if int(item) < right else "entailment" for item in gold}
    ...     return nli.score(gold, {"bert": bert}, ["accuracy"])
    >>> nli.drop_results(results(9), results(4)).row("bert", "drop").value
    -0.5
    """
    scored = {system.system: system for system in original.systems}
    both = [(scored[system.system], system) for system in challenge.systems if system.system in scored]
    if not both:
        hint = "give a system the same name on both"
        raise TouchstoneError("no system was scored on both sets", code=Code.MISMATCH, hint=hint)
    cluster = challenge.resampling.cluster or original.resampling.cluster  # none where each pair has its own premise
    items = pa.concat_tables([_marked_items(original, ORIGINAL, cluster), _marked_items(challenge, CHALLENGE, cluster)])
    nothing = pa.table({"row": pa.nulls(len(items))})
    systems = [
        SystemRecords(new.system, {DROP: _drop_records(old.records["accuracy"], new.records["accuracy"])}, nothing)
        for old, new in both
    ]
    signature = {
        **challenge.signature,
        "measures": DROP,
        "original": original.signature["gold"],
        "items": f"{len(original)} original and {len(challenge)} challenge pairs",
    }
    return replace(
        challenge,
        measures=[DROP_MEASURE],
        systems=systems,
        items_known=items,
        signature=signature,
        resampling=replace(challenge.resampling, cluster=cluster),
        by=None,
        notes=(),
    )


def _marked_items(results: Results, name: str, cluster: str | None) -> pa.Table:
    """Return the ids and clusters of a set, marked with its name so that those of two sets differ."""
    items = results.items_known
    columns = {"id": "id"} | ({cluster: cluster if cluster in items.column_names else "id"} if cluster else {})
    marked = {
        column: [f"{name} {cell}" for cell in items.column(source).to_pylist()] for column, source in columns.items()
    }
    return pa.table({**marked, "set": [name] * len(results)})


def _drop_records(original: Floats, challenge: Floats) -> Floats:
    """Return (right, counted) of the original set, the same of the challenge set, and whether the pair counts."""
    old, new = (np.zeros((len(records), 5)) for records in (original, challenge))
    old[:, :2], new[:, 2:4] = original, challenge
    old[:, 4], new[:, 4] = original[:, -1], challenge[:, -1]
    return np.concatenate([old, new])


def _drop(sums: Floats) -> Floats:
    return ratio(sums[..., 2], sums[..., 3]) - ratio(sums[..., 0], sums[..., 1])


def _no_record(_joined: object) -> Floats:
    raise TouchstoneError("a drop needs two sets", code=Code.UNSUPPORTED, hint="use touchstone nli drop")


DROP_MEASURE: Measure[object] = Measure(
    DROP,
    _no_record,
    _drop,
    "accuracy on the challenge set minus accuracy on the original set",
    item_values=lambda records: records[..., 2] - records[..., 0],
    range=Range(-1, 1),
)


FIGURES = ("original", "challenge", "drop", "macro_f1")
"""What each run has: accuracy on both sets, their difference, and macro-F1 on the challenge set."""


@dataclass(frozen=True)
class SeedPair:
    """A difference between two models, with their runs as the sample."""

    a: str
    b: str
    measure: str
    """One of `FIGURES`."""
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float


@dataclass(frozen=True, eq=False, repr=False)
class Drop(Finding):
    """Models on an original test set and on a challenge set.

    *runs* has the runs of the models and, as the last of them, *constant*: the system that always gives the most
    frequent label of the challenge set. *unseen* has the ids of the pairs with new words that training lacks.
    """

    challenge_gold: GoldSet = field(repr=False)
    runs: ModelRuns = field(repr=False)
    constant: str
    bins: Sequence[Bins] = ()
    unseen: frozenset[str] | None = None

    @property
    def models(self) -> list[str]:
        """The models, without the constant."""
        return [model for model in self.runs.models if model != self.constant]

    @property
    def original(self) -> Results:
        """Each model on the original set, and the constant."""
        return self.runs.means[ORIGINAL]

    @property
    def challenge(self) -> Results:
        """Each model on the challenge set, and the constant."""
        return self.runs.means[CHALLENGE]

    def _of_models(self, results: Results) -> Results:
        """Return results without the constant."""
        return replace(results, systems=[system for system in results.systems if system.system != self.constant])

    @cached_property
    def both(self) -> Results:
        """The drop of each model and of the constant."""
        return drop_results(self.original, self.challenge)

    @property
    def signature(self) -> Mapping[str, str]:
        """What the figures depend on."""
        return self.both.signature

    @cached_property
    def groups(self) -> list[Results]:
        """Accuracy on the challenge set by category, by the bins, and by whether training has seen the new words."""
        groups = [breakdown(self._of_models(self.challenge), bins) for bins in self.bins]
        if any(pair.category for pair in self.challenge_gold.pairs):
            names = TASK.group_names(self.challenge_gold.items, "category")
            groups.insert(0, self._accuracy_by(self.challenge.items_known, "category", names))
        if self.unseen is not None:
            ids = self.challenge.items_known.column("id").to_pylist()
            words = pa.array([NEW_WORDS if name in self.unseen else NO_NEW_WORDS for name in ids], pa.string())
            items = self.challenge.items_known.append_column("words", words)
            groups.append(self._accuracy_by(items, "words", {NO_NEW_WORDS: NO_NEW_WORDS, NEW_WORDS: NEW_WORDS}))
        return groups

    def _accuracy_by(self, items: pa.Table, by: str, names: Mapping[str, str]) -> Results:
        accuracy, models = [self.challenge.measure("accuracy")], self._of_models(self.challenge)
        return replace(models, measures=accuracy, items_known=items, by=by, group_names=names)

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """All pairs of models by accuracy and macro-F1 on the challenge set, and by drop; none of one model."""
        if len(self.models) < 2:
            return []
        challenge = self._of_models(self.challenge)
        pairs = ((challenge, "accuracy"), (challenge, "macro_f1"), (self._of_models(self.both), DROP))
        return [compare(results, measure) for results, measure in pairs]

    def table(self) -> Table:
        """Return accuracy on both sets, the drop, and macro-F1 on the challenge set (paper, Table 3)."""
        interval = interval_heading(self.both.resampling.level)
        heads = ("runs", "original", interval, "challenge", interval, "drop", interval, "macro_f1")
        rows: list[list[Cell]] = []
        for system in self.both.systems:
            name = system.system
            result_rows = (
                *(results.row(name, "accuracy") for results in (self.original, self.challenge)),
                *(self.both.row(name, DROP), self.challenge.row(name, "macro_f1")),
            )
            # Without the last interval: macro_f1 has one column only.
            cells = [cell for row in result_rows for cell in (row.value, row.interval)]
            rows.append([name, len(self.run_values[name]) if name in self.models else None, *cells[:-1]])
        notes = ["accuracy; drop is challenge minus original; macro_f1 is on the challenge set"]
        notes += [f"{self.both.resampling}"]
        columns = [Column("system"), *(Column(head, "right") for head in heads)]
        return Table(columns, rows, rules={len(self.models)}, notes=notes)

    @property
    def several(self) -> bool:
        """Whether all models have several runs."""
        return all(len(each) > 1 for each in self.run_values.values())

    @cached_property
    def run_values(self) -> dict[str, Floats]:
        """For each model a row for each run, and a column for each of `FIGURES`."""
        values = {}
        for model in self.models:
            condition = Condition(model, None)
            old, new = (self.runs.run_values(condition, test, "accuracy") for test in (ORIGINAL, CHALLENGE))
            f1 = self.runs.run_values(condition, CHALLENGE, "macro_f1")
            values[model] = np.stack([old, new, new - old, f1], axis=1)
        return values

    def _run_names(self, model: str) -> list[str]:
        return [row.run for row in self.runs.runs(Condition(model, None), CHALLENGE)]

    def runs_table(self) -> Table:
        """Return each run, and the mean and range of the runs of a model."""
        rows: list[list[Cell]] = []
        rules = set()
        for model, each in self.run_values.items():
            rules.add(len(rows))
            both = zip(self._run_names(model), each.tolist(), strict=True)
            rows += [[model if not index else "", name, *cells] for index, (name, cells) in enumerate(both)]
            if len(each) > 1:
                rows += [["", "mean", *each.mean(0).tolist()]]
                ends = zip(each.min(0), each.max(0), strict=True)
                rows += [["", "range", *(f"{number(low)} to {number(high)}" for low, high in ends)]]
        columns = [Column("model"), Column("run"), *(Column(head, "right") for head in FIGURES)]
        return Table(columns, rows, rules=rules)

    @cached_property
    def seed_pairs(self) -> list[SeedPair]:
        """The differences between models with the runs as the sample: Welch's t test (1947), Holm over pairs.

        The tests over premises say whether these runs differ. Those over runs say whether further runs of the models,
        with other seeds, would. None if a model has one run.
        """
        if not (self.comparisons and self.several):
            return []
        pairs = []
        for measure in FIGURES[1:]:
            tests = [self._welch(a, b, measure) for a, b in combinations(self.models, 2)]
            adjusted = holm([test.p for test in tests]).tolist()
            pairs += [replace(test, p_adjusted=p) for test, p in zip(tests, adjusted, strict=True)]
        return pairs

    def seeds_table(self) -> Table:
        """Return the differences between models over their runs."""
        interval = interval_heading(self.both.resampling.level)
        heads = ("challenge", interval, "p (holm)", "drop", interval, "p (holm)", "macro_f1", "p (holm)")
        cells: dict[str, list[Cell]] = {}
        for pair in self.seed_pairs:
            ends = [interval_text(pair.low, pair.high)] if pair.measure != "macro_f1" else []
            row = cells.setdefault(f"{pair.a} – {pair.b}", [])
            row += [f"{pair.difference:+.3f}", *ends, p_text(pair.p_adjusted)]
        columns = [Column("pair"), *(Column(head, "right") for head in heads)]
        rows: list[list[Cell]] = [[name, *row] for name, row in cells.items()]
        return Table(columns, rows, title="Over seeds", notes=["Welch's t test over the runs of both models"])

    def _welch(self, a: str, b: str, measure: str) -> SeedPair:
        """Return the difference of two models over their runs, with p before correction."""
        first, second = (self.run_values[model][:, FIGURES.index(measure)] for model in (a, b))
        tested = scipy.stats.ttest_ind(first, second, equal_var=False)
        low, high = tested.confidence_interval(self.both.resampling.level)
        p = float(tested.pvalue)
        return SeedPair(a, b, measure, float(first.mean() - second.mean()), float(low), float(high), p, p)

    def sentences(self) -> list[str]:
        """Return what the model that loses least loses, and whether the tests confirm that it loses least."""
        names = [row.system for row in self.comparisons[-1].standings] if self.comparisons else self.models
        before, after = (number(results.row(names[0], "accuracy").value) for results in (self.original, self.challenge))
        fall = self.both.row(names[0], DROP)
        heading = interval_heading(self.both.resampling.level)
        ends = (
            f" ({fall.value:+.3f}, {heading} {number(fall.low)} to {number(fall.high)})" if isfinite(fall.low) else ""
        )
        return [f"The accuracy of {names[0]} goes from {before} to {after}{ends}.", *self.least_loss()]

    def least_loss(self) -> list[str]:
        """Return in sentences which model loses least, and whether the tests confirm it.

        A model that gives one label too often can have a small loss, so the claim also needs the highest
        macro-F1 and an accuracy on the challenge set that is significantly above that of each other model.
        """
        if not self.comparisons:
            return []
        accuracy, f1, drop = self.comparisons
        first, *others = (row.system for row in drop.standings)
        over = "premises and over seeds" if self.several else "premises"
        return [
            f"{first} loses least: {self._against(drop, first, others)}.",
            f"Its accuracy on the challenge set: {self._against(accuracy, first, others)}.",
            f"Its macro-F1 on the challenge set: {self._against(f1, first, others)}.",
            f"Better and worse have p below {ALPHA} over {over}, corrected by Holm.",
        ]

    def _against(self, comparison: Comparison, first: str, others: Sequence[str]) -> str:
        """Return which models the first is better or worse than, by how much, and which it cannot be told from."""
        figure = CHALLENGE if comparison.measure == "accuracy" else comparison.measure
        over_runs = [0.0] * len(others)
        if self.several:
            over_runs = holm([self._welch(first, other, figure).p for other in others]).tolist()
        names_by_verdict: dict[str, list[str]] = {"better than": [], "worse than": [], "no clear difference to": []}
        for other, runs in zip(others, over_runs, strict=True):
            pair = next(pair for pair in comparison.pairs if {pair.a, pair.b} == {first, other})
            difference = pair.difference if pair.a == first else -pair.difference
            clear = max(pair.p_adjusted, runs) < ALPHA
            verdict = ("better than" if difference > 0 else "worse than") if clear else "no clear difference to"
            names_by_verdict[verdict].append(f"{other} ({difference:+.3f})")
        return "; ".join(f"{verdict} {', '.join(names)}" for verdict, names in names_by_verdict.items() if names)

    def tables(self) -> list[Table]:
        """Return all tables, as commands show them."""
        tables = [self.table()]
        tables += [self.runs_table()] if any(len(each) > 1 for each in self.run_values.values()) else []
        tables += [self.seeds_table()] if self.seed_pairs else []
        tables.append(replace(self.challenge.table(), title="Challenge set"))
        tables += [replace(breakdown_table(group), title=f"By {group.by}") for group in self.groups]
        titles = ("Accuracy on the challenge set", "Macro-F1 on the challenge set", "Drop")
        pairs = [
            replace(comparison.pairs_table(), title=title)
            for comparison, title in zip(self.comparisons, titles, strict=False)
        ]
        return tables + pairs

    def statement(self) -> Statement:
        """Return accuracies, drops and their tests; the report draws them."""
        from touchstone.systems.inference.report import drop_sections

        return Statement(
            "From a test set to a challenge set",
            self.tables(),
            list(self._rows()),
            self.sentences(),
            signature=self.signature,
            subtitle=f"{', '.join(self.models)} on {counted(len(self.both), 'item')}",
            sections=lambda: drop_sections(self),
        )

    def _rows(self) -> Iterator[dict[str, object]]:
        """Yield values of models on both sets, their drops, their single runs, groups of pairs, and all tests."""
        yield from self.runs.value_rows(measure.name for measure in self.challenge.measures)
        for row in self.both.rows:
            yield {"kind": DROP, "model": row.system, "value": row.value, "low": row.low, "high": row.high}
        for model, each in self.run_values.items():
            for name, figures in zip(self._run_names(model), each.tolist(), strict=True):
                yield {"kind": "run", "model": model, "run": name, **dict(zip(FIGURES, figures, strict=True))}
            ends = (each.mean(0).tolist(), each.min(0).tolist(), each.max(0).tolist())
            for figure, mean, least, most in zip(FIGURES, *ends, strict=True):
                yield {"kind": "range", "model": model, "figure": figure, "mean": mean, "least": least, "most": most}
        for group in self.groups:
            for row in group.rows:
                about = {"by": group.by, "group": row.group, "model": row.system, "measure": row.measure}
                yield {"kind": "group", **about, "value": row.value, "low": row.low, "high": row.high, "n": row.n}
        for comparison in self.comparisons:
            yield from kind_rows(
                "pair", ({"measure": comparison.measure, **pair.to_dict()} for pair in comparison.pairs)
            )
        yield from kind_rows("seed pair", map(vars, self.seed_pairs))


def drop(
    original: GoldSet,
    challenge: GoldSet,
    runs: Mapping[str, Sequence[tuple[Run, Run]]],
    *,
    vectors: str | Path | None = None,
    training: Sequence[GoldSet] = (),
    resampling: Resampling = Resampling(),  # noqa: B008 (immutable)
) -> Drop:
    """Score models on an original test set and on a challenge set.

    Parameters
    ----------
    original, challenge
        The pairs of both sets.
    runs
        For each model its runs, such as one for each seed: what the run gave on the original set and on the challenge
        set, under one name.
    vectors, training
        Word vectors and training sets, to group the challenge pairs by how alike, how frequent and how new words are.
    resampling
        How intervals and tests are computed.

    Examples
    --------
    >>> from touchstone import nli
    >>> gold = nli.read_gold([
    ...     {"id": "1", "premise": "A dog runs.", "hypothesis": "An animal runs.", "label": "entailment"},
    ...     {"id": "2", "premise": "A dog runs.", "hypothesis": "A cat runs.", "label": "contradiction"},
    ... ])
    >>> first = nli.read_run({"1": "entailment", "2": "contradiction"}, name="bert")
    >>> second = nli.read_run({"1": "entailment", "2": "neutral"}, name="bert")
    >>> found = nli.drop(gold, gold, {"bert": [(first, second)]})
    >>> found.original.row("bert", "accuracy").value, found.challenge.row("bert", "accuracy").value
    (1.0, 0.5)
    """
    label = most_frequent_label(challenge.pairs)
    constant = f"always {label}"
    golds = {ORIGINAL: original, CHALLENGE: challenge}
    rows = [
        ModelRun(model, None, test, run)
        for model, pairs in runs.items()
        for both in pairs
        for test, run in zip(golds, both, strict=True)
    ]
    for test, gold in golds.items():
        always = Run(constant, gold.source, gold.ids, [label or ""] * len(gold), gold.lines)
        rows.append(ModelRun(constant, None, test, always))
    bins = [similarity_bins(challenge, vectors)] if vectors else []
    bins += [frequency_bins(challenge, training)] if training else []
    unseen = frozenset(pair.id for pair in audit(challenge, training).unseen_pairs) if training else None
    return Drop(challenge, score_runs(golds, rows, resampling), constant, bins, unseen)
