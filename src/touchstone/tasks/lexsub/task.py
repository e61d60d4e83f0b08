"""Lexical substitution as a task: how its files are read, joined, scored and explained."""

import re
from collections.abc import Sequence
from dataclasses import replace

from touchstone.core.errors import TouchstoneError
from touchstone.core.measures import Measure
from touchstone.core.results import Results
from touchstone.core.task import Inputs, PathLike, Task
from touchstone.io.runs import RunFiles
from touchstone.tasks.lexsub import formats
from touchstone.tasks.lexsub.explaining import explain_item
from touchstone.tasks.lexsub.joining import Joined, Options, ReadingOptions, join, prepare
from touchstone.tasks.lexsub.measures import ELS07, MEASURES, OFFICIAL, OFFICIAL_SUMMARY, PAPER
from touchstone.tasks.lexsub.model import OOT, POS_NAMES, GoldSet, Run
from touchstone.tasks.lexsub.preparing import base_form
from touchstone.tasks.lexsub.tables import ORDER, comparison_tables, score_tables

MANY_INFLECTED = 0.1
"""The share of inflected answers from which on a system seems not to lemmatise."""


def read_gold(paths: Sequence[PathLike], options: Options) -> GoldSet:
    """Read the gold, which is one file."""
    if len(paths) != 1:
        raise TouchstoneError(f"{len(paths)} files of gold", hint="give one; runs come after it")
    return formats.read_gold(
        paths[0],
        encoding=options.encoding,
        min_responses=options.min_responses,
        min_weight=options.min_weight,
        source=options.source,
    )


def read_run(files: RunFiles, gold: GoldSet, options: Options) -> Run:  # noqa: ARG001 (the form of all tasks)
    """Read the run of one system."""
    return formats.read_files(files, options.encoding)


def select(names: Sequence[str], inputs: Inputs[GoldSet, Run]) -> list[str]:
    """Return the measures asked for, or the usual ones; with ``compat="both"`` official figures after ours."""
    compat = inputs.options.compat
    wanted = names or (PAPER if compat == "none" else _given_els07(inputs.runs))
    chosen = [measure.name for measure in MEASURES.find_all(wanted)]
    return [*chosen, *(name + OFFICIAL for name in chosen if compat == "both" and name in ELS07)]


def _given_els07(runs: Sequence[Run]) -> list[str]:
    """Return the ``els07`` measures of the views that all runs give."""
    given = [row for row, view in (("best", "best"), ("oot", "ranked")) if all(view in run.given for run in runs)]
    if not given:
        raise TouchstoneError(
            "no kind of answers is given by all systems",
            hint="give every system its '::' file, or every one its ':::' file",
        )
    return [name for name in ELS07 if name.split(".")[1].removesuffix("_mode") in given]


def refine(measure: Measure[Joined], inputs: Inputs[GoldSet, Run]) -> Measure[Joined]:
    """Return the measure with what it says of itself where the official rules make its figures."""
    official = inputs.options.compat == "els07" and measure.name in ELS07
    return replace(measure, summary=OFFICIAL_SUMMARY) if official else measure


def remarks(inputs: Inputs[GoldSet, Run], joined: Sequence[Joined], results: Results) -> list[str]:  # noqa: ARG001
    """Return, where measures of sets are scored, how many lists have no boundary."""
    if not any(re.match(r"[PRF]\b", measure.name) for measure in results.measures):
        return []
    notes = []
    for run in inputs.runs:
        whole, lists = int((run.lists.cuts < 0).sum()), len(run.lists.cuts)
        if whole:
            notes.append(
                f"{run.name}: no boundary is given for {whole:,} of {lists:,} lists: P, R and F use them whole"
            )
    return notes


def check(inputs: Inputs[GoldSet, Run]) -> list[str]:
    """Return the runs with many inflected answers, for ``validate``."""
    shares = {run.name: _inflected_share(run) for run in inputs.runs}
    return [
        f"{name}: {share:.0%} of the answers are inflected forms; consider --lemmatize"
        for name, share in shares.items()
        if share >= MANY_INFLECTED
    ]


def _inflected_share(run: Run) -> float:
    """Return the share of distinct answers that differ from their base form."""
    lists, pos = run.lists.lists, run.lists.pos
    places = zip(lists.codes.row.tolist(), lists.codes.values.tolist(), strict=True)
    pairs = {(lists.words[code], pos[row] or "") for row, code in places}
    inflected = [answer for answer, tag in pairs if base_form(answer, tag) != answer]
    return len(inflected) / max(1, len(pairs))


def convert(source: PathLike, target: PathLike, options: ReadingOptions) -> str:
    """Write gold or a run in another format."""
    return formats.convert(
        source, target, encoding=options.encoding, min_responses=options.min_responses, source=options.source
    )


TASK: Task[GoldSet, Run, Joined] = Task(
    name="lexsub",
    title="Lexical substitution",
    summary="Lexical substitution: which words could replace this one.",
    measures=MEASURES,
    default=PAPER,
    read_gold=read_gold,
    read_run=read_run,
    join=join,
    explain_item=explain_item,
    together=formats.TOGETHER,
    cluster="target",
    missing="zero",
    options=Options,
    prepare=prepare,
    beside=ORDER,
    compared=(f"rank@{OOT}",),
    select=select,
    refine=refine,
    group_names=lambda gold, field: POS_NAMES if field == "pos" else {},  # noqa: ARG005
    grouped="pos",
    remarks=remarks,
    check=check,
    tables=score_tables,
    comparison_tables=comparison_tables,
    converter=convert,
    block=1 << 18,
    cut=lambda joined, rows: [run.part(rows) for run in joined],
    parallel=False,
    convert_options=ReadingOptions,
    gold_help="Human answers: ELS07, SWORDS .json, CoInCo .xml or .jsonl; - is stdin.",
    run_help="Answers: ELS07, SWORDS .json or .jsonl; A.best and A.oot are one system.",
    example="test.gold mine.oot theirs.oot",
)
