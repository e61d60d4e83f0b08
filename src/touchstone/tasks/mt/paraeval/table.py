"""Tables of paraphrases: read once, kept as an index that is mapped into memory.

Two forms are read, plain or packed with gzip (``.gz``). An entry of METEOR's form has three lines: a probability and
two phrases. One of PPDB's form has one line of fields with ``|||`` between them: label, phrase, paraphrase, features
and more. Phrases become tokens as texts do.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Ints, Ragged
from touchstone.io.jsonl import Json
from touchstone.io.text import LineStream
from touchstone.io.writing import make_folder
from touchstone.lexicon.container import Array, Container, open_container, write
from touchstone.lexicon.strings import Strings
from touchstone.tasks.mt.meteor.tokens import tokens
from touchstone.tasks.mt.paraeval.building import LONGEST, CollisionError, build
from touchstone.tasks.mt.words import has_letter
from touchstone.text.cache import cache_folder

METEOR, PPDB = "meteor", "ppdb"
_FORMAT = 2
_LOWERCASE_WORDS = re.compile(r"[a-z]+(?: [a-z]+)*")
_NUMBER = re.compile(r"[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?")
_NON_TERMINAL = re.compile(r"\[[^\s\[\],]+,[0-9]+\]")
_PARTS = "|||"

Entry = tuple[float, str, str]


@dataclass(frozen=True, eq=False)
class Table:
    """Phrases by number, and for each phrase those that it is a paraphrase of, in either direction."""

    container: Container
    min_prob: float = 0.0

    def __str__(self) -> str:
        about = self.container.about
        return f"{about['name']}#{str(about['digest'])[:12]}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the scores should know about the table."""
        clipped = int(str(self.container.about.get("clipped", 0)))
        return (f"{self}: probabilities above 1, which are taken as 1: {clipped:,}",) if clipped else ()

    @cached_property
    def words(self) -> Strings:
        """The words of all phrases."""
        return Strings(self.container.arrays, "word")

    def find(self, words: Ragged[np.int64]) -> Ints:
        """Return the number of each phrase, given as numbers of `words`; -1 where it is not in the table."""
        arrays = self.container.arrays
        hashes = arrays["hashes"]
        if not len(hashes):
            return np.full(len(words), -1)
        # A hash finds a candidate; only its words say that it is the phrase.
        candidates = np.minimum(np.searchsorted(hashes, _hashes(words, int(arrays["seed"][0]))), len(hashes) - 1)
        starts, sizes = arrays["phrase_ends"][candidates], words.sizes
        alike = (arrays["phrase_ends"][candidates + 1] - starts == sizes) & (sizes > 0)
        compared = words.keep(np.repeat(alike, sizes))
        at = np.arange(len(compared.values)) - compared.offsets[compared.row] + starts[compared.row]
        differing = np.bincount(compared.row[arrays["phrase_words"][at] != compared.values], minlength=len(words))
        return np.where(alike & (differing == 0), candidates, -1)

    def paraphrases(self, phrases: Ints, among: Ints) -> dict[int, set[int]]:
        """Return, for phrases that have any, their paraphrases with at least the least probability.

        Parameters
        ----------
        phrases
            The phrases, each once.
        among
            The paraphrases that are of use, such as those of a text: phrases may have very many others.
        """
        arrays = self.container.arrays
        first = arrays["pair_ends"][phrases].astype(np.int64)
        sizes = arrays["pair_ends"][phrases + 1].astype(np.int64) - first
        pairs = np.arange(sizes.sum()) + np.repeat(first - sizes.cumsum() + sizes, sizes)
        useful = np.isin(arrays["pair_phrases"][pairs], among)
        if self.min_prob:
            useful[useful] = arrays["pair_probabilities"][pairs[useful]] >= self.min_prob
        by_phrase: dict[int, set[int]] = {}
        targets = arrays["pair_phrases"][pairs[useful]].tolist()
        for source, target in zip(np.repeat(phrases, sizes)[useful].tolist(), targets, strict=True):
            by_phrase.setdefault(source, set()).add(target)
        return by_phrase


@lru_cache(4)
def open_table(path: Path, min_prob: float = 0.0) -> Table:
    """Return a table of paraphrases: its index where that is up to date, else it is read again and its index kept."""
    table = Table(_index(path), min_prob)
    if min_prob and table.container.about["form"] == PPDB:
        hint = "leave it out: the entries of PPDB have scores, not probabilities"
        what = "min_prob is for tables of METEOR's form"
        raise TouchstoneError(what, file=str(path), code=Code.OPTION_UNUSED, hint=hint)
    return table


def _index(path: Path) -> Container:
    state, index_file = _state(path), index_path(path)
    try:
        container = open_container(index_file) if index_file else None
        if container and state is not None and container.about["state"] == state:
            return container
    except TouchstoneError:
        pass  # not there yet, or damaged: it is made from the table
    with _scratch(index_file) as folder:
        made = Path(folder) / "index"
        _write(path, state, Path(folder), made)
        if index_file is not None:
            with suppress(OSError):  # nowhere to keep it
                made = made.replace(index_file)
        return open_container(made)  # mapped: it stays readable after the folder is removed


