"""Scoring of summaries, from annotations to results.

An item is a document set: every peer has a summary for each. Several annotators of one summary are averaged first.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from touchstone import __version__
from touchstone.core.errors import Fault, TouchstoneError, nearest
from touchstone.core.ragged import Floats
from touchstone.core.resampling import Resampling
from touchstone.core.results import Items, Results, SystemRecords
from touchstone.io import arrow
from touchstone.tasks.pyramid.matching import Match, from_batch, match_of, to_batch
from touchstone.tasks.pyramid.measures import ORIGINAL, PAPER, find_measures
from touchstone.tasks.pyramid.model import Annotation
from touchstone.tasks.pyramid.presence import Presence
from touchstone.tasks.pyramid.validating import remarks

Missing = Literal["error", "skip", "zero"]


@dataclass(frozen=True)
class Scorer:
    """A picklable description of a scoring: maps a batch of matches to a batch of records, a row for each.

    Beside the records stand the facts of each summary: X, its credit, and the optimum of X units.
    """

    measures: tuple[str, ...]
    name: str = "pyramid"
    version: str = __version__

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the records of every summary of *batch*, which has the columns that `to_batch` gives it."""
        matches = from_batch(batch)
        facts = {
            **{name: batch.column(name) for name in ("system", "set", "annotator")},
            "X": pa.array([m.average for m in matches], pa.int64()),
            "credit": pa.array([m.credit for m in matches], pa.float64()),
            "optimum": pa.array([m.gold.optimum(m.average) for m in matches], pa.float64()),
        }
        records = {m.name: arrow.from_records(m.record(matches)) for m in find_measures(self.measures)}
        return pa.RecordBatch.from_pydict({**facts, **records})


def score(
    inputs: Sequence[Annotation] | Presence,
    measures: Iterable[str] = (),
    *,
    by: str | None = None,
    annotator: str | None = None,
    missing: Missing = "error",
    resampling: Resampling = Resampling(),  # noqa: B008 (immutable)
) -> Results:
    """Score peers: the mean over document sets of what their summaries score, with intervals over sets.

    *annotator* picks one where a summary has several; otherwise they are averaged. A peer without a summary for a set
    is refused, unless *missing* is ``skip`` (that set does not count for it) or ``zero``.
    """
    matches = _chosen(matches_of(inputs), annotator)
    scorer = _scorer(inputs, measures)
    sets = list(dict.fromkeys(match.set for match in matches))
    names = sorted({match.system for match in matches}, key=natural)
    _check_complete(matches, sets, names, missing)
    scored = scorer(to_batch(matches))
    return Results(
        task="pyramid",
        measures=find_measures(scorer.measures),
        systems=[_system(name, sets, scored, scorer.measures, missing) for name in names],
        items_known=_items_known(matches, sets),
        signature=_signature(inputs, matches, scorer, annotator, missing, resampling),
        resampling=resampling,
        by=by,
        notes=_notes(inputs, matches, scorer.measures),
    )


def _scorer(inputs: Sequence[Annotation] | Presence, measures: Iterable[str]) -> Scorer:
    """Return the scorer of the asked *measures*; presence knows no repetitions, so the modified score alone fits it."""
    usual = PAPER[:1] if isinstance(inputs, Presence) else PAPER
    return Scorer(tuple(measure.name for measure in find_measures(measures or usual)))


def score_each(inputs: Sequence[Annotation] | Presence, measures: Iterable[str] = ()) -> Items:
    """Return the scores of every annotation: a row for each, with its X, credit and optimum."""
    matches = matches_of(inputs)
    scorer = _scorer(inputs, measures)
    scored = pa.table(scorer(to_batch(matches)))
    for measure in find_measures(scorer.measures):
        values = measure.values(arrow.to_records(scored.column(measure.name).combine_chunks()))
        place = scored.column_names.index(measure.name)
        scored = scored.set_column(place, measure.name, pa.array(values, mask=np.isnan(values)))
    if not isinstance(inputs, Presence):
        scored = scored.add_column(2, "peer", pa.array([one.peer for one in inputs], pa.string()))
    return Items(scored)


def matches_of(inputs: Sequence[Annotation] | Presence) -> list[Match]:
    """Return the inputs as the measures see them; the same set, peer and annotator twice is an error."""
    if isinstance(inputs, Presence):
        return inputs.matches
    if not inputs:
        raise TouchstoneError("no annotation to score", hint="give at least one .pan file")
    _check_identities(inputs)
    return [match_of(annotation) for annotation in inputs]


def _check_identities(annotations: Sequence[Annotation]) -> None:
    """Refuse annotations that do not say what they are of, or say the same."""
    first: dict[tuple[str, str, str], str] = {}
    faults = []
    for one in annotations:
        file = one.source.name if one.source else "an annotation"
        identity = (one.set, one.system, one.annotator)
        if not (one.set and one.peer):
            faults.append(Fault("the name of the file does not tell its set and peer", file))
        elif identity in first:
            said = f"set {one.set}, peer {one.system}, annotator {one.annotator or '?'} stand in another file too"
            faults.append(Fault(said, file, value=first[identity]))
        first.setdefault(identity, file)
    if faults:
        hint = "call files annotator.set.M.250.selector.peer.pan, each once, or say it in a table with --meta FILE.csv"
        raise TouchstoneError.of(faults, hint)


