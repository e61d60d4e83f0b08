"""Lexical substitution as a task: how its files are read, joined, scored and explained."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import isnan

import numpy as np
import pyarrow as pa

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ids import Policy
from touchstone.base.ragged import Bools
from touchstone.base.spelling import setting
from touchstone.base.tables import Cell, Column, Table
from touchstone.core.comparison import Comparison
from touchstone.core.doubts import Doubt
from touchstone.core.explanation import Explanation
from touchstone.core.inputs import Inputs
from touchstone.core.measures import Measure
from touchstone.core.results import Results, Row, SystemRecords
from touchstone.core.task import PathLike, ShardRows, Task, TaskReport
from touchstone.io.runs import RunFiles
from touchstone.stats import signed_differences
from touchstone.tasks.lexsub import formats
from touchstone.tasks.lexsub.about import ABOUT, Options, ReadingOptions
from touchstone.tasks.lexsub.doubts import doubts
from touchstone.tasks.lexsub.explaining import explain_item
from touchstone.tasks.lexsub.joining import Joined, join, prepare
from touchstone.tasks.lexsub.measures import ELS07, MEASURES, OFFICIAL, OFFICIAL_SUMMARY, PAPER, official_range
from touchstone.tasks.lexsub.model import OOT, POS_NAMES, GoldSet, Run
from touchstone.tasks.lexsub.official import percent
from touchstone.tasks.lexsub.preparing import base_form

MANY_INFLECTED = 0.1
"""The share of inflected answers from which on a system seems not to lemmatise."""

ORDER = ("R", f"rank@{OOT}")
"""The measures that `order_table` needs: the same credit whatever the order, and credit that depends on the order."""


def _scorable(names: Sequence[str], runs: Sequence[Run]) -> list[str]:
    """Return the measures asked for; the group ``els07``, or none, stands for those that the files can have."""
    return [measure for name in names or ("els07",) for measure in (_shared_els07(runs) if name == "els07" else [name])]


def _shared_els07(runs: Sequence[Run]) -> list[str]:
    """Return the ``els07`` measures of the views that all runs give."""
    shared_views = [
        row for row, view in (("best", "best"), ("oot", "ranked")) if all(view in run.given for run in runs)
    ]
    if not shared_views:
        hint = "give every system its '::' file, or every one its ':::' file"
        raise TouchstoneError("no kind of answers is given by all systems", code=Code.UNSUPPORTED, hint=hint)
    return [name for name in ELS07 if name.split(".")[1].removesuffix("_mode") in shared_views]


def _inflected_share(run: Run) -> float:
    """Return the share of distinct answers that differ from their base form."""
    lists, pos = run.lists.lists, run.lists.pos
    places = zip(lists.codes.row.tolist(), lists.codes.values.tolist(), strict=True)
    pairs = {(lists.words[code], pos[row] or "") for row, code in places}
    inflected = [answer for answer, tag in pairs if base_form(answer, tag) != answer]
    return len(inflected) / max(1, len(pairs))


def task_table(results: Results) -> Table:
    """Return the els07 values in the layout of the task: in percent, two decimals, half up; without groups."""
    if results.by:
        hint = f"leave out {setting('by')} or {setting('style', 'els07')}"
        raise TouchstoneError("the task's layout has no groups", code=Code.OPTION_UNUSED, hint=hint)
    names = ("total", "attempted", "P", "R", "with mode", "attempted", "mode P", "mode R")
    columns = [Column("system"), Column("view"), *(Column(name, "right") for name in names)]
    values = {(row.system, row.measure): row for row in results.rows if row.group is None}
    rows: list[list[Cell]] = []
    for system in results.systems:
        for view in ("best", "oot"):
            for suffix in ("", OFFICIAL):
                measure_names = [f"els07.{view}{mode}.{figure}{suffix}" for mode in ("", "_mode") for figure in "RP"]
                cells = [values[system.system, name] for name in measure_names if (system.system, name) in values]
                if len(cells) == len(measure_names):
                    rows.append([system.system, view + suffix, *_percents(*cells[:2]), *_percents(*cells[2:])])
    if not rows:
        hint = f"score with {setting('measure', 'els07')} or {setting('compat', 'els07')}"
        raise TouchstoneError("there are no els07 figures for the layout of the task", code=Code.UNSUPPORTED, hint=hint)
    return Table(columns, rows)


def _percents(recall: Row, precision: Row) -> list[Cell]:
    values = (None if isnan(row.value) else percent(row.value) for row in (precision, recall))
    return [str(recall.n), str(precision.n), *values]


def order_table(results: Results) -> Table:
    """Return, for each pair of systems, the number of items with the same recall and another rank score.

    That is the case of the paper's section 8, where the order of the answers decides; the answers may differ.
    """
    heads = (f"equal R, different rank@{OOT}", "equal R", f"both give {OOT} answers or fewer", "items")
    rows: list[list[Cell]] = []
    for a, b in combinations(results.systems, 2):
        same_recall, same_rank = (_equal(name, a, b) for name in ORDER)
        most = np.maximum(*(system.facts.column("n_ranked").to_numpy() for system in (a, b)))
        counts = (same_recall & ~same_rank).sum(), same_recall.sum(), (most <= OOT).sum()
        rows.append([f"{a.system} – {b.system}", *map(int, counts), len(results)])
    title = f"Items where two systems have equal R and different rank@{OOT}: the order of the answers decides"
    return Table([Column("pair"), *(Column(head, "right") for head in heads)], rows, title=title)


def _equal(name: str, a: SystemRecords, b: SystemRecords) -> Bools:
    """Return on which items two systems have the same value, up to rounding."""
    measure = MEASURES.find(name)
    return np.asarray(signed_differences(*(measure.values(system.records[name]) for system in (a, b))) == 0)


class Lexsub(Task[GoldSet, Run, Joined]):
    """Lexical substitution: which words could replace this one."""

    about = ABOUT
    measures = MEASURES
    default = PAPER
    compared = (f"rank@{OOT}",)
    extra_measures = ORDER
    cluster = "target"
    report_by = "pos"
    missing = "zero"
    gold_fields = formats.tables.GOLD.fields
    answer_field = formats.tables.RUN[formats.tables.SUBSTITUTE]
    joint_suffixes = formats.TOGETHER
    shard_rows = ShardRows(formats.tables.ITEM)
    block = 1 << 18
    parallel = False

    def read_gold(self, paths: Sequence[object], options: Options) -> GoldSet:
        """Read the gold, which is one file or object."""
        if len(paths) != 1:
            what = f"{len(paths)} files of gold"
            raise TouchstoneError(what, code=Code.OPTION_NEEDED, hint="give one; runs come after it")
        return formats.read_gold_beside_runs(paths[0], options)

    def prepare(self, gold: GoldSet, options: Options) -> GoldSet:
        """Return the gold with the items that enough people answered."""
        return prepare(gold, options)

    def read_run(self, files: RunFiles, gold: GoldSet, options: Options) -> Run:
        """Read the run of one system; official figures depend on every byte of its files."""
        run = formats.read_files(files, options, gold)
        return replace(run, by_bytes=options.compat != "none")

    def join(self, gold: GoldSet, run: Run, policy: Policy, options: Options) -> Joined:
        """Join answers by id or by the sentences."""
        return join(gold, run, policy, options)

    def part(self, joined: Sequence[Joined], rows: slice) -> list[Joined]:
        """Cut each joined run to some items."""
        return [run.part(rows) for run in joined]

    def select(self, names: Sequence[str], inputs: Inputs[GoldSet, Run]) -> list[str]:
        """Return the measures asked for, or the usual ones; with ``compat="both"`` official figures after ours."""
        compat = inputs.options.compat
        requested = list(names) or [*PAPER] if compat == "none" else _scorable(names, inputs.runs)
        chosen = [measure.name for measure in MEASURES.find_all(requested)]
        return [*chosen, *(name + OFFICIAL for name in chosen if compat == "both" and name in ELS07)]

    def refine(self, measure: Measure[Joined], inputs: Inputs[GoldSet, Run]) -> Measure[Joined]:
        """Return the measure with what it says of itself where the official rules make its figures."""
        official = inputs.options.compat == "els07" and measure.name in ELS07
        changed = replace(measure, summary=OFFICIAL_SUMMARY, range=official_range(measure.name))
        return changed if official else measure

    def doubts(self, inputs: Inputs[GoldSet, Run], joined: Sequence[tuple[Run, Joined]]) -> Sequence[Doubt]:
        """Return what makes answers look like those of other items, or in another order."""
        return doubts(inputs, joined)

    def notes(self, inputs: Inputs[GoldSet, Run], joined: Sequence[Joined], results: Results) -> list[str]:
        """Return how many lists have no boundary where measures of sets are scored, and which official figures lack."""
        views = {"best": "'::'", "ranked": "':::'"}
        notes = [
            f"official figures of {view} are left out: not every system has its {separator} file"
            for view, separator in views.items()
            if inputs.options.compat != "none" and not all(view in run.given for run in inputs.runs)
        ]
        if not any(re.match(r"[PRF]\b", measure.name) for measure in results.measures):
            return notes
        unbounded_lists = {run.name: (int((run.lists.cuts < 0).sum()), len(run.lists.cuts)) for run in inputs.runs}
        return notes + [
            f"{name}: no boundary is given for {unbounded:,} of {lists:,} lists: P, R and F use them whole"
            for name, (unbounded, lists) in unbounded_lists.items()
            if unbounded
        ]

    def warnings(self, inputs: Inputs[GoldSet, Run]) -> list[str]:
        """Return the runs with many inflected answers, for ``validate``."""
        shares = {run.name: _inflected_share(run) for run in inputs.runs}
        return [
            f"{name}: {share:.0%} of the answers are inflected forms; consider {setting('lemmatize', 'True')}"
            for name, share in shares.items()
            if share >= MANY_INFLECTED
        ]

    def group_names(self, items: pa.Table, field: str) -> Mapping[str, str]:
        """Return the parts of speech in their order."""
        return POS_NAMES if field == "pos" else {}

    def tables(self, results: Results, options: Options) -> list[Table]:
        """Return the table of a scoring, in the layout of the task where the options ask for it."""
        return [task_table(results) if options.style == "els07" else results.table()]

    def comparison_tables(self, comparison: Comparison) -> Sequence[Table]:
        """Return `order_table`, where the results have the records that it needs."""
        systems = comparison.results.systems
        return [order_table(comparison.results)] if all(name in s.records for s in systems for name in ORDER) else []

    def explain_item(self, inputs: Inputs[GoldSet, Run], item: str, measure: str | None, policy: Policy) -> Explanation:
        """Show the answers of people and systems, and what each earns."""
        return explain_item(inputs, item, measure, policy)

    def convert_file(self, source: PathLike, target: PathLike, options: ReadingOptions) -> str:
        """Write gold or a run in another format."""
        return formats.convert(source, target, options)

    def report(self) -> TaskReport:
        """Import the module of the report."""
        from touchstone.tasks.lexsub import report

        return report


TASK = Lexsub()
