"""What the package says about itself: names, licences of what it ships, and how to cite it."""

import re
import tomllib
from pathlib import Path

import pytest

import touchstone

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_distribution_has_a_name_of_its_own_and_the_command_stays():
    assert PROJECT["name"] == "touchstone-nlp"
    assert PROJECT["scripts"] == {"touchstone": "touchstone.cli:main"}


def test_the_licence_expression_names_the_licence_of_every_notice():
    licences = set(PROJECT["license"].split(" AND "))
    notices = {path.name for path in (ROOT / "src").rglob("*.txt") if "licence" in path.name or "notice" in path.name}
    listed = {Path(path).name for path in PROJECT["license-files"]} - {"LICENSE"}
    assert listed == notices
    assert {"Apache-2.0", "CC-BY-SA-4.0", "LicenseRef-WordNet-3.0"} <= licences


@pytest.mark.parametrize("path", PROJECT["license-files"])
def test_every_listed_licence_file_is_there(path):
    assert (ROOT / path).read_text("utf-8").strip()


def test_the_citation_has_the_version_of_the_package():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.search(r"^version: (.+)$", citation, re.MULTILINE)[1] == touchstone.__version__
