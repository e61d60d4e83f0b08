"""What one person made of some summaries: annotations of peers, pyramids, or both; a file or a folder of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from touchstone.core.errors import Fault, TouchstoneError
from touchstone.tasks.pyramid.formats import read_all
from touchstone.tasks.pyramid.joining import digest
from touchstone.tasks.pyramid.model import Annotation, Pyramid


@dataclass(frozen=True)
class Reading:
    """What one person made: annotations of peers, by set and peer, and pyramids, by set."""

    name: str
    annotations: Mapping[tuple[str, str], Annotation]
    pyramids: Mapping[str, Pyramid]

    def __str__(self) -> str:
        sources = [one.source for one in self.annotations.values()] + [one.source for one in self.pyramids.values()]
        return f"{self.name}#{digest(source.digest for source in sources if source)}"


def read_reading(path: str | Path, *, models: int | None = None) -> Reading:
    """Read what one person made: a file, or a folder of .pan, .json and .pyr files."""
    return reading(Path(path).name, read_all([path], models=models))


def reading(name: str, things: Sequence[Annotation | Pyramid]) -> Reading:
    """Return *things* as the work of the person called *name*; refuse the same peer twice."""
    annotations: dict[tuple[str, str], Annotation] = {}
    pyramids: dict[str, Pyramid] = {}
    faults = []
    for thing in things:
        if isinstance(thing, Pyramid):
            pyramids[thing.set] = thing
            continue
        key = (thing.set, thing.system)
        if key in annotations or not (thing.set and thing.peer):
            what = f"set {thing.set or '?'}, peer {thing.system or '?'}: also annotated in another file"
            faults.append(Fault(what, thing.file))
        annotations[key] = thing
        pyramids.setdefault(thing.set, thing.pyramid)
    if faults:
        hint = "give each annotator a folder, and name files annotator.set.M.250.selector.peer.pan"
        raise TouchstoneError.of(faults, hint)
    return Reading(name, annotations, pyramids)
