"""Systems compared within groups: the same tests on the items of a group, one correction over all of them."""

import pytest

from touchstone import TouchstoneError, items
from touchstone.base.codes import Code
from touchstone.core.comparison import compare
from touchstone.core.group_comparison import compare_groups
from touchstone.stats import holm


@pytest.fixture
def results():
    """Two systems on 24 items: a is better in group x, b in group y."""
    rows = [
        {
            "item": f"q{number}",
            "kind": "x" if number < 16 else "y",
            "a": 1.0 if number < 16 else number % 2,
            "b": number % 3 / 2,
        }
        for number in range(24)
    ]
    return items.score(rows, by="kind")


def test_a_group_has_the_pair_of_its_own_items(results):
    found = compare_groups(results)
    alone = compare(results.by_group()["x"]).pairs[0]
    assert (found.pairs["x"][0].difference, found.pairs["x"][0].p) == (alone.difference, alone.p)
    assert found.sizes == {"x": 16, "y": 8}


def test_one_correction_covers_all_pairs_of_all_groups(results):
    found = compare_groups(results)
    pairs = [pair for group in found.pairs.values() for pair in group]
    assert [pair.p_adjusted for pair in pairs] == holm([pair.p for pair in pairs]).tolist()
    assert "p adjusted over 2 pairs of 2 groups by Holm" in found.table().notes


def test_differences_have_the_sign_of_the_order_over_all_items(results):
    found = compare_groups(results)
    first = compare(results.overall()).standings[0].system
    assert {pair.a for group in found.pairs.values() for pair in group} == {first}
    for group, (pair,) in found.pairs.items():
        values = {name: results.row(name, "value", group).value for name in ("a", "b")}
        assert pair.difference == pytest.approx(values[pair.a] - values[pair.b])


def test_results_without_groups_are_refused_with_the_way_out(results):
    with pytest.raises(TouchstoneError) as refused:
        compare_groups(results.overall())
    assert refused.value.code == Code.OPTION_NEEDED
    assert 'by="FIELD"' in str(refused.value)


def test_the_adjusted_p_of_a_pair_that_differs_is_bold(results):
    found = compare_groups(results)
    table = found.table()
    differing = [row for row, [pair] in enumerate(found.pairs.values()) if pair.significant]
    assert {(row, table.columns[column].header) for row, column in table.bold} == {
        (row, "p (holm)") for row in differing
    }
    assert differing
