"""Ragged arrays give what lists would give, row by row."""

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.base.ragged import Interner, Ragged, StringLists, add_up

NUMBERS = st.floats(-1e6, 1e6)
ROWS = st.lists(st.lists(NUMBERS, max_size=6), max_size=8)
WORD_ROWS = st.lists(st.lists(st.text("aAbB ", max_size=3), max_size=5), max_size=8)


def rows_of(ragged: Ragged) -> list[list[float]]:
    return [ragged.values[a:b].tolist() for a, b in zip(ragged.offsets, ragged.offsets[1:], strict=False)]


@given(ROWS)
def test_rows_come_back_as_they_went_in(rows):
    ragged = Ragged.of(rows)
    assert rows_of(ragged) == rows
    assert len(ragged) == len(rows)
    assert ragged.sizes.tolist() == [len(row) for row in rows]
    assert ragged.row.tolist() == [i for i, row in enumerate(rows) for _ in row]
    assert ragged.position.tolist() == [i for row in rows for i in range(len(row))]


@given(ROWS, st.integers(0, 7))
def test_sums_are_those_of_the_first_values_added_from_the_left(rows, first):
    ragged = Ragged.of(rows)
    assert ragged.sums().tolist() == [sum(row, 0.0) for row in rows]
    assert ragged.sums(first=first).tolist() == [sum(row[:first], 0.0) for row in rows]


@given(ROWS)
def test_a_rows_sum_does_not_depend_on_its_neighbours_to_the_last_bit(rows):
    together = Ragged.of(rows).sums().tolist()
    assert together == [Ragged.of([row]).sums().item() for row in rows]


@given(ROWS)
def test_running_sums_are_those_of_each_row_to_the_last_bit(rows):
    assert rows_of(Ragged.of(rows).running()) == [list(accumulate(row)) for row in rows]


@given(ROWS, st.integers(1, 8))
def test_the_head_pads_short_rows_with_zero(rows, width):
    expected = [[*row[:width], *[0.0] * (width - len(row))] for row in rows]
    assert Ragged.of(rows).head(width).tolist() == expected


@given(ROWS, st.data())
def test_keep_filters_within_rows(rows, data):
    flags = [[data.draw(st.booleans()) for _ in row] for row in rows]
    wanted = np.array([flag for row in flags for flag in row], np.bool_)
    expected = [[x for x, f in zip(row, fs, strict=True) if f] for row, fs in zip(rows, flags, strict=True)]
    assert rows_of(Ragged.of(rows).keep(wanted)) == expected


@given(st.lists(st.lists(st.integers(0, 5), max_size=8), max_size=6))
def test_of_equal_values_in_a_row_the_first_is_kept_in_its_place(rows):
    assert rows_of(Ragged.of(rows, np.int64).distinct()) == [list(dict.fromkeys(row)) for row in rows]


@given(ROWS, st.data())
def test_take_gives_any_rows_in_any_order_and_empty_ones_for_minus_one(rows, data):
    wanted = data.draw(st.lists(st.integers(-1, len(rows) - 1), max_size=10))
    taken = Ragged.of(rows).take(np.array(wanted, np.int64))
    assert rows_of(taken) == [[] if row < 0 else rows[row] for row in wanted]


def test_nothing_at_all_is_a_ragged_array_too():
    nothing = Ragged.of([])
    assert (len(nothing), nothing.sums().tolist(), rows_of(nothing.running())) == (0, [], [])
    assert nothing.head(3).shape == (0, 3)
    assert nothing.take(np.array([-1])).sizes.tolist() == [0]


def test_adding_up_gives_groups_without_members_zero():
    assert add_up(np.array([2, 0, 2]), np.array([1.0, 5.0, 2.0]), 4).tolist() == [5.0, 0.0, 3.0, 0.0]


def test_an_interner_numbers_strings_in_order_of_first_sight():
    seen = Interner()
    assert [seen[word] for word in ["b", "a", "b", "c", "a"]] == [0, 1, 0, 2, 1]
    assert list(seen) == ["b", "a", "c"]


@given(WORD_ROWS)
def test_string_lists_come_back_and_hold_each_string_once(rows):
    lists = StringLists.of(rows)
    assert [list(lists[row]) for row in range(len(lists))] == rows
    assert sorted(lists.words) == sorted({word for row in rows for word in row})


@given(WORD_ROWS)
def test_mapping_strings_merges_those_that_become_equal(rows):
    lists = StringLists.of(rows).map(str.lower)
    assert [list(lists[row]) for row in range(len(lists))] == [[word.lower() for word in row] for row in rows]
    assert len(set(lists.words)) == len(lists.words)


def test_a_mapping_is_asked_once_for_each_distinct_string():
    asked = []
    StringLists.of([["a", "b"], ["a"]] * 100).map(lambda word: asked.append(word) or word)
    assert sorted(asked) == ["a", "b"]


@given(WORD_ROWS)
def test_flags_and_keep_agree_with_a_filter(rows):
    lists = StringLists.of(rows)
    kept = lists.keep(lists.flags(str.isupper))
    assert [list(kept[row]) for row in range(len(kept))] == [[w for w in row if w.isupper()] for row in rows]


@given(WORD_ROWS, st.data())
def test_lists_can_be_taken_in_any_order(rows, data):
    wanted = data.draw(st.lists(st.integers(-1, len(rows) - 1), max_size=6))
    taken = StringLists.of(rows).take(np.array(wanted, np.int64))
    assert [list(taken[i]) for i in range(len(wanted))] == [[] if row < 0 else rows[row] for row in wanted]


@given(WORD_ROWS)
def test_numbered_lists_share_the_numbers_of_the_interner(rows):
    seen = Interner()
    seen["zebra"]
    numbers = StringLists.of(rows).numbered(seen)
    names = list(seen)
    assert names[0] == "zebra"
    assert [[names[int(code)] for code in row] for row in rows_of(numbers)] == rows


def test_a_row_out_of_range_is_refused():
    with pytest.raises((IndexError, ValueError)):
        StringLists.of([["a"]])[5]


@given(st.lists(st.lists(st.integers(0, 5), max_size=5), min_size=1, max_size=6), st.data())
def test_rows_can_be_cut_and_parted_like_lists(rows, data):
    lists = Ragged.of(rows, np.int64)
    limits = data.draw(st.lists(st.integers(0, 6), min_size=len(rows), max_size=len(rows)))
    start = data.draw(st.integers(0, len(rows)))
    stop = data.draw(st.integers(start, len(rows)))

    def plain(ragged):
        return [row.tolist() for row in np.split(ragged.values, ragged.offsets[1:-1])] if len(ragged) else []

    assert plain(lists.first(np.array(limits))) == [row[:n] for row, n in zip(rows, limits, strict=True)]
    assert plain(lists.first(2)) == [row[:2] for row in rows]
    assert plain(lists.part(slice(start, stop))) == rows[start:stop]
    assert lists.sums(first=np.array(limits)).tolist() == [sum(row[:n]) for row, n in zip(rows, limits, strict=True)]
