"""Outputs that people and a judge both scored; an output is what one system gave for one item."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from touchstone.base.notes import warning
from touchstone.base.ragged import Bools, Floats, Ints
from touchstone.base.tables import number
from touchstone.core.resampling import Resampling
from touchstone.judge.pairing import Paired
from touchstone.judge.pairing_checks import PROBABILITY
from touchstone.stats.intervals import FEW_CLUSTERS, FEWEST_CLUSTERS
from touchstone.stats.records import mean_records
from touchstone.stats.rescaling import goes_against, on_another_scale, rescaled

Place = tuple[str, str]
"""A system and an item."""

FEWEST = 5
"""Outputs that say anything of a judge."""

FEW_VALUES = 5
"""Up to so many different numbers are levels of a field; more are cut into thirds."""

MOST_LEVELS = 20
"""A field with more levels is not a category."""

SYSTEM = "system"

SHARED = 0.9
"""The share of items that systems have in common below which their values may differ by their items alone."""


@dataclass(frozen=True, eq=False)
class Outputs:
    """The outputs that both scored, a row for each: places of system and item, scores, answers, cluster, fields."""

    system: Ints
    item: Ints
    human: Floats
    judge: Floats
    answers: Sequence[Floats]
    clusters: Ints
    fields: Mapping[str, Sequence[str | None]]
    notes: Sequence[str]


def shared_outputs(
    paired: Paired, answers: Mapping[Place, Sequence[float]], fields: Mapping[str, Mapping[Place, str]]
) -> Outputs:
    """Return the outputs that both scored, the systems one after the other; refuse fewer than five.

    Parameters
    ----------
    paired
        Scores of people and of the judge.
    answers
        The scores that single people gave an output; where there are none, its one score.
    fields
        What is known of single outputs, beside the fields of items.
    """
    sides = (paired.human_values, paired.judge_values)
    scores = np.array([[side(name) for name in paired.systems] for side in sides])
    system, item = np.nonzero(np.isfinite(scores).all(axis=0))
    if len(item) < FEWEST:
        what = "output" if len(item) == 1 else "outputs"
        raise paired.too_few(
            f"people and the judge both scored {len(item)} {what}: too few to evaluate the judge",
            f"let people score at least {FEWEST} items; about fifty are needed to find more than large errors",
        )
    human, judge = scores[:, system, item]
    places = [(paired.systems[s], paired.items[i]) for s, i in zip(system.tolist(), item.tolist(), strict=True)]
    own = [np.array(answers.get(place, [score])) for place, score in zip(places, human.tolist(), strict=True)]
    known = {name: [of.get(place) for place in places] for name, of in fields.items()}
    for name in paired.fields.column_names:
        if name not in ("id", PROBABILITY, *known):
            cells = paired.fields.column(name).to_pylist()
            known[name] = [None if cells[place] is None else str(cells[place]) for place in item.tolist()]
    cluster = None if paired.clusters is None else paired.resampling.cluster  # a level of it is one cluster
    known = {name: cells for name, cells in known.items() if name != cluster and not _is_score(cells, (human, judge))}
    scaled, notes = same_scale(human, judge)
    clusters = item if paired.clusters is None else paired.clusters[item]
    notes += _remarks(paired, own, judge, len(np.unique(clusters)))
    return Outputs(system, item, human, scaled, own, clusters, known, notes)


def _is_score(cells: Sequence[str | None], scores: Iterable[Floats]) -> bool:
    """Return whether a field holds the very scores: a table of one system has them among the facts of its items."""
    values = _numbers(cells)
    return values is not None and any(np.array_equal(values, score, equal_nan=True) for score in scores)


def _remarks(paired: Paired, answers: Sequence[Floats], judge: Floats, clusters: int) -> list[str]:
    """Return what a reader should know of the scores."""
    notes = _few(clusters, paired.resampling)
    several = sum(len(own) > 1 for own in answers)
    if not several:
        notes.append("each output has one answer, so the agreement of people with each other is unknown")
    elif several < len(answers):
        notes.append(f"agreement is over the outputs with two answers or more: {several:,} of {len(answers):,}")
    if np.ptp(judge) == 0:
        notes.append(
            f"the judge gives {number(float(judge[0]))} to all {len(judge):,} outputs that people scored, so it does "
            "not distinguish them"
        )
    notes += against_people(paired)
    if not paired.measure.is_mean:
        notes.append(f"{paired.measure.name} of single items is compared; the ranking has its value over all of them")
    if paired.probability is not None:
        notes.append(
            "people did not score a simple random sample: figures are unweighted, over the outputs that they scored"
        )
    unscored = sum(int((paired.labelled(name) & ~paired.judged(name)).sum()) for name in paired.systems)
    if unscored:
        notes.append(f"outputs that people scored and the judge did not, which are left out: {unscored:,}")
    return notes


def _few(clusters: int, how: Resampling) -> list[str]:
    """Return what few clusters can carry."""
    if clusters > FEW_CLUSTERS:
        return []
    scored = f"{how.counted(clusters)} that people scored"
    too_few = f"the {scored} {'is' if clusters == 1 else 'are'} too few for intervals"
    return [too_few if clusters < FEWEST_CLUSTERS else f"with only {scored}, intervals are rough"]


def against_people(paired: Paired) -> list[str]:
    """Return a note where the judge's scores fall as people's rise: its sign is never changed automatically."""
    human, judge = (
        np.concatenate([side(name) for name in paired.systems]) for side in (paired.human_values, paired.judge_values)
    )
    n = len(paired.systems)
    systems = np.repeat(np.arange(n), len(paired))
    clusters = np.tile(np.arange(len(paired)) if paired.clusters is None else paired.clusters, n)
    note = (
        "the judge's scores fall as human scores rise, so the judge is not used: if low is good on one side and high "
        "on the other, change the sign of one side"
    )
    return [note] if goes_against(human, judge, systems, clusters) else []


def different_items(paired: Paired) -> list[str]:
    """Return a note where the judge scored different items of the systems; a warning where they share few."""
    judged = np.array([paired.judge[name][:, -1] > 0 for name in paired.systems])  # nan and what does not count: no
    shared, scored = int(judged.all(axis=0).sum()), int(judged.any(axis=0).sum())
    if shared == scored or paired.measure.own_items:
        return []
    note = (
        f"systems have different items: of {scored:,} items, the judge scored {shared:,} for all systems; each value "
        "is over the system's own items, and so are differences, so let the judge score the same items of all systems"
    )
    return [note if shared >= SHARED * scored else warning(note)]


def comparable_scores(paired: Paired) -> tuple[Paired, list[str]]:
    """Return the scores with the judge's on the scale of people, and notes on what was rescaled.

    A judge that goes against people is left as it is, with a note: a rising curve would only hide it.
    """
    against = against_people(paired)
    return (paired, against) if against else _on_one_scale(paired)


def _on_one_scale(paired: Paired) -> tuple[Paired, list[str]]:
    """Return the judge's scores on the scale of people, and a note, where they are on another; only means have one."""
    if not paired.measure.is_mean:
        return paired, []
    human = np.concatenate([paired.human_values(name) for name in paired.systems])
    judge = np.concatenate([paired.judge_values(name) for name in paired.systems])
    codes = np.tile(np.arange(len(paired)) if paired.clusters is None else paired.clusters, len(paired.systems))
    if len(np.unique(codes[np.isfinite(human)])) < FEWEST_CLUSTERS or not on_another_scale(human, judge):
        return paired, []
    values = np.split(rescaled(human, judge, codes), len(paired.systems))
    records = dict(zip(paired.systems, map(mean_records, values), strict=True))
    for name, own in records.items():
        own[~paired.judged(name)] = np.nan
    ranges = [f"{np.nanmin(side) + 0.0:g} to {np.nanmax(side) + 0.0:g}" for side in (judge, human)]  # no -0
    note = (
        f"the judge's scores ({ranges[0]}) are on another scale than people's ({ranges[1]}): they are rescaled by a "
        "monotone curve fitted on the human items, in five parts, so that no item is rescaled by itself"
    )
    return replace(paired, judge=records), [note]


