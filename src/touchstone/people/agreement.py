"""How far annotators agree, on labels or numbers of any task: coefficients, each annotator, and each item."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import isfinite
from typing import Any

import numpy as np
import pyarrow as pa

from touchstone import __version__
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.notes import announce
from touchstone.base.ragged import Floats
from touchstone.base.signature import content_digest
from touchstone.base.tables import Cell, Column, Table, counted
from touchstone.core.gold import Gold
from touchstone.core.resampling import Resampling, interval_heading, interval_text
from touchstone.core.results import Items
from touchstone.people.ratings import Distance, Label, Ratings, read_ratings
from touchstone.show.finding import Finding, Statement, kind_rows
from touchstone.stats import Agreement, Fold, Interval, cohen, fleiss, krippendorff_alpha
from touchstone.stats.agreement import Frame, agreements
from touchstone.stats.intervals import FEWEST_CLUSTERS

DISTANCES = ("nominal", "ordinal", "interval")

OWN_COLUMNS = ("item", "labels", "disagreement", "majority", "mean")
"""The columns of items beside those of annotators."""

MOST_ANNOTATORS = 10
"""Annotators up to which the kappas of all pairs are averaged; more share too few items, and alpha is for them."""


@dataclass(frozen=True, eq=False, repr=False)
class AnnotatorAgreement(Finding):
    """How far annotators agree: *coefficients* over all items, *annotators* one by one, and *items*.

    The value of an annotator is the share of items on which they gave the label that most of the others gave; under
    the interval distance it is their mean difference from the mean of the others. *items* has a row for each item, the
    most disputed first.
    """

    coefficients: Mapping[str, Agreement]
    annotators: Mapping[str, Agreement]
    items: Items
    distance: Distance
    signature: Mapping[str, str]
    notes: Sequence[str] = field(default=())

    def table(self) -> Table:
        """Return every coefficient with its interval, and what it was computed from."""
        heads = ("value", self._interval_heading, "items", "labels")
        rows: list[list[Cell]] = [
            [name, one.distance, one.value, interval_text(one.interval.low, one.interval.high), one.units, one.answers]
            for name, one in self.coefficients.items()
        ]
        undefined = [f"{name}: {one.note}" for name, one in self.coefficients.items() if one.reason]
        rough = dict.fromkeys(one.note for one in self.coefficients.values() if one.note and not one.reason)
        columns = [Column("coefficient"), Column("distance"), *(Column(head, "right") for head in heads)]
        title = f"Agreement of {counted(len(self.annotators), 'annotator')}"
        return Table(columns, rows, title, [*undefined, *(note for note in rough if note)])

    def annotators_table(self) -> Table:
        """Return how far each annotator agrees with the others."""
        what = "difference from the others" if self.distance == "interval" else "with the majority of the others"
        rows: list[list[Cell]] = [
            [name, one.value, interval_text(one.interval.low, one.interval.high), one.units]
            for name, one in self.annotators.items()
        ]
        heads = (what, self._interval_heading, "items")
        return Table([Column("annotator"), *(Column(head, "right") for head in heads)], rows)

    def items_table(self, most: int = 10) -> Table:
        """Return the most disputed items with their labels; only those that annotators disagree on.

        Parameters
        ----------
        most
            How many items at most.
        """
        disputed = [row for row, _ in zip(self.items, range(most), strict=False) if row["disagreement"]]
        rows: list[list[Cell]] = [
            [
                str(row["item"]),
                float(str(row["disagreement"])),
                ", ".join(
                    f"{who} {label}" for who, label in row.items() if who not in OWN_COLUMNS and label is not None
                ),
            ]
            for row in disputed
        ]
        return Table([Column("item"), Column("disagreement", "right"), Column("labels")], rows, "Most disputed items")

    @property
    def _interval_heading(self) -> str:
        return interval_heading(next(iter(self.coefficients.values())).interval.level)

    def statement(self) -> Statement:
        """Return coefficients, annotators and the most disputed items."""
        return Statement(
            f"Agreement of {counted(len(self.annotators), 'annotator')}",
            [self.table(), self.annotators_table(), self.items_table()],
            [
                *kind_rows(
                    "coefficient", ({"measure": name, **_plain(one)} for name, one in self.coefficients.items())
                ),
                *kind_rows("annotator", ({"annotator": name, **_plain(one)} for name, one in self.annotators.items())),
            ],
            notes=self.notes,
            signature=self.signature,
        )


def _plain(one: Agreement) -> dict[str, object]:
    ends = {"low": one.interval.low, "high": one.interval.high}
    return {"value": one.value, **ends, "n": one.units, "distance": one.distance}


def agreement(
    data: object,
    distance: Distance | None = None,
    *,
    order: Sequence[object] = (),
    resampling: Resampling = Resampling(),  # noqa: B008 (immutable)
    column: Sequence[str] | Mapping[str, str] = (),
    annotators: Sequence[str] = (),
    encoding: str = "utf-8",
) -> AnnotatorAgreement:
    """Return how far annotators agree, with intervals over items.

    Raw agreement is the share of equal labels among all pairs of labels of one item. Krippendorff's alpha counts how
    far labels are apart, and takes any number of labels for an item. Cohen's kappa is that of two annotators; of three
    to ten it is the mean over the pairs of them that share five items. Fleiss' kappa is given where all items have the
    same number of labels. Kappas are for labels: there is none under the interval distance.

    Parameters
    ----------
    data
        A file or a Python object: a row for each annotation with the columns item, annotator and label, perhaps also
        system (each output is then an item of its own, and those of one item are a cluster); a row for each item with a
        column for each annotator; a list with the labels of each item; or a mapping from annotators to their labels, as
        a list or by item. Empty cells, None and nan are missing labels.
    distance
        How far labels are apart: "nominal", equal or not; "ordinal", by the number of labels between two; "interval",
        by the squared difference of numbers. By default the type of the labels decides: "ordinal" with an *order*,
        "interval" for three or more different numbers, else "nominal".
    order
        The labels from lowest to highest, for an ordinal distance of labels that are no numbers.
    resampling
        How intervals are computed: draws, seed, level, and the cluster, a column of the table whose items belong
        together.
    column
        The columns of a table whose names are not recognised, as ``{"label": "verdict"}``; the roles are item,
        annotator and label.
    annotators
        The columns of annotators in a table with a column for each; by default all but that of items.
    encoding
        The encoding of text files.

    Examples
    --------
    >>> import touchstone
    >>> found = touchstone.agreement({"ana": ["yes", "no", "no", "yes"], "ben": ["yes", "no", "yes", "yes"]})
    >>> {name: round(one.value, 3) for name, one in found.coefficients.items()}
    {'raw_agreement': 0.75, 'alpha': 0.533, 'cohen': 0.5, 'fleiss': 0.467}
    >>> next(iter(found.items))
    {'item': '3', 'labels': 2, 'disagreement': 1.0, 'majority': None, 'ana': 'no', 'ben': 'yes'}
    """
    if distance not in (None, *DISTANCES):
        near, hint = nearest(str(distance), DISTANCES), f"choose one of {', '.join(DISTANCES)}"
        raise TouchstoneError("unknown distance", value=str(distance), near=near, hint=hint)
    chosen = [f"{role}={name}" for role, name in column.items()] if isinstance(column, Mapping) else column
    how = resampling.bootstrap()
    ratings = read_ratings(
        data,
        distance=distance,
        order=order,
        cluster=how.cluster,
        column=chosen,
        annotators=annotators,
        encoding=encoding,
    )
    distance, how = ratings.distance, replace(how, cluster=ratings.cluster or how.cluster)
    signature = {
        "touchstone": __version__,
        "task": "agreement",
        "items": f"{counted(len(ratings.items), 'item')}, {counted(len(ratings.annotators), 'annotator')}",
        "labels": content_digest(
            item=ratings.items,
            annotator=ratings.annotators,
            labels=ratings.labels,
            cluster=() if ratings.clusters is None else ratings.clusters,
        ),
        "distance": " < ".join([distance, *map(str, order)]),
        "intervals": f"{how}; numpy {np.__version__}",
    }
    announce(ratings.notes)
    people = {name: _annotator(ratings, place, distance, how) for place, name in enumerate(ratings.annotators)}
    items = Items(_disputed(ratings, distance))
    return AnnotatorAgreement(_coefficients(ratings, distance, how), people, items, distance, signature, ratings.notes)


def _coefficients(ratings: Ratings, distance: Distance, how: Resampling) -> dict[str, Agreement]:
    """Return raw agreement and alpha, and for labels the kappas."""
    labels: Any = ratings.labels
    sizes = [len(row) - row.count(None) for row in labels]
    if max(sizes) < 2:
        hint = "agreement needs items that two annotators labelled"
        raise TouchstoneError(f"none of {len(sizes):,} items has two labels", hint=hint)
    drawn = {"clusters": ratings.clusters, "draws": how.draws, "seed": how.seed, "level": how.level}
    found = {
        "raw_agreement": _folded(ratings, _equal_pairs(ratings), _ratio, how),
        "alpha": krippendorff_alpha(labels, distance, unit="item", **drawn),  # type: ignore[arg-type]
    }
    if distance == "interval":
        return found
    if len(ratings.annotators) == 2:
        found["cohen"] = cohen(*zip(*labels, strict=True), unit="item", **drawn)["kappa"]  # type: ignore[arg-type]
    elif len(ratings.annotators) <= MOST_ANNOTATORS:
        found["cohen"] = _mean_cohen(ratings, how)
    if len(set(sizes)) == 1:
        found["fleiss"] = fleiss(labels, unit="item", **drawn)["kappa"]  # type: ignore[arg-type]
    return found


def _folded(
    ratings: Ratings, records: Floats, fold: Fold, how: Resampling, reason: str = "there is nothing to compare"
) -> Agreement:
    """Return the coefficient of the items whose last record is positive: how many of their labels were compared."""
    kept = records[:, -1] > 0
    frame = Frame("nominal", "item", kept, int(records[:, -1].sum()))
    if not kept.any():
        nothing = Interval(np.nan, np.nan, how.level, "percentile", 0)
        return Agreement("", "nominal", "item", np.nan, nothing, 0, 0, len(kept), reason)
    drawn = {"clusters": ratings.clusters, "draws": how.draws, "seed": how.seed, "level": how.level}
    return agreements(records[kept], fold, {"": reason}, frame, **drawn)[""]  # type: ignore[arg-type]


def _ratio(sums: Floats) -> Floats:
    return np.asarray(sums[..., :1] / sums[..., 1:2])


def _equal_pairs(ratings: Ratings) -> Floats:
    """Return the ordered pairs of equal labels of each item, all pairs, and the number of labels in them."""
    counts = [Counter(label for label in row if label is not None) for row in ratings.labels]
    sizes = np.array([own.total() for own in counts], float)
    equal = [sum(n * (n - 1) for n in own.values()) for own in counts]
    return np.column_stack([equal, sizes * (sizes - 1), np.where(sizes > 1, sizes, 0)])


def _mean_cohen(ratings: Ratings, how: Resampling) -> Agreement:
    """Return the mean of Cohen's kappa over the pairs of annotators that share five items; all meet the same resamples.

    The records of a pair are the labels of the first and of the second, equal ones, and items that both labelled.
    """
    known = {label: place for place, label in enumerate(dict.fromkeys(x for row in ratings.labels for x in row))}
    codes = np.array([[-1 if label is None else known[label] for label in row] for row in ratings.labels])
    given = codes[:, :, None] == np.arange(len(known))
    known_to = codes >= 0
    shared = [(a, b, known_to[:, [a]] & known_to[:, [b]]) for a, b in combinations(range(codes.shape[1]), 2)]
    pairs = [one for one in shared if one[2].sum() >= FEWEST_CLUSTERS]
    parts = []
    for a, b, both in pairs:
        equal = (codes[:, a] == codes[:, b])[:, None] & both
        parts += [given[:, a] & both, given[:, b] & both, equal, both]
    labels = (codes >= 0).sum(axis=1, keepdims=True)
    records = np.hstack([*parts, np.where(labels > 1, labels, 0) * bool(pairs)]).astype(float)

    def fold(sums: Floats) -> Floats:
        each = sums[..., :-1].reshape(*sums.shape[:-1], len(pairs), 2 * len(known) + 2)
        n = each[..., -1]
        chance = (each[..., : len(known)] * each[..., len(known) : -2]).sum(axis=-1) / n**2
        kappas = (each[..., -2] / n - chance) / (1 - chance)
        defined = np.isfinite(kappas)
        mean = np.where(defined, kappas, 0.0).sum(axis=-1) / defined.sum(axis=-1)
        return np.asarray(mean[..., None])

    return _folded(ratings, records, fold, how, f"no two annotators share {FEWEST_CLUSTERS} items, or nobody varies")


def _annotator(ratings: Ratings, place: int, distance: Distance, how: Resampling) -> Agreement:
    """Return how far one annotator agrees with the others, over the items where that can be said."""
    records = np.zeros((len(ratings.items), 2))
    for row, labels in enumerate(ratings.labels):
        own, others = labels[place], [label for n, label in enumerate(labels) if n != place and label is not None]
        if own is None or not others:
            continue
        if distance == "interval":
            records[row] = float(own) - np.mean(np.array(others, float)), 1
        elif (mode := _mode(others)) is not None:
            records[row] = own == mode, 1
    return _folded(ratings, records, _ratio, how)


def _mode(labels: Sequence[Label]) -> Label | None:
    """Return the label that most annotators gave; None where two are given as often."""
    return Gold(Counter(labels)).mode if labels else None  # type: ignore[arg-type]


def _disputed(ratings: Ratings, distance: Distance) -> pa.Table:
    """Return a row for each item, the most disputed first: the mean distance of its labels, and all of them."""
    given = [[label for label in row if label is not None] for row in ratings.labels]
    apart = _disagreement(given, distance)
    order = np.argsort(-np.nan_to_num(apart, nan=-1.0), kind="stable").tolist()
    interval = distance == "interval"
    means = [float(np.mean(np.array(own, float))) if own else None for own in given] if interval else []
    columns: dict[str, Sequence[Any]] = {
        "item": ratings.items,
        "labels": [len(own) for own in given],
        "disagreement": [x if isfinite(x) else None for x in apart.tolist()],
        "mean" if interval else "majority": means or [ratings.shown(_mode(own)) for own in given],
    }
    columns |= {
        f"{name} (annotator)" if name in OWN_COLUMNS else name: [ratings.shown(row[place]) for row in ratings.labels]
        for place, name in enumerate(ratings.annotators)
    }
    return pa.table({name: pa.array([cells[row] for row in order]) for name, cells in columns.items()})


def _disagreement(given: Sequence[Sequence[Label]], distance: Distance) -> Floats:
    """Return the mean distance of two labels of each item, nan where it has one.

    Ordinal distances are those of the places of labels, which are scaled from 0 to 1.
    """
    if distance == "nominal":
        shares = [1 - sum(n * (n - 1) for n in Counter(own).values()) / (len(own) * (len(own) - 1))
                  if len(own) > 1 else np.nan for own in given]  # fmt: skip
        return np.array(shares)
    places = {label: float(label) for own in given for label in own}
    if distance == "ordinal":
        values, counts = np.unique([float(label) for own in given for label in own], return_counts=True)
        middles = np.cumsum(counts) - counts / 2
        scaled = (middles - middles[0]) / max(middles[-1] - middles[0], 1)
        places = dict(zip(values.tolist(), scaled.tolist(), strict=True))
    numbers = [np.array([places[label] for label in own]) for own in given]
    return np.array([2 * own.var(ddof=1) if len(own) > 1 else np.nan for own in numbers])
