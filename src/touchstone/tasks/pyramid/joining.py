"""Peers and the pyramids that they are scored against, joined by document set: what the measures look at.

Every annotation carries the pyramid of its document set, so annotations are gold and runs at once. An item is a
document set. A presence matrix comes to the same: where it gives no weights it is a pyramid of one model, whose content
units all weigh 1.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING

import pyarrow as pa

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, Faults, TouchstoneError, nearest
from touchstone.base.files import Source
from touchstone.base.ids import Ids, Policy, join_ids
from touchstone.base.notes import warning
from touchstone.base.ragged import Bools
from touchstone.base.signature import content_digest
from touchstone.base.spelling import setting
from touchstone.core import inputs
from touchstone.core.gold import Gold
from touchstone.tasks.pyramid.decisions import Presence
from touchstone.tasks.pyramid.model import Annotation, Pyramid, average_units

if TYPE_CHECKING:
    from touchstone.tasks.pyramid.about import Options


@dataclass(frozen=True)
class UnitCounts:
    """How often one summary expresses each content unit of a pyramid, as one annotator counted it.

    Parameters
    ----------
    set, system, annotator
        The document set, the peer and the annotator; the annotator may be unknown, an empty string.
    gold
        The weight of each content unit of the pyramid, by uid.
    models
        The number of model summaries; None if a presence table does not tell it.
    counts
        The number of contributors of each content unit that the summary expresses.
    unmatched
        The number of contributors that match no content unit.
    probabilities
        The probability of each content unit, where a machine gave them.

    Examples
    --------
    >>> gold = Gold({"a": 4, "b": 2, "c": 2, "d": 1, "e": 1})
    >>> peer = UnitCounts("S1", "P", "", gold, 4, {"b": 2, "d": 1}, unmatched=2)
    >>> peer.credit, peer.average, peer.repeats, peer.size
    (3, 3, 1, 5)
    """

    set: str
    system: str
    annotator: str
    gold: Gold
    models: int | None
    counts: Mapping[str, int]
    unmatched: int = 0
    probabilities: Mapping[str, float] | None = None

    @property
    def credit(self) -> float:
        """The summed weight of the distinct content units that the summary expresses."""
        return self.gold.credit(self.counts)

    @cached_property
    def average(self) -> int:
        """X, the mean number of content units in a model summary."""
        if self.models is None:
            hint = f"give it in a column models, or with {setting('models', 'N')}"
            what = f"the number of model summaries of set {self.set} is not known"
            raise TouchstoneError(what, code=Code.OPTION_NEEDED, hint=hint)
        return average_units(int(self.gold.optimum()), self.models)

    @property
    def repeats(self) -> int:
        """r, the contributors beyond the first of each content unit."""
        return sum(self.counts.values()) - len(self.counts)

    @property
    def size(self) -> int:
        """The number of contributors, matched and unmatched."""
        return sum(self.counts.values()) + self.unmatched


def unit_counts(annotation: Annotation) -> UnitCounts:
    """Return the counts of an annotation; refuse one that cannot be scored against the pyramid that it carries.

    Parameters
    ----------
    annotation
        The annotated summary (see `read_annotation`).

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> folder = Path(touchstone.__file__).parent / "examples" / "pyramid"
    >>> magpie = unit_counts(touchstone.pyramid.read_annotation(folder / "eve.T01.M.60.A.magpie.pan"))
    >>> magpie.credit, magpie.average, magpie.repeats
    (12, 9, 2)
    """
    pyramid, file = annotation.pyramid, annotation.file
    if not pyramid.units:
        raise TouchstoneError("there is no content unit to score against", file=file, code=Code.EMPTY)
    strangers = annotation.counts.keys() - pyramid.by_uid
    if strangers:
        what = "the peer expresses a content unit that its pyramid does not have"
        raise TouchstoneError(what, file=file, value=min(strangers), code=Code.UNKNOWN_ID)
    try:
        identity = annotation.set, annotation.system, annotation.annotator
        marked = annotation.counts, annotation.unmatched, annotation.probabilities or None
        counts = UnitCounts(*identity, pyramid.gold, pyramid.n, *marked)
        _ = counts.average  # refuses a pyramid that is too small
    except TouchstoneError as error:
        raise TouchstoneError.of([replace(fault, file=file) for fault in error.faults], error.hint) from None
    return counts


@dataclass(frozen=True, eq=False)
class Run(inputs.Run):
    """One peer: by document set, the counts of each annotator of its summary."""

    name: str
    summaries: Mapping[str, Sequence[UnitCounts]]

    @cached_property
    def signature(self) -> str:
        """The digest of the units that each summary expresses, and of the pyramid that it is scored against."""
        counts = [peer for summary in self.summaries.values() for peer in summary]
        return content_digest(
            set=[peer.set for peer in counts],
            annotator=[peer.annotator for peer in counts],
            units=[sorted(peer.counts.items()) for peer in counts],
            unmatched=[peer.unmatched for peer in counts],
            models=[peer.models for peer in counts],
            probabilities=[sorted(peer.probabilities.items()) for peer in counts if peer.probabilities],
            weights=[sorted(peer.gold.weights.items()) for peer in counts],
        )

    def __str__(self) -> str:
        counts = [peer for summary in self.summaries.values() for peer in summary]
        sizes = {
            "document set": len(self.summaries),
            "annotation": len(counts),
            "content unit": sum(len(peer.counts) for peer in counts),
            "repeat": sum(peer.repeats for peer in counts),
        }
        return f"peer {self.name}: {_listed(sizes)}"


@dataclass(frozen=True, eq=False)
class GoldSet(inputs.GoldSet):
    """The annotations of some peers with the pyramids that they carry, or a presence matrix.

    Parameters
    ----------
    annotations
        Annotations of peers; none where *presence* is given.
    pyramids
        Pyramids that were given beside the annotations; the copies in the annotations are checked against them.
    presence
        Decisions about the presence of content units, in place of annotations.
    topics
        The topic of each document set, where a table names it.
    """

    annotations: Sequence[Annotation] = ()
    pyramids: Sequence[Pyramid] = ()
    presence: Presence | None = field(default=None, kw_only=True)
    topics: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    counts: Sequence[UnitCounts] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        counts = _presence_counts(self.presence) if self.presence else _annotation_counts(self.annotations)
        # Intervals depend on the order of the sets, which the order of files and rows must not change.
        ordered = sorted(counts, key=lambda peer: (natural(peer.set), natural(peer.system), natural(peer.annotator)))
        object.__setattr__(self, "counts", ordered)

    @cached_property
    def sets(self) -> list[str]:
        """The document sets, in the order of their names, numbers by value."""
        return list(dict.fromkeys(peer.set for peer in self.counts))

    @cached_property
    def runs(self) -> list[Run]:
        """The peers, in the order of their numbers."""
        summaries: dict[str, dict[str, list[UnitCounts]]] = {}
        for peer in self.counts:
            summaries.setdefault(peer.system, {}).setdefault(peer.set, []).append(peer)
        return [Run(name, summaries[name]) for name in sorted(summaries, key=natural)]

    @property
    def sources(self) -> Sequence[Source]:
        """The tables of presence that were read; annotations have no columns."""
        return self.presence.sources if self.presence else ()

    @property
    def items(self) -> pa.Table:
        """The document sets: their ids, the sizes of their pyramids, and their topics where these are known."""
        first = {peer.set: peer for peer in reversed(self.counts)}
        columns = {
            "id": pa.array(self.sets, pa.string()),
            "set": pa.array(self.sets, pa.string()),
            "models": pa.array([first[name].models for name in self.sets], pa.int64()),
            "units": pa.array([len(first[name].gold.weights) for name in self.sets], pa.int64()),
        }
        if self.topics:
            columns["topic"] = pa.array([self.topics.get(name) for name in self.sets], pa.string())
        return pa.table(columns)

    @property
    def remarks(self) -> Sequence[str]:
        """How tables were read."""
        return self.presence.remarks if self.presence else ()

    @cached_property
    def signature(self) -> dict[str, str]:
        """The digest of pyramids and topics, and the number of document sets; the names of files do not count."""
        pyramids = sorted(_weights(self.counts), key=repr)
        digest = content_digest(pyramid=pyramids, topic=[self.topics.get(name) for name, *_ in pyramids])
        machines = sorted({annotation.automatic for annotation in self.annotations if annotation.automatic is not None})
        auto = {"auto": " + ".join(machines)} if machines else {}
        return {"gold": digest, "items": f"{len(self.sets)} document set{'s' * (len(self.sets) != 1)}", **auto}

    @property
    def notes(self) -> list[str]:
        """Summaries with several annotators, sets with several pyramids, and files with the same content."""
        times = Counter((peer.set, peer.system) for peer in self.counts)
        several = sum(number > 1 for number in times.values())
        notes = [f"{several:,} summaries have several annotators, whose scores are averaged"] if several else []
        pyramids = Counter(name for name, *_ in _weights(self.counts))
        notes += [f"set {name}: {number} different pyramids" for name, number in pyramids.items() if number > 1]
        heavy = _too_heavy(self.counts) if self.presence else []
        machine = sum(annotation.automatic is not None for annotation in self.annotations)
        if machine:
            notes.append(f"{machine:,} of {len(self.annotations):,} annotations are automatic: a machine made them")
        return [*notes, *heavy, *_copies(self.annotations)]

    def __str__(self) -> str:
        alone = [pyramid for pyramid in self.pyramids if pyramid.set not in self.sets]
        units = [len(weights) for *_, weights in _weights(self.counts)] + [len(pyramid.units) for pyramid in alone]
        sizes = {
            **self._files,
            "document set": len(self.sets) + len(alone),
            "content unit": sum(units),
            "annotation": len(self.counts),
        }
        return _listed(sizes)

    @property
    def _files(self) -> dict[str, int]:
        if self.presence is None:
            return {"file": len(self.annotations) + len(self.pyramids)}
        sources = self.presence.sources
        return {"file" if all(source.path for source in sources) else "table": len(sources)}


@dataclass(frozen=True, eq=False)
class Joined(inputs.Joined):
    """One peer over all document sets: for each set the counts of the annotators of its summary.

    *counted* tells the sets that count for the peer: those with a summary, and the others where a missing one scores 0.
    """

    summaries: Sequence[Sequence[UnitCounts]]
    counted: Bools
    notes: Sequence[str] = ()

    @property
    def facts(self) -> pa.Table:
        """The annotators of each summary, its X, its credit and the optimum of X content units, as means over them."""
        sized = all(peer.models is not None for summary in self.summaries for peer in summary)

        def means(value: Callable[[UnitCounts], float], *, defined: bool = True) -> pa.Array:
            values = [fmean(map(value, summary)) if summary and defined else None for summary in self.summaries]
            return pa.array(values, pa.float64())

        names = ["+".join(filter(None, (peer.annotator for peer in summary))) for summary in self.summaries]
        return pa.table(
            {
                "annotators": pa.array(names, pa.string()),
                "X": means(lambda peer: peer.average, defined=sized),
                "credit": means(lambda peer: peer.credit),
                "optimum": means(lambda peer: peer.gold.optimum(peer.average), defined=sized),
            }
        )


def join(gold: GoldSet, run: Run, policy: Policy, options: "Options") -> Joined:
    """Return the summaries of a peer in the order of the document sets.

    Parameters
    ----------
    gold
        The annotations of all peers, which tell the document sets.
    run
        The peer.
    policy
        What to do with document sets that the peer has no summary for.
    options
        Name the annotator to take where a summary has several.
    """
    annotators = {peer.annotator for peer in gold.counts}
    chosen = options.annotator
    if chosen is not None and chosen not in annotators:
        what = "no annotation by this annotator"
        raise TouchstoneError(what, value=chosen, near=nearest(chosen, annotators), code=Code.UNKNOWN_NAME)
    set_names = list(run.summaries)
    ids = Ids(f"peer {run.name}", set_names, [""] * len(set_names))
    joined = join_ids(gold.sets, ids, policy, missing="no summary for this document set").check()
    summaries = [pick_annotator(run.summaries.get(name, ()), chosen) for name in gold.sets]
    return Joined(summaries, joined.counted, joined.note(f"peer {run.name}", "document sets without a summary"))


def pick_annotator(summary: Sequence[UnitCounts], annotator: str | None) -> Sequence[UnitCounts]:
    """Return the counts of the *annotator* where a summary has several and one is chosen, else all."""
    if annotator is None or len(summary) == 1:
        return summary
    return [peer for peer in summary if peer.annotator == annotator]


def natural(name: str) -> tuple[int, int, str]:
    """Return a sort key that orders numbers by value, before words.

    >>> sorted(["10", "x", "9"], key=natural)
    ['9', '10', 'x']
    """
    # A longer row of digits is an identifier, not a number; int() refuses very long ones.
    digits = name.isascii() and name.isdigit() and len(name) < 19
    return (0, int(name), "") if digits else (1, 0, name)


def digest(texts: Iterable[str]) -> str:
    """Return one digest of several texts, whatever their order."""
    return hashlib.sha256(" ".join(sorted(set(texts))).encode()).hexdigest()[:12]


def _annotation_counts(annotations: Sequence[Annotation]) -> list[UnitCounts]:
    """Return the counts of all annotations; refuse all that have no identity, the same one, or no usable pyramid."""
    first: dict[tuple[str, str, str], str] = {}
    faults = Faults()
    counts = []
    for annotation in annotations:
        file, identity = annotation.file, (annotation.set, annotation.system, annotation.annotator)
        if not (annotation.set and annotation.peer):
            faults.add(
                [Fault("the name of the file does not give its document set and peer", file, code=Code.MISSING_ID)]
            )
        elif identity in first:
            who = f"set {annotation.set}, peer {annotation.system}, annotator {annotation.annotator or '?'}"
            faults.add(
                [Fault(f"{who}: also annotated in another file", file, value=first[identity], code=Code.DUPLICATE_ID)]
            )
        first.setdefault(identity, file or "")
        with faults.collect():
            counts.append(unit_counts(annotation))
    table = f"or give a table with {setting('meta', 'FILE.csv')}"
    faults.check(f"name files annotator.set.M.250.selector.peer.pan, each once, {table}")
    return counts


def _presence_counts(presence: Presence) -> list[UnitCounts]:
    """Return the counts of a presence matrix; refuse a pyramid that is too small."""
    golds = {item: Gold(weights) for item, weights in presence.weights.items()}
    counts = [
        UnitCounts(
            item,
            system,
            "",
            golds[item],
            presence.models_of(item),
            {scu: 1 for scu, here in units.items() if here},
            presence.unmatched.get((item, system), 0),
        )
        for item, systems in presence.units.items()
        for system, units in systems.items()
    ]
    for peer in counts:
        _ = peer.models and peer.average  # computing X refuses a pyramid that is too small
    return counts


def _too_heavy(counts: Iterable[UnitCounts]) -> list[str]:
    """Return a warning for each document set with a unit that weighs more than it has models."""
    heaviest = {peer.set: (peer.gold.optimum(1), peer.models) for peer in counts}
    return [
        warning(f"set {name}: a content unit of weight {weight:g} from {models} model summaries")
        for name, (weight, models) in heaviest.items()
        if models is not None and weight > models
    ]


def _listed(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{size:,} {name}{'' if size == 1 else 's'}" for name, size in sizes.items())


Weights = tuple[str, int | None, tuple[tuple[str, float], ...]]


def _weights(counts: Iterable[UnitCounts]) -> list[Weights]:
    """Return the distinct pyramids: document set, number of models, weights by uid."""
    golds = {(peer.set, id(peer.gold)): peer for peer in counts}.values()
    return list({(peer.set, peer.models, tuple(sorted(peer.gold.weights.items()))): None for peer in golds})


def _copies(annotations: Iterable[Annotation]) -> list[str]:
    """Return a note for each file whose content is that of another file."""
    first: dict[str, Annotation] = {}
    notes = []
    for annotation in annotations:
        if annotation.source is None:
            continue
        same = first.setdefault(annotation.source.digest, annotation)
        if same is not annotation:
            notes.append(
                f"{annotation.file} has the same content as {same.file}: "
                f"set {annotation.set}, peer {annotation.peer} is a copy of set {same.set}, peer {same.peer}"
            )
    return notes
