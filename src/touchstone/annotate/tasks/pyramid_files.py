"""Pyramids and peers from and to files, and the documents in stored answers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from touchstone.annotate.caching import Cache
from touchstone.annotate.pyramid.document import PeerDocument, PyramidDocument, blank_peer
from touchstone.annotate.pyramid.exchange import document_of, pyramid_of_texts
from touchstone.annotate.pyramid.json_form import document_json, read_document, reading_like
from touchstone.annotate.pyramid.rounds import ADJUDICATION
from touchstone.annotate.tables import dump
from touchstone.annotate.tasks.base import FinishedAnswer, NewAnswer, NewItem, Object, Subject, Upload, file_names
from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.files import Source
from touchstone.io.jsonl import Json
from touchstone.systems.pyramids.units import Proposal
from touchstone.tasks.pyramid.formats import parse
from touchstone.tasks.pyramid.formats.checking import FORBIDDEN
from touchstone.tasks.pyramid.formats.neutral import annotation_object, pyramid_object, read_json
from touchstone.tasks.pyramid.formats.plain import text_lines
from touchstone.tasks.pyramid.model import Annotation, Pyramid

PYRAMID, PEER = "pyramid", "peer"

PROPOSALS = "proposals"
"""The key of what a machine proposed in the file of a peer."""

PEERS = "peers"
"""The folder in which plain texts are peers; others are model summaries."""

FROM_FILE = "imported"
"""The author of a pyramid from a file, which does not name one."""

Document = PyramidDocument | PeerDocument

_STORED = Source("stored", "")
_MATERIALS: Cache[Pyramid | Annotation] = Cache(256)
_PYRAMIDS: Cache[Pyramid] = Cache(64)
"""The pyramids of peers: a set has many peers, and each of them the same pyramid."""
_NO_PYRAMID = pyramid_object(Pyramid("", (), (), ()))
_DOCUMENTS: Cache[Document] = Cache(128)
"""Recently used documents: the body of one save is what the next one is compared with."""


def stored_pyramid(value: Json) -> Pyramid:
    """Return the pyramid in a JSON value."""
    thing = read_json(value, _STORED)
    assert isinstance(thing, Pyramid)
    return replace(thing, source=None)


def blank_document(item: Subject) -> Document:
    """Return the document of *item* before anything is marked."""
    material = _MATERIALS.get(item.identity, lambda: _read_material(item))
    return PyramidDocument(material) if isinstance(material, Pyramid) else blank_peer(material)


def _read_material(item: Subject) -> Pyramid | Annotation:
    payload = cast("Object", item.payload)
    if item.kind == PYRAMID:
        return stored_pyramid(payload)
    pyramid = _PYRAMIDS.get(item.attachment_digest, lambda: stored_pyramid(item.attachment))
    stored = {**cast("Object", item.hidden), "lines": payload["lines"], "pyramid": _NO_PYRAMID, "peerscus": []}
    thing = read_json(stored, _STORED)
    assert isinstance(thing, Annotation)
    return replace(thing, source=None, pyramid=pyramid)


def stored_document(item: Subject, body: Json, before: tuple[Json, Document] | None = None) -> Document:
    """Return the document in *body*, over the text of *item*.

    Parameters
    ----------
    item
        The item.
    body
        The document as JSON.
    before
        An earlier body with its document; the units that both have are read once.
    """
    if isinstance(body, dict) and ADJUDICATION in body:
        body = {name: value for name, value in body.items() if name != ADJUDICATION}
    key = None if item.identity is None else (item.identity, dump(body))
    units = None if before is None else reading_like(*before)
    return _DOCUMENTS.get(key, lambda: read_document(body, blank_document(item), units))


def answer_document(answer: FinishedAnswer) -> Document:
    """Return the document of a finished answer; it is read once for all files and figures."""
    if "document" not in answer.memo:
        answer.memo["document"] = stored_document(answer.item, answer.body)
    return cast("Document", answer.memo["document"])


def parsed(file: Upload) -> Pyramid | Annotation:
    """Return the pyramid or the annotation in an uploaded file."""
    return parse(file.content, file.source, {})


def file_stem(item: Subject, author: str) -> str:
    """Return a file name without suffix in the pattern of DUC, which gives set, peer and annotator."""
    payload = cast("Object", item.payload)
    document_set = _undotted(str(payload["set"]))
    if item.kind == PYRAMID:
        return document_set
    peer = _undotted(str(cast("Object", item.hidden)["peer"]))
    words = sum(len(str(line).split()) for line in cast("list[Json]", payload["lines"]))
    return f"{_undotted(author)}.{document_set}.M.{words}.A.{peer}"


def _undotted(name: str) -> str:
    return file_names([name])[name].replace(".", "-") or "x"


def file_item(name: str, thing: Pyramid | Annotation, with_correct: bool) -> NewItem:
    """Return a pyramid or an annotation as an item, with the answer in its file.

    Parameters
    ----------
    name
        The name of the file, for error messages.
    thing
        What the file contains.
    with_correct
        Whether the answer is the correct answer of a test or training item.
    """
    body = document_json(document_of(thing))
    correct = body if with_correct else None
    if isinstance(thing, Pyramid):
        if not thing.set:
            raise TouchstoneError("a pyramid without the name of its set", file=name, code=Code.MISSING_ID)
        payload = pyramid_object(replace(thing, units=()))
        answers = (NewAnswer(FROM_FILE, body),) if thing.units and not with_correct else ()
        return NewItem(thing.set, PYRAMID, payload, None, correct, answers=answers, start=True)
    if not (thing.set and thing.peer):
        hint = "name files annotator.set.M.250.selector.peer.pan"
        raise TouchstoneError(
            "the file name does not contain the set and the peer", file=name, code=Code.MISSING_ID, hint=hint
        )
    if thing.automatic is not None:
        return _proposed_item(thing, name, with_correct)
    answers = () if with_correct else (NewAnswer(thing.annotator or FROM_FILE, body),)
    return replace(_peer_item(thing, pyramid_object(thing.pyramid)), correct=correct, answers=answers)


def _proposed_item(annotation: Annotation, name: str, with_correct: bool) -> NewItem:
    """Return a peer without an answer: what a machine marked in it is proposed to whoever annotates it."""
    if with_correct:
        hint = "give one that people made"
        raise TouchstoneError("an automatic annotation is no known answer", file=name, code=Code.UNSUPPORTED, hint=hint)
    item = _peer_item(annotation.unmarked(), pyramid_object(annotation.pyramid))
    proposals = [
        proposal_json(Proposal(unit.uid, annotation.pyramid.by_uid[unit.uid].label, spans, p))
        for unit in annotation.units
        if (spans := tuple(tuple((part.start, part.end) for part in mark.parts) for mark in unit.contributors))
        and (p := annotation.probabilities.get(unit.uid, 1.0))
    ]
    return replace(item, payload={**cast("Object", item.payload), PROPOSALS: proposals})


def proposal_json(proposal: Proposal) -> Json:
    """Return a proposal as the pages take it."""
    contributors: list[Json] = [[list(span) for span in spans] for spans in proposal.contributors]
    about: Object = {"uid": proposal.uid, "label": proposal.label, "score": round(proposal.score, 3)}
    return {**about, "contributors": contributors}


def _peer_item(annotation: Annotation, attachment: Json) -> NewItem:
    """Return a peer as an item whose payload does not name the system."""
    unmarked = annotation_object(replace(annotation, units=(), annotator=""))
    hidden: Object = {name: value for name, value in unmarked.items() if name not in ("pyramid", "lines")}
    payload: Json = {"set": annotation.set, "lines": list(annotation.lines)}
    return NewItem(f"{annotation.set} {annotation.system}", PEER, payload, hidden, attachment=attachment)


def summaries(files: Sequence[Upload]) -> tuple[list[Upload], list[str]]:
    """Return the plain texts that are summaries, and the names of the others.

    The folder of a document set has texts, and perhaps a folder of peers; a text beside other files or folders of an
    uploaded folder describes the data.
    """
    texts = [file for file in files if file.name.endswith(".txt")]
    mixed = {_folder(file.name) for file in files if not file.name.endswith(".txt")}
    for file in files:
        *above, last = file.name.split("/")[:-1] or [""]
        if last != PEERS:
            mixed.add("/".join(above))
    described = {file.name for file in texts if "/" in file.name and _folder(file.name) in mixed}
    return [file for file in texts if file.name not in described], sorted(described)


def _folder(name: str) -> str:
    return name.rpartition("/")[0]


def text_items(files: Sequence[Upload], present: Mapping[str, Json]) -> list[NewItem]:
    """Return the pyramids and the peers in plain texts, named ``SET/NAME.txt`` and ``SET/peers/NAME.txt``.

    Parameters
    ----------
    files
        The uploaded texts.
    present
        The pyramids that exist already, by set.
    """
    models: dict[str, dict[str, str]] = {}
    peers: dict[tuple[str, str], str] = {}
    faults: list[Fault] = []
    for file in files:
        *folders, name = file.name.split("/")
        if FORBIDDEN.search(file.text):
            faults.append(Fault("a control character that XML cannot hold", file.name, code=Code.BAD_CELL))
        elif folders[-1:] == [PEERS] and len(folders) > 1:
            peers[folders[-2], name.removesuffix(".txt")] = file.text
        elif folders and folders[-1] != PEERS:
            models.setdefault(folders[-1], {})[name] = file.text
        else:
            faults.append(
                Fault(
                    "a text must be in the folder of its set: SET/NAME.txt or SET/peers/NAME.txt",
                    file.name,
                    code=Code.MISSING_ID,
                )
            )
    if faults:
        raise TouchstoneError.of(faults)
    built = {name: pyramid_object(pyramid_of_texts(name, texts).material) for name, texts in models.items()}
    pyramids = {**present, **built}
    items = [NewItem(name, PYRAMID, pyramid) for name, pyramid in built.items()]
    for (document_set, peer), text in peers.items():
        if document_set not in pyramids:
            hint = "import its model summaries or its .pyr file too"
            raise TouchstoneError(
                "a peer of a set without a pyramid", value=document_set, code=Code.UNKNOWN_ID, hint=hint
            )
        pyramid = stored_pyramid(pyramids[document_set])
        annotation = Annotation(document_set, peer, "", text_lines(text), pyramid, ())
        items.append(_peer_item(annotation, pyramids[document_set]))
    return items
