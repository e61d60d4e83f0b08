"""Warnings differ from notes wherever people or programs read them."""

import json
import pickle
from dataclasses import replace

import pytest

import touchstone
from touchstone.base.console import quietly, remark
from touchstone.base.notes import Note, add_notes, announce, count_note, count_notes, warning
from touchstone.cli.options import OutputOptions
from touchstone.cli.output import show_finding
from touchstone.core.report.results import results_page
from touchstone.show.page import render

NOTES = ["ids are numbers", warning("a and b give the same answers <b>")]


@pytest.fixture
def results():
    return replace(touchstone.items.score({"a": {"q1": 1.0, "q2": 0.5}}), notes=NOTES)


def test_warnings_are_printed_first_and_also_with_quiet(capsys):
    remark(NOTES)
    assert capsys.readouterr().err == f"warning: a and b give the same answers <b>\nnote: {NOTES[0]}\n"
    with quietly():
        remark(NOTES)
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


def test_a_note_is_its_sentence_and_keeps_its_count_as_data():
    note = count_note("mine: items", 12, 40, [str(n) for n in range(12)])
    assert note == "mine: items (of 40): 12 (ids 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more)"
    for again in (Note(**json.loads(json.dumps(note.to_dict()))), pickle.loads(pickle.dumps(note)), Note.of_text(note)):
        assert (again, again.code, again.n, again.of) == (note, "mine: items", 12, 40)
        assert again.ids == tuple(map(str, range(10)))
    assert (note.about("people"), note.about("people").code) == (f"people: {note}", "people: mine: items")
    assert count_notes("mine", {"empty": 0, "long": 2}) == ["mine: long: 2"]


def test_counts_are_added_over_shards_and_other_notes_say_how_many_have_them():
    first = [
        count_note("lost", 2, 10, ["a", "b"]),
        "labels are numbers",
        Note(warning("9 of 10 differ; shifted?"), "shifted?"),
    ]
    second = [
        "labels are numbers",
        count_note("lost", 1, 10, ["k"]),
        Note(warning("8 of 10 differ; shifted?"), "shifted?"),
    ]
    third = [count_note("kept", 1), "labels are numbers", "only here"]
    assert add_notes([first, second, third], 30) == [
        "lost (of 30): 3 (ids a, b, k)",
        "labels are numbers",
        "warning: in 2 of 3 shards, such as: 9 of 10 differ; shifted?",
        "kept: 1",
        "in 1 of 3 shards: only here",
    ]
    assert add_notes([first], 5) == first


def test_a_share_of_rows_is_shown_where_the_rows_of_all_shards_are_known():
    one, other = (count_note("rows twice", n, 20, share=True) for n in (5, 15))
    assert add_notes([[one], [other]], 30) == ["rows twice (of 40): 20 (50.0%)"]
    assert add_notes([[one], []], 30) == ["rows twice: 5"]
