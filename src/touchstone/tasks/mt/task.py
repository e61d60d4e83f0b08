"""Translation as a task: how its files are read, joined, scored and explained."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, nearest
from touchstone.base.ids import Policy
from touchstone.base.options import TableOptions
from touchstone.base.ragged import Floats
from touchstone.core.doubts import Doubt
from touchstone.core.explanation import Explanation
from touchstone.core.inputs import Inputs
from touchstone.core.measures import Measure
from touchstone.core.results import Results
from touchstone.core.task import Judging, PathLike, ShardRows, Task, TaskReport
from touchstone.io.runs import RunFiles
from touchstone.tasks.mt.about import ABOUT, Options
from touchstone.tasks.mt.doubts import doubts
from touchstone.tasks.mt.explaining import MATCHING, explain_item
from touchstone.tasks.mt.formats import left_out, named_files, read_gold, read_run
from touchstone.tasks.mt.formats.converting import convert_table
from touchstone.tasks.mt.formats.tables import GOLD, HYPOTHESIS, REFERENCE, SEGMENT
from touchstone.tasks.mt.joining import cut, join, moved
from touchstone.tasks.mt.languages import for_language, language_notes, suited_measures
from touchstone.tasks.mt.measures import DEFAULT, MEASURES
from touchstone.tasks.mt.model import GoldSet, Joined, MtMeasure, Run
from touchstone.tasks.mt.supplied import supplied_scores

BLOCK = 500
"""Segments that are scored at a time. What MAXSIM with relations keeps of a segment is about 12 KB, so a block of 16
systems needs 100 MB; blocks below 300 segments are slower (5 to 15 % under MAXSIM), larger ones are not faster."""


ANALYSER, SYNONYMS = re.compile(r"analyser:[^|]*"), re.compile(r"synonyms:[^|]*")
"""The parts of a measure's signature that files of the user replace."""


class MtJudging(Judging[GoldSet, Run]):
    """Runs are joined by lines, so they move with the segments; blank lines of references are no human scores."""

    def human_notes(self, gold: GoldSet) -> Sequence[str]:
        """Return the notes on the files; a segment without a reference is not scored here."""
        return gold.file_notes

    def rows_without_gold(self, gold: GoldSet) -> Sequence[int]:
        """Return the rows of segments without any reference."""
        return sorted(gold.unreferenced)

    def rebase_run(self, run: Run, gold: GoldSet, other: GoldSet) -> Run:
        """Return a run that was read with one *gold* for the segments of an *other*."""
        return moved(run, gold, other)


class Mt(Task[GoldSet, Run, Joined]):
    """Translation: MAXSIM, other metrics, and human judgements."""

    about = ABOUT
    measures = MEASURES
    default = DEFAULT
    cluster = "document"
    gold_fields = tuple(field for field in GOLD.fields if field is not HYPOTHESIS)
    answer_field = HYPOTHESIS
    texts_are_values = True
    shard_rows = ShardRows(SEGMENT, gold_line=REFERENCE.role, run_line=HYPOTHESIS.role, refused_options=("scores",))
    block = BLOCK
    judging = MtJudging()
    drawn_measures = MATCHING

    def read_gold(self, sources: Sequence[Any], options: Options) -> GoldSet:
        """Read references, and the outputs of systems where a table names its systems."""
        return read_gold(sources, options)

    def read_run(self, files: RunFiles, gold: GoldSet, options: Options) -> Run:
        """Read the output of one system."""
        return read_run(files, gold, options)

    def excluded(self, gold: GoldSet, names: Sequence[str], options: Options) -> list[str]:
        """Return the systems that the options leave out."""
        return left_out(gold, names, options)

    def join(self, gold: GoldSet, run: Run, policy: Policy, options: Options) -> Joined:
        """Join translations with references by id, by their sources, or line by line."""
        return join(gold, run, policy, options)

    def part(self, joined: Sequence[Joined], rows: slice) -> list[Joined]:
        """Cut the joined runs to some segments, with their references once for all."""
        return cut(joined, rows)

    def select(self, names: Sequence[str], inputs: Inputs[GoldSet, Run]) -> Iterable[str]:
        """Return the measures to score; refuse those for English if the texts are in another language."""
        defaults = () if inputs.options.scores else suited_measures(DEFAULT, inputs.options)
        chosen = for_language(names or defaults, inputs.gold, inputs.options)
        systems = [run.name for run in inputs.runs]
        options = inputs.options
        # A folder may hold files of other systems; a name that was written out must exist.
        for what, files in (("analyses", options.system_analyses), ("roles", options.system_roles)):
            named = named_files([text for text in files if "=" in str(text) and not Path(text).is_dir()], "")
            unknown = [name for name in named if name not in systems]
            if unknown:
                text = f"{what} of an unknown system"
                pairs = [(name, nearest(name, systems)) for name in unknown]
                faults = [Fault(text, value=name, near=near, code=Code.UNKNOWN_NAME) for name, near in pairs]
                raise TouchstoneError.of(faults, f"the systems are {', '.join(systems)}")
        return chosen

    def refine(self, measure: Measure[Joined], inputs: Inputs[GoldSet, Run]) -> Measure[Joined]:
        """Let the signature of a measure name the files of analyses and synonyms where they are given."""
        if inputs.gold is None:  # records of shards, whose signature was written with them
            return measure
        sources = [*inputs.gold.analyses, *(source for run in inputs.runs for source in run.analyses)]
        signature, thesaurus = measure.signature, inputs.gold.thesaurus
        if sources:
            files = ", ".join(dict.fromkeys(map(str, sources)))
            signature = ANALYSER.sub(lambda _: f"analyser:{files}", signature)
        if thesaurus is not None:
            signature = SYNONYMS.sub(lambda _: f"synonyms:{thesaurus.source}", signature)
        return replace(measure, signature=signature)

    def supplied_scores(
        self, inputs: Inputs[GoldSet, Run], policy: Policy
    ) -> Sequence[tuple[Measure[Joined], Mapping[str, Floats]]]:
        """Return the scores of metrics that the user gives in files."""
        return supplied_scores(inputs, policy) if inputs.options.scores else ()

    def doubts(self, inputs: Inputs[GoldSet, Run], joined: Sequence[tuple[Run, Joined]]) -> Sequence[Doubt]:
        """Return what makes outputs look like those of other segments, or in another language."""
        return doubts(inputs, joined)

    def notes(self, inputs: Inputs[GoldSet, Run], joined: Sequence[Joined], results: Results) -> list[str]:
        """Return what measures say about the records of each system, and what the language chose."""
        resources = [note for measure in results.measures if isinstance(measure, MtMeasure) for note in measure.notes]
        return [*language_notes([measure.name for measure in results.measures], inputs.options), *resources] + [
            f"{system.system}: {measure.name}: {remark}"
            for system in results.systems
            for measure in results.measures
            if isinstance(measure, MtMeasure) and measure.remarks
            for remark in measure.remarks(system.records[measure.name])
        ]

    def explain_item(self, inputs: Inputs[GoldSet, Run], item: str, measure: str | None, policy: Policy) -> Explanation:
        """Show what each metric matches in a segment."""
        return explain_item(inputs, item, measure, policy)

    def convert_file(self, source: PathLike, target: PathLike, options: TableOptions) -> str:
        """Write a table of translations in another format."""
        return convert_table(source, target, options)

    def report(self) -> TaskReport:
        """Import the module of the report."""
        from touchstone.tasks.mt import report

        return report


TASK = Mt()
