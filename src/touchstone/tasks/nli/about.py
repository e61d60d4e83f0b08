"""What the task is called, and its options; help shows these without importing what does the work."""

from dataclasses import dataclass
from typing import Literal

from touchstone.base.options import TableOptions, option
from touchstone.core.about import About

Spelling = Literal["snli", "touchstone"]


@dataclass(frozen=True)
class Options(TableOptions):
    """How files are read, and how many labels are told apart."""

    label: tuple[str, ...] = option(
        (), "What a label of the files means. Repeatable.", metavar="VALUE=LABEL", sign=None
    )
    labels: Literal["auto", "two", "three"] = option(
        "auto", "Three labels, or entailment and the rest; by default as in the gold.", sign=None
    )


@dataclass(frozen=True)
class ConvertOptions(Options):
    """How files are converted."""

    names: Spelling | None = option(None, "How the fields of pairs are named; by default as in IN.")


ABOUT = About(
    name="nli",
    title="Inference",
    summary="Inference between two sentences: entailment, contradiction or neutral.",
    gold_help="Pairs in a table of any format, with the column names of the public sets, a row for each pair or for "
    "each label of an annotator; or s1.X of parallel files.",
    run_help="Labels or probabilities in a table with ids, or one label per line; FILE:COLUMN is one column.",
    example="gold.jsonl bert=a.jsonl esim=b.jsonl",
    options=Options,
    convert_options=ConvertOptions,
)
