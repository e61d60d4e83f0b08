"""What makes peers look like a mistake: their content units are not those of the pyramid."""

from collections.abc import Mapping, Sequence

from touchstone.core.doubts import Doubt, doubt_matches
from touchstone.core.inputs import Inputs
from touchstone.core.names import is_summary
from touchstone.tasks.pyramid.joining import GoldSet, Joined, Run

FEWEST = 3
"""Document sets from which a peer without a content unit is no chance; a peer of DUC 2006 has none of 94 in one set."""

EVERY = 20
"""Content units from which a peer that expresses all of them is no chance."""

DECISIONS = 40
"""Content units over all peers from which two document sets with the same ones, and the same peers that express them,
are no chance."""

MORE = 1.5
"""How many times the average content units of a model summary a peer expresses at most; peers of DUC 2006 have .27."""


def doubts(inputs: Inputs[GoldSet, Run], joined: Sequence[tuple[Run, Joined]]) -> list[Doubt]:
    """Return what is unlikely about each peer, and about pyramids that were given beside the annotations."""
    about_peers = [doubt for run, one in joined for doubt in _doubts(run.name, one)]
    return [*_other_pyramids(inputs.gold), *_equal_sets(joined), *_summaries(joined), *about_peers]


def _equal_sets(joined: Sequence[tuple[Run, Joined]]) -> list[Doubt]:
    """Return a doubt for each document set whose units and decisions for all peers are those of another one."""
    seen: dict[object, str] = {}
    doubts = []
    sets = zip(*(one.summaries for _, one in joined), strict=True) if joined else ()
    for summaries in sets:
        counts = [one for summary in summaries for one in summary]
        if sum(len(one.gold.weights) for one in counts) < DECISIONS or not any(one.counts for one in counts):
            continue
        content = tuple((one.system, one.annotator, _sorted(one.gold.weights), _sorted(one.counts)) for one in counts)
        if content in seen:
            what = f"the content units and decisions of set {counts[0].set} are those of set {seen[content]}"
            doubts.append(Doubt("the gold", what, "one set may be given under two names", stops=False))
        seen.setdefault(content, counts[0].set)
    return doubts


def _sorted(numbers: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    return tuple(sorted(numbers.items()))


def _summaries(joined: Sequence[tuple[Run, Joined]]) -> list[Doubt]:
    """Return a doubt for each peer whose name is that of a summary of the others, such as ``average``."""
    names = [run.name for run, _ in joined]
    odd = [name for name in names if is_summary(name)]
    what = "is scored as a peer, but looks like a summary of the others"
    return [Doubt(name, what, "leave it out", stops=False) for name in odd if len(odd) < len(names)]


def _doubts(peer: str, joined: Joined) -> list[Doubt]:
    counts = [one for summary in joined.summaries for one in summary]
    units = sum(len(one.gold.weights) for one in counts)
    expressed = sum(len(one.counts) for one in counts)
    size = sum(one.size for one in counts)
    cause = "the annotation may be empty, or of another document set"
    if sum(map(bool, joined.summaries)) < FEWEST:
        return []
    if not size:
        return [Doubt(peer, f"expresses none of {units:,} content units", cause)]
    if expressed == units >= EVERY:
        return [
            Doubt(peer, f"expresses all of {units:,} content units", "a default may have been filled in", stops=False)
        ]
    average = sum(one.average for one in counts if one.models)
    if average and sum(len(one.counts) for one in counts if one.models) > MORE * average:
        what = f"expresses {expressed:,} content units, where model summaries of the same sets have {average:,}"
        return [Doubt(peer, what, "weights or the number of model summaries may be wrong", stops=False)]
    what = "contributors are of content units of the pyramid"
    return doubt_matches(peer, size, size - sum(one.unmatched for one in counts), {}, what=what,
                         otherwise=cause) if expressed < size else []  # fmt: skip


def _other_pyramids(gold: GoldSet) -> list[Doubt]:
    """Return a doubt for each annotation whose content units are not those of the pyramid given beside it."""
    beside = {one.set: {unit.label for unit in one.units} for one in gold.pyramids}
    doubts = []
    for one in gold.annotations:
        if one.set not in beside:
            continue
        labels = [unit.label for unit in one.pyramid.units]
        doubts += doubt_matches(
            one.system, len(labels), sum(label in beside[one.set] for label in labels), {},
            what=f"content units of its annotation are in the pyramid of set {one.set}",
            otherwise="it may have been annotated with the pyramid of another document set",
        )  # fmt: skip
    return doubts
