"""Why a summary scored what it did."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone import TouchstoneError
from touchstone.pyramid import (
    Contributor,
    Decision,
    GoldSet,
    Part,
    Presence,
    Unit,
    describe,
    explain,
    explain_summary,
    read,
)
from touchstone.tasks.pyramid.explaining import segments


def test_the_text_is_cut_where_units_begin_and_end(annotated):
    found = explain_summary(annotated("bbd0"))
    assert [(one.text, one.uids) for one in found.segments] == [
        ("bread", ("b",)),
        (" ", ()),
        ("bread", ("b",)),
        (" ", ()),
        ("dates", ("d",)),
        (" ", ()),
        ("fog", ("0",)),
    ]


def test_units_are_numbered_heaviest_first_with_all_their_words(annotated):
    found = explain_summary(annotated("dbb0"))
    assert [(one.number, one.unit.uid, one.words) for one in found.expressed] == [
        (1, "b", ("bread", "bread")),
        (2, "d", ("dates",)),
    ]
    assert [unit.uid for unit in found.missed] == ["a", "c", "e"]
    assert found.unmatched == ("fog",)
    assert found.units_table().rows[1][1] == "repeated"


def test_the_optimum_is_derived_tier_by_tier(annotated):
    table = explain_summary(annotated("bbd00")).optimum_table()
    # weight, units, in the summary, taken, earn, so far
    assert table.rows == [[4, 1, 0, 1, 4, 4], [2, 2, 1, 2, 4, 8], [1, 2, 1, 0, 0, 8]]
    assert table.notes[0] == "X = 10 / 4 rounded half up = 3, optimum(X) = 8"
    assert "modified = 3 / 8; original = 3 / 10" in table.notes[1]


def test_the_values_are_those_of_the_measures(annotated):
    values = explain_summary(annotated("bbd00")).values
    assert (values["pyramid.modified"], values["pyramid.original"]) == (3 / 8, 3 / 10)


def test_a_summary_that_nobody_named_can_be_explained(annotated):
    peer = replace(annotated("a"), set="", peer="", annotator="")
    assert explain_summary(peer).title == "a summary"


@st.composite
def spans(draw):
    parts = draw(st.lists(st.tuples(st.integers(-5, 40), st.integers(-5, 40)), max_size=6))
    return [
        Unit(str(number), "", (Contributor("", (Part("", start, end),)),)) for number, (start, end) in enumerate(parts)
    ]


@given(st.text(max_size=30), spans())
def test_segments_give_back_the_text_and_cover_what_the_spans_say(text, units):
    found = list(segments(text, units, [unit.uid for unit in units]))
    assert "".join(one.text for one in found) == text
    covered = [one.uids for one in found for _ in one.text]
    for place, uids in enumerate(covered):
        spoken = {u.uid for u in units if u.contributors[0].parts[0].start <= place < u.contributors[0].parts[0].end}
        assert set(uids) == spoken


def test_a_pyramid_is_described_in_one_row(demo):
    table, *_ = describe([read(demo / "T01.pyr")]).tables
    assert table.rows == [["T01", 4, 17, 36, 42, 2, 4, 5, 6, 36 / 17, 9, 26]]


def test_a_set_shows_its_peers_best_first_and_who_expresses_each_unit(annotated):
    gold = GoldSet([annotated("bd", peer="1"), annotated("ab", peer="2")])
    found = explain(gold, item="S1")
    peers, units, *summaries = found.tables
    assert [row[:3] for row in peers.rows] == [["2", "1", 6 / 8], ["1", "1", 3 / 8]]
    assert units.rows[:3] == [[4, "apples", 1, "2"], [2, "bread", 2, "1, 2"], [2, "cider", 0, None]]
    assert len(summaries) == 2 * 4
    assert summaries[0].title == "set S1, peer 1, annotator 1: Units in the summary"
    assert found.drawing.expressed == {"a": 1, "b": 2, "d": 1}


def test_one_annotation_is_explained_by_its_summary_alone(annotated):
    found = explain(GoldSet([annotated("bbd")]))
    assert found.heading == "set S1, peer P, annotator 1"
    assert [table.title for table in found.tables] == [
        "Units in the summary",
        "Heaviest units missed",
        "The optimum",
        "Scores",
    ]
    assert found.drawing.expressed == {"b": 2, "d": 1}


def test_many_summaries_are_not_shown_in_full(annotated):
    found = explain(GoldSet([annotated("bd", peer=str(peer)) for peer in range(4)]), item="S1")
    assert len(found.tables) == 2
    assert found.drawing.summaries == []


def test_the_chosen_annotator_and_measure_are_explained(annotated):
    gold = GoldSet([annotated("b", annotator="1"), annotated("a", annotator="2"), annotated("c", peer="Q")])
    found = explain(gold, item="S1", measure="pyramid.coverage", annotator="2")
    assert [(row[:3]) for row in found.tables[0].rows] == [["P", "2", 4 / 8], ["Q", "1", 2 / 8]]


def test_an_unknown_set_or_no_choice_among_several_is_refused(annotated):
    gold = GoldSet([annotated("b", document_set="S1"), annotated("b", document_set="S2")])
    with pytest.raises(TouchstoneError, match='no such document set: "S3"; nearest valid id "S1"'):
        explain(gold, item="S3")
    with pytest.raises(TouchstoneError, match="there are 2 items to explain"):
        explain(gold)


def test_presence_is_explained_by_the_systems_that_have_each_unit():
    decisions = [Decision("d", "s", "1", "Cats sleep.", True), Decision("d", "t", "1", "Cats sleep.", False)]
    found = explain(GoldSet(presence=Presence(decisions)), item="d")
    assert found.tables[1].rows == [[1, "Cats sleep.", 1, "s"]]
    assert found.drawing is None
