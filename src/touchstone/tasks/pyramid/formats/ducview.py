"""The XML files of DUCView: ``.pyr`` holds a pyramid, ``.pan`` a peer's annotation with a copy of its pyramid.

Everything in a file is kept, in its order; attributes and elements that the format does not know become `Extra`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import Source
from touchstone.io.xml import Element, parse_xml
from touchstone.tasks.pyramid.formats.checking import INTEGER, MAX_DEPTH, MAX_ELEMENTS, Reading
from touchstone.tasks.pyramid.headers import find_summaries
from touchstone.tasks.pyramid.model import NOTHING, Annotation, Contributor, Extra, Part, Pyramid, Stray, Unit

PYRAMID, ANNOTATION = "pyramid", "peerAnnotation"

UNKEPT = "a name that this format cannot keep"

HINT = "a .pyr file has the root <pyramid>, a .pan file the root <peerAnnotation>"

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


def read_xml(raw: bytes, source: Source, identity: tuple[str, str, str]) -> Pyramid | Annotation:
    """Return what a file of either kind holds; *identity* is the set, peer and annotator of an annotation."""
    root = _parse(raw, source)
    reading = _XmlReading(source)
    if root.tag == PYRAMID:
        return reading.checked(reading.pyramid(root, source.stem))
    return reading.checked(reading.annotation(root, identity))


def _parse(raw: bytes, source: Source) -> Element:
    """Return the root of a file of either kind; refuse what is another format, or too big."""
    _check_encoding(raw, source.name)
    # Counted before parsing: a tree of so many elements would fill the memory.
    if raw.count(b"<") - raw.count(b"</") > MAX_ELEMENTS:
        raise TouchstoneError(f"more than {MAX_ELEMENTS:,} elements", file=source.name, code=Code.TOO_LARGE)
    root = parse_xml(raw, source.name)
    if root.tag == "Pyramid":
        what = "a pyramid of PyrEval, which keeps no text and counts its units from 0, cannot be read"
        raise TouchstoneError(what, file=source.name, code=Code.UNKNOWN_FORMAT, hint=HINT)
    if root.tag not in (PYRAMID, ANNOTATION):
        what = "not a pyramid or an annotation"
        raise TouchstoneError(what, file=source.name, value=root.tag, code=Code.UNREADABLE, hint=HINT)
    return root


def _check_encoding(raw: bytes, file: str) -> None:
    """Refuse bytes that are not UTF-8, and an encoding that is declared but is not theirs."""
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        what = f"byte {error.start} is not UTF-8 (0x{raw[error.start]:02x})"
        line = raw.count(b"\n", 0, error.start) + 1
        hint = "convert the file to UTF-8"
        raise TouchstoneError(what, file=file, line=line, code=Code.ENCODING, hint=hint) from None
    declaration = raw[: raw.find(b"?>")].lower() if raw.lstrip().startswith(b"<?xml") else b""
    if not raw.isascii() and b"encoding" in declaration and b"utf-8" not in declaration:
        what = "declares another encoding than UTF-8"
        hint = "convert the file to UTF-8 and remove the declaration"
        raise TouchstoneError(what, file=file, line=1, code=Code.ENCODING, hint=hint)


@dataclass
class _XmlReading(Reading):
    """Builds the model of one XML file."""

    def annotation(self, root: Element, identity: tuple[str, str, str]) -> Annotation:
        children = self.children(root, (PYRAMID, "annotation"), ANNOTATION)
        pyramid, peer = self.only(children, PYRAMID, ANNOTATION), self.only(children, "annotation", ANNOTATION)
        inner = self.children(peer, ("text", "peerscu"), "annotation")
        return Annotation(
            *identity,
            lines=self.lines(self.only(inner, "text", "annotation"), "peer"),
            pyramid=self.pyramid(pyramid, identity[0]),
            units=tuple(self.unit(child) for child in inner if child.tag == "peerscu"),
            extra=self.extra(peer, ("text", "peerscu"), (), "annotation"),
            file_extra=self.extra(root, (PYRAMID, "annotation"), (), ANNOTATION),
        )

    def pyramid(self, root: Element, document_set: str) -> Pyramid:
        child_tags = ("startDocumentRegEx", "text", "scu")
        children = self.children(root, child_tags, PYRAMID)
        expressions = [child for child in children if child.tag == child_tags[0]]
        if len(expressions) > 1:
            self.fault("more than one <startDocumentRegEx>", PYRAMID)
        header = self.text_only(expressions[0], PYRAMID) if expressions else None
        lines = self.lines(self.only(children, "text", PYRAMID), PYRAMID)
        units = tuple(self.unit(child) for child in children if child.tag == "scu")
        extra = self.extra(root, child_tags, (), PYRAMID)
        return Pyramid(document_set, lines, find_summaries(lines, header), units, header, extra=extra)

    def lines(self, text: Element, where: str) -> tuple[str, ...]:
        children = self.children(text, ("line",), where)
        if len(children) < len(text) or text.attrib:
            self.fault("<text> may hold lines and nothing else", where)
        return tuple(self.text_only(child, f"{where}, line {number}") for number, child in enumerate(children, 1))

    def text_only(self, element: Element, where: str) -> str:
        """Return the text of an element that has no place for anything else."""
        if len(element) or element.attrib:
            self.fault(f"<{element.tag}> may hold text and nothing else", where)
        return element.text or ""

    def unit(self, element: Element) -> Unit:
        where = f"uid {element.get('uid', '?')}"
        uid, label = (self.required(element, name, where) for name in ("uid", "label"))
        contributors = tuple(
            self.contributor(child, f"{where}, contributor {number}")
            for number, child in enumerate(self.children(element, ("contributor",), where), 1)
        )
        extra = self.extra(element, ("contributor",), ("uid", "label", "comment"), where)
        return Unit(uid, label, contributors, element.get("comment"), extra)

    def contributor(self, element: Element, where: str) -> Contributor:
        label = self.required(element, "label", where)
        parts = tuple(self.part(child, where) for child in self.children(element, ("part",), where))
        extra = self.extra(element, ("part",), ("label", "comment"), where)
        return Contributor(label, parts, element.get("comment"), extra)

    def part(self, element: Element, where: str) -> Part:
        self.children(element, (), where)
        label = self.required(element, "label", where)
        start, end = (self.offset(element, name, where) for name in ("start", "end"))
        return Part(label, start, end, self.extra(element, (), ("label", "start", "end"), where))

    def offset(self, element: Element, name: str, where: str) -> int:
        value = self.required(element, name, where, missing="0")
        if INTEGER.fullmatch(value):
            return int(value)
        self.fault(f"the {name} of a part is not a whole number", where, value)
        return 0

    def required(self, element: Element, name: str, where: str, missing: str = "") -> str:
        value = element.get(name)
        if value is None:
            self.fault(f"<{element.tag}> has no {name}", where)
        return missing if value is None else value

    def children(self, element: Element, child_tags: tuple[str, ...], where: str) -> list[Element]:
        """Return the children that the format knows, which must be in its order with no text between them."""
        if _has_text(element.text) or any(_has_text(child.tail) for child in element):
            self.fault(f"<{element.tag}> has text between its elements", where)
        children = [child for child in element if child.tag in child_tags]
        if [child.tag for child in children] != sorted((child.tag for child in children), key=child_tags.index):
            self.fault(f"the elements of <{element.tag}> are not in the order {', '.join(child_tags)}", where)
        return children

    def only(self, children: list[Element], tag: str, where: str) -> Element:
        same = [child for child in children if child.tag == tag]
        if len(same) != 1:
            self.fault(f"<{where}> has {len(same):,} times <{tag}>, not once", where)
        return same[0] if same else Element(tag)

    def extra(self, element: Element, child_tags: tuple[str, ...], attributes: tuple[str, ...], where: str) -> Extra:
        """Return what *element* has beyond the *child_tags* children and *attributes*."""
        names = {name: value for name, value in element.attrib.items() if name not in attributes}
        strays = [(index, child) for index, child in enumerate(element) if child.tag not in child_tags]
        self.check_names(names, where, UNKEPT)
        return Extra(names, tuple(self.stray(child, index, where) for index, child in strays))

    def stray(self, element: Element, index: int, where: str, depth: int = 0) -> Stray:
        self.check_names([*element.attrib, str(element.tag)], where, UNKEPT)
        if depth > MAX_DEPTH:
            what = "elements are nested too deeply"
            raise TouchstoneError(what, file=self.source.name, line=where, code=Code.TOO_LARGE)
        mixed = len(element) and _has_text(element.text)
        if mixed or any(_has_text(child.tail) for child in element):
            self.fault(f"the unknown element <{element.tag}> mixes text and elements", where)
        children = (self.stray(child, at, where, depth + 1) for at, child in enumerate(element))
        text = "" if len(element) else element.text or ""
        return Stray(index, str(element.tag), dict(element.attrib), text, tuple(children))


def _has_text(text: str | None) -> bool:
    return bool(text and text.strip())


def format_pyramid(pyramid: Pyramid) -> str:
    """Return *pyramid* as the text of a ``.pyr`` file.

    Newlines and tabs in labels are written as character references, so that reading gives them back.
    """
    return _document("pyramid", _DTD_UNITS, _pyramid(pyramid))


def format_annotation(annotation: Annotation) -> str:
    """Return *annotation* as the text of a ``.pan`` file."""
    inner = [_text(annotation.lines), *(_unit("peerscu", unit) for unit in annotation.units)]
    peer = _element("annotation", {}, inner, annotation.extra)
    root = _element("peerAnnotation", {}, [_pyramid(annotation.pyramid), peer], annotation.file_extra)
    return _document("peerAnnotation", _DTD_ANNOTATION + _DTD_UNITS, root)


def _document(root: str, dtd: str, content: Sequence[str]) -> str:
    return "\n".join(['<?xml version="1.0"?>', f"<!DOCTYPE {root} [\n{dtd}]>", *content, ""])


def _pyramid(pyramid: Pyramid) -> list[str]:
    if find_summaries(pyramid.lines, pyramid.header) != pyramid.summaries:
        raise TouchstoneError(
            f"the summaries of {pyramid.set or 'this pyramid'} would be lost: its lines have no headers that tell them",
            code=Code.CANNOT_WRITE,
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
    tag: str, attributes: Mapping[str, str | None], children: Iterable[list[str]], extra: Extra = NOTHING
) -> list[str]:
    """Return the lines of an element, its children indented, those that the format does not know at their places."""
    inner = list(children)
    # In the order of their places, so that each is inserted after those that stood before it.
    for stray in extra.elements:
        inner.insert(stray.at, _stray(stray))
    opening = _opening(tag, {**attributes, **extra.attributes})
    if extra.keys:
        names = ", ".join(extra.keys)
        what = f"keys that only JSON can hold would be lost in XML: {names}"
        raise TouchstoneError(what, code=Code.CANNOT_WRITE, hint="convert to .json")
    if not inner:
        return [f"<{opening}/>"]
    return [f"<{opening}>", *(f" {line}" for child in inner for line in child), f"</{tag}>"]


def _leaf(tag: str, attributes: Mapping[str, str], text: str) -> list[str]:
    return [f"<{_opening(tag, attributes)}>{escape(text, _IN_TEXT)}</{tag}>"]


def _opening(tag: str, attributes: Mapping[str, str | None]) -> str:
    present = {name: value for name, value in attributes.items() if value is not None}
    return " ".join([tag, *(f'{name}="{escape(value, _IN_ATTRIBUTE)}"' for name, value in present.items())])
