"""What the task is called, and its options; help shows these without importing what does the work."""

from dataclasses import dataclass
from pathlib import Path

from touchstone.base.options import TableOptions, option
from touchstone.core.about import About


@dataclass(frozen=True)
class ReadingOptions(TableOptions):
    """How files are read; what they say of models and topics is in the signature of the gold."""

    models: int | None = option(
        None, "Number of model summaries; by default the headers are counted.", metavar="N", minimum=1, sign=None
    )
    meta: Path | None = option(
        None,
        "Table with file, set, peer, annotator and perhaps topic; takes precedence over file names.",
        metavar="FILE",
        sign=None,
    )


@dataclass(frozen=True)
class Options(ReadingOptions):
    """How files are read, and whose annotation of a summary counts."""

    annotator: str | None = option(
        None, "Use only this annotator if a summary has several; by default their mean.", metavar="NAME"
    )


ABOUT = About(
    name="pyramid",
    title="Pyramid scores",
    summary="Summaries scored by the content units that model summaries share.",
    gold_help="Annotations of peers (.pan, .json or folders of them), or presence: tables, a REALSumm folder, "
    ".csv votes.",
    example="pan/*.pan",
    options=Options,
    convert_options=ReadingOptions,
    runs_in_gold=True,
)
