"""Steps with their results, which the operations of the browser are tested with too: both sides do the same."""

import json
from pathlib import Path

import pytest

from touchstone.annotate import pyramid
from touchstone.annotate.pyramid import PyramidDocument, RefusalError
from touchstone.tasks.pyramid.headers import find_summaries
from touchstone.tasks.pyramid.model import Pyramid

VECTORS = json.loads((Path(__file__).parent / "operation_vectors.json").read_text(encoding="utf-8"))


def brief(document):
    """Return a document as the vectors hold it."""
    units = [[unit.uid, unit.label, unit.comment, marks(unit.contributors)] for unit in document.units]
    unassigned = marks(document.unassigned)
    return {"units": units, "unassigned": unassigned, "next": [document.next_unit, document.next_mark]}


def marks(group):
    return [[mark.id, mark.label, mark.comment, [list(span) for span in mark.spans]] for mark in group]


def given(value):
    """Return an argument as Python has it: spans are pairs."""
    if isinstance(value, list) and len(value) == 2 and all(isinstance(one, int) for one in value):
        return tuple(value)
    return [given(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("vector", VECTORS["sequences"], ids=lambda vector: vector["name"])
def test_every_step_has_the_result_that_the_browser_is_held_to(vector):
    lines = tuple(VECTORS["lines"])
    summaries = find_summaries(lines)
    assert [[one.id, one.start, one.end] for one in summaries] == VECTORS["summaries"]
    document = PyramidDocument(Pyramid("S1", lines, summaries, ()))
    for step in vector["steps"]:
        document, said = done(document, step["do"])
        assert {"do": step["do"], **said} == step


def done(document, step):
    """Return the document after a step, and what the vectors say of it."""
    name, *arguments = step
    try:
        after = getattr(pyramid, name)(document, *map(given, arguments))
    except RefusalError as refusal:
        return document, {"refusal": refusal.to_json()}
    return after, {"after": brief(after)}
