"""Pairs of systems that judges compared, as arrays: which of the two they prefer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, closest, nearest
from touchstone.base.ragged import Floats, Ints
from touchstone.base.spelling import setting
from touchstone.tasks.mt.judges.judgements import Judgements, places_in

TIE = 1e-12
"""Values that differ by no more are equal: sums of the same numbers in another order differ by less."""


@dataclass(frozen=True, eq=False)
class Preferences:
    """The preferences of judges in one group: a row for each pair of systems on a ballot.

    *segment*, *first* and *second* are places in the test set and in its list of systems; *sign* is 1 where the
    first system is better, -1 where the second is, 0 where they are equal.
    """

    segment: Ints
    first: Ints
    second: Ints
    sign: Ints
    n_segments: int
    n_systems: int

    def __len__(self) -> int:
        return len(self.sign)


def preferences(
    judged: Judgements,
    group: str | None,
    systems: Sequence[str],
    segments: Sequence[str],
    without: Sequence[str] = (),
) -> Preferences:
    """Return all pairs of the ballots of a group, blanks left out; refuse unknown systems and segments.

    Parameters
    ----------
    judged
        The judgements.
    group
        The language pair; None if the judgements name none.
    systems, segments
        The systems and ids of the test set, in its order.
    without
        Judged systems that the test set need not have: a reference, or one that is left out.
    """
    check_names(judged, group, [*systems, *without], segments)
    a, b = ballot_pairs(judged, judged.of_group(group))
    sign = np.sign(judged.goodness[a] - judged.goodness[b]).astype(np.int64)
    columns, rows = places_in(systems, judged.systems), places_in(segments, judged.segments)
    first, second, segment = columns[judged.system[a]], columns[judged.system[b]], rows[judged.segment[a]]
    in_test_set = (first >= 0) & (second >= 0)
    return Preferences(
        segment[in_test_set], first[in_test_set], second[in_test_set], sign[in_test_set], len(segments), len(systems)
    )


def mean_preferences(cells: Floats) -> Preferences:
    """Return all pairs of translations of a segment, by what judges give them on average (`cell_means`).

    >>> mean_preferences(np.array([[2.0, np.nan, 3.0]])).sign.tolist()
    [-1]
    """
    rows, columns = np.nonzero(~np.isnan(cells))
    a, b = _pairs_within(rows)
    values = cells[rows, columns]
    gap = values[a] - values[b]
    sign = np.sign(np.where(np.abs(gap) <= TIE, 0.0, gap)).astype(np.int64)
    return Preferences(rows[a], columns[a], columns[b], sign, *cells.shape)


def check_names(judged: Judgements, group: str | None, systems: Sequence[str], segments: Sequence[str]) -> None:
    """Refuse judgements of systems and segments that the test set does not have."""
    entries = judged.of_group(group)
    faults = [*_unknown(judged, entries, judged.system, judged.systems, systems, "system")]
    hint = None
    if faults:
        system = str(faults[0].value)
        without = setting("exclude-system", system, python=f'settings=Settings(without=("{system}",))')
        hint = f"the systems are {', '.join(systems)}; leave out judgements of a system with {without}"
    faults += _unknown(judged, entries, judged.segment, judged.segments, segments, "segment")
    if faults:
        raise TouchstoneError.of(faults, hint)


def ballot_pairs(judged: Judgements, entries: Ints) -> tuple[Ints, Ints]:
    """Return all pairs of *entries* that are on the same ballot and not blank."""
    placed = entries[~np.isnan(judged.value[entries])]
    order = placed[np.argsort(judged.ballot[placed], kind="stable")]
    a, b = _pairs_within(judged.ballot[order])
    return order[a], order[b]


def _pairs_within(ballots: Ints) -> tuple[Ints, Ints]:
    """Return the places of all pairs with the same label, where equal labels are adjacent."""
    pairs: list[tuple[Ints, Ints]] = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    starts, sizes = np.unique(ballots, return_index=True, return_counts=True)[1:]
    for size in np.unique(sizes).tolist():
        left, right = np.triu_indices(size, 1)
        start = starts[sizes == size][:, None]
        pairs.append(((start + left).ravel(), (start + right).ravel()))
    a, b = (np.concatenate(side) for side in zip(*pairs, strict=True))
    order = np.lexsort([b, a])
    return a[order], b[order]


def _unknown(
    judged: Judgements, entries: Ints, codes: Ints, names: Sequence[str], test_set_names: Sequence[str], what: str
) -> Iterator[Fault]:
    """Yield a fault for each name that the test set does not have, at the first line that has it."""
    places = places_in(test_set_names, names)
    for code in np.unique(codes[entries]).tolist():
        if places[code] < 0:
            lines = judged.line[entries[codes[entries] == code]]
            find, kind = (closest, Code.UNKNOWN_NAME) if what == "system" else (nearest, Code.UNKNOWN_ID)
            text = f"unknown {what} in {len(lines):,} judgement{'s' * (len(lines) > 1)}"
            near = find(names[code], test_set_names)
            yield Fault(text, judged.source.name, int(lines.min()), names[code], near, code=kind)
