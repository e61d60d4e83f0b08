"""Agreement on labels beyond chance: Cohen's kappa for two people, Fleiss' for a fixed number, and Gwet's AC1.

Cohen (1960); Fleiss (1971), also for single labels; Gwet (2008). Raw agreement and AC1 are always shown beside kappa,
which is near 0 where one label rules, however well people agree.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.ragged import Bools, Floats, Ints
from touchstone.stats.agreement import Agreement, Frame, agreements, checked_units, missing

Label = str | int
"""What a person says of a unit; a number is the label that it is written as."""


def cohen(
    first: Iterable[Label | None],
    second: Iterable[Label | None],
    *,
    labels: Sequence[Label] | None = None,
    unit: str = "unit",
    clusters: Ints | None = None,
    draws: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> dict[str, Agreement]:
    """Return the agreement of two people, unit by unit: kappa, kappa.LABEL, f1.LABEL, raw_agreement and ac1.

    kappa = (P - P_e) / (1 - P_e), P the share of units with the same label, P_e = Σ_j r_j c_j over their shares of
    label j; kappa.LABEL is that of the label against all others. f1.LABEL = 2 both_j / (r_j + c_j), the F1 of either
    person against the other. Units that one of them left open are left out. *labels* are those that could be
    given; by default those that were.

    >>> result = cohen("yynnyn", "yynnnn", unit="sentence")
    >>> round(result["kappa"].value, 4), round(result["raw_agreement"].value, 4), result["f1.y"].value
    (0.6667, 0.8333, 0.8)
    """
    one_side, other_side = list(first), list(second)
    if len(one_side) != len(other_side):
        what = f"{len(one_side):,} labels of the first person and {len(other_side):,} of the second"
        raise TouchstoneError(what, hint="give both the same units in the same order, None for a unit left open")
    rows = list(zip(one_side, other_side, strict=True))
    kept, codes, names = _coded(rows, 2, labels)
    one, other = (codes[:, :1] == np.arange(len(names)), codes[:, 1:] == np.arange(len(names)))
    records = np.column_stack([one, other, one & other, np.ones(len(codes))])
    reasons = _reasons(names) | {f"f1.{name}": f"nobody gave the label {name}" for name in names}
    frame = Frame("nominal", unit, kept, codes.size)
    return agreements(records, _cohen_fold, reasons, frame, clusters=clusters, draws=draws, seed=seed, level=level)


def fleiss(
    units: Iterable[Iterable[Label | None]],
    *,
    labels: Sequence[Label] | None = None,
    unit: str = "unit",
    clusters: Ints | None = None,
    draws: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> dict[str, Agreement]:
    """Return the agreement of n people on each unit, whoever they are: kappa, kappa.LABEL, raw_agreement and ac1.

    With n_ij of n labels of unit i being j, N units and p_j = Σ_i n_ij / (N n): raw agreement is
    P = mean of (Σ_j n_ij² - n) / (n (n - 1)); kappa = (P - P_e) / (1 - P_e) with P_e = Σ_j p_j²;
    kappa.LABEL = 1 - Σ_i n_ij (n - n_ij) / (N n (n - 1) p_j (1 - p_j)); ac1 has the form of kappa with
    P_e = Σ_j p_j (1 - p_j) / (q - 1) for q *labels* that could be given (by default those that were).
    n is the most frequent number of labels; units with another are left out.

    >>> result = fleiss([list("CCC"), list("CCN"), list("EEE"), list("EEN")], unit="pair")
    >>> round(result["kappa"].value, 4), round(result["kappa.C"].value, 4), round(result["raw_agreement"].value, 4)
    (0.4667, 0.6571, 0.6667)
    """
    rows: list[list[Label | None]] = [list(row) for row in checked_units(units)]  # type: ignore[arg-type]
    n = _most_frequent_size(rows)
    kept, codes, names = _coded(rows, n, labels)
    counts = (codes[:, :, None] == np.arange(len(names))).sum(axis=1)
    sizes = np.full((len(codes), 2), (n, n * (n - 1)))
    records = np.column_stack([counts, counts * (n - counts), sizes]).astype(np.float64)
    frame = Frame("nominal", unit, kept, codes.size)
    fold, reasons = _fleiss_fold, _reasons(names)
    return agreements(records, fold, reasons, frame, clusters=clusters, draws=draws, seed=seed, level=level)


def _cohen_fold(sums: Floats) -> Floats:
    """Return kappa, each label's kappa, raw agreement, AC1 and each label's F1.

    The sums are of (label of the first person, label of the second, label of both, 1), a column for each label.
    """
    n = sums[..., -1:]
    first, second, both = np.split(sums[..., :-1] / n, 3, axis=-1)
    raw = both.sum(axis=-1, keepdims=True)
    kappa = _beyond(raw, (first * second).sum(axis=-1, keepdims=True))
    of_label = _beyond(1 - first - second + 2 * both, first * second + (1 - first) * (1 - second))
    return np.concatenate([kappa, of_label, raw, _ac1(raw, (first + second) / 2), 2 * both / (first + second)], axis=-1)


def _fleiss_fold(sums: Floats) -> Floats:
    """Return kappa, each label's kappa, raw agreement and AC1.

    The sums are of (n_ij, n_ij (n - n_ij), n), a column for each label: Σ_j n_ij (n - n_ij) counts the ordered pairs
    of people who differ on unit i.
    """
    answers, pairs = sums[..., -2:-1], sums[..., -1:]
    given, apart = np.split(sums[..., :-2], 2, axis=-1)
    shares, apart = given / answers, apart / pairs
    raw = 1 - apart.sum(axis=-1, keepdims=True)
    kappa = _beyond(raw, (shares**2).sum(axis=-1, keepdims=True))
    return np.concatenate([kappa, 1 - apart / (shares * (1 - shares)), raw, _ac1(raw, shares)], axis=-1)


def _beyond(agreed: Floats, chance: Floats) -> Floats:
    return np.asarray((agreed - chance) / (1 - chance))


def _ac1(raw: Floats, shares: Floats) -> Floats:
    return _beyond(raw, (shares * (1 - shares)).sum(axis=-1, keepdims=True) / (shares.shape[-1] - 1))


def _reasons(names: Sequence[str]) -> dict[str, str]:
    """Return the coefficients of labels in the order of the folds, and why each may have no value."""
    return {
        "kappa": "only one label was given, so that chance alone gives full agreement",
        **{f"kappa.{name}": f"the label {name} was given always or never" for name in names},
        "raw_agreement": "there is nothing to compare",
        "ac1": "there is only one label to give",
    }


def _most_frequent_size(rows: Sequence[Sequence[Label | None]]) -> int:
    """Return how many labels most units have, of those with at least two; the larger number on a tie."""
    sizes = Counter(sum(not missing(label) for label in row) for row in rows)
    return max((size for size in sizes if size >= 2), key=lambda size: (sizes[size], size), default=2)


def _coded(
    rows: Sequence[Sequence[Label | None]], n: int, labels: Sequence[Label] | None
) -> tuple[Bools, Ints, tuple[str, ...]]:
    """Return which units have *n* labels, the numbers of their labels as a row for each, and the labels."""
    given = [[str(label) for label in row if not missing(label)] for row in rows]
    kept = np.array([len(row) == n for row in given], np.bool_)
    if not kept.any():
        raise TouchstoneError(
            f"none of {len(rows):,} units has two labels", hint="agreement needs units that two people labelled"
        )
    names = tuple(
        sorted({label for row in given for label in row}) if labels is None else dict.fromkeys(map(str, labels))
    )
    numbers = {name: number for number, name in enumerate(names)}
    for label in (label for row in given for label in row if label not in numbers):
        raise TouchstoneError(
            "unknown label", value=label, near=nearest(label, names), hint=f"the labels are {', '.join(names)}"
        )
    return kept, np.array([[numbers[label] for label in row] for row in given if len(row) == n]), names
