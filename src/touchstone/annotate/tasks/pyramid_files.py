"""Pyramids and peers as files, named so that the other commands know set, peer and annotator."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import cast

from touchstone.annotate import pyramid as domain
from touchstone.annotate.tasks.common import file_names
from touchstone.annotate.tasks.protocol import Given, OutFile, Subject
from touchstone.annotate.tasks.pyramid_documents import PYRAMID, Document, Object, document_of
from touchstone.core.errors import TouchstoneError
from touchstone.io.jsonl import Json

COUNTS = ("count", "repeats", "unmatched", "modified", "original")
"""What the table of scores has of each peer."""


def named(document: Document, author: str) -> Document:
    """Return a peer's document under the name of its annotator."""
    if isinstance(document, domain.PeerDocument):
        return replace(document, material=replace(document.material, annotator=author))
    return document


def stem_of(item: Subject, author: str) -> str:
    """Return the name of a file by the pattern of DUC, which tells set, peer and annotator."""
    payload = cast("Object", item.payload)
    document_set = _undotted(str(payload["set"]))
    if item.kind == PYRAMID:
        return document_set
    peer = _undotted(str(cast("Object", item.hidden)["peer"]))
    words = sum(len(str(line).split()) for line in cast("list[Json]", payload["lines"]))
    return f"{_undotted(author)}.{document_set}.M.{words}.A.{peer}"


def _undotted(name: str) -> str:
    return file_names([name])[name].replace(".", "-") or "x"


def files_of(
    folder: str,
    author: str,
    answer: Given,
    taken: set[str],
    meta: list[Sequence[Json]],
    scores: list[Sequence[Json]],
) -> Iterator[OutFile]:
    """Yield an answer as .pyr or .pan and as JSON; add its lines to the tables of names and of scores."""
    document = named(document_of(answer.item, answer.body), author)
    stem, number = stem_of(answer.item, author), 1
    while stem.casefold() in taken:
        number += 1
        stem = f"{stem_of(answer.item, author)}-{number}"
    taken.add(stem.casefold())
    form = "pyr" if answer.item.kind == PYRAMID else "pan"
    with suppress(TouchstoneError):  # keys of a JSON file that XML has no place for: the JSON below keeps them
        text = domain.file_text(document, form)
        yield OutFile(f"{folder}/{stem}.{form}", text.encode())
    yield OutFile(f"{folder}/json/{stem}.json", domain.file_text(document, "json").encode())
    if isinstance(document, domain.PeerDocument):
        one = document.material
        meta.append((f"{stem}.{form}", one.set, one.peer, author))
        figures = domain.peer_figures(document)
        scores.append((one.set, one.peer, author, *(getattr(figures, name) for name in COUNTS)))
