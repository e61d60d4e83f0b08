"""A real notebook, executed: each cell shows its value once, as a table or a figure, and nothing else."""

import json
import subprocess
import sys

import nbformat
import pytest

import touchstone
from touchstone import items

EXECUTE = """
import json, sys
import nbclient, nbformat
book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in json.load(sys.stdin)])
nbclient.NotebookClient(book, kernel_name="python3", timeout=600, startup_timeout=600).execute()
print(nbformat.writes(book))
"""

SETTING = """
from pathlib import Path

import touchstone
from touchstone import lexsub

folder = Path(touchstone.__file__).parent / "examples" / "lexsub"
gold = lexsub.read_gold(folder / "demo.gold", source=folder / "demo.xml")
runs = {"careful": folder / "careful.oot", "eager": folder / "eager.oot", "frequent": folder / "frequent.oot"}
results = lexsub.score(gold, runs, ["rank@10", "F"])
comparison = touchstone.compare(results, "rank@10")
""".strip()

CELLS = {
    "setting": SETTING,
    "results": "results",
    "grouped": 'lexsub.score(gold, runs, ["rank@10"], by="pos")',
    "table": "results.table()",
    "comparison": "comparison",
    "explanation": 'lexsub.explain(gold, runs, item="3")',
    "items": "results.items",
    "print": "print(results)",
    "repr": "text = repr(results)",
    "plot": "touchstone.plot(results)",
    "plot groups": 'touchstone.plot(lexsub.score(gold, runs, by="pos"), "F")',
    "plot comparison": "touchstone.plot(comparison)",
    "pandas": "import pandas\n\npandas.DataFrame(results.items).equals(results.items.to_pandas())",
    "polars": "import polars\n\npolars.DataFrame(results.items).equals(results.items.to_polars())",
    "arrow": "import pyarrow\n\npyarrow.table(results.items) == results.items.to_arrow()",
    "rows": 'next(iter(results.items))["system"]',
}


@pytest.fixture(scope="session")
def executed():
    """Give the outputs of each cell of a notebook that Jupyter's own kernel executed."""
    # In a process of its own: it leaves an event loop behind, beside which no browser can be driven.
    command = [sys.executable, "-W", "ignore", "-c", EXECUTE]
    done = subprocess.run(command, input=json.dumps(list(CELLS.values())), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    book = nbformat.reads(done.stdout, as_version=4)
    return dict(zip(CELLS, [cell.outputs for cell in book.cells], strict=True))


def only(outputs):
    """The one output of a cell."""
    assert len(outputs) == 1, [output.get("data", output.get("text")) for output in outputs]
    return outputs[0]


@pytest.mark.parametrize(("cell", "tables"), [("results", 1), ("grouped", 1), ("table", 1), ("items", 1)])
def test_a_cell_shows_one_table_as_html_and_readable_text_beside_it(executed, cell, tables):
    output = only(executed[cell])
    assert output.output_type == "execute_result"
    assert sorted(output.data) == ["text/html", "text/plain"]
    assert output.data["text/html"].count("<table") == tables
    assert "<pre" not in output.data["text/html"]
    assert output.data["text/plain"].splitlines()[1].strip("─") == ""  # the rule under the headings


def test_a_comparison_shows_standings_pairs_and_the_table_of_the_task_once_each(executed):
    html = only(executed["comparison"]).data["text/html"]
    standings, pairs, order = html.split("<table")[1:]
    assert [part.count("careful – frequent") for part in (standings, pairs, order)] == [0, 1, 1]
    assert "the order of the answers decides" in order


def test_an_explanation_shows_its_heading_and_each_table_once(executed):
    output = only(executed["explanation"])
    assert sorted(output.data) == ["text/html", "text/plain"]
    assert output.data["text/html"].startswith("<p>item 3: plot.n")
    assert output.data["text/html"].count("people said") == 1
    assert output.data["text/plain"].startswith("item 3: plot.n")


def test_print_prints_and_repr_does_not(executed):
    printed = only(executed["print"])
    assert (printed.output_type, printed.name) == ("stream", "stdout")
    assert printed.text.startswith("measure  system    value")
    assert executed["repr"] == []


def test_items_are_shown_in_short_with_their_number(executed):
    html = only(executed["items"]).data["text/html"]
    assert html.count("<tr>") == 1 + 5 + 1 + 5 + 1  # headings, first rows, a gap, last rows, the note
    assert "108 rows" in html  # 36 items of three systems


@pytest.mark.parametrize("cell", ["pandas", "polars", "arrow"])
def test_libraries_of_data_frames_take_the_items_as_they_are(executed, cell):
    assert only(executed[cell]).data == {"text/plain": "True"}


def test_items_are_rows(executed):
    assert only(executed["rows"]).data == {"text/plain": "'careful'"}


@pytest.mark.parametrize("cell", ["plot", "plot groups", "plot comparison"])
def test_a_figure_is_shown_inline(executed, cell):
    data = only(executed[cell]).data
    assert sorted(data) == ["image/svg+xml", "text/plain"]
    assert data["image/svg+xml"].startswith("<svg")
    assert data["text/plain"].startswith("Plot(")


def test_no_cell_writes_to_standard_error(executed):
    assert not [cell for cell, outputs in executed.items() for one in outputs if one.get("name") == "stderr"]
    assert executed["setting"] == []


def test_a_figure_is_saved(tmp_path):
    results = items.score({"id": ["1", "2", "3"], "a": [0.1, 0.5, 0.4], "b": [0.3, 0.2, 0.9]})
    touchstone.plot(results).save(tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").read_text().startswith("<svg")
