"""Tables of paraphrases: read once, kept as an index that is mapped into memory.

Two forms are read, plain or packed with gzip (``.gz``). METEOR's has three lines to an entry: a probability and two
phrases. PPDB's has one, of fields parted by ``|||``: label, phrase, paraphrase, features and more. Phrases become
tokens as texts do.
"""

import hashlib
import os
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from touchstone.core.errors import TouchstoneError
from touchstone.core.ragged import Floats, Interner, Ints, Ragged
from touchstone.io.jsonl import Json
from touchstone.io.text import Source, read_text
from touchstone.io.writing import make_folder, replacing
from touchstone.lexicon.container import Array, Container, open_container, pack, unpack
from touchstone.lexicon.strings import Strings, pack_strings
from touchstone.tasks.mt.meteor.tokens import tokens
from touchstone.tasks.mt.words import has_letter

LONGEST = 7
"""How many tokens a phrase may have."""

METEOR, PPDB = "meteor", "ppdb"
_FORMAT = 1
_LINE = re.compile(r"[^\n]*\n?")
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
    state = _state(path)
    kept = _cache() / f"paraphrases-{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]}.index"
    try:
        container = open_container(kept)
        if state is not None and container.about["state"] == state:
            return container
    except TouchstoneError:
        pass  # not there yet, or damaged: it is made from the table
    text, source = read_text(path)
    packed = _packed(text, source, state)
    try:
        make_folder(kept.parent)
        with replacing(kept) as beside:
            beside.write_bytes(packed)
        return open_container(kept)
    except TouchstoneError:
        return unpack(packed)  # nowhere to keep it


def _state(path: Path) -> Json:
    """Return what tells whether a file is the one that was indexed."""
    try:
        found = path.stat()
    except OSError:
        return None
    return [_FORMAT, found.st_size, found.st_mtime_ns]


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "touchstone"


def _packed(text: str, source: Source, state: Json) -> bytes:
    """Return the index of a table as the bytes of a file."""
    form = PPDB if _PARTS in next(_lines(text))[1] else METEOR
    entries = _ppdb_entries(text, source.name) if form == PPDB else _meteor_entries(text, source.name)
    words, phrases, left, right, probabilities = _collected(entries)
    seed, hashes = _distinct_hashes(phrases)
    order = np.argsort(hashes)
    ordered = phrases.take(order)
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    arrays: dict[str, Array] = {
        **pack_strings(list(words), "word", indexed=True),
        "seed": np.array([seed], np.uint32),
        "hashes": hashes[order],
        "phrase_ends": ordered.offsets,
        "phrase_words": ordered.values.astype(np.uint32),
        **_pairs(number[left], number[right], probabilities, len(order)),
    }
    about: dict[str, Json] = {"name": Path(source.name).name, "digest": source.digest, "form": form, "state": state}
    return pack(arrays, about)


def _collected(entries: Iterator[Entry]) -> tuple[Interner, Ragged[np.int64], Ints, Ints, Floats]:
    """Return the words, the phrases, and of each entry of use the numbers of its two phrases and its probability.

    Of use are entries of two different phrases of at most `LONGEST` tokens with a letter or a digit.
    """
    words, phrases = Interner(), Interner()
    sizes, of_words = array("q"), array("q")
    sides, probabilities = (array("q"), array("q")), array("d")
    for probability, *both in entries:
        one, other = ([word for word in tokens(phrase) if has_letter(word)] for phrase in both)
        if one == other or not 0 < len(one) <= LONGEST or not 0 < len(other) <= LONGEST:
            continue
        probabilities.append(probability)
        for side, phrase in zip(sides, (one, other), strict=True):
            side.append(phrases[" ".join(phrase)])
            if len(phrases) > len(sizes):
                sizes.append(len(phrase))
                of_words.extend(words[word] for word in phrase)
    left, right = (np.frombuffer(side, np.int64) for side in sides)
    listed = Ragged.from_sizes(np.frombuffer(sizes, np.int64), np.frombuffer(of_words, np.int64))
    return words, listed, left, right, np.frombuffer(probabilities, np.float64)


def _pairs(left: Ints, right: Ints, probabilities: Floats, count: int) -> dict[str, Array]:
    """Return the pairs of phrases in both directions, sorted, each with its greatest probability."""
    sources, targets = np.append(left, right), np.append(right, left)
    both = np.append(probabilities, probabilities)
    order = np.lexsort((-both, targets, sources))
    sources, targets, both = sources[order], targets[order], both[order]
    first = np.ones(len(order), np.bool_)
    first[1:] = (np.diff(sources) != 0) | (np.diff(targets) != 0)
    sizes = np.bincount(sources[first], minlength=count)
    return {
        "pair_ends": Ragged.from_sizes(sizes, targets).offsets,
        "pair_phrases": targets[first].astype(np.uint32),
        "pair_probabilities": both[first],
    }


def _distinct_hashes(phrases: Ragged[np.int64]) -> tuple[int, Array]:
    """Return the first seed that gives every phrase a hash of its own, and the hashes."""
    for seed in range(1 << 16):
        hashes = _hashes(phrases, seed)
        if len(np.unique(hashes)) == len(hashes):
            return seed, hashes
    raise AssertionError("64 bits do not tell the phrases apart")


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


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank with their numbers, one at a time: a table may have many millions."""
    for number, found in enumerate(_LINE.finditer(text), 1):
        line = found[0].strip()
        if line:
            yield number, line


def _meteor_entries(text: str, file: str) -> Iterator[Entry]:
    lines = _lines(text)
    for number, probability in lines:
        if not _NUMBER.fullmatch(probability) or float(probability) > 1:
            hint = "an entry has three lines: a probability from 0 to 1, a phrase, a phrase"
            raise TouchstoneError("no probability", file=file, line=number, value=probability, hint=hint)
        one, other = next(lines, None), next(lines, None)
        if one is None or other is None:
            raise TouchstoneError("the last entry has no two phrases", file=file, line=number, value=probability)
        yield float(probability), one[1], other[1]


def _ppdb_entries(text: str, file: str) -> Iterator[Entry]:
    for number, line in _lines(text):
        fields = [field.strip() for field in line.split(_PARTS)]
        if len(fields) < 4 or not all(fields[:3]):
            hint = "an entry is: label ||| phrase ||| paraphrase ||| features"
            raise TouchstoneError("no entry of a table of paraphrases", file=file, line=number, value=line, hint=hint)
        if not _NON_TERMINAL.search(f"{fields[1]} {fields[2]}"):
            # PPDB parts "n't" from its verb as the Penn Treebank does; together they become the tokens of a text.
            yield 1.0, fields[1].replace(" n't", "n't"), fields[2].replace(" n't", "n't")
