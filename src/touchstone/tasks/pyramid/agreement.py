"""How far two people agree: on the same peers read against one pyramid, or on two pyramids of the same models.

One data set gives alphas from near 0 to near 1, depending on the unit and the distance; so both are beside every
value. What matters most is whether the two yield the same scores (Passonneau 2006): that is always given.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from touchstone import __version__
from touchstone.base.errors import TouchstoneError
from touchstone.base.signature import content_digest
from touchstone.base.tables import Cell, Column, Table, counted
from touchstone.core.resampling import Resampling, interval_heading, interval_text, level_text
from touchstone.stats.agreement import Agreement, krippendorff_alpha
from touchstone.stats.correlation import Correlation
from touchstone.stats.distances import DistanceName
from touchstone.stats.kappa import cohen, fleiss
from touchstone.tasks.pyramid.decisions import Presence
from touchstone.tasks.pyramid.joining import natural, unit_counts
from touchstone.tasks.pyramid.readings import FEWEST, Draws, Pairs, Reading, Scores, drawn, score_agreement
from touchstone.tasks.pyramid.scores import finite
from touchstone.tasks.pyramid.tokens import PyramidAgreement, pyramid_agreement, pyramids_table

DECISION, SUMMARY, UNIT = "decision", "peer summary", "content unit"
PRESENT, ABSENT = "expressed", "absent"

DISTANCES: tuple[DistanceName, ...] = ("masi", "jaccard", "dice", "nominal")
"""How sets are compared; nominal asks whether they are equal."""


@dataclass(frozen=True, eq=False)
class ReadingAgreement:
    """Coefficients with what they are about; scores, where both read the same peers; pyramids, where there are two."""

    readers: tuple[str, str]
    coefficients: tuple[tuple[str, Agreement], ...]
    scores: Scores | None
    pyramids: tuple[PyramidAgreement, ...]
    signature: Mapping[str, str]
    notes: tuple[str, ...]

    def tables(self) -> list[Table]:
        """Return the coefficients, the scores and the pyramids, those that there are."""
        tables = [self.coefficients_table()] if self.coefficients else []
        tables += [self.scores.table(self.readers)] if self.scores else []
        return tables + ([pyramids_table(self.pyramids)] if self.pyramids else [])

    def coefficients_table(self) -> Table:
        """Return every coefficient with its unit, the judgement that is compared, its distance and its interval."""
        rows: list[list[Cell]] = []
        starts = set()
        before = ""
        for judgement, one in self.coefficients:
            unit = f"{one.unit} ({one.units:,})"
            starts |= {len(rows)} if unit != before else set()
            about = (unit, judgement) if unit != before else ("", "")
            bounds = interval_text(one.interval.low, one.interval.high)
            rows.append([*about, one.name.replace("_", " "), one.distance, one.value, bounds])
            before = unit
        undefined = [one for _, one in self.coefficients if one.reason]
        notes = [f"{one.name} of each {one.unit}: {one.note}" for one in undefined]
        defined = [one for _, one in self.coefficients if one.note and not one.reason]
        notes += dict.fromkeys(f"each {one.unit}: {one.note}" for one in defined)
        heads = ("unit", "judgement", "coefficient", "distance")
        columns = [
            *map(Column, heads),
            Column("value", "right"),
            Column(interval_heading(self.coefficients[0][1].interval.level), "right"),
        ]
        return Table(columns, rows, f"Agreement: {' and '.join(dict.fromkeys(self.readers))}", notes, rules=starts)

    def to_dict(self) -> dict[str, object]:
        """Return signature and values, ready for JSON; what is undefined is null, with the reason."""
        rows = [
            {"judgement": what} | _json(one, one.units, one.unit) | {"distance": one.distance}
            for what, one in self.coefficients
        ]
        scores = self.scores.correlations if self.scores else ()
        rows += [{"judgement": "modified score"} | _json(one, one.n, SUMMARY) for one in scores]
        rows += [
            {"judgement": "tokens that share a unit", "set": p.set, "distance": "masi"}
            | _json(p.alpha, p.alpha.units, "token")
            for p in self.pyramids
        ]
        return {"signature": dict(self.signature), "results": rows, "notes": list(self.notes)}

    def __repr__(self) -> str:
        return "\n\n".join(table.to_text() for table in self.tables())


def agree(first: Reading, second: Reading, *, resampling: Resampling = Resampling()) -> ReadingAgreement:  # noqa: B008 (immutable)
    """Return how far two readings agree.

    Over the peers that both read: for each decision (does this peer express that unit?) Cohen's kappa, raw agreement,
    AC1, F1 and alpha; alpha over the set of units of each summary and the set of peers of each unit, by MASI, Jaccard
    and Dice; and the correlation of the modified scores. Where the two have different pyramids of the same models,
    pyramids and scores are compared, and units are not, since they are not the same ones.

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
    >>> {coefficient.value for _, coefficient in agreement.coefficients}
    {1.0}
    """
    second = _named_alike(first, second)
    shared = sorted(first.annotations.keys() & second.annotations.keys(), key=lambda key: (key[0], natural(key[1])))
    pairs = [(unit_counts(first.annotations[key]), unit_counts(second.annotations[key])) for key in shared]
    same = [(a, b) for a, b in pairs if (a.models, a.gold) == (b.models, b.gold)]
    apart = _different_pyramids(first, second, {key[0] for key in shared})
    if not (pairs or apart):
        raise TouchstoneError(
            f"{first.name} and {second.name} have neither a summary nor a pyramid in common",
            hint="give annotations of the same peers, or pyramids of the same models",
        )
    return ReadingAgreement(
        (first.name, second.name),
        tuple(_coefficients(same, resampling)) if same else (),
        score_agreement(pairs, resampling) if len(pairs) >= FEWEST else None,
        tuple(pyramid_agreement(first.pyramids[one], second.pyramids[one], resampling) for one in apart),
        _signature(resampling, first=str(first), second=str(second), summaries=str(len(pairs))),
        tuple(_notes(first, second, pairs, same)),
    )


def vote_agreement(presence: Presence, *, resampling: Resampling = Resampling()) -> ReadingAgreement:  # noqa: B008 (immutable)
    """Return how far votes on each decision agree.

    Krippendorff's alpha is over all decisions; Fleiss' kappa over those with the most frequent number of votes.

    Parameters
    ----------
    presence
        Decisions with their votes (see `read_presence`).
    resampling
        How the intervals are made.

    Examples
    --------
    >>> from touchstone.tasks.pyramid import Decision
    >>> votes = {"bridge closed": (1, 1, 1), "flood": (0, 0, 0), "ferry": (1, 1, 1), "repair": (0, 0, 0)}
    >>> decisions = [Decision("S1", "heron", unit, unit, sum(given) > 1, given) for unit, given in votes.items()]
    >>> agreement = vote_agreement(Presence(decisions))
    >>> {coefficient.value for _, coefficient in agreement.coefficients}
    {1.0}
    """
    voted = [one for one in presence.decisions if one.votes]
    if not voted:
        raise TouchstoneError("no decision has votes", hint="give the files of votes, not the labels made of them")
    places: dict[tuple[str, str], int] = {}
    clusters = np.array([places.setdefault((one.item, one.system), len(places)) for one in voted], np.int64)
    votes = [one.votes for one in voted]
    how = drawn(resampling)
    kappas = fleiss(votes, unit=DECISION, clusters=clusters, **how)
    coefficients = [krippendorff_alpha(votes, unit=DECISION, clusters=clusters, **how)]
    coefficients += [kappas[name] for name in ("kappa", "raw_agreement", "ac1")]
    left = len(presence.decisions) - len(voted)
    decided = [(one.item, one.system, one.scu) for one in voted]
    return ReadingAgreement(
        ("votes", "votes"),
        tuple(("expressed or not", one) for one in coefficients),
        scores=None,
        pyramids=(),
        signature=_signature(resampling, inputs=content_digest(decision=decided, votes=votes)),
        notes=(f"{left:,} decisions without votes are left out",) if left else (),
    )


def _named_alike(first: Reading, second: Reading) -> Reading:
    """Return *second* with its only pyramid under the name that the first's has: two files may be called anything."""
    if first.annotations or second.annotations or not len(first.pyramids) == len(second.pyramids) == 1:
        return second
    (name,), (pyramid,) = first.pyramids, second.pyramids.values()
    return replace(second, pyramids={name: pyramid})


