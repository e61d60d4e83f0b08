"""How far judges agree with each other and with themselves, for each criterion and language pair.

Ranks are compared pair by pair of systems, as WMT does: A is better, B is, or neither; scores one by one. Chance is
that of the labels as they were given, P_e = Σ_j p_j², where "better" is split evenly over A and B: which is which is
arbitrary (Callison-Burch et al. 2012, Findings of WMT 2012). Intervals resample segments.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from touchstone import __version__
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Bools, Floats, Ints, add_up
from touchstone.base.tables import Cell, Column, Table
from touchstone.core.resampling import Resampling, interval_heading, interval_text
from touchstone.stats import Agreement, Fold, cohen, fleiss, krippendorff_alpha
from touchstone.stats.agreement import Frame, agreements
from touchstone.tasks.mt.judges import finite
from touchstone.tasks.mt.judges.judgements import Judgements
from touchstone.tasks.mt.judges.metaeval.preferences import ballot_pairs

MOST_LABELS = 12
"""Distinct scores up to which equal ones mean agreement; more are points on a line."""

COEFFICIENTS = ("kappa", "raw_agreement", "chance")

Found = Mapping[str, Agreement]


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers of judges about each unit: a pair of systems in a segment, or one system. In the file's order."""

    unit: Ints
    judge: Ints
    label: Ints
    values: Floats
    segment: Ints
    """The segment of each unit."""
    mirrored: Bools
    """Which labels depend on the order of two systems: better, and worse."""


@dataclass(frozen=True)
class Row:
    """Agreement *among* judges ("inter") or of each judge with themselves ("intra"), in a group or in all groups."""

    criterion: str
    among: str
    group: str | None
    found: Found


@dataclass(frozen=True, eq=False)
class JudgeAgreement:
    """The agreement of judges under each criterion, in each group and over all."""

    rows: tuple[Row, ...]
    signature: Mapping[str, str]
    notes: Sequence[str] = ()

    def row(self, criterion: str, among: str, group: str | None = None) -> Found:
        """Return the coefficients of one row."""
        for one in self.rows:
            if (one.criterion, one.among, one.group) == (criterion, among, group):
                return one.found
        raise TouchstoneError(f"no {among}-annotator agreement on {criterion} in {group or 'all groups'}")

    def table(self) -> Table:
        """Return a row for each criterion and group, inter and intra: kappa, its interval, and what it comes from."""
        heading = interval_heading(self.rows[0].found["kappa"].interval.level)
        heads = ("kappa", heading, "agreed", "by chance", "alpha", "fleiss", "cohen", "compared", "units")
        rows: list[list[Cell]] = []
        rules, notes = set(), []
        for place, one in enumerate(self.rows):
            before = self.rows[place - 1] if place else None
            if before and (before.criterion, before.among) != (one.criterion, one.among):
                rules.add(place)
            kappa = one.found["kappa"]
            others = [one.found[name].value if name in one.found else None for name in ("alpha", "fleiss", "cohen")]
            shares = one.found["raw_agreement"].value, one.found["chance"].value
            interval = interval_text(kappa.interval.low, kappa.interval.high)
            names = one.criterion, one.among, one.group or "all"
            rows.append([*names, kappa.value, interval, *shares, *others, kappa.answers, kappa.units])
            notes += [f"{', '.join(names)}: no kappa, {kappa.reason}"] if kappa.reason else []
            notes += [f"{', '.join(names)}: {kappa.interval.note}"] if kappa.interval.note and not kappa.reason else []
        columns = [Column("criterion"), Column("judges"), Column("group"), *(Column(head, "right") for head in heads)]
        title = "Agreement of judges, corrected for chance"
        legend = "compared: pairs of judgements of one unit; fleiss: units with the most common number of judges"
        return Table(columns, rows, title, [legend, *dict.fromkeys(notes)], rules=rules)

    def to_dict(self) -> dict[str, object]:
        """Return signature and coefficients, ready for JSON; what is undefined is None, with the reason."""
        rows = [
            {
                "criterion": one.criterion,
                "among": one.among,
                "group": one.group,
                "measure": name,
                "value": finite(found.value),
                "low": finite(found.interval.low),
                "high": finite(found.interval.high),
                "n": found.units,
                "compared": found.answers,
                "reason": found.reason,
            }
            for one in self.rows
            for name, found in one.found.items()
        ]
        return {"signature": dict(self.signature), "results": rows}

    def __repr__(self) -> str:
        return self.table().to_text()

    def _repr_html_(self) -> str:
        return self.table().to_html()


