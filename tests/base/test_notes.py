"""Warnings differ from notes wherever people or programs read them."""

from dataclasses import replace

import pytest

import touchstone
from touchstone.base.notes import announce, warning
from touchstone.cli.options import OutputOptions
from touchstone.cli.output import remark, show_finding
from touchstone.core.report.results import results_page
from touchstone.show.page import render

NOTES = ["ids are numbers", warning("a and b give the same answers <b>")]


@pytest.fixture
def results():
    return replace(touchstone.items.score({"a": {"q1": 1.0, "q2": 0.5}}), notes=NOTES)


def test_warnings_are_printed_first_and_also_with_quiet(capsys):
    remark(NOTES)
    assert capsys.readouterr().err == f"warning: a and b give the same answers <b>\nnote: {NOTES[0]}\n"
    remark(NOTES, OutputOptions(quiet=True))
    assert capsys.readouterr().err == "warning: a and b give the same answers <b>\n"


def test_json_lists_warnings(results, capsys):
    show_finding(OutputOptions(json=True, quiet=True), results)
    assert '"warnings": [\n    "a and b give the same answers <b>"\n  ]' in capsys.readouterr().out


def test_notebooks_show_warnings_above_the_table(results):
    assert results._repr_html_().startswith("<p><strong>Warning:</strong> a and b give the same answers &lt;b&gt;</p>")


def test_a_report_opens_with_its_warnings_and_closes_with_its_notes(results):
    html = render(results_page("Scores", results, []))
    alert, notes = html.index("a and b give the same answers &lt;b&gt;"), html.index("ids are numbers")
    assert html.index("<h1") < alert < notes
    assert html.count("a and b give") == 1


def test_python_issues_warnings_and_not_notes():
    with pytest.warns(touchstone.TouchstoneWarning) as issued:
        announce(NOTES, depth=1)
    assert [str(one.message) for one in issued] == ["a and b give the same answers <b>"]
    assert issued[0].filename == __file__
