"""Tables of paraphrases: read once, kept as an index that is mapped into memory.

Two forms are read, plain or packed with gzip (``.gz``). METEOR's has three lines to an entry: a probability and two
phrases. PPDB's has one, of fields parted by ``|||``: label, phrase, paraphrase, features and more. Phrases become
tokens as texts do.
"""

import hashlib
import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt

from touchstone.core.errors import TouchstoneError
from touchstone.core.ragged import Floats, Interner, Ints, Ragged
from touchstone.io.jsonl import Json
from touchstone.io.text import LineStream
from touchstone.io.writing import make_folder, replacing
from touchstone.lexicon.container import Array, Container, open_container, pack, unpack, write
from touchstone.lexicon.strings import Strings, pack_strings
from touchstone.tasks.mt.meteor.tokens import tokens
from touchstone.tasks.mt.words import has_letter
from touchstone.text.cache import cache_folder

LONGEST = 7
"""How many tokens a phrase may have."""

METEOR, PPDB = "meteor", "ppdb"
_FORMAT = 2
_PLAIN = re.compile(r"[a-z]+(?: [a-z]+)*")
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
        """What a reader of the scores should know of the table."""
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
        place = np.minimum(np.searchsorted(hashes, _hashes(words, int(arrays["seed"][0]))), len(hashes) - 1)
        ends = arrays["phrase_ends"].astype(np.int64)
        found = Ragged(ends, arrays["phrase_words"]).take(place)
        alike = np.where(found.sizes == words.sizes, place, -1)
        same = Ragged(ends, arrays["phrase_words"]).take(alike)
        of_same = words.keep(np.repeat(alike >= 0, words.sizes))
        differing = np.bincount(same.row[same.values != of_same.values], minlength=len(words))
        return np.where((alike >= 0) & (differing == 0), place, -1)

    def paraphrases(self, phrase: int) -> frozenset[int]:
        """Return the phrases that a phrase is a paraphrase of with at least the least probability."""
        known = self._paraphrases
        if phrase not in known:
            first, last = self.container.arrays["pair_ends"][phrase : phrase + 2]
            likely = self.container.arrays["pair_probabilities"][first:last] >= self.min_prob
            known[phrase] = frozenset(self.container.arrays["pair_phrases"][first:last][likely].tolist())
        return known[phrase]

    @cached_property
    def _paraphrases(self) -> dict[int, frozenset[int]]:
        return {}


@lru_cache(4)
def open_table(path: Path, min_prob: float = 0.0) -> Table:
    """Return a table of paraphrases: its index where that is up to date, else read anew and kept."""
    table = Table(_index(path), min_prob)
    if min_prob and table.container.about["form"] == PPDB:
        hint = "leave it out: the entries of PPDB have scores, not probabilities"
        raise TouchstoneError("min_prob is for tables of METEOR's form", file=str(path), hint=hint)
    return table


def _index(path: Path) -> Container:
    state, kept = _state(path), index_path(path)
    try:
        container = open_container(kept) if kept else None
        if container and state is not None and container.about["state"] == state:
            return container
    except TouchstoneError:
        pass  # not there yet, or damaged: it is made from the table
    arrays, about = _packed(path, state)
    if kept is None:
        return unpack(pack(arrays, about))
    try:
        make_folder(kept.parent)
        with replacing(kept) as beside, beside.open("wb") as file:
            write(file, arrays, about)
        return open_container(kept)
    except (TouchstoneError, OSError):
        return unpack(pack(arrays, about))  # nowhere to keep it


def index_path(path: Path) -> Path | None:
    """Return the file in which the index of a table is kept, beside the analyses; None where nothing is kept.

    It may be removed at any time.
    """
    folder = cache_folder()
    name = f"paraphrases-{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]}.index"
    return folder.parent / name if folder else None


def _state(path: Path) -> Json:
    """Return what tells whether a file is the one that was indexed."""
    try:
        found = path.stat()
    except OSError:
        return None
    return [_FORMAT, found.st_size, found.st_mtime_ns]


