"""Where a pyramid may not be finished: units that may say the same, and units that may say two things."""

from math import log

import pytest

from touchstone.annotate.pyramid import (
    add_contributor,
    add_part,
    merge_candidates,
    new_unit,
    rename_unit,
    split_candidates,
)


def test_single_units_with_similar_labels_are_candidates_to_merge(document, at):
    made = rename_unit(rename_unit(document, "4", "The palm bears dates"), "5", "The hen lays eggs")
    made = new_unit(made, [at("A", "figs")], "Dates of the palm")
    found = {(one.first, one.second): one.similarity for one in merge_candidates(made)}
    the, twice, once = log(1 + 6 / 3), log(1 + 6 / 2), log(1 + 6 / 1)
    fruit, hen = the + 2 * twice + once, the + 3 * once
    assert list(found) == [("4", "6"), ("4", "5"), ("5", "6")]
    assert list(found.values()) == pytest.approx(
        [2 * (the + 2 * twice) / (2 * fruit), 2 * the / (fruit + hen), 2 * the / (fruit + hen)]
    )


def test_words_that_stand_everywhere_count_little(document, at):
    made = rename_unit(rename_unit(document, "4", "the dates"), "5", "the eggs")
    made = rename_unit(rename_unit(rename_unit(made, "1", "the apples"), "2", "the bread"), "3", "the cider")
    made = new_unit(made, [at("A", "figs")], "dates ripen")
    found = {(one.first, one.second): one.similarity for one in merge_candidates(made)}
    assert found["4", "6"] > found["4", "5"]


def test_units_of_one_summary_are_no_candidates_since_merging_adds_no_weight(document, at):
    made = new_unit(rename_unit(document, "4", "dates"), [at("B", "grapes")], "dates")
    assert ("4", "6") not in {(one.first, one.second) for one in merge_candidates(made)}


def test_equal_labels_are_wholly_alike(document):
    made = rename_unit(document, "5", "Dates")
    assert [(one.first, one.second, one.similarity) for one in merge_candidates(made)] == [("4", "5", 1.0)]


def test_shared_units_with_long_contributors_are_candidates_to_split(document, at):
    assert split_candidates(document) == []
    made = add_part(add_part(document, "c5", at("A", "apples")), "c5", at("A", "figs"))
    assert [(one.uid, one.words) for one in split_candidates(made)] == [("2", (3 + 1) / 2)]
    longer = add_contributor(made, "4", [at("A", "apples bread cider")])
    assert [one.uid for one in split_candidates(longer)] == ["2", "4"]
