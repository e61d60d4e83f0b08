"""Pairs of systems that judges compared, as arrays: which of the two they prefer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from touchstone.core.errors import Fault, TouchstoneError, nearest
from touchstone.core.ragged import Bools, Floats, Ints
from touchstone.tasks.mt.judges.judgements import Judgements


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
    judge: Ints
    n_segments: int
    n_systems: int

    def __len__(self) -> int:
        return len(self.sign)

    @property
    def ties(self) -> int:
        """How many pairs judges rank equal."""
        return int((self.sign == 0).sum())

    def where(self, kept: Bools) -> "Preferences":
        """Return the pairs that *kept* flags."""
        return replace(
            self,
            segment=self.segment[kept],
            first=self.first[kept],
            second=self.second[kept],
            sign=self.sign[kept],
            judge=self.judge[kept],
        )


def preferences(
    judged: Judgements, group: str | None, systems: Sequence[str], segments: Sequence[str] | None = None
) -> Preferences:
    """Return all pairs of the ballots of a group, blanks left out; refuse unknown systems and segments.

    Parameters
    ----------
    judged
        The judgements.
    group
        The language pair; None where the judgements name none.
    systems, segments
        The systems and ids of the test set, in its order. Without *segments*, ids are line numbers.
    """
    entries = judged.of_group(group)
    columns, rows = _places(judged, entries, systems, segments)
    a, b = ballot_pairs(judged, entries)
    sign = np.sign(judged.goodness[a] - judged.goodness[b]).astype(np.int64)
    first, second, segment = columns[judged.system[a]], columns[judged.system[b]], rows[judged.segment[a]]
    n_segments = int(rows.max(initial=-1)) + 1 if segments is None else len(segments)
    return Preferences(segment, first, second, sign, judged.judge[a], n_segments, len(systems))


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


def _places(
    judged: Judgements, entries: Ints, systems: Sequence[str], segments: Sequence[str] | None
) -> tuple[Ints, Ints]:
    """Return, for each name of a system and each id of a segment in the file, its place in the test set."""
    faults = [*_unknown(judged, entries, judged.system, judged.systems, systems, "system")]
    if segments is None:
        faults += _not_lines(judged, entries)
    else:
        faults += _unknown(judged, entries, judged.segment, judged.segments, segments, "segment")
    if faults:
        hint = f"the systems are {', '.join(systems)}" if any("system" in fault.what for fault in faults) else None
        raise TouchstoneError.of(faults, hint=hint)
    known = {name: place for place, name in enumerate(systems)}
    columns = np.array([known.get(name, -1) for name in judged.systems], np.int64)
    if segments is None:
        return columns, np.array([int(name) - 1 if name.isdecimal() else -1 for name in judged.segments], np.int64)
    lines = {name: place for place, name in enumerate(segments)}
    return columns, np.array([lines.get(name, -1) for name in judged.segments], np.int64)


def _unknown(
    judged: Judgements, entries: Ints, codes: Ints, names: Sequence[str], known: Sequence[str], what: str
) -> Iterator[Fault]:
    """Yield a fault for each name that the test set does not have, at the first line that has it."""
    valid = set(known)
    for code in np.unique(codes[entries]).tolist():
        if names[code] not in valid:
            lines = judged.line[entries[codes[entries] == code]]
            near = nearest(names[code], known)
            text = f"unknown {what} in {len(lines):,} judgement{'s' * (len(lines) > 1)}"
            yield Fault(text, judged.source.name, int(lines.min()), names[code], near)


def _not_lines(judged: Judgements, entries: Ints) -> Iterator[Fault]:
    for code in np.unique(judged.segment[entries]).tolist():
        name = judged.segments[code]
        if not name.isdecimal() or name.startswith("0"):
            line = int(judged.line[entries[judged.segment[entries] == code]].min())
            yield Fault("not a line number", judged.source.name, line, name)


def check_scores(values: Floats, preferred: Preferences) -> None:
    """Refuse scores of a metric that are not segments x systems, or infinite."""
    if values.shape != (preferred.n_segments, preferred.n_systems):
        raise TouchstoneError(
            f"scores of shape {values.shape} for {preferred.n_segments:,} segments and {preferred.n_systems} systems",
            hint="give a row for each segment and a column for each system",
        )
    if np.isinf(values).any():
        raise TouchstoneError("a score is infinite", hint="give finite numbers, nan where a segment does not count")