def _packed(path: Path, state: Json) -> tuple[dict[str, Array], dict[str, Json]]:
    """Return the arrays of the index of a table, and what is said about it.

    The table is read line by line, and what is held of an entry are numbers: some 100 bytes each at the peak.
    """
    stream = LineStream(path)
    reader = _Reader(stream)
    phrases = _collected(reader)
    seed, distinct, first, number = _told_apart(phrases)
    listed, words, probabilities = phrases.lists(first), list(phrases.words), np.frombuffer(phrases.probabilities)
    del phrases, first
    arrays: dict[str, Array] = {
        **pack_strings(words, "word", indexed=True),
        "seed": np.array([seed], np.uint32),
        "hashes": distinct,
        "phrase_ends": listed.offsets,
        "phrase_words": listed.values.astype(np.uint32),
        **_pairs(number, probabilities, len(distinct)),
    }
    about: dict[str, Json] = {
        "name": path.name,
        "digest": stream.source.digest,
        "form": reader.form,
        "state": state,
        "clipped": reader.clipped,
    }
    return arrays, about


@dataclass(eq=False)
class _Phrases:
    """The two phrases of each entry of use, one after the other: numbers of words, sizes; and its probability."""

    words: Interner = field(default_factory=Interner)
    flat: "array[int]" = field(default_factory=lambda: array("I"))
    sizes: "array[int]" = field(default_factory=lambda: array("B"))
    probabilities: "array[float]" = field(default_factory=lambda: array("d"))

    @cached_property
    def ends(self) -> "npt.NDArray[np.uint32]":
        """Where the phrases end among the words."""
        ends = np.zeros(len(self.sizes) + 1, np.uint32)
        np.cumsum(np.frombuffer(self.sizes, np.uint8), dtype=np.uint32, out=ends[1:])
        return ends

    def lists(self, places: Ints | slice) -> "Ragged[np.int64]":
        """Return some of the phrases."""
        begin, sizes = self.ends[:-1][places].astype(np.int64), np.frombuffer(self.sizes, np.uint8)[places]
        offsets = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        at = np.repeat(begin - offsets[:-1], sizes) + np.arange(offsets[-1])
        return Ragged(offsets, np.frombuffer(self.flat, np.uint32)[at].astype(np.int64))


def _collected(entries: Iterable[Entry]) -> _Phrases:
    """Return the entries of use: two different phrases of at most `LONGEST` tokens with a letter or a digit."""
    phrases = _Phrases()
    for probability, *both in entries:
        one, other = (_tokens(phrase) for phrase in both)
        if one == other or not 0 < len(one) <= LONGEST or not 0 < len(other) <= LONGEST:
            continue
        phrases.probabilities.append(probability)
        for side in (one, other):
            phrases.sizes.append(len(side))
            phrases.flat.extend([phrases.words[word] for word in side])
    return phrases


def _tokens(phrase: str) -> list[str]:
    """Return the tokens of a phrase that have a letter or a digit; most phrases are plain words."""
    return phrase.split() if _PLAIN.fullmatch(phrase) else [word for word in tokens(phrase) if has_letter(word)]


