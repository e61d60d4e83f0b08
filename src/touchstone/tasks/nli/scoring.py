"""Scoring of inference, from what was read to results; the majority class always stands beside the systems."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from touchstone import __version__
from touchstone.core.errors import TouchstoneError
from touchstone.core.resampling import Resampling
from touchstone.core.results import Results, SystemRecords
from touchstone.io import arrow
from touchstone.tasks.nli.edits import Edit, find_edit
from touchstone.tasks.nli.measures import ALL, MEASURES
from touchstone.tasks.nli.model import LABELS, Label, Pair, PairSet, Run, majority
from touchstone.tasks.nli.pairing import STRICT, Policy, pair_up
from touchstone.tasks.nli.scorer import Scorer

MAJORITY = "majority_class"
"""The system that always gives the commonest gold label: whoever is below it has learnt nothing that shows."""

BY_PREMISE = Resampling(cluster="premise")
"""Pairs that share a premise are not independent: premises are drawn and swapped as wholes."""

LONGEST_GROUP = 80
"""Characters of a value that may name a group: longer ones are sentences."""


def score(
    gold: PairSet,
    runs: Run | Sequence[Run],
    measures: Iterable[str] = (),
    *,
    by: str | None = None,
    resampling: Resampling = BY_PREMISE,
    policy: Policy = STRICT,
) -> Results:
    """Score runs against the gold labels, the majority class beside them, with intervals over premises.

    *by* groups the pairs by a field: category, gold, relation, replaced, replacement, or a short one of the set's own.
    """
    runs = [runs] if isinstance(runs, Run) else list(runs)
    _check_names(runs)
    scorer = Scorer(_chosen(measures))
    constant = majority_run(gold)
    scored = [_scored(gold, run, scorer, policy) for run in runs]
    always = _scored(gold, constant, scorer, STRICT)[0]
    results = Results(
        task="nli",
        measures=MEASURES.find_all(scorer.measures),
        systems=[*(system for system, _ in scored), always],
        items_known=_items_known(gold),
        signature=_signature(gold, runs, scorer, policy, resampling),
        resampling=resampling,
        by=by,
        group_names=category_order(gold) if by == "category" else {},
        notes=[*remarks(gold), *(note for _, notes in scored for note in notes)],
    )
    return replace(results, notes=[*results.notes, *_below_majority(results)])


def majority_run(gold: PairSet) -> Run:
    """Return the system that gives every pair the commonest gold label, the first of `LABELS` where two are equal."""
    label = commonest(gold.pairs)
    if label is None:
        raise TouchstoneError("no pair has a gold label", file=gold.source.name, hint="verify the pairs first")
    return Run(MAJORITY, gold.source, gold.ids, [label] * len(gold), gold.lines)


def commonest(pairs: Iterable[Pair]) -> Label | None:
    """Return the commonest gold label of *pairs*, None where they have none."""
    given = Counter(pair.gold for pair in pairs if pair.gold)
    return max((label for label in LABELS if given[label]), key=lambda label: given[label], default=None)


def remarks(gold: PairSet) -> list[str]:
    """Return what is worth knowing of the pairs, with counts; none of it stops a scoring."""
    golds: dict[tuple[str, str], set[str | None]] = {}
    for pair in gold.pairs:
        golds.setdefault((pair.premise, pair.hypothesis), set()).add(pair.gold)
    differ = sum(bool(pair.gold and pair.annotators) and pair.gold != majority(pair.annotators) for pair in gold.pairs)
    said = {
        "pairs without a gold label, which are not scored": len(gold) - len(gold.scored),
        "pairs whose gold label is not the readers' majority": differ,
        "pairs whose premise and hypothesis are the same": sum(p.premise == p.hypothesis for p in gold.pairs),
        "pairs that repeat an earlier one": len(gold) - len(golds),
        "pairs of sentences with two gold labels": sum(len(found) > 1 for found in golds.values()),
    }
    return [f"{gold.source.stem}: {what}: {count:,}" for what, count in said.items() if count]


def _chosen(measures: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the measures to score: with accuracy go all that must stand beside it."""
    names = list(measures) or list(ALL)
    wanted = [name for asked in names for name in (ALL if asked == "accuracy" else [asked])]
    return tuple(measure.name for measure in MEASURES.find_all(wanted))


