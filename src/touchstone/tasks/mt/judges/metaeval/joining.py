"""Judgements and scores of metrics, joined by group, system and segment.

A cluster is a source segment: its judgements and scores in all groups are resampled and swapped together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from touchstone.core.errors import TouchstoneError, nearest
from touchstone.core.measures import Measure
from touchstone.core.ragged import Bools, Floats, Ints
from touchstone.core.results import Results
from touchstone.stats import folded
from touchstone.tasks.mt.judges.judgements import Judgements
from touchstone.tasks.mt.judges.metaeval.human import HumanValues, WinRule, mean_scores, win_shares
from touchstone.tasks.mt.judges.metaeval.preferences import Preferences, preferences
from touchstone.tasks.mt.judges.metaeval.systems import SCOPES, Scope, check_systems
from touchstone.tasks.mt.model import Joined


@dataclass(frozen=True, eq=False)
class JoinedGroup:
    """One group (language pair): its results, its judgements, and the cells (segment, system) that scores cover."""

    name: str
    results: Results
    judgements: int
    preferences: Preferences
    human: HumanValues
    covered: Bools
    systems: Ints
    """The columns of the systems that were judged."""
    clusters: Ints
    """The cluster of each segment, -1 where none of its cells counts."""

    @property
    def names(self) -> tuple[str, ...]:
        """The systems that were judged."""
        return tuple(self.results.systems[column].system for column in self.systems.tolist())

    def by_cluster(self, records: Floats, n_clusters: int) -> Floats:
        """Return records of segments as records of clusters; one that this group does not have is all 0."""
        flat = np.zeros((n_clusters, int(np.prod(records.shape[1:]))))
        inside = self.clusters >= 0
        flat[self.clusters[inside]] = records[inside].reshape(int(inside.sum()), -1)
        return flat

    def records(self, measure: Measure[Joined]) -> Floats:
        """Return a metric's records of the cells that count: segments x judged systems x numbers."""
        records = [self.results.systems[column].records[measure.name] for column in self.systems.tolist()]
        return np.stack(records, axis=1) * self.covered[:, self.systems, None]

    def values(self, measure: Measure[Joined]) -> Floats:
        """Return a metric's scores, more is better: segments x all systems, nan where one does not count."""
        sign = -1.0 if measure.lower_is_better else 1.0
        return sign * np.stack(
            [folded(measure.values, system.records[measure.name]) for system in self.results.systems], axis=1
        )


@dataclass(frozen=True, eq=False)
class JoinedJudgements:
    """One criterion over all groups."""

    criterion: str
    scope: Scope
    parts: tuple[JoinedGroup, ...]
    n_clusters: int
    notes: tuple[str, ...]

    @property
    def rule(self) -> str:
        """The formula of the judges' values of systems."""
        return self.parts[0].human.rule


def join_judgements(
    judged: Judgements, results: Mapping[str, Results], *, scope: Scope, wins: WinRule, by_judge: bool
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
    """
    if scope not in SCOPES:
        raise TouchstoneError("unknown scope of segments", value=scope, hint=f"choose one of {', '.join(SCOPES)}")
    names = _group_names(judged, list(results))
    parts, ids = [], [found.items_known.column("id").to_pylist() for found in results.values()]
    covered = [_covered(judged, names[name], results[name], scope) for name in results]
    clusters = _clusters(ids, covered)
    for (name, own), segments, cells in zip(results.items(), ids, covered, strict=True):
        systems = [system.system for system in own.systems]
        preferred = preferences(judged, names[name], systems, segments)
        human = (
            win_shares(preferred, wins)
            if judged.scale == "rank"
            else mean_scores(judged, names[name], systems, segments, by_judge=by_judge)
        )
        check_systems(name, human.judged)
        place = np.array([clusters.get(segment, -1) for segment in segments], np.int64)
        place[~cells.any(axis=1)] = -1
        count = len(judged.of_group(names[name]))
        parts.append(JoinedGroup(name, own, count, preferred, human, cells, np.flatnonzero(human.judged), place))
    return JoinedJudgements(judged.criterion, scope, tuple(parts), len(clusters), tuple(_notes(judged, names, parts)))


def check_judgements(
    human: Sequence[Judgements], systems: Mapping[str, Sequence[str]], segments: Sequence[str]
) -> None:
    """Refuse judgements of unknown groups, systems or segments, before metrics are computed."""
    for judged in human:
        for name, called in _group_names(judged, list(systems)).items():
            preferences(judged, called, systems[name], segments)


def _group_names(judged: Judgements, groups: Sequence[str]) -> dict[str, str | None]:
    """Return the name of each group in the judgements: its own, or None where they name no groups."""
    if not groups:
        raise TouchstoneError("no runs", hint="give the outputs of the systems that were judged")
    if judged.groups == (None,):
        if len(groups) > 1:
            hint = "add the column group to the judgements, or give one folder of runs"
            raise TouchstoneError("the judgements do not name their language pair", file=judged.source.name, hint=hint)
        return dict.fromkeys(groups)
    known = [name for name in judged.groups if name is not None]
    for name in groups:
        if name not in known:
            hint = f"it has {', '.join(known)}; name the runs after their language pair: PAIR=FOLDER"
            near = nearest(name, known)
            raise TouchstoneError(
                "no judgement of this language pair", file=judged.source.name, value=name, near=near, hint=hint
            )
    return {name: name for name in groups}


def _covered(judged: Judgements, group: str | None, results: Results, scope: Scope) -> Bools:
    """Return the cells (segment, system) that count: all, or those that a judge saw, blank or not."""
    systems = [system.system for system in results.systems]
    segments = results.items_known.column("id").to_pylist()
    if scope == "all":
        return np.ones((len(segments), len(systems)), np.bool_)
    entries = judged.of_group(group)
    rows, columns = ({name: place for place, name in enumerate(names)} for names in (segments, systems))
    row = np.array([rows.get(name, -1) for name in judged.segments], np.int64)[judged.segment[entries]]
    column = np.array([columns.get(name, -1) for name in judged.systems], np.int64)[judged.system[entries]]
    known = (row >= 0) & (column >= 0)  # the others are refused, with their lines, by `preferences`
    cells = np.zeros((len(segments), len(systems)), np.bool_)
    cells[row[known], column[known]] = True
    return cells


def _clusters(ids: Sequence[Sequence[str]], covered: Sequence[Bools]) -> dict[str, int]:
    """Return the cluster of each segment with a cell that counts in some group; groups share the ids of a text."""
    counted = (
        segments[row]
        for segments, cells in zip(ids, covered, strict=True)
        for row in np.flatnonzero(cells.any(axis=1)).tolist()
    )
    return {segment: cluster for cluster, segment in enumerate(dict.fromkeys(counted))}


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
