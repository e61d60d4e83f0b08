"""``touchstone items``: the verbs over any table of per-item scores, and how well annotators agree on any labels."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from touchstone.base.options import TableOptions
from touchstone.cli.options import IntervalOptions, Items, OutputOptions, with_options
from touchstone.cli.output import show_finding
from touchstone.cli.verbs import task_app
from touchstone.tasks.items import TASK

app = task_app(TASK)


@app.command()
@with_options
def agreement(
    table: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE", help="Labels: item, annotator, label, perhaps system; or a column for each annotator."
        ),
    ],
    *,
    distance: Annotated[
        Literal["nominal", "ordinal", "interval"] | None,
        typer.Option(
            help="How far labels are apart: equal or not, by the labels between them, or as numbers. By default "
            "interval for numbers, ordinal with --order, else nominal."
        ),
    ] = None,
    order: Annotated[
        list[str] | None,
        typer.Option(metavar="LABEL", help="The labels from lowest to highest, for --distance ordinal. Repeatable."),
    ] = None,
    annotator_column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A column of labels, in a table with a column for each annotator. Repeatable."
        ),
    ] = None,
    coefficient: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A coefficient to show instead of the usual ones, such as ac1, cohen_quadratic or icc2. NAME.LABEL is "
            "that of one label. Repeatable.",
        ),
    ] = None,
    items: Items = None,
    table_options: TableOptions,
    intervals: IntervalOptions,
    output: OutputOptions,
) -> None:
    """Show how well annotators agree: raw agreement, alpha, kappas; each annotator; the most disputed items.

    Example: touchstone items agreement labels.csv
    """
    from touchstone.io.writing import check_outputs, write_table
    from touchstone.people.agreement import agreement as find_agreement

    check_outputs([table], output.out, table=items)
    finding = find_agreement(
        table,
        distance,
        order=order or (),
        resampling=intervals.resampling(),
        column=table_options.column,
        annotators=annotator_column or (),
        coefficients=coefficient or (),
        encoding=table_options.encoding,
    )
    if items and finding.items is not None:
        write_table(items, finding.items.to_arrow())
    show_finding(output, finding)
