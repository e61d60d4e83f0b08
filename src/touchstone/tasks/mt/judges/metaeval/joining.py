"""Judgements and scores of metrics, joined by group, system and segment.

A cluster is a source segment: its judgements and scores in all groups are resampled and swapped together.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, get_args

import numpy as np
import pyarrow as pa

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.ragged import Bools, Floats, Interner, Ints
from touchstone.base.spelling import setting
from touchstone.core.measures import Measure
from touchstone.core.results import Results
from touchstone.stats import folded
from touchstone.stats.correlation import FEWEST_POINTS
from touchstone.tasks.mt.judges.judgements import Judgements, places_in
from touchstone.tasks.mt.judges.metaeval.human import HumanValues, WinRule, cell_means, mean_scores, win_shares
from touchstone.tasks.mt.judges.metaeval.preferences import (
    Preferences,
    check_names,
    mean_preferences,
    preferences,
)
from touchstone.tasks.mt.model import Joined, check_choice

Scope = Literal["judged", "all"]
"""The segments that scores of a system cover: those that judges saw of it, or all."""


@dataclass(frozen=True, eq=False)
class JoinedGroup:
    """One group (language pair): its results, its judgements, and the cells (segment, system) that scores cover."""

    name: str
    results: Results
    preferences: Preferences
    human: HumanValues
    covered: Bools
    systems: Ints
    """The columns of the systems that were judged."""
    clusters: Ints
    """The cluster of each segment, -1 where none of its cells counts."""
    cells: Floats | None = None
    """What judges give each translation on average, more is better: segments x systems; None if they ranked."""
    unscored: Mapping[str, HumanValues] = field(default_factory=dict)
    """Judged systems that metrics do not score, such as the reference."""

    @property
    def names(self) -> tuple[str, ...]:
        """The systems that were judged."""
        return tuple(self.results.systems[column].system for column in self.systems.tolist())

    def by_cluster(self, records: Floats, n_clusters: int) -> Floats:
        """Return records of segments as records of clusters; one that this group does not have is all 0."""
        flat = np.zeros((n_clusters, int(np.prod(records.shape[1:]))))
        inside = self.clusters >= 0
        np.add.at(flat, self.clusters[inside], records[inside].reshape(int(inside.sum()), -1))
        return flat

    def records(self, measure: Measure[Joined]) -> Floats:
        """Return a metric's records of the cells that count: segments x judged systems x numbers."""
        records = [self.results.systems[column].records[measure.name] for column in self.systems.tolist()]
        return np.stack(records, axis=1) * self.covered[:, self.systems, None]

    def totals(self, measure: Measure[Joined]) -> Floats:
        """Return a metric's score of each judged system over the segments that count, more is better."""
        return sign(measure) * folded(measure.fold, self.records(measure).sum(axis=0))

    def values(self, measure: Measure[Joined]) -> Floats:
        """Return a metric's scores, more is better: segments x all systems, nan where one does not count."""
        values = [folded(measure.values, system.records[measure.name]) for system in self.results.systems]
        return sign(measure) * np.stack(values, axis=1)

    def judged_values(self, measure: Measure[Joined]) -> tuple[Floats, Bools]:
        """Return a metric's scores of the judged systems, more is better, and which of these cells count."""
        values = self.values(measure)[:, self.systems]
        return values, self.covered[:, self.systems] & ~np.isnan(values)


def sign(measure: Measure[Joined]) -> float:
    """Return what a metric's scores are multiplied by, so that more is better."""
    return -1.0 if measure.lower_is_better else 1.0


@dataclass(frozen=True, eq=False)
class JoinedJudgements:
    """One criterion over all groups."""

    criterion: str
    parts: tuple[JoinedGroup, ...]
    n_clusters: int
    notes: tuple[str, ...]

    @property
    def rule(self) -> str:
        """The formula of the judges' values of systems."""
        return self.parts[0].human.rule


