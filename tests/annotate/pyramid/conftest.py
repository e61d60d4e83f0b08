"""Fixtures for pyramid documents: four small model summaries, a pyramid, a peer, a broken file.

`build` edits documents in Python without checking any rule, so that tests of the server can make states that the
browser would refuse. `editor` runs the functions of the browser's own modules in a browser.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import touchstone
from touchstone.annotate.pyramid.document import (
    Entry,
    Mark,
    PeerDocument,
    PyramidDocument,
    blank_peer,
    to_pyramid,
    with_units,
)
from touchstone.annotate.pyramid.json_form import document_json, read_document
from touchstone.annotate.pyramid.review import unit_keys
from touchstone.tasks.pyramid.formats.neutral import pyramid_object
from touchstone.tasks.pyramid.headers import DEFAULT, find_summaries
from touchstone.tasks.pyramid.model import Annotation, Contributor, Part, Pyramid, Unit

WORDS = {
    "A": "apples bread cider 😀 figs",
    "B": "apples bread dates\nand grapes",
    "C": "apples cider",
    "D": "apples eggs",
}
"""Four model summaries; a word is a unit: apples 4, bread 2, cider 2, dates 1, eggs 1."""

UNITS = ("apples", "bread", "cider", "dates", "eggs")


def material() -> Pyramid:
    lines: list[str] = []
    for name, text in WORDS.items():
        lines += ["---", f"S1.M.9.A.{name}", "---", *text.split("\n")]
    return Pyramid("S1", tuple(lines), find_summaries(lines, DEFAULT), (), DEFAULT)


def place(document: PyramidDocument, summary: str, word: str) -> tuple[int, int]:
    one = document.summaries["ABCD".index(summary)]
    start = document.text.index(word, one.start, one.end)
    return start, start + len(word)


class Build:
    """Edits of documents that check nothing."""

    def mark(self, document, spans):
        """Return the next contributor of a document, and the document that has counted it."""
        parts = tuple(Part(document.text[start:end], start, end) for start, end in spans)
        counted = replace(document, next_mark=document.next_mark + 1)
        return counted, relabelled(Mark("", (), id=f"c{document.next_mark}"), parts)

    def new_unit(self, document, spans, label=None):
        counted, mark = self.mark(document, spans)
        entry = Entry(str(document.next_unit), label or mark.label, (mark,))
        return replace(counted, units=(*document.units, entry), next_unit=document.next_unit + 1)

    def add_contributor(self, document, uid, spans):
        counted, mark = self.mark(document, spans)
        return self.changed(counted, uid, lambda unit: replace(unit, contributors=(*unit.contributors, mark)))

    def changed(self, document, uid, change):
        """Return *document* with *change* of the unit *uid*."""
        return replace(document, units=tuple(change(unit) if unit.uid == uid else unit for unit in document.units))

    def rename_unit(self, document, uid, label):
        return self.changed(document, uid, lambda unit: replace(unit, label=label))

    def add_part(self, document, mark_id, span):
        def grown(mark):
            part = Part(document.text[slice(*span)], *span)
            return relabelled(mark, (*mark.parts, part)) if mark.id == mark_id else mark

        units = [replace(unit, contributors=tuple(map(grown, unit.contributors))) for unit in document.units]
        return replace(document, units=tuple(units), unassigned=tuple(map(grown, document.unassigned)))

    def unassign(self, document, ids):
        """Return *document* with contributors in no unit."""
        marks = {mark.id: mark for mark in document.marks}
        kept = [tuple(mark for mark in unit.contributors if mark.id not in ids) for unit in document.units]
        units = [replace(unit, contributors=left) for unit, left in zip(document.units, kept, strict=True)]
        rest = [mark for mark in document.unassigned if mark.id not in ids]
        return replace(document, units=tuple(units), unassigned=(*rest, *(marks[one] for one in ids)))

    def move_contributor(self, document, mark_id, uid):
        loose = self.unassign(document, [mark_id])
        *rest, mark = loose.unassigned
        there = self.changed(loose, uid, lambda unit: replace(unit, contributors=(*unit.contributors, mark)))
        return replace(there, unassigned=tuple(rest))

    def delete_unit(self, document, uid):
        (unit,) = (unit for unit in document.units if unit.uid == uid)
        units = tuple(unit for unit in document.units if unit.uid != uid)
        return replace(document, units=units, unassigned=(*document.unassigned, *unit.contributors))

    def merge(self, document, uid, other):
        (gone,) = (unit for unit in document.units if unit.uid == other)
        left = replace(document, units=tuple(unit for unit in document.units if unit.uid != other))
        return self.changed(left, uid, lambda unit: replace(unit, contributors=unit.contributors + gone.contributors))

    def change(self, before, after, name="change", said=""):
        """Return the change that turns one document into another, as JSON."""

        def delta(part, keys):
            old, new = (dict(zip(keys(getattr(one, part)), document_json(one)[part], strict=True)) for one in sides)
            items = {key: [old.get(key), new.get(key)] for key in old | new if old.get(key) != new.get(key)}
            return {"items": items, "order": None if list(old) == list(new) else [list(old), list(new)]}

        sides = before, after
        ids = delta("unassigned", lambda marks: [mark.id for mark in marks])
        return {"name": name, "said": said, "units": delta("units", unit_keys), "unassigned": ids}


def relabelled(mark, parts):
    """Return a contributor with other parts, and the label that they make."""
    return replace(mark, parts=parts, label="...".join(part.label for part in sorted(parts, key=lambda p: p.start)))


BUILD = Build()


@pytest.fixture(scope="session")
def build() -> Build:
    """Give edits of documents that check nothing."""
    return BUILD


class Refused(Exception):  # noqa: N818 (as in the browser)
    """A step that the browser's modules refused: rule, reason, hint and offer."""

    def __init__(self, value):
        super().__init__(value["reason"])
        self.rule, self.reason, self.hint, self.offer = (value[name] for name in ("rule", "reason", "hint", "offer"))