def natural(name: str) -> tuple[int, int, str]:
    """Return what sorts *name* as people do: numbers by value, before words.

    >>> sorted(["10", "x", "9"], key=natural)
    ['9', '10', 'x']
    """
    digits = name.isascii() and name.isdigit() and len(name) < 19
    return (0, int(name), "") if digits else (1, 0, name)


def _chosen(matches: list[Match], annotator: str | None) -> list[Match]:
    """Return the matches, of summaries with several annotators only those of the one asked for."""
    if annotator is None:
        return matches
    known = {match.annotator for match in matches}
    if annotator not in known:
        near = nearest(annotator, known)
        raise TouchstoneError("no annotation by this annotator", value=annotator, near=near)
    times = Counter((match.set, match.system) for match in matches)
    return [m for m in matches if times[m.set, m.system] == 1 or m.annotator == annotator]


def _check_complete(matches: Sequence[Match], sets: Sequence[str], names: Sequence[str], missing: Missing) -> None:
    if missing != "error":
        return
    known = {(match.set, match.system) for match in matches}
    faults = [
        Fault(f"peer {name} has no summary for the set {one}")
        for name in names
        for one in sets
        if (one, name) not in known
    ]
    if faults:
        hint = "leave the set out for that peer with --missing skip, or let it score 0 with --missing zero"
        raise TouchstoneError.of(faults, hint)


def _system(
    name: str, sets: Sequence[str], scored: pa.RecordBatch, measures: Sequence[str], missing: Missing
) -> SystemRecords:
    """Return one peer's records: a row for each set, the mean of its annotators."""
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for row, (system, one) in enumerate(zip(*(scored.column(c).to_pylist() for c in ("system", "set")), strict=True)):
        if system == name:
            rows[one].append(row)
    records = {}
    for measure in measures:
        numbers = arrow.to_records(scored.column(measure))
        records[measure] = np.stack([_averaged(numbers[rows[one]], missing) for one in sets])
    annotators = scored.column("annotator").to_pylist()
    said = ["+".join(filter(None, (annotators[row] for row in rows[one]))) for one in sets]
    return SystemRecords(name, records, pa.table({"annotators": pa.array(said, pa.string())}))


def _averaged(records: Floats, missing: Missing) -> Floats:
    """Return the mean of the records that count; no annotation at all gives what *missing* says."""
    if not len(records):
        empty = np.zeros(records.shape[1])
        empty[-1] = missing == "zero"
        return empty
    return np.asarray(records.sum(axis=0) / max(1.0, records[:, -1].sum()))


def _items_known(matches: Sequence[Match], sets: Sequence[str]) -> pa.Table:
    of_set = {match.set: match for match in reversed(matches)}
    return pa.table(
        {
            "id": pa.array(sets, pa.string()),
            "set": pa.array(sets, pa.string()),
            "models": pa.array([of_set[one].models for one in sets], pa.int64()),
            "units": pa.array([len(of_set[one].gold.weights) for one in sets], pa.int64()),
        }
    )


def _notes(inputs: Sequence[Annotation] | Presence, matches: Sequence[Match], measures: Sequence[str]) -> list[str]:
    notes = [] if isinstance(inputs, Presence) else remarks(inputs)
    times = Counter((match.set, match.system) for match in matches)
    several = sum(number > 1 for number in times.values())
    if several:
        notes.append(f"{several:,} summaries have several annotators, whose scores are averaged")
    golds = {(match.set, match.models, *sorted(match.gold.weights.items())) for match in matches}
    differing = Counter(gold[0] for gold in golds)
    notes += [f"set {one}: {number} different pyramids" for one, number in differing.items() if number > 1]
    unmarked = sum(not match.unmatched for match in matches)
    if ORIGINAL in measures and unmarked > len(matches) / 2 and not isinstance(inputs, Presence):
        notes.append(
            f"nothing is marked as unmatched (uid 0) in {unmarked:,} of {len(matches):,} annotations; "
            "where annotators were not asked to, pyramid.original is too high"
        )
    return notes


def _signature(
    inputs: Sequence[Annotation] | Presence,
    matches: Sequence[Match],
    scorer: Scorer,
    annotator: str | None,
    missing: Missing,
    resampling: Resampling,
) -> dict[str, str]:
    """Return all that the figures depend on: the same signature means the same numbers."""
    golds = {match.set: (match.models, tuple(sorted(match.gold.weights.items()))) for match in matches}
    sources = inputs.sources if isinstance(inputs, Presence) else [one.source for one in inputs if one.source]
    return {
        "touchstone": __version__,
        "task": "pyramid",
        "gold": f"{len(golds)} pyramids#{_digest(sorted(golds.items()))}",
        "items": f"{len(golds)} document sets",
        "systems": f"{len({match.system for match in matches})} peers",
        "inputs": f"{len(sources)} files#{_digest(sorted(source.digest for source in sources))}",
        "measures": ", ".join(scorer.measures),
        "annotators": annotator or "mean",
        "missing": missing,
        "intervals": f"{resampling}; numpy {np.__version__}",
    }


def _digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:12]
