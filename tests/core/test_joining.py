"""Identity before arithmetic: ids are joined, and what does not fit is named with its place."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.core.errors import TouchstoneError
from touchstone.core.joining import Ids, align

NAMES = st.lists(st.text("abc123", min_size=1, max_size=3), unique=True, max_size=8)


def answers(*ids: str) -> Ids:
    return Ids("a.oot", ids, range(1, len(ids) + 1))


@given(NAMES, st.randoms())
def test_every_gold_item_finds_its_row_whatever_the_order(gold, random):
    shuffled = random.sample(gold, len(gold))
    rows = align(gold, answers(*shuffled))
    assert [shuffled[row] for row in rows] == gold


def test_an_item_without_an_answer_is_marked_not_dropped():
    assert align(["1", "2", "3"], answers("3", "1")).tolist() == [1, -1, 0]


def test_nothing_answered_is_nothing_found():
    assert align(["1", "2"], answers()).tolist() == [-1, -1]


def test_an_unknown_id_is_refused_with_file_line_and_the_nearest():
    with pytest.raises(TouchstoneError) as caught:
        align(["301", "302"], Ids("a.oot", ["302", "3O1"], [1, 7]))
    (fault,) = caught.value.faults
    assert (fault.file, fault.line, fault.value, fault.near) == ("a.oot", 7, "3O1", "301")
    assert str(fault) == 'a.oot:7: unknown item: "3O1"; nearest valid id "301"'
    assert "2 items" in str(caught.value)
    assert "--unknown ignore" in str(caught.value)


def test_of_equally_near_ids_the_first_in_the_gold_is_offered():
    with pytest.raises(TouchstoneError, match='nearest valid id "12"'):
        align(["99999", "12", "13"], answers("1"))


def test_no_id_is_offered_that_is_more_than_two_edits_away():
    with pytest.raises(TouchstoneError) as caught:
        align(["301"], answers("abcdef"))
    assert "nearest" not in str(caught.value)


def test_all_unknown_ids_are_collected_in_the_order_of_the_file():
    with pytest.raises(TouchstoneError) as caught:
        align(["1"], answers("z9", "1", "y8", "x7"))
    assert [(fault.line, fault.value) for fault in caught.value.faults] == [(1, "z9"), (3, "y8"), (4, "x7")]


def test_unknown_ids_can_be_ignored_or_be_known_from_elsewhere():
    assert align(["1"], answers("2", "1"), unknown="ignore").tolist() == [1]
    assert align(["1"], answers("2", "1"), known={"2"}).tolist() == [1]
    with pytest.raises(TouchstoneError, match='"3"'):
        align(["1"], answers("3", "1"), known={"2"})


def test_an_id_that_stands_twice_is_refused_with_both_places():
    with pytest.raises(TouchstoneError) as caught:
        align(["1", "2"], Ids("a.oot", ["1", "2", "1", "1"], [3, 4, 9, 11]))
    assert [(fault.file, fault.line, fault.value) for fault in caught.value.faults] == [
        ("a.oot", 9, "1"),
        ("a.oot", 11, "1"),
    ]
    assert "3 already" in str(caught.value)
    assert "--duplicates first" in str(caught.value)


def test_the_first_of_two_can_be_asked_for():
    assert align(["1", "2"], answers("1", "2", "1"), duplicates="first").tolist() == [0, 1]


def test_an_unknown_id_that_stands_twice_is_not_accepted_by_either_leniency():
    with pytest.raises(TouchstoneError, match="unknown item"):
        align(["1"], answers("9", "9"), duplicates="first")
    with pytest.raises(TouchstoneError, match="already"):
        align(["1"], answers("9", "9"), unknown="ignore")


def test_ids_are_strings_and_never_compared_as_numbers():
    with pytest.raises(TouchstoneError, match='"01"'):
        align(["1"], answers("01"))


def test_a_thousand_strangers_among_many_ids_are_named_within_a_second():
    gold = [str(n) for n in range(20_000)]
    strangers = [f"x{n}" for n in range(1000)]
    with pytest.raises(TouchstoneError) as caught:
        align(gold, answers(*strangers))
    assert len(caught.value.faults) == 1000


def test_rows_are_integers_that_index_arrays():
    rows = align(["1", "2"], answers("2", "1"))
    assert np.array([10, 20])[rows].tolist() == [20, 10]
