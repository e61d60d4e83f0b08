"""Arguments and options that the commands of translation share, and how they show that work goes on."""

import sys as system_module
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from touchstone.cli.showing import working

if TYPE_CHECKING:
    from touchstone.tasks.mt import Analyses, Policy, Reading, References, System

SystemFiles = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="SYSTEM",
        help="Files of translations, a segment to a line, or folders of them; or tables (.tsv, .jsonl) without --ref. "
        "In a folder a file is called as its system is; a file given singly loses .en or .txt if names stay apart.",
    ),
]
MeasureNames = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        "-m",
        metavar="NAME",
        help='A measure, such as "maxsim(n)", bleu, chrf, ter, "meteor(classic)", or module:object of your own. '
        "Repeatable.",
    ),
]


class Missing(StrEnum):
    """What to do with segments that a system did not translate."""

    ERROR = "error"
    ZERO = "zero"
    SKIP = "skip"


@dataclass(frozen=True)
class InputOptions:
    """How files are read and joined."""

    ref: Annotated[list[Path] | None, typer.Option(help="A reference, a segment to a line. Repeatable.")] = None
    sys: Annotated[
        list[str] | None, typer.Option(metavar="NAME=FILE", help="A system under a name of its own. Repeatable.")
    ] = None
    analyses: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=FILE", help="A system's analyses in CoNLL-U, or a folder with NAME.conllu."),
    ] = None
    ref_analyses: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="A reference's analyses in CoNLL-U, in the order of --ref."),
    ] = None
    roles: Annotated[
        list[str] | None, typer.Option(metavar="NAME=FILE", help="A system's semantic roles in JSONL. Repeatable.")
    ] = None
    ref_roles: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="A reference's semantic roles, in the order of --ref.")
    ] = None
    inline: Annotated[bool, typer.Option("--inline", help="Tokens are analysed in the texts: lemma/TAG.")] = False
    missing: Annotated[Missing, typer.Option(help="Segments without a translation: score 0, or left out.")] = (
        Missing.ERROR
    )
    allow_empty_ref: Annotated[
        bool, typer.Option("--allow-empty-ref", help="Let segments without any reference score 0.")
    ] = False
    encoding: Annotated[str, typer.Option(help="Encoding of the texts.")] = "utf-8"
    no_unescape: Annotated[bool, typer.Option("--no-unescape", help="Leave entities such as &quot; as they are.")] = (
        False
    )
    nfc: Annotated[bool, typer.Option("--nfc", help="Normalise Unicode to NFC.")] = False
    lang: Annotated[str, typer.Option(help="Language of the texts.")] = "en"

    def read(self, systems: Sequence[Path] | None) -> tuple["References", list["System"]]:
        """Read the references and what systems made of them."""
        from touchstone.tasks import mt

        with working("reading translations"):
            return mt.read_translations(
                systems or [],
                self.ref or [],
                named=named_files(self.sys),
                reading=self.reading(),
                analyses=self.given_analyses(),
                allow_empty=self.allow_empty_ref,
            )

    def files(self, systems: Sequence[Path] | None) -> list[Path]:
        """Return all files that are read, for outputs to keep off."""
        analyses = self.given_analyses()
        given = [*named_files(self.sys).values(), *analyses.systems.values(), *analyses.roles.values()]
        models = [*(self.ref or []), *(self.ref_analyses or []), *(self.ref_roles or [])]
        return [*(systems or []), *models, *map(Path, given)]

    def reading(self) -> "Reading":
        """Return how texts are read."""
        from touchstone.tasks.mt import Reading

        return Reading(self.encoding, not self.no_unescape, self.nfc)

    def given_analyses(self) -> "Analyses":
        """Return where analyses are."""
        from touchstone.tasks.mt import Analyses

        folders = [Path(one) for one in self.analyses or [] if "=" not in one]
        found = {path.stem: path for folder in folders for path in sorted(folder.glob("*.conllu"))}
        found |= named_files([one for one in self.analyses or [] if "=" in one])
        return Analyses(self.ref_analyses or [], found, self.inline, self.ref_roles or [], named_files(self.roles))

    def policy(self) -> "Policy":
        """Return what is done about missing translations."""
        from touchstone.tasks.mt import Policy

        return Policy(self.missing.value)


def named_files(given: Sequence[str] | None) -> dict[str, Path]:
    """Return files by the names that ``NAME=FILE`` gives them.

    >>> named_files(["mine=out/a.en"])
    {'mine': PosixPath('out/a.en')}
    """
    from touchstone.core.errors import TouchstoneError

    found: dict[str, Path] = {}
    for one in given or []:
        name, equals, path = one.partition("=")
        if not (name and equals and path):
            raise TouchstoneError("not of the form NAME=FILE", value=one)
        if name in found:
            raise TouchstoneError("two files have the same name", value=name, hint="give each a name of its own")
        found[name] = Path(path)
    return found


@contextmanager
def counting(what: str, total: int) -> Iterator[Callable[[int, str], None] | None]:
    """Show how much is done while it is done, if somebody watches: give what is to be told of each step."""
    if not system_module.stderr.isatty():
        yield None
        return
    from rich.console import Console

    with Console(stderr=True).status(what) as status:
        yield lambda done, last: status.update(f"{what}: {done} of {total} ({last})")
