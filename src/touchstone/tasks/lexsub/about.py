"""What the task is called, and its options; help shows these without importing what does the work."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from touchstone.base.options import TableOptions, option
from touchstone.core.about import About

Compat = Literal["none", "els07", "both"]


def _base_forms(_: object) -> str:
    """Return what signatures say of base forms: they depend on WordNet."""
    from touchstone.lexicon import wordnet

    return f"with {wordnet().signature}"


@dataclass(frozen=True)
class ReadingOptions(TableOptions):
    """How files are read."""

    source: Path | None = option(
        None, "ELS07 XML file with the sentences; runs may answer all of them.", metavar="FILE", sign=None
    )
    min_responses: float | None = option(
        None, "Score only items whose weights sum to at least this (2 for ELS07, else 1).", minimum=0, sign=None
    )
    min_weight: float = option(1, "Minimum number of people who accepted a SWORDS substitute.", minimum=0, sign=None)


@dataclass(frozen=True)
class Options(ReadingOptions):
    """How files are read, what is done to answers before they are scored, and how official figures are shown."""

    lemmatize: bool = option(False, "Score the base forms of the answers.", sign=_base_forms)
    pool: Path | None = option(
        None, "A file of candidates, 'word.pos::a;b'; other answers are dropped.", metavar="FILE"
    )
    compat: Compat = option("none", "els07: the figures of the official scorer; both: these and ours.")
    style: Literal["fractions", "els07"] = option(
        "fractions", "els07: percentages, in the layout of the official scorer.", sign=None
    )


ABOUT = About(
    name="lexsub",
    title="Lexical substitution",
    summary="Lexical substitution: which words could replace this one.",
    gold_help="Human answers: ELS07, SWORDS .json, CoInCo .xml, .jsonl, or a table; - is stdin.",
    run_help="Answers: ELS07, SWORDS .json, .jsonl, or a table (FILE:COLUMN is one column of it); A.best and A.oot are "
    "one system.",
    example="test.gold mine.oot theirs.oot",
    options=Options,
    convert_options=ReadingOptions,
)
