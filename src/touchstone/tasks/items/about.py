"""What the task is called, and its options; help shows these without importing what does the work."""

from dataclasses import dataclass

from touchstone.base.options import TableOptions, option
from touchstone.core.about import About


@dataclass(frozen=True)
class Options(TableOptions):
    """How tables are read, and the direction and the range of measures."""

    lower_is_better: tuple[str, ...] = option((), "A measure where lower is better. Repeatable.", metavar="NAME")
    range: tuple[str, ...] = option(
        (), "The least and the greatest possible value of a measure, such as rating=1:5. Repeatable.",
        metavar="NAME=LOW:HIGH",
    )  # fmt: skip
    system_column: tuple[str, ...] = option(
        (), "A column that is a system, in a table with a column for each. Repeatable.", metavar="NAME", sign=None
    )
    value: tuple[str, ...] = option(
        (), "What a text is worth, such as good=1. Repeatable.", metavar="TEXT=NUMBER", sign=None
    )


ABOUT = About(
    name="items",
    title="Items",
    summary="Any table of per-item scores, made by any tool.",
    gold_help="Tables (.csv .tsv .jsonl .parquet: system, item, value…; or a column for each system), result files of "
    "inspect_ai, lm_eval, COMET or sacrebleu, or folders. FILE:COLUMN is one system, a column of a table.",
    example="scores.csv",
    options=Options,
    runs_in_gold=True,
    judged_in_tables=True,
)
