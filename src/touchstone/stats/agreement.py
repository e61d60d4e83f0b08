"""How far people agree: Krippendorff's alpha, and the form in which every coefficient of agreement is given.

Krippendorff (2019), Content Analysis, chapter 12; Passonneau (2006) for sets. Kappas are in `kappa`.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from math import isfinite

import numpy as np
import scipy

from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Bools, Floats, Ints
from touchstone.stats.bootstrap import affordable_draws, resampled_sums
from touchstone.stats.distances import DistanceName, distance_rows, moments, numbers, ordinal_distances
from touchstone.stats.intervals import Interval, percentile_of_clusters
from touchstone.stats.records import Fold, cluster_records, folded

CELLS = 64_000_000
"""Numbers in the largest table that is made (512 MB)."""

ROUNDING = 1e-12
"""Disagreement below this share of the sums that it is the difference of is none."""


@dataclass(frozen=True)
class Agreement:
    """A coefficient of agreement, its interval over units, and what it was computed from.

    *value* is nan where the coefficient is undefined, and *reason* says why. *units* were used, with *answers* in
    all; *left_out* could not be.
    """

    name: str
    distance: str
    unit: str
    value: float
    interval: Interval
    units: int
    answers: int
    left_out: int
    reason: str | None = None

    @property
    def note(self) -> str | None:
        """Why there is no value, or no interval; None if there are both."""
        return f"undefined, {self.reason}" if self.reason else self.interval.note


def krippendorff_alpha(
    units: Iterable[Iterable[object]],
    distance: DistanceName = "nominal",
    *,
    unit: str = "unit",
    clusters: Ints | None = None,
    draws: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> Agreement:
    """Return alpha = 1 - D_o / D_e of *units*, each the answers of its coders; None and nan are missing.

    D_o = (1/N) Σ_units Σ_{a≠b} d(a, b) / (m - 1) for a unit of m answers, D_e = Σ_{a≠b} d(a, b) / (N (N - 1)) over
    all N answers, both over ordered pairs of entries. A unit with fewer than two answers is left out. Undefined
    where all answers are equal. The interval is a bootstrap over units, or over *clusters* of units. The ordinal
    distance depends on how often each answer was given, and is computed for each resample.

    >>> result = krippendorff_alpha([[1, 1, None], [2, 2, 2], [1, 2, None]], unit="sentence")
    >>> round(result.value, 4), result.units, result.answers
    (0.5, 3, 7)
    >>> round(krippendorff_alpha([[{1, 2}, {1}], [{3}, {3}], [{1}, {1}]], "masi").value, 4)
    0.6667
    """
    coded = _coded(units)
    fold: Fold = _ordinal_alpha
    if distance == "ordinal":
        records = _coincidences(coded)
    else:
        bags, form, within = _bags(coded, distance)
        records, fold = np.column_stack([bags, within / (coded.sizes - 1), coded.sizes]), _alpha(form)
    frame = Frame(distance, unit, coded.kept, int(coded.sizes.sum()))
    reasons = {"alpha": "all answers are the same, so that no disagreement could be expected"}
    return agreements(records, fold, reasons, frame, clusters=clusters, draws=draws, seed=seed, level=level)["alpha"]


@dataclass(frozen=True)
class Frame:
    """What the coefficients of one set of units have in common; *kept* flags the units that count."""

    distance: str
    unit: str
    kept: Bools
    answers: int


def agreements(
    records: Floats,
    fold: Fold,
    reasons: Mapping[str, str],
    frame: Frame,
    *,
    clusters: Ints | None,
    draws: int,
    seed: int,
    level: float,
) -> dict[str, Agreement]:
    """Return the coefficients of the *records* of the kept units; all meet the same resamples.

    *fold* maps sums of records to the coefficients in a last axis; *reasons* has their names in this order, each
    with the reason why it has no value where it has none.
    """
    resampled = cluster_records(records, None if clusters is None else np.asarray(clusters)[frame.kept])
    sums = resampled_sums(resampled, draws=affordable_draws(len(resampled), draws), seed=seed)
    values, replicates = folded(fold, resampled.sum(axis=0)), folded(fold, sums)
    replicates[:, ~np.isfinite(values)] = np.nan
    counts = len(records), frame.answers, len(frame.kept) - len(records)
    return {
        name: Agreement(
            name,
            frame.distance,
            frame.unit,
            value,
            percentile_of_clusters(column, level, len(resampled)),
            *counts,
            None if isfinite(value) else why,
        )
        for (name, why), value, column in zip(reasons.items(), values.tolist(), replicates.T, strict=True)
    }


@dataclass(frozen=True)
class _Coded:
    """The answers of the units that have at least two: distinct ones, and which of them each entry is."""

    answers: Sequence[object]
    codes: Ints
    sizes: Ints
    kept: Bools


def checked_units(units: Iterable[Iterable[object]]) -> Iterable[Iterable[object]]:
    """Return units as they are; refuse data frames and texts, which would be taken for the letters of a name."""
    hint = "give the answers to each unit as a list; touchstone.agreement takes data frames and tables"
    if hasattr(units, "columns") or isinstance(units, str):
        raise TouchstoneError(f"a {type(units).__name__} is not a list of units", hint=hint)
    rows = list(units)
    text = next((row for row in rows if isinstance(row, str | bytes) or not isinstance(row, Iterable)), None)
    if text is not None:
        raise TouchstoneError("a unit is a list of answers", value=str(text), hint=hint)
    return rows


def _coded(units: Iterable[Iterable[object]]) -> _Coded:
    rows = [[_hashable(answer) for answer in row if not missing(answer)] for row in checked_units(units)]
    kept = np.array([len(row) >= 2 for row in rows], np.bool_)
    if not kept.any():
        raise TouchstoneError(
            f"none of {len(rows):,} units has two answers", hint="agreement needs units that two people answered"
        )
    numbers: dict[Hashable, int] = {}
    codes = [numbers.setdefault(answer, len(numbers)) for row in rows if len(row) >= 2 for answer in row]
    sizes = np.array([len(row) for row in rows], np.int64)[kept]
    return _Coded(list(numbers), np.array(codes, np.int64), sizes, kept)


def missing(answer: object) -> bool:
    """Say whether *answer* stands for no answer: None, or a float that is not a number.

    >>> missing(None), missing(float("nan")), missing(""), missing(0)
    (True, True, False, False)
    """
    return answer is None or (isinstance(answer, float | np.floating) and bool(np.isnan(answer)))


def _hashable(answer: object) -> Hashable:
    if isinstance(answer, Set):
        return frozenset(answer)
    if isinstance(answer, Hashable):
        return answer
    raise TouchstoneError(
        f"a {type(answer).__name__} is not an answer", value=str(answer), hint="give labels, numbers or sets"
    )


def _bags(coded: _Coded, distance: DistanceName) -> tuple[Floats, Floats, Floats]:
    """Return a vector g for each unit, the form F, and g @ F @ g: distances between bags of answers sum to g @ F @ h.

    A bag's vector is the sum of its units' vectors, so that a resample never meets an answer again. The dimensions
    are the distinct answers, or the units where those are fewer; three moments do for the interval distance.
    """
    n, distinct = len(coded.sizes), len(coded.answers)
    ends = np.concatenate([[0], np.cumsum(coded.sizes)])
    counts = scipy.sparse.csr_array((np.ones(len(coded.codes)), coded.codes, ends), shape=(n, distinct))
    if distance == "interval":
        points, form = moments(coded.answers)
        bags = np.asarray(counts @ points)
        return bags, form, ((bags @ form) * bags).sum(axis=1)
    if n * min(n, distinct) > CELLS:
        raise TouchstoneError(
            f"{n:,} units with {distinct:,} distinct answers are too many to compare all at once",
            hint="compute agreement for parts of the units",
        )
    blocks = distance_rows(coded.answers, distance)
    if distinct <= n:
        form = np.vstack(list(blocks))
        return counts.toarray(), form, np.asarray(counts.multiply(counts @ form).sum(axis=1))
    form = np.asarray(counts @ np.hstack([counts @ block.T for block in blocks]).T)
    return np.eye(n), form, form.diagonal()


def _alpha(form: Floats) -> Fold:
    """Return the fold of (vector of the answers, observed disagreement, number of answers)."""
    k = len(form)

    def fold(sums: Floats) -> Floats:
        bag, observed, n = sums[..., :k], sums[..., k], sums[..., k + 1]
        expected = ((bag @ form) * bag).sum(axis=-1)
        least = ROUNDING * n * np.abs(bag).max(axis=-1)
        alpha = 1 - (n - 1) * observed / np.where(expected > least, expected, np.nan)
        return np.asarray(alpha[..., None])

    return fold


def _coincidences(coded: _Coded) -> Floats:
    """Return a record for each unit: how often each two answers meet in it, Σ_{a≠b} 1 / (m - 1), by rising answer."""
    n, distinct = len(coded.sizes), len(coded.answers)
    if n * distinct**2 > CELLS:
        hint = "take the interval distance, or compute agreement for parts of the units"
        raise TouchstoneError(f"{distinct:,} distinct answers are too many for the ordinal distance", hint=hint)
    rank = np.argsort(np.argsort(numbers(coded.answers, "ordinal")))
    counts = np.zeros((n, distinct))
    np.add.at(counts, (np.repeat(np.arange(n), coded.sizes), rank[coded.codes]), 1.0)
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs[:, np.arange(distinct), np.arange(distinct)] -= counts
    return np.asarray((pairs / (coded.sizes - 1)[:, None, None]).reshape(n, -1))


def _ordinal_alpha(sums: Floats) -> Floats:
    """Fold summed coincidences o into 1 - (N - 1) Σ o_ck d_ck / Σ n_c n_k d_ck, with n_c = Σ_k o_ck."""
    k = round(sums.shape[-1] ** 0.5)
    together = sums.reshape(*sums.shape[:-1], k, k)
    counts = together.sum(axis=-1)
    apart = ordinal_distances(counts)
    expected = (counts[..., :, None] * counts[..., None, :] * apart).sum(axis=(-1, -2))
    observed = (together * apart).sum(axis=(-1, -2))
    alpha = 1 - (counts.sum(axis=-1) - 1) * observed / np.where(expected > 0, expected, np.nan)
    return np.asarray(alpha[..., None])
