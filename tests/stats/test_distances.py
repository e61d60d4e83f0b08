"""Distances of answers, against their definitions and nltk."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.distance import jaccard_distance, masi_distance

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.stats.distances import distance_rows, moments

SETS = st.lists(st.frozensets(st.integers(0, 9), max_size=6), min_size=1, max_size=40, unique=True)
NAMES = ("masi", "jaccard", "dice")


def set_distance(a, b, name):
    """The distance of two sets; `distance_rows` is given distinct ones."""
    return 0.0 if a == b else next(distance_rows([a, b], name))[0, 1]


@pytest.mark.parametrize(
    ("a", "b", "masi", "jaccard", "dice"),
    [
        ("ab", "ab", 0, 0, 0),
        ("a", "ab", 1 - 1 / 2 * 2 / 3, 1 / 2, 1 - 2 / 3),
        ("ab", "bc", 1 - 1 / 3 * 1 / 3, 2 / 3, 1 / 2),
        ("ab", "cd", 1, 1, 1),
        ("", "ab", 1, 1, 1),
        ("", "", 0, 0, 0),
    ],
)
def test_distances_of_sets_are_those_of_their_definitions(a, b, masi, jaccard, dice):
    found = [set_distance(set(a), set(b), name) for name in NAMES]
    assert found == pytest.approx([masi, jaccard, dice])


@given(SETS)
def test_all_distances_at_once_are_those_of_two_sets_at_a_time(sets):
    for name in NAMES:
        together = np.vstack(list(distance_rows(sets, name)))
        assert together == pytest.approx(np.array([[set_distance(a, b, name) for b in sets] for a in sets]))


@given(SETS)
def test_distances_of_sets_equal_those_of_nltk(sets):
    """But for two empty sets, which nltk divides by zero."""
    for a in sets:
        for b in sets:
            if a or b:
                assert set_distance(a, b, "masi") == pytest.approx(masi_distance(a, b))
                assert set_distance(a, b, "jaccard") == pytest.approx(jaccard_distance(a, b))


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=20, unique=True))
def test_moments_give_squared_differences_in_one_common_unit(numbers):
    points, form = moments(numbers)
    squared = np.subtract.outer(numbers, numbers) ** 2.0
    found = points @ form @ points.T
    unit = squared.max() / found.max()
    assert found * unit == pytest.approx(squared, abs=1e-9 * squared.max())


def test_labels_are_apart_or_the_same():
    labels = [str(number) for number in range(40)]
    assert (np.vstack(list(distance_rows(labels, "nominal"))) == 1 - np.eye(40)).all()


@pytest.mark.parametrize(
    ("call", "code", "value"),
    [
        (lambda: distance_rows([{1}, {2}], "masy"), Code.UNKNOWN_NAME, "masy"),
        (lambda: list(distance_rows(["ab"], "masi")), Code.BAD_CELL, "ab"),
        (lambda: moments(["three"]), Code.BAD_CELL, "three"),
        (lambda: moments([float("inf")]), Code.BAD_CELL, "inf"),
    ],
)
def test_what_is_no_distance_is_refused(call, code, value):
    with pytest.raises(TouchstoneError) as error:
        call()
    assert (error.value.code, error.value.faults[0].value) == (code, value)