def scored_apart(paired: Paired) -> bool:
    """Return whether the judge gives any output another score than people; else the column is a fact, not a score."""
    sides = [(paired.human_values(name), paired.judge_values(name)) for name in paired.systems]
    return any((np.abs(human - judge) > 0).any() for human, judge in sides)


def same_scale(human: Floats, judge: Floats) -> tuple[Floats, list[str]]:
    """Return the judge's scores on the scale of people, and a note where they were on another one.

    They then get the mean and the standard deviation of people's (linear equating; Kolen & Brennan 2014, section 2.2),
    which keeps their order and how far they agree. Scores between 0 and 1 on both sides are on one scale.

    >>> same_scale(np.array([0.0, 1.0, 0.5]), np.array([10.0, 90.0, 50.0]))[0].round(9).tolist()
    [0.0, 1.0, 0.5]
    """
    sides = (human.min(), human.max()), (judge.min(), judge.max())
    if all(low >= 0 and high <= 1 for low, high in sides) or not on_another_scale(human, judge):
        return judge, []
    slope = human.std() / judge.std()
    people, machine = (f"{number(float(low))} to {number(float(high))}" for low, high in sides)
    note = (
        f"the judge's scores ({machine}) are on another scale than people's ({people}): they are rescaled to the mean "
        f"and the standard deviation of people's ({number(float(human.mean() - slope * judge.mean()))} + "
        f"{slope:.4g} × score), fitted on these {len(human):,} outputs, so that the bias over all of them is 0"
    )
    return np.asarray(human.mean() + slope * (judge - judge.mean())), [note]


