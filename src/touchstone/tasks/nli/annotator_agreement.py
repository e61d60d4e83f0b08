"""How well annotators agree on pairs, and how well one of them would do as a system.

Kappa is near 0 where one label dominates, however well people agree; so raw agreement and AC1 are always shown with it.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from touchstone import __version__
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.notes import announce, warning
from touchstone.base.ragged import Ints
from touchstone.base.spelling import setting
from touchstone.base.tables import Cell, Column, Table
from touchstone.core.gold import Gold
from touchstone.core.resampling import Resampling
from touchstone.people.coefficient import Coefficients, Terms, estimate
from touchstone.people.coefficients import coefficients_of
from touchstone.people.doubts import SHARED, doubts_about_labels
from touchstone.people.finding import AnnotatorAgreement, GroupAgreement
from touchstone.people.ratings import Ratings
from touchstone.show.finding import Statement
from touchstone.stats.records import mean
from touchstone.tasks.nli.formats.pairs import NAMES
from touchstone.tasks.nli.model import DISCARDED, KEPT_OF, LABELS, GoldSet, Pair

COEFFICIENTS = {
    "kappa": "fleiss",
    **{f"kappa.{label}": f"fleiss.{label}" for label in LABELS},
    "raw_agreement": "raw_agreement",
    "ac1": "ac1",
}
"""The coefficients by the names under which they are shown."""

GROUPED_BY = ("category", "gold", "relation")


def agreement(
    gold: GoldSet,
    *,
    by: str | None = None,
    resampling: Resampling = Resampling(),  # noqa: B008 (immutable)
    discards: GoldSet | None = None,
) -> AnnotatorAgreement:
    """Return how well the annotators of pairs agree, with intervals.

    Fleiss' kappa (overall and of each label), raw agreement and Gwet's AC1 as in `touchstone.people.coefficients`;
    ``human`` is the share of single labels that equal the gold, their own vote included; ``human_leave_one_out`` the
    share that equal the mode of the other annotators, where they have one. All are over the pairs with
    the most frequent number of labels, the last two over those of them that have gold; others are left out and counted.

    Parameters
    ----------
    gold
        Pairs with the labels of their annotators.
    by
        A field to group the pairs by: category, gold or relation.
    resampling
        How intervals are computed. Pairs that share a premise are resampled together, unless its cluster is ``item``.
    discards
        The pairs that ``nli verify`` discarded, where *gold* holds those that it kept: annotators disagree more on
        them, so agreement on the kept pairs alone is too high.

    Examples
    --------
    >>> from touchstone import nli
    >>> gold = nli.read_gold([
    ...     {"id": "1", "premise": "A dog runs.", "hypothesis": "An animal runs.", "annotators": ["entailment"] * 3},
    ...     {"id": "2", "premise": "He eats.", "hypothesis": "He sat.", "annotators": ["neutral"] * 2 + ["entailment"]},
    ... ])
    >>> round(nli.agreement(gold).coefficients["raw_agreement"].value, 3)
    0.667
    """
    finding = quiet_agreement(gold, by=by, resampling=resampling, discards=discards)
    announce(finding.notes)
    return finding


def quiet_agreement(
    gold: GoldSet,
    *,
    by: str | None = None,
    resampling: Resampling = Resampling(),  # noqa: B008 (immutable)
    discards: GoldSet | None = None,
) -> AnnotatorAgreement:
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
        raise TouchstoneError("no pair has annotators' labels", file=gold.source.name, code=Code.UNSUPPORTED, hint=hint)
    sizes = Counter(len(pair.annotators) for pair in labelled)
    # Fleiss' kappa needs the same number of labels for each pair: the most frequent number, of two the larger.
    size = max((n for n in sizes if n > 1), key=lambda n: (sizes[n], n), default=0)
    pairs = [pair for pair in labelled if len(pair.annotators) == size]
    if not pairs:
        raise TouchstoneError("no pair has the labels of two annotators", file=gold.source.name, code=Code.TOO_FEW)
    if resampling.cluster not in (None, "item", "premise"):
        what = "agreement is resampled by premise or by item"
        raise TouchstoneError(what, value=resampling.cluster, code=Code.BAD_VALUE)
    resampling = replace(resampling, method="percentile", cluster=resampling.cluster or "premise")
    groups = [GroupAgreement({}, _coefficients(pairs, resampling))]
    for name, members in _groups(pairs, by).items() if by else ():
        groups.append(GroupAgreement({"group": name}, _coefficients(members, resampling)))
    signature = {
        "touchstone": __version__,
        "task": "nli agreement",
        "gold": gold.digest,
        "annotators": str(size),
        "intervals": f"{resampling}; numpy {np.__version__}",
        **({"by": by} if by else {}),
    }
    left_out = {
        f"pairs left out, which do not have {size} labels": len(gold) - len(pairs),
        "pairs without a gold label, since no label has a majority": gold.ties,
    }
    notes = [f"{gold.source.stem}: {what}: {count:,}" for what, count in left_out.items() if count]
    notes = [*_warn_of_selection(gold), *_label_doubts(gold), *notes]
    counts = Counter(pair.gold for pair in gold.pairs)
    rows = [{"kind": "label", "label": label, "pairs": counts[label]} for label in LABELS]
    labels = Statement("Labels", [set_table(gold, groups[0].coefficients)], rows)
    title = f"Agreement of {size} annotators on each pair"
    legend = ["kappa is near zero or below where one label dominates, although people agree"]
    return AnnotatorAgreement(title, groups, signature, notes, parts={"labels": labels}, legend=legend)


def set_table(gold: GoldSet, coefficients: Coefficients) -> Table:
    """Return the statistics of a set: pairs by label, kappa by label, human performance (paper, Table 2).

    Parameters
    ----------
    gold
        The pairs.
    coefficients
        The coefficients of their annotators, as in `agreement`.

    Examples
    --------
    >>> from touchstone import nli
    >>> gold = nli.read_gold([
    ...     {"id": "1", "premise": "A dog runs.", "hypothesis": "An animal runs.", "annotators": ["entailment"] * 3},
    ...     {"id": "2", "premise": "He eats.", "hypothesis": "He sat.", "annotators": ["neutral"] * 2 + ["entailment"]},
    ... ])
    >>> print(nli.set_table(gold, nli.agreement(gold).coefficients))
                       label          the gold
    ──────────────────────────────────────────
    instances          contradiction         0
                       entailment            1
                       neutral               1
                       overall               2
    ──────────────────────────────────────────
    Fleiss κ           contradiction         –
                       entailment        0.250
                       neutral           0.250
                       overall           0.250
    ──────────────────────────────────────────
    human performance                    0.833
    """
    counts = Counter(pair.gold for pair in gold.pairs)
    rows: list[list[Cell]] = [["", label, counts[label]] for label in LABELS]
    rows += [["", "overall", len(gold.scored)]]
    rows += [["", label, coefficients[f"kappa.{label}"].value] for label in LABELS]
    rows += [["", "overall", coefficients["kappa"].value], ["human performance", "", coefficients["human"].value]]
    rows[0][0], rows[len(LABELS) + 1][0] = "instances", "Fleiss κ"
    columns = [Column(""), Column("label"), Column(gold.source.stem, "right")]
    return Table(columns, rows, rules={len(LABELS) + 1, 2 * len(LABELS) + 2})


def _with_discards(gold: GoldSet, discards: GoldSet | None) -> GoldSet:
    """Return the kept and the discarded pairs together; refuse a pair that is among both."""
    if discards is None:
        return gold
    both = sorted({*gold.ids} & {*discards.ids})
    if both:
        hint = "give the files of kept and of discarded pairs that nli verify wrote"
        what = "a pair is kept and discarded"
        raise TouchstoneError(what, file=discards.source.name, value=both[0], code=Code.DUPLICATE_ID, hint=hint)
    return replace(gold, pairs=[*gold.pairs, *discards.pairs], lines=[*gold.lines, *discards.lines])


def _label_doubts(gold: GoldSet) -> list[str]:
    """Return a warning for each thing that looks like a mistake in the labels of annotators.

    Annotators without names are told apart by their place, where all of many pairs have as many labels; among pairs
    that were chosen by their labels, equal labels mean nothing.
    """
    names = [pair.rest.get(NAMES) for pair in gold.pairs]
    annotator_names = [cell if isinstance(cell, list) else json.loads(str(cell)) if cell else None for cell in names]
    sizes = {len(pair.annotators) for pair in gold.pairs if pair.annotators}
    if not any(annotator_names):
        if len(sizes) > 1 or len(gold) < SHARED or any(KEPT_OF in pair.rest for pair in gold.pairs):
            return []
        annotator_names = [[f"annotator {index + 1}" for index in range(len(pair.annotators))] for pair in gold.pairs]
    labels_by_annotator = [
        dict(zip(who or (), pair.annotators, strict=False))
        for who, pair in zip(annotator_names, gold.pairs, strict=True)
    ]
    return doubts_about_annotators(gold.ids, labels_by_annotator)


def doubts_about_annotators(ids: Sequence[str], labels: Sequence[Mapping[str, str]]) -> list[str]:
    """Return what makes annotators look like a mistake.

    Parameters
    ----------
    ids
        The pairs.
    labels
        The labels of each pair by the name of their annotator.
    """
    people = list(dict.fromkeys(name for row in labels for name in row))
    return doubts_about_labels(ids, people, [[row.get(name) for name in people] for row in labels], wide=False)


def _warn_of_selection(gold: GoldSet) -> list[str]:
    """Return a warning where pairs were chosen by their labels: disputed ones are not among them."""
    of = [int(str(pair.rest[KEPT_OF])) for pair in gold.pairs if KEPT_OF in pair.rest]
    if not of or any(DISCARDED in pair.rest for pair in gold.pairs):
        return []
    return [
        warning(
            f"agreement is over {len(of):,} pairs that were kept of {max(of):,}: pairs that annotators disagreed on "
            "or called wrong are not among them, so it is higher than over all; add them "
            f"({setting('discards')}), or use the agreement that nli verify shows"
        )
    ]


def _groups(pairs: Sequence[Pair], by: str) -> dict[str, list[Pair]]:
    if by not in GROUPED_BY:
        hint = f"known: {', '.join(GROUPED_BY)}"
        what = "pairs have no such field"
        raise TouchstoneError(what, value=by, near=nearest(by, GROUPED_BY), code=Code.UNKNOWN_NAME, hint=hint)
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(getattr(pair, by) or "?", []).append(pair)
    return groups


def _coefficients(pairs: Sequence[Pair], resampling: Resampling) -> Coefficients:
    clusters: Ints | None = None
    if resampling.cluster == "premise":
        numbers: dict[str, int] = {}  # a pair without sentences is a cluster of its own
        keys = [pair.premise or f"\0{row}" for row, pair in enumerate(pairs)]
        clusters = np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)
    ratings = Ratings.of([pair.annotators for pair in pairs], labels=LABELS, clusters=clusters, unit="pair")
    coefficients = coefficients_of(ratings, COEFFICIENTS, resampling)
    with_gold = np.array([pair.gold is not None for pair in pairs], np.bool_)
    for name, count in (("human", _equal_to_gold), ("human_leave_one_out", _equal_to_others)):
        records = np.array([count(pair) if pair.gold else (0, 0) for pair in pairs], np.float64)
        reason = "no pair with gold has a label to compare"
        terms = Terms(records, mean, with_gold, reason, answers=int(records[:, 1].sum()))
        coefficients[name] = estimate(name, ratings, terms, resampling)
    return coefficients


def _equal_to_gold(pair: Pair) -> tuple[int, int]:
    """Return how many annotators gave the gold label, and how many there are."""
    return sum(label == pair.gold for label in pair.annotators), len(pair.annotators)


def _equal_to_others(pair: Pair) -> tuple[int, int]:
    """Return how many annotators gave the mode of the others, and for how many the others have a mode."""
    counts: Counter[str] = Counter(pair.annotators)
    equal = compared = 0
    for label, annotators in counts.items():
        mode = Gold(counts - Counter([label])).mode
        equal += annotators * (mode == label)
        compared += annotators * (mode is not None)
    return equal, compared
