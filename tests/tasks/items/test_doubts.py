"""Tables that can be read and look wrong."""

import numpy as np
import pandas as pd
import pytest

import touchstone
from touchstone.base.codes import Code
from touchstone.tasks.items.doubts import doubts_about

ITEMS = [f"q{k}" for k in range(12)]


def scores(**systems):
    return {name: dict(zip(ITEMS, values, strict=True)) for name, values in systems.items()}


def test_a_row_with_the_mean_is_no_item():
    table = scores(a=[0.5] * 12)
    table["a"]["Mean"] = 0.5
    with pytest.warns(touchstone.TouchstoneWarning, match="'Mean' is counted as an item"):
        touchstone.items.score(table)


def test_minus_one_among_numbers_that_are_never_negative():
    with pytest.warns(touchstone.TouchstoneWarning, match="2 of 12 values of value are -1"):
        touchstone.items.score(scores(a=[0.5] * 10 + [-1, -1]))


@pytest.mark.parametrize("values", [[-1.0, -0.5, *[0.5] * 10], [-1.0] * 12, [-1.0] * 8 + [1.0] * 4, [-1.0, 1.0]])
def test_negative_scores_are_no_sentinels(values):
    assert not doubts_about("value", np.array(values), lower_is_better=False)


def test_a_name_that_suggests_the_direction_is_warned_of_unless_the_user_says_it():
    frame = pd.DataFrame({"system": ["a", "b"] * 2, "item": ["1", "1", "2", "2"], "error rate": [0.1, 0.2, 0.3, 0.4]})
    with pytest.warns(touchstone.TouchstoneWarning, match=r'lower_is_better=\["error rate"\]'):
        touchstone.items.score(frame)
    assert not touchstone.items.score(frame, lower_is_better=["error rate"]).notes


def test_names_that_only_contain_such_a_word_are_not_noted():
    assert not doubts_about("terseness", np.array([1.0]), lower_is_better=False)


def test_a_long_table_without_a_header_is_refused(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("a,q1,0.5\na,q2,0.25\nb,q1,1.0\nb,q2,0.0\n")
    with pytest.raises(touchstone.TouchstoneError) as error:
        touchstone.items.score(path)
    assert error.value.code == Code.UNREADABLE


def test_a_table_read_with_the_wrong_separator_is_refused():
    frame = pd.DataFrame({"system;item;value": ["a;1;0.5", "a;2;1.0"]})
    with pytest.raises(touchstone.TouchstoneError, match="one column has the names of several"):
        touchstone.items.score(frame)


def test_ratings_beside_ratings_in_percent_are_warned_of():
    old = {f"q{n}": 1 + (n * n * 7 + n // 3) % 5 for n in range(60)}
    new = dict(zip(old, reversed(old.values()), strict=True))
    with pytest.warns(touchstone.TouchstoneWarning, match="value is from 20 to 100, and that of old from 1 to 5"):
        touchstone.items.score({"old": old, "new": {item: 20 * rating for item, rating in new.items()}})
    touchstone.items.score({"old": old, "new": new})


@pytest.mark.parametrize("change", [(4, 1, "new"), (9, 0, "old")])
def test_zeros_of_a_scale_from_0_are_scores(change):
    place, score, system = change
    old = {f"q{n}": 2 + (n * n * 7 + n // 3) % 4 for n in range(60)}
    new = {name: 0 if n % 12 == 0 else value for n, (name, value) in enumerate(reversed(old.items()))}
    with pytest.warns(touchstone.TouchstoneWarning, match="is 0 for 5 of 60 items, and from 2 for all others"):
        touchstone.items.score({"old": old, "new": new})
    {"old": old, "new": new}[system][f"q{place}"] = score
    assert not touchstone.items.score({"old": old, "new": new}).notes
