"""N-grams of many pairs of sequences, matched by equality: what a segment has in common with its reference.

Sequences are rows of whole numbers: characters, or codes of tags. Where only equal items are linked, the weight of a
matching is the number of n-grams that both sides have, counted as often as both have them; sorted keys find it faster
than `touchstone.core.matching`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import numpy.typing as npt

from touchstone.base.ragged import Floats, Ints, Ragged

Codes = npt.NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""2**64 over the golden ratio, made odd: the multiplier of Knuth (TAOCP 3, 6.4) that spreads numbers best."""

_BITS = 38
"""Bits of a key for the n-gram; the others are for segment and order.

Two different n-grams of a segment have the same key with a probability of about 1 in 10**11.
"""


@dataclass(frozen=True)
class Grams:
    """The n-grams of each segment for n = 1 … orders: sorted keys, how often each occurs, and the lengths."""

    keys: Codes
    counts: Ints
    lengths: Ints
    orders: int

    @classmethod
    def of(cls, sequences: "Ragged[np.uint64]", orders: int) -> "Grams":
        """Return the n-grams of *sequences*, counted."""
        keys = [_keys(sequences, n, orders) for n in range(1, orders + 1)]
        distinct, counts = np.unique(np.concatenate(keys), return_counts=True)
        return cls(distinct, counts.astype(np.int64), sequences.sizes, orders)

    @property
    def totals(self) -> Ints:
        """How many n-grams each segment (row) has of each order (column)."""
        return np.asarray(np.maximum(self.lengths[:, None] - np.arange(self.orders), 0))

    def common(self, other: "Grams") -> Ints:
        """Return how many n-grams each segment has in common with the same segment of *other*, order by order.

        >>> left, right = (Grams.of(Ragged.of([row], np.uint64), 2) for row in ([1, 2, 1, 2], [1, 2, 3]))
        >>> left.common(right).tolist(), left.totals.tolist()
        ([[2, 1]], [[4, 3]])
        """
        if not len(self.keys) or not len(other.keys):
            return np.zeros((len(self.lengths), self.orders), np.int64)
        candidates = np.minimum(np.searchsorted(other.keys, self.keys), len(other.keys) - 1)
        both = other.keys[candidates] == self.keys
        least = np.minimum(self.counts[both], other.counts[candidates[both]])
        cells = (self.keys[both] >> np.uint64(_BITS)).astype(np.int64)
        sums = np.bincount(cells, least, minlength=len(self.lengths) * self.orders)
        return sums.astype(np.int64).reshape(-1, self.orders)


def _keys(sequences: "Ragged[np.uint64]", n: int, orders: int) -> Codes:
    """Return a key for each n-gram: segment, order, and a polynomial of its numbers modulo 2**64."""
    values, row = sequences.values, sequences.row
    starts = max(len(values) - n + 1, 0)
    mixed = np.zeros(starts, np.uint64)
    for offset in range(n):
        mixed = (mixed + values[offset : offset + starts] + np.uint64(1)) * _GOLDEN
    inside = row[:starts] == row[n - 1 :][:starts]
    cell = (row[:starts][inside] * orders + n - 1).astype(np.uint64)
    return np.asarray(cell << np.uint64(_BITS) | mixed[inside] >> np.uint64(64 - _BITS), np.uint64)


def mean_f(left: Grams, right: Grams) -> Floats:
    """Return the mean over orders of F = m / ((s + r) / 2); orders that neither side has are left out.

    A segment without any n-gram on either side scores 1: nothing was to be found, and nothing was added.

    >>> left, right = (Grams.of(Ragged.of([row], np.uint64), 2) for row in ([1, 2, 1, 2], [1, 2, 3]))
    >>> mean_f(left, right).item() == (2 / 3.5 + 1 / 2.5) / 2
    True
    """
    below = (left.totals + right.totals) / 2
    shares = np.divide(left.common(right), below, out=np.zeros_like(below), where=below > 0)
    orders = (below > 0).sum(axis=1)
    return np.where(orders > 0, shares.sum(axis=1) / np.maximum(orders, 1), 1.0)


def characters(texts: Sequence[str]) -> "Ragged[np.uint64]":
    """Return the characters of each text with a blank before and after it, so that all words begin and end alike.

    >>> characters(["ab"]).values.tolist()
    [32, 97, 98, 32]
    """
    framed = [f" {text} " for text in texts]
    raw = "".join(framed).encode("utf-32-le", "surrogatepass")
    return Ragged.from_sizes(
        np.array([len(text) for text in framed], np.int64), np.frombuffer(raw, "<u4").astype(np.uint64)
    )


def code(text: str) -> int:
    """Return a number for a short string, the same in every process."""
    return crc32(text.encode("utf-8", "surrogatepass"))
