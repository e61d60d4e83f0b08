"""Feedback on a training item: how an annotator's answer compares with the prepared one.

The units of a peer have uids and are compared one by one. Two pyramids have different units; these are matched one to
one by the tokens that they share.
"""

from collections.abc import Iterable, Sequence
from math import isfinite

import numpy as np

from touchstone.annotate.pyramid.document import PeerDocument, PyramidDocument, to_annotation, to_pyramid
from touchstone.annotate.pyramid.figures import Object, mean_weight, modified_score
from touchstone.base.ragged import Bools, Floats
from touchstone.core.matching import Matching, match
from touchstone.core.resampling import Resampling
from touchstone.io.jsonl import Json
from touchstone.people.coefficient import Agreement
from touchstone.people.coefficients import coefficients_of
from touchstone.people.finding import AnnotatorAgreement
from touchstone.people.ratings import Ratings
from touchstone.tasks.pyramid.agreement import agree
from touchstone.tasks.pyramid.model import Annotation, Pyramid
from touchstone.tasks.pyramid.readings import reading
from touchstone.tasks.pyramid.tokens import pyramid_agreement, tokens

HIT = 0.5
"""The least similarity of two matched units that count as the same: half of the tokens are shared. Our choice."""

YES, NO = "yes", "no"


def peer_feedback(prepared: PeerDocument, submitted: PeerDocument) -> Object:
    """Return how a *submitted* annotation of a peer compares with the *prepared* one with the same pyramid.

    Units are in both (hit), only in the prepared one (missed), or only in the annotator's (extra). Kappa is over the
    units of the pyramid; if it is None, *reason* says why. *difference* is the annotator's modified score minus the
    prepared one.
    """
    expected, marked = (set(to_annotation(document).counts) for document in (prepared, submitted))
    uids = [unit.uid for tier in prepared.pyramid.tiers.values() for unit in tier]
    kappa = _kappa([uid in expected for uid in uids], [uid in marked for uid in uids], "unit")
    groups = {"hit": expected & marked, "missed": expected - marked, "extra": marked - expected}
    scored, aimed = modified_score(submitted), modified_score(prepared)
    return {
        **{name: [uid for uid in uids if uid in group] for name, group in groups.items()},
        "f1": f1(*map(len, groups.values())),
        "kappa": _value(kappa),
        "reason": kappa.reason,
        "modified": scored,
        "prepared": aimed,
        "difference": None if scored is None or aimed is None else scored - aimed,
    }


def pyramid_feedback(prepared: PyramidDocument, submitted: PyramidDocument) -> Object:
    """Return how a *submitted* pyramid compares with the *prepared* one of the same models.

    Their units are in pairs, with similarity = 2 shared tokens / all tokens; pairs of `HIT` or more are hits. Kappa is
    over the tokens of the summaries (covered by a unit or not), alpha over the tokens that share a unit (MASI). The
    mean weights indicate the scores that the two pyramids would give.
    """
    there, here = to_pyramid(prepared), to_pyramid(submitted)
    inside = [_members(pyramid) for pyramid in (there, here)]
    pairing = paired(*inside)
    pairs = [(there.units[link.left], here.units[link.right], link.weight) for link in pairing.links]
    hits = [(left.uid, right.uid) for left, right, similarity in pairs if similarity >= HIT]
    missed = _others(there, [left for left, _ in hits])
    extra = _others(here, [right for _, right in hits])
    covered = [np.any(side, axis=0).tolist() for side in inside]
    kappa = _kappa(covered[0], covered[1], "token")
    alpha = pyramid_agreement(there, here, Resampling()).alpha if there.units and here.units else None
    return {
        "pairs": [
            {"prepared": left.uid, "own": right.uid, "similarity": similarity, "weights": [left.weight, right.weight]}
            for left, right, similarity in pairs
        ],
        "hit": [left for left, _ in hits],
        "missed": missed,
        "extra": extra,
        "f1": f1(len(hits), len(missed), len(extra)),
        "similarity": pairing.f(),
        "kappa": _value(kappa),
        "alpha": _value(alpha) if alpha else None,
        "reason": kappa.reason or (alpha.reason if alpha else "a pyramid has no units"),
        "mean_weight": mean_weight(here),
        "prepared_mean_weight": mean_weight(there),
    }


def agreement_of(
    first: Sequence[PyramidDocument | PeerDocument],
    second: Sequence[PyramidDocument | PeerDocument],
    names: tuple[str, str] = ("first", "second"),
) -> AnnotatorAgreement:
    """Return the agreement of two annotators on the same texts, as ``touchstone pyramid agreement`` computes it.

    Parameters
    ----------
    first, second
        The documents of each annotator, in the same order.
    names
        The names of the annotators.
    """
    sides = zip(names, (first, second), strict=True)
    readings = [reading(name, [_model(document) for document in side]) for name, side in sides]
    return agree(readings[0], readings[1])


def f1(hit: int, missed: int, extra: int) -> float:
    """Return 2 hit / (2 hit + missed + extra); 1 if there was nothing to find and nothing was found.

    >>> f1(2, 1, 1) == 2 / 3, f1(0, 0, 0)
    (True, 1.0)
    """
    return 2 * hit / (2 * hit + missed + extra) if hit + missed + extra else 1.0


def paired(left: Bools, right: Bools) -> Matching:
    """Return the units of two pyramids (rows over the same tokens) matched one to one by 2 shared / all tokens."""

    def similarity(some: Sequence[int], others: Sequence[int]) -> Floats:
        first, second = left[list(some)].astype(np.float64), right[list(others)].astype(np.float64)
        sizes = first.sum(axis=1)[:, None] + second.sum(axis=1)[None, :]
        return np.asarray(2 * (first @ second.T) / np.maximum(sizes, 1), np.float64)

    return match(range(len(left)), range(len(right)), similarity=similarity)


def _members(pyramid: Pyramid) -> Bools:
    """Return for each unit (row) which tokens of the summaries it touches."""
    spans = tokens(pyramid)
    inside = np.zeros((len(pyramid.units), len(spans)), np.bool_)
    for row, unit in enumerate(pyramid.units):
        for part in (part for contributor in unit.contributors for part in contributor.parts):
            inside[row] |= (spans[:, 0] < part.end) & (spans[:, 1] > part.start)
    return inside


def _others(pyramid: Pyramid, uids: Sequence[str]) -> list[Json]:
    return [unit.uid for unit in pyramid.units if unit.uid not in uids]


def _kappa(first: Iterable[bool], second: Iterable[bool], unit: str) -> Agreement:
    rows = [[YES if member else NO for member in pair] for pair in zip(first, second, strict=True)]
    ratings = Ratings.of(rows, ("prepared", "own"), labels=(YES, NO), unit=unit)
    return coefficients_of(ratings, {"kappa": "cohen"})["kappa"]


def _value(agreement: Agreement) -> float | None:
    return agreement.value if isfinite(agreement.value) else None


def _model(document: PyramidDocument | PeerDocument) -> Pyramid | Annotation:
    return to_pyramid(document) if isinstance(document, PyramidDocument) else to_annotation(document)
