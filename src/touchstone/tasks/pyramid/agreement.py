"""How well two people agree: on the same peers annotated with one pyramid, or on two pyramids of the same models.

One data set gives alphas from near 0 to near 1, depending on the unit and the distance; so both are beside every
value. What matters most is whether the two yield the same scores (Passonneau 2006): that is always given.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

import numpy as np

from touchstone import __version__
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.signature import content_digest
from touchstone.base.tables import counted, number
from touchstone.core.resampling import Resampling, interval_heading, interval_text, level_text
from touchstone.people.coefficient import Agreement
from touchstone.people.coefficients import coefficients_of
from touchstone.people.finding import AnnotatorAgreement, GroupAgreement
from touchstone.people.ratings import Ratings
from touchstone.show.finding import Finding
from touchstone.show.page import Section
from touchstone.stats.correlation import Correlation
from touchstone.stats.distances import DistanceName
from touchstone.tasks.pyramid.decisions import Presence
from touchstone.tasks.pyramid.joining import natural, unit_counts
from touchstone.tasks.pyramid.readings import FEWEST, SUMMARY, Pairs, Reading, Scores, score_agreement
from touchstone.tasks.pyramid.tokens import PyramidsAgreement, pyramid_agreement

DECISION, UNIT = "decision", "content unit"
PRESENT, ABSENT = "expressed", "absent"

DISTANCES: tuple[DistanceName, ...] = ("masi", "jaccard", "dice", "nominal")
"""How sets are compared; nominal asks whether they are equal."""

ON_DECISIONS = {
    "raw_agreement": "raw_agreement",
    "kappa": "cohen",
    "ac1": "ac1",
    f"f1.{PRESENT}": f"f1.{PRESENT}",
    "alpha": "alpha",
}
"""The coefficients of two annotators' decisions, by the names under which they are shown."""


def agree(first: Reading, second: Reading, *, resampling: Resampling = Resampling()) -> AnnotatorAgreement:  # noqa: B008 (immutable)
    """Return how well two annotators agree.

    Over the peers that both annotated: for each decision (does this peer express that unit?) Cohen's kappa, raw
    agreement, AC1, F1 and alpha; alpha over the set of units of each summary and the set of peers of each unit, by
    MASI, Jaccard and Dice; and the correlation of the modified scores. Where the two have different pyramids of the
    same models, pyramids and scores are compared, and units are not, since they are not the same ones.

    Parameters
    ----------
    first, second
        What each person made (see `read_reading`).
    resampling
        How the intervals are made.

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> folder = Path(touchstone.__file__).parent / "examples" / "pyramid"
    >>> eve = touchstone.pyramid.read_reading(folder)
    >>> agreement = touchstone.pyramid.agree(eve, eve)
    >>> {name: coefficient.value for name, coefficient in agreement.of(judgement="expressed or not").items()}
    {'raw_agreement': 1.0, 'kappa': 1.0, 'ac1': 1.0, 'f1.expressed': 1.0, 'alpha': 1.0}
    """
    second = _named_alike(first, second)
    shared = sorted(first.annotations.keys() & second.annotations.keys(), key=lambda key: (key[0], natural(key[1])))
    pairs = [(unit_counts(first.annotations[key]), unit_counts(second.annotations[key])) for key in shared]
    same = [(a, b) for a, b in pairs if (a.models, a.gold) == (b.models, b.gold)]
    differing_sets = _different_pyramids(first, second, {key[0] for key in shared})
    if not (pairs or differing_sets):
        what = f"{first.name} and {second.name} have neither a summary nor a pyramid in common"
        hint = "give annotations of the same peers, or pyramids of the same models"
        raise TouchstoneError(what, code=Code.MISMATCH, hint=hint)
    names = first.name, second.name
    parts: dict[str, Finding] = {}
    if len(pairs) >= FEWEST:
        parts["scores"] = score_agreement(pairs, names, resampling)
    if differing_sets:
        compared = [
            pyramid_agreement(first.pyramids[set_name], second.pyramids[set_name], resampling)
            for set_name in differing_sets
        ]
        parts["pyramids"] = PyramidsAgreement(compared)
    signature = _signature(resampling, first=str(first), second=str(second), summaries=str(len(pairs)))
    notes = _notes(first, second, pairs, same)
    return _finding(names, _groups(same, names, resampling) if same else [], parts, signature, notes)


