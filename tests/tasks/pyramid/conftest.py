"""What the tests of pyramids share: the worked example of the method, and the bundled one."""

from collections.abc import Callable
from pathlib import Path

import pytest

import touchstone
from touchstone.pyramid import Annotation, Contributor, Part, Pyramid, Unit
from touchstone.tasks.pyramid.headers import DEFAULT, find_summaries

WORDS = {"A": "apples bread cider", "B": "apples bread dates", "C": "apples cider", "D": "apples eggs"}
"""Four model summaries; a word is a unit: apples 4, bread 2, cider 2, dates 1, eggs 1."""


@pytest.fixture
def pyramid() -> Pyramid:
    """The worked example: weights 4, 2, 2, 1, 1 from four models."""
    lines: list[str] = []
    for name, text in WORDS.items():
        lines += ["---", f"S1.M.9.A.{name}", "---", text]
    summaries = find_summaries(lines, DEFAULT)
    whole = "\n".join(lines)
    units = []
    for uid, word in zip("abcde", ("apples", "bread", "cider", "dates", "eggs"), strict=True):
        starts = [whole.find(word, one.start, one.end) for one in summaries]
        found = (Contributor(word, (Part(word, at, at + len(word)),)) for at in starts if at >= 0)
        units.append(Unit(uid, word, tuple(found)))
    return Pyramid("S1", tuple(lines), summaries, tuple(units), DEFAULT)


@pytest.fixture
def annotated(pyramid) -> Callable[..., Annotation]:
    """Give an annotation of a peer that says the words of the given uids, one after the other."""

    def annotate(uids: str, *, peer: str = "P", annotator: str = "1", document_set: str = "S1") -> Annotation:
        labels = {unit.uid: unit.label for unit in pyramid.units} | {"0": "fog"}
        words = [labels[uid] for uid in uids]
        text = " ".join(words)
        spans: dict[str, list[Contributor]] = {uid: [] for uid in labels}
        start = 0
        for uid, word in zip(uids, words, strict=True):
            spans[uid].append(Contributor(word, (Part(word, start, start + len(word)),)))
            start += len(word) + 1
        weights = pyramid.gold.weights
        entries = [
            Unit(uid, f"({weights[uid]}) {labels[uid]}" if uid in weights else "none", tuple(found))
            for uid, found in spans.items()
        ]
        return Annotation(document_set, peer, annotator, (text,), pyramid, tuple(entries))

    return annotate


@pytest.fixture(scope="session")
def demo() -> Path:
    """The folder of the bundled example."""
    return Path(touchstone.__file__).parent / "examples" / "pyramid"
