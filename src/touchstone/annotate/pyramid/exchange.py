"""Documents from files and as files: .pyr, .pan and JSON, and new material from plain texts.

What is unassigned has no place in .pyr and .pan; in JSON it stands under the key "unassigned".
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from string import ascii_uppercase

from touchstone.annotate.pyramid.document import (
    Doc,
    Mark,
    PeerDocument,
    PyramidDocument,
    numbered,
    peer_document,
    pyramid_document,
    to_annotation,
    to_pyramid,
)
from touchstone.annotate.pyramid.json_form import MAX_MARKS, document_json, listed, mark_json, read_mark
from touchstone.annotate.pyramid.refusals import RefusalError
from touchstone.annotate.pyramid.saving import read_like
from touchstone.core.errors import TouchstoneError
from touchstone.io.jsonl import Json
from touchstone.io.text import Source
from touchstone.tasks.pyramid.formats import format_annotation, format_json, format_pyramid, parse
from touchstone.tasks.pyramid.headers import DEFAULT, find_summaries
from touchstone.tasks.pyramid.model import NO_UNIT, Annotation, Extra, Pyramid

UNASSIGNED = "unassigned"

RULE = "-" * 20
"""The lines of hyphens around the id of a summary that was given as plain text."""


def read_file(raw: bytes, name: str) -> PyramidDocument | PeerDocument:
    """Return the pyramid or the annotation that the bytes of a file hold, as a document."""
    return document_of(parse(raw, Source(name, sha256(raw).hexdigest()), {}))


def document_of(thing: Pyramid | Annotation) -> PyramidDocument | PeerDocument:
    """Return a pyramid or an annotation as a document; it must be small enough to be saved again."""
    held = thing.extra.keys.get(UNASSIGNED)
    if held is None:
        document = pyramid_document(thing) if isinstance(thing, Pyramid) else peer_document(thing)
    else:
        keys = {key: value for key, value in thing.extra.keys.items() if key != UNASSIGNED}
        bare = replace(thing, extra=replace(thing.extra, keys=keys))
        document = _with_unassigned(document_of(bare), held)
    return read_like(document, document_json(document))


def _with_unassigned(document: Doc, held: Json) -> Doc:
    marks = numbered(listed(held, UNASSIGNED, MAX_MARKS, read_mark), document.next_mark)
    return replace(document, unassigned=marks, next_mark=document.next_mark + len(marks))


def imported(document: PyramidDocument, pyramid: Pyramid) -> PyramidDocument:
    """Return *document* with what *pyramid* holds in place of its own; a file of another text is refused.

    Contributors get ids that were never given in this document; what the file breaks is kept.
    """
    return _taken(document, pyramid)


def imported_peer(document: PeerDocument, annotation: Annotation) -> PeerDocument:
    """Return *document* with the entries of *annotation* in place of its own; another text or unit is refused."""
    strangers = {unit.uid for unit in annotation.units} - document.pyramid.by_uid.keys() - {NO_UNIT}
    if strangers:
        raise RefusalError("missing", f"there is no unit {min(strangers)}", "the file was read against another pyramid")
    return _taken(document, annotation)


def _taken(document: Doc, file: Pyramid | Annotation) -> Doc:
    if file.lines != document.material.lines:
        hint = "import it as a document of its own instead"
        raise RefusalError("text", "the file has another text than this document", hint)
    read = document_of(file)
    shift = document.next_mark - 1
    return replace(
        document,
        units=tuple(replace(unit, contributors=_shifted(unit.contributors, shift)) for unit in read.units),
        unassigned=_shifted(read.unassigned, shift),
        next_unit=max(document.next_unit, read.next_unit),
        next_mark=read.next_mark + shift,
    )


def _shifted(marks: Sequence[Mark], by: int) -> tuple[Mark, ...]:
    return tuple(replace(mark, id=f"c{int(mark.id[1:]) + by}") for mark in marks)


def file_text(document: PyramidDocument | PeerDocument, form: str) -> str:
    """Return *document* as the text of a file: *form* is pyr, pan or json."""
    thing = to_pyramid(document) if isinstance(document, PyramidDocument) else to_annotation(document)
    if form == "json":
        return format_json(_complete(document, thing))
    if form == "pyr" and isinstance(thing, Pyramid):
        return format_pyramid(thing)
    if form == "pan" and isinstance(thing, Annotation):
        return format_annotation(thing)
    fit = "pyr" if isinstance(thing, Pyramid) else "pan"
    raise TouchstoneError("this document cannot be written in this form", value=form, hint=f"choose {fit} or json")


def _complete(document: PyramidDocument | PeerDocument, thing: Pyramid | Annotation) -> Pyramid | Annotation:
    if not document.unassigned:
        return thing
    marks: list[Json] = [mark_json(mark) for mark in document.unassigned]
    extra: Extra = replace(thing.extra, keys={**thing.extra.keys, UNASSIGNED: marks})
    return replace(thing, extra=extra)


def pyramid_of_texts(document_set: str, texts: Mapping[str, str]) -> PyramidDocument:
    r"""Return an empty pyramid of model summaries given as plain texts, with header lines that every tool finds.

    The id of a summary is made of the set, its length in words and a letter; the names of *texts* put them in order.

    >>> made = pyramid_of_texts("S1", {"ann.txt": "Cats sleep.", "ben.txt": "Dogs bark a lot.\n"})
    >>> [summary.id for summary in made.summaries]
    ['S1.M.2.A.A', 'S1.M.4.A.B']
    """
    if not texts:
        raise TouchstoneError("a pyramid needs at least one model summary")
    lines: list[str] = []
    for place, name in enumerate(sorted(texts)):
        said = text_lines(texts[name])
        lines += [RULE, f"{document_set}.M.{len(texts[name].split())}.A.{_letters(place)}", RULE, *said]
    summaries = find_summaries(lines, DEFAULT)
    if len(summaries) != len(texts):
        what = "the summaries cannot be told apart: a text has header lines, or the name of the set has blanks"
        raise TouchstoneError(what, value=document_set, hint="give the words of the summaries alone")
    return PyramidDocument(Pyramid(document_set, tuple(lines), summaries, (), DEFAULT))


def text_lines(text: str) -> tuple[str, ...]:
    r"""Return the lines of a plain text, whatever ends them; the last may do without an end.

    >>> text_lines("Cats sleep.\r\n\r\nDogs bark.\n")
    ('Cats sleep.', '', 'Dogs bark.')
    """
    return tuple(text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n"))


def _letters(place: int) -> str:
    """Return A, B to Z, then AA, AB and so on, for 0, 1 and so on."""
    rest, letter = divmod(place, 26)
    return (_letters(rest - 1) if rest else "") + ascii_uppercase[letter]
