"""Where a pyramid may not be finished: units that may say the same, and units that may say two things."""

from math import log

import pytest


@pytest.fixture
def merges(editor):
    """Give the pairs of units that may be merged, with their similarity."""

    def pairs(document):
        rows = editor.call("suggestions", "mergeCandidates", document, material=document)
        return {(row["first"]["uid"], row["second"]["uid"]): row["similarity"] for row in rows}

    return pairs


@pytest.fixture
def splits(editor):
    """Give the units that may be split, with the mean number of words of their contributors."""
    return lambda document: [
        (row["unit"]["uid"], row["words"]) for row in editor.call("suggestions", "splitCandidates", document)
    ]


def test_single_units_with_similar_labels_are_candidates_to_merge(merges, build, document, at):
    made = build.rename_unit(build.rename_unit(document, "4", "The palm bears dates"), "5", "The hen lays eggs")
    made = build.new_unit(made, [at("A", "figs")], "Dates of the palm")
    found = merges(made)
    the, twice, once = log(1 + 6 / 3), log(1 + 6 / 2), log(1 + 6 / 1)
    fruit, hen = the + 2 * twice + once, the + 3 * once
    assert list(found) == [("4", "6"), ("4", "5"), ("5", "6")]
    assert list(found.values()) == pytest.approx(
        [2 * (the + 2 * twice) / (2 * fruit), 2 * the / (fruit + hen), 2 * the / (fruit + hen)]
    )


def test_words_that_stand_everywhere_count_little(merges, build, document, at):
    made = build.rename_unit(build.rename_unit(document, "4", "the dates"), "5", "the eggs")
    made = build.rename_unit(
        build.rename_unit(build.rename_unit(made, "1", "the apples"), "2", "the bread"), "3", "the cider"
    )
    made = build.new_unit(made, [at("A", "figs")], "dates ripen")
    found = merges(made)
    assert found["4", "6"] > found["4", "5"]


def test_units_of_one_summary_are_no_candidates_since_merging_adds_no_weight(merges, build, document, at):
    made = build.new_unit(build.rename_unit(document, "4", "dates"), [at("B", "grapes")], "dates")
    assert ("4", "6") not in merges(made)


def test_equal_labels_are_wholly_alike(merges, build, document):
    made = build.rename_unit(document, "5", "Dates")
    assert merges(made) == {("4", "5"): 1.0}


def test_shared_units_with_long_contributors_are_candidates_to_split(splits, build, document, at):
    assert splits(document) == []
    made = build.add_part(build.add_part(document, "c5", at("A", "apples")), "c5", at("A", "figs"))
    assert splits(made) == [("2", (3 + 1) / 2)]
    longer = build.add_contributor(made, "4", [at("A", "apples bread cider")])
    assert [uid for uid, _ in splits(longer)] == ["2", "4"]