CALL = """
async ([file, name, view, given]) => {
  const module = await import(`/static/pyramid/${file}.js`);
  const {materialOf, Refusal} = await import("/static/pyramid/document.js");
  const sent = (value) => JSON.parse(JSON.stringify(value ?? null));
  try {
    return {value: sent(await module[name](...(view ? [materialOf(view)] : []), ...given))};
  } catch (error) {
    if (error instanceof Refusal) return {refusal: sent(error)};
    throw error;
  }
}
"""


class Editor:
    """The pyramid modules of the browser, called from Python: ``editor.new_unit(document, [(0, 4)])``."""

    def __init__(self, page):
        self.page = page

    def call(self, file, name, *given, material=None):
        """Call an exported function of a module; documents become JSON, *material* comes before the arguments."""
        view = None if material is None else view_of(material)
        arguments = [document_json(one) if isinstance(one, PyramidDocument | PeerDocument) else one for one in given]
        result = self.page.evaluate(CALL, [file, name, view, arguments])
        if "refusal" in result:
            raise Refused(result["refusal"])
        return result["value"]

    def __getattr__(self, name):
        head, *words = name.split("_")

        def step(document, *given):
            camel = head + "".join(map(str.capitalize, words))
            return read_document(self.call("operations", camel, document, *given, material=document), document)

        return step


def view_of(document):
    """Return the view of an item, as the server sends it to a browser."""
    view = {"lines": list(document.material.lines)}
    if isinstance(document, PeerDocument):
        return {**view, "pyramid": pyramid_object(document.pyramid)}
    summaries = [{"id": one.id, "start": one.start, "end": one.end} for one in document.summaries]
    return {**view, "summaries": summaries, "models": document.models}


@pytest.fixture(scope="session")
def editor(browser) -> Editor:
    """Give the browser's own modules, in a page without a server."""
    static = Path(touchstone.__file__).parent / "annotate" / "static"

    def send(route):
        path = route.request.url.removeprefix("http://editor.test/static/")
        if path.endswith(".js"):
            route.fulfill(path=static / path, content_type="text/javascript")
        else:
            route.fulfill(body="<!doctype html>", content_type="text/html")

    page = browser.new_page()
    page.route("**/*", send)
    page.goto("http://editor.test/")
    yield Editor(page)
    page.close()


@pytest.fixture(scope="session")
def refused() -> type[Refused]:
    """Give the error for a step that the browser refuses."""
    return Refused


@pytest.fixture(scope="session")
def blank() -> PyramidDocument:
    """The four summaries, and no unit yet."""
    return PyramidDocument(material())


@pytest.fixture(scope="session")
def at(blank) -> Callable[[str, str], tuple[int, int]]:
    """Give the span of a word in a summary: ``at("B", "dates")``."""
    return lambda summary, word: place(blank, summary, word)


@pytest.fixture(scope="session")
def document(blank) -> PyramidDocument:
    """The worked example: units 1 to 5 of weights 4, 2, 2, 1, 1; contributors c1 to c10."""
    made = blank
    for number, word in enumerate(UNITS, 1):
        holders = [name for name in "ABCD" if word in WORDS[name].split()]
        made = BUILD.new_unit(made, [place(made, holders[0], word)], word)
        for name in holders[1:]:
            made = BUILD.add_contributor(made, str(number), [place(made, name, word)])
    return made


@pytest.fixture(scope="session")
def broken(document) -> PyramidDocument:
    """An imported file that breaks every rule: C1, C2, C3 over summaries and into a header, spans, no parts."""
    pyramid = to_pyramid(document)
    a, b = place(document, "A", "apples"), place(document, "B", "apples")
    over = Contributor("both", (_part(document, a), _part(document, b)))
    twice = Contributor("apples", (_part(document, a),))
    header = Contributor("---", (Part("---", 0, 3),))
    wrong = Contributor("nowhere", (Part("pears", 9_000, 9_005), Part("pears", a[0], a[0] + 5)))
    units = (
        replace(pyramid.units[0], contributors=(*pyramid.units[0].contributors, twice, over)),
        Unit("x y", " odd ", (over, header, wrong, Contributor("empty", ()))),
        *pyramid.units[1:],
    )
    return with_units(replace(pyramid, units=units))


def _part(document, span) -> Part:
    return Part(document.text[slice(*span)], *span)


PEER = "apples and bread\nmore bread 😀 and fog"


@pytest.fixture(scope="session")
def peer(document) -> PeerDocument:
    """A peer that nobody has read yet."""
    return blank_peer(Annotation("S1", "08", "ann", tuple(PEER.split("\n")), to_pyramid(document), ()))


@pytest.fixture(scope="session")
def word(peer) -> Callable[..., tuple[int, int]]:
    """Give the span of a word in the peer, from a place on."""

    def found(sought: str, start: int = 0) -> tuple[int, int]:
        first = peer.text.index(sought, start)
        return first, first + len(sought)

    return found


@pytest.fixture(scope="session")
def demo() -> Path:
    """The folder of the bundled example."""
    return Path(touchstone.__file__).parent / "examples" / "pyramid"
