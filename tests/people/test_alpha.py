"""Krippendorff's alpha, against its definition, published examples and nltk."""

from itertools import permutations

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import masi_distance
from tests.people.lists import alpha_of

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section C: four observers, twelve units.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
UNITS = list(zip(*OBSERVERS, strict=True))
UNIT_LISTS = st.lists(st.lists(st.sampled_from([0, 1, 2, 5, None]), max_size=4), min_size=1, max_size=12)


def by_definition(units, distance):
    """Alpha as the sums over ordered pairs of entries that define it; None where it is undefined."""
    units = [[x for x in unit if x is not None] for unit in units]
    units = [unit for unit in units if len(unit) >= 2]
    entries = [x for unit in units for x in unit]
    n = len(entries)
    observed = sum(sum(distance(a, b) for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in units) / n
    expected = sum(distance(a, b) for a, b in permutations(entries, 2)) / (n * (n - 1))
    return 1 - observed / expected if expected else None


def sets_of(random, units, coders, vocabulary):
    """Sets of some of the same elements, told apart by what each coder missed or added."""
    bases = [random.choice(vocabulary, 6) for _ in range(units)]
    return [
        [frozenset(base[random.random(6) < 0.8]) | {int(random.integers(vocabulary))} for _ in range(coders)]
        for base in bases
    ]


@pytest.mark.parametrize(("distance", "printed"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorffs_own_example_comes_out_as_printed(distance, printed):
    found = alpha_of(UNITS, distance)
    assert found.value == pytest.approx(printed, abs=0.0005)
    assert (found.units, found.left_out, found.answers, found.distance) == (11, 1, 40, distance)


def test_alpha_with_masi_equals_a_case_computed_by_hand():
    """{1,2} and {1}: distance 2/3. D_o = 2 (2/3) / 6; D_e = 2 (3·2/3 + 2·1 + 3·2·1) / 30."""
    found = alpha_of([[{1, 2}, {1}], [{3}, {3}], [{1}, {1}]], "masi")
    assert found.value == pytest.approx(1 - (4 / 18) / (20 / 30))


def test_sets_that_overlap_and_empty_sets_count_as_the_definition_says():
    """{1,2} and {2,3}: 1 - 1/3·1/3 = 8/9; empty and empty 0; all else disjoint."""
    found = alpha_of([[{1, 2}, {2, 3}], [set(), set()]], "masi")
    assert found.value == pytest.approx(1 - (2 * 8 / 9 / 4) / ((2 * 8 / 9 + 2 * 4) / 12))


@given(UNIT_LISTS, st.sampled_from(["nominal", "interval"]))
def test_alpha_is_what_its_definition_says(units, distance):
    if not any(sum(x is not None for x in unit) >= 2 for unit in units):
        return
    apart = (lambda a, b: float(a != b)) if distance == "nominal" else (lambda a, b: float((a - b) ** 2))
    expected, found = by_definition(units, apart), alpha_of(units, distance, draws=10)
    if expected is None:
        assert np.isnan(found.value)
        assert found.reason
    else:
        assert found.value == pytest.approx(expected, abs=1e-12)
        assert found.reason is None


def set_distance(a, b, name):
    """1 - J, 1 - 2|a∩b| / (|a| + |b|), or 1 - J M with the M of sets that are not disjoint."""
    if a == b:
        return 0.0
    jaccard, dice = len(a & b) / len(a | b), 2 * len(a & b) / (len(a) + len(b))
    return 1 - {"jaccard": jaccard, "dice": dice, "masi": jaccard * (2 / 3 if a <= b or b <= a else 1 / 3)}[name]


@given(st.lists(st.lists(st.frozensets(st.integers(0, 4)), min_size=2, max_size=4), min_size=1, max_size=10))
def test_alpha_of_sets_is_what_its_definition_says(units):
    """With more distinct sets than units, and with fewer."""
    for name in ("masi", "jaccard", "dice"):
        expected = by_definition(units, lambda a, b, name=name: set_distance(a, b, name))
        found = alpha_of(units, name, draws=10).value
        assert np.isnan(found) if expected is None else found == pytest.approx(expected, abs=1e-12)


def test_alpha_with_masi_equals_that_of_nltk():
    units = sets_of(np.random.default_rng(3), 80, 3, 30)
    entries = [(f"coder {i}", str(j), answer) for j, unit in enumerate(units) for i, answer in enumerate(unit)]
    official = AnnotationTask(entries, distance=masi_distance).alpha()
    assert alpha_of(units, "masi").value == pytest.approx(official, abs=1e-10)


@given(UNIT_LISTS)
def test_alpha_of_ordered_answers_equals_that_of_the_package_krippendorff(units):
    width = max(map(len, units), default=0)
    padded = [[np.nan if x is None else x for x in (*unit, *[None] * (width - len(unit)))] for unit in units]
    given_twice = [x for unit in units if sum(y is not None for y in unit) >= 2 for x in unit if x is not None]
    if len(set(given_twice)) < 2:
        return
    domain = sorted({x for unit in units for x in unit if x is not None})
    official = krippendorff.alpha(
        reliability_data=np.array(padded, float).T, level_of_measurement="ordinal", value_domain=domain
    )
    assert alpha_of(units, "ordinal", draws=10).value == pytest.approx(official, abs=1e-12)


def test_the_ordinal_interval_is_that_of_alpha_on_resampled_units():
    random = np.random.default_rng(5)
    units = [[int(x) for x in np.clip(random.integers(1, 6) + random.integers(-1, 2, 3), 1, 5)] for _ in range(60)]
    found = alpha_of(units, "ordinal").interval
    plain = [alpha_of([units[i] for i in random.integers(0, 60, 60)], "ordinal", draws=1).value for _ in range(400)]
    width = found.high - found.low
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(plain, [0.025, 0.975])), abs=0.15 * width)


def test_full_agreement_is_one_and_constant_answers_have_no_alpha():
    assert alpha_of([["a", "a"], ["b", "b"]]).value == 1
    constant = alpha_of([[0.3, 0.3], [0.3, 0.3]], "interval")
    assert np.isnan(constant.value)
    assert np.isnan(constant.interval.low)
    assert constant.reason == "all answers are the same, so that no disagreement could be expected"


def test_numbers_may_be_large_and_close_together():
    """Shifting and scaling all numbers changes nothing, though squares of a million lose seven digits."""
    shifted = [[None if x is None else 1e6 + x / 1000 for x in unit] for unit in UNITS]
    assert alpha_of(shifted, "interval").value == pytest.approx(alpha_of(UNITS, "interval").value, abs=1e-6)


def test_the_interval_is_that_of_alpha_on_resampled_units():
    """Slow and plain: draw units, compute alpha anew; the two bootstraps agree to what 1,000 draws allow."""
    random = np.random.default_rng(7)
    units = sets_of(random, 40, 3, 12)
    found = alpha_of(units, "jaccard").interval
    plain = [alpha_of([units[i] for i in random.integers(0, 40, 40)], "jaccard", draws=1).value for _ in range(400)]
    width = found.high - found.low
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(plain, [0.025, 0.975])), abs=0.15 * width)