def vote_agreement(presence: Presence, *, resampling: Resampling = Resampling()) -> AnnotatorAgreement:  # noqa: B008 (immutable)
    """Return how well votes on each decision agree.

    Krippendorff's alpha is over all decisions; Fleiss' kappa over those with the most frequent number of votes.

    Parameters
    ----------
    presence
        Decisions with their votes (see `read_presence`).
    resampling
        How the intervals are made.

    Examples
    --------
    >>> from touchstone.pyramid import Decision
    >>> votes = {"bridge closed": (1, 1, 1), "flood": (0, 0, 0), "ferry": (1, 1, 1), "repair": (0, 0, 0)}
    >>> decisions = [Decision("S1", "heron", unit, unit, sum(cast) > 1, cast) for unit, cast in votes.items()]
    >>> agreement = vote_agreement(Presence(decisions))
    >>> {coefficient.value for coefficient in agreement.coefficients.values()}
    {1.0}
    """
    voted = [decision for decision in presence.decisions if decision.votes]
    if not voted:
        what = "no decision has votes"
        raise TouchstoneError(what, code=Code.UNSUPPORTED, hint="give the files of votes, not the labels made of them")
    summaries: dict[tuple[str, str], int] = {}
    clusters = np.array(
        [summaries.setdefault((decision.item, decision.system), len(summaries)) for decision in voted], np.int64
    )
    votes = [decision.votes for decision in voted]
    ratings = Ratings.of(votes, clusters=clusters, unit=DECISION)
    coefficients_with_equal_votes = {"kappa": "fleiss", "raw_agreement": "raw_agreement", "ac1": "ac1"}
    coefficients = coefficients_of(ratings, ["alpha"], resampling)
    coefficients |= coefficients_of(ratings.with_modal_size(), coefficients_with_equal_votes, resampling)
    left = len(presence.decisions) - len(voted)
    decided = [(decision.item, decision.system, decision.scu) for decision in voted]
    signature = _signature(resampling, inputs=content_digest(decision=decided, votes=votes))
    notes = [f"{left:,} decisions without votes are left out"] if left else []
    return _finding(("votes",), [GroupAgreement({"judgement": "expressed or not"}, coefficients)], {}, signature, notes)


def _finding(
    names: Sequence[str],
    groups: Sequence[GroupAgreement],
    parts: dict[str, Finding],
    signature: dict[str, str],
    notes: Sequence[str],
) -> AnnotatorAgreement:
    """Return the finding of some people's agreement, with the result in words and the sections of its report."""
    between = " and ".join(dict.fromkeys(names))
    sentences = _sentences(groups, parts.get("scores"))
    agreement = AnnotatorAgreement(
        f"Agreement: {between}", groups, signature, notes, parts=parts, sentences=sentences, subtitle=between
    )
    return replace(agreement, sections=lambda: _sections(agreement))


def _sections(agreement: AnnotatorAgreement) -> list[Section]:
    """Return the sections of the report: scores with their drawing, content units, pyramids."""
    from touchstone.tasks.pyramid.analysis_report import agreement_sections

    return agreement_sections(agreement)


def _sentences(groups: Sequence[GroupAgreement], scores: Finding | None) -> list[str]:
    """Return how the scores of two annotators go together, and how well they agree on units."""
    sentences = []
    if isinstance(scores, Scores):
        correlation, n = scores.correlations[0], len(scores.names)
        if isfinite(correlation.value):
            sentences.append(
                f"The scores that the two give {counted(n, 'summary')} correlate with r = {_size(correlation)}."
            )
    if groups:
        coefficients = groups[0].coefficients
        kappa = coefficients.get("kappa") or next(iter(coefficients.values()))
        on = f"{counted(kappa.units, kappa.unit)} they agree with {kappa.name.replace('_', ' ')}"
        sentences += [f"On {on} {_size(kappa)}."] if isfinite(kappa.value) else []
    return sentences


def _size(estimate: Agreement | Correlation) -> str:
    """Return a value with its interval in brackets, where there is one."""
    ends = interval_text(estimate.interval.low, estimate.interval.high)
    return number(estimate.value) + (f" ({interval_heading(estimate.interval.level)} {ends})" if ends else "")