def _different_pyramids(first: Reading, second: Reading, annotated: set[str]) -> list[str]:
    """Return the sets of which both have a pyramid, and not the same one; those without annotations in any case."""
    both = sorted(first.pyramids.keys() & second.pyramids.keys())
    return [one for one in both if one not in annotated or first.pyramids[one].gold != second.pyramids[one].gold]


def _coefficients(pairs: Pairs, resampling: Resampling) -> list[tuple[str, Agreement]]:
    how = drawn(resampling)
    sets = [[frozenset(one.counts), frozenset(other.counts)] for one, other in pairs]
    peers = _peers_of_units(pairs)
    return [
        *(("expressed or not", one) for one in _on_decisions(pairs, how)),
        *(("set of units", krippendorff_alpha(sets, name, unit=SUMMARY, **how)) for name in DISTANCES),
        *(("set of peers", krippendorff_alpha(peers, name, unit=UNIT, **how)) for name in DISTANCES[:2]),
    ]


def _on_decisions(pairs: Pairs, how: Draws) -> list[Agreement]:
    """Return the coefficients of whether each peer expresses each unit; decisions on one summary are drawn together."""
    uids = [list(one.gold.weights) for one, _ in pairs]
    clusters = np.repeat(np.arange(len(pairs)), [len(names) for names in uids])
    judgements = [
        [PRESENT if uid in one.counts else ABSENT for one, names in zip(side, uids, strict=True) for uid in names]
        for side in zip(*pairs, strict=True)
    ]
    kappas = cohen(*judgements, labels=(PRESENT, ABSENT), unit=DECISION, clusters=clusters, **how)
    alpha = krippendorff_alpha(zip(*judgements, strict=True), unit=DECISION, clusters=clusters, **how)
    return [*(kappas[name] for name in ("raw_agreement", "kappa", "ac1", f"f1.{PRESENT}")), alpha]


