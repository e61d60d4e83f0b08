"""How well annotators agree with each other and with themselves, for each criterion and language pair.

Ranks are compared pair by pair of systems, as WMT does: A is better, B is, or neither; scores one by one. Intervals
resample segments.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from touchstone import __version__
from touchstone.base.ragged import Floats, Ints
from touchstone.core.resampling import Resampling
from touchstone.people.coefficient import Agreement, Coefficients, estimate, undefined
from touchstone.people.coefficients import COEFFICIENTS, coefficients_of
from touchstone.people.finding import AnnotatorAgreement, GroupAgreement
from touchstone.people.ratings import Ratings
from touchstone.tasks.mt.judges.judgements import Judgements
from touchstone.tasks.mt.judges.metaeval.preferences import ballot_pairs

MOST_LABELS = 12
"""Distinct scores up to which equal ones mean agreement; more are points on a line."""

OVER_PAIRS = {"kappa": "scott", "raw_agreement": "raw_agreement", "chance": "chance"}
"""The coefficients over all pairs of judgements, by the names under which they are shown."""

LEGEND = (
    "compared: pairs of judgements of one unit, by different annotators (inter) or by one (intra)",
    "fleiss: units with the most common number of annotators",
)


def agreement(human: Judgements | Sequence[Judgements], *, resampling: Resampling | None = None) -> AnnotatorAgreement:
    """Return inter- and intra-annotator agreement of each criterion, with intervals over segments.

    kappa = (P - P_e) / (1 - P_e), where P is the share of equal pairs of judgements of a unit, among all pairs of
    different annotators (inter) or of one annotator (intra). From the first answer of each annotator come
    Krippendorff's alpha (nominal for pairs of ranks, interval for scores) and Fleiss' kappa, from the first and second
    answer Cohen's kappa.

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
    >>> agreed = mt.agreement(mt.read_judgements(folder / "rankings.csv"))
    >>> {among: round(agreed.of(among=among)["kappa"].value, 3) for among in ("inter", "intra")}
    {'inter': 0.734, 'intra': 0.894}
    """
    criteria = [human] if isinstance(human, Judgements) else list(human)
    how = (resampling or Resampling(cluster="segment")).bootstrap()
    groups: list[GroupAgreement] = []
    for judged in criteria:
        every = [*judged.groups, None] if len(judged.groups) > 1 else [*judged.groups]
        for among in ("inter", "intra"):
            for group in every:
                entries = np.arange(len(judged)) if group is None and len(judged.groups) > 1 else judged.of_group(group)
                ratings = pair_ratings(judged, entries) if judged.scale == "rank" else score_ratings(judged, entries)
                coefficients = _coefficients(replace(ratings, same_annotator=among == "intra"), how)
                groups.append(
                    GroupAgreement({"criterion": judged.criterion, "among": among, "group": group}, coefficients)
                )
    signature = {
        "touchstone": __version__,
        "task": "mt agreement",
        "human": "; ".join(dict.fromkeys(str(judged.source) for judged in criteria)),
        "chance": "shares of the labels over all judgements, better and worse alike (WMT 2012)",
        "intervals": f"{how}; numpy {np.__version__}",
    }
    notes = [
        f"{judged.criterion}: blank judgements left out: {judged.blanks:,}" for judged in criteria if judged.blanks
    ]
    notes += dict.fromkeys(note for judged in criteria for note in judged.notes)
    return AnnotatorAgreement("Agreement of annotators, corrected for chance", groups, signature, notes, legend=LEGEND)


def pair_ratings(judged: Judgements, entries: Ints) -> Ratings:
    """Return a ranking as labels of two systems in a segment (and span): is one better, or neither.

    Parameters
    ----------
    judged
        The judgements.
    entries
        Those that count.
    """
    a, b = ballot_pairs(judged, entries)
    # Each pair of systems in one order, whatever that of the ballot: equal preferences get equal labels.
    turned = judged.system[a] > judged.system[b]
    a, b = np.where(turned, b, a), np.where(turned, a, b)
    sign = np.sign(judged.goodness[a] - judged.goodness[b])
    ratings = _ratings(judged, np.column_stack([_keys(judged, a), judged.system[b]]), judged.judge[a], sign)
    return replace(ratings, mirrored=[label != 0 for label in ratings.labels])


def score_ratings(judged: Judgements, entries: Ints) -> Ratings:
    """Return the labels of a scale: the score of one system in a segment.

    Parameters
    ----------
    judged
        The judgements.
    entries
        Those that count.
    """
    entries = entries[~np.isnan(judged.value[entries])]
    ratings = _ratings(judged, _keys(judged, entries), judged.judge[entries], judged.value[entries])
    return replace(ratings, distance="interval")


def _keys(judged: Judgements, entries: Ints) -> Ints:
    return np.stack([column[entries] for column in (judged.group, judged.segment, judged.span, judged.system)], axis=1)


def _ratings(judged: Judgements, keys: Ints, annotator: Ints, values: Floats) -> Ratings:
    """Return numbers as the labels of the units that *keys* tell apart, whose second column is the segment."""
    units, unit = np.unique(keys, axis=0, return_inverse=True)
    distinct, label = np.unique(values, return_inverse=True)
    names = [str(name) for name in judged.judges]
    labels, clusters = distinct.tolist(), units[:, 1]
    return Ratings(unit.ravel(), annotator, label.ravel(), labels, range(len(units)), names, clusters)


def _coefficients(ratings: Ratings, how: Resampling) -> Coefficients:
    over_pairs = _over_pairs(ratings, how)
    if over_pairs["kappa"].answers == 0:
        return over_pairs
    labels = over_pairs["kappa"].reason is None
    if ratings.same_annotator:
        return over_pairs | (coefficients_of(ratings.repeated(), ["cohen"], how) if labels else {})
    return over_pairs | coefficients_of(ratings.first_labels(), ["alpha", *(["fleiss"] if labels else [])], how)


def _over_pairs(ratings: Ratings, how: Resampling) -> dict[str, Agreement]:
    """Return kappa, the share of equal pairs of judgements, and that by chance; all units are drawn for each."""
    compared, everything = ratings.pairs[:, 1] > 0, np.ones(len(ratings.items), np.bool_)
    units, pairs, n = int(compared.sum()), int(ratings.pairs[:, 1].sum()), len(ratings.labels)
    whom = "twice by one annotator" if ratings.same_annotator else "by two annotators"
    coefficients = {}
    for title, name in OVER_PAIRS.items():
        terms = replace(COEFFICIENTS[name](ratings), compared=everything)
        terms = terms if pairs else replace(terms, undefined=f"no unit was judged {whom}")
        value = estimate(title, ratings, terms, how)
        if pairs and n > MOST_LABELS:
            value = undefined(value, f"{n} distinct scores are points on a line, not labels")
        coefficients[title] = replace(value, units=units, answers=pairs, left_out=len(everything) - units)
    return coefficients
