"""The documentation hangs together without building it: every page is in the navigation, every link leads somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SETTINGS = (ROOT / "mkdocs.yml").read_text("utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
NAV = re.findall(r"^ +- .*?: ([-\w/]+\.md)$", SETTINGS.partition("\nnav:")[2], re.MULTILINE)
LEFT_OUT = {"lexsub_reading/form.md", "nli_reading/form.md"}


def test_every_page_is_in_the_navigation_once():
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    tutorials = {path.relative_to(DOCS).with_suffix(".md").as_posix() for path in DOCS.rglob("*.ipynb")}
    assert sorted(NAV) == sorted((pages | tutorials) - LEFT_OUT)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_links_of_a_page_lead_to_files(page):
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if not re.match(r"[a-z]+:|#", link)]
    assert [link for link in links if not (page.parent / link.partition("#")[0]).exists()] == []


def test_nothing_of_the_site_is_fetched_from_elsewhere():
    assert "font: false" in SETTINGS
    assert not re.search(r"https?://", re.sub(r"#.*", "", SETTINGS))
    assert not re.search(r"https?://|@import", (DOCS / "site.css").read_text("utf-8"))


def test_the_site_has_a_light_and_a_dark_scheme():
    assert re.findall(r"^ +scheme: (\w+)", SETTINGS, re.MULTILINE) == ["default", "slate"]
