"""Search over text and labels: hits with their places, and no expression that runs for ever."""

import pytest

from touchstone import TouchstoneError
from touchstone.annotate.pyramid import (
    comment_unit,
    find_expression,
    find_words,
    match_span,
    pyramid_of_texts,
    unassign,
)
from touchstone.annotate.pyramid.search import Hit


def test_words_are_found_in_text_and_labels_whatever_their_case(document, at):
    found = find_words(document, "DATES")
    assert found.complete
    assert found.hits == (
        Hit("text", *at("B", "dates")),
        Hit("label", 0, 5, "4"),
        Hit("label", 0, 5, "4", "c9"),
    )


def test_words_are_no_expression(document):
    assert find_words(document, ".").hits == find_expression(document, r"\.").hits
    assert find_words(document, "(").hits == ()


def test_an_expression_finds_places_in_code_points(document, at):
    (hit,) = find_expression(document, r"😀\s+\w+$").hits
    assert document.text[hit.start : hit.end] == "😀 figs"
    assert find_expression(document, "x*").hits == ()


def test_comments_and_unassigned_contributors_are_searched(document):
    made = unassign(comment_unit(document, "5", "hens?"), ["c9"])
    assert [(one.where, one.uid) for one in find_words(made, "hens").hits] == [("comment", "5")]
    assert find_words(made, "dates").hits[-1] == Hit("label", 0, 5, None, "c9")


def test_in_a_peer_the_words_of_the_pyramid_lead_to_its_units(peer, word):
    made = match_span(peer, "2", [word("bread")])
    found = find_words(made, "cider")
    assert [(one.where, one.uid) for one in found.hits] == [("label", "3"), ("pyramid", "3"), ("pyramid", "3")]


@pytest.mark.parametrize("wrong", ["", "x" * 201])
def test_nothing_and_too_much_are_refused(document, wrong):
    with pytest.raises(TouchstoneError, match="search for 1 to 200 characters"):
        find_words(document, wrong)


def test_what_is_no_expression_is_refused_in_a_sentence(document):
    with pytest.raises(TouchstoneError, match="not a regular expression"):
        find_expression(document, "(a")


def test_an_expression_that_would_run_for_ever_is_stopped(document):
    slow = pyramid_of_texts("S1", {"a": "a" * 5_000 + "!"})
    with pytest.raises(TouchstoneError, match="the search took longer than 1 s"):
        find_expression(slow, r"(a|a|aa)+(a|aa)+\d")


def test_hits_beyond_what_anybody_steps_through_are_cut_and_said():
    found = find_words(pyramid_of_texts("S1", {"a": "a " * 10_500}), "a")
    assert (len(found.hits), found.complete) == (10_000, False)
