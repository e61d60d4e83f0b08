"""The index of a table of paraphrases, built in parts on disk: the memory that it takes does not grow with the table.

Phrases are known by a hash of 64 bits, whose first bits say which part a phrase belongs to. Entries are read in blocks;
the phrases and the pairs of each block are appended to the files of their parts. Then each part is read, sorted and
written by itself: first its phrases, and the pairs that have one of them as target; then the pairs by their source.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from touchstone.base.ragged import Interner, Ragged
from touchstone.lexicon.container import Array
from touchstone.lexicon.strings import pack_strings

LONGEST = 7
"""How many tokens a phrase may have."""

BLOCK, BITS = 1 << 16, 6
"""Entries of a block, and the bits of a hash that say which part a phrase belongs to."""

PHRASE = np.dtype([("hash", "<u8"), ("size", "u1"), ("words", "<u4", (LONGEST,))])
PAIR = np.dtype([("source", "<u8"), ("target", "<u8"), ("probability", "<f8")])
LINK = np.dtype([("source", "<u8"), ("target", "<u4"), ("probability", "<f8")])
"""A pair whose target is known by its number."""

Entry = tuple[float, Sequence[str], Sequence[str]]
Hash = Callable[[Ragged[np.int64], int], Array]


class CollisionError(Exception):
    """Different phrases have the same hash: another seed is needed."""


def build(entries: Iterable[Entry], folder: Path, hashes: Hash, seed: int) -> dict[str, Array]:
    """Return the arrays of an index; large ones are files in a *folder*, mapped into memory.

    Parameters
    ----------
    entries
        For each pair of paraphrases its probability and the tokens of both.
    folder
        An empty folder for the files of the parts and of the arrays.
    hashes
        Gives the hash of each phrase under a seed.
    seed
        The seed of the hashes.
    """
    spill = _Spill(folder)
    words = Interner()
    stream = iter(entries)
    while block := list(islice(stream, BLOCK)):
        _spill_block(spill, block, words, lambda phrases: hashes(phrases, seed))
    starts = [0]
    for part in range(1 << BITS):
        starts.append(starts[-1] + _finish_phrases(spill, part, starts[-1]))
    for part in range(1 << BITS):
        _finish_pairs(spill, part, starts[part], starts[part + 1])
    return {
        **pack_strings(list(words), "word", indexed=True),
        "seed": np.array([seed], np.uint32),
        "hashes": spill.mapped("hashes", np.dtype("<u8")),
        "phrase_ends": spill.ends("phrase_sizes", "phrase_ends"),
        "phrase_words": spill.mapped("phrase_words", np.dtype("<u4")),
        "pair_ends": spill.ends("pair_sizes", "pair_ends"),
        "pair_phrases": spill.mapped("pair_phrases", np.dtype("<u4")),
        "pair_probabilities": spill.mapped("pair_probabilities", np.dtype("<f8")),
    }


@dataclass(frozen=True)
class _Spill:
    """Files of numbers in a folder."""

    folder: Path

    def add(self, name: str, numbers: Array) -> None:
        """Append numbers to a file."""
        with (self.folder / name).open("ab") as file:
            file.write(np.ascontiguousarray(numbers).data)

    def add_parts(self, name: str, records: Array, hashes: Array) -> None:
        """Append records to the files of their parts, which their *hashes* give."""
        parts = hashes >> np.uint64(64 - BITS)
        order = np.argsort(parts, kind="stable")
        ends = np.searchsorted(parts[order], np.arange((1 << BITS) + 1, dtype=np.uint64))
        records = records[order]
        for part in np.flatnonzero(np.diff(ends)).tolist():
            self.add(f"{name}-{part}", records[ends[part] : ends[part + 1]])

    def take(self, name: str, dtype: np.dtype[np.void]) -> Array:
        """Return the records of a file, and remove it."""
        path = self.folder / name
        if not path.exists():
            return np.zeros(0, dtype)
        records = np.fromfile(path, dtype)
        path.unlink()
        return records

    def mapped(self, name: str, dtype: "np.dtype[np.generic]") -> Array:
        """Return the numbers of a file, mapped into memory."""
        path = self.folder / name
        return np.memmap(path, dtype, "r") if path.exists() and path.stat().st_size else np.zeros(0, dtype)

    def ends(self, name: str, out: str) -> Array:
        """Return where lists of the sizes in a file end, 0 first."""
        total = 0
        self.add(out, np.zeros(1, np.int64))
        for sizes in self.blocks(name, np.dtype("<u4")):
            self.add(out, total + np.cumsum(sizes, dtype=np.int64))
            total += int(sizes.sum(dtype=np.int64))
        return self.mapped(out, np.dtype("<i8"))

    def blocks(self, name: str, dtype: "np.dtype[np.generic]") -> Iterator[Array]:
        """Yield the numbers of a file in blocks."""
        path = self.folder / name
        if path.exists():
            with path.open("rb") as file:
                while len(numbers := np.fromfile(file, dtype, BLOCK)):
                    yield numbers


def _spill_block(
    spill: _Spill, block: Sequence[Entry], words: Interner, hashes: Callable[[Ragged[np.int64]], Array]
) -> None:
    """Append the phrases of a block and its pairs, in both directions, to the files of their parts."""
    phrases = Ragged.of([[words[word] for word in side] for _, *both in block for side in both], np.int64)
    records = np.zeros(len(phrases), PHRASE)
    records["hash"], records["size"] = hashes(phrases), phrases.sizes
    records["words"][phrases.row, np.arange(len(phrases.values)) - phrases.offsets[phrases.row]] = phrases.values
    pairs = np.zeros(len(phrases), PAIR)
    pairs["source"] = records["hash"]
    # The phrases of an entry are neighbours: each is the other's paraphrase.
    pairs["target"] = records["hash"].reshape(-1, 2)[:, ::-1].reshape(-1)
    pairs["probability"] = np.repeat([probability for probability, *_ in block], 2)
    spill.add_parts("pairs", pairs, pairs["target"])
    distinct = _distinct(records)
    spill.add_parts("phrases", distinct, distinct["hash"])


def _distinct(records: Array) -> Array:
    """Return the phrases sorted by their hashes, each once."""
    records = records[np.argsort(records["hash"], kind="stable")]
    again = records["hash"][1:] == records["hash"][:-1]
    if (records[1:][again] != records[:-1][again]).any():
        raise CollisionError
    return records[np.concatenate([[True], ~again])] if len(records) else records


def _finish_phrases(spill: _Spill, part: int, start: int) -> int:
    """Write the phrases of a part, and its pairs with the number of their target; return how many phrases there are."""
    phrases = _distinct(spill.take(f"phrases-{part}", PHRASE))
    if not len(phrases):
        return 0
    spill.add("hashes", phrases["hash"])
    spill.add("phrase_sizes", phrases["size"].astype("<u4"))
    spill.add("phrase_words", phrases["words"][np.arange(LONGEST) < phrases["size"][:, None]])
    pairs = spill.take(f"pairs-{part}", PAIR)
    links = np.zeros(len(pairs), LINK)
    links["source"], links["probability"] = pairs["source"], pairs["probability"]
    links["target"] = start + np.searchsorted(phrases["hash"], pairs["target"])
    spill.add_parts("links", links, links["source"])
    return len(phrases)


def _finish_pairs(spill: _Spill, part: int, start: int, end: int) -> None:
    """Write the pairs of a part sorted by source and target, each with its greatest probability."""
    if start == end:
        return
    links = spill.take(f"links-{part}", LINK)
    hashes = np.fromfile(spill.folder / "hashes", "<u8", end - start, offset=8 * start)
    keys = np.searchsorted(hashes, links["source"]).astype(np.uint64) << np.uint64(32) | links["target"]
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    # The first key must differ from what is put before it: any other number would do.
    first = np.flatnonzero(np.diff(keys, prepend=keys[:1] + np.uint64(1)))
    sources = (keys[first] >> np.uint64(32)).astype(np.int64)
    spill.add("pair_sizes", np.bincount(sources, minlength=end - start).astype("<u4"))
    spill.add("pair_phrases", (keys[first] & np.uint64(0xFFFFFFFF)).astype("<u4"))
    spill.add("pair_probabilities", np.maximum.reduceat(links["probability"][order], first))