def _scratch(index_file: Path | None) -> "TemporaryDirectory[str]":
    """Return a folder to work in: beside the file to be kept, or where temporary files go."""
    try:
        if index_file is not None:
            make_folder(index_file.parent)
            return TemporaryDirectory(prefix=".paraphrases-", dir=index_file.parent, ignore_cleanup_errors=True)
    except (TouchstoneError, OSError):
        pass  # nowhere to keep it
    return TemporaryDirectory(ignore_cleanup_errors=True)


def index_path(path: Path) -> Path | None:
    """Return the file in which the index of a table is kept, beside the analyses; None if nothing is kept.

    It may be removed at any time.
    """
    folder = cache_folder()
    name = f"paraphrases-{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]}.index"
    return folder.parent / name if folder else None


def _state(path: Path) -> Json:
    """Return what tells whether a file is the one that was indexed."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return [_FORMAT, stat.st_size, stat.st_mtime_ns]


def _write(path: Path, state: Json, folder: Path, out: Path) -> None:
    """Write the index of a table to a file; *folder* is for the parts it is made from."""
    # Two phrases with one hash are very unlikely: then all are hashed anew.
    for seed in range(1 << 16):
        stream = LineStream(path)
        reader = _Reader(stream)
        inside = folder / str(seed)
        inside.mkdir()
        try:
            arrays = build(_useful(reader), inside, _hashes, seed)
        except CollisionError:
            continue
        about: dict[str, Json] = {
            "name": path.name,
            "digest": stream.source.digest,
            "form": reader.form,
            "state": state,
            "clipped": reader.clipped,
        }
        with out.open("wb") as file:
            write(file, arrays, about)
        return
    raise AssertionError("64 bits do not tell the phrases apart")


def _useful(entries: Iterable[Entry]) -> Iterator[tuple[float, list[str], list[str]]]:
    """Yield the entries of use: two different phrases of at most `LONGEST` tokens with a letter or a digit."""
    for probability, *both in entries:
        first, second = (_tokens(phrase) for phrase in both)
        if first != second and 0 < len(first) <= LONGEST and 0 < len(second) <= LONGEST:
            yield probability, first, second


def _tokens(phrase: str) -> list[str]:
    """Return the tokens of a phrase that have a letter or a digit; most phrases are plain words."""
    return (
        phrase.split() if _LOWERCASE_WORDS.fullmatch(phrase) else [word for word in tokens(phrase) if has_letter(word)]
    )


def _hashes(phrases: Ragged[np.int64], seed: int) -> Array:
    """Return a hash of 64 bits for each phrase of at most `LONGEST` words."""
    hashes = np.full(len(phrases), seed, np.uint64)
    starts, sizes = phrases.offsets[:-1], phrases.sizes
    for position in range(LONGEST):
        longer = np.flatnonzero(sizes > position)
        words = phrases.values[starts[longer] + position].astype(np.uint64)
        hashes[longer] = _mixed(hashes[longer] ^ _mixed(words + np.uint64(1)))
    return hashes


def _mixed(numbers: Array) -> Array:
    """Spread the bits of numbers (the finaliser of SplitMix64, Steele et al. 2014)."""
    numbers = (numbers ^ numbers >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9) + np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ numbers >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return np.asarray(numbers ^ numbers >> np.uint64(31))


@dataclass(eq=False)
class _Reader:
    """The entries of a table in either form, one at a time, and what was seen on the way."""

    stream: LineStream
    form: str = METEOR
    clipped: int = 0
    """How many probabilities are above 1, and taken as 1."""

    def __iter__(self) -> Iterator[Entry]:
        lines = ((number, line.strip()) for number, line in enumerate(self.stream, 1) if line.strip())
        first = next(lines, (0, ""))
        self.form = PPDB if _PARTS in first[1] else METEOR
        all_lines = chain([first], lines)
        return self._ppdb_entries(all_lines) if self.form == PPDB else self._meteor_entries(all_lines)

    def _meteor_entries(self, lines: Iterator[tuple[int, str]]) -> Iterator[Entry]:
        file = self.stream.source.name
        for number, text in lines:
            if not _NUMBER.fullmatch(text):
                hint = "an entry has three lines: a probability from 0 to 1, a phrase, a phrase"
                what = "no probability"
                raise TouchstoneError(what, file=file, line=number, value=text, code=Code.BAD_CELL, hint=hint)
            probability = float(text)
            if probability > 1:
                self.clipped, probability = self.clipped + 1, 1.0
            first, second = next(lines, None), next(lines, None)
            if first is None or second is None:
                what = "the last entry has no two phrases"
                raise TouchstoneError(what, file=file, line=number, value=text, code=Code.UNREADABLE)
            yield probability, first[1], second[1]

    def _ppdb_entries(self, lines: Iterator[tuple[int, str]]) -> Iterator[Entry]:
        file = self.stream.source.name
        for number, line in lines:
            fields = [field.strip() for field in line.split(_PARTS)]
            if len(fields) < 4 or not all(fields[:3]):
                what, hint = (
                    "no entry of a table of paraphrases",
                    "an entry is: label ||| phrase ||| paraphrase ||| features",
                )
                raise TouchstoneError(what, file=file, line=number, value=line, code=Code.BAD_CELL, hint=hint)
            if not _NON_TERMINAL.search(f"{fields[1]} {fields[2]}"):
                # PPDB parts "n't" from its verb as the Penn Treebank does; together they become the tokens of a text.
                yield 1.0, fields[1].replace(" n't", "n't"), fields[2].replace(" n't", "n't")