def join_judgements(
    judged: Judgements,
    results: Mapping[str, Results],
    *,
    scope: Scope,
    wins: WinRule,
    by_judge: bool,
    without: Sequence[str] = (),
    cluster: str = "segment",
) -> JoinedJudgements:
    """Join judgements and scores by group, system and segment; refuse ids that one side does not have.

    Parameters
    ----------
    judged
        The judgements under one criterion.
    results
        The scores of each group, by its name.
    scope
        Which segments the scores of a system cover: those that judges saw of it, or all.
    wins
        How wins and losses become the value of a system, where judges ranked.
    by_judge
        Whether to standardise the scores of each judge, where judges scored.
    without
        Judged systems that metrics do not score.
    cluster
        What is resampled: ``segment``, or ``document`` where documents are known.
    """
    check_choice("unknown scope of segments", scope, get_args(Scope))
    names = _group_names(judged, list(results))
    parts, clusters = [], Interner()
    for name, group_results in results.items():
        group, systems = names[name], [system.system for system in group_results.systems]
        segments = segment_ids(judged, group_results.items_known)
        check_names(judged, group, [*systems, *without], segments)
        values = _judged_values(judged, group, systems, segments, without, wins=wins, by_judge=by_judge)
        preferred, human, judged_cells, cells, unscored = values
        # A system whose ballots are all blank or tied has no share of wins: it is in the list and was not judged.
        _check_systems(name, human.judged)
        columns = np.flatnonzero(human.judged)
        covered = judged_cells if scope == "judged" else np.ones(judged_cells.shape, np.bool_)
        rows = _clusters(group_results, covered, segments, cluster, clusters)
        part = JoinedGroup(name, group_results, preferred, human, covered, columns, rows, cells, unscored)
        parts.append(part)
    notes = [*judged.notes, *_notes(judged, names, parts)]
    return JoinedJudgements(judged.criterion, tuple(parts), len(clusters), tuple(notes))


def _judged_values(
    judged: Judgements,
    group: str | None,
    systems: Sequence[str],
    segments: Sequence[str],
    without: Sequence[str],
    *,
    wins: WinRule,
    by_judge: bool,
) -> tuple[Preferences, HumanValues, Bools, Floats | None, dict[str, HumanValues]]:
    """Return the preferences and the values of systems of a group, and which cells (segment, system) were judged.

    Where judges scored, also what they give each cell on average, and the values of the systems *without* scores.
    """
    if judged.scale == "rank":
        preferred = preferences(judged, group, systems, segments, without)
        judged_cells = _ranked_cells(judged, judged.of_group(group), systems, segments)
        return preferred, win_shares(preferred, wins), judged_cells, None, {}
    averaged = partial(cell_means, judged, group, segments=segments, by_judge=by_judge)
    valued = partial(mean_scores, by_judge=by_judge, penalty=judged.scale == "penalty")
    cells = averaged(systems)
    unscored = {name: valued(means) for name in without if not np.isnan(means := averaged([name])).all()}
    return mean_preferences(cells), valued(cells), ~np.isnan(cells), cells, unscored


def segment_ids(judged: Judgements, items: pa.Table) -> list[str]:
    """Return the ids of the segments as the judgements give them.

    Where they number the segments of each document from 1 and documents are known, these are ``DOCUMENT:NUMBER``.
    """
    ids: list[str] = items.column("id").to_pylist()
    if "document" not in items.column_names or not (places_in(ids, judged.segments) < 0).any():
        return ids
    counts: Counter[str] = Counter()
    numbered = []
    for document in items.column("document").to_pylist():
        counts[document] += 1
        numbered.append(f"{document}:{counts[document]}")
    return ids if (places_in(numbered, judged.segments) < 0).any() else numbered


def _clusters(results: Results, covered: Bools, segments: Sequence[str], cluster: str, numbers: Interner) -> Ints:
    """Return the cluster of each segment, -1 where none of its cells counts; groups share clusters of one name."""
    names: Sequence[str] = segments
    if cluster == "document":
        if "document" not in results.items_known.column_names:
            hint = f"give {setting('documents', 'FILE')}, or a table with the column document; or resample segments"
            raise TouchstoneError("the documents of the segments are not known", code=Code.OPTION_NEEDED, hint=hint)
        names = results.items_known.column("document").to_pylist()
    clusters = np.full(len(segments), -1, np.int64)
    inside = np.flatnonzero(covered.any(axis=1))
    clusters[inside] = [numbers[names[row]] for row in inside.tolist()]
    return clusters


