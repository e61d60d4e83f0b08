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
    about_peers = [doubt for run, joined_run in joined for doubt in _doubts(run.name, joined_run)]
    return [*_other_pyramids(inputs.gold), *_equal_sets(joined), *_summaries(joined), *about_peers]


def _equal_sets(joined: Sequence[tuple[Run, Joined]]) -> list[Doubt]:
    """Return a doubt for each document set whose units and decisions for all peers are those of another one."""
    set_by_content: dict[object, str] = {}
    doubts = []
    sets = zip(*(joined_run.summaries for _, joined_run in joined), strict=True) if joined else ()
    for summaries in sets:
        counts = [peer for summary in summaries for peer in summary]
        if sum(len(peer.gold.weights) for peer in counts) < DECISIONS or not any(peer.counts for peer in counts):
            continue
        content = tuple(
            (peer.system, peer.annotator, _sorted(peer.gold.weights), _sorted(peer.counts)) for peer in counts
        )
        if content in set_by_content:
            what = f"the content units and decisions of set {counts[0].set} are those of set {set_by_content[content]}"
            doubts.append(Doubt("the gold", what, "one set may be given under two names", stops=False))
        set_by_content.setdefault(content, counts[0].set)
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
    counts = [annotated for summary in joined.summaries for annotated in summary]
    units = sum(len(annotated.gold.weights) for annotated in counts)
    expressed = sum(len(annotated.counts) for annotated in counts)
    size = sum(annotated.size for annotated in counts)
    cause = "the annotation may be empty, or of another document set"
    if sum(map(bool, joined.summaries)) < FEWEST:
        return []
    if not size:
        return [Doubt(peer, f"expresses none of {units:,} content units", cause)]
    if expressed == units >= EVERY:
        return [
            Doubt(peer, f"expresses all of {units:,} content units", "a default may have been filled in", stops=False)
        ]
    average = sum(annotated.average for annotated in counts if annotated.models)
    if average and sum(len(annotated.counts) for annotated in counts if annotated.models) > MORE * average:
        what = f"expresses {expressed:,} content units, where model summaries of the same sets have {average:,}"
        return [Doubt(peer, what, "weights or the number of model summaries may be wrong", stops=False)]
    what = "contributors are of content units of the pyramid"
    return doubt_matches(peer, size, size - sum(annotated.unmatched for annotated in counts), {}, what=what,
                         otherwise=cause) if expressed < size else []  # fmt: skip


def _other_pyramids(gold: GoldSet) -> list[Doubt]:
    """Return a doubt for each annotation whose content units are not those of the pyramid given beside it."""
    beside = {pyramid.set: {unit.label for unit in pyramid.units} for pyramid in gold.pyramids}
    doubts = []
    for annotation in gold.annotations:
        if annotation.set not in beside:
            continue
        labels = [unit.label for unit in annotation.pyramid.units]
        doubts += doubt_matches(
            annotation.system, len(labels), sum(label in beside[annotation.set] for label in labels), {},
            what=f"content units of its annotation are in the pyramid of set {annotation.set}",
            otherwise="it may have been annotated with the pyramid of another document set",
        )  # fmt: skip
    return doubts
