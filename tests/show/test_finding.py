"""A finding is shown alike wherever it is shown."""

import json

import pytest

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.notes import warning
from touchstone.base.tables import Column, Table
from touchstone.show.finding import Statement, Verdict, table_rows
from touchstone.show.page import render

TABLE = Table([Column("coefficient"), Column("value", "right")], [["alpha", 0.5]])
NOTES = ["two blank labels", warning("the kept pairs alone")]
ROWS = [{"kind": "coefficient", "measure": "alpha", "value": 0.5, "low": float("-inf"), "ends": (1.0, float("nan"))}]


def statement(**more):
    usual = {"sentences": ["alpha is 0.500"], "notes": NOTES, "signature": {"task": "agreement"}}
    return Statement("Agreement", [TABLE], ROWS, **{**usual, **more})


GROUP = Statement(
    "By group <b>", [Table([Column("group")], [["animals"]])], [{"kind": "group", "group": "animals"}], ["One differs."]
)


def test_json_has_the_numbers_that_json_has_and_tells_warnings_from_notes():
    printed = json.loads(statement().to_json())
    assert printed["rows"] == [
        {"kind": "coefficient", "measure": "alpha", "value": 0.5, "low": None, "ends": [1.0, None]}
    ]
    assert (printed["notes"], printed["warnings"]) == (["two blank labels"], ["the kept pairs alone"])
    assert "verdict" not in printed


def test_json_and_page_have_the_verdict_of_a_gate():
    failed = statement(verdict=Verdict(False, ["b may be worse than a"]))
    assert json.loads(failed.to_json())["verdict"] == {"passed": False, "sentences": ["b may be worse than a"]}
    html = render(failed.page())
    assert 'class="gate failed"' in html
    assert html.index("b may be worse than a") < html.index("alpha is 0.500")


@pytest.mark.parametrize("form", ["to_text", "to_markdown", "__repr__"])
def test_texts_have_the_tables_of_all_parts_and_the_sentences(form):
    text = getattr(statement(parts=[GROUP]), form)()
    assert text.index("alpha") < text.index("animals") < text.index("alpha is 0.500")


@pytest.mark.parametrize("form", ["to_text", "to_markdown", "_repr_html_"])
def test_introduction_verdict_tables_and_sentences_are_shown_everywhere_in_the_same_order(form):
    shown = getattr(statement(introduction="item 3", verdict=Verdict(False, ["b may be worse"])), form)()
    places = [shown.find(text) for text in ("item 3", "FAILED: b may be worse", "coefficient", "alpha is 0.500")]
    assert -1 not in places
    assert places == sorted(places)


def test_a_notebook_shows_warnings_first_and_no_markup_of_names():
    html = statement(introduction="a <pair>", sentences=["<b> leads"])._repr_html_()
    assert html.index("the kept pairs alone") < html.index("a &lt;pair&gt;") < html.index("&lt;b&gt; leads")


def test_json_has_the_command_that_computes_the_numbers_where_there_is_one():
    assert json.loads(statement().to_json(["items", "agreement"]))["command"] == ["items", "agreement"]
    assert "command" not in json.loads(statement().to_json())


def test_rows_of_all_parts_become_one_table_in_which_a_missing_name_is_none():
    stated = statement(parts=[GROUP])
    assert stated.to_arrow().select(["kind", "value", "group"]).to_pylist() == [
        {"kind": "coefficient", "value": 0.5, "group": None},
        {"kind": "group", "value": None, "group": "animals"},
    ]
    assert stated.to_pandas("group")["group"].tolist() == ["animals"]
    assert stated.to_pandas("group").columns.tolist() == ["kind", "group"]


def test_the_page_opens_with_warnings_and_sentences_and_has_a_section_for_each_part():
    html = render(statement(parts=[GROUP], subtitle="two people").page())
    assert html.index("the kept pairs alone") < html.index("alpha is 0.500") < html.index("By group &lt;b&gt;")
    assert "One differs." in html
    assert "two blank labels" in html


def test_rows_of_a_table_are_named_by_its_headings():
    assert table_rows("count", TABLE, task="nli") == [
        {"kind": "count", "task": "nli", "coefficient": "alpha", "value": 0.5}
    ]


def test_verdicts_of_parts_stand_above_the_tables_of_the_text():
    gates = [
        Statement("", verdict=Verdict(True, ["b is as good"])),
        Statement("", verdict=Verdict(False, ["c may not"])),
    ]
    whole = statement(parts=gates, verdict=Verdict(False, ["c may not"]))
    assert whole.to_text().startswith("PASSED: b is as good\nFAILED: c may not\n\ncoefficient")


def test_a_note_that_stands_below_a_table_or_is_a_sentence_is_not_repeated():
    table = Table(TABLE.columns, TABLE.rows, notes=[*NOTES])
    stated = statement(notes=["alpha is 0.500", *NOTES, *NOTES]).further_notes
    assert stated == NOTES
    assert Statement("Agreement", [table], notes=NOTES).further_notes == [NOTES[1]]


def test_the_second_of_two_equal_headings_has_a_number_among_rows():
    table = Table([Column("kind"), Column("n"), Column("n")], [["a", 1, 2]])
    assert table_rows("count", table) == [{"kind": "count", "kind (2)": "a", "n": 1, "n (2)": 2}]


def test_findings_of_different_kinds_have_no_report_together():
    assert statement().joined([]).to_text() == statement().to_text()
    with pytest.raises(TouchstoneError) as error:
        statement().joined([GROUP])
    assert error.value.code == Code.UNSUPPORTED
