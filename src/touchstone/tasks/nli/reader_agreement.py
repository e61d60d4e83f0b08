"""How far readers agree, and how well one of them would do as a system: kappa, raw agreement, AC1, human performance.

Kappa is near 0 where one label dominates, however well people agree; so raw agreement and AC1 are always shown with it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from touchstone import __version__
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.notes import announce, warning, warnings_of
from touchstone.base.ragged import Floats, Ints
from touchstone.base.tables import Cell, Column, Table, number
from touchstone.core.gold import Gold
from touchstone.core.resampling import Resampling, interval_heading, interval_text
from touchstone.stats.agreement import Agreement, Frame, agreements
from touchstone.stats.kappa import fleiss
from touchstone.tasks.nli.model import DISCARDED, KEPT_OF, LABELS, GoldSet, Pair

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
        heads = ("value", interval_heading(self.overall["kappa"].interval.level), "pairs", "labels")
        rows: list[list[Cell]] = [
            [name, one.value, interval_text(one.interval.low, one.interval.high), one.units, one.answers]
            for name, one in self.overall.items()
        ]
        notes = [f"{name}: {one.note}" for name, one in self.overall.items() if one.reason]
        notes += dict.fromkeys(one.note for one in self.overall.values() if one.note and not one.reason)
        notes += warnings_of(self.notes)
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


def agreement(
    gold: GoldSet,
    *,
    by: str | None = None,
    resampling: Resampling = Resampling(),  # noqa: B008 (immutable)
    discards: GoldSet | None = None,
) -> ReaderAgreement:
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
    discards
        The pairs that ``nli verify`` discarded, where *gold* holds those that it kept: readers disagree more on them,
        so agreement on the kept pairs alone is too high.

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
    found = reader_agreement(gold, by=by, resampling=resampling, discards=discards)
    announce(found.notes)
    return found


def reader_agreement(
    gold: GoldSet,
    *,
    by: str | None = None,
    resampling: Resampling = Resampling(),  # noqa: B008 (immutable)
    discards: GoldSet | None = None,
) -> ReaderAgreement:
    """Return what `agreement` does, without a warning to the user: reports show it beside the table.

    Parameters
    ----------
    gold, by, resampling, discards
        As in `agreement`.
    """
    gold = _with_discards(gold, discards)
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
        "gold": gold.digest,
        "readers": str(readers),
        "intervals": f"{resampling}; numpy {np.__version__}",
        **({"by": by} if by else {}),
    }
    counts = {
        f"pairs left out, which do not have {readers} labels": len(gold) - len(pairs),
        "pairs without a gold label, since no label has a majority": gold.ties,
    }
    notes = [f"{gold.source.stem}: {what}: {count:,}" for what, count in counts.items() if count]
    notes = [*_kept_alone(gold), *notes]
    return ReaderAgreement(_coefficients(pairs, resampling), groups, readers, signature, notes)


def _with_discards(gold: GoldSet, discards: GoldSet | None) -> GoldSet:
    """Return the kept and the discarded pairs together; refuse a pair that is among both."""
    if discards is None:
        return gold
    both = sorted({*gold.ids} & {*discards.ids})
    if both:
        hint = "give the files that nli verify --kept and --discards wrote"
        raise TouchstoneError("a pair is kept and discarded", file=discards.source.name, value=both[0], hint=hint)
    return replace(gold, pairs=[*gold.pairs, *discards.pairs], lines=[*gold.lines, *discards.lines])


def _kept_alone(gold: GoldSet) -> list[str]:
    """Return a warning where pairs were chosen by their labels: those on which readers disagree are not among them."""
    of = [int(str(pair.rest[KEPT_OF])) for pair in gold.pairs if KEPT_OF in pair.rest]
    if not of or any(DISCARDED in pair.rest for pair in gold.pairs):
        return []
    return [
        warning(
            f"agreement is over {len(of):,} pairs that were kept of {max(of):,}: pairs that readers disagreed on or "
            "called wrong are not among them, so it is higher than over all; add them (--discards FILE), or use the "
            "agreement that nli verify shows"
        )
    ]


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