def test_clusters_are_drawn_whole_and_widen_the_interval():
    units = [[label, label if right else "n"] for label, right in zip("yn" * 30, [1, 1, 0, 1, 0] * 12, strict=True)]
    alone = alpha_of(units * 4).interval
    clustered = alpha_of(units * 4, clusters=np.tile(np.arange(60), 4)).interval
    assert clustered.high - clustered.low == pytest.approx(2 * (alone.high - alone.low), rel=0.15)


def test_the_same_seed_gives_the_same_interval():
    assert alpha_of(UNITS, seed=4) == alpha_of(UNITS, seed=4)
    assert alpha_of(UNITS, seed=4).interval != alpha_of(UNITS, seed=5).interval


def test_the_order_of_coders_does_not_matter():
    assert alpha_of([unit[::-1] for unit in UNITS]).value == pytest.approx(alpha_of(UNITS).value)


@pytest.mark.parametrize(
    ("call", "code", "value"),
    [
        (lambda: alpha_of([[1], [None, 2]]), Code.TOO_FEW, None),
        (lambda: alpha_of([]), Code.TOO_FEW, None),
        (lambda: alpha_of([[1, 2]], "nominel"), Code.UNKNOWN_NAME, "nominel"),
        (lambda: alpha_of([["a", "b"]], "masi"), Code.BAD_CELL, "a"),
        (lambda: alpha_of([["a", "b"]], "interval"), Code.BAD_CELL, "a"),
        (lambda: alpha_of([["a", "b"]], "ordinal"), Code.BAD_CELL, "a"),
        (lambda: alpha_of([(i, -i) for i in range(900)], "ordinal"), Code.TOO_LARGE, None),
        (lambda: alpha_of([[[1], [2]]]), Code.BAD_CELL, "[1]"),
        (lambda: alpha_of(["ana", "ben"]), Code.BAD_CELL, "ana"),
        (lambda: alpha_of([1, 2]), Code.BAD_CELL, "1"),
        (lambda: alpha_of(pd.DataFrame({"ana": [1], "ben": [1]})), Code.UNKNOWN_FORMAT, None),
        (lambda: alpha_of([[1, 2]], draws=0), Code.OUT_OF_RANGE, None),
        (lambda: alpha_of([(i, -i) for i in range(9000)], "nominal"), Code.TOO_LARGE, None),
    ],
)
def test_bad_input_is_refused(call, code, value):
    with pytest.raises(TouchstoneError) as error:
        call()
    assert (error.value.code, error.value.faults[0].value) == (code, value)


def test_a_level_is_between_0_and_1():
    with pytest.raises(TouchstoneError, match="level 95 is not between 0 and 1"):
        alpha_of([[1, 2]], level=95)