def _pairs(number: "npt.NDArray[np.uint32]", probabilities: Floats, count: int) -> dict[str, Array]:
    """Return the pairs of phrases in both directions, sorted, each with its greatest probability.

    Pairs are sorted in parts, by their first phrase, so that the memory for sorting does not grow with the table.
    """
    sides = number[::2], number[1::2]
    sizes, targets, best = np.zeros(count, np.int64), [np.zeros(0, np.uint32)], [np.zeros(0)]
    step = max(1, -(-count * _BLOCK // max(len(number), 1)))
    for low in range(0, count, step):
        rows = [np.flatnonzero((side >= low) & (side < low + step)) for side in sides]
        source, target = (np.concatenate([one[rows[0]], other[rows[1]]]) for one, other in (sides, sides[::-1]))
        keys = source.astype(np.uint64) << np.uint64(32) | target
        order = np.argsort(keys, kind="stable")
        keys, chances = keys[order], probabilities[np.concatenate(rows)[order]]
        starts = np.flatnonzero(np.diff(keys, prepend=keys[:1] + np.uint64(1)))
        if len(starts):
            best.append(np.maximum.reduceat(chances, starts))
            targets.append((keys[starts] & np.uint64(0xFFFFFFFF)).astype(np.uint32))
            sizes += np.bincount((keys[starts] >> np.uint64(32)).astype(np.int64), minlength=count)
    return {
        "pair_ends": np.concatenate([[0], np.cumsum(sizes)]),
        "pair_phrases": np.concatenate(targets),
        "pair_probabilities": np.concatenate(best),
    }


def _told_apart(phrases: _Phrases) -> tuple[int, Array, Ints, "npt.NDArray[np.uint32]"]:
    """Return the first seed under which different phrases have different hashes; and by that seed the hashes.

    With these come the place of the first phrase of each hash, and the number of the hash of each phrase.
    """
    size = len(phrases.sizes)
    blocks = [slice(at, min(at + _BLOCK, size)) for at in range(0, size, _BLOCK)]
    for seed in range(1 << 16):
        hashes = np.concatenate([np.zeros(0, np.uint64), *(_hashes(phrases.lists(one), seed) for one in blocks)])
        distinct = np.unique(hashes)
        first, number = np.zeros(len(distinct), np.int64), np.zeros(size, np.uint32)
        for one in reversed(blocks):  # of several places the last that is written stays: the first of all
            number[one] = np.searchsorted(distinct, hashes[one])
            first[number[one][::-1]] = np.arange(one.start, one.stop)[::-1]
        if all(_same(phrases, one, first[number[one]]) for one in blocks):
            return seed, distinct, first, number
    raise AssertionError("64 bits do not tell the phrases apart")


def _same(phrases: _Phrases, block: slice, first: Ints) -> bool:
    """Return whether the phrases of a block are those at the places of *first*."""
    one, other = phrases.lists(block), phrases.lists(first)
    return np.array_equal(one.offsets, other.offsets) and np.array_equal(one.values, other.values)


_BLOCK = 1 << 19
"""Phrases that are hashed at a time."""


def _hashes(phrases: Ragged[np.int64], seed: int) -> Array:
    """Return a hash of 64 bits for each phrase of at most `LONGEST` words."""
    hashes = np.full(len(phrases), seed, np.uint64)
    starts, sizes = phrases.offsets[:-1], phrases.sizes
    for place in range(LONGEST):
        longer = np.flatnonzero(sizes > place)
        words = phrases.values[starts[longer] + place].astype(np.uint64)
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
        whole = chain([first], lines)
        return self._ppdb_entries(whole) if self.form == PPDB else self._meteor_entries(whole)

    def _meteor_entries(self, lines: Iterator[tuple[int, str]]) -> Iterator[Entry]:
        file = self.stream.source.name
        for number, text in lines:
            if not _NUMBER.fullmatch(text):
                hint = "an entry has three lines: a probability from 0 to 1, a phrase, a phrase"
                raise TouchstoneError("no probability", file=file, line=number, value=text, hint=hint)
            probability = float(text)
            if probability > 1:
                self.clipped, probability = self.clipped + 1, 1.0
            one, other = next(lines, None), next(lines, None)
            if one is None or other is None:
                raise TouchstoneError("the last entry has no two phrases", file=file, line=number, value=text)
            yield probability, one[1], other[1]

    def _ppdb_entries(self, lines: Iterator[tuple[int, str]]) -> Iterator[Entry]:
        file = self.stream.source.name
        for number, line in lines:
            fields = [field.strip() for field in line.split(_PARTS)]
            if len(fields) < 4 or not all(fields[:3]):
                what, hint = (
                    "no entry of a table of paraphrases",
                    "an entry is: label ||| phrase ||| paraphrase ||| features",
                )
                raise TouchstoneError(what, file=file, line=number, value=line, hint=hint)
            if not _NON_TERMINAL.search(f"{fields[1]} {fields[2]}"):
                # PPDB parts "n't" from its verb as the Penn Treebank does; together they become the tokens of a text.
                yield 1.0, fields[1].replace(" n't", "n't"), fields[2].replace(" n't", "n't")
