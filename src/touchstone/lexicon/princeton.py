"""Princeton's dictionary files (``data.noun``, ``index.noun``, ``noun.exc``, ``index.sense``, …) as a `Dictionary`.

Formats: wndb(5WN), senseidx(5WN) and morphy(7WN), the manual pages of WordNet 3.0; 3.1 has the same.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.lexicon.dictionary import Dictionary, Entry, Key, Pointer, normalised_form
from touchstone.lexicon.relation import PARTS_OF_SPEECH, POS_NAMES, Pos, Relation

Parsed = TypeVar("Parsed")

_VERSION = re.compile(r"WordNet (\S+) Copyright")
_MARKER = re.compile(r"\((p|a|ip)\)$")
_POS_OF_TYPE: dict[str, Pos] = {"n": "n", "v": "v", "a": "a", "s": "a", "r": "r"}
_POS_OF_NUMBER: dict[str, Pos] = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
_SYMBOLS = {relation.value: relation for relation in Relation}


def read_princeton(folder: Path) -> Dictionary:
    """Return the dictionary whose files are in *folder*; a line that cannot be read is named."""
    return Dictionary(
        name="WordNet",
        version=_version(folder / "data.noun"),
        entries=[entry for name in POS_NAMES.values() for entry in _parsed(folder / f"data.{name}", _entry)],
        senses={
            (lemma, pos): [(pos, offset) for offset in offsets]
            for pos in PARTS_OF_SPEECH
            for lemma, offsets in _parsed(folder / f"index.{POS_NAMES[pos]}", _senses)
        },
        # index.sense is complete, where cntlist.rev has outdated keys.
        counts={sense: count for sense, count in _parsed(folder / "index.sense", _count) if count},
        exceptions={pos: dict(_parsed(folder / f"{POS_NAMES[pos]}.exc", _exception)) for pos in PARTS_OF_SPEECH},
    )


def _parsed(path: Path, parse: Callable[[str], Parsed]) -> Iterator[Parsed]:
    """Yield every line that is neither blank nor part of the licence, which is indented, as *parse* reads it."""
    for number, line in enumerate(_text(path).splitlines(), 1):
        if line.strip() and not line.startswith(" "):
            try:
                parsed = parse(line)
            except (ValueError, IndexError, KeyError):
                what = "not a line of a WordNet dictionary"
                raise TouchstoneError(what, file=str(path), line=number, value=line, code=Code.BAD_CELL) from None
            yield parsed


def _entry(line: str) -> Entry:
    """Return the synset of a data line: offset, file, type, words with their ids, pointers."""
    fields = line.partition("|")[0].split()
    offset, file, kind, width = int(fields[0]), int(fields[1]), fields[2], int(fields[3], 16)
    spelled = fields[4 : 4 + 2 * width : 2]
    start = 4 + 2 * width
    # After the words come the number of pointers and four fields for each.
    links = [fields[at : at + 4] for at in range(start + 1, start + 1 + 4 * int(fields[start]), 4)]
    return Entry(
        key=(_POS_OF_TYPE[kind], offset),
        satellite=kind == "s",
        file=file,
        words=[_MARKER.sub("", word).replace("_", " ") for word in spelled],
        markers=["".join(_MARKER.findall(word)) for word in spelled],
        pointers=[
            # Four hexadecimal digits name the words of both ends; 0000 joins the synsets as wholes.
            Pointer(_SYMBOLS[symbol], (_POS_OF_TYPE[kind], int(offset)), *divmod(int(words, 16), 256))
            for symbol, offset, kind, words in links
        ],
    )


def _senses(line: str) -> tuple[str, list[int]]:
    fields = line.split()
    return normalised_form(fields[0]), [int(field) for field in fields[-int(fields[2]) :]]


def _count(line: str) -> tuple[tuple[str, Key], int]:
    """Return a sense and how often it was tagged."""
    key, offset, _, count = line.split()
    lemma, _, lex_sense = key.partition("%")
    return (normalised_form(lemma), (_POS_OF_NUMBER[lex_sense[0]], int(offset))), int(count)


def _exception(line: str) -> tuple[str, list[str]]:
    form, base, *others = (normalised_form(field) for field in line.split())
    return form, [base, *others]


def _version(path: Path) -> str:
    match = _VERSION.search(_text(path)[:5000])
    if not match:
        raise TouchstoneError("no WordNet version in the first lines", file=str(path), code=Code.UNREADABLE)
    return match[1]


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        hint = "a WordNet folder holds data.*, index.* and *.exc for noun, verb, adj, adv, and index.sense"
        raise TouchstoneError("no such file", file=str(path), code=Code.NO_FILE, hint=hint) from None
    except OSError as error:
        raise TouchstoneError(f"cannot be read ({error.strerror})", file=str(path), code=Code.UNREADABLE) from None
    except UnicodeDecodeError as error:
        raise TouchstoneError(f"not UTF-8 at byte {error.start:,}", file=str(path), code=Code.ENCODING) from None
