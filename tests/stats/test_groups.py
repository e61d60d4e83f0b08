"""Displays of significant differences: what stands together, and who is above whom."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from touchstone.stats.anova import analyse_variance
from touchstone.stats.comparisons import fisher_lsd, tukey_hsd
from touchstone.stats.groups import (
    chain,
    disjoint_groups,
    dominance_groups,
    dominance_table,
    groups_table,
    letters,
    letters_table,
    pairs_table,
    significant_pairs,
)

NOISE = (-0.1, 0.0, 0.1)


def compared(**means):
    """Tukey's comparisons of levels with the given means, three rows each and little noise."""
    table = {
        "score": [mean + step for mean in means.values() for step in NOISE],
        "peer": [name for name in means for _ in NOISE],
    }
    return tukey_hsd(analyse_variance(table, "score", ["peer"]), "peer")


APART = compared(a=1.0, b=1.05, c=5.0, d=9.0, e=9.02)
CHAINED = compared(a=1.0, b=1.25, c=1.5)


def test_the_chain_differs_at_its_ends_alone():
    assert [CHAINED.different(*pair) for pair in ("ab", "bc", "ac")] == [False, False, True]


def test_disjoint_groups_have_their_own_mean_and_all_lower_levels_below_them():
    assert [(group.levels, round(group.mean, 9), group.over) for group in disjoint_groups(APART)] == [
        (("a", "b"), 1.025, ()),
        (("c",), 5.0, ("a", "b")),
        (("d", "e"), 9.01, ("a", "b", "c")),
    ]
    assert groups_table(APART).rows == [("a, b", "1.0250"), ("c", "5.0000"), ("d, e", "9.0100")]


def test_no_disjoint_groups_are_forced_where_not_differing_is_not_transitive():
    assert disjoint_groups(CHAINED) is None
    assert sorted(chain(CHAINED)) == ["a", "b", "c"]
    table = groups_table(CHAINED)
    assert table.rows == letters_table(CHAINED).rows
    assert table.notes[0] == "no disjoint groups: b differs from neither c nor a, but these two differ"


def test_levels_that_beat_the_same_levels_share_a_row():
    assert [(group.levels, group.over) for group in dominance_groups(CHAINED)] == [(("a", "b"), ()), (("c",), ("a",))]
    assert dominance_table(CHAINED).rows == [("a, b", "1.1250", "none", 0), ("c", "1.5000", "a", 1)]


def test_the_mean_of_a_group_is_that_of_its_rows():
    table = {"score": [1, 2, 3, 4, 1.5, 2.5], "peer": list("aaaabb")}
    (group,) = dominance_groups(tukey_hsd(analyse_variance(table, "score", ["peer"]), "peer"))
    assert group.mean == pytest.approx(14 / 6)


def test_pairs_have_the_higher_level_first_and_their_p():
    (pair,) = significant_pairs(CHAINED)
    assert (pair.higher, pair.lower, pair.higher_mean, pair.lower_mean) == ("c", "a", 1.5, 1.0)
    assert pair.p == CHAINED.p[0, 2]
    assert pairs_table(CHAINED).notes[0] == "1 of 3 pairs differ"


def test_letters_mark_what_does_not_differ():
    assert letters(CHAINED) == {"c": "a", "b": "ab", "a": "b"}
    rows = letters_table(CHAINED).rows
    assert [row[-1] for row in rows] == ["a", "ab", "b"]
    assert [row[2] for row in rows] == [f"{mean:.4f}" for _, _, mean, _, _ in CHAINED.estimates]


@pytest.mark.parametrize("display", [groups_table, dominance_table, pairs_table, letters_table])
def test_every_display_names_its_test_model_and_error(display):
    table = {"score": [1.0, 1.2, 2, 2.1], "peer": list("aabb")}
    found = fisher_lsd(analyse_variance(table, "score", ["peer"]), "peer")
    assert display(found).notes[-1] == found.signature
    assert "Fisher LSD" in display(found).title


@settings(max_examples=20)  # p-values of the studentised range take milliseconds a piece
@given(st.lists(st.integers(0, 12), min_size=2, max_size=7))
def test_displays_say_the_same_as_the_differences(steps):
    if len(set(steps)) == 1:
        return
    found = compared(**{f"p{place}": step / 10 for place, step in enumerate(steps)})
    beats = {level: set(group.over) for group in dominance_groups(found) for level in group.levels}
    given_letters, groups = letters(found), disjoint_groups(found)
    for higher, lower in combinations(found.levels, 2):
        differ = found.different(higher, lower)
        assert (lower in beats[higher]) == differ
        assert bool(set(given_letters[higher]) & set(given_letters[lower])) != differ
        if groups:
            assert any({higher, lower} <= set(group.levels) for group in groups) != differ
    assert (groups is None) == (chain(found) is not None)
    assert len(significant_pairs(found)) == found.n_differing == np.triu(found.differ).sum()


def test_means_and_p_keep_to_the_right_and_names_to_the_left():
    table = {"score": [1, 2, 3, 6, 7, 8, 7, 8, 9], "peer": list("aaabbbccc")}
    columns = pairs_table(tukey_hsd(analyse_variance(table, "score", ["peer"]), "peer")).columns
    assert [(column.header, column.align) for column in columns] == [
        ("peer", "left"),
        ("mean", "right"),
        ("differs from", "left"),
        ("mean", "right"),
        ("p", "right"),
    ]
    sides = letters_table(CHAINED).columns
    assert [column.align for column in sides] == ["left", "right", "right", "right", "left"]
