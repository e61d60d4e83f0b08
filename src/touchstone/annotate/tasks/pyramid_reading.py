"""Files into pyramids and peers: .pyr, .pan, JSON, and plain texts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from touchstone.annotate import pyramid as domain
from touchstone.annotate.tasks.common import source_of, text_of
from touchstone.annotate.tasks.protocol import NewAnswer, NewItem, Upload
from touchstone.annotate.tasks.pyramid_documents import PEER, PYRAMID, Object, pyramid_of
from touchstone.core.errors import Fault, TouchstoneError
from touchstone.io.jsonl import Json
from touchstone.tasks.pyramid import Annotation, Pyramid
from touchstone.tasks.pyramid.formats import parse
from touchstone.tasks.pyramid.formats.checking import FORBIDDEN
from touchstone.tasks.pyramid.formats.neutral import annotation_object, pyramid_object

PEERS = "peers"
"""The folder in which plain texts are peers; others are model summaries."""

FROM_FILE = "imported"
"""The author of a pyramid that came as a file, which does not tell one."""


def parsed(file: Upload) -> tuple[Upload, Pyramid | Annotation]:
    """Return a file with what it holds."""
    return file, parse(file.content, source_of(file), {})


def item_of(name: str, thing: Pyramid | Annotation, *, known: bool) -> NewItem:
    """Return a pyramid or an annotation as an item, with the answer that its file gives."""
    body = domain.document_json(domain.document_of(thing))
    known_body = body if known else None
    if isinstance(thing, Pyramid):
        if not thing.set:
            raise TouchstoneError("a pyramid without the name of its set", file=name)
        payload = pyramid_object(replace(thing, units=()))
        answers = (NewAnswer(FROM_FILE, body),) if thing.units and not known else ()
        return NewItem(thing.set, PYRAMID, payload, None, known_body, answers=answers, start=True)
    if not (thing.set and thing.peer):
        hint = "call files annotator.set.M.250.selector.peer.pan"
        raise TouchstoneError("the name of the file does not tell its set and peer", file=name, hint=hint)
    given = () if known else (NewAnswer(thing.annotator or FROM_FILE, body),)
    attachment = pyramid_object(thing.pyramid)
    return NewItem(_key(thing), PEER, *_peer_parts(thing), known_body, attachment, given)


def _key(annotation: Annotation) -> str:
    return f"{annotation.set} {annotation.system}"


def _peer_parts(annotation: Annotation) -> tuple[Json, Json]:
    """Return what may be shown of a peer, and what names its system."""
    bare = annotation_object(replace(annotation, units=(), annotator=""))
    hidden: Object = {name: value for name, value in bare.items() if name not in ("pyramid", "lines")}
    return {"set": annotation.set, "lines": list(annotation.lines)}, hidden


def items_of_texts(files: Sequence[Upload], known: Mapping[str, Json]) -> tuple[list[NewItem], list[NewItem]]:
    """Return the sets and the peers that plain texts give; *known* has the pyramids that are there already."""
    models: dict[str, dict[str, str]] = {}
    peers: dict[tuple[str, str], str] = {}
    faults: list[Fault] = []
    for file in files:
        *folders, name = file.name.split("/")
        text = text_of(file)
        if FORBIDDEN.search(text):
            faults.append(Fault("a control character that XML cannot hold", file.name))
        elif folders[-1:] == [PEERS] and len(folders) > 1:
            peers[folders[-2], name.removesuffix(".txt")] = text
        elif folders and folders[-1] != PEERS:
            models.setdefault(folders[-1], {})[name] = text
        else:
            faults.append(Fault("a text needs the folder of its set: SET/NAME.txt or SET/peers/NAME.txt", file.name))
    if faults:
        raise TouchstoneError.of(faults)
    made = {name: domain.pyramid_of_texts(name, texts).material for name, texts in models.items()}
    pyramids = {**known, **{name: pyramid_object(pyramid) for name, pyramid in made.items()}}
    built = [NewItem(name, PYRAMID, pyramid_object(pyramid)) for name, pyramid in made.items()]
    return built, [_text_peer(document_set, peer, text, pyramids) for (document_set, peer), text in peers.items()]


def _text_peer(document_set: str, peer: str, text: str, pyramids: Mapping[str, Json]) -> NewItem:
    if document_set not in pyramids:
        hint = "import its model summaries or its .pyr file too"
        raise TouchstoneError("a peer of a set without a pyramid", value=document_set, hint=hint)
    pyramid = pyramid_of(pyramids[document_set])
    annotation = Annotation(document_set, peer, "", domain.text_lines(text), pyramid, ())
    return NewItem(_key(annotation), PEER, *_peer_parts(annotation), attachment=pyramids[document_set])
