"""Pyramids and annotations as the XML files of DUCView, with the DTD that its files carry."""

from collections.abc import Iterable, Mapping, Sequence
from xml.sax.saxutils import escape

from touchstone.core.errors import TouchstoneError
from touchstone.tasks.pyramid.headers import find_summaries
from touchstone.tasks.pyramid.model import Annotation, Contributor, Extra, Part, Pyramid, Stray, Unit

_DTD_UNITS = """\
 <!ELEMENT pyramid (startDocumentRegEx?,text,scu*)>
 <!ELEMENT startDocumentRegEx (#PCDATA)>
 <!ELEMENT text (line*)>
 <!ELEMENT line (#PCDATA)>
 <!ELEMENT scu (contributor)+>
 <!ATTLIST scu uid CDATA #REQUIRED
               label CDATA #REQUIRED
               comment CDATA #IMPLIED>
 <!ELEMENT contributor (part)+>
 <!ATTLIST contributor label CDATA #REQUIRED
                       comment CDATA #IMPLIED>
 <!ELEMENT part EMPTY>
 <!ATTLIST part label CDATA #REQUIRED
                start CDATA #REQUIRED
                end CDATA #REQUIRED>
"""

_DTD_ANNOTATION = """\
 <!ELEMENT peerAnnotation (pyramid,annotation)>
 <!ELEMENT annotation (text,peerscu+)>
 <!ELEMENT peerscu (contributor)*>
 <!ATTLIST peerscu uid CDATA #REQUIRED
                   label CDATA #REQUIRED
                   comment CDATA #IMPLIED>
"""

_IN_TEXT = {"\r": "&#13;"}
_IN_ATTRIBUTE = {'"': "&quot;", "\n": "&#10;", "\t": "&#9;", "\r": "&#13;"}


def format_pyramid(pyramid: Pyramid) -> str:
    """Return *pyramid* as the text of a ``.pyr`` file.

    Newlines and tabs in labels are written as character references, so that reading gives them back.
    """
    return _document("pyramid", _DTD_UNITS, _pyramid(pyramid))


def format_annotation(annotation: Annotation) -> str:
    """Return *annotation* as the text of a ``.pan`` file."""
    inner = [_text(annotation.lines), *(_unit("peerscu", unit) for unit in annotation.units)]
    peer = _element("annotation", {}, inner, annotation.extra)
    whole = _element("peerAnnotation", {}, [_pyramid(annotation.pyramid), peer], annotation.file_extra)
    return _document("peerAnnotation", _DTD_ANNOTATION + _DTD_UNITS, whole)


def _document(root: str, dtd: str, content: Sequence[str]) -> str:
    return "\n".join(['<?xml version="1.0"?>', f"<!DOCTYPE {root} [\n{dtd}]>", *content, ""])


def _pyramid(pyramid: Pyramid) -> list[str]:
    if find_summaries(pyramid.lines, pyramid.header) != pyramid.summaries:
        raise TouchstoneError(
            f"the summaries of {pyramid.set or 'this pyramid'} would be lost: its lines have no headers that tell them",
            hint="put a line of hyphens, a line such as S1.M.100.A.A and a line of hyphens before each summary",
        )
    header = [] if pyramid.header is None else [_leaf("startDocumentRegEx", {}, pyramid.header)]
    units = (_unit("scu", unit) for unit in pyramid.units)
    return _element("pyramid", {}, [*header, _text(pyramid.lines), *units], pyramid.extra)


def _text(lines: Sequence[str]) -> list[str]:
    return _element("text", {}, [_leaf("line", {}, line) for line in lines])


def _unit(tag: str, unit: Unit) -> list[str]:
    attributes = {"uid": unit.uid, "label": unit.label, "comment": unit.comment}
    return _element(tag, attributes, map(_contributor, unit.contributors), unit.extra)


def _contributor(contributor: Contributor) -> list[str]:
    attributes = {"label": contributor.label, "comment": contributor.comment}
    return _element("contributor", attributes, map(_part, contributor.parts), contributor.extra)


def _part(part: Part) -> list[str]:
    attributes = {"label": part.label, "start": str(part.start), "end": str(part.end)}
    return _element("part", attributes, [], part.extra)


def _stray(stray: Stray) -> list[str]:
    if not stray.children:
        return _leaf(stray.tag, stray.attributes, stray.text)
    return _element(stray.tag, stray.attributes, map(_stray, stray.children))


def _element(
    tag: str, attributes: Mapping[str, str | None], children: Iterable[list[str]], extra: Extra | None = None
) -> list[str]:
    """Return the lines of an element, its children indented, those that the format does not know at their places."""
    inner = list(children)
    for stray in extra.elements if extra else ():
        inner.insert(stray.at, _stray(stray))
    opening = _opening(tag, {**attributes, **(extra.attributes if extra else {})})
    if extra and extra.keys:
        names = ", ".join(extra.keys)
        raise TouchstoneError(f"keys that only JSON can hold would be lost in XML: {names}", hint="convert to .json")
    if not inner:
        return [f"<{opening}/>"]
    return [f"<{opening}>", *(f" {line}" for child in inner for line in child), f"</{tag}>"]


def _leaf(tag: str, attributes: Mapping[str, str], text: str) -> list[str]:
    return [f"<{_opening(tag, attributes)}>{escape(text, _IN_TEXT)}</{tag}>"]


def _opening(tag: str, attributes: Mapping[str, str | None]) -> str:
    given = {name: value for name, value in attributes.items() if value is not None}
    return " ".join([tag, *(f'{name}="{escape(value, _IN_ATTRIBUTE)}"' for name, value in given.items())])
