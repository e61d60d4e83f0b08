"""Translation: metrics, and how well they agree with human judgements."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from touchstone.base.errors import Fault, TouchstoneError, nearest
from touchstone.base.options import TableOptions
from touchstone.core.measures import Measure
from touchstone.core.results import Results
from touchstone.core.task import Inputs, Rows, Task, TaskReport
from touchstone.tasks.mt.doubts import doubts
from touchstone.tasks.mt.explaining import MATCHING, RunExplanation, explain_item
from touchstone.tasks.mt.formats import left_out, named_files, read_gold, read_run
from touchstone.tasks.mt.formats.converting import convert_table
from touchstone.tasks.mt.formats.tables import GOLD, HYPOTHESIS, REFERENCE, SEGMENT
from touchstone.tasks.mt.joining import cut, join, moved
from touchstone.tasks.mt.judges.agreement import agreement
from touchstone.tasks.mt.judges.judgements import Judgements
from touchstone.tasks.mt.judges.metaeval import meta
from touchstone.tasks.mt.judges.metaeval.model import Meta
from touchstone.tasks.mt.judges.reading import read_judgements
from touchstone.tasks.mt.judges.tuning import tune
from touchstone.tasks.mt.judges.tuning.model import Tuning
from touchstone.tasks.mt.languages import for_language, language_notes, usual_measures
from touchstone.tasks.mt.maxsim import MaxSim
from touchstone.tasks.mt.measures import DEFAULT, MEASURES
from touchstone.tasks.mt.model import Explanation, GoldSet, Joined, Layer, MtMeasure, Options, Run, Texts
from touchstone.tasks.mt.own import Batch, Own
from touchstone.tasks.mt.supplied import supplied_scores

BLOCK = 500
"""Segments that are scored at a time. What MAXSIM with relations keeps of a segment is about 12 KB, so a block of 16
systems needs 100 MB; blocks below 300 segments are slower (5 to 15 % under MAXSIM), larger ones are not faster."""


ANALYSER, SYNONYMS = re.compile(r"analyser:[^|]*"), re.compile(r"synonyms:[^|]*")
"""The parts of a measure's signature that files of the user replace."""


def _select(names: Sequence[str], inputs: Inputs[GoldSet, Run]) -> Iterable[str]:
    """Return the measures to score; refuse those for English if the texts are in another language."""
    usual = () if inputs.options.scores else usual_measures(DEFAULT, inputs.options)
    chosen = for_language(names or usual, inputs.gold, inputs.options)
    systems = [run.name for run in inputs.runs]
    for what, given in (("analyses", inputs.options.analyses), ("roles", inputs.options.roles)):
        named = named_files([text for text in given if "=" in str(text) and not Path(text).is_dir()], "")
        unknown = [name for name in named if name not in systems]
        if unknown:
            faults = [Fault(f"{what} of an unknown system", None, None, one, nearest(one, systems)) for one in unknown]
            raise TouchstoneError.of(faults, f"the systems are {', '.join(systems)}")
    return chosen


def _refine(measure: Measure[Joined], inputs: Inputs[GoldSet, Run]) -> Measure[Joined]:
    """Let the signature of a measure name the files of analyses and synonyms where they are given."""
    if inputs.gold is None:  # records of shards, whose signature was written with them
        return measure
    given = [*inputs.gold.analyses, *(source for run in inputs.runs for source in run.analyses)]
    signature, thesaurus = measure.signature, inputs.gold.thesaurus
    if given:
        files = ", ".join(dict.fromkeys(map(str, given)))
        signature = ANALYSER.sub(lambda _: f"analyser:{files}", signature)
    if thesaurus is not None:
        signature = SYNONYMS.sub(lambda _: f"synonyms:{thesaurus.source}", signature)
    return replace(measure, signature=signature)


def _remarks(inputs: Inputs[GoldSet, Run], joined: Sequence[Joined], results: Results) -> list[str]:  # noqa: ARG001
    """Return what measures say about the records of each system, and what the language chose."""
    resources = [note for one in results.measures if isinstance(one, MtMeasure) for note in one.notes]
    return [*language_notes([one.name for one in results.measures], inputs.options), *resources] + [
        f"{system.system}: {measure.name}: {remark}"
        for system in results.systems
        for measure in results.measures
        if isinstance(measure, MtMeasure) and measure.remarks
        for remark in measure.remarks(system.records[measure.name])
    ]


def _report() -> TaskReport:
    from touchstone.tasks.mt import report

    return report


TASK: Task[GoldSet, Run, Joined] = Task(
    name="mt",
    title="Translation",
    report=_report,
    summary="Translation: MAXSIM, other metrics, and human judgements.",
    measures=MEASURES,
    default=DEFAULT,
    options=Options,
    cluster="document",
    values=True,
    read_gold=read_gold,
    read_run=read_run,
    rows=Rows(SEGMENT, gold_line=REFERENCE.role, run_line=HYPOTHESIS.role),
    gold_roles=tuple(field for field in GOLD.fields if field is not HYPOTHESIS),
    answers=HYPOTHESIS,
    carried=lambda gold: gold.runs,
    left_out=left_out,
    join=join,
    moved=moved,
    block=BLOCK,
    cut=cut,
    select=_select,
    refine=_refine,
    supplied=supplied_scores,
    remarks=_remarks,
    explain_item=explain_item,
    doubts=doubts,
    drawn=MATCHING,
    converter=convert_table,
    convert_options=TableOptions,
    gold_help="References: text, one segment per line, or a table, which may also contain the outputs of systems.",
    run_help="Outputs: text, one segment per line, tables, or folders of them; a system has the name of its file. "
    "FILE:COLUMN is one column of a table.",
    example="ref.en kestrel=a.txt heron=b.txt",
)

read, score, explain, validate, convert = TASK.read, TASK.score, TASK.explain, TASK.validate, TASK.convert

__all__ = [
    "DEFAULT",
    "MEASURES",
    "TASK",
    "Batch",
    "Explanation",
    "GoldSet",
    "Joined",
    "Judgements",
    "Layer",
    "MaxSim",
    "Meta",
    "MtMeasure",
    "Options",
    "Own",
    "Run",
    "RunExplanation",
    "Texts",
    "Tuning",
    "agreement",
    "convert",
    "explain",
    "join",
    "meta",
    "read",
    "read_gold",
    "read_judgements",
    "read_run",
    "score",
    "tune",
    "validate",
]
