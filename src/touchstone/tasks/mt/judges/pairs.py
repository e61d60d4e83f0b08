"""The outputs of several language pairs, read and scored for comparison with judgements of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from touchstone.base.console import working
from touchstone.base.errors import TouchstoneError, no_such_system
from touchstone.base.ids import Policy
from touchstone.base.spelling import setting
from touchstone.core.inputs import Inputs
from touchstone.core.resampling import Resampling
from touchstone.core.results import Results
from touchstone.io.runs import parse_run, run_files
from touchstone.tasks.mt.about import Options
from touchstone.tasks.mt.judges.judgements import REFERENCE_NAME, Judgements, reference_key
from touchstone.tasks.mt.judges.metaeval.joining import check_judgements
from touchstone.tasks.mt.judges.reading import read_judgements
from touchstone.tasks.mt.model import GoldSet, Run
from touchstone.tasks.mt.task import TASK


def read_all_judgements(*files: Path, scheme: Path | None = None) -> list[Judgements]:
    """Return the judgements of several files."""
    return [
        judgements
        for path in files
        for judgements in read_judgements(path, scheme=None if scheme is None else str(scheme))
    ]


def score_pairs(
    judged: list[Judgements],
    runs: Sequence[str],
    measures: Sequence[str],
    task_options: Options,
    policy: Policy,
    jobs: int | None,
) -> tuple[dict[str, Results], tuple[str, ...]]:
    """Score the systems of each language pair; refuse, before that, judgements of systems and segments unknown.

    Returns the results, and the judged systems that are not scored: references, and those left out.
    """
    with working("reading translations"):
        inputs = _read_pairs(runs, task_options, judged)
    without = _unscored(judged, inputs, task_options)
    systems = {pair: [run.name for run in pair_inputs.runs] for pair, pair_inputs in inputs.items()}
    check_judgements(judged, systems, {pair: pair_inputs.gold.items for pair, pair_inputs in inputs.items()}, without)
    results = {}
    for pair, pair_inputs in inputs.items():
        with working(f"scoring {pair}") as progress:
            results[pair] = TASK.score(
                pair_inputs,
                measures=measures,
                resampling=Resampling("none"),
                policy=policy,
                jobs=jobs,
                progress=progress,
            )
    return results, without


def _unscored(
    judged: list[Judgements], inputs: Mapping[str, Inputs[GoldSet, Run]], task_options: Options
) -> tuple[str, ...]:
    """Return the judged systems that are no runs: references under any of their names, and those left out."""
    runs = {reference_key(run.name) for pair_inputs in inputs.values() for run in pair_inputs.runs}
    chosen = {reference_key(name) for name in (*task_options.reference_system, *task_options.exclude_system)}
    names = dict.fromkeys(name for judgements in judged for name in judgements.systems)
    _check_names(task_options, names, inputs)
    reference = [name for name in names if REFERENCE_NAME.fullmatch(name) or reference_key(name) in chosen]
    return tuple(name for name in reference if reference_key(name) not in runs)


def _check_names(task_options: Options, judged: Iterable[str], inputs: Mapping[str, Inputs[GoldSet, Run]]) -> None:
    """Refuse to leave out a system, or to take one for the reference, that neither judgements nor outputs have."""
    there = list(judged)
    for pair_inputs in inputs.values():
        there += [*pair_inputs.gold.left_out, *(run.name for run in pair_inputs.runs)]
    keys = set(map(reference_key, there))
    for what, names in (
        ("leave out", task_options.exclude_system),
        ("be the reference", task_options.reference_system),
    ):
        for name in names:
            if reference_key(name) not in keys:
                raise no_such_system(name, there, f"no such system to {what}")


def _read_pairs(
    runs: Sequence[str], task_options: Options, judged: list[Judgements]
) -> dict[str, Inputs[GoldSet, Run]]:
    """Read the outputs of each language pair, by its name; pairs in folders share further references.

    Without runs they are those that the judgements hold.
    """
    if not runs:
        holding = next((judgements for judgements in judged if judgements.outputs is not None), None)
        if holding is None:
            hint = "give a folder with the output of each system, or a table with references and outputs"
            raise TouchstoneError("these judgements contain no translations", file=judged[0].source.name, hint=hint)
        return {holding.source.stem: TASK.read(TASK.read_gold([holding], task_options), **vars(task_options))}
    gold = TASK.read_gold(task_options.ref, replace(task_options, ref=())) if task_options.ref else None
    inputs = {}
    for text in runs:
        name, path = parse_run(text)
        name = name or (path.resolve().name if path.is_dir() else path.stem)
        if name in inputs:
            raise TouchstoneError("two language pairs have the same name", value=name, hint="name them: PAIR=FOLDER")
        options = replace(task_options, scores=_scores_of(name, task_options.scores, len(runs)))
        references = gold or TASK.read_gold([path], options)
        files = [path] if gold else []
        read = TASK.read(references, files, **vars(_of_outputs(options, references, files)))
        inputs[name] = replace(read, options=options)
    return inputs


def _of_outputs(options: Options, gold: GoldSet, files: Sequence[Path]) -> Options:
    """Return options that choose only among systems with an output in this language pair.

    Judgements may be of further systems, which the same options leave out.
    """
    there = [
        *gold.left_out,
        *(run.name for run in gold.runs),
        *(run.name for run in run_files(files, TASK.joint_suffixes)),
    ]
    keys = {reference_key(name) for name in there}
    reference, excluded = (
        tuple(name for name in names if reference_key(name) in keys)
        for names in (options.reference_system, options.exclude_system)
    )
    return replace(options, reference_system=reference, exclude_system=excluded)


def _scores_of(pair: str, scores: Sequence[str], pairs: int) -> tuple[str, ...]:
    """Return the scores of a language pair, which are given as PAIR/NAME=FILE where there are several pairs."""
    if pairs == 1:
        return tuple(text.removeprefix(f"{pair}/") for text in scores)
    unprefixed = next((text for text in scores if "/" not in text.partition("=")[0]), None)
    if unprefixed is not None:
        hint = f"name the language pair: {setting('scores', f'{pair}/{unprefixed}')}"
        raise TouchstoneError("scores of which language pair?", value=unprefixed, hint=hint)
    return tuple(text.removeprefix(f"{pair}/") for text in scores if text.startswith(f"{pair}/"))
