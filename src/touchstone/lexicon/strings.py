"""Many strings in one blob, found by their checksum: no dictionary is built, one or a million are looked up."""

import zlib
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from touchstone.base.ragged import Ints
from touchstone.lexicon.container import Array


def encoded(text: str) -> bytes:
    """Return *text* as bytes; half a surrogate pair is kept, since it can be asked for and never found."""
    return text.encode("utf-8", "surrogatepass")


def narrow(numbers: Iterable[int] | Array) -> Array:
    """Return *numbers*, none of them negative, in the smallest unsigned type that holds them all."""
    array = np.asarray(numbers if isinstance(numbers, np.ndarray) else list(numbers), np.int64)
    return array.astype(np.min_scalar_type(int(array.max(initial=0))))


class Strings:
    """Strings by number. Strings without an index (see `pack_strings`) can be read, not found.

    >>> few = Strings(pack_strings(["cat", "dog"], "pet", indexed=True), "pet")
    >>> len(few), few[1], few.find("dog"), few.find("cow"), few.find_all(["dog", "cow", "cat"]).tolist()
    (2, 'dog', 1, -1, [1, -1, 0])
    """

    def __init__(self, arrays: Mapping[str, Array], name: str) -> None:
        self._bytes = arrays[f"{name}_text"].data
        self._ends = arrays[f"{name}_ends"].data
        self._sums: npt.NDArray[np.uint32] = arrays.get(f"{name}_sums", np.empty(0, np.uint32))
        self._sums_view = self._sums.data
        self._ids = arrays.get(f"{name}_ids", np.empty(0, np.uint32)).data

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, number: int) -> str:
        return str(self._raw(number), "utf-8")

    def find(self, text: str) -> int:
        """Return the number of *text*, -1 where it is not there."""
        raw = encoded(text)
        total = zlib.crc32(raw)
        return self._find_from(bisect_left(self._sums_view, total), total, raw)

    def find_all(self, texts: Sequence[str]) -> Ints:
        """Return the number of each text, -1 where it is not there."""
        raws = [encoded(text) for text in texts]
        sums = np.fromiter(map(zlib.crc32, raws), np.uint32, len(raws))
        places = np.searchsorted(self._sums, sums).tolist()
        numbers = map(self._find_from, places, sums.tolist(), raws)
        return np.fromiter(numbers, np.int64, len(raws))

    def words(self) -> dict[str, int]:
        """Return the numbers of the strings without blanks, for strings that have no line breaks.

        >>> Strings(pack_strings(["cat", "hot dog"], "pet"), "pet").words()
        {'cat': 0}
        """
        ends = np.asarray(self._ends)[1:-1].astype(np.int64)
        # All strings are decoded at once: a line break goes in where each one ends.
        lines = np.insert(np.asarray(self._bytes), ends, ord("\n")).tobytes().decode()
        return {text: number for number, text in enumerate(lines.split("\n")) if " " not in text}

    def _find_from(self, position: int, total: int, raw: bytes) -> int:
        # Different strings may have one checksum: the bytes decide.
        while position < len(self._sums_view) and self._sums_view[position] == total:
            number: int = self._ids[position]
            if self._raw(number) == raw:
                return number
            position += 1
        return -1

    def _raw(self, number: int) -> memoryview:
        return self._bytes[self._ends[number] : self._ends[number + 1]]


def pack_strings(texts: Sequence[str], name: str, *, indexed: bool = False) -> dict[str, Array]:
    """Return the arrays that `Strings` reads; *indexed* adds what `find` needs."""
    raws = [encoded(text) for text in texts]
    ends = np.concatenate([[0], np.cumsum([len(raw) for raw in raws], dtype=np.int64)])
    arrays = {f"{name}_text": np.frombuffer(b"".join(raws), np.uint8), f"{name}_ends": narrow(ends)}
    if indexed:
        sums = np.fromiter(map(zlib.crc32, raws), np.uint32, len(raws))
        order = np.argsort(sums, kind="stable")
        arrays |= {f"{name}_sums": sums[order], f"{name}_ids": narrow(order)}
    return arrays
