"""The ground that metrics are judged on: one criterion, its groups, and which segments of which systems count.

A unit is a source segment: its judgements and scores in all groups are drawn and swapped together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from touchstone.core.errors import TouchstoneError, nearest
from touchstone.core.measures import Measure
from touchstone.core.ragged import Bools, Floats, Ints
from touchstone.core.results import Results
from touchstone.stats import folded
from touchstone.tasks.mt.judging import Judgements
from touchstone.tasks.mt.metaeval.human import HumanValues, WinRule, mean_scores, win_shares
from touchstone.tasks.mt.metaeval.preferences import Preferences, preferences
from touchstone.tasks.mt.metaeval.systems import SCOPES, Scope, check_systems
from touchstone.tasks.mt.model import Compared


@dataclass(frozen=True, eq=False)
class Part:
    """One group: its results, what judges said there, and the cells (segment, system) that a metric's score covers."""

    name: str
    results: Results
    judgements: int
    said: Preferences
    human: HumanValues
    covered: Bools
    systems: Ints
    """The columns of the systems that were judged."""
    units: Ints
    """The unit of each segment, -1 where none of it counts."""

    @property
    def names(self) -> tuple[str, ...]:
        """The systems that were judged."""
        return tuple(self.results.systems[column].system for column in self.systems.tolist())

    def by_unit(self, records: Floats, n_units: int) -> Floats:
        """Return records of segments as records of units; a unit that this group does not have is all 0."""
        flat = np.zeros((n_units, int(np.prod(records.shape[1:]))))
        inside = self.units >= 0
        flat[self.units[inside]] = records[inside].reshape(int(inside.sum()), -1)
        return flat

    def records(self, measure: Measure[Compared]) -> Floats:
        """Return a metric's records of the cells that count: segments x judged systems x numbers."""
        found = [self.results.systems[column].records[measure.name] for column in self.systems.tolist()]
        return np.stack(found, axis=1) * self.covered[:, self.systems, None]

    def values(self, measure: Measure[Compared]) -> Floats:
        """Return a metric's scores, more is better: segments x all systems, nan where one does not count."""
        sign = -1.0 if measure.lower_is_better else 1.0
        return sign * np.stack(
            [folded(measure.values, system.records[measure.name]) for system in self.results.systems], axis=1
        )


@dataclass(frozen=True, eq=False)
class Ground:
    """One criterion over all groups."""

    criterion: str
    scope: Scope
    parts: tuple[Part, ...]
    n_units: int
    notes: tuple[str, ...]

    @property
    def rule(self) -> str:
        """How judges' values of systems are made, as a formula."""
        return self.parts[0].human.rule


def lay_ground(
    judged: Judgements, results: Mapping[str, Results], *, scope: Scope, wins: WinRule, by_judge: bool
) -> Ground:
    """Join judgements and scores by group, system and segment; refuse what one side does not know."""
    if scope not in SCOPES:
        raise TouchstoneError("unknown scope of segments", value=scope, hint=f"choose one of {', '.join(SCOPES)}")
    names = _group_names(judged, list(results))
    parts, ids = [], [found.items_known.column("id").to_pylist() for found in results.values()]
    covered = [_covered(judged, names[name], results[name], scope) for name in results]
    units = _units(ids, covered)
    for (name, found), segments, cells in zip(results.items(), ids, covered, strict=True):
        systems = [system.system for system in found.systems]
        said = preferences(judged, names[name], systems, segments)
        human = (
            win_shares(said, wins)
            if judged.scale == "rank"
            else mean_scores(judged, names[name], systems, segments, by_judge=by_judge)
        )
        check_systems(name, human.judged)
        place = np.array([units.get(segment, -1) for segment in segments], np.int64)
        place[~cells.any(axis=1)] = -1
        count = len(judged.of_group(names[name]))
        parts.append(Part(name, found, count, said, human, cells, np.flatnonzero(human.judged), place))
    return Ground(judged.criterion, scope, tuple(parts), len(units), tuple(_notes(judged, names, parts)))


def check_judgements(
    human: Sequence[Judgements], systems: Mapping[str, Sequence[str]], segments: Sequence[str]
) -> None:
    """Refuse judgements of groups, systems or segments that there are not: before metrics are worked out, not after."""
    for judged in human:
        for name, called in _group_names(judged, list(systems)).items():
            preferences(judged, called, systems[name], segments)


def _group_names(judged: Judgements, groups: Sequence[str]) -> dict[str, str | None]:
    """Return what the judgements call each group: its own name, or nothing where they name none."""
    if not groups:
        raise TouchstoneError("no system to judge metrics by", hint="give the outputs of the systems that were judged")
    if judged.groups == (None,):
        if len(groups) > 1:
            hint = "add the column group to the judgements, or give one folder of systems"
            raise TouchstoneError(
                "the judgements do not say which group they are of", file=judged.source.name, hint=hint
            )
        return dict.fromkeys(groups)
    known = [name for name in judged.groups if name is not None]
    for name in groups:
        if name not in known:
            hint = f"it has {', '.join(known)}; a folder of systems is named after its language pair"
            near = nearest(name, known)
            raise TouchstoneError(
                "no judgement of this group", file=judged.source.name, value=name, near=near, hint=hint
            )
    return {name: name for name in groups}


def _covered(judged: Judgements, group: str | None, results: Results, scope: Scope) -> Bools:
    """Return the cells (segment, system) that count: all, or those that were put before a judge, blank or not."""
    systems = [system.system for system in results.systems]
    segments = results.items_known.column("id").to_pylist()
    if scope == "all":
        return np.ones((len(segments), len(systems)), np.bool_)
    entries = judged.of_group(group)
    rows, columns = ({name: place for place, name in enumerate(names)} for names in (segments, systems))
    row = np.array([rows.get(name, -1) for name in judged.segments], np.int64)[judged.segment[entries]]
    column = np.array([columns.get(name, -1) for name in judged.systems], np.int64)[judged.system[entries]]
    known = (row >= 0) & (column >= 0)  # the others are refused, with their lines, when pairs are made
    cells = np.zeros((len(segments), len(systems)), np.bool_)
    cells[row[known], column[known]] = True
    return cells


def _units(ids: Sequence[Sequence[str]], covered: Sequence[Bools]) -> dict[str, int]:
    """Return a number for each segment of which a cell counts in some group; groups share ids of one text."""
    counted = (
        segments[row]
        for segments, cells in zip(ids, covered, strict=True)
        for row in np.flatnonzero(cells.any(axis=1)).tolist()
    )
    return {segment: unit for unit, segment in enumerate(dict.fromkeys(counted))}


def _notes(judged: Judgements, names: Mapping[str, str | None], parts: Sequence[Part]) -> list[str]:
    """Return what is worth knowing of the judgements that were used and of those that were not."""
    said = []
    unused = [name for name in judged.groups if name is not None and name not in names]
    if unused:
        count = sum(len(judged.of_group(name)) for name in unused)
        said.append(f"{judged.criterion}: {count:,} judgements of {', '.join(unused)} are not used: no systems given")
    ranked = judged.scale == "rank"
    for part in parts:
        every = [system.system for system in part.results.systems]
        without = [name for name in every if name not in part.names]
        missed = f"placed {', '.join(without)} above or below another" if ranked else f"scored {', '.join(without)}"
        said += [f"{part.name}: no judge {missed}; left out"] if without else []
    entries = np.concatenate([judged.of_group(names[part.name]) for part in parts])
    blanks = int(np.isnan(judged.value[entries]).sum())
    said += [f"{judged.criterion}: blank judgements, no pair is made with them: {blanks:,}"] if blanks else []
    return said
