"""``touchstone mt``: the verbs, and the commands about human judgements of translations."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from touchstone.base.errors import TouchstoneError, no_such_system
from touchstone.cli.options import Jobs, MeasureNames, OutputOptions, PolicyOptions, Report, paths, with_options
from touchstone.cli.output import remark, show_finding, working
from touchstone.cli.verbs import option_files, task_app
from touchstone.core.inputs import Inputs
from touchstone.core.resampling import Resampling
from touchstone.core.results import Results
from touchstone.io.runs import parse_run, run_files
from touchstone.io.writing import check_outputs
from touchstone.tasks import mt
from touchstone.tasks.mt import TASK, GoldSet, Judgements, Options, Run
from touchstone.tasks.mt.judges import check_choice
from touchstone.tasks.mt.judges.judgements import REFERENCE_NAME, reference_key
from touchstone.tasks.mt.judges.metaeval.joining import check_judgements
from touchstone.tasks.mt.judges.metaeval.levels import Settings

app = task_app(TASK)

Judged = Annotated[
    Path,
    typer.Argument(
        metavar="JUDGEMENTS", help="Rankings, raw MQM, or scores by judges, in the formats that WMT publishes."
    ),
]
Folders = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[PAIR=]RUNS",
        help="For each language pair, a folder with the output of each system and the name of the pair in the "
        "judgements; or a table (.tsv, .jsonl) with references and outputs. Not needed if the "
        "judgements contain the outputs.",
    ),
]
Mqm = Annotated[
    str | None,
    typer.Option("--scheme", metavar="FILE", help="The costs of MQM errors: a table of severity, category, weight."),
]
Further = Annotated[
    list[Path] | None,
    typer.Option("--judgements", metavar="FILE", help="Further judgements, of other criteria. Repeatable."),
]
Draws = Annotated[int, typer.Option(min=20, help="Number of bootstrap draws.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the random draws.")]
Ties = Annotated[
    Literal["discordant", "skip", "zero"],
    typer.Option(help="How to count a tie of the metric if a judge sees a difference."),
]


@app.command()
@with_options
def meta(
    judgements: Judged,
    runs: Folders = None,
    *,
    further: Further = None,
    measure: MeasureNames = None,
    scheme: Mqm = None,
    segments: Annotated[
        Literal["judged", "all"], typer.Option(help="The segments on which system scores are computed.")
    ] = "judged",
    ties: Ties = "discordant",
    calibrate: Annotated[
        Literal["none", "all", "split"], typer.Option(help="How acc_eq chooses which differences count as ties.")
    ] = "all",
    value: Annotated[
        Literal["wins", "wins_or_ties", "wins_all"],
        typer.Option(help="How the value of a system is computed from rankings."),
    ] = "wins",
    by_judge: Annotated[bool, typer.Option("--by-judge", help="Standardise the scores of each judge.")] = False,
    cluster: Annotated[
        str | None, typer.Option(metavar="FIELD", help="The clusters of intervals and tests: segment or document.")
    ] = None,
    report: Report = None,
    draws: Draws = 1000,
    seed: Seed = 0,
    jobs: Jobs = None,
    task_options: Options,
    policy: PolicyOptions,
    output: OutputOptions,
) -> None:
    """Compare metrics with human judgements of systems and of segments: correlations, intervals, tests.

    Example: touchstone mt meta rankings.csv de-en/ --ref ref.en --measure "maxsim(n)" --measure bleu

    Example: touchstone mt meta mqm.tsv --reference-system refA --measure chrf --scores comet=comet.tsv
    """
    check_outputs(paths(judgements, further, option_files(task_options, runs)), report, output.out)
    with working(f"reading {judgements}", output):
        judged = _read_judgements(judgements, *(further or []), scheme=scheme)
    results, without = _score(judged, runs or [], measure or (), task_options, policy, jobs, output)
    check_choice("unknown cluster", cluster or "segment", ("segment", "document"))
    resampling = Resampling(draws=draws, seed=seed, cluster=cluster or "segment")
    with working("comparing metrics with judges", output):
        settings = Settings(segments, ties, calibrate, value, by_judge, resampling, without=without)
        compared = mt.meta(judged, results, settings)
    if task_options.exclude_system:
        compared = replace(compared, notes=[*compared.notes, f"left out: {', '.join(task_options.exclude_system)}"])
    show_finding(output, compared, report=report)
    if compared.remarks:
        remark([f"notes on the texts and scores of systems: {len(compared.remarks):,}; --report lists them"], output)


@app.command()
@with_options
def agreement(
    judgements: Annotated[
        list[Path], typer.Argument(metavar="JUDGEMENTS", help="Rankings, raw MQM, or scores by annotators.")
    ],
    *,
    scheme: Mqm = None,
    draws: Draws = 1000,
    seed: Seed = 0,
    output: OutputOptions,
) -> None:
    """Show how well annotators agree with each other and with themselves: kappa for each criterion and language pair.

    Example: touchstone mt agreement rankings.csv
    """
    check_outputs(judgements, output.out)
    with working("comparing annotators", output):
        resampling = Resampling(draws=draws, seed=seed, cluster="segment")
        agreed = mt.agreement(_read_judgements(*judgements, scheme=scheme), resampling=resampling)
    show_finding(output, agreed)


@app.command()
@with_options
def tune(
    judgements: Judged,
    runs: Folders = None,
    *,
    tuned: Annotated[
        str, typer.Option("--tuned", metavar="NAME", help='The measure to tune: maxsim, or "maxsim(n+d)".')
    ] = "maxsim(n)",
    leave_out: Annotated[
        Literal["segments", "pair"],
        typer.Option(help="What a fold holds out: consecutive segments, or a language pair."),
    ] = "segments",
    folds: Annotated[int, typer.Option(min=2, help="The number of folds of segments.")] = 5,
    ties: Ties = "discordant",
    draws: Draws = 1000,
    seed: Seed = 0,
    jobs: Jobs = None,
    task_options: Options,
    policy: PolicyOptions,
    output: OutputOptions,
) -> None:
    """Choose alpha and weights of MAXSIM by cross-validation; every reported value is for held-out data.

    Example: touchstone mt tune rankings.csv cs-en/ de-en/ --ref ref.en --tuned maxsim
    """
    check_outputs(paths(judgements, option_files(task_options, runs)), output.out)
    judged = _read_judgements(judgements)
    results, _ = _score(judged, runs or [], [tuned], task_options, policy, jobs, output)
    resampling = Resampling(draws=draws, seed=seed, cluster="segment")
    with working("trying settings", output):
        tuning = mt.tune(judged, results, leave_out=leave_out, folds=folds, ties=ties, resampling=resampling)
    show_finding(output, tuning)


def _read_judgements(*files: Path, scheme: str | None = None) -> list[Judgements]:
    return [judgements for path in files for judgements in mt.read_judgements(path, scheme=scheme)]


def _score(
    judged: list[Judgements],
    runs: list[str],
    measures: Sequence[str],
    task_options: Options,
    policy: PolicyOptions,
    jobs: int | None,
    output: OutputOptions,
) -> tuple[dict[str, Results], tuple[str, ...]]:
    """Score the systems of each language pair; refuse, before that, judgements of systems and segments unknown.

    Returns the results, and the judged systems that are not scored: references, and those left out.
    """
    with working("reading translations", output):
        inputs = _read_pairs(runs, task_options, judged)
    without = _unscored(judged, inputs, task_options)
    systems = {pair: [run.name for run in pair_inputs.runs] for pair, pair_inputs in inputs.items()}
    check_judgements(judged, systems, {pair: pair_inputs.gold.items for pair, pair_inputs in inputs.items()}, without)
    results = {}
    for pair, pair_inputs in inputs.items():
        with working(f"scoring {pair}", output) as progress:
            how = Resampling("none")
            results[pair] = TASK.score(
                pair_inputs, measures=measures, resampling=how, policy=policy.policy(), jobs=jobs, progress=progress
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


def _read_pairs(runs: list[str], task_options: Options, judged: list[Judgements]) -> dict[str, Inputs[GoldSet, Run]]:
    """Read the outputs of each language pair, by its name; pairs in folders share the references of --ref.

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
        hint = f"name the language pair: --scores {pair}/{unprefixed}"
        raise TouchstoneError("scores of which language pair?", value=unprefixed, hint=hint)
    return tuple(text.removeprefix(f"{pair}/") for text in scores if text.startswith(f"{pair}/"))
