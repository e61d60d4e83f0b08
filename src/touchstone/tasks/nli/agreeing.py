"""How far readers agree, and how well one of them would do as a system: kappa, raw agreement, AC1, human performance.

Kappa is near 0 where one label rules, however well people agree; raw agreement and AC1 always stand beside it.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from touchstone import __version__
from touchstone.core.errors import TouchstoneError, nearest
from touchstone.core.gold import Gold
from touchstone.core.ragged import Floats, Ints
from touchstone.core.resampling import Resampling, interval_text
from touchstone.core.tables import Cell, Column, Table, number
from touchstone.stats.agreement import Agreement, Frame, agreements
from touchstone.stats.kappa import fleiss
from touchstone.tasks.nli.model import LABELS, Pair, PairSet
from touchstone.tasks.nli.scoring import BY_PREMISE

NAMES = ("kappa", *(f"kappa.{label}" for label in LABELS), "raw_agreement", "ac1", "human", "human_leave_one_out")

GROUPED_BY = ("category", "gold", "relation")

Found = Mapping[str, Agreement]


@dataclass(frozen=True, eq=False)
class ReaderAgreement:
    """The coefficients of all pairs, and those of each group of them."""

    overall: Found
    groups: Mapping[str, Found]
    readers: int
    signature: Mapping[str, str]
    notes: Sequence[str] = field(default=())

    def table(self) -> Table:
        """Return every coefficient of all pairs with its interval, and what it was computed from."""
        heads = ("value", "95% interval", "pairs", "labels")
        rows: list[list[Cell]] = [
            [name, found.value, interval_text(found.interval.low, found.interval.high), found.units, found.answers]
            for name, found in self.overall.items()
        ]
        notes = [f"{name}: undefined, {found.reason}" for name, found in self.overall.items() if found.reason]
        title = f"Agreement of {self.readers} readers on each pair"
        return Table([Column("coefficient"), *(Column(head, "right") for head in heads)], rows, title, notes)

    def groups_table(self) -> Table:
        """Return the coefficients of each group, a group to a row."""
        heads = ["pairs", *(_short(name) for name in NAMES)]
        rows: list[list[Cell]] = [
            [group, found["raw_agreement"].units, *(number(found[name].value) for name in NAMES)]
            for group, found in self.groups.items()
        ]
        note = "kappa is near zero or below where one label rules, although people agree"
        return Table([Column("group"), *(Column(head, "right") for head in heads)], rows, notes=[note])

    def to_json(self) -> str:
        """Return signature and coefficients as one JSON object; an undefined coefficient is absent."""
        every: list[tuple[str | None, Found]] = [(None, self.overall), *self.groups.items()]
        rows = [
            {"measure": name, "group": group, "value": one.value, "low": one.interval.low, "high": one.interval.high}
            | {"n": one.units}
            for group, found in every
            for name, one in found.items()
            if np.isfinite(one.value)
        ]
        return json.dumps({"signature": dict(self.signature), "results": rows}, ensure_ascii=False, indent=2)

    def __repr__(self) -> str:
        return self.table().to_text()


def agreement(pairs: PairSet, *, by: str | None = None, resampling: Resampling = BY_PREMISE) -> ReaderAgreement:
    """Return how far the readers of *pairs* agree, with intervals over premises.

    Fleiss' kappa (overall and of each label), raw agreement and Gwet's AC1 as in `touchstone.stats.kappa`; ``human``
    is the share of single labels that equal the gold, their own vote included; ``human_leave_one_out`` the share that
    equal the mode of the other readers, where they have one. All are over the pairs with the commonest number of
    labels, the last two over those of them that have gold; others are left out and counted.
    """
    read = [pair for pair in pairs.pairs if pair.annotators]
    if not read:
        hint = 'give pairs with "annotators" (SNLI: "annotator_labels"), or make them with nli verify'
        raise TouchstoneError("no pair has readers' labels", file=pairs.source.name, hint=hint)
    sizes = Counter(len(pair.annotators) for pair in read)
    readers = max((size for size in sizes if size > 1), key=lambda size: (sizes[size], size), default=0)
    kept = [pair for pair in read if len(pair.annotators) == readers]
    if not kept:
        raise TouchstoneError("no pair has the labels of two readers", file=pairs.source.name)
    left = len(pairs) - len(kept)
    groups = {name: _coefficients(members, resampling) for name, members in _grouped(kept, by).items()} if by else {}
    said = f"pairs left out, which do not have {readers} labels: {left:,}"
    signature = {
        "touchstone": __version__,
        "task": "nli agreement",
        "gold": str(pairs.source),
        "readers": str(readers),
        "intervals": f"{resampling}; numpy {np.__version__}",
    }
    return ReaderAgreement(
        _coefficients(kept, resampling), groups, readers, signature, [f"{pairs.source.stem}: {said}"] if left else []
    )


def _grouped(pairs: Sequence[Pair], by: str) -> dict[str, list[Pair]]:
    if by not in GROUPED_BY:
        hint = f"known: {', '.join(GROUPED_BY)}"
        raise TouchstoneError("pairs have no such field", value=by, near=nearest(by, GROUPED_BY), hint=hint)
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(getattr(pair, by) or "?", []).append(pair)
    return groups


def _coefficients(pairs: Sequence[Pair], resampling: Resampling) -> dict[str, Agreement]:
    if resampling.cluster not in (None, "premise"):
        raise TouchstoneError("agreement is resampled by premise or by pair", value=resampling.cluster)
    clusters = _premises(pairs) if resampling.cluster else None
    draws, seed, level = resampling.draws, resampling.seed, resampling.level
    labels = [pair.annotators for pair in pairs]
    kappas = fleiss(labels, labels=LABELS, unit="pair", clusters=clusters, draws=draws, seed=seed, level=level)
    human = {name: _share(name, pairs, count, clusters, resampling) for name, count in _SHARES.items()}
    return {name: (kappas | human)[name] for name in NAMES}


def _share(
    name: str, pairs: Sequence[Pair], count: Callable[[Pair], tuple[int, int]], clusters: Ints | None, how: Resampling
) -> Agreement:
    """Return the share of single labels that are right, over the pairs with gold; *count* gives right ones and all."""
    kept = np.array([pair.gold is not None for pair in pairs], np.bool_)
    records = np.array([count(pair) for pair in pairs if pair.gold], np.float64).reshape(-1, 2)
    frame = Frame("nominal", "pair", kept, int(records[:, 1].sum()))
    reasons = {name: "no label of a pair with gold can be held against it"}
    found = agreements(
        records, _right, reasons, frame, clusters=clusters, draws=how.draws, seed=how.seed, level=how.level
    )
    return found[name]


def _right(sums: Floats) -> Floats:
    return np.asarray(sums[..., :1] / sums[..., 1:])


def _premises(pairs: Sequence[Pair]) -> Ints:
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(pair.premise, len(numbers)) for pair in pairs], np.int64)


def _against_gold(pair: Pair) -> tuple[int, int]:
    """Return how many readers gave the gold label, and how many there are."""
    return sum(label == pair.gold for label in pair.annotators), len(pair.annotators)


def _against_others(pair: Pair) -> tuple[int, int]:
    """Return how many readers gave the mode of the others, and how many others have one."""
    counts: Counter[str] = Counter(pair.annotators)
    right = held = 0
    for label, times in counts.items():
        mode = Gold(counts - Counter([label])).mode
        right += times * (mode == label)
        held += times * (mode is not None)
    return right, held


_SHARES = {"human": _against_gold, "human_leave_one_out": _against_others}


def _short(name: str) -> str:
    label = name.partition(".")[2]
    return f"κ {label}" if label else name.replace("_", " ")