def _named_alike(first: Reading, second: Reading) -> Reading:
    """Return *second* with its only pyramid under the name that the first's has: two files may be called anything."""
    if first.annotations or second.annotations or not len(first.pyramids) == len(second.pyramids) == 1:
        return second
    (name,), (pyramid,) = first.pyramids, second.pyramids.values()
    return replace(second, pyramids={name: pyramid})


def _different_pyramids(first: Reading, second: Reading, annotated: set[str]) -> list[str]:
    """Return the sets of which both have a pyramid, and not the same one; those without annotations in any case."""
    both = sorted(first.pyramids.keys() & second.pyramids.keys())
    return [
        set_name
        for set_name in both
        if set_name not in annotated or first.pyramids[set_name].gold != second.pyramids[set_name].gold
    ]


def _groups(pairs: Pairs, names: tuple[str, str], resampling: Resampling) -> list[GroupAgreement]:
    """Return the coefficients of decisions, of sets of units and of sets of peers, by several distances."""
    sets = Ratings.of(
        [[frozenset(first.counts), frozenset(second.counts)] for first, second in pairs], names, unit=SUMMARY
    )
    peers = Ratings.of(_peers_of_units(pairs), names, unit=UNIT)
    decisions = coefficients_of(_decisions(pairs, names), ON_DECISIONS, resampling)
    alphas = [
        GroupAgreement(
            {"judgement": judgement}, coefficients_of(replace(ratings, distance=distance), ["alpha"], resampling)
        )
        for judgement, ratings, distances in (("set of units", sets, DISTANCES), ("set of peers", peers, DISTANCES[:2]))
        for distance in distances
    ]
    return [GroupAgreement({"judgement": "expressed or not"}, decisions), *alphas]


def _decisions(pairs: Pairs, names: tuple[str, str]) -> Ratings:
    """Return whether each peer expresses each unit; decisions on one summary are drawn together."""
    uids = [list(first.gold.weights) for first, _ in pairs]
    rows = [
        [PRESENT if uid in side.counts else ABSENT for side in pair]
        for pair, units in zip(pairs, uids, strict=True)
        for uid in units
    ]
    clusters = np.repeat(np.arange(len(pairs)), [len(units) for units in uids])
    return Ratings.of(rows, names, labels=(PRESENT, ABSENT), clusters=clusters, unit=DECISION)


def _peers_of_units(pairs: Pairs) -> list[list[frozenset[str]]]:
    """Return for every unit of every set the peers in which each of the two annotators marked it."""
    peers_of: dict[tuple[str, str], tuple[set[str], set[str]]] = {}
    for pair in pairs:
        for uid in pair[0].gold.weights:
            both = peers_of.setdefault((pair[0].set, uid), (set(), set()))
            for peers, counts in zip(both, pair, strict=True):
                if uid in counts.counts:
                    peers.add(counts.system)
    return [[frozenset(first), frozenset(second)] for first, second in peers_of.values()]


def _notes(first: Reading, second: Reading, pairs: Pairs, same: Pairs) -> list[str]:
    alone = first.annotations.keys() ^ second.annotations.keys()
    lone = f"left out, since only one of the two annotated them: {counted(len(alone), 'summary')}"
    notes = [lone] if alone and pairs else []
    if len(same) < len(pairs):
        notes.append(
            f"{len(pairs) - len(same):,} summaries were annotated with different pyramids: only scores are compared"
        )
    if 0 < len(pairs) < FEWEST:
        notes.append("fewer than three summaries: scores are not correlated")
    if not pairs:
        notes.append("no summary was annotated by both: whether the two pyramids give the same scores is not known")
    return notes


def _signature(resampling: Resampling, **inputs: str) -> dict[str, str]:
    """Return what was computed and how: intervals draw decisions with the summaries that they belong to."""
    share = f"{level_text(resampling.level)} percentile bootstrap over the units named, decisions by summary"
    intervals = f"{share}, {resampling.draws:,} draws, seed {resampling.seed}; numpy {np.__version__}"
    return {"touchstone": __version__, "task": "pyramid agreement", **inputs, "intervals": intervals}
