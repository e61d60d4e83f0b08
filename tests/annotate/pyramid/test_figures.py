"""Live figures: tiers, text not covered yet, and scores equal to those of the command line."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.annotate.pyramid.document import PyramidDocument, to_annotation, with_units
from touchstone.annotate.pyramid.figures import peer_figures, pyramid_figures, uncovered
from touchstone.pyramid import read_annotation, value
from touchstone.tasks.pyramid.joining import unit_counts
from touchstone.tasks.pyramid.model import Pyramid


def test_a_pyramid_shows_its_tiers_and_what_a_peer_is_measured_against(document):
    found = pyramid_figures(document)
    assert (found["models"], found["units"], found["total"], found["mean_weight"]) == (4, 5, 10, 2)
    assert found["tiers"] == [[4, 1], [2, 2], [1, 2]]
    assert (found["average"], found["optimum"], found["reason"]) == (3, 8, None)


def test_an_empty_pyramid_says_why_it_has_no_average(blank):
    found = pyramid_figures(blank)
    assert (found["tiers"], found["mean_weight"], found["average"]) == ([], None, None)
    assert "too small" in found["reason"]
    assert found["covered"] == 0


def test_text_that_no_unit_has_is_shown_without_blanks_and_headers(build, document):
    assert [document.text[slice(*span)] for span in uncovered(document)] == ["😀 figs", "and grapes"]
    assert pyramid_figures(document)["covered"] == 1 - 13 / (20 + 25 + 11 + 10)
    aside = build.delete_unit(document, "5")
    assert [document.text[slice(*span)] for span in uncovered(aside)][-1] == "eggs"


@given(st.data())
def test_every_letter_of_the_summaries_is_covered_or_shown(build, blank, data):
    document = blank
    for _ in range(data.draw(st.integers(0, 5))):
        summary = data.draw(st.sampled_from(document.summaries))
        start = data.draw(st.integers(summary.start, summary.end - 1))
        document = build.new_unit(document, [(start, data.draw(st.integers(start + 1, summary.end)))], "x")
    marked = {n for mark in document.marks for start, end in mark.spans for n in range(start, end)}
    shown = {n for start, end in uncovered(document) for n in range(start, end)}
    inside = {n for one in document.summaries for n in range(one.start, one.end) if document.text[n].isalnum()}
    assert not marked & shown
    assert inside <= marked | shown


def test_a_text_without_headers_is_one_stretch(blank):
    assert list(uncovered(PyramidDocument(Pyramid("S", (" Cats ", ""), (), ())))) == [(1, 5)]


def test_the_worked_example_of_the_method_scores_as_printed(build, peer, word):
    document = peer
    for uid in ("2", "2", "4", "0", "0"):
        document = build.add_contributor(document, uid, [word("bread")])
    found = peer_figures(document)
    assert (found["count"], found["repeats"], found["unmatched"], found["credit"]) == (2, 1, 2, 3)
    assert (found["average"], found["optimum"], found["most"]) == (3, 8, 10)
    assert (found["modified"], found["original"]) == (3 / 8, 3 / 10)


def test_the_optimum_is_derived_tier_by_tier(build, peer, word):
    found = peer_figures(build.add_contributor(peer, "2", [word("bread")]))
    assert found["derivation"] == [[4, 1, 0, 1, 4, 4], [2, 2, 1, 2, 4, 8], [1, 2, 0, 0, 0, 8]]
    assert found["notes"][0] == "X = 10 / 4 rounded half up = 3, optimum(X) = 8"
    assert found["derivation"][0] == [4, 1, 0, 1, 4, 4]


def test_a_peer_without_a_unit_to_score_against_says_so(peer, blank):
    bare = with_units(replace(to_annotation(peer), pyramid=blank.material, units=()))
    found = peer_figures(bare)
    assert (found["modified"], found["count"]) == (None, 0)
    assert found["reason"] == "there is no content unit to score against"


@pytest.mark.parametrize("peer_name", ["heron", "magpie", "sparrow"])
def test_live_scores_are_those_of_the_command(demo, peer_name):
    path = demo / f"eve.T01.M.60.A.{peer_name}.pan"
    annotation = read_annotation(path)
    found = peer_figures(with_units(annotation))
    match = unit_counts(annotation)
    assert found["modified"] == value("pyramid.modified", match)
    assert found["original"] == value("pyramid.original", match)
