"""Words of segments matched with words of their references: the same first, then by greatest total weight.

Stage **exact** links words of equal form and tag, left to right; such a link weighs what its words weigh. Of the others
those are linked that together weigh most, where a link weighs similarity times the mean of both words' weights. So the
weight of a matching is one number, whichever of several best matchings is found. In bulk for scores; one pair at a
time, with its links, for explanations.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from touchstone.core.errors import TouchstoneError
from touchstone.core.matching import Matching, match
from touchstone.core.ragged import Bools, Floats, Ints, Ragged, add_up
from touchstone.tasks.mt.blend_words import Types, Word, Words, information, similarities

EXACT = "exact"

_CELLS = 1 << 19
"""Pairs of words that are compared together: some megabytes at a time, however long a segment is."""


MOST_CELLS = 1 << 28
"""Pairs of unlike words of one segment that are held at once: two gigabytes, 16,000 words on either side."""


def match_words(left: Sequence[Word], right: Sequence[Word]) -> Matching:
    """Return the matching of two lists of words, its links weighted.

    >>> found = match_words([Word("cars", "NNS"), Word("the", "DT")], [Word("the", "DT"), Word("automobile", "NN")])
    >>> [(link.left, link.right, link.stage) for link in found.links]
    [(1, 0, 'exact'), (0, 1, 'similar')]
    """
    found = match(left, right, stages={EXACT: lambda word: word}, similarity=_weighted)
    links = (
        replace(link, weight=information(left[link.left].form)) if link.stage == EXACT else link for link in found.links
    )
    return replace(found, links=tuple(links))


def _weighted(left: Sequence[Word], right: Sequence[Word]) -> Floats:
    one, other = Types.of(left), Types.of(right)
    i, j = (places.ravel() for places in np.indices((len(left), len(right))))
    return _link_weights(one, other, i, j).reshape(len(left), len(right))


def _link_weights(left: Types, right: Types, i: Ints, j: Ints) -> Floats:
    return similarities(left, right, i, j) * (left.weight[i] + right.weight[j]) / 2


def matched_weights(left: Words, right: Words) -> Floats:
    """Return the weight of the matching of each segment with the same segment of the other side."""
    exact_left, exact_right = _exact(left, right)
    weights = add_up(left.places.row[exact_left], left.weights[exact_left], len(left.places))
    rest_left, rest_right = left.places.keep(~exact_left), right.places.keep(~exact_right)
    _check_sizes(rest_left, rest_right)
    matrices = _matrices(left.types, right.types, rest_left, rest_right)
    return np.asarray(weights + np.array([_heaviest(matrix) for matrix in matrices], np.float64))


def _check_sizes(left: "Ragged[np.int64]", right: "Ragged[np.int64]") -> None:
    cells = left.sizes * right.sizes
    if cells.max(initial=0) > MOST_CELLS:
        row = int(cells.argmax())
        what = f"segment {row + 1:,} has {left.sizes[row]:,} words to match with {right.sizes[row]:,}"
        raise TouchstoneError(what, hint="split it into shorter segments")


def _exact(left: Words, right: Words) -> tuple[Bools, Bools]:
    """Return which words of each side are paired by form and tag: the first ones, as many as both sides have."""
    codes = np.concatenate(
        [side.types.form[side.places.values] << 32 | side.types.tag[side.places.values] for side in (left, right)]
    )
    row = np.concatenate([left.places.row, right.places.row])
    on_right = np.arange(len(codes)) >= len(left.places.values)
    order = np.lexsort((on_right, codes, row))
    starts = np.ones(len(order), np.bool_)
    starts[1:] = (codes[order[1:]] != codes[order[:-1]]) | (row[order[1:]] != row[order[:-1]])
    run = np.cumsum(starts) - 1
    rights = np.bincount(run, on_right[order]).astype(np.int64)
    lefts = np.bincount(run).astype(np.int64) - rights
    place = np.arange(len(order)) - np.flatnonzero(starts)[run] - np.where(on_right[order], lefts[run], 0)
    paired = np.empty(len(order), np.bool_)
    paired[order] = place < np.minimum(lefts, rights)[run]
    return paired[~on_right], paired[on_right]


def _matrices(left: Types, right: Types, rows: "Ragged[np.int64]", columns: "Ragged[np.int64]") -> Iterator[Floats]:
    """Yield for each segment the weights of all links between its left words (rows) and right words (columns)."""
    widths = columns.sizes[rows.row]
    starts = columns.offsets[:-1][rows.row]
    weights = np.empty(int(widths.sum()))
    done = 0
    for part in _parts(widths):
        cells = Ragged.from_sizes(widths[part], np.empty(int(widths[part].sum()), np.int8))
        i = rows.values[part][cells.row]
        j = columns.values[starts[part][cells.row] + cells.place]
        weights[done : done + len(i)] = _link_weights(left, right, i, j)
        done += len(i)
    done = 0
    for height, width in zip(rows.sizes.tolist(), columns.sizes.tolist(), strict=True):
        yield weights[done : done + height * width].reshape(height, width)
        done += height * width


def _parts(widths: Ints) -> Iterator[slice]:
    """Yield rows that are compared together: as many as have about `_CELLS` cells, or one."""
    ends = np.cumsum(widths)
    start = 0
    while start < len(widths):
        stop = int(np.searchsorted(ends, ends[start] - widths[start] + _CELLS, side="right"))
        yield slice(start, max(stop, start + 1))
        start = max(stop, start + 1)


def _heaviest(weights: Floats) -> float:
    """Return the weight of the heaviest matching of rows with columns."""
    from scipy.optimize import linear_sum_assignment

    if not weights.any():
        return 0.0
    rows, columns = linear_sum_assignment(weights, maximize=True)
    return float(weights[rows, columns].sum())
