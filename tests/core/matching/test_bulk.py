"""Matching in bulk: compiled, with SciPy and one pair at a time, the totals are the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.optimize import linear_sum_assignment

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Ragged
from touchstone.core.matching import bulk, cells, equal, kernel, match, match_all, plain, related

ITEMS = 6
LISTS = st.lists(st.integers(0, ITEMS - 1), max_size=7)
PAIRS = st.lists(st.tuples(LISTS, LISTS), min_size=1, max_size=5)
STEPS = arrays(np.uint8, (ITEMS, ITEMS), elements=st.integers(0, 4))
SHARES = arrays(np.float64, (ITEMS, ITEMS), elements=st.floats(0, 1))

FIRST, SECOND = np.array([0, 1, 2, 3, 4, 0]), np.array([[0, 1], [0, 1], [0, 2], [3, 3], [3, 3], [4, 4]])
"""Keys of the items at two stages: one number for each item, then a row of two."""


def ragged(rows):
    return Ragged.of(rows, np.int64)


def stages_of(left, right):
    return {"first": (FIRST[left.values], FIRST[right.values]), "second": (SECOND[left.values], SECOND[right.values])}


def matched(pairs, table, **options):
    """The matchings of pairs of lists under two stages and a table of similarities."""
    left, right = ragged([a for a, _ in pairs]), ragged([b for _, b in pairs])
    options = {"stages": stages_of(left, right)} | options
    return match_all(left, right, similarity=lambda rows, columns: table[cells(rows, columns)], **options)


def total(weights, functions=kernel):
    """The weight of the assignment of one matrix."""
    ends = [np.array([0, size]) for size in weights.shape]
    columns = functions.assign(*ends, weights.ravel())
    rows = np.flatnonzero(columns >= 0)
    assert len(set(columns[rows].tolist())) == len(rows)
    return weights[rows, columns[rows]].sum(dtype=np.float64)


def optimum(weights):
    rows, columns = linear_sum_assignment(weights, maximize=True)
    return weights[rows, columns].sum(dtype=np.float64)


@given(PAIRS, STEPS)
def test_compiled_plain_and_single_matchings_have_the_same_totals_in_whole_steps(pairs, table):
    compiled, by_scipy = matched(pairs, table, scale=4), matched(pairs, table, scale=4, compiled=False)
    assert compiled.totals.tolist() == by_scipy.totals.tolist()
    assert compiled.stages.tolist() == by_scipy.stages.tolist() or compiled.totals[:, 2].any()
    stages = {"first": FIRST.__getitem__, "second": lambda item: tuple(SECOND[item])}
    for row, (left, right) in enumerate(pairs):
        single = match(left, right, stages=stages, similarity=lambda some, others: table[np.ix_(some, others)] / 4)
        assert compiled.totals[row].sum() == pytest.approx(single.weight, abs=1e-12)
        assert compiled[row].weight == pytest.approx(single.weight, abs=1e-12)


@given(PAIRS, SHARES)
def test_compiled_plain_and_single_matchings_have_the_same_totals_in_real_numbers(pairs, table):
    compiled, by_scipy = matched(pairs, table), matched(pairs, table, compiled=False)
    assert compiled.totals == pytest.approx(by_scipy.totals, abs=1e-12)


@given(PAIRS, STEPS)
def test_links_join_two_free_items_by_an_equal_key_or_a_similarity(pairs, table):
    found = matched(pairs, table)
    keys = {"first": FIRST[:, None], "second": SECOND}
    for row, (left, right) in enumerate(pairs):
        links = found[row].links
        for side in ("left", "right"):
            places = [getattr(link, side) for link in links]
            assert len(places) == len(set(places))
        for link in links:
            one, other = left[link.left], right[link.right]
            if link.stage in keys:
                assert (keys[link.stage][one] == keys[link.stage][other]).all()
            else:
                assert link.weight == table[one, other] > 0


@given(PAIRS, SHARES, st.booleans())
def test_a_pair_is_matched_alike_alone_and_among_others(pairs, table, compiled):
    together = matched(pairs, table, compiled=compiled)
    for row, pair in enumerate(pairs):
        assert together[row] == matched([pair], table, compiled=compiled)[0]


@given(PAIRS, SHARES)
def test_a_few_cells_at_a_time_give_the_same_matchings(pairs, table):
    whole = matched(pairs, table, stages={})
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(bulk, "_CELLS", 4)
        assert matched(pairs, table, stages={}).partners.tolist() == whole.partners.tolist()


@given(PAIRS)
def test_cells_say_which_numbers_are_equal_and_which_are_related(pairs):
    left, right = ragged([a for a, _ in pairs]), ragged([b for _, b in pairs])
    table = Ragged.of([[1, 2], [], [0], [3]], np.int32)  # the numbers 4 and 5 are beyond it
    rows = [[1, 2], [], [0], [3], [], []]
    assert equal(left, right).tolist() == [a == b for one, other in pairs for a in one for b in other]
    assert related(left, right, table).tolist() == [b in rows[a] for one, other in pairs for a in one for b in other]


@given(
    arrays(np.uint8, array_shapes(min_dims=2, max_dims=2, max_side=9), elements=st.integers(0, 6))
    | arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=9), elements=st.floats(0, 1))
)
def test_the_compiled_assignment_is_optimal(weights):
    assert total(weights) == pytest.approx(optimum(weights), abs=1e-12)
    assert total(weights, plain) == pytest.approx(optimum(weights), abs=1e-12)


def test_pairs_from_the_middle_of_a_list_are_assigned_by_themselves():
    weights = np.array([[0.0, 1.0], [1.0, 0.0]])
    for functions in (kernel, plain):
        assert functions.assign(np.array([4, 6]), np.array([7, 9]), weights.ravel()).tolist() == [1, 0]


@given(PAIRS, STEPS, SHARES)
def test_the_loops_make_the_same_links_as_machine_code_and_as_plain_python(pairs, steps, shares):
    left, right = ragged([a for a, _ in pairs]), ragged([b for _, b in pairs])
    for table in (steps, shares):
        arguments = (left.offsets, right.offsets, table[cells(left, right)])
        assert kernel.assign.dispatcher(*arguments).tolist() == kernel.assign.function(*arguments).tolist()
    links = []
    for way in ("dispatcher", "function"):
        partners, taken = np.full(len(left.values), -1), np.zeros(len(right.values), np.bool_)
        keys = (SECOND[left.values], SECOND[right.values])
        getattr(kernel.link_equal, way)(left.offsets, keys[0], right.offsets, keys[1], partners, taken)
        links.append((partners.tolist(), taken.tolist()))
    assert links[0] == links[1]


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
@pytest.mark.parametrize("functions", [kernel, plain])
def test_nothing_to_match_weighs_nothing(shape, functions):
    assert total(np.zeros(shape, np.uint8), functions) == 0


def test_no_lists_and_empty_lists_have_no_links():
    nothing = np.zeros((ITEMS, ITEMS))
    assert matched([([], []), ([1], []), ([], [2])], nothing).totals.tolist() == [[0, 0, 0]] * 3
    none = ragged([])
    assert match_all(none, none, similarity=lambda rows, columns: nothing).totals.shape == (0, 1)


def test_ties_by_the_thousand_and_long_lists_are_solved():
    chance = np.random.default_rng(1)
    sparse = chance.integers(0, 3, (500, 700)) * (chance.random((500, 700)) < 0.01)
    kinds = chance.integers(0, 12, (2, 2000))
    alike = 2 * (kinds[0][:, None] == kinds[1]) + (chance.random((2000, 2000)) < 0.001)
    for weights in (np.ones((4000, 4000), np.uint8), sparse.astype(np.uint8), alike.astype(np.uint8)):
        assert total(weights) == optimum(weights)
    reals = chance.random((400, 300))
    assert total(reals) == pytest.approx(optimum(reals), abs=1e-9)


def test_lists_too_long_to_be_matched_are_refused_and_named(monkeypatch):
    monkeypatch.setitem(match_all.__globals__, "MOST_CELLS", 3)  # where the function looks, however it was imported
    with pytest.raises(TouchstoneError) as refused:
        matched([([0], [1]), ([0, 1], [2, 3])], np.ones((ITEMS, ITEMS)), stages={})
    assert refused.value.code == Code.TOO_LARGE
    assert "pair 2: 2 items beside 2" in str(refused.value)
