"""The tutorials show what happens: each notebook runs from its first cell, and every output is the one in the file."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOKS = sorted((DOCS / "tutorials").glob("*.ipynb"))

# In a process of its own: it leaves an event loop behind, beside which no browser can be driven.
EXECUTE = """
import json, sys
from pathlib import Path
import notebook_pages
print(json.dumps([notebook_pages.texts(cell) for cell in notebook_pages.execute(Path(sys.argv[1]))]))
"""


def pages():
    spec = importlib.util.spec_from_file_location("notebook_pages", DOCS / "notebook_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def without_digests(texts):
    """A signature names the version of NumPy, so its digest differs between machines; no number does."""
    return [[re.sub(r"#[0-9a-f]{12}", "#", text) for text in cell] for cell in texts]


def test_there_is_a_tutorial_for_each_kind_of_user():
    assert [path.stem for path in NOTEBOOKS] == ["gold", "paper", "release", "shared-task"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_tutorial_shows_what_its_cells_give(path):
    command = [sys.executable, "-W", "ignore", "-c", EXECUTE, str(path)]
    done = subprocess.run(command, cwd=DOCS, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    shown = [pages().texts(cell) for cell in json.loads(path.read_text("utf-8"))["cells"]]
    assert without_digests(json.loads(done.stdout)) == without_digests(shown)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_page_of_a_tutorial_has_its_figures_and_tables(path):
    page = pages().markdown(json.loads(path.read_text("utf-8")), path.name)
    assert page.startswith("# ")
    assert page.count("<svg") >= 1
    assert page.count("<table") >= 1
    assert f"({path.name})" in page
