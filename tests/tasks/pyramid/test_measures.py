"""The scores, by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone import TouchstoneError
from touchstone.core.gold import Gold
from touchstone.pyramid import MEASURES, UnitCounts, unit_counts, value

WORKED = Gold({"a": 4, "b": 2, "c": 2, "d": 1, "e": 1})
P = UnitCounts("S1", "P", "", WORKED, 4, {"b": 2, "d": 1}, unmatched=2)
Q = UnitCounts("S1", "Q", "", WORKED, 4, {"a": 1, "b": 1, "c": 1, "d": 1})
NOTHING = UnitCounts("S1", "N", "", WORKED, 4, {})


@pytest.mark.parametrize(
    ("name", "peer", "expected"),
    [
        ("pyramid.modified", P, 3 / 8),
        ("pyramid.original", P, 3 / 10),
        ("pyramid.comprehensive", P, 2 * (3 / 8) * (3 / 10) / (3 / 8 + 3 / 10)),
        ("pyramid.comprehensive(mean=arithmetic)", P, (3 / 8 + 3 / 10) / 2),
        ("scu.count", P, 2),
        ("scu.repeats", P, 1),
        ("scu.unmatched", P, 2),
        ("scu.mean_weight", P, 1.5),
        ("pyramid.modified", Q, 9 / 8),
        ("pyramid.modified(cap=1)", Q, 1),
        ("pyramid.original", Q, 1),
    ],
)
def test_the_worked_example(name, peer, expected):
    assert value(name, peer) == pytest.approx(expected, abs=1e-15)


def test_a_summary_without_any_contributor_scores_0_and_has_no_mean_weight():
    assert [value(name, NOTHING) for name in ("pyramid.modified", "pyramid.original", "pyramid.comprehensive")] == [
        0
    ] * 3
    assert np.isnan(value("scu.mean_weight", NOTHING))


def test_other_names_of_later_tools_are_printed_under_the_canonical_ones():
    asked = ["pyramid.quality", "pyramid.coverage", "pyramid.coverage(cap=1)", "pyramid.comprehensive(mean=harmonic)"]
    assert [measure.name for measure in MEASURES.find_all(asked)] == [
        "pyramid.original",
        "pyramid.modified",
        "pyramid.modified(cap=1)",
        "pyramid.comprehensive",
    ]


@pytest.mark.parametrize("name", ["pyramid.modified(cap=2)", "pyramid.comprehensive(mean=geometric)", "pyramid.best"])
def test_unknown_measures_and_parameters_are_refused(name):
    with pytest.raises(TouchstoneError):
        MEASURES.find(name)


def test_every_measure_says_what_it_is_in_a_sentence_without_its_example():
    for name in MEASURES.names:
        summary = MEASURES.find(name).summary
        assert summary
        assert ">>>" not in summary


golds = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 5), min_size=1).map(Gold)


@st.composite
def peers(draw):
    gold = draw(golds)
    models = draw(st.integers(1, max(1, int(2 * gold.optimum()))))
    counts = draw(st.dictionaries(st.sampled_from(sorted(gold.weights)), st.integers(1, 3)))
    return UnitCounts("S", "P", "", gold, models, counts, draw(st.integers(0, 4)))


@given(peers())
def test_original_stays_within_0_and_1_and_modified_is_never_negative(peer):
    assert 0 <= value("pyramid.original", peer) <= 1
    assert value("pyramid.modified", peer) >= 0


@given(peers())
def test_repeats_and_unmatched_content_lower_the_original_score_and_leave_the_modified_one(peer):
    longer = UnitCounts(
        "S", "P", "", peer.gold, peer.models, {u: n + 1 for u, n in peer.counts.items()}, peer.unmatched + 1
    )
    assert value("pyramid.original", longer) <= value("pyramid.original", peer)
    assert value("pyramid.modified", longer) == value("pyramid.modified", peer)


@given(peers())
def test_more_units_never_lower_the_modified_score(peer):
    fuller = UnitCounts("S", "P", "", peer.gold, peer.models, dict.fromkeys(peer.gold.weights, 1))
    assert value("pyramid.modified", fuller) >= value("pyramid.modified", peer)


def test_an_annotation_comes_to_the_counts_that_it_says(annotated):
    counts = unit_counts(annotated("bbd00"))
    assert (counts.credit, counts.average, counts.repeats, counts.unmatched, counts.size) == (3, 3, 1, 2, 5)
