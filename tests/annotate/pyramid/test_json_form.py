"""JSON from a browser is not trusted: what is no document is refused with a sentence that says where and why."""

import copy
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone import TouchstoneError
from touchstone.annotate.pyramid.document import Mark
from touchstone.annotate.pyramid.json_form import document_json, mark_json, read_document, read_mark, reading_like
from touchstone.annotate.pyramid.review import read_change, read_review
from touchstone.base.codes import Code
from touchstone.tasks.pyramid.model import Extra, Part, Stray

UNIT = ("units", 0)
MARK = (*UNIT, "contributors", 0)
PART = (*MARK, "parts", 0)

WRONG = [
    ((), [], "must be an object"),
    (("format",), "touchstone.annotate.peer/1", "not a document of this form"),
    (("units",), {}, "units: must be a list"),
    ((*UNIT, "colour"), "red", 'units 1: unknown key: "colour"'),
    ((*UNIT, "uid"), 1, "units 1 uid: must be a string"),
    ((*UNIT, "uid"), "", "cannot name a unit"),
    ((*UNIT, "uid"), "0", "cannot name a unit"),
    ((*UNIT, "uid"), "2", "duplicate uid"),
    ((*UNIT, "uid"), "900", "the next unit must have a higher number"),
    ((*UNIT, "uid"), "x" * 201, "200 are the most"),
    ((*UNIT, "label"), None, "units 1 label: must be a string"),
    ((*UNIT, "label"), "x" * 100_001, "100,000 are the most"),
    ((*UNIT, "label"), "a\x00b", "U+0000"),
    ((*UNIT, "label"), "\ud800", "U+D800"),
    ((*UNIT, "comment"), 3, "units 1 comment: must be a string"),
    ((*UNIT, "extra"), {"colour": 1}, "unknown key"),
    ((*UNIT, "extra"), {"attributes": {"<a": "b"}}, "not the name of an element or attribute"),
    ((*UNIT, "extra"), {"attributes": {"a": 1}}, "must be an object of strings"),
    ((*UNIT, "extra"), {"keys": {"uid": "0"}}, "must be an object of unknown keys"),
    ((*UNIT, "extra"), {"keys": {"deep": "\x01"}}, "U+0001"),
    ((*MARK, "id"), "c2", "duplicate contributor id"),
    ((*MARK, "id"), "c99", "the next contributor must have a higher number"),
    ((*MARK, "id"), "c01", "is c and a number"),
    ((*MARK, "parts"), None, "contributors 1 parts: must be a list"),
    ((*PART, "start"), "3", "start: must be a whole number"),
    ((*PART, "start"), True, "start: must be a whole number"),
    ((*PART, "start"), 1.0, "start: must be a whole number"),
    ((*PART, "end"), 10**15, "end: must be a whole number"),
    (("next",), {"unit": 6}, '"contributor" is missing'),
    (("next", "unit"), 0, "next unit: must be a whole number"),
    (("next", "contributor"), 10**9, "next contributor: must be a whole number"),
    (("unassigned",), [1], "unassigned 1: must be an object"),
]


def changed(value, path, new):
    if not path:
        return new
    value = copy.deepcopy(value)
    inner = value
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = new
    return value


@pytest.mark.parametrize(("path", "new", "sentence"), WRONG)
def test_what_is_no_document_is_refused_with_its_place(document, path, new, sentence):
    value = changed(document_json(document), path, new)
    with pytest.raises(TouchstoneError) as caught:
        read_document(value, document)
    assert sentence in str(caught.value)


def test_a_document_comes_back_as_it_was(document, broken, peer):
    for one in (document, broken, peer):
        assert read_document(json.loads(json.dumps(document_json(one))), one) == one


def test_units_that_did_not_change_are_taken_from_the_version_before(document):
    before = document_json(document)
    read = reading_like(before, document)
    after = read_document(changed(before, ("units", 0, "label"), "another label"), document, read)
    assert [new is old for new, old in zip(after.units, document.units, strict=True)] == [
        number > 0 for number in range(len(document.units))
    ]
    assert after.units[0].label == "another label"


@pytest.mark.parametrize("number", [True, 1.0])
def test_a_number_of_another_type_is_not_taken_for_the_one_before(document, number):
    mark = Mark("a", (Part("a", 1, 2),), id="c1")
    one = replace(document, units=(replace(document.units[0], contributors=(mark,)),))
    value = changed(document_json(one), PART, {"label": "a", "start": number, "end": 2})
    with pytest.raises(TouchstoneError) as caught:
        read_document(value, one, reading_like(document_json(one), one))
    assert caught.value.code == Code.BAD_CELL


def test_more_than_anybody_can_read_is_refused(document):
    value = document_json(document)
    unit = {**value["units"][0], "contributors": []}
    many = {**value, "units": [{**unit, "uid": f"u{n}"} for n in range(5_001)]}
    with pytest.raises(TouchstoneError) as caught:
        read_document(many, document)
    assert caught.value.code == Code.TOO_LARGE


def test_a_peer_may_not_name_a_unit_that_its_pyramid_does_not_have(peer):
    value = document_json(peer)
    value["units"][0]["uid"] = "77"
    with pytest.raises(TouchstoneError) as caught:
        read_document(value, peer)
    assert caught.value.code == Code.UNKNOWN_ID


def test_what_a_file_holds_beyond_the_format_is_carried():
    inner = Stray(0, "deep", {"x": "1"}, "")
    extra = Extra({"colour": "red"}, (Stray(1, "note", {}, "", (inner,)),), {"mine": [1, {"a": None}]})
    mark = Mark("Cats", (Part("Cats", 0, 4, Extra({"by": "me"})),), "why", extra, id="c7")
    assert read_mark(json.loads(json.dumps(mark_json(mark))), "here") == mark


def test_the_text_is_no_part_of_a_document(document):
    assert document_json(document).keys() == {"format", "units", "unassigned", "next"}


SCALARS = st.none() | st.booleans() | st.integers(-3, 300) | st.floats(allow_nan=False) | st.text(max_size=3)
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner))
PATHS = st.sampled_from([path for path, _, _ in WRONG] + [UNIT, MARK, PART, ("unassigned", 0)])


@given(PATHS, JSON)
def test_any_json_is_read_or_refused_in_a_sentence(document, path, new):
    value = document_json(document)
    value["unassigned"] = [mark_json(Mark("a", (Part("a", 0, 1),), id="c10"))]
    value["units"][4]["contributors"] = []
    try:
        document = read_document(changed(value, path, new), document)
    except TouchstoneError:
        return
    assert document_json(document)


@given(JSON)
def test_any_json_is_a_change_or_a_review_or_refused(value):
    for read in (read_change, read_review):
        with pytest.raises(TouchstoneError):
            read(value)
