"""The documentation as a site: every page is in the navigation, every link leads somewhere, everybody can read it."""

import os
import re
import subprocess
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
AXE = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
SETTINGS = (ROOT / "mkdocs.yml").read_text("utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
NAV = re.findall(r"^ +- .*?: ([-\w/]+\.md)$", SETTINGS.partition("\nnav:")[2], re.MULTILINE)


def test_every_page_is_in_the_navigation_once():
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    tutorials = {path.relative_to(DOCS).with_suffix(".md").as_posix() for path in DOCS.rglob("*.ipynb")}
    assert sorted(NAV) == sorted(pages | tutorials)


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


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Build the site and serve it: its search is only there over HTTP."""
    pytest.importorskip("mkdocs", reason="the tool of the site is not installed: make docs")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, check=True)
    handler = partial(QuietHandler, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.mark.soak
def test_examples_of_the_reference_are_code(address):
    """Without the heading Examples, Markdown reads each >>> as a quotation in a quotation."""
    for name in [name for name in NAV if name.startswith("reference/api")]:
        with urlopen(f"{address}/{name.removesuffix('.md')}.html") as page:
            assert not re.search(r"<blockquote>\s*<blockquote>", page.read().decode()), name


@pytest.mark.soak
@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: npm --prefix frontend ci")
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing_serious_on_any_page(address, browser, width, theme):
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
    serious = {}
    for name in [*NAV, "404.md"]:
        page = context.new_page()
        page.goto(f"{address}/{name.removesuffix('.md')}.html")
        page.add_script_tag(path=str(AXE))
        findings = page.evaluate("async () => (await axe.run()).violations")
        serious[name] = [finding["id"] for finding in findings if finding["impact"] in ("serious", "critical")]
        page.close()
    context.close()
    assert {name: ids for name, ids in serious.items() if ids} == {}
