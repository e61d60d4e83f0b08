"""Commands that hold metrics against people: how near they come, how far judges agree, and tuning."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from touchstone.cli.mt_options import InputOptions, MeasureNames, counting
from touchstone.cli.options import OutputOptions, with_options
from touchstone.cli.showing import Format, remark, show_tables, working, write_report

if TYPE_CHECKING:
    from touchstone.core.resampling import Resampling
    from touchstone.core.results import Results
    from touchstone.core.tables import Table
    from touchstone.tasks.mt.judging import Judgements

Human = Annotated[list[Path], typer.Option("--human", help="Judgements: rankings (.csv) or scores (.tsv). Repeatable.")]
Systems = Annotated[
    list[Path],
    typer.Option(help="A folder of translations, a file to a system, called as the language pair is. Repeatable."),
]
Draws = Annotated[int, typer.Option(min=20, help="Draws of the bootstrap over source segments.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of every draw.")]
Jobs = Annotated[
    int | None, typer.Option(min=1, help="Processes; by default one for each core where the work is large.")
]


class Segments(StrEnum):
    """Which segments a metric's score of a system covers."""

    JUDGED = "judged"
    ALL = "all"


class TieRule(StrEnum):
    """What a tie of the metric counts where judges see a difference."""

    DISCORDANT = "discordant"
    SKIP = "skip"
    ZERO = "zero"


class Calibration(StrEnum):
    """On which judgements it is chosen from which difference on a metric tells translations apart."""

    NONE = "none"
    ALL = "all"
    SPLIT = "split"


class HumanValue(StrEnum):
    """The value of a system where judges gave ranks."""

    WINS = "wins"
    WINS_OR_TIES = "wins_or_ties"
    WINS_ALL = "wins_all"


class Level(StrEnum):
    """What tuning aims at, and what is left out: segments (tau), or a language pair (Spearman over systems)."""

    SEGMENT = "segment"
    SYSTEM = "system"


@with_options
def meta(
    *,
    human: Human,
    systems: Systems,
    measure: MeasureNames = None,
    segments: Annotated[Segments, typer.Option(help="Segments that scores of systems cover.")] = Segments.JUDGED,
    ties: Annotated[TieRule, typer.Option(help="What a tie of the metric counts.")] = TieRule.DISCORDANT,
    calibrate: Annotated[Calibration, typer.Option(help="Ties for accuracy with ties.")] = Calibration.ALL,
    value: Annotated[HumanValue, typer.Option(help="Value of systems from ranks.")] = HumanValue.WINS,
    by_judge: Annotated[bool, typer.Option("--by-judge", help="Standardise scores by judge.")] = False,
    draws: Draws = 1000,
    seed: Seed = 0,
    jobs: Jobs = None,
    inputs: InputOptions,
    out: OutputOptions,
) -> None:
    """Hold metrics against human judgements, at system and at segment level, with intervals and tests between metrics.

    Example: touchstone mt meta --human rankings.csv --ref ref.en --systems de-en/ --measure "maxsim(n)" --measure bleu
    """
    from touchstone.io.writing import check_outputs
    from touchstone.tasks import mt
    from touchstone.tasks.mt.metaeval import Settings

    check_outputs([*human, *inputs.files(systems)], out.report)
    judged = _judgements(human)
    results = _scored(systems, measure or (), inputs, jobs, judged)
    settings = Settings(segments.value, ties.value, calibrate.value, value.value, by_judge, _resampling(draws, seed))
    with working("holding metrics against judges"):
        found = mt.meta(judged, results, settings)
    if out.report:
        from touchstone.report.mt_meta import meta_page

        write_report(out.report, lambda: meta_page(found))
    if out.json:
        typer.echo(found.to_json())
    else:
        _show(found.tables(), found.signature, out.form)
    remark(found.notes)
    if found.remarks:
        remark([f"there are {len(found.remarks):,} remarks on texts and scores of systems; --report lists them"])
    if out.report:
        remark([f"the report is in {out.report}"])


