"""Subsets of items, against an analysis of variance of each."""

from itertools import combinations

import numpy as np
import pytest

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.stats.anova import analyse_variance
from touchstone.stats.comparisons import tukey_hsd
from touchstone.stats.subsets import subset_power

ITEMS, SYSTEMS = "stuvwx", "abcde"


def table_of(missing=()):
    """Scores of five systems on six items, without the *missing* cells."""
    cells = [(item, system) for item in ITEMS for system in SYSTEMS if item + system not in missing]
    random = np.random.default_rng(6)
    noise = {item + system: random.normal(0, 0.6) for item in ITEMS for system in SYSTEMS}
    return {
        "score": [ITEMS.index(i) / 3 + SYSTEMS.index(s) * 0.7 + noise[i + s] for i, s in cells],
        "item": [item for item, _ in cells],
        "system": [system for _, system in cells],
    }


def differing(table, items):
    """The pairs that differ in an analysis of variance of the *items* alone."""
    kept = [place for place, item in enumerate(table["item"]) if item in items]
    part = {name: [column[place] for place in kept] for name, column in table.items()}
    found = tukey_hsd(analyse_variance(part, "score", ["item", "system"]), "system")
    return {frozenset(pair) for pair in combinations(found.levels, 2) if found.different(*pair)}


def power(table, **options):
    return subset_power(table, "score", items="item", systems="system", **options)


@pytest.mark.parametrize("missing", [(), ("sa", "tb", "ub", "xe")])
def test_every_subset_finds_what_an_analysis_of_its_rows_finds(missing):
    """All subsets of each size: mean share of the pairs that all items find, and mean number of others."""
    table = table_of(missing)
    found, over_all = power(table), differing(table, ITEMS)
    assert {frozenset(pair) for pair in found.differing} == over_all
    assert len(over_all) >= 3
    for row in found.sizes:
        each = [differing(table, items) for items in combinations(ITEMS, row.size)]
        assert row.exhaustive
        assert row.found == pytest.approx(np.mean([len(pairs & over_all) / len(over_all) for pairs in each]))
        assert row.extra == pytest.approx(np.mean([len(pairs - over_all) for pairs in each]))
        best = differing(table, row.best)
        assert row.best_found == len(best & over_all) / len(over_all)
        assert row.best_found == max(len(pairs & over_all) / len(over_all) for pairs in each)
        assert row.best_extra == len(best - over_all)


def test_the_higher_system_of_a_pair_stands_first():
    assert all(SYSTEMS.index(higher) > SYSTEMS.index(lower) for higher, lower in power(table_of()).differing)


def test_two_systems_can_be_asked_for_in_either_order():
    forth, back = (power(table_of(), between=pair) for pair in (("e", "a"), ("a", "e")))
    assert forth == back
    assert forth.wanted == (("e", "a"),)
    for row in forth.sizes:
        each = [frozenset("ae") in differing(table_of(), items) for items in combinations(ITEMS, row.size)]
        assert row.found == pytest.approx(np.mean(each))


def test_subsets_are_drawn_where_there_are_more_than_asked_for():
    found = power(table_of(), sizes=[3], subsets=10)
    assert (found.sizes[0].subsets, found.sizes[0].exhaustive) == (10, False)
    assert found == power(table_of(), sizes=[3], subsets=10)
    assert found != power(table_of(), sizes=[3], subsets=10, seed=1)


def test_a_system_that_a_subset_lacks_is_not_found_there():
    """System e is scored on items w and x alone."""
    table = table_of(("se", "te", "ue", "ve"))
    row = power(table, between=("e", "a"), sizes=[2]).sizes[0]
    with_e = [items for items in combinations(ITEMS, 2) if set(items) & {"w", "x"}]
    assert row.found == pytest.approx(sum(frozenset("ae") in differing(table, items) for items in with_e) / 15)


def test_the_table_says_that_the_best_subset_is_optimistic():
    text = power(table_of()).to_table().to_text()
    assert "picked on the same data that it is judged by: it is optimistic" in text
    assert "Tukey HSD after score ~ item + system, α = 0.05" in text
    assert "all 15" in text


def test_where_nothing_differs_over_all_items_there_is_no_share():
    table = table_of() | {"score": np.random.default_rng(1).normal(size=30).tolist()}
    found = power(table)
    assert found.differing == ()
    assert np.isnan(found.sizes[0].found)


@pytest.mark.parametrize(
    ("options", "code", "value"),
    [
        ({"between": ("a", "z")}, Code.UNKNOWN_NAME, "z"),
        ({"between": ("a", "a")}, Code.BAD_VALUE, "a"),
        ({"subsets": 0}, Code.OUT_OF_RANGE, None),
        ({"alpha": 1}, Code.OUT_OF_RANGE, None),
    ],
)
def test_bad_input_is_refused(options, code, value):
    with pytest.raises(TouchstoneError) as error:
        power(table_of(), **options)
    assert (error.value.code, error.value.faults[0].value) == (code, value)


def test_two_items_have_no_subsets():
    table = {"score": [1, 2, 2, 4], "item": list("sstt"), "system": list("abab")}
    with pytest.raises(TouchstoneError) as error:
        power(table)
    assert error.value.code == Code.TOO_FEW


def test_a_subset_may_have_two_items_and_words_keep_to_the_left():
    table = {
        "score": [1, 2, 6, 2, 2, 7, 3, 4, 8, 2, 4, 7],
        "set": [name for name in "stuv" for _ in range(3)],
        "peer": list("xyz") * 4,
    }
    found = subset_power(table, "score", items="set", systems="peer", sizes=[2])
    assert [(row.size, row.subsets) for row in found.sizes] == [(2, 6)]
    sides = {column.header: column.align for column in found.to_table().columns}
    assert [head for head, side in sides.items() if side == "left"] == ["best subset"]
    (row,) = found.to_table().rows
    assert row[4] == f"{found.sizes[0].extra:.1f}"
