"""How well annotators agree, on labels or numbers of any task: coefficients, each annotator, and each item."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any, get_args

import numpy as np
import pyarrow as pa

from touchstone import __version__
from touchstone.base.notes import announce
from touchstone.base.ragged import Floats
from touchstone.base.signature import content_digest
from touchstone.base.tables import counted
from touchstone.core.gold import Gold
from touchstone.core.resampling import Resampling
from touchstone.core.results import Items
from touchstone.people.coefficient import Agreement, Terms, estimate
from touchstone.people.coefficients import coefficients_of
from touchstone.people.finding import ITEM_COLUMNS, AnnotatorAgreement, GroupAgreement
from touchstone.people.ratings import Ratings
from touchstone.people.reading import Distance, ReadRatings, read_ratings
from touchstone.stats.checks import check_choice
from touchstone.stats.records import mean

MOST_ANNOTATORS = 10
"""Annotators up to which the kappas of all pairs are averaged; more share too few items, and alpha is for them."""


def agreement(
    data: object,
    distance: Distance | None = None,
    *,
    order: Sequence[object] = (),
    resampling: Resampling = Resampling(),  # noqa: B008 (immutable)
    column: Sequence[str] | Mapping[str, str] = (),
    annotators: Sequence[str] = (),
    coefficients: Sequence[str] = (),
    encoding: str = "utf-8",
) -> AnnotatorAgreement:
    """Return how well annotators agree, with intervals over items.

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
        How intervals are computed: draws, seed, level, and the cluster, a column whose items belong together.
    column
        The columns whose names are not recognised, as ``{"label": "verdict"}``; roles: item, annotator, label.
    annotators
        The columns of annotators in a table with a column for each; by default all but that of items.
    coefficients
        The names of the coefficients, as in `touchstone.people.coefficients.COEFFICIENTS`; by default those above that
        suit the labels. ``NAME.LABEL`` is the coefficient of one label.
    encoding
        The encoding of text files.

    Examples
    --------
    >>> import touchstone
    >>> result = touchstone.agreement({"ana": ["yes", "no", "no", "yes"], "ben": ["yes", "no", "yes", "yes"]})
    >>> {name: round(coefficient.value, 3) for name, coefficient in result.coefficients.items()}
    {'raw_agreement': 0.75, 'alpha': 0.533, 'cohen': 0.5, 'fleiss': 0.467}
    """
    if distance is not None:
        check_choice("distance", str(distance), get_args(Distance))
    roles = [f"{role}={name}" for role, name in column.items()] if isinstance(column, Mapping) else column
    how = resampling.bootstrap()
    read = read_ratings(
        data, distance, order, cluster=how.cluster, column=roles, annotators=annotators, encoding=encoding
    )
    announce(read.notes)
    return _finding(read, order, coefficients, replace(how, cluster=read.cluster or how.cluster))


def _finding(
    read: ReadRatings, order: Sequence[object], coefficients: Sequence[str], how: Resampling
) -> AnnotatorAgreement:
    """Return the coefficients, how well each annotator agrees with the others, and the most disputed items."""
    ratings = read.ratings
    labels = [[None if number < 0 else ratings.labels[number] for number in row] for row in ratings.columns.tolist()]
    signature = {
        "touchstone": __version__,
        "task": "agreement",
        "items": f"{counted(len(ratings.items), 'item')}, {counted(len(ratings.annotators), 'annotator')}",
        "labels": content_digest(
            item=ratings.items,
            annotator=ratings.annotators,
            labels=labels,
            cluster=() if ratings.clusters is None else ratings.clusters,
        ),
        "distance": " < ".join([ratings.distance, *map(str, order)]),
        **({"coefficients": ", ".join(coefficients)} if coefficients else {}),
        "intervals": f"{how}; numpy {np.__version__}",
    }
    agreements = coefficients_of(ratings, coefficients or default_coefficients(ratings), how)
    return AnnotatorAgreement(
        f"Agreement of {counted(len(ratings.annotators), 'annotator')}",
        [GroupAgreement({}, agreements)],
        signature,
        read.notes,
        {name: _annotator(name, labels, ratings, how) for name in ratings.annotators},
        Items(_disputed(ratings, labels)),
        ratings.distance,
    )


def default_coefficients(ratings: Ratings) -> list[str]:
    """Return the names of the coefficients that suit ratings: raw agreement and alpha, and for labels the kappas.

    Parameters
    ----------
    ratings
        The labels of annotators.

    Examples
    --------
    >>> default_coefficients(Ratings.of([["yes", "no"], ["no", "no"]], ["ana", "ben"]))
    ['raw_agreement', 'alpha', 'cohen', 'fleiss']
    """
    kappas = ratings.distance != "interval"
    return [
        "raw_agreement",
        "alpha",
        *(["cohen"] if kappas and 2 <= len(ratings.annotators) <= MOST_ANNOTATORS else []),
        *(["fleiss"] if kappas and len(set(ratings.sizes.tolist())) == 1 else []),
    ]


def _annotator(name: str, rows: Sequence[Sequence[Hashable | None]], ratings: Ratings, how: Resampling) -> Agreement:
    """Return how far one annotator agrees with the others, over the items where that can be said."""
    column, records = ratings.annotators.index(name), np.zeros((len(rows), 2))
    for row, labels in enumerate(rows):
        answer, others = labels[column], [label for n, label in enumerate(labels) if n != column and label is not None]
        if answer is None or not others:
            continue
        if ratings.distance == "interval":
            records[row] = float(answer) - np.mean(np.array(others, float)), 1  # type: ignore[arg-type]
        elif (mode := _mode(others)) is not None:
            records[row] = answer == mode, 1
    compared = records[:, 1] > 0
    terms = Terms(records, mean, compared, "there is nothing to compare", answers=int(compared.sum()))
    return estimate(name, ratings, terms, how)


def _mode(labels: Sequence[Hashable]) -> Hashable | None:
    """Return the label that most annotators gave; None where two are given as often."""
    return Gold(Counter(labels)).mode if labels else None  # type: ignore[arg-type]


def _disputed(ratings: Ratings, rows: Sequence[Sequence[Hashable | None]]) -> pa.Table:
    """Return a row for each item, the most disputed first: the mean distance of its labels, and all of them."""
    labels_by_item, disagreement = ratings.rows, _disagreement(ratings)

    def as_written(label: Hashable | None) -> Hashable | None:
        return None if label is None else ratings.written.get(label, label)

    order = np.argsort(-np.nan_to_num(disagreement, nan=-1.0), kind="stable").tolist()
    interval = ratings.distance == "interval"
    means = (
        [float(np.mean(np.array(labels, float))) if labels else None for labels in labels_by_item] if interval else []
    )
    columns: dict[str, Sequence[Any]] = {
        "item": ratings.items,
        "labels": [len(labels) for labels in labels_by_item],
        "disagreement": [x if isfinite(x) else None for x in disagreement.tolist()],
        "mean" if interval else "majority": means or [as_written(_mode(labels)) for labels in labels_by_item],
    }
    columns |= {
        f"{name} (annotator)" if name in ITEM_COLUMNS else name: [as_written(row[column]) for row in rows]
        for column, name in enumerate(ratings.annotators)
    }
    return pa.table({name: pa.array([cells[row] for row in order]) for name, cells in columns.items()})


def _disagreement(ratings: Ratings) -> Floats:
    """Return the mean distance of two labels of each item, nan where it has one.

    Ordinal distances are those of the places of labels, which are scaled from 0 to 1.
    """
    several = ratings.sizes > 1
    if ratings.distance == "nominal":
        equal, pairs = ratings.pairs.T
        return np.where(several, 1 - equal / np.maximum(pairs, 1), np.nan)
    places = ratings.values
    if ratings.distance == "ordinal":
        order = np.argsort(places)
        counts = ratings.counts.sum(axis=0)[order]
        # Two labels are as far apart as there are labels between them: see `ordinal_distances`.
        middles = np.cumsum(counts) - counts / 2
        places[order] = (middles - middles[0]) / max(middles[-1] - middles[0], 1)
    # The mean squared difference of two labels is twice their variance.
    numbers = np.split(places[ratings.label], np.cumsum(ratings.sizes)[:-1])  # labels of a table are sorted by item
    return np.array([2 * item_numbers.var(ddof=1) if len(item_numbers) > 1 else np.nan for item_numbers in numbers])
