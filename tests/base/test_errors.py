"""Errors say what, where, what is near and what to do, and never flood or steer a terminal."""

import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.base.errors import SHOWN, Fault, TouchstoneError, edit_distance, nearest

WORDS = st.text("abc", max_size=6)


def levenshtein(a: str, b: str) -> int:
    """The textbook recursion, for short words."""
    if not a or not b:
        return len(a) + len(b)
    return min(levenshtein(a[1:], b) + 1, levenshtein(a, b[1:]) + 1, levenshtein(a[1:], b[1:]) + (a[0] != b[0]))


def test_a_fault_names_file_line_value_and_what_is_near():
    fault = Fault("unknown item", file="a.oot", line=14, value="bright.a 5", near="bright.a 50")
    assert re.fullmatch(r'a\.oot:14: unknown item: "bright\.a 5"; nearest valid \w+ "bright\.a 50"', str(fault))


def test_a_fault_in_json_has_its_key_path_for_a_line():
    assert str(Fault("must be an object", "x.json", "targets.t1")) == "x.json:targets.t1: must be an object"


def test_an_empty_value_is_shown_as_one():
    assert str(Fault("no such item", value="")) == 'no such item: ""'


def test_the_hint_stands_on_a_line_of_its_own():
    error = TouchstoneError("no items", file="empty.gold", hint="give a gold file")
    assert str(error).splitlines() == ["empty.gold: no items", "   give a gold file"]


def test_the_same_fault_with_the_same_value_is_one_line_with_its_count_and_first_line():
    faults = [Fault("unknown label", "a.csv", line, "entails") for line in range(2, 20)]
    error = TouchstoneError.of([*faults, Fault("unknown label", "a.csv", 3, "maybe")])
    assert str(error).splitlines() == [
        'a.csv:2: unknown label: "entails" (18 times, first on line 2)',
        'a.csv:3: unknown label: "maybe"',
    ]
    assert len(error.faults) == 19


def test_twenty_faults_are_shown_and_the_rest_counted():
    faults = [Fault(f"fault {n}", "f", n) for n in range(1, 1236)]
    said = str(TouchstoneError.of(faults, "mend them")).splitlines()
    assert SHOWN == 20
    assert said[:2] == ["f:1: fault 1", "f:2: fault 2"]
    assert said[19:] == ["f:20: fault 20", "… and 1,215 more", "   mend them"]
    assert len(TouchstoneError.of(faults).faults) == 1235


def test_exactly_twenty_faults_leave_nothing_to_count():
    assert "more" not in str(TouchstoneError.of([Fault("wrong", "f", n) for n in range(20)]))


def test_library_users_catch_a_value_error_and_read_its_fields():
    with pytest.raises(ValueError, match="unknown measure") as caught:
        raise TouchstoneError("unknown measure", value="rnk@10", near="rank@10", hint="known: rank@10")
    assert isinstance(caught.value, TouchstoneError)
    assert caught.value.faults == (Fault("unknown measure", value="rnk@10", near="rank@10"),)
    assert caught.value.hint == "known: rank@10"


def test_an_error_crosses_processes_with_all_its_faults():
    error = TouchstoneError.of([Fault("a", "f", 1), Fault("b", "f", "x.y", "v", "n")], "do this")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.faults, again.hint, str(again)) == (TouchstoneError, error.faults, "do this", str(error))


@pytest.mark.parametrize("field", ["file", "value", "near"])
def test_control_characters_of_an_input_never_reach_the_terminal(field):
    """An escape sequence in a file must not colour, clear or retitle the terminal that shows the error."""
    said = str(TouchstoneError("wrong", **{field: "red\x1b[31m\r\nnew line\x07"}))
    assert "\x1b" not in said
    assert "\x07" not in said
    assert "\r" not in said
    assert len(said.splitlines()) == 1


def test_a_long_value_is_cut():
    said = str(TouchstoneError("wrong", value="x" * 1_000_000))
    assert said == f'wrong: "{"x" * 80}…"'


@given(WORDS, WORDS)
def test_the_edit_distance_is_levenshteins(a, b):
    assert edit_distance(a, b, below=99) == levenshtein(a, b)


@given(WORDS, WORDS, st.integers(1, 4))
def test_a_bound_cuts_the_edit_distance_and_changes_nothing_else(a, b, below):
    assert edit_distance(a, b, below) == min(levenshtein(a, b), below)


@given(WORDS, st.lists(WORDS, max_size=6))
def test_the_nearest_name_is_the_first_of_the_smallest_distance_up_to_two(value, valid):
    distances = [levenshtein(value, name) for name in valid]
    close = [d for d in distances if d <= 2]
    expected = valid[distances.index(min(close))] if close else None
    assert nearest(value, valid) == expected


def test_nothing_is_offered_beyond_two_edits():
    assert nearest("abc", ["xyz", "abcxyz"]) is None
    assert nearest("abc", ["abcxy"]) == "abcxy"


def test_a_name_three_edits_away_is_not_near():
    assert nearest("abcd", ["abxy"]) == "abxy"
    assert nearest("abcd", ["axyz"]) is None