def agreement(human: Judgements | Sequence[Judgements], *, resampling: Resampling | None = None) -> JudgeAgreement:
    """Return inter- and intra-annotator agreement of each criterion, with intervals over segments.

    kappa = (P - P_e) / (1 - P_e), where P is the share of equal pairs of judgements of a unit, among all pairs of
    different judges (inter) or of one judge (intra). From each judge's first answer come Krippendorff's alpha (nominal
    for pairs of ranks, interval for scores) and Fleiss' kappa, from the first and second answer Cohen's kappa.

    Parameters
    ----------
    human
        The judgements, a set for each criterion.
    resampling
        How intervals are computed.

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> from touchstone import mt
    >>> folder = Path(touchstone.__file__).parent / "examples" / "mt"
    >>> found = mt.agreement(mt.read_judgements(folder / "rankings.csv"))
    >>> [(row.among, round(row.found["kappa"].value, 3)) for row in found.rows]
    [('inter', 0.734), ('intra', 0.894)]
    """
    judged = [human] if isinstance(human, Judgements) else list(human)
    how = (resampling or Resampling(cluster="segment")).bootstrap()
    rows: list[Row] = []
    for one in judged:
        every = [*one.groups, None] if len(one.groups) > 1 else [*one.groups]
        for among in ("inter", "intra"):
            for group in every:
                entries = np.arange(len(one)) if group is None and len(one.groups) > 1 else one.of_group(group)
                answers = compared_pairs(one, entries) if one.scale == "rank" else scored_cells(one, entries)
                rows.append(Row(one.criterion, among, group, _coefficients(answers, among, one.scale == "rank", how)))
    signature = {
        "touchstone": __version__,
        "task": "mt agreement",
        "human": "; ".join(dict.fromkeys(str(one.source) for one in judged)),
        "chance": "shares of the labels over all judgements, better and worse alike (WMT 2012)",
        "intervals": f"{how}; numpy {np.__version__}",
    }
    notes = [f"{one.criterion}: blank judgements left out: {one.blanks:,}" for one in judged if one.blanks]
    return JudgeAgreement(tuple(rows), signature, notes)


def compared_pairs(judged: Judgements, entries: Ints) -> Answers:
    """Return the answers of a ranking: of two systems in a segment (and span), is one better, or neither."""
    a, b = ballot_pairs(judged, entries)
    turned = judged.system[a] > judged.system[b]
    a, b = np.where(turned, b, a), np.where(turned, a, b)
    sign = np.sign(judged.goodness[a] - judged.goodness[b])
    keys = np.stack([column[a] for column in (judged.group, judged.segment, judged.span, judged.system)], axis=1)
    units, place = np.unique(np.column_stack([keys, judged.system[b]]), axis=0, return_inverse=True)
    mirrored = np.array([True, False, True])
    return Answers(place.ravel(), judged.judge[a], (sign + 1).astype(np.int64), sign, units[:, 1], mirrored)


def scored_cells(judged: Judgements, entries: Ints) -> Answers:
    """Return the answers of a scale: the score of one system in a segment."""
    entries = entries[~np.isnan(judged.value[entries])]
    keys = np.stack([column[entries] for column in (judged.group, judged.segment, judged.span, judged.system)], axis=1)
    units, place = np.unique(keys, axis=0, return_inverse=True)
    values = judged.value[entries]
    distinct, label = np.unique(values, return_inverse=True)
    mirrored = np.zeros(len(distinct), np.bool_)
    return Answers(place.ravel(), judged.judge[entries], label.ravel(), values, units[:, 1], mirrored)


def _coefficients(answers: Answers, among: str, ranked: bool, how: Resampling) -> dict[str, Agreement]:
    found = _kappa(answers, among, how)
    if found["kappa"].answers == 0:
        return found
    options = {"draws": how.draws, "seed": how.seed, "level": how.level}
    if among == "intra":
        first, second, segment = _twice(answers)
        if found["kappa"].reason is None:
            found["cohen"] = cohen(first, second, clusters=segment, **options)["kappa"]  # type: ignore[arg-type]
        return found
    rows, segments = _first_answers(answers)
    distance = "nominal" if ranked else "interval"
    found["alpha"] = krippendorff_alpha(rows, distance, clusters=segments, **options)  # type: ignore[arg-type]
    if found["kappa"].reason is None:
        labels = [[str(value) for value in row] for row in rows]
        found["fleiss"] = fleiss(labels, clusters=segments, **options)["kappa"]  # type: ignore[arg-type]
    return found


