"""The task ``pyramid``: its options, how its files are read, and what it adds to the pipeline."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ids import Policy
from touchstone.base.spelling import setting
from touchstone.core.doubts import Doubt
from touchstone.core.explanation import Explanation
from touchstone.core.inputs import Inputs
from touchstone.core.results import Results
from touchstone.core.task import Judging, PathLike, Task, TaskReport
from touchstone.io.tables import refuse_absent_columns
from touchstone.tasks.pyramid.about import ABOUT, Options, ReadingOptions
from touchstone.tasks.pyramid.doubts import doubts
from touchstone.tasks.pyramid.explaining import explain_item
from touchstone.tasks.pyramid.formats import Meta, read, read_all, read_meta, write
from touchstone.tasks.pyramid.joining import GoldSet, Joined, Run, join
from touchstone.tasks.pyramid.measures import (
    MEASURES,
    MODIFIED,
    ORIGINAL,
    PAPER,
    PRECISION,
    SOFT,
    default_measures,
    has_probabilities,
)
from touchstone.tasks.pyramid.model import Annotation, Pyramid
from touchstone.tasks.pyramid.presence import is_presence, read_presence, write_presence
from touchstone.tasks.pyramid.validating import problems, remarks


def read_gold(given: object, options: ReadingOptions = Options()) -> GoldSet:  # noqa: B008 (immutable)
    """Read annotations, with pyramids beside them if there are any, or presence.

    Parameters
    ----------
    given
        ``.pan``, ``.json`` and ``.pyr`` files or folders of them; or presence: a tidy folder, ``.csv`` files of votes,
        tables in files of any format, or a Python object that is a table.
    options
        The number of models, the table that names files, and how tables of presence are read.

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> folder = Path(touchstone.__file__).parent / "examples" / "pyramid"
    >>> print(read_gold(folder))
    4 files, 1 document set, 17 content units, 3 annotations
    """
    several = isinstance(given, list | tuple) and all(isinstance(path, str | Path) for path in given)
    gold = TASK.read_gold(list(given) if isinstance(given, list | tuple) and several else [given], options)
    refuse_absent_columns(options.column, gold.sources)
    return gold


class PyramidJudging(Judging[GoldSet, Run]):
    """Where the judge gives probabilities of content units, its soft scores stand beside the scores of people."""

    def measures(self, task: Task[Any, Any, Any], gold: GoldSet) -> Sequence[str]:
        """Pair the modified score with that of the judge."""
        return (f"{MODIFIED}={SOFT if has_probabilities(gold) else MODIFIED}",)


class PyramidTask(Task[GoldSet, Run, Joined]):
    """Summaries scored by the content units that model summaries share."""

    about = ABOUT
    measures = MEASURES
    default = PAPER
    compared = (MODIFIED,)
    cluster = "topic"
    judging = PyramidJudging()

    def read_gold(self, sources: Sequence[Any], options: ReadingOptions) -> GoldSet:
        """Read annotations with their pyramids, or presence."""
        meta = read_meta(options.meta) if options.meta else Meta()
        kinds = [is_presence(source) for source in sources]
        if kinds and all(kinds):
            presence = read_presence(*sources, options=options, models=options.models)
            return GoldSet(presence=presence, topics=meta.topics)
        if any(kinds):
            what = "annotations and presence matrices cannot be scored together"
            raise TouchstoneError(what, value=str(sources[kinds.index(True)]), code=Code.MISMATCH)
        things = read_all(sources, models=options.models, meta=meta.identities)
        annotations = [thing for thing in things if isinstance(thing, Annotation)]
        return GoldSet(annotations, [thing for thing in things if isinstance(thing, Pyramid)], topics=meta.topics)

    def join(self, gold: GoldSet, run: Run, policy: Policy, options: Options) -> Joined:
        """Join the summaries of a peer with the document sets."""
        return join(gold, run, policy, options)

    def select(self, names: Sequence[str], inputs: Inputs[GoldSet, Run]) -> Sequence[str]:
        """Return the measures asked for, or the usual ones."""
        return default_measures(names, inputs.gold)

    def doubts(self, inputs: Inputs[GoldSet, Run], joined: Sequence[tuple[Run, Joined]]) -> Sequence[Doubt]:
        """Return what makes annotations look like those of other summaries."""
        return doubts(inputs, joined)

    def notes(self, inputs: Inputs[GoldSet, Run], joined: Sequence[Joined], results: Results) -> list[str]:
        """Return a note for each kind of problem, and whether the original score can be trusted."""
        gold = inputs.gold
        sentences = remarks(gold.annotations, {pyramid.set: pyramid for pyramid in gold.pyramids})
        unmarked = sum(not peer.unmatched for peer in gold.counts)
        scored = [measure.name for measure in results.measures]
        too_high = [f"{name} is too high" for name in (ORIGINAL, PRECISION) if name in scored]
        if too_high and unmarked > len(gold.counts) / 2 and not gold.presence:
            sentences.append(
                f"nothing is marked as unmatched (uid 0) in {unmarked:,} of {len(gold.counts):,} annotations; "
                f"where annotators were not asked to, {' and '.join(too_high)}"
            )
        return sentences

    def warnings(self, inputs: Inputs[GoldSet, Run]) -> list[str]:
        """Return every problem of pyramids and annotations, one by one."""
        unknown = [peer.set for peer in inputs.gold.counts if peer.models is None]
        if unknown:
            remedy = f"a column models or {setting('models', 'N')}"
            return [f"the number of models is not known (set {unknown[0]}): {MODIFIED} needs {remedy}"]
        things: list[Pyramid | Annotation] = [*inputs.gold.pyramids, *inputs.gold.annotations]
        beside = {pyramid.set: pyramid for pyramid in inputs.gold.pyramids}
        return [str(problem) for thing in things for problem in problems(thing, beside)]

    def explain_item(self, inputs: Inputs[GoldSet, Run], item: str, measure: str | None, policy: Policy) -> Explanation:
        """Show the content units that the summaries of a document set express."""
        return explain_item(inputs, item, measure, policy)

    def convert_file(self, source: PathLike, target: PathLike, options: ReadingOptions) -> str:
        """Write a pyramid, an annotation or a presence matrix in another format; nothing is lost."""
        if Path(target).suffix == ".jsonl":
            presence = read_presence(source, options=options, models=options.models)
            refuse_absent_columns(options.column, presence.sources)
            write_presence(target, presence)
            return f"{len(presence.decisions):,} decisions"
        thing = read(source, models=options.models, meta=read_meta(options.meta).identities if options.meta else None)
        write(target, thing)
        return (
            f"{'a pyramid' if isinstance(thing, Pyramid) else 'an annotation'} with {len(thing.units):,} content units"
        )

    def report(self) -> TaskReport:
        """Import the module of the report."""
        from touchstone.tasks.pyramid import report

        return report


TASK = PyramidTask()
