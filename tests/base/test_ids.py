"""Identity before arithmetic: ids are joined, and what does not fit is named with its place."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.ids import IdJoin, Ids, Policy, join_ids

NAMES = st.lists(st.text("abc123", min_size=1, max_size=3), unique=True, max_size=8)


def answers(*ids: str) -> Ids:
    return Ids("a.oot", ids, range(1, len(ids) + 1))


def align(gold, run, missing="skip", known=(), **policy):
    """The row of the run that has each id of the gold, refused ids raised."""
    return join_ids(gold, run, Policy(missing, **policy), known=known).check().rows


@given(NAMES, st.randoms())
def test_every_gold_item_finds_its_row_whatever_the_order(gold, random):
    shuffled = random.sample(gold, len(gold))
    rows = align(gold, answers(*shuffled))
    assert [shuffled[row] for row in rows] == gold


def test_an_item_without_an_answer_is_marked_not_dropped():
    assert align(["1", "2", "3"], answers("3", "1")).tolist() == [1, -1, 0]


def test_an_empty_run_answers_nothing():
    assert align(["1", "2"], answers()).tolist() == [-1, -1]


@pytest.mark.parametrize("missing", [None, "error"])
def test_missing_items_are_refused_with_their_ids_and_the_ways_out(missing):
    with pytest.raises(TouchstoneError) as caught:
        align(["1", "2", "3"], answers("2"), missing=missing)
    assert [(fault.file, fault.value) for fault in caught.value.faults] == [("a.oot", "1"), ("a.oot", "3")]
    assert "2 of 3 items have none" in str(caught.value)
    assert 'policy=touchstone.Policy(missing="zero")' in str(caught.value)
    assert 'policy=touchstone.Policy(missing="skip")' in str(caught.value)


def test_a_missing_item_counts_under_zero_and_not_under_skip():
    counted = {how: join_ids(["1", "2"], answers("2"), Policy(how)).counted.tolist() for how in ("zero", "skip")}
    assert counted == {"zero": [True, True], "skip": [False, True]}


def test_a_note_counts_missing_items_and_says_what_becomes_of_them():
    joined = {how: join_ids(["1", "2"], answers("2"), Policy(how)) for how in ("zero", "skip")}
    assert joined["zero"].note("mine") == ["mine: items without an answer, which score 0 (of 2): 1 (id 1)"]
    assert joined["skip"].note("mine") == ["mine: items without an answer, which are left out (of 2): 1 (id 1)"]
    assert join_ids(["2"], answers("2"), Policy("zero")).note("mine") == []


def test_a_note_lists_ten_missing_ids_and_counts_the_rest():
    gold = [str(number) for number in range(1, 15)]
    (note,) = join_ids(gold, answers("1", "2"), Policy("zero")).note("mine")
    assert note.endswith("12 (ids 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 2 more)")


def test_only_scored_items_must_have_an_answer_but_every_gold_id_is_known():
    joined = join_ids(["1", "2", "3"], answers("3", "2"), scored=np.array([2])).check()
    assert joined.rows.tolist() == [0]


def test_what_a_task_finds_wrong_is_raised_together_with_the_ids():
    with pytest.raises(TouchstoneError) as caught:
        join_ids(["1"], answers("1", "9")).check([Fault("wrong word", "a.oot", 1)], ["look at the words"])
    assert [fault.what for fault in caught.value.faults] == ["wrong word", "unknown item"]
    assert "look at the words" in str(caught.value)


def test_an_unknown_id_is_refused_with_file_line_and_the_nearest():
    with pytest.raises(TouchstoneError) as caught:
        align(["301", "302"], Ids("a.oot", ["302", "3O1"], [1, 7]))
    (fault,) = caught.value.faults
    assert (fault.file, fault.line, fault.value, fault.near) == ("a.oot", 7, "3O1", "301")
    assert str(fault) == 'a.oot:7: unknown item: "3O1"; nearest valid id "301"'
    assert "2 items" in str(caught.value)
    assert 'policy=touchstone.Policy(unknown="ignore")' in str(caught.value)


def test_of_equally_near_ids_the_first_in_the_gold_is_offered():
    with pytest.raises(TouchstoneError) as error:
        align(["q99999", "q12", "q13"], answers("q1"))
    fault = error.value.faults[0]
    assert (fault.code, fault.near) == (Code.UNKNOWN_ID, "q12")


@pytest.mark.parametrize("number", ["1", "99999", "31", "100"])
def test_another_number_is_not_near(number):
    """It shares digits by chance; what is said instead is how many items there are."""
    with pytest.raises(TouchstoneError) as caught:
        align(["999", "12", "13", "10"], answers(number))
    assert "nearest" not in str(caught.value)
    assert "the gold has 4 items" in str(caught.value)


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


def test_a_duplicate_id_is_refused_with_both_places():
    with pytest.raises(TouchstoneError) as caught:
        align(["1", "2"], Ids("a.oot", ["1", "2", "1", "1"], [3, 4, 9, 11]))
    assert [(fault.file, fault.line, fault.value) for fault in caught.value.faults] == [
        ("a.oot", 9, "1"),
        ("a.oot", 11, "1"),
    ]
    assert "first seen on line 3" in str(caught.value)
    assert 'policy=touchstone.Policy(duplicates="first")' in str(caught.value)


def test_the_first_of_two_can_be_asked_for():
    assert align(["1", "2"], answers("1", "2", "1"), duplicates="first").tolist() == [0, 1]


def test_an_unknown_duplicate_id_is_not_accepted_by_either_leniency():
    with pytest.raises(TouchstoneError) as error:
        align(["1"], answers("9", "9"), duplicates="first")
    assert error.value.code == Code.UNKNOWN_ID
    with pytest.raises(TouchstoneError) as error:
        align(["1"], answers("9", "9"), unknown="ignore")
    assert error.value.code == Code.DUPLICATE_ID


def test_ids_are_strings_and_never_compared_as_numbers():
    with pytest.raises(TouchstoneError, match='"01"'):
        align(["1"], answers("01"))


def test_a_thousand_unknown_ids_among_many_are_all_named():
    gold = [str(n) for n in range(20_000)]
    strangers = [f"x{n}" for n in range(1000)]
    with pytest.raises(TouchstoneError) as caught:
        align(gold, answers(*strangers))
    assert len(caught.value.faults) == 1000


def test_rows_are_integers_that_index_arrays():
    rows = align(["1", "2"], answers("2", "1"))
    assert np.array([10, 20])[rows].tolist() == [20, 10]


def test_an_id_whose_row_holds_no_answer_is_missing():
    """An empty line names an item and gives nothing: its id is checked, and the item is missing."""
    run = answers("1", "2")
    answered = np.array([True, False])
    assert join_ids(["1", "2"], run, Policy("zero"), answered=answered).rows.tolist() == [0, -1]
    with pytest.raises(TouchstoneError) as error:
        join_ids(["1", "2"], run, answered=answered).check()
    fault = error.value.faults[0]
    assert (fault.code, fault.value) == (Code.MISSING_ID, "2")
    with pytest.raises(TouchstoneError) as error:
        join_ids(["1"], run, Policy("zero"), answered=answered).check()
    fault = error.value.faults[0]
    assert (fault.code, fault.value) == (Code.UNKNOWN_ID, "2")


def test_an_answer_in_the_first_row_of_a_run_counts():
    assert IdJoin(np.array([0, -1, 2]), "skip").counted.tolist() == [True, False, True]
    assert IdJoin(np.array([0, -1, 2]), "zero").counted.tolist() == [True, True, True]


def test_an_item_whose_row_holds_no_answer_has_the_row_of_a_missing_one():
    run = Ids("a.oot", ["301", "302"], [1, 2])
    joined = join_ids(["301", "302", "303"], run, Policy("zero"), answered=np.array([True, False]))
    assert joined.rows.tolist() == [0, -1, -1]


@pytest.mark.parametrize(("items", "suggested"), [(1, 20), (10, 4), (20, 2), (100, 1)])
def test_a_large_gold_has_fewer_unknown_ids_compared_with_it(items, suggested, monkeypatch):
    """40 comparisons of ids are allowed here: 4 unknown ids with 10 items each, at least one, at most 20."""
    monkeypatch.setattr("touchstone.base.ids.COMPARED", 40)
    gold = [f"x{n:02}" for n in range(items)]
    run = Ids("a.oot", [f"{name}!" for name in ["x00"] * 25], list(range(25)))
    faults = join_ids(gold, run, Policy("zero", duplicates="first")).faults
    assert [fault.near for fault in faults] == ["x00"] * suggested + [None] * (25 - suggested)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"missing": "drop"}, 'no such policy for missing items: "drop"\n.*choose one of: error, zero, skip'),
        ({"unknown": "foo"}, "choose one of: error, ignore"),
        ({"duplicates": "last"}, "choose one of: error, first"),
    ],
)
def test_a_policy_that_there_is_not_is_refused_with_those_that_there_are(wrong, said):
    with pytest.raises(TouchstoneError, match=said):
        Policy(**wrong)
