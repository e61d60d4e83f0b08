"""``touchstone mt``: the verbs, and the commands about human judgements of translations."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from touchstone.cli.options import Jobs, MeasureNames, OutputOptions, PolicyOptions, Report, paths, with_options
from touchstone.cli.output import remark, show, working, write_report
from touchstone.cli.verbs import option_files, task_app
from touchstone.core.errors import TouchstoneError
from touchstone.core.resampling import Resampling
from touchstone.core.results import Results
from touchstone.core.task import Inputs
from touchstone.io.runs import parse_run
from touchstone.io.writing import check_outputs
from touchstone.tasks import mt
from touchstone.tasks.mt import TASK, GoldSet, Judgements, Options, Run
from touchstone.tasks.mt.judges.metaeval.joining import check_judgements
from touchstone.tasks.mt.judges.metaeval.levels import Settings

app = task_app(TASK)

Judged = Annotated[Path, typer.Argument(metavar="JUDGEMENTS", help="Rankings (.csv) or scores (.tsv) by judges.")]
Folders = Annotated[
    list[str],
    typer.Argument(
        metavar="[PAIR=]RUNS",
        help="For each language pair a folder with the output of each system, named as the judgements name the pair; "
        "or a table (.tsv, .jsonl) that holds references and outputs.",
    ),
]
Further = Annotated[
    list[Path] | None,
    typer.Option("--judgements", metavar="FILE", help="Further judgements, of other criteria. Repeatable."),
]
Draws = Annotated[int, typer.Option(min=20, help="Draws of the bootstrap.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of all draws.")]
Ties = Annotated[
    Literal["discordant", "skip", "zero"],
    typer.Option(help="What a tie of the metric counts where a judge sees a difference."),
]


@app.command()
@with_options
def meta(
    judgements: Judged,
    runs: Folders,
    *,
    further: Further = None,
    measure: MeasureNames = None,
    segments: Annotated[
        Literal["judged", "all"], typer.Option(help="The segments that scores of systems cover.")
    ] = "judged",
    ties: Ties = "discordant",
    calibrate: Annotated[
        Literal["none", "all", "split"], typer.Option(help="How acc_eq chooses which differences are ties.")
    ] = "all",
    value: Annotated[
        Literal["wins", "wins_or_ties", "wins_all"], typer.Option(help="The value of a system from rankings.")
    ] = "wins",
    by_judge: Annotated[bool, typer.Option("--by-judge", help="Standardise the scores of each judge.")] = False,
    report: Report = None,
    draws: Draws = 1000,
    seed: Seed = 0,
    jobs: Jobs = None,
    own: Options,
    policy: PolicyOptions,
    output: OutputOptions,
) -> None:
    """Compare metrics with human judgements of systems and of segments: correlations, intervals, tests.

    Example: touchstone mt meta rankings.csv de-en/ --ref ref.en --measure "maxsim(n)" --measure bleu
    """
    check_outputs(paths(judgements, further, option_files(own, runs)), report, output.out)
    judged = _read_judgements(judgements, further)
    results = _score(judged, runs, measure or (), own, policy, jobs, output)
    resampling = Resampling(draws=draws, seed=seed, cluster="segment")
    with working("comparing metrics with judges", output):
        findings = mt.meta(judged, results, Settings(segments, ties, calibrate, value, by_judge, resampling))
    if report:
        from touchstone.report.mt_meta import meta_page

        if write_report(report, lambda: meta_page(findings), output):
            return
    show(output, findings.tables(), findings.to_dict, signature=findings.signature, notes=findings.notes)
    if findings.remarks:
        remark([f"notes on the texts and scores of systems: {len(findings.remarks):,}; --report lists them"], output)


@app.command()
@with_options
def agreement(
    judgements: Annotated[
        list[Path], typer.Argument(metavar="JUDGEMENTS", help="Rankings (.csv) or scores (.tsv) by judges.")
    ],
    *,
    draws: Draws = 1000,
    seed: Seed = 0,
    output: OutputOptions,
) -> None:
    """Show how far judges agree with each other and with themselves: kappa for each criterion and language pair.

    Example: touchstone mt agreement rankings.csv
    """
    check_outputs(judgements, output.out)
    with working("comparing judges", output):
        resampling = Resampling(draws=draws, seed=seed, cluster="segment")
        judges = mt.agreement(_read_judgements(*judgements), resampling=resampling)
    show(output, [judges.table()], judges.to_dict, signature=judges.signature, notes=judges.notes)


@app.command()
@with_options
def tune(
    judgements: Judged,
    runs: Folders,
    *,
    tuned: Annotated[
        str, typer.Option("--tuned", metavar="NAME", help='The measure to tune: maxsim, or "maxsim(n+d)".')
    ] = "maxsim(n)",
    leave_out: Annotated[
        Literal["segments", "pair"], typer.Option(help="What a fold leaves out: a run of segments, or a language pair.")
    ] = "segments",
    folds: Annotated[int, typer.Option(min=2, help="The number of folds of segments.")] = 5,
    ties: Ties = "discordant",
    draws: Draws = 1000,
    seed: Seed = 0,
    jobs: Jobs = None,
    own: Options,
    policy: PolicyOptions,
    output: OutputOptions,
) -> None:
    """Choose alpha and weights of MAXSIM by cross-validation: every reported value is of data left out of the choice.

    Example: touchstone mt tune rankings.csv cs-en/ de-en/ --ref ref.en --tuned maxsim
    """
    check_outputs(paths(judgements, option_files(own, runs)), output.out)
    judged = _read_judgements(judgements)
    results = _score(judged, runs, [tuned], own, policy, jobs, output)
    resampling = Resampling(draws=draws, seed=seed, cluster="segment")
    with working("trying settings", output):
        tuning = mt.tune(judged, results, leave_out=leave_out, folds=folds, ties=ties, resampling=resampling)
    show(output, [tuning.table()], tuning.to_dict, signature=tuning.signature, notes=tuning.notes)


def _read_judgements(*given: Path | list[Path] | None) -> list[Judgements]:
    return [judgements for path in paths(*given) for judgements in mt.read_judgements(path)]


def _score(
    judged: list[Judgements],
    runs: list[str],
    measures: Sequence[str],
    own: Options,
    policy: PolicyOptions,
    jobs: int | None,
    output: OutputOptions,
) -> dict[str, Results]:
    """Score the systems of each language pair; refuse, before that, judgements of systems and segments unknown."""
    with working("reading translations", output):
        inputs = _read_pairs(runs, own)
    segments = next(iter(inputs.values())).gold.ids
    check_judgements(judged, {pair: [run.name for run in one.runs] for pair, one in inputs.items()}, segments)
    results = {}
    for pair, one in inputs.items():
        with working(f"scoring {pair}", output) as progress:
            how = Resampling("none")
            results[pair] = TASK.score(
                one, measures=measures, resampling=how, policy=policy.policy(), jobs=jobs, progress=progress
            )
    return results


def _read_pairs(runs: list[str], own: Options) -> dict[str, Inputs[GoldSet, Run]]:
    """Read the outputs of each language pair, by its name; pairs in folders share the references of --ref."""
    gold = TASK.read_gold(own.ref, replace(own, ref=())) if own.ref else None
    inputs = {}
    for text in runs:
        name, path = parse_run(text)
        name = name or (path.resolve().name if path.is_dir() else path.stem)
        if name in inputs:
            raise TouchstoneError("two language pairs have the same name", value=name, hint="name them: PAIR=FOLDER")
        inputs[name] = TASK.read(gold, path, **vars(own)) if gold else TASK.read(path, **vars(own))
    return inputs
