"""Line-wise JSON: objects with their lines, and a fault for each line that is none."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.base.errors import TouchstoneError
from touchstone.io.jsonl import format_objects, parse_json, parse_objects

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.lists(st.dictionaries(st.text(max_size=5), VALUES, max_size=3), max_size=4)


@given(OBJECTS)
def test_objects_come_back_as_they_were_written(objects):
    faults = []
    found = list(parse_objects(format_objects(objects), file="f", faults=faults))
    assert found == list(enumerate(objects, 1))
    assert faults == []


def test_an_object_is_one_line_whatever_its_strings_hold():
    assert format_objects([{"a": "x\ny"}, {"b": "☺"}]).count("\n") == 2


def test_every_line_that_is_no_object_becomes_a_fault_with_its_number():
    text = '{"a": 1}\n\nnot json\n[1]\n{"b": 2}\n"text"\n{"c"}\n'
    faults = []
    found = list(parse_objects(text, file="f.jsonl", faults=faults))
    assert found == [(1, {"a": 1}), (5, {"b": 2})]
    assert [(fault.file, fault.line) for fault in faults] == [("f.jsonl", line) for line in (3, 4, 6, 7)]


def test_the_column_at_which_json_stops_is_named():
    with pytest.raises(TouchstoneError, match=r"^f:7: not JSON at column 7 "):
        parse_json('{"a": }', file="f", line=7)


def test_in_a_file_of_one_value_the_line_is_found():
    with pytest.raises(TouchstoneError, match=r"^f\.json:3: not JSON at column 1 "):
        parse_json('{"a":\n1\nx', file="f.json")


@pytest.mark.parametrize(
    "text",
    [
        '"\\ud800"',
        '{"\\udfff": 1}',
        "[" * 100_000,
        '{"a":' * 100_000,
        "1" * 10_000,
        "",
        "\x00",
        "{'a': 1}",
        '{"a": 1,}',
        '{"a": 1} {"b": 2}',
    ],
    ids=[
        *("half a pair", "half a pair in a key", "deep list", "deep object", "huge number"),
        *("nothing", "zero byte", "python", "comma", "two values"),
    ],
)
def test_what_is_not_json_is_refused_with_a_sentence(text):
    with pytest.raises(TouchstoneError):
        parse_json(text, file="f")


@given(st.text(max_size=20) | OBJECTS.map(json.dumps).flatmap(lambda s: st.integers(0, len(s)).map(lambda n: s[:n])))
def test_any_text_is_a_value_or_a_sentence(text):
    with contextlib.suppress(TouchstoneError):
        parse_json(text, file="f")


def test_letters_outside_ascii_are_written_as_they_are():
    assert format_objects([{"word": "naïve ☺"}]) == '{"word": "naïve ☺"}\n'
