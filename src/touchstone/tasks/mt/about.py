"""What the task is called, and its options; help shows these without importing what does the work."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from touchstone.base.options import TableOptions, option
from touchstone.core.about import About

ENGLISH = "en"

TextRule = Literal["raw", "nfc", "analysed"]

OF_REFERENCES = "ref="
"""How an entry begins that is about the references instead of a system."""


def _of_references(entries: Sequence[str]) -> tuple[Path, ...]:
    return tuple(Path(str(entry).removeprefix(OF_REFERENCES)) for entry in entries if entry not in _of_systems(entries))


def _of_systems(entries: Sequence[str]) -> tuple[str, ...]:
    return tuple(entry for entry in entries if not str(entry).startswith(OF_REFERENCES))


@dataclass(frozen=True)
class Options(TableOptions):
    """How translations are read."""

    ref: tuple[Path, ...] = option((), "A further reference, as text or table. Repeatable.", metavar="FILE", sign=None)
    analyses: tuple[str, ...] = option(
        (),
        "Analyses in CoNLL-U: NAME=FILE of a system's output, ref=FILE of the references (first of GOLD, then of each "
        "further reference), or a folder with NAME.conllu; or one FILE with all texts. Repeatable.",
        metavar="[NAME=]FILE",
        sign=None,
    )
    roles: tuple[str, ...] = option(
        (),
        "Semantic roles in JSONL: NAME=FILE of a system's output, ref=FILE of the references, in the same order. "
        "Repeatable.",
        metavar="NAME=FILE",
        sign=None,
    )
    documents: Path | None = option(
        None, "The document of each segment, one name per line; documents are the clusters.", metavar="FILE", sign=None
    )
    source: Path | None = option(
        None, "The source text, one segment per line, for your own metrics.", metavar="FILE", sign=None
    )
    reference_system: tuple[str, ...] = option(
        (), "The system of a table whose outputs are the reference. Repeatable.", metavar="NAME", sign=None
    )
    exclude_system: tuple[str, ...] = option(
        (), "A system to leave out, of a table or of several files. Repeatable.", metavar="NAME", sign=None
    )
    scores: tuple[str, ...] = option(
        (),
        "Scores of another tool: a table of system, segment and score, or of system and score; NAME:lower if lower is "
        "better. Repeatable.",
        metavar="NAME=FILE",
        sign=None,
    )
    synonyms: Path | None = option(
        None, "Synonyms instead of WordNet for MAXSIM: one set per line, separated by tabs.", metavar="FILE"
    )
    texts: tuple[TextRule, ...] = option(
        (),
        "How texts are read: raw keeps entities such as &quot; and white space as they are, nfc normalises Unicode to "
        "NFC, analysed means that each token is lemma/TAG. Repeatable.",
        sign=lambda rules: ", ".join(rule for rule in rules if rule == "analysed") or None,
    )
    allow_empty_ref: bool = option(False, "Let segments without any reference score 0.", sign=None)
    lang: str = option(ENGLISH, "The language of the texts.")

    @property
    def language(self) -> str:
        """The language without its region: ``en`` for ``en-GB``."""
        return self.lang.partition("-")[0].lower()

    @property
    def no_unescape(self) -> bool:
        """Whether entities and white space are kept as they are."""
        return "raw" in self.texts

    @property
    def nfc(self) -> bool:
        """Whether Unicode is normalised to NFC."""
        return "nfc" in self.texts

    @property
    def inline(self) -> bool:
        """Whether each token is lemma/TAG."""
        return "analysed" in self.texts

    @property
    def ref_analyses(self) -> tuple[Path, ...]:
        """The files with analyses of the references, in their order."""
        return _of_references(self.analyses)

    @property
    def ref_roles(self) -> tuple[Path, ...]:
        """The files with roles of the references, in their order."""
        return _of_references(self.roles)

    @property
    def system_analyses(self) -> tuple[str, ...]:
        """The other files and folders with analyses."""
        return _of_systems(self.analyses)

    @property
    def system_roles(self) -> tuple[str, ...]:
        """The files with roles of systems."""
        return _of_systems(self.roles)

    @property
    def reading(self) -> str:
        """How texts are read, in words.

        Examples
        --------
        >>> Options().reading
        'entities decoded once, white space collapsed'
        """
        entities = "entities kept" if self.no_unescape else "entities decoded once, white space collapsed"
        return f"{entities}{', NFC' if self.nfc else ''}"


ABOUT = About(
    name="mt",
    title="Translation",
    summary="Translation: MAXSIM, other metrics, and human judgements.",
    gold_help="References: text, one segment per line, or a table, which may also contain the outputs of systems.",
    run_help="Outputs: text, one segment per line, tables, or folders of them; a system has the name of its file. "
    "FILE:COLUMN is one column of a table.",
    example="ref.en kestrel=a.txt heron=b.txt",
    options=Options,
    convert_options=TableOptions,
)
