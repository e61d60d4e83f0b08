"""A user's own thesaurus: lines of a word and its synonyms, or the MyThes format of office suites.

Plain text: ``word[.pos]: synonym, synonym`` or, as the Moby thesaurus, ``word,synonym,synonym``. MyThes: the encoding
in the first line, then entries ``word|number`` with that many lines ``(pos)|synonym|synonym``.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import Source, read_bytes
from touchstone.io.text import decode, lines

ANY = ""
"""The part of speech of an entry that names none: it holds for all."""

_POS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r", "n": "n", "v": "v", "a": "a", "r": "r"}
_MYTHES = re.compile(r"\A(?:\ufeff)?(?P<encoding>[A-Za-z]+[A-Za-z0-9_-]*)\r?\n[^\n]*\|[0-9]+\s")
_NOTE = re.compile(r"\s*\([^)]*\)")
_ENTRY = re.compile(r"(?P<word>[^:,]+?)(?:\.(?P<pos>[nvar]))?\s*[:,](?P<rest>.*)")


@dataclass(frozen=True)
class Thesaurus:
    """Synonyms by word and part of speech."""

    source: Source
    entries: Mapping[tuple[str, str], tuple[str, ...]]

    def synonyms(self, word: str, pos: str) -> tuple[str, ...]:
        """Return what it lists for a word of a part of speech, and for the word whatever its part of speech."""
        synonyms = (*self.entries.get((word, pos), ()), *self.entries.get((word, ANY), ()))
        return tuple(dict.fromkeys(synonyms))


def read_thesaurus(path: str | Path, encoding: str = "utf-8") -> Thesaurus:
    """Read a thesaurus; MyThes is recognised by its first two lines and names its own encoding."""
    raw, source = read_bytes(path)
    # Latin-1 decodes any bytes: the encoding is not known before the first line is read.
    opening = _MYTHES.match(raw[:200].decode("latin-1"))
    text = decode(raw, source.name, opening["encoding"] if opening else encoding)
    parsed = _mythes(text, source.name) if opening else _parse_lines(text, source.name)
    entries: dict[tuple[str, str], dict[str, None]] = {}
    for word, pos, synonyms in parsed:
        entries.setdefault((word, pos), {}).update(dict.fromkeys(synonyms))
    if not any(entries.values()):
        hint = "write lines like 'big: large'"
        raise TouchstoneError("a thesaurus without synonyms", file=source.name, code=Code.EMPTY, hint=hint)
    return Thesaurus(source, {key: tuple(words) for key, words in entries.items()})


def _parse_lines(text: str, file: str) -> Iterator[tuple[str, str, list[str]]]:
    for number, line in lines(text):
        match = _ENTRY.fullmatch(line.strip())
        if not match:
            raise TouchstoneError("not a word and its synonyms", file=file, line=number, value=line, code=Code.BAD_CELL)
        yield _clean(match["word"]), match["pos"] or ANY, _cleaned(match["rest"].split(","))


def _mythes(text: str, file: str) -> Iterator[tuple[str, str, list[str]]]:
    rows = lines(text)
    # The first line names the encoding.
    next(rows)
    for number, line in rows:
        word, _, count = line.rpartition("|")
        if not word or not count.strip().isdigit():
            raise TouchstoneError("not an entry 'word|number'", file=file, line=number, value=line, code=Code.BAD_CELL)
        for _ in range(int(count)):
            meaning_line, meaning = next(rows, (number, None))
            if meaning is None:
                what = "the file ends inside an entry"
                raise TouchstoneError(what, file=file, line=meaning_line, value=word, code=Code.UNREADABLE)
            pos, *synonyms = meaning.split("|")
            yield _clean(word), _POS.get(pos.strip().strip("()"), ANY), _cleaned(synonyms)


def _cleaned(words: list[str]) -> list[str]:
    """Return the words without the notes behind them, ``(generic term)``; an antonym is no synonym."""
    return [clean for word in words if "(antonym)" not in word and (clean := _clean(_NOTE.sub("", word)))]


def _clean(word: str) -> str:
    return " ".join(word.replace("_", " ").lower().split())
