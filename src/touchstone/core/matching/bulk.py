"""Matching of many pairs of lists at once: the lists hold numbers, the loops are compiled.

A measure says which items are equal (keys, stage by stage) and how similar any two are (a function of numbers, for
many pairs at once); it folds the links into its records. The compiled loops are in `kernel`; without numba those in
`plain` are used, which give the same totals.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType

import numpy as np
import numpy.typing as npt

from touchstone.base.codes import Code
from touchstone.base.compiling import is_compiled
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats, Ints, Ragged, add_up
from touchstone.core.matching import kernel, plain
from touchstone.core.matching.model import Link, Matching

Lists = Ragged[np.int64]
Bytes = npt.NDArray[np.uint8]
Cells = Bytes | Floats
"""A number for each left item with each right item, pair after pair, row by row."""

BulkSimilarity = Callable[[Lists, Lists], Cells]
"""Returns the cells of some pairs of lists: the similarity of left items (rows) to right items (columns)."""

SIMILAR = "similar"
"""The stage of links that similarity made."""

MOST_CELLS = 1 << 28
"""The most cells of one pair: two gigabytes, or 16,000 items on either side that have no equal."""

_CELLS = 1 << 20
"""Cells that are computed together: some megabytes at a time, however long the lists are."""

NONE = -1


@dataclass(frozen=True, eq=False)
class Matchings:
    """The matchings of many pairs of lists.

    Attributes
    ----------
    left, right
        The lists.
    partners
        For each left item the place of its right item in the list beside it, -1 for none.
    stages
        For each left item the number of the stage that linked it, -1 for none; the last stage is similarity.
    steps
        For each left item the weight of its link, in units of 1 / `scale` for links by similarity.
    names
        The names of the stages.
    scale
        The similarity that weighs 1.
    """

    left: Lists
    right: Lists
    partners: Ints
    stages: Ints
    steps: Floats
    names: tuple[str, ...]
    scale: float

    @property
    def totals(self) -> Floats:
        """The weight of the links of each pair (row) by stage (column)."""
        linked = self.stages != NONE
        group = self.left.row[linked] * len(self.names) + self.stages[linked]
        totals = add_up(group, self.steps[linked], len(self.left) * len(self.names)).reshape(-1, len(self.names))
        totals[:, -1] /= self.scale
        return totals

    def __getitem__(self, pair: int) -> Matching:
        """Return the matching of one pair, its links in the order of stages and left items."""
        first, last = self.left.offsets[pair : pair + 2].tolist()
        columns = (column[first:last].tolist() for column in (self.stages, self.partners, self.steps))
        links = sorted((stage, i, j, step) for i, (stage, j, step) in enumerate(zip(*columns, strict=True)) if j >= 0)
        soft = len(self.names) - 1
        return Matching(
            tuple(Link(i, j, step / self.scale if n == soft else step, self.names[n]) for n, i, j, step in links),
            int(last - first),
            int(self.right.sizes[pair]),
        )


def match_all(
    left: Lists,
    right: Lists,
    *,
    stages: Mapping[str, tuple[Ints, Ints]] | None = None,
    similarity: BulkSimilarity | None = None,
    scale: float = 1.0,
    compiled: bool = True,
) -> Matchings:
    """Match each list of *left* with the same list of *right*: stage by stage equal items, the rest by *similarity*.

    At a stage each left item, in order, takes the first free right item with an equal key; such a link weighs 1. The
    items without an equal are matched for the greatest total similarity. The result for a pair does not depend on
    the other pairs.

    Parameters
    ----------
    left, right
        Lists of items, given as numbers that *similarity* understands.
    stages
        For each stage, by name, the keys of all left items and of all right items: a number for each item, or a row
        of numbers.
    similarity
        Is called with lists of free items and returns their cells, from 0 to *scale*. Whole numbers
        of 8 bits make exact totals.
    scale
        The similarity that weighs 1.
    compiled
        Whether compiled loops are used where numba is installed; for a single pair it is not worth loading them.

    Examples
    --------
    >>> left, right = Ragged.of([[1, 5, 9], [4]], np.int64), Ragged.of([[6, 1], [4]], np.int64)
    >>> def near(rows, columns):
    ...     one, other = cells(rows, columns)
    ...     return np.where(abs(one - other) == 1, 0.5, 0.0)
    >>> found = match_all(left, right, stages={"same": (left.values, right.values)}, similarity=near)
    >>> found.totals.tolist(), found.partners.tolist()
    ([[1.0, 0.5], [1.0, 0.0]], [1, 0, -1, 0])
    """
    loops = kernel if compiled and is_compiled(kernel.assign) else plain
    partners, stage_of = np.full((2, len(left.values)), NONE, np.int64)
    steps, taken = np.zeros(len(left.values)), np.zeros(len(right.values), np.bool_)
    for stage, keys in enumerate((stages or {}).values()):
        left_keys, right_keys = (side[:, None] if side.ndim == 1 else side for side in keys)
        loops.link_equal(left.offsets, left_keys, right.offsets, right_keys, partners, taken)
        linked = (partners != NONE) & (stage_of == NONE)
        stage_of[linked], steps[linked] = stage, 1.0
    if similarity is not None:
        free_left, free_right = partners == NONE, ~taken
        rows, columns = left.keep(free_left), right.keep(free_right)
        chosen, weights = _match_similar(rows, columns, similarity, loops)
        linked = np.flatnonzero(free_left)[chosen != NONE]
        places = right.position[free_right][(columns.offsets[:-1][rows.row] + chosen)[chosen != NONE]]
        partners[linked], stage_of[linked], steps[linked] = places, len(stages or {}), weights[chosen != NONE]
    return Matchings(left, right, partners, stage_of, steps, (*(stages or {}), SIMILAR), scale)


def cells(rows: Lists, columns: Lists) -> tuple[Ints, Ints]:
    """Return the left item and the right item of every cell."""
    return np.repeat(rows.values, columns.sizes[rows.row]), columns.take(rows.row).values


def equal(rows: Lists, columns: Lists) -> Bytes:
    """Return 1 in the cells of equal numbers, else 0."""
    flags = _no_cells(rows, columns)
    kernel.equal_cells(rows.offsets, rows.values, columns.offsets, columns.values, flags)
    return flags


def related(rows: Lists, columns: Lists, table: "Ragged[np.int32]") -> Bytes:
    """Return 1 in the cells where row *left* of the table holds *right*, else 0; numbers beyond the table hold none."""
    flags = _no_cells(rows, columns)
    sides = (rows.offsets, rows.values, columns.offsets, columns.values)
    kernel.related_cells(*sides, table.offsets, table.values, flags)
    return flags


def _no_cells(rows: Lists, columns: Lists) -> Bytes:
    return np.zeros(int(rows.sizes @ columns.sizes), np.uint8)


def _match_similar(rows: Lists, columns: Lists, similarity: BulkSimilarity, loops: ModuleType) -> tuple[Ints, Floats]:
    """Return for each row the place of its column, -1 for none, and the weight of the link."""
    sizes = rows.sizes * columns.sizes
    if sizes.max(initial=0) > MOST_CELLS:
        pair = int(sizes.argmax())
        value = f"pair {pair + 1:,}: {rows.sizes[pair]:,} items beside {columns.sizes[pair]:,}"
        what = "two texts are too long to be matched"
        raise TouchstoneError(what, value=value, code=Code.TOO_LARGE, hint="split them into sentences")
    partners, weights = np.full(len(rows.values), NONE, np.int64), np.zeros(len(rows.values))
    for start, stop in _blocks(sizes):
        some, others = rows.part(slice(start, stop)), columns.part(slice(start, stop))
        similarities = _cells_in_pieces(some, others, similarity) if stop - start == 1 else similarity(some, others)
        chosen = loops.assign(some.offsets, others.offsets, similarities)
        here = slice(rows.offsets[start], rows.offsets[stop])
        partners[here] = chosen
        widths = others.sizes[some.row]
        cell = np.cumsum(widths) - widths + chosen
        weights[here][chosen != NONE] = similarities[cell[chosen != NONE]]
    return partners, weights


def _blocks(sizes: Ints) -> Iterator[tuple[int, int]]:
    """Yield where pairs that are matched together start and stop: about `_CELLS` cells, or one pair; none is empty."""
    ends = np.cumsum(sizes)
    start = 0
    while start < len(sizes):
        stop = max(int(np.searchsorted(ends, ends[start] - sizes[start] + _CELLS, side="right")), start + 1)
        if ends[stop - 1] > ends[start] - sizes[start]:
            yield start, stop
        start = stop


def _cells_in_pieces(rows: Lists, columns: Lists, similarity: BulkSimilarity) -> Cells:
    """Return the cells of one pair, a piece of about `_CELLS` after the other: what is made on the way stays small."""
    height = max(_CELLS // len(columns.values), 1)
    pieces = (rows.values[first : first + height] for first in range(0, len(rows.values), height))
    all_cells: Cells = np.empty(0)
    for piece_index, piece in enumerate(pieces):
        part = similarity(Ragged(np.array([0, len(piece)]), piece), columns)
        if piece_index == 0:
            all_cells = np.empty(len(rows.values) * len(columns.values), part.dtype)
        start = piece_index * height * len(columns.values)
        all_cells[start : start + len(part)] = part
    return all_cells
