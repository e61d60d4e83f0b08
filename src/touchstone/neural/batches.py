"""Sequences of unequal length, put together by length so that little is padded."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray


def by_length(sequences: Sequence[Sequence[int]], most: int) -> Iterator[tuple[list[int], NDArray[np.int64]]]:
    """Yield which sequences go together and their numbers, padded with 0; about *most* numbers at a time.

    >>> [(places, padded.tolist()) for places, padded in by_length([[7], [1, 2], [3, 4]], most=4)]
    [([1, 2], [[1, 2], [3, 4]]), ([0], [[7]])]
    """
    order = sorted(range(len(sequences)), key=lambda place: -len(sequences[place]))
    start = 0
    while start < len(order):
        width = max(1, len(sequences[order[start]]))
        places = order[start : start + max(1, most // width)]
        padded = np.zeros((len(places), width), np.int64)
        for row, place in enumerate(places):
            padded[row, : len(sequences[place])] = sequences[place]
        yield places, padded
        start += len(places)
