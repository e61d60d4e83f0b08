"""The commands of the pyramid method: each reads, calls one public function, shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from touchstone.cli import pyramid_analysis
from touchstone.cli.options import Correction, IntervalOptions, OutputOptions, PairedTest, with_options
from touchstone.cli.pyramid_analysis import Annotators
from touchstone.cli.showing import Format, finish, remark, show_comparisons, show_tables, working, write_report

if TYPE_CHECKING:
    from touchstone.tasks.pyramid import Annotation, Presence
    from touchstone.tasks.pyramid.formats.names import Identity

app = typer.Typer(
    help="Pyramids: content units that people share, and how many of them a summary has.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Inputs = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...",
        help="Annotations of peers (.pan, .json, or folders of them), or presence: a tidy folder, .csv votes, .jsonl.",
    ),
]
MeasureNames = Annotated[
    list[str] | None,
    typer.Option("--measure", "-m", metavar="NAME", help="A measure, such as pyramid.modified. Repeatable."),
]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Write it here: .csv .jsonl .parquet.")]


class Missing(StrEnum):
    """What to do with a peer that has no summary for a document set."""

    ERROR = "error"
    SKIP = "skip"
    ZERO = "zero"


@dataclass(frozen=True)
class InputOptions:
    """How files are read."""

    models: Annotated[
        int | None, typer.Option(min=1, help="Number of model summaries, instead of counting headers.")
    ] = None
    meta: Annotated[
        Path | None, typer.Option(help="CSV with file, set, peer, annotator; counts more than the files' names.")
    ] = None

    def read(self, paths: Sequence[Path]) -> "list[Annotation] | Presence":
        """Read what is to be scored."""
        from touchstone.tasks import pyramid

        with working(f"reading {len(paths)} files"):
            return pyramid.read_inputs(paths, models=self.models, meta=self.read_meta())

    def read_meta(self) -> "dict[str, Identity]":
        """Read who annotated what, if a table says so."""
        from touchstone.tasks import pyramid

        return pyramid.read_meta(self.meta) if self.meta else {}


@dataclass(frozen=True)
class ScoreOptions:
    """What is made of the annotations."""

    annotator: Annotated[
        str | None, typer.Option(help="Take this annotator where a summary has several; the mean of them by default.")
    ] = None
    missing: Annotated[Missing, typer.Option(help="A peer without a summary for a set.")] = Missing.ERROR


@app.command()
@with_options
def score(
    files: Inputs,
    *,
    measure: MeasureNames = None,
    by: Annotated[str | None, typer.Option(help="Group the items by set.")] = None,
    items: Annotated[Path | None, typer.Option(help="Write a row for every annotation: .jsonl .csv .parquet.")] = None,
    inputs: InputOptions,
    how: ScoreOptions,
    sure: IntervalOptions,
    out: OutputOptions,
) -> None:
    """Score peer summaries by the units of the pyramid that they express.

    Example: touchstone pyramid score pan/*.pan --report report.html
    """
    from touchstone.io.writing import check_outputs, write_table
    from touchstone.tasks import pyramid

    check_outputs(files, out.report, table=items)
    given = inputs.read(files)
    with working("scoring"):
        results = pyramid.score(
            given,
            measure or (),
            by=by,
            annotator=how.annotator,
            missing=how.missing.value,
            resampling=sure.resampling(),
        )
        table = results.table()
    if items:
        write_table(items, pyramid.score_each(given, [one.name for one in results.measures]).to_arrow())
    if out.report:
        from touchstone.report.pyramid import pyramid_page

        annotations = given if isinstance(given, list) else ()
        write_report(out.report, lambda: pyramid_page(results, annotations))
    if out.json:
        typer.echo(results.to_json())
    else:
        show_tables([table], out.form)
    finish(results, out)


@app.command()
@with_options
def compare(
    files: Inputs,
    *,
    measure: MeasureNames = None,
    test: Annotated[PairedTest, typer.Option(help="The paired test.")] = PairedTest.PERMUTATION,
    correction: Annotated[Correction, typer.Option(help="Correction of p over all pairs.")] = Correction.HOLM,
    inputs: InputOptions,
    how: ScoreOptions,
    sure: IntervalOptions,
    out: OutputOptions,
) -> None:
    """Compare peers over the document sets: differences, tests, clusters.

    Example: touchstone pyramid compare pan/*.pan --measure pyramid.modified
    """
    from touchstone.core.comparison import compare as compare_systems
    from touchstone.io.writing import check_outputs
    from touchstone.tasks import pyramid

    check_outputs(files, out.report)
    names = [found.name for found in pyramid.find_measures(measure or [pyramid.PAPER[0]])]
    given = inputs.read(files)
    with working("comparing"):
        results = pyramid.score(
            given, names, annotator=how.annotator, missing=how.missing.value, resampling=sure.resampling()
        )
        found = [compare_systems(results, name, test=test.value, correction=correction.value) for name in names]
    if out.report:
        from touchstone.report.pyramid import pyramid_page

        annotations = given if isinstance(given, list) else ()
        write_report(out.report, lambda: pyramid_page(results, annotations))
    if out.json:
        show_comparisons([one.to_dict() for one in found])
    else:
        for one in found:
            show_tables([one.table(), one.pairs_table()], out.form)
    finish(results, out)


@app.command()
@with_options
def explain(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The annotation of a peer: .pan or .json.")],
    *,
    html: Annotated[Path | None, typer.Option(help="Write the summary with its units highlighted here.")] = None,
    svg: Annotated[Path | None, typer.Option(help="Draw the pyramid with the units of the summary here.")] = None,
    form: Annotated[Format, typer.Option("--format", help="Form of the tables.")] = Format.TEXT,
    inputs: InputOptions,
) -> None:
    """Show why a summary scored what it did: its units, those it misses, and the best that could be.

    Example: touchstone pyramid explain 100.D0601.M.250.A.1.pan --html view.html
    """
    from touchstone.io.writing import check_outputs, write_text
    from touchstone.report.page import render
    from touchstone.report.pyramid import explanation_page, tiers_svg
    from touchstone.tasks import pyramid

    check_outputs([file], html, svg)
    found = pyramid.explain(pyramid.read_annotation(file, models=inputs.models, meta=inputs.read_meta()))
    if html:
        write_text(html, render(explanation_page(found)))
    if svg:
        write_text(svg, tiers_svg(found.annotation.pyramid, found.match.counts, found.title))
    typer.echo(f"{found.title}\n")
    show_tables([found.units_table(), found.missed_table(), found.optimum_table(), found.values_table()], form)
    remark(f"the view is in {path}" for path in (html, svg) if path)


@app.command()
@with_options
def validate(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Pyramids and annotations, in any order.")],
    *,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 2 for warnings too.")] = False,
    inputs: InputOptions,
) -> None:
    """List every broken constraint and every span that is not where it says; exit code 2 if a scoring would stop.

    Example: touchstone pyramid validate pyr/*.pyr pan/*.pan
    """
    from touchstone.tasks import pyramid

    found = pyramid.validate(files, models=inputs.models, meta=inputs.read_meta())
    for fault in found.faults:
        typer.echo(f"error: {fault}")
    for warning in found.warnings:
        typer.echo(f"warning: {warning}")
    for fact in found.facts:
        typer.echo(f"ok: {fact}")
    if found.faults or (strict and found.warnings):
        raise typer.Exit(2)


@app.command()
def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A pyramid, an annotation, or presence in any form.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="Same content as .json .pyr .pan; presence: .jsonl.")],
) -> None:
    """Write a pyramid or an annotation in another form; nothing is lost.

    Example: touchstone pyramid convert D0631.pyr D0631.json
    """
    from touchstone.io.writing import check_outputs
    from touchstone.tasks import pyramid

    check_outputs([source], target)
    if target.suffix == ".jsonl":
        pyramid.write_presence(target, pyramid.read_presence(source))
    else:
        pyramid.write(target, pyramid.read(source))
    remark([f"written to {target}"])


@app.command()
@with_options
def describe(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Pyramids, or annotations that carry them.")],
    *,
    form: Annotated[Format, typer.Option("--format", help="Form of the tables.")] = Format.TEXT,
    inputs: InputOptions,
) -> None:
    """Show the sizes and tiers of pyramids, and what their units are like at each weight.

    Example: touchstone pyramid describe pyr/*.pyr
    """
    from touchstone.tasks import pyramid

    found = [pyramid.read_pyramid(path, models=inputs.models) for path in files]
    show_tables([pyramid.describe(found), pyramid.tier_table(found), pyramid.examples_table(found)], form)


@app.command()
@with_options
def table(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Annotations, or folders of them.")],
    *,
    ratings: Annotated[
        Path | None, typer.Option(help="CSV of ratings with setid and peerid, ids padded or not.")
    ] = None,
    annotators: Annotated[
        Annotators, typer.Option(help="A row for each summary, or for each annotation.")
    ] = Annotators.MEAN,
    out: Out = None,
    inputs: InputOptions,
) -> None:
    """Make one table of scores and ratings, for the analysis.

    Example: touchstone pyramid table pan/*.pan --ratings quality.csv -o table.csv
    """
    from touchstone.core.tables import Column, Table
    from touchstone.io.writing import check_outputs, write_table
    from touchstone.tasks import pyramid

    check_outputs([*files, *filter(None, [ratings, inputs.meta])], table=out)
    rated = pyramid.read_ratings(ratings) if ratings else None
    given = pyramid.read_annotations(files, models=inputs.models, meta=inputs.read_meta())
    joined = pyramid.join(given, rated, annotators=annotators.value)
    if out:
        write_table(out, joined.table)
        remark([f"{joined.table.num_rows:,} rows are in {out}"])
    else:
        rows = [list(row.values()) for row in joined.table.to_pylist()]
        show_tables([Table([Column(name) for name in joined.table.column_names], rows)])
    remark(joined.notes)


for _command in (pyramid_analysis.analyse, pyramid_analysis.agreement, pyramid_analysis.power):
    app.command()(_command)