def _scored(gold: PairSet, run: Run, scorer: Scorer, policy: Policy) -> tuple[SystemRecords, list[str]]:
    batch, notes = pair_up(gold, run, policy)
    out = scorer(batch)
    records = {name: arrow.to_records(out.column(name)) for name in scorer.measures}
    facts = pa.table({name: out.column(name) for name in ("prediction", "right")})
    return SystemRecords(run.system, records, facts), notes


def _items_known(gold: PairSet) -> pa.Table:
    """Return what is known of each scored pair whatever the system."""
    pairs = [gold.pairs[row] for row in gold.scored.tolist()]
    edits = [find_edit(pair) for pair in pairs]
    return pa.table(
        _own_fields(pairs)
        | {
            "id": pa.array([pair.id for pair in pairs], pa.string()),
            "gold": arrow.strings([pair.gold for pair in pairs]),
            "category": arrow.strings([pair.category for pair in pairs]),
            "relation": arrow.strings([pair.relation for pair in pairs]),
            "premise": arrow.strings([pair.premise for pair in pairs]),
            "replaced": arrow.strings([_words(edit, "replaced") for edit in edits]),
            "replacement": arrow.strings([_words(edit, "replacement") for edit in edits]),
        }
    )


def _own_fields(pairs: Sequence[Pair]) -> dict[str, pa.Array]:
    """Return the fields that a set has beside ours and that may group its pairs: those with short texts or numbers."""
    names = dict.fromkeys(name for pair in pairs for name in pair.rest)
    columns = {name: [pair.rest.get(name) for pair in pairs] for name in names}
    return {
        name: arrow.strings([None if value is None else str(value) for value in values])
        for name, values in columns.items()
        if all(value is None or (isinstance(value, str | int) and len(str(value)) <= LONGEST_GROUP) for value in values)
    }


def _words(edit: Edit | None, side: str) -> str | None:
    return None if edit is None else " ".join(getattr(edit, side))


def category_order(gold: PairSet) -> dict[str, str]:
    """Return the categories as the paper orders them: by their commonest label, the larger first."""
    members: dict[str, list[Pair]] = {}
    for row in gold.scored.tolist():
        pair = gold.pairs[row]
        members.setdefault(pair.category or "?", []).append(pair)
    ranked = sorted(
        members, key=lambda name: (LABELS.index(commonest(members[name]) or LABELS[0]), -len(members[name]))
    )
    return {name: name for name in ranked}


def _below_majority(results: Results) -> list[str]:
    if "accuracy" not in {measure.name for measure in results.measures}:
        return []
    plain = replace(results, by=None, resampling=replace(results.resampling, method="none"))
    least = plain.row(MAJORITY, "accuracy").value
    found = [plain.row(system.system, "accuracy") for system in results.systems]
    return [
        f"{row.system}: accuracy {row.value:.1%} is below that of the majority class, {least:.1%}"
        for row in found
        if row.value < least
    ]


def _check_names(runs: Sequence[Run]) -> None:
    if not runs:
        raise TouchstoneError("no system to score", hint="give at least one file of predictions")
    names = [run.system for run in runs]
    if MAJORITY in names:
        raise TouchstoneError("this name is that of the majority class", value=MAJORITY, hint="give another: --system")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        hint = "rename one of the files, or name them with --system"
        raise TouchstoneError("two systems have the same name", value=twice, hint=hint)


def _signature(
    gold: PairSet, runs: Sequence[Run], scorer: Scorer, policy: Policy, resampling: Resampling
) -> dict[str, str]:
    """Return all that the figures depend on: the same signature means the same numbers."""
    return {
        "touchstone": __version__,
        "task": "nli",
        "gold": str(gold.source),
        "items": f"{len(gold.scored)} of {len(gold)} pairs have gold, {gold.premises} premises",
        "systems": "; ".join(f"{run.system}: {run.source}" for run in runs),
        "measures": ", ".join(scorer.measures),
        "policy": f"missing {policy.missing}, unknown {policy.unknown}, duplicates {policy.duplicates}",
        "intervals": f"{resampling}; numpy {np.__version__}",
    }
