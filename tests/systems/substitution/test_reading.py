"""The blind reading of suggestions: its page says what the answers say, about what the system gives now."""

import importlib.util
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
STUDIES = ROOT / "studies"


@pytest.fixture(scope="module")
def reading():
    """Give the script that writes the form and counts the answers."""
    spec = importlib.util.spec_from_file_location("lexsub_reading", STUDIES / "lexsub_reading.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_answers_give_the_figures_of_the_page(reading, capsys):
    reading.tally(STUDIES / "lexsub_reading")
    first, two, _ = capsys.readouterr().out.splitlines()
    assert first == "first answer acceptable: 46 of 60 = 76.7% (95 % interval 65% to 86%)"
    assert two == "at least two of the first three: 38 of 60 = 63.3% (95 % interval 51% to 74%)"
    page = (ROOT / "docs" / "lexsub_systems.md").read_text("utf-8")
    assert "| first answer acceptable | 76.7 % | 65 to 86 |" in page
    assert "| at least two of the first three acceptable | 63.3 % | 51 to 74 |" in page


def test_the_form_shows_what_the_default_system_suggests(reading, tmp_path):
    shutil.copy(STUDIES / "lexsub_reading" / "sentences.csv", tmp_path)
    reading.write_form(tmp_path)
    for name in ("form.md", "given.csv"):
        assert (tmp_path / name).read_text("utf-8") == (STUDIES / "lexsub_reading" / name).read_text("utf-8")
