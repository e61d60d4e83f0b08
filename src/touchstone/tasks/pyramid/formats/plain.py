"""Plain texts: model summaries that become a pyramid without units, and peers."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from string import ascii_uppercase

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, refuse
from touchstone.base.files import read_bytes
from touchstone.io.text import read_text
from touchstone.tasks.pyramid.formats.checking import FORBIDDEN
from touchstone.tasks.pyramid.headers import DEFAULT, find_summaries
from touchstone.tasks.pyramid.model import Pyramid

RULE = "-" * 20
"""The lines of hyphens around the id of a summary that was given as plain text."""


def read_texts(paths: Sequence[str | Path]) -> dict[str, str]:
    """Return plain texts by the name of their file, folders opened; refuse two files of one name."""
    files = [file for path in map(Path, paths) for file in (sorted(path.glob("*.txt")) if path.is_dir() else [path])]
    texts: dict[str, str] = {}
    faults = []
    for file in files:
        text = read_text(file)[0] if read_bytes(file)[0].strip() else ""  # an empty summary is a summary
        if FORBIDDEN.search(text):
            faults.append(Fault("a control character that XML cannot hold", str(file), code=Code.BAD_CELL))
        if file.name in texts:
            faults.append(Fault("another file has the same name", str(file), code=Code.DUPLICATE_NAME))
        texts[file.name] = "\n".join(text_lines(text))
    refuse(faults)
    return texts


def pyramid_from_texts(document_set: str, texts: Mapping[str, str]) -> Pyramid:
    r"""Return an empty pyramid over model summaries given as plain texts, with the usual header lines.

    Parameters
    ----------
    document_set
        The name of the set; with the length in words and the name of the file it makes the id of each summary.
    texts
        The summaries by file name; they are ordered by name.

    Examples
    --------
    >>> made = pyramid_from_texts("S1", {"ann.txt": "Cats sleep.", "ben.txt": "Dogs bark a lot.\n"})
    >>> [summary.id for summary in made.summaries]
    ['S1.M.2.A.ann', 'S1.M.4.A.ben']
    """
    lines: list[str] = []
    labels: list[str] = []
    for index, name in enumerate(sorted(texts)):
        labels.append(_label(name, index, labels))
        header = f"{document_set}.M.{len(texts[name].split())}.A.{labels[-1]}"
        lines += [RULE, header, RULE, *text_lines(texts[name])]
    summaries = find_summaries(lines, DEFAULT)
    if len(summaries) != len(texts):
        what = "the summaries cannot be told apart: a text has header lines, or the set name has spaces"
        hint = "give the text of the summaries alone"
        raise TouchstoneError(what, value=document_set, code=Code.UNREADABLE, hint=hint)
    return Pyramid(document_set, tuple(lines), summaries, (), DEFAULT)


def text_lines(text: str) -> tuple[str, ...]:
    r"""Return the lines of a plain text with any line endings; the last line need not have one.

    >>> text_lines("Cats sleep.\r\n\r\nDogs bark.\n")
    ('Cats sleep.', '', 'Dogs bark.')
    """
    return tuple(text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n"))


def _label(name: str, index: int, taken: Sequence[str]) -> str:
    """Return the name of a file as the last part of an id: without dots and blanks, a letter if nothing is left.

    >>> _label("m1.txt", 0, []), _label("Ann Lee.v2.txt", 0, []), _label("....txt", 1, []), _label("M1.txt", 1, ["m1"])
    ('m1', 'Ann-Lee-v2', 'B', 'M1-2')
    """
    stem = re.sub(r"\.txt$", "", unicodedata.normalize("NFC", name), flags=re.IGNORECASE)
    label = re.sub(r"[^\w-]+", "-", stem).strip("-") or _letters(index)
    used = {other.casefold() for other in taken}
    free = (label if number == 1 else f"{label}-{number}" for number in count(1))
    return next(candidate for candidate in free if candidate.casefold() not in used)


def _letters(index: int) -> str:
    """Return A, B to Z, then AA, AB and so on, for 0, 1 and so on."""
    quotient, letter = divmod(index, 26)
    return (_letters(quotient - 1) if quotient else "") + ascii_uppercase[letter]