def check_judgements(
    human: Sequence[Judgements],
    systems: Mapping[str, Sequence[str]],
    items: Mapping[str, pa.Table],
    without: Sequence[str] = (),
) -> None:
    """Refuse judgements of unknown groups, systems or segments, before metrics are computed."""
    for judged in human:
        for name, called in _group_names(judged, list(systems)).items():
            check_names(judged, called, [*systems[name], *without], segment_ids(judged, items[name]))


def _group_names(judged: Judgements, groups: Sequence[str]) -> dict[str, str | None]:
    """Return the name of each group in the judgements: its own, or None if they name no groups."""
    if not groups:
        raise TouchstoneError("no runs", code=Code.EMPTY, hint="give the outputs of the systems that were judged")
    if judged.groups == (None,):
        if len(groups) > 1:
            hint = "add the column group to the judgements, or give one folder of runs"
            what = "the judgements do not name their language pair"
            raise TouchstoneError(what, file=judged.source.name, code=Code.AMBIGUOUS, hint=hint)
        return dict.fromkeys(groups)
    judged_groups = [name for name in judged.groups if name is not None]
    unknown = next((name for name in groups if name not in judged_groups), None)
    if unknown is not None:
        hint = f"it has {', '.join(judged_groups)}; name the runs after their language pair: PAIR=FOLDER"
        what, file, near = "no judgement of this language pair", judged.source.name, nearest(unknown, judged_groups)
        raise TouchstoneError(what, file=file, value=unknown, near=near, code=Code.UNKNOWN_NAME, hint=hint)
    return {name: name for name in groups}


def _check_systems(group: str, judged: Bools) -> None:
    """Refuse a group with fewer than three judged systems: two always lie on a line."""
    if judged.sum() < FEWEST_POINTS:
        hint = "give at least three systems that judges scored, or ranked above or below another; "
        hint += "blanks and ties do not count"
        what = f"{int(judged.sum())} judged systems are too few to correlate"
        raise TouchstoneError(what, value=group, code=Code.TOO_FEW, hint=hint)


def _ranked_cells(judged: Judgements, entries: Ints, systems: Sequence[str], segments: Sequence[str]) -> Bools:
    """Return the cells (segment, system) that a judge ranked; a blank is no judgement."""
    cells = np.zeros((len(segments), len(systems)), np.bool_)
    ranked = entries[~np.isnan(judged.value[entries])]
    rows, columns = places_in(segments, judged.segments), places_in(systems, judged.systems)
    system = columns[judged.system[ranked]]
    cells[rows[judged.segment[ranked]][system >= 0], system[system >= 0]] = True
    return cells


def _notes(judged: Judgements, names: Mapping[str, str | None], parts: Sequence[JoinedGroup]) -> list[str]:
    """Return notes on judgements that are not used, systems without judgements, and blanks."""
    notes = []
    unused = [name for name in judged.groups if name is not None and name not in names]
    if unused:
        count = sum(len(judged.of_group(name)) for name in unused)
        notes.append(f"{judged.criterion}: {count:,} judgements of {', '.join(unused)} are not used: no runs given")
    ranked = judged.scale == "rank"
    for part in parts:
        every = [system.system for system in part.results.systems]
        without = [name for name in every if name not in part.names]
        missed = f"ranked {', '.join(without)} above or below another" if ranked else f"scored {', '.join(without)}"
        notes += [f"{part.name}: no judge {missed}; left out"] if without else []
    entries = np.concatenate([judged.of_group(names[part.name]) for part in parts])
    blanks = int(np.isnan(judged.value[entries]).sum())
    notes += [f"{judged.criterion}: blank judgements, which make no pairs: {blanks:,}"] if blanks else []
    return notes
