"""Estimates from few human scores and many of a judge: human only, judge only, and both joined.

The human scores decide; the judge only makes the interval narrower. `touchstone.stats.prediction_powered` has the
formulas.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.notes import announce
from touchstone.base.ragged import Floats
from touchstone.core.resampling import Resampling, is_bounded
from touchstone.judge.estimates import Estimated, Estimates, PairEstimate
from touchstone.judge.paired import Paired
from touchstone.judge.sampling import different_items, sample_warnings
from touchstone.judge.scales import comparable_scores
from touchstone.judge.strata import checked_strata, strata_codes
from touchstone.stats.intervals import Limits, Shape
from touchstone.stats.paired import holm
from touchstone.stats.prediction_powered import Estimate, Influences, Population, human_only, influences, joined
from touchstone.stats.records import mean
from touchstone.stats.strata import stratified_influences


def estimate(paired: Paired, *, population: Population = "source", strata: str | None = None) -> Estimates:
    """Estimate each system and each difference: human only, judge only, and both.

    Parameters
    ----------
    paired
        Human and judge scores of the same systems, as `touchstone.paired_tables` gives them.
    population
        What the estimates are about. "source": other items of the same kind, as with all intervals of Touchstone.
        "set": only these items, of which people scored a random sample (of clusters if they scored whole clusters,
        otherwise of items).
    strata
        The field whose values are the strata; people scored a random sample of each. Differences between strata then do
        not widen intervals. Only for means and for the population "set".

    Examples
    --------
    >>> import touchstone
    >>> judge = [{"system": s, "item": i, "score": (i * (7 + j)) % 10} for j, s in enumerate("ab") for i in range(90)]
    >>> human = [{**row, "score": row["score"] + row["item"] % 2} for row in judge if row["item"] < 30]
    >>> [paired] = touchstone.paired_tables(human, judge)
    >>> estimates = estimate(paired)
    >>> [(row.system, row.judge, round(row.both.value, 1), row.both.effective > 60) for row in estimates.systems]
    [('a', 4.5, 5.0, True), ('b', 4.0, 4.5, True)]
    """
    if not isinstance(paired, Paired):
        what, hint = "an estimate needs human and judge scores", "read them with touchstone.paired_tables"
        raise TouchstoneError(what, code=Code.BAD_VALUE, hint=hint)
    original = paired
    paired, notes = comparable_scores(paired)
    # In a finite set only what was drawn varies: whole clusters, or single items.
    paired = drawn_units(paired) if population == "set" else paired
    parts = _influences(paired, population, strata)
    if max(part.labels for part in parts.values()) < FEWEST:
        what = "one human score" if any(part.labels for part in parts.values()) else "no human score"
        hint = "people must score at least 5 items of each system, better 20"
        raise paired.too_few(f"{what} cannot show how far the judge is off", hint)
    outputs = {name: paired.of(name) for name in parts}
    bounded = {name: is_bounded(paired.measure, scores.human[scores.labelled]) for name, scores in outputs.items()}
    shares = paired.measure.fold is mean and all(bounded.values())
    systems = [_system(outputs[name], name, part, bounded=bounded[name]) for name, part in parts.items()]
    sign = 1 if paired.measure.lower_is_better else -1
    # Best first; a system without a value comes last.
    systems.sort(key=lambda entry: (np.isnan(entry.both.value), sign * entry.both.value))
    order = [entry.system for entry in systems]
    # The difference of two shares lies between -1 and 1.
    pairs = _pairs(paired, {name: parts[name] for name in order}, (-1.0, 1.0) if shares else None)
    # Whether the sample is random is seen in the scores as they were given, before any rescaling.
    codes = strata_codes(original, strata)[0] if strata else None
    doubts = [*sample_warnings(original, codes), *different_items(original)]
    notes = [*paired.notes, *doubts, *notes, *_remarks(paired, parts, systems, pairs)]
    announce(notes)
    return Estimates(paired, population, systems, pairs, notes, strata)


FEWEST = 2
"""Human scores of one system that an estimate needs."""


def _influences(paired: Paired, population: Population, strata: str | None) -> dict[str, Influences]:
    """Return the influence of each cluster on the value of each system."""
    codes = None if strata is None else checked_strata(paired, strata, population)
    parts = {}
    for system_index, name in enumerate(paired.systems):
        scores = paired.of(name)
        if codes is not None:
            stratum = codes[paired.system == system_index]
            parts[name] = stratified_influences(scores.human, scores.judge, stratum, clusters=scores.clusters)
            continue
        parts[name] = influences(
            scores.human,
            scores.judge,
            paired.measure.fold,
            clusters=scores.clusters,
            probability=scores.probability,
            population=population,
        )
    return parts


def drawn_units(paired: Paired) -> Paired:
    """Return the same scores with clusters only if people scored all items of each cluster that they scored any of.

    Else single items were drawn, so single items vary.

    Parameters
    ----------
    paired
        Human and judge scores.
    """
    if paired.clusters is None:
        return paired
    for scores in map(paired.of, paired.systems):
        touched = np.isin(scores.units, scores.units[scores.labelled])
        if not np.array_equal(scores.labelled[touched], scores.judged[touched]):
            return replace(paired, clusters=None, resampling=replace(paired.resampling, cluster=None))
    return paired


def _system(outputs: Paired, name: str, part: Influences, *, bounded: bool) -> Estimated:
    limits = (0.0, 1.0) if bounded and outputs.measure.fold is mean else None
    sides = _sides(part, "bounded" if bounded else "free", limits, outputs.resampling)
    human, both = (_possible(side, outputs.human_values) for side in sides)
    return Estimated(name, human, part.judge_all, _capped(both, [outputs]), part.labels)


def _sides(part: Influences, shape: Shape, limits: Limits, how: Resampling) -> tuple[Estimate, Estimate]:
    """Return the estimate from human scores only, and that from both."""
    human = human_only(part, shape=shape, limits=limits, level=how.level, over=how.over)
    return human, joined(part, shape=shape, limits=limits, level=how.level, over=how.over)


def _capped(both: Estimate, systems: Sequence[Paired]) -> Estimate:
    """Return the estimate with as many effective human scores as there are at least, and as there are items at most.

    They are a ratio of two variances, of which few scores tell either only roughly.
    """
    scored = int(np.all([scores.labelled for scores in systems], axis=0).sum())
    items = int(np.all([scores.judged for scores in systems], axis=0).sum())
    return replace(both, effective=float(np.clip(both.effective, scored, items)))


def _possible(estimated: Estimate, scores: Floats) -> Estimate:
    """Return the estimate without a lower end below 0 where no human score is below 0."""
    below = estimated.low < 0 <= estimated.high and not (scores < 0).any()
    return replace(estimated, low=0.0) if below else estimated


def _pairs(paired: Paired, parts: Mapping[str, Influences], limits: tuple[float, float] | None) -> list[PairEstimate]:
    """Return the difference of each pair of systems, tested, with Holm's correction."""
    names = list(combinations(parts, 2))
    differences = [parts[a] - parts[b] for a, b in names]
    sides = [_sides(part, "difference", limits, paired.resampling) for part in differences]
    adjusted = holm([both.p for _, both in sides]).tolist()
    return [
        PairEstimate(
            a,
            b,
            human,
            difference.judge_all,
            _capped(both, [paired.of(a), paired.of(b)]),
            difference.labels,
            both.p,
            p_adjusted,
            # Ahead is better: below, where lower is better.
            1 - both.positive if paired.measure.lower_is_better else both.positive,
        )
        for (a, b), difference, (human, both), p_adjusted in zip(names, differences, sides, adjusted, strict=True)
    ]


