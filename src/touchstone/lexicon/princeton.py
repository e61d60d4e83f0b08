"""Princeton's dictionary files (``data.noun``, ``index.noun``, ``noun.exc``, ``index.sense``, …) as a `Dictionary`.

Formats: wndb(5WN), senseidx(5WN) and morphy(7WN), the manual pages of WordNet 3.0; 3.1 has the same.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from touchstone.core.errors import TouchstoneError
from touchstone.lexicon.dictionary import Dictionary, Entry, Key, Pointer, plain
from touchstone.lexicon.relation import PARTS_OF_SPEECH, POS_NAMES, Pos, Relation

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
        entries=[entry for pos in PARTS_OF_SPEECH for entry in _entries(folder / f"data.{POS_NAMES[pos]}")],
        senses=dict(pair for pos in PARTS_OF_SPEECH for pair in _senses(folder / f"index.{POS_NAMES[pos]}", pos)),
        counts=dict(_counts(folder / "index.sense")),
        exceptions={pos: dict(_exceptions(folder / f"{POS_NAMES[pos]}.exc")) for pos in PARTS_OF_SPEECH},
    )


def _entries(path: Path) -> Iterator[Entry]:
    for number, line in _records(path):
        try:
            yield _entry(line.partition("|")[0].split())
        except (ValueError, IndexError, KeyError):
            raise _unreadable(path, number, line) from None


def _entry(fields: list[str]) -> Entry:
    """Return the synset of a data line: offset, file, type, words with their ids, pointers."""
    offset, file, kind, width = int(fields[0]), int(fields[1]), fields[2], int(fields[3], 16)
    spelled = fields[4 : 4 + 2 * width : 2]
    start = 4 + 2 * width
    links = [fields[at : at + 4] for at in range(start + 1, start + 1 + 4 * int(fields[start]), 4)]
    return Entry(
        key=(_POS_OF_TYPE[kind], offset),
        satellite=kind == "s",
        file=file,
        words=[_MARKER.sub("", word).replace("_", " ") for word in spelled],
        markers=["".join(_MARKER.findall(word)) for word in spelled],
        pointers=[_pointer(*link) for link in links],
    )


def _pointer(symbol: str, offset: str, kind: str, words: str) -> Pointer:
    target = (_POS_OF_TYPE[kind], int(offset))
    return Pointer(_SYMBOLS[symbol], target, *divmod(int(words, 16), 256))


def _senses(path: Path, pos: Pos) -> Iterator[tuple[tuple[str, Pos], list[Key]]]:
    for number, line in _records(path):
        fields = line.split()
        try:
            offsets = [(pos, int(field)) for field in fields[-int(fields[2]) :]]
        except (ValueError, IndexError):
            raise _unreadable(path, number, line) from None
        yield (plain(fields[0]), pos), offsets


def _counts(path: Path) -> Iterator[tuple[tuple[str, Key], int]]:
    """Yield how often each sense was tagged; index.sense is complete, where cntlist.rev has outdated keys."""
    for number, line in _records(path):
        try:
            key, offset, _, count = line.split()
            lemma, _, rest = key.partition("%")
            if int(count):
                yield (plain(lemma), (_POS_OF_NUMBER[rest[0]], int(offset))), int(count)
        except (ValueError, IndexError, KeyError):
            raise _unreadable(path, number, line) from None


def _exceptions(path: Path) -> Iterator[tuple[str, list[str]]]:
    for number, line in _records(path):
        form, *bases = (plain(field) for field in line.split())
        if not bases:
            raise _unreadable(path, number, line)
        yield form, bases


def _records(path: Path) -> Iterator[tuple[int, str]]:
    """Yield number and text of every line that is neither blank nor part of the licence, which is indented."""
    for number, line in enumerate(_text(path).splitlines(), 1):
        if line.strip() and not line.startswith(" "):
            yield number, line


def _version(path: Path) -> str:
    found = _VERSION.search(_text(path)[:5000])
    if not found:
        raise TouchstoneError("no WordNet version in the first lines", file=str(path))
    return found[1]


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        hint = "a WordNet folder holds data.*, index.* and *.exc for noun, verb, adj, adv, and index.sense"
        raise TouchstoneError("no such file", file=str(path), hint=hint) from None
    except OSError as error:
        raise TouchstoneError(f"cannot be read ({error.strerror})", file=str(path)) from None
    except UnicodeDecodeError as error:
        raise TouchstoneError(f"not UTF-8 at byte {error.start:,}", file=str(path)) from None


def _unreadable(path: Path, number: int, line: str) -> TouchstoneError:
    return TouchstoneError("not a line of a WordNet dictionary", file=str(path), line=number, value=line)
