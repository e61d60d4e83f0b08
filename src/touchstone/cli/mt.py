"""The commands of translation: each reads, calls one public function, shows."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from touchstone.cli import mt_meta
from touchstone.cli.mt_options import InputOptions, MeasureNames, SystemFiles, counting, named_files
from touchstone.cli.options import Correction, IntervalOptions, OutputOptions, PairedTest, with_options
from touchstone.cli.showing import Format, finish, show_comparisons, show_tables, working, write_report

if TYPE_CHECKING:
    from touchstone.core.results import Results
    from touchstone.tasks.mt import References, System

app = typer.Typer(
    help="Translation: MAXSIM, its rivals, and what people think.", no_args_is_help=True, rich_markup_mode=None
)

Items = Annotated[Path | None, typer.Option(help="Write the scores of every segment: .jsonl .csv .parquet.")]
Jobs = Annotated[
    int | None, typer.Option(min=1, help="Processes; by default one for each core where the work is large.")
]


@app.command()
@with_options
def score(
    systems: SystemFiles = None,
    *,
    measure: MeasureNames = None,
    by: Annotated[str | None, typer.Option(help="Group the segments by this field: group, in tables.")] = None,
    items: Items = None,
    jobs: Jobs = None,
    inputs: InputOptions,
    sure: IntervalOptions,
    out: OutputOptions,
) -> None:
    """Score systems against one or more references.

    Example: touchstone mt score --ref ref.en mine.en theirs.en --measure "maxsim(n)" --measure bleu --report mt.html
    """
    from touchstone.io.writing import check_outputs, write_table

    check_outputs(inputs.files(systems), out.report, table=items)
    references, found = inputs.read(systems)
    results = _scored(references, found, measure, inputs, sure, jobs, by)
    with working("drawing segments again for intervals"):
        table = results.table()
    if items:
        write_table(items, results.items.to_arrow())
    if out.report:
        from touchstone.report.mt import mt_page

        write_report(out.report, lambda: mt_page(results, references, found))
    if out.json:
        typer.echo(results.to_json())
    else:
        show_tables([table], out.form)
    finish(results, out)


@app.command()
@with_options
def compare(
    systems: SystemFiles = None,
    *,
    measure: MeasureNames = None,
    test: Annotated[PairedTest, typer.Option(help="The paired test.")] = PairedTest.PERMUTATION,
    correction: Annotated[Correction, typer.Option(help="Correction of p over all pairs.")] = Correction.HOLM,
    jobs: Jobs = None,
    inputs: InputOptions,
    sure: IntervalOptions,
    out: OutputOptions,
) -> None:
    """Compare systems on the same segments: differences, paired tests, clusters.

    Example: touchstone mt compare --ref ref.en mine.en theirs.en --measure bleu --test bootstrap
    """
    from touchstone.core.comparison import compare as compare_systems
    from touchstone.io.writing import check_outputs

    check_outputs(inputs.files(systems), out.report)
    references, found = inputs.read(systems)
    results = _scored(references, found, measure, inputs, sure, jobs)
    with working(f"comparing {len(found)} systems on {len(references):,} segments"):
        names = [one.name for one in results.measures]
        compared = [compare_systems(results, name, test=test.value, correction=correction.value) for name in names]
    if out.report:
        from touchstone.report.mt import mt_page

        write_report(out.report, lambda: mt_page(results, references, found))
    if out.json:
        show_comparisons(one.to_dict() for one in compared)
    else:
        show_tables([table for one in compared for table in (one.table(), one.pairs_table())], out.form)
    finish(results, out)


@app.command()
@with_options
def explain(
    systems: SystemFiles = None,
    *,
    item: Annotated[str, typer.Option(help="The segment: its line number, or its id in a table.")],
    measure: Annotated[str, typer.Option("--measure", "-m", metavar="NAME", help="The measure.")] = "maxsim(n)",
    svg: Annotated[Path | None, typer.Option(help="Draw the alignment here.")] = None,
    inputs: InputOptions,
    form: Annotated[Format, typer.Option("--format", help="Form of the tables.")] = Format.TEXT,
) -> None:
    """Show one segment: the matching behind its score, link by link, and what stayed unmatched.

    Example: touchstone mt explain --ref ref.en mine.en --item 17 --measure "maxsim(n)" --svg alignment.svg
    """
    from touchstone.io.writing import check_outputs, write_text
    from touchstone.tasks import mt

    check_outputs(inputs.files(systems), svg)
    references, found = inputs.read(systems)
    explained = [mt.explain(references, system, item, measure) for system in found]
    for one in explained:
        typer.echo(one.heading() + "\n")
        show_tables([one.parts_table(), *one.links_tables()], form)
    if svg:
        from touchstone.report.alignment import draw_alignments

        write_text(svg, draw_alignments([part for one in explained for part in one.parts]))


@app.command()
@with_options
def validate(systems: SystemFiles = None, *, inputs: InputOptions) -> None:
    """List every problem of the files, with line numbers; exit code 2 if any of them stops a scoring.

    Example: touchstone mt validate --ref ref.en mine.en theirs.en
    """
    from touchstone.tasks import mt

    found = mt.validate(
        systems or [],
        inputs.ref or [],
        named=named_files(inputs.sys),
        reading=inputs.reading(),
        analyses=inputs.given_analyses(),
        allow_empty=inputs.allow_empty_ref,
        policy=inputs.policy(),
    )
    for fault in found.faults:
        typer.echo(f"error: {fault}")
    for hint in found.hints:
        typer.echo(f"   {hint}")
    for warning in found.warnings:
        typer.echo(f"warning: {warning}")
    for fact in found.facts:
        typer.echo(f"ok: {fact}")
    if found.faults:
        raise typer.Exit(2)


def _scored(
    references: "References",
    systems: "list[System]",
    measures: list[str] | None,
    inputs: InputOptions,
    sure: IntervalOptions,
    jobs: int | None,
    by: str | None = None,
) -> "Results":
    """Score systems, and show how many are done."""
    from touchstone.tasks import mt

    with counting("scoring systems", len(systems)) as progress:
        return mt.score(
            references,
            systems,
            measures or (),
            by=by,
            resampling=sure.resampling(),
            policy=inputs.policy(),
            lang=inputs.lang,
            jobs=jobs,
            progress=progress,
        )


for _command in (mt_meta.meta, mt_meta.agreement, mt_meta.tune):
    app.command()(_command)