def _kappa(answers: Answers, among: str, how: Resampling) -> dict[str, Agreement]:
    """Return kappa, the share of equal pairs of judgements, and that by chance."""
    n = len(answers.segment)
    same = _equal_pairs(answers, _numbered(answers.unit, answers.judge), n)
    pairs = same if among == "intra" else _equal_pairs(answers, answers.unit, n) - same
    labels = np.zeros((n, len(answers.mirrored)))
    np.add.at(labels, (answers.unit, answers.label), 1.0)
    records = np.hstack([pairs, labels])
    compared = pairs[:, 1] > 0
    why = "no unit was judged twice by one judge" if among == "intra" else "no unit was judged by two judges"
    if len(answers.mirrored) > MOST_LABELS:
        why = f"{len(answers.mirrored)} distinct scores are points on a line, not labels"
    reasons = dict.fromkeys(COEFFICIENTS, why)
    frame = Frame("nominal", "unit", np.ones(n, np.bool_), 0)
    fold = _chance_corrected(answers.mirrored)
    found = agreements(
        records, fold, reasons, frame, clusters=answers.segment, draws=how.draws, seed=how.seed, level=how.level
    )
    used, answered = int(compared.sum()), int(pairs[:, 1].sum())
    return {name: replace(one, units=used, answers=answered, left_out=n - used) for name, one in found.items()}


def _chance_corrected(mirrored: Bools) -> Fold:
    """Return the fold of (equal pairs, pairs, count of each label) into kappa, P and P_e."""
    few = 1.0 if len(mirrored) <= MOST_LABELS else np.nan

    def fold(sums: Floats) -> Floats:
        agreed = sums[..., 0] / sums[..., 1]
        shares = sums[..., 2:] / sums[..., 2:].sum(axis=-1, keepdims=True)
        chance = (shares[..., ~mirrored] ** 2).sum(axis=-1) + shares[..., mirrored].sum(axis=-1) ** 2 / 2
        return few * np.stack([(agreed - chance) / (1 - chance), agreed, chance], axis=-1)

    return fold


def _equal_pairs(answers: Answers, block: Ints, n: int) -> Floats:
    """Return, for each unit, how many pairs of answers within a *block* are equal, and how many there are."""
    alike = _numbered(block, answers.label)
    return np.stack([_pairs_in(answers.unit, part, n) for part in (alike, block)], axis=1)


def _pairs_in(unit: Ints, block: Ints, n: int) -> Floats:
    first, sizes = np.unique(block, return_index=True, return_counts=True)[1:]
    return add_up(unit[first], sizes * (sizes - 1) / 2.0, n)


def _numbered(one: Ints, other: Ints) -> Ints:
    """Return a number for each pair of labels."""
    return one * (int(other.max(initial=0)) + 1) + other


def _first_answers(answers: Answers) -> tuple[list[list[float]], Ints]:
    """Return the first answer of each judge of the units that two judges answered, and the units' segments."""
    kept = np.sort(np.unique(_numbered(answers.unit, answers.judge), return_index=True)[1])
    kept = kept[np.argsort(answers.unit[kept], kind="stable")]
    units, starts = np.unique(answers.unit[kept], return_index=True)
    rows = [part.tolist() for part in np.split(answers.values[kept], starts[1:])]
    several = [place for place, row in enumerate(rows) if len(row) > 1]
    return [rows[place] for place in several], answers.segment[units[several]]


def _twice(answers: Answers) -> tuple[list[str], list[str], Ints]:
    """Return each judge's first and second answer to the units that they answered twice, and their segments."""
    block = _numbered(answers.unit, answers.judge)
    order = np.argsort(block, kind="stable")
    starts, sizes = np.unique(block[order], return_index=True, return_counts=True)[1:]
    at = starts[sizes > 1]
    first, second = order[at], order[at + 1]
    labels = [[str(value) for value in answers.values[side].tolist()] for side in (first, second)]
    return labels[0], labels[1], answers.segment[answers.unit[first]]