Levels = dict[tuple[str, str], Bools]


def output_levels(outputs: Outputs, systems: Sequence[str]) -> tuple[Levels, list[str]]:
    """Return which outputs have which level of which field, the system first; and a note on fields left out."""
    levels: Levels = {}
    if len(systems) > 1:
        levels = {(SYSTEM, name): outputs.system == place for place, name in enumerate(systems)}
    left_out = []
    for name, cells in outputs.fields.items():
        own = field_levels(cells)
        if len(own) > MOST_LEVELS:
            left_out.append(f"{name} ({len(own):,})")
        elif len(own) > 1:
            levels |= {(name, level): member for level, member in own.items()}
    note = f"fields with more than {MOST_LEVELS} values, for which no bias is shown: {', '.join(left_out)}"
    return {key: member for key, member in levels.items() if member.any()}, [note] if left_out else []


def field_levels(cells: Sequence[str | None]) -> dict[str, Bools]:
    """Return which rows have each level of a field: its values, or thirds of many different numbers.

    >>> {level: member.tolist() for level, member in field_levels(["b", "a", "b"]).items()}
    {'a': [False, True, False], 'b': [True, False, True]}
    >>> list(field_levels(list(map(str, range(9)))))
    ['0 to 2', '3 to 5', '6 to 8']
    """
    values = _numbers(cells)
    if values is None:
        texts = np.array(["" if cell is None else cell for cell in cells])
        return {level: texts == level for level in sorted(set(texts.tolist()) - {""})}
    distinct = np.unique(values[~np.isnan(values)])
    if len(distinct) <= FEW_VALUES:
        return {f"{value:g}": values == value for value in distinct.tolist()}
    edges = np.unique(np.nanquantile(values, [1 / 3, 2 / 3]))
    third = np.where(np.isnan(values), -1, np.searchsorted(edges, values, side="left"))
    members = [third == place for place in range(len(edges) + 1) if (third == place).any()]
    return {f"{values[own].min():.6g} to {values[own].max():.6g}": own for own in members}


def _numbers(cells: Sequence[str | None]) -> Floats | None:
    """Return the numbers of a field, nan where there is none; None if a cell holds something else."""
    try:
        values = np.array([np.nan if cell is None else float(cell) for cell in cells])
    except ValueError:
        return None
    return None if np.isnan(values).all() else values
