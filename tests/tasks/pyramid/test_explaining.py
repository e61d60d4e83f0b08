"""Why a summary scored what it did."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from touchstone.tasks.pyramid import Contributor, Part, Unit, describe, explain, read
from touchstone.tasks.pyramid.explaining import segments


def test_the_text_is_cut_where_units_begin_and_end(annotated):
    found = explain(annotated("bbd0"))
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
    found = explain(annotated("dbb0"))
    assert [(one.number, one.unit.uid, one.said) for one in found.expressed] == [
        (1, "b", ("bread", "bread")),
        (2, "d", ("dates",)),
    ]
    assert [unit.uid for unit in found.missed] == ["a", "c", "e"]
    assert found.unmatched == ("fog",)
    assert found.units_table().rows[1][1] == "repeated"


def test_the_optimum_is_derived_tier_by_tier(annotated):
    table = explain(annotated("bbd00")).optimum_table()
    # weight, units, in the summary, taken, earn, so far
    assert table.rows == [[4, 1, 0, 1, 4, 4], [2, 2, 1, 2, 4, 8], [1, 2, 1, 0, 0, 8]]
    assert table.notes[0] == "X = 10 / 4 rounded half up = 3, optimum(X) = 8"
    assert "modified = 3 / 8; original = 3 / 10" in table.notes[1]


def test_the_values_are_those_of_the_measures(annotated):
    values = explain(annotated("bbd00")).values
    assert (values["pyramid.modified"], values["pyramid.original"]) == (3 / 8, 3 / 10)


def test_a_summary_that_nobody_named_can_be_explained(annotated):
    peer = replace(annotated("a"), set="", peer="", annotator="")
    assert explain(peer).title == "a summary"


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
    table = describe([read(demo / "T01.pyr")])
    assert table.rows == [["T01", 4, 17, 36, 42, 2, 4, 5, 6, 36 / 17, 9, 26]]
