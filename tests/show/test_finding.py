"""A finding is shown alike wherever it is shown."""

import json

import pytest

from touchstone.base.notes import warning
from touchstone.base.tables import Column, Table
from touchstone.show.finding import Finding, finding_page
from touchstone.show.page import render

TABLE = Table([Column("coefficient"), Column("value", "right")], [["alpha", 0.5]])
NOTES = ["two blank labels", warning("the kept pairs alone")]


def finding(**more):
    rows = [{"measure": "alpha", "value": 0.5, "low": float("-inf"), "ends": (1.0, float("nan"))}]
    given = {"sentences": ["alpha is 0.500"], "notes": NOTES, "signature": {"task": "agreement"}, **more}
    return Finding("Agreement", None, [TABLE], rows, **given)


def test_json_has_the_numbers_that_json_has_and_tells_warnings_from_notes():
    printed = json.loads(finding().to_json())
    assert printed["rows"] == [{"measure": "alpha", "value": 0.5, "low": None, "ends": [1.0, None]}]
    assert (printed["notes"], printed["warnings"]) == (["two blank labels"], ["the kept pairs alone"])
    assert "parts" not in printed


@pytest.mark.parametrize("form", ["to_text", "to_markdown", "__repr__"])
def test_texts_have_the_tables_of_all_parts_and_the_sentences(form):
    part = Finding("By group", None, [Table([Column("group")], [["animals"]])], [{"group": "animals"}])
    text = getattr(finding(parts=[part]), form)()
    assert text.index("alpha") < text.index("animals") < text.index("alpha is 0.500")


def test_rows_become_a_table_in_which_a_missing_name_is_none():
    more = Finding("t", None, [], [{"measure": "a", "value": 1.0}, {"group": "g", "value": float("nan")}]).to_arrow()
    assert more.to_pylist() == [
        {"measure": "a", "value": 1.0, "group": None},
        {"measure": None, "value": None, "group": "g"},
    ]


def test_the_page_opens_with_warnings_and_sentences_and_has_a_section_for_each_part():
    part = Finding("By group <b>", None, [TABLE], [], sentences=["One group differs."])
    page = finding_page(finding(parts=[part]), subtitle="two people")
    html = render(page)
    assert html.index("the kept pairs alone") < html.index("alpha is 0.500") < html.index("By group &lt;b&gt;")
    assert "One group differs." in html
    assert "two blank labels" in html
