"""Synonym rings: groups of words that can replace each other in one meaning, the usual ones first.

The rings of the package cover frequent words of English, in the everyday meanings that WordNet splits or misses.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from touchstone.io.checksums import check_shipped
from touchstone.io.text import lines, read_text

FILE = Path(__file__).with_name("shipped") / "rings.txt"
_FIRST = 4
"""Members at the beginning of a ring that count as the usual ones, the word itself included."""

Ring = tuple[str, ...]


@dataclass(frozen=True)
class Evidence:
    """What rings tell about a candidate for a word."""

    member: bool
    """Whether a ring has both."""
    first: bool
    """Whether it is among the first members of a ring that begins with the word."""
    twice: int
    """How many members of the word's rings share a ring with the candidate."""


class Rings:
    """The rings of each word, by part of speech.

    Parameters
    ----------
    members
        Rings with their part of speech.
    signature
        Where they came from.

    >>> rings = Rings([("n", ("match", "game", "contest")), ("n", ("contest", "fight"))], "made up")
    >>> rings.mates("match", "n"), rings.evidence("match", "n", "fight").twice
    (['game', 'contest'], 1)
    """

    def __init__(self, members: Sequence[tuple[str, Ring]], signature: str) -> None:
        self.signature = signature
        by_word: dict[tuple[str, str], list[Ring]] = {}
        for pos, ring in members:
            for word in ring:
                by_word.setdefault((word, pos), []).append(ring)
        self._rings: Mapping[tuple[str, str], list[Ring]] = by_word
        self._twice = lru_cache(maxsize=4096)(self._count_twice)

    def of(self, word: str, pos: str) -> Sequence[Ring]:
        """Return the rings that have a word."""
        return self._rings.get((word, pos), ())

    def mates(self, word: str, pos: str) -> list[str]:
        """Return the other members of the rings of a word, each once."""
        return list(dict.fromkeys(mate for ring in self.of(word, pos) for mate in ring if mate != word))

    def evidence(self, word: str, pos: str, candidate: str) -> Evidence:
        """Return what rings tell about a candidate for a word."""
        shared = [ring for ring in self.of(word, pos) if candidate in ring]
        first = any(ring[0] == word and candidate in ring[:_FIRST] for ring in shared)
        return Evidence(bool(shared), first, self._twice(word, pos)[candidate])

    def _count_twice(self, word: str, pos: str) -> Counter[str]:
        return Counter(further for mate in self.mates(word, pos) for further in self.mates(mate, pos))


@cache
def shipped_rings() -> Rings:
    """Return the rings that come with the package.

    >>> "game" in shipped_rings().mates("match", "n")
    True
    """
    text, source = read_text(FILE)
    check_shipped(FILE, source.digest)
    rows = (line.partition(": ") for _, line in lines(text) if not line.startswith("#"))
    return Rings([(pos, tuple(members.split(", "))) for pos, _, members in rows], str(source))
