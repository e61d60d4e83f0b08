"""How far readers agree, and how well one of them would do as a system: kappa, raw agreement, AC1, human performance.

Kappa is near 0 where one label dominates, however well people agree; so raw agreement and AC1 are always shown with it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from touchstone import __version__
from touchstone.core.errors import TouchstoneError, nearest
from touchstone.core.gold import Gold
from touchstone.core.ragged import Floats, Ints
from touchstone.core.resampling import Resampling, interval_text
from touchstone.core.tables import Cell, Column, Table, number
from touchstone.stats.agreement import Agreement, Frame, agreements
from touchstone.stats.kappa import fleiss
from touchstone.tasks.nli.model import LABELS, GoldSet, Pair

NAMES = ("kappa", *(f"kappa.{label}" for label in LABELS), "raw_agreement", "ac1", "human", "human_leave_one_out")

GROUPED_BY = ("category", "gold", "relation")

Coefficients = Mapping[str, Agreement]


@dataclass(frozen=True, eq=False)
class ReaderAgreement:
    """The coefficients of all pairs, and those of each group of them."""

    overall: Coefficients
    groups: Mapping[str, Coefficients]
    readers: int
    signature: Mapping[str, str]
    notes: Sequence[str] = field(default=())

    def table(self) -> Table:
        """Return every coefficient of all pairs with its interval, and what it was computed from."""
        heads = ("value", "95% interval", "pairs", "labels")
        rows: list[list[Cell]] = [
            [name, one.value, interval_text(one.interval.low, one.interval.high), one.units, one.answers]
            for name, one in self.overall.items()
        ]
        notes = [f"{name}: {one.note}" for name, one in self.overall.items() if one.reason]
        notes += dict.fromkeys(one.note for one in self.overall.values() if one.note and not one.reason)
        title = f"Agreement of {self.readers} readers on each pair"
        return Table([Column("coefficient"), *(Column(head, "right") for head in heads)], rows, title, notes)

    def groups_table(self) -> Table:
        """Return the coefficients of each group, one row per group."""
        short = [f"κ {name.partition('.')[2]}" if "." in name else name.replace("_", " ") for name in NAMES]
        rows: list[list[Cell]] = [
            [group, of["raw_agreement"].units, *(number(of[name].value) for name in NAMES)]
            for group, of in self.groups.items()
        ]
        note = "kappa is near zero or below where one label dominates, although people agree"
        columns = [Column("group"), *(Column(head, "right") for head in ("pairs", *short))]
        return Table(columns, rows, notes=[note])

    def to_dict(self) -> dict[str, object]:
        """Return signature and coefficients, ready for JSON; an undefined coefficient is absent."""
        everything: list[tuple[str | None, Coefficients]] = [(None, self.overall), *self.groups.items()]
        rows = [
            {"measure": name, "group": group, "value": one.value, "low": one.interval.low, "high": one.interval.high}
            | {"n": one.units}
            for group, coefficients in everything
            for name, one in coefficients.items()
            if np.isfinite(one.value)
        ]
        return {"signature": dict(self.signature), "results": rows}

    def __repr__(self) -> str:
        return self.table().to_text()


def agreement(gold: GoldSet, *, by: str | None = None, resampling: Resampling = Resampling()) -> ReaderAgreement:  # noqa: B008 (immutable)
    """Return how far the readers of the pairs agree, with intervals.

    Fleiss' kappa (overall and of each label), raw agreement and Gwet's AC1 as in `touchstone.stats.kappa`; ``human``
    is the share of single labels that equal the gold, their own vote included; ``human_leave_one_out`` the share that
    equal the mode of the other readers, where they have one. All are over the pairs with the most frequent number of
    labels, the last two over those of them that have gold; others are left out and counted.

    Parameters
    ----------
    gold
        Pairs with the labels of their readers.
    by
        A field to group the pairs by: category, gold or relation.
    resampling
        How intervals are computed. Pairs that share a premise are resampled together, unless its cluster is ``item``.

    Examples
    --------
    >>> from touchstone import nli
    >>> gold = nli.read_gold([
    ...     {"id": "1", "premise": "A dog runs.", "hypothesis": "An animal runs.", "annotators": ["entailment"] * 3},
    ...     {"id": "2", "premise": "He eats.", "hypothesis": "He sat.", "annotators": ["neutral"] * 2 + ["entailment"]},
    ... ])
    >>> found = nli.agreement(gold)
    >>> found.readers, round(found.overall["raw_agreement"].value, 3)
    (3, 0.667)
    """
    labelled = [pair for pair in gold.pairs if pair.annotators]
    if not labelled:
        hint = 'give pairs with "annotators" (SNLI: "annotator_labels") or label1, label2 …; nli verify makes them'
        hint += f"; the columns are {', '.join(gold.source.columns)}" if gold.source.columns else ""
        raise TouchstoneError("no pair has readers' labels", file=gold.source.name, hint=hint)
    sizes = Counter(len(pair.annotators) for pair in labelled)
    readers = max((size for size in sizes if size > 1), key=lambda size: (sizes[size], size), default=0)
    pairs = [pair for pair in labelled if len(pair.annotators) == readers]
    if not pairs:
        raise TouchstoneError("no pair has the labels of two readers", file=gold.source.name)
    if resampling.cluster not in (None, "item", "premise"):
        raise TouchstoneError("agreement is resampled by premise or by item", value=resampling.cluster)
    resampling = replace(resampling, method="percentile", cluster=resampling.cluster or "premise")
    groups = {name: _coefficients(members, resampling) for name, members in _groups(pairs, by).items()} if by else {}
    signature = {
        "touchstone": __version__,
        "task": "nli agreement",
        "gold": str(gold.source),
        "readers": str(readers),
        "intervals": f"{resampling}; numpy {np.__version__}",
    }
    counts = {
        f"pairs left out, which do not have {readers} labels": len(gold) - len(pairs),
        "pairs without a gold label, since no label has a majority": gold.ties,
    }
    notes = [f"{gold.source.stem}: {what}: {count:,}" for what, count in counts.items() if count]
    return ReaderAgreement(_coefficients(pairs, resampling), groups, readers, signature, notes)


def _groups(pairs: Sequence[Pair], by: str) -> dict[str, list[Pair]]:
    if by not in GROUPED_BY:
        hint = f"known: {', '.join(GROUPED_BY)}"
        raise TouchstoneError("pairs have no such field", value=by, near=nearest(by, GROUPED_BY), hint=hint)
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(getattr(pair, by) or "?", []).append(pair)
    return groups


def _coefficients(pairs: Sequence[Pair], resampling: Resampling) -> Coefficients:
    draws, seed, level = resampling.draws, resampling.seed, resampling.level
    clusters: Ints | None = None
    if resampling.cluster == "premise":
        numbers: dict[str, int] = {}  # a pair without sentences is a cluster of its own
        keys = [pair.premise or f"\0{row}" for row, pair in enumerate(pairs)]
        clusters = np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)
    labels = [pair.annotators for pair in pairs]
    kappas = fleiss(labels, labels=LABELS, unit="pair", clusters=clusters, draws=draws, seed=seed, level=level)
    with_gold = np.array([pair.gold is not None for pair in pairs], np.bool_)
    human: dict[str, Agreement] = {}
    for name, count in (("human", _equal_to_gold), ("human_leave_one_out", _equal_to_others)):
        records = np.array([count(pair) for pair in pairs if pair.gold], np.float64).reshape(-1, 2)
        frame = Frame("nominal", "pair", with_gold, int(records[:, 1].sum()))
        reasons = {name: "no pair with gold has a label to compare"}
        human |= agreements(records, _share, reasons, frame, clusters=clusters, draws=draws, seed=seed, level=level)
    return {name: (kappas | human)[name] for name in NAMES}


def _share(sums: Floats) -> Floats:
    return np.asarray(sums[..., :1] / sums[..., 1:])


def _equal_to_gold(pair: Pair) -> tuple[int, int]:
    """Return how many readers gave the gold label, and how many there are."""
    return sum(label == pair.gold for label in pair.annotators), len(pair.annotators)


def _equal_to_others(pair: Pair) -> tuple[int, int]:
    """Return how many readers gave the mode of the others, and for how many the others have a mode."""
    counts: Counter[str] = Counter(pair.annotators)
    equal = compared = 0
    for label, readers in counts.items():
        mode = Gold(counts - Counter([label])).mode
        equal += readers * (mode == label)
        compared += readers * (mode is not None)
    return equal, compared