@with_options
def agreement(
    human: Annotated[list[Path], typer.Argument(metavar="JUDGEMENTS", help="Rankings (.csv) or scores (.tsv).")],
    *,
    draws: Draws = 1000,
    seed: Seed = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    form: Annotated[Format, typer.Option("--format", help="Form of the tables.")] = Format.TEXT,
) -> None:
    """Say how far judges agree with each other and with themselves: kappa for each criterion and language pair.

    Example: touchstone mt agreement rankings.csv
    """
    from touchstone.tasks import mt

    judged = _judgements(human)
    with working("comparing judges"):
        found = mt.agreement(judged, resampling=_resampling(draws, seed))
    if as_json:
        typer.echo(found.to_json())
    else:
        _show([found.table()], found.signature, form)
    remark(found.notes)


@with_options
def tune(
    *,
    human: Human,
    systems: Systems,
    measure: Annotated[
        str, typer.Option("--measure", "-m", metavar="NAME", help='The measure: maxsim, or "maxsim(n+d)".')
    ] = "maxsim(n)",
    level: Annotated[Level, typer.Option(help="Leave out runs of segments, or a language pair.")] = Level.SEGMENT,
    folds: Annotated[int, typer.Option(min=2, help="Runs of segments.")] = 5,
    ties: Annotated[TieRule, typer.Option(help="What a tie of the metric counts.")] = TieRule.DISCORDANT,
    draws: Draws = 1000,
    seed: Seed = 0,
    jobs: Jobs = None,
    inputs: InputOptions,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    form: Annotated[Format, typer.Option("--format", help="Form of the tables.")] = Format.TEXT,
) -> None:
    """Choose alpha and weights of MAXSIM by cross-validation; what is reported was never chosen on.

    Example: touchstone mt tune --measure maxsim --human rankings.csv --ref ref.en --systems cs-en/ --systems de-en/
    """
    from touchstone.tasks import mt

    judged = _judgements(human)
    results = _scored(systems, [measure], inputs, jobs, judged)
    with working("trying settings"):
        resampling = _resampling(draws, seed)
        found = mt.tune(judged, results, level=level.value, folds=folds, ties=ties.value, resampling=resampling)
    if as_json:
        typer.echo(found.to_json())
    else:
        _show([found.table()], found.signature, form)
    remark(found.notes)


def _show(tables: Iterable["Table"], signature: Mapping[str, str], form: Format) -> None:
    """Print tables, and in plain text the signature under them."""
    show_tables(tables, form)
    if form is Format.TEXT:
        typer.echo("|".join(f"{key}:{said}" for key, said in signature.items()))


def _resampling(draws: int, seed: int) -> "Resampling":
    from touchstone.core.resampling import Resampling

    return Resampling(draws=draws, seed=seed, cluster="segment")


def _judgements(paths: Sequence[Path]) -> list["Judgements"]:
    from touchstone.tasks import mt

    return [one for path in paths for one in mt.read_judgements(path)]


def _scored(
    folders: Sequence[Path],
    measures: Sequence[str],
    inputs: InputOptions,
    jobs: int | None,
    judged: Sequence["Judgements"],
) -> dict[str, "Results"]:
    """Score the systems of each folder; the references are analysed once for all of them."""
    from touchstone.core.errors import TouchstoneError
    from touchstone.core.resampling import Resampling
    from touchstone.tasks import mt
    from touchstone.tasks.mt.metaeval.ground import check_judgements

    found = {}
    for folder in folders:
        name = folder.resolve().name if folder.is_dir() else folder.stem
        if name in found:
            raise TouchstoneError("two folders of systems have the same name", value=name)
        found[name] = inputs.read([folder])
    references = next(iter(found.values()))[0]
    names = {name: [one.name for one in systems] for name, (_, systems) in found.items()}
    check_judgements(judged, names, references.ids)
    results = {}
    for name, (own, systems) in found.items():
        shared = references if own.sources == references.sources else own
        with counting(f"scoring the systems of {name}", len(systems)) as progress:
            results[name] = mt.score(
                shared,
                systems,
                measures,
                resampling=Resampling("none"),
                policy=inputs.policy(),
                lang=inputs.lang,
                jobs=jobs,
                progress=progress,
            )
    return results
