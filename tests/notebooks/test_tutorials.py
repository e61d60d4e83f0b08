"""The tutorials show what happens: each notebook runs from its first cell, and every output is the one in the file."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "studies" / "notebook_pages.py"
NOTEBOOKS = sorted((ROOT / "docs" / "tutorials").glob("*.ipynb"))


def pages():
    spec = importlib.util.spec_from_file_location("notebook_pages", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_is_a_tutorial_for_each_kind_of_user():
    assert [path.stem for path in NOTEBOOKS] == ["gold", "paper", "release", "shared-task"]


def test_the_tutorials_show_what_their_cells_give():
    # In a process of its own: it leaves an event loop behind, beside which no browser can be driven.
    command = [sys.executable, "-W", "ignore", SCRIPT, "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_output_that_has_changed_is_reported():
    path = NOTEBOOKS[0]
    cells = json.loads(path.read_text("utf-8"))["cells"]
    assert pages().differences(path, cells) == []
    place, cell = next((place, cell) for place, cell in enumerate(cells, 1) if pages().texts(cell))
    cell["outputs"][0]["data"]["text/plain"] = "another"
    [line] = pages().differences(path, cells)
    assert line.startswith(f"{path.name}, cell {place}: ")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_page_of_a_tutorial_has_its_figures_and_tables(path):
    page = pages().markdown(json.loads(path.read_text("utf-8")), path.name)
    assert page.startswith("# ")
    assert page.count("<svg") >= 1
    assert page.count("<table") >= 1
    assert f"({path.name})" in page
