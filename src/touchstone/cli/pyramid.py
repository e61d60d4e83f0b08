"""``touchstone pyramid``: the verbs, and the commands about pyramids and tables of scores."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from touchstone.cli.options import OutputOptions, Report, paths, with_options
from touchstone.cli.output import remark, show_finding, working
from touchstone.cli.pyramid_auto import auto, propose, train
from touchstone.cli.verbs import task_app
from touchstone.tasks.pyramid import TASK
from touchstone.tasks.pyramid.task import ReadingOptions

app = task_app(TASK)
for command in (auto, train, propose):
    app.command()(command)

Annotations = Annotated[
    list[Path], typer.Argument(metavar="FILE", help="Annotations (.pan, .json), or folders of them.")
]
Scores = Annotated[
    Path,
    typer.Argument(
        metavar="TABLE", help="Scores with setid and peerid, as written by pyramid table; NIST's tables; or presence."
    ),
]
Ratings = Annotated[
    list[Path] | None,
    typer.Option(metavar="FILE", help="Ratings with setid and peerid, or a .table of NIST. Repeatable."),
]
Dependent = Annotated[str, typer.Option(metavar="COLUMN", help="The column of scores.")]
Alpha = Annotated[float, typer.Option(help="Significance level of each test.")]
Draws = Annotated[int, typer.Option(min=1, help="Number of bootstrap draws.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the random draws.")]


@app.command()
@with_options
def describe(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Pyramids, or annotations that contain them.")],
    *,
    reading: ReadingOptions,
    output: OutputOptions,
) -> None:
    """Show the sizes and tiers of pyramids, and the properties of their units at each weight.

    Example: touchstone pyramid describe pyr/*.pyr
    """
    from touchstone.io.tables import refuse_absent_columns
    from touchstone.io.writing import check_outputs
    from touchstone.tasks import pyramid

    check_outputs(paths(files, reading.meta), output.out)
    refuse_absent_columns(reading.column, [])  # neither pyramids nor annotations are tables
    meta = pyramid.read_meta(reading.meta).identities if reading.meta else None
    things = pyramid.read_all(files, models=reading.models, meta=meta)
    pyramids = [thing for thing in things if isinstance(thing, pyramid.Pyramid)]
    described = {standalone.set for standalone in pyramids}
    annotations = [thing for thing in things if isinstance(thing, pyramid.Annotation)]
    carried = {annotation.set: annotation.pyramid for annotation in annotations if annotation.set not in described}
    pyramids += carried.values()
    show_finding(output, pyramid.describe(pyramids))


@app.command()
@with_options
def table(
    files: Annotations,
    *,
    ratings: Ratings = None,
    annotators: Annotated[
        Literal["mean", "each"], typer.Option(help="A row for each summary, or for each annotation.")
    ] = "mean",
    reading: ReadingOptions,
    output: OutputOptions,
) -> None:
    """Make one table of scores and ratings, for the analysis; --out writes .csv, .jsonl or .parquet.

    Example: touchstone pyramid table pan/*.pan --ratings content.table --ratings linguistic_quality.table -o table.csv
    """
    from touchstone.base.tables import Column, Table
    from touchstone.io.writing import check_outputs, write_table
    from touchstone.show.finding import Statement, kind_rows
    from touchstone.tasks import pyramid

    check_outputs(paths(files, ratings, reading.meta), table=output.out)
    scores = pyramid.score_table(pyramid.read_gold(files, reading), *(ratings or []), annotators=annotators)
    arrow = scores.to_arrow()
    if output.out:
        write_table(output.out, arrow)
        remark([f"{arrow.num_rows:,} rows are in {output.out}", *scores.notes], output)
        return
    rows = arrow.to_pylist()
    summary_table = Table([Column(name) for name in arrow.column_names], [list(row.values()) for row in rows])
    show_finding(
        output, Statement("Scores of summaries", [summary_table], kind_rows("summary", rows), notes=scores.notes)
    )


@app.command()
@with_options
def analyse(
    table: Scores,
    *,
    dependent: Dependent = "score",
    factors: Annotated[
        str,
        typer.Option(
            metavar="COLUMNS", help="Columns that may explain the scores, separated by commas; by default set and peer."
        ),
    ] = "",
    anova_type: Annotated[
        Literal["I", "II", "III"], typer.Option("--type", help="Type of the analysis of variance.")
    ] = "II",
    test: Annotated[Literal["hsd", "lsd"], typer.Option(help="Tukey's HSD, or Fisher's unadjusted LSD.")] = "hsd",
    means: Annotated[Literal["raw", "least-squares"], typer.Option(help="Which means are compared.")] = "raw",
    alpha: Alpha = 0.05,
    annotators: Annotated[
        Literal["mean", "each"], typer.Option(help="Average the annotators of a summary, or keep a row for each.")
    ] = "mean",
    baseline: Annotated[str | None, typer.Option(metavar="PEER", help="Count the peers above this one.")] = None,
    ratings: Ratings = None,
    random: Annotated[
        str,
        typer.Option(metavar="COLUMNS", help="Columns whose levels are a sample, such as sets: fit a mixed model too."),
    ] = "",
    beside: Annotated[
        Path | None, typer.Option(metavar="TABLE", help="Another evaluation; compares how many differences each shows.")
    ] = None,
    report: Report = None,
    output: OutputOptions,
) -> None:
    """Find which factors affect the scores: analysis of variance, then which peers and document sets differ.

    Raw means and least-squares means are both shown, with a warning if they disagree about which pairs differ.

    Example: touchstone pyramid analyse table.csv --factors setid,peerid,content --random setid --report analysis.html
    """
    from touchstone.io.writing import check_outputs
    from touchstone.tasks import pyramid

    check_outputs(paths(table, ratings, beside), report, output.out)
    scores = pyramid.read_scores(table, *(ratings or []))
    with working("analysing", output):
        analysis = pyramid.analyse(
            scores,
            dependent,
            _names(factors),
            type=anova_type,
            test=test,
            means=means,
            alpha=alpha,
            annotators=annotators,
            baseline=baseline,
            random=_names(random),
        )
        if beside:
            tables = [scores, pyramid.read_scores(beside)]
            compared = pyramid.compare_evaluations(tables, dependent, alpha=alpha, baseline=baseline)
            analysis = replace(analysis, evaluations=compared)
    show_finding(output, analysis, report=report)


@app.command()
@with_options
def agreement(
    people: Annotated[
        list[Path],
        typer.Argument(
            metavar="PERSON PERSON",
            help="Two folders or files of annotations or pyramids; tables of presence; or files of votes.",
        ),
    ],
    *,
    models: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Number of model summaries; by default the headers are counted."),
    ] = None,
    draws: Draws = 1000,
    seed: Seed = 0,
    report: Report = None,
    output: OutputOptions,
) -> None:
    """Show how well two people agree: on units in the same peers, on their scores, on pyramids of the same models.

    Example: touchstone pyramid agreement annotatorA/ annotatorB/
    """
    from touchstone.base.errors import TouchstoneError
    from touchstone.core.resampling import Resampling
    from touchstone.io.writing import check_outputs
    from touchstone.tasks import pyramid
    from touchstone.tasks.pyramid.decisions import votes_of_people
    from touchstone.tasks.pyramid.presence import is_presence

    check_outputs(people, report, output.out)
    resampling = Resampling(draws=draws, seed=seed)
    with working("comparing", output):
        if all(map(is_presence, people)):
            each = [pyramid.read_presence(path) for path in people]
            voted = any(decision.votes for presence in each for decision in presence.decisions)
            several = not voted and len(each) > 1  # tables of different people
            presence = votes_of_people(each) if several else pyramid.read_presence(*people)
            agreed = pyramid.vote_agreement(presence, resampling=resampling)
        elif len(people) == 2:
            first, second = (pyramid.read_reading(path, models=models) for path in people)
            agreed = pyramid.agree(first, second, resampling=resampling)
        else:
            hint = "give a folder for each of two people, or the files of votes"
            raise TouchstoneError(f"{len(people)} inputs are not two people", hint=hint)

    show_finding(output, agreed, report=report)


@app.command()
@with_options
def power(
    table: Scores,
    *,
    peers: Annotated[
        str | None, typer.Option(metavar="A,B", help="Two peers; by default all pairs that differ.")
    ] = None,
    dependent: Dependent = "score",
    target: Annotated[float, typer.Option(help="Required power.")] = 0.8,
    alpha: Alpha = 0.05,
    draws: Draws = 10_000,
    subsets: Annotated[int, typer.Option(min=1, help="Number of subsets to try for each size.")] = 500,
    seed: Seed = 0,
    report: Report = None,
    output: OutputOptions,
) -> None:
    """Show how many document sets are needed to separate two peers, and which small subsets are best.

    Example: touchstone pyramid power table.csv --peers 10,15
    """
    from touchstone.io.writing import check_outputs
    from touchstone.tasks import pyramid

    check_outputs([table], report, output.out)
    pair = _pair(peers) if peers is not None else None
    with working("drawing document sets", output):
        powers = pyramid.power_of(
            pyramid.read_scores(table),
            pair,
            dependent,
            target=target,
            alpha=alpha,
            draws=draws,
            subsets=subsets,
            seed=seed,
        )
    show_finding(output, powers, report=report)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _pair(peers: str) -> tuple[str, str]:
    from touchstone.base.errors import TouchstoneError
    from touchstone.tasks.pyramid.model import unpadded

    names = [unpadded(name) for name in _names(peers)]
    if len(names) != 2:
        raise TouchstoneError("two peers are needed", value=peers, hint="write them as --peers 10,15")
    return names[0], names[1]
