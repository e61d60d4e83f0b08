"""What one person made of some summaries: annotations of peers, pyramids, or both; a file or a folder of them."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from touchstone.core.errors import Fault, TouchstoneError
from touchstone.tasks.pyramid.formats import read
from touchstone.tasks.pyramid.model import Annotation, Pyramid

SUFFIXES = (".pan", ".json", ".pyr")


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
    folder = Path(path)
    files = sorted(one for one in folder.iterdir() if one.suffix in SUFFIXES) if folder.is_dir() else [folder]
    if not files:
        raise TouchstoneError("no .pan, .json or .pyr file in this folder", file=str(path))
    return reading(folder.name, [read(one, models=models) for one in files])


def reading(name: str, things: Sequence[Annotation | Pyramid]) -> Reading:
    """Return *things* as what the person called *name* made; the same peer twice is refused."""
    annotations: dict[tuple[str, str], Annotation] = {}
    pyramids: dict[str, Pyramid] = {}
    faults = []
    for thing in things:
        if isinstance(thing, Pyramid):
            pyramids[thing.set] = thing
            continue
        key = (thing.set, thing.system)
        if key in annotations or not (thing.set and thing.peer):
            file = thing.source.name if thing.source else None
            faults.append(Fault(f"set {thing.set or '?'}, peer {thing.system or '?'} stand in another file too", file))
        annotations[key] = thing
        pyramids.setdefault(thing.set, thing.pyramid)
    if faults:
        hint = "give each annotator a folder, and call files annotator.set.M.250.selector.peer.pan"
        raise TouchstoneError.of(faults, hint)
    return Reading(name, annotations, pyramids)


def digest(digests: Iterable[str]) -> str:
    """Return one digest of many files, whatever their order."""
    return hashlib.sha256(" ".join(sorted(set(digests))).encode()).hexdigest()[:12]