def _remarks(
    paired: Paired,
    parts: Mapping[str, Influences],
    systems: Sequence[Estimated],
    pairs: Sequence[PairEstimate],
) -> list[str]:
    """Return notes on judges that do not help, on rough intervals and on missing ones."""
    notes = [entry.both.note for entry in systems if entry.both.note]
    notes += [pair.both.note for pair in pairs if pair.both.note]
    names = [entry.system for entry in systems]
    outputs = {name: paired.of(name) for name in names}
    complete = [name for name, scores in outputs.items() if not (scores.judged & ~scores.labelled).any()]
    constant = [name for name in names if parts[name].clusters > 1 and parts[name].constant]
    no_interval = [entry.system for entry in systems if np.isnan(entry.human.low)]
    explained = {*complete, *constant, *no_interval}
    useless = [entry.system for entry in systems if entry.both.weight == 0 and entry.system not in explained]
    if complete:
        notes.append(f"{_listed(complete)}: people scored all that the judge scored, so it has nothing to add")
    if constant:
        notes.append(f"{_listed(constant)}: the judge gives all human items the same score, so it cannot help")
    if useless:
        notes.append(f"{_listed(useless)}: the judge does not make the interval narrower, so both is human only")
    return list(dict.fromkeys(notes))


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:3])}{' …' * (len(names) > 3)}"
