"""What systems lose from an original test set to a challenge set, and whether one loses less than another.

Paper, Tables 3 and 4. A drop is challenge minus original accuracy, negative where accuracy is lost. It is a measure
over the pairs of both sets, so it has the intervals and tests of every other measure, over the premises of both sets.
A model that was trained with several seeds is one system: the records of its runs are averaged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import scipy

from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats
from touchstone.base.tables import Cell, Column, Table, number, p_text
from touchstone.core.comparison import ALPHA, Comparison, compare
from touchstone.core.measures import Measure, ratio
from touchstone.core.resampling import Resampling, interval_heading, interval_text
from touchstone.core.results import Records, Results, SystemRecords
from touchstone.stats import holm
from touchstone.tasks.nli.auditing import audit
from touchstone.tasks.nli.breakdowns import Bins, breakdown, frequency_bins, similarity_bins
from touchstone.tasks.nli.model import GoldSet, Run, most_frequent_label
from touchstone.tasks.nli.tables import breakdown_table
from touchstone.tasks.nli.task import MAJORITY, TASK

DROP = "drop"
SEEN, UNSEEN = "all seen in training", "some unseen in training"


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
        raise TouchstoneError("no system was scored on both sets", hint="give a system the same name on both")
    cluster = challenge.resampling.cluster or original.resampling.cluster  # none where each pair has its own premise
    known = pa.concat_tables([_known(original, "original", cluster), _known(challenge, "challenge", cluster)])
    nothing = pa.table({"row": pa.nulls(len(known))})
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
        items_known=known,
        signature=signature,
        resampling=replace(challenge.resampling, cluster=cluster),
        by=None,
        notes=(),
    )


def _known(results: Results, name: str, cluster: str | None) -> pa.Table:
    """Return the ids and clusters of a set, marked with its name so that those of two sets differ."""
    items = results.items_known
    columns = {"id": "id"} | ({cluster: cluster if cluster in items.column_names else "id"} if cluster else {})
    marked = {
        column: [f"{name} {cell}" for cell in items.column(source).to_pylist()] for column, source in columns.items()
    }
    return pa.table({**marked, "set": [name] * len(results)})


def _drop_records(original: Floats, challenge: Floats) -> Floats:
    """Return (right, counted) of the original set, the same of the challenge set, and whether the pair counts."""
    old, new = (np.zeros((len(one), 5)) for one in (original, challenge))
    old[:, :2], new[:, 2:4] = original, challenge
    old[:, 4], new[:, 4] = original[:, -1], challenge[:, -1]
    return np.concatenate([old, new])


def _drop(sums: Floats) -> Floats:
    return ratio(sums[..., 2], sums[..., 3]) - ratio(sums[..., 0], sums[..., 1])


def _no_record(_joined: object) -> Floats:
    raise TouchstoneError("a drop needs two sets", hint="use touchstone nli drop")


DROP_MEASURE: Measure[object] = Measure(
    DROP,
    _no_record,
    _drop,
    "accuracy on the challenge set minus accuracy on the original set",
    item_values=lambda records: records[..., 2] - records[..., 0],
)


def mean_of_runs(results: Results, models: Mapping[str, Sequence[str]]) -> Results:
    """Return results with one system for each model: the records of its runs, averaged.

    The accuracy is the mean of the runs' accuracies; intervals are over premises, with all runs of a premise together.

    Parameters
    ----------
    results
        The results of single runs.
    models
        The names of the runs of each model.
    """
    by_name = {system.system: system for system in results.systems}
    systems = []
    for model, names in models.items():
        runs = [by_name[name] for name in names]
        records = {name: np.mean([run.records[name] for run in runs], axis=0) for name in runs[0].records}
        facts = runs[0].facts if len(runs) == 1 else pa.table({"runs": [len(runs)] * len(results)})
        systems.append(SystemRecords(model, Records(records), facts))
    return replace(results, systems=systems)


@dataclass(frozen=True, eq=False)
class Drop:
    """Models on an original test set and on a challenge set.

    *models* has the names of each model's runs; *constant* is the system that always gives the most frequent label of
    the challenge set; *unseen* has the ids of the pairs with new words that training lacks.
    """

    challenge_gold: GoldSet = field(repr=False)
    single: tuple[Results, Results] = field(repr=False)
    models: Mapping[str, Sequence[str]]
    constant: str
    bins: Sequence[Bins] = ()
    unseen: frozenset[str] | None = None

    @cached_property
    def original(self) -> Results:
        """Each model on the original set, and the constant."""
        return mean_of_runs(self.single[0], {**self.models, self.constant: [self.constant]})

    @cached_property
    def challenge(self) -> Results:
        """Each model on the challenge set, and the constant."""
        return mean_of_runs(self.single[1], {**self.models, self.constant: [self.constant]})

    @property
    def _models(self) -> Results:
        """The challenge set without the constant."""
        systems = [system for system in self.challenge.systems if system.system != self.constant]
        return replace(self.challenge, systems=systems)

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
        groups = [breakdown(self._models, bins) for bins in self.bins]
        if any(pair.category for pair in self.challenge_gold.pairs):
            names = TASK.group_names(self.challenge_gold.items, "category")
            groups.insert(0, self._accuracy_by(self.challenge.items_known, "category", names))
        if self.unseen is not None:
            ids = self.challenge.items_known.column("id").to_pylist()
            words = pa.array([UNSEEN if name in self.unseen else SEEN for name in ids], pa.string())
            known = self.challenge.items_known.append_column("words", words)
            groups.append(self._accuracy_by(known, "words", {SEEN: SEEN, UNSEEN: UNSEEN}))
        return groups

    def _accuracy_by(self, known: pa.Table, by: str, names: Mapping[str, str]) -> Results:
        accuracy = [self.challenge.measure("accuracy")]
        return replace(self._models, measures=accuracy, items_known=known, by=by, group_names=names)

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """All pairs of models by accuracy and macro-F1 on the challenge set, and by drop; none of one model."""
        if len(self.models) < 2:
            return []
        drops = replace(self.both, systems=[one for one in self.both.systems if one.system != self.constant])
        return [compare(self._models, "accuracy"), compare(self._models, "macro_f1"), compare(drops, DROP)]

    def table(self) -> Table:
        """Return accuracy on both sets, the drop, and macro-F1 on the challenge set (paper, Table 3)."""
        interval = interval_heading(self.both.resampling.level)
        heads = ("runs", "original", interval, "challenge", interval, "drop", interval, "macro_f1")
        rows: list[list[Cell]] = []
        for system in self.both.systems:
            name = system.system
            found = (
                *(results.row(name, "accuracy") for results in (self.original, self.challenge)),
                *(self.both.row(name, DROP), self.challenge.row(name, "macro_f1")),
            )
            cells = [cell for row in found for cell in (row.value, row.interval)]
            rows.append([name, len(self.models[name]) if name in self.models else None, *cells[:-1]])
        notes = ["accuracy; drop is challenge minus original; macro_f1 is on the challenge set"]
        notes += [f"{self.both.resampling}"]
        columns = [Column("system"), *(Column(head, "right") for head in heads)]
        return Table(columns, rows, rules={len(self.models)}, notes=notes)

    @property
    def several(self) -> bool:
        """Whether all models have several runs."""
        return all(len(names) > 1 for names in self.models.values())

    def runs_table(self) -> Table:
        """Return each run, and the mean and range of the runs of a model."""
        rows: list[list[Cell]] = []
        rules = set()
        for model, names in self.models.items():
            rules.add(len(rows))
            each = self.run_values[model]
            both = zip(names, each.tolist(), strict=True)
            rows += [[model if not place else "", name, *cells] for place, (name, cells) in enumerate(both)]
            if len(names) > 1:
                rows += [["", "mean", *each.mean(0).tolist()]]
                ends = zip(each.min(0), each.max(0), strict=True)
                rows += [["", "range", *(f"{number(low)} to {number(high)}" for low, high in ends)]]
        heads = ("original", "challenge", "drop", "macro_f1")
        return Table([Column("model"), Column("run"), *(Column(head, "right") for head in heads)], rows, rules=rules)

    @cached_property
    def run_values(self) -> dict[str, Floats]:
        """For each model a row for each run: accuracy on both sets, drop, and macro-F1 on the challenge set."""
        original, challenge = self.single

        def cells(name: str) -> list[float]:
            old, new = (results.row(name, "accuracy").value for results in (original, challenge))
            return [old, new, new - old, challenge.row(name, "macro_f1").value]

        return {model: np.array([cells(name) for name in names]) for model, names in self.models.items()}

    def seeds_table(self) -> Table:
        """Return the differences between models with the runs as the sample: Welch's t test (1947), Holm over pairs.

        The tests over premises say whether these runs differ. Those over runs say whether further runs of the models,
        with other seeds, would. None if a model has one run.
        """
        interval = interval_heading(self.both.resampling.level)
        heads = ("challenge", interval, "p (holm)", "drop", interval, "p (holm)", "macro_f1", "p (holm)")
        pairs = list(combinations(self.models, 2))
        tests = [[self._welch(a, b, column) for a, b in pairs] for column in (1, 2, 3)]
        adjusted = [holm([test.p for test in some]) for some in tests]
        rows: list[list[Cell]] = []
        for place, (a, b) in enumerate(pairs):
            cells: list[Cell] = []
            for some, p in zip(tests, adjusted, strict=True):
                one = some[place]
                cells += [f"{one.difference:+.3f}", interval_text(one.low, one.high), p_text(p[place])]
            rows.append([f"{a} – {b}", *cells[:7], cells[8]])
        columns = [Column("pair"), *(Column(head, "right") for head in heads)]
        return Table(columns, rows, title="Over seeds", notes=["Welch's t test over the runs of both models"])

    def _welch(self, a: str, b: str, column: int) -> "_Welch":
        first, second = (self.run_values[model][:, column] for model in (a, b))
        found = scipy.stats.ttest_ind(first, second, equal_var=False)
        low, high = found.confidence_interval(self.both.resampling.level)
        return _Welch(float(first.mean() - second.mean()), float(low), float(high), float(found.pvalue))

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
            f"{first} loses least: {self._against(drop, 2, first, others)}.",
            f"Its accuracy on the challenge set: {self._against(accuracy, 1, first, others)}.",
            f"Its macro-F1 on the challenge set: {self._against(f1, 3, first, others)}.",
            f"Better and worse have p below {ALPHA} over {over}, corrected by Holm.",
        ]

    def _against(self, comparison: Comparison, column: int, first: str, others: Sequence[str]) -> str:
        """Return which models the first is better or worse than, by how much, and which it cannot be told from."""
        over_runs = [0.0] * len(others)
        if self.several:
            over_runs = holm([self._welch(first, other, column).p for other in others]).tolist()
        found: dict[str, list[str]] = {"better than": [], "worse than": [], "no clear difference to": []}
        for other, runs in zip(others, over_runs, strict=True):
            pair = next(pair for pair in comparison.pairs if {pair.a, pair.b} == {first, other})
            difference = pair.difference if pair.a == first else -pair.difference
            clear = max(pair.p_adjusted, runs) < ALPHA
            which = ("better than" if difference > 0 else "worse than") if clear else "no clear difference to"
            found[which].append(f"{other} ({difference:+.3f})")
        return "; ".join(f"{which} {', '.join(names)}" for which, names in found.items() if names)

    def tables(self) -> list[Table]:
        """Return all tables, as commands show them."""
        found = [self.table()]
        found += [self.runs_table()] if any(len(names) > 1 for names in self.models.values()) else []
        found += [self.seeds_table()] if self.comparisons and self.several else []
        found.append(replace(self.challenge.table(), title="Challenge set"))
        found += [replace(breakdown_table(one), title=f"By {one.by}") for one in self.groups]
        titles = ("Accuracy on the challenge set", "Macro-F1 on the challenge set", "Drop")
        pairs = [replace(one.pairs_table(), title=title) for one, title in zip(self.comparisons, titles, strict=False)]
        return found + pairs


class _Welch(NamedTuple):
    """The difference of two models over their runs, its interval, and p before correction."""

    difference: float
    low: float
    high: float
    p: float


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
    given = [run for pairs in runs.values() for run in pairs]
    single = []
    for place, gold in enumerate((original, challenge)):
        always = Run(constant, gold.source, gold.ids, [label or ""] * len(gold), gold.lines)
        scored = TASK.score(gold, [*(run[place] for run in given), always], ["accuracy"], resampling=resampling)
        single.append(replace(scored, systems=[one for one in scored.systems if one.system != MAJORITY], notes=()))
    models = {model: [run.name for run, _ in pairs] for model, pairs in runs.items()}
    bins = [similarity_bins(challenge, vectors)] if vectors else []
    bins += [frequency_bins(challenge, training)] if training else []
    unseen = frozenset(pair.id for pair in audit(challenge, training).unseen_pairs) if training else None
    return Drop(challenge, (single[0], single[1]), models, constant, bins, unseen)
