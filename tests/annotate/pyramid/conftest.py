"""What the tests of pyramid documents share: four small model summaries, a pyramid, a peer, a broken file."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import touchstone
from touchstone.annotate.pyramid import PeerDocument, PyramidDocument, add_contributor, blank_peer, new_unit
from touchstone.annotate.pyramid.document import pyramid_document, to_pyramid
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
        made = new_unit(made, [place(made, holders[0], word)], word)
        for name in holders[1:]:
            made = add_contributor(made, str(number), [place(made, name, word)])
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
    return pyramid_document(replace(pyramid, units=units))


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