def _peers_of_units(pairs: Pairs) -> list[list[frozenset[str]]]:
    """Return for every unit of every set the peers in which each of the two found it."""
    peers_of: dict[tuple[str, str], tuple[set[str], set[str]]] = {}
    for pair in pairs:
        for uid in pair[0].gold.weights:
            both = peers_of.setdefault((pair[0].set, uid), (set(), set()))
            for peers, one in zip(both, pair, strict=True):
                if uid in one.counts:
                    peers.add(one.system)
    return [[frozenset(one), frozenset(other)] for one, other in peers_of.values()]


def _notes(first: Reading, second: Reading, pairs: Pairs, same: Pairs) -> list[str]:
    alone = first.annotations.keys() ^ second.annotations.keys()
    notes = (
        [f"left out, since only one of the two read them: {counted(len(alone), 'summary')}"] if alone and pairs else []
    )
    if len(same) < len(pairs):
        notes.append(
            f"{len(pairs) - len(same):,} summaries were read against different pyramids: only scores are compared"
        )
    if 0 < len(pairs) < FEWEST:
        notes.append("fewer than three summaries: scores are not correlated")
    if not pairs:
        notes.append("no summary was read by both: whether the two pyramids give the same scores is not known")
    return notes


def _signature(resampling: Resampling, **inputs: str) -> dict[str, str]:
    """Return what was computed and how: intervals draw decisions with the summaries that they belong to."""
    share = f"{level_text(resampling.level)} percentile bootstrap over the units named, decisions by summary"
    intervals = f"{share}, {resampling.draws:,} draws, seed {resampling.seed}; numpy {np.__version__}"
    return {"touchstone": __version__, "task": "pyramid agreement", **inputs, "intervals": intervals}


def _json(one: Agreement | Correlation, n: int, unit: str) -> dict[str, object]:
    values = {"value": one.value, "low": one.interval.low, "high": one.interval.high}
    return {"measure": one.name, "unit": unit, **finite(values), "n": n, "reason": one.reason}
