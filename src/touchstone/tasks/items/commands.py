"""The command of tables of scores that only they have: agreement of any labels."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from touchstone.base.options import ItemTable, TableOptions

if TYPE_CHECKING:
    from touchstone.core.resampling import Resampling
    from touchstone.show.finding import Finding


def agreement(
    table: Path,
    *,
    distance: Literal["nominal", "ordinal", "interval"] | None = None,
    order: Sequence[str] = (),
    annotator_column: Sequence[str] = (),
    coefficient: Sequence[str] = (),
    items: ItemTable = None,
    table_options: TableOptions,
    resampling: "Resampling",
) -> "Finding":
    """Show how well annotators agree: raw agreement, alpha, kappas; each annotator; the most disputed items.

    Example: touchstone items agreement labels.csv

    Parameters
    ----------
    table : TABLE
        Labels: item, annotator, label, perhaps system; or a column for each annotator.
    distance
        How far labels are apart: equal or not, by the labels between them, or as numbers. By default interval for
        numbers, ordinal with --order, else nominal.
    order : LABEL
        The labels from lowest to highest, for --distance ordinal. Repeatable.
    annotator_column : NAME
        A column of labels, in a table with a column for each annotator. Repeatable.
    coefficient : NAME
        A coefficient to show instead of the usual ones, such as ac1, cohen_quadratic or icc2. NAME.LABEL is that of
        one label. Repeatable.
    items : FILE
        Write the values of every item: .jsonl .csv .parquet.
    """
    from touchstone.io.writing import write_table
    from touchstone.people.agreement import agreement as find_agreement

    finding = find_agreement(
        table,
        distance,
        order=order,
        resampling=resampling,
        column=table_options.column,
        annotators=annotator_column,
        coefficients=coefficient,
        encoding=table_options.encoding,
    )
    if items and finding.items is not None:
        write_table(items, finding.items.to_arrow())
    return finding
