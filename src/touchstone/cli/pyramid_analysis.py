"""The commands about the scores of pyramids: what moves them, how far people agree, how many sets are needed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from touchstone.cli.options import OutputOptions, with_options
from touchstone.cli.showing import Format, remark, show_tables, working, write_report

if TYPE_CHECKING:
    from touchstone.core.tables import Table

Scores = Annotated[
    Path,
    typer.Argument(
        metavar="TABLE", help="Scores with setid and peerid, as pyramid table writes: .csv .jsonl .parquet."
    ),
]
Dependent = Annotated[str, typer.Option(help="The column of scores.")]
Alpha = Annotated[float, typer.Option(help="Probability of error of each test.")]
Draws = Annotated[int, typer.Option(min=1, help="Draws of the bootstrap.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of every draw.")]


class Finding(Protocol):
    """What these commands show."""

    @property
    def signature(self) -> Mapping[str, str]:
        """What it was computed from, and how."""

    @property
    def notes(self) -> Sequence[str]:
        """What is worth knowing of the inputs."""

    def tables(self) -> "list[Table]":
        """Return it as tables."""

    def to_json(self) -> str:
        """Return it as one JSON object."""


class Annotators(StrEnum):
    """What to do with several annotators of one summary."""

    MEAN = "mean"
    EACH = "each"


class Type(StrEnum):
    """The types of the analysis of variance."""

    I = "I"  # noqa: E741 (its name)
    II = "II"
    III = "III"


class LevelTest(StrEnum):
    """The tests of levels after the model."""

    HSD = "hsd"
    LSD = "lsd"


class MeansOf(StrEnum):
    """The means that are compared."""

    RAW = "raw"
    LEAST_SQUARES = "least-squares"


@with_options
def analyse(
    table: Scores,
    *,
    dependent: Dependent = "score",
    factors: Annotated[str, typer.Option(help="Columns that may explain it, with commas; set and peer if none.")] = "",
    anova_type: Annotated[Type, typer.Option("--type", help="Type of the analysis of variance.")] = Type.II,
    test: Annotated[LevelTest, typer.Option(help="Tukey's HSD, or Fisher's unadjusted LSD.")] = LevelTest.HSD,
    means: Annotated[MeansOf, typer.Option(help="Means that are compared.")] = MeansOf.RAW,
    alpha: Alpha = 0.05,
    annotators: Annotated[Annotators, typer.Option(help="Average annotators of a summary, or keep a row each.")] = (
        Annotators.MEAN
    ),
    baseline: Annotated[str | None, typer.Option(metavar="PEER", help="Count the peers above this one.")] = None,
    beside: Annotated[
        Path | None, typer.Option(metavar="TABLE", help="Another evaluation: how many differences does each show?")
    ] = None,
    out: OutputOptions,
) -> None:
    """Find what moves the scores: analysis of variance, then which peers and document sets differ.

    Example: touchstone pyramid analyse table.csv --factors setid,peerid,content --report analysis.html
    """
    from touchstone.io.writing import check_outputs
    from touchstone.tasks import pyramid

    check_outputs([table, *filter(None, [beside])], out.report)
    scores = pyramid.read_scores(table)
    with working("analysing"):
        found = pyramid.analyse(
            scores,
            dependent,
            _listed(factors),
            type=anova_type.value,
            test=test.value,
            means=means.value,
            alpha=alpha,
            annotators=annotators.value,
            baseline=baseline,
        )
        if beside:
            tables = [scores, pyramid.read_scores(beside)]
            compared = pyramid.compare_evaluations(tables, dependent, alpha=alpha, baseline=baseline)
            found = replace(found, evaluations=compared)
    if out.report:
        from touchstone.report.pyramid_analysis import analysis_page

        write_report(out.report, lambda: analysis_page(found))
    _show(found, out, found.said())


@with_options
def agreement(
    people: Annotated[
        list[Path],
        typer.Argument(
            metavar="PERSON PERSON", help="Two folders or files of annotations or pyramids; or files of votes."
        ),
    ],
    *,
    models: Annotated[
        int | None, typer.Option(min=1, help="Number of model summaries, instead of counting headers.")
    ] = None,
    draws: Draws = 1000,
    seed: Seed = 0,
    out: OutputOptions,
) -> None:
    """Show how far two people agree: on units in the same peers, on their scores, on pyramids of the same models.

    Example: touchstone pyramid agreement annotatorA/ annotatorB/
    """
    from touchstone.core.errors import TouchstoneError
    from touchstone.core.resampling import Resampling
    from touchstone.io.writing import check_outputs
    from touchstone.tasks import pyramid
    from touchstone.tasks.pyramid.formats.presence import is_presence

    check_outputs(people, out.report)
    how = Resampling(draws=draws, seed=seed)
    with working("comparing"):
        if all(map(is_presence, people)):
            found = pyramid.vote_agreement(pyramid.read_presence(*people), resampling=how)
        elif len(people) == 2:
            first, second = (pyramid.read_reading(path, models=models) for path in people)
            found = pyramid.agree(first, second, resampling=how)
        else:
            hint = "give a folder for each of two people, or the files of votes"
            raise TouchstoneError(f"{len(people)} inputs do not make two people", hint=hint)
    if out.report:
        from touchstone.report.pyramid_analysis import agreement_page

        write_report(out.report, lambda: agreement_page(found))
    _show(found, out)


@with_options
def power(
    table: Scores,
    *,
    peers: Annotated[str | None, typer.Option(metavar="A,B", help="Two peers; without them, all that differ.")] = None,
    dependent: Dependent = "score",
    target: Annotated[float, typer.Option(help="Power that is enough.")] = 0.8,
    alpha: Alpha = 0.05,
    draws: Draws = 10_000,
    subsets: Annotated[int, typer.Option(min=1, help="Subsets of sets tried for each size.")] = 500,
    seed: Seed = 0,
    out: OutputOptions,
) -> None:
    """Show how many document sets tell two peers apart, and which few sets do it best.

    Example: touchstone pyramid power table.csv --peers 10,15
    """
    from touchstone.io.writing import check_outputs
    from touchstone.tasks import pyramid

    check_outputs([table], out.report)
    pair = _pair(peers) if peers is not None else None
    with working("drawing document sets"):
        found = pyramid.power_of(
            pyramid.read_scores(table),
            pair,
            dependent,
            target=target,
            alpha=alpha,
            draws=draws,
            subsets=subsets,
            seed=seed,
        )
    if out.report:
        from touchstone.report.pyramid_analysis import power_page

        write_report(out.report, lambda: power_page(found))
    _show(found, out)


def _listed(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


def _pair(peers: str) -> tuple[str, str]:
    from touchstone.core.errors import TouchstoneError
    from touchstone.tasks.pyramid.model import unpadded

    names = [unpadded(name) for name in _listed(peers)]
    if len(names) != 2:
        raise TouchstoneError("two peers are wanted", value=peers, hint="write them as --peers 10,15")
    return names[0], names[1]


def _show(found: Finding, out: OutputOptions, said: Sequence[str] = ()) -> None:
    """Print what was found, then what belongs under it: sentences, the signature, remarks, and where the report is."""
    if out.json:
        typer.echo(found.to_json())
    else:
        show_tables(found.tables(), out.form)
    if not out.json and out.form is Format.TEXT:
        for sentence in said:
            typer.echo(sentence)
        typer.echo("|".join(f"{key}:{value}" for key, value in found.signature.items()))
    remark(found.notes)
    remark([f"the report is in {out.report}"] if out.report else [])
