"""A real Chromium on a real server: people with a browser of their own, in which no script may fail."""

import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from touchstone.annotate.safety import COOKIE
from touchstone.annotate.settings import database_url

LAPTOP = {"width": 1366, "height": 768}
FIGURES = "TOUCHSTONE_FIGURES"
"""The variable with the folder for the screenshots of the docs; without it none are made."""


@pytest.fixture
def site(start_server, tmp_path):
    """Give a server of this test's own over SQLite: a browser does not see what kind of database there is."""
    return start_server(database_url(str(tmp_path / "site.sqlite")))


@pytest.fixture
def page_of(browser, site):
    """Give a function that opens a browser for somebody (a client of `site.person`), at a path of the server.

    A script that fails, or is kept from running by the content security policy, fails the test. The browser *knows the
    guidelines* of the person's projects, unless a test is about the first visit.
    """
    faults = []
    with ExitStack() as stack:

        def opened(person, path="/", *, theme="light", knows_guidelines=True, **options):
            options = {"viewport": LAPTOP, "color_scheme": theme, **options}
            context = browser.new_context(base_url=site.url, **options)
            stack.callback(context.close)
            if person is not None:
                context.add_cookies([{"name": COOKIE, "value": person.cookies[COOKIE], "url": site.url}])
            if person is not None and knows_guidelines:
                read = [project["id"] for project in person.get("/api/projects").json()["projects"]]
                context.add_init_script(f"({HAS_READ})({person.id}, {read})")
            page = context.new_page()
            page.on("pageerror", lambda error: faults.append(str(error)))
            page.on("console", lambda said: faults.append(said.text) if _is_fault(said) else None)
            page.goto(path)
            return page

        yield opened
    assert not faults


HAS_READ = """
(account, projects) => {
  if (location.protocol.startsWith("http")) {
    for (const project of projects) localStorage.setItem(`touchstone:guidelines:${account}:${project}`, '"read"');
  }
}
"""
"""Notes in a browser that somebody has read the guidelines of some projects."""


def _is_fault(said) -> bool:
    """Say whether a message on the console is about a script; a refused or lost request is not."""
    return said.type == "error" and "Failed to load resource" not in said.text


@pytest.fixture
def figure():
    """Give a function that keeps a screenshot for the docs, where the variable TOUCHSTONE_FIGURES asks for them."""
    folder = os.environ.get(FIGURES)

    def kept(page, name):
        if folder:
            page.evaluate(READABLE_NAMES)
            page.screenshot(path=str(Path(folder) / f"annotate-{name}.png"))

    return kept


READABLE_NAMES = """
() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode;
    const name = text.data.replace(/^project \\d+$/, "Pilot study").replace(/^(Admin|Annotator) \\d+$/, "Ada Lee");
    if (name !== text.data) text.data = name; // an assignment would move highlights
  }
}
"""
"""The names that a test gives end in a number, which a reader of the docs need not see."""

WORDS_AT = """
([words, place]) => {
  const box = document.querySelectorAll("pyramid-text .summary > .words")[place];
  const nodes = [];
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) nodes.push(walker.currentNode);
  const start = nodes.map((node) => node.data).join("").indexOf(words);
  if (start < 0) throw new Error(`there is no "${words}" in summary ${place}`);
  const range = document.createRange();
  const find = (offset, set) => {
    for (const node of nodes) {
      if (offset <= node.length) return set(node, offset);
      offset -= node.length;
    }
  };
  find(start + 1, (node, offset) => range.setStart(node, offset - 1));
  find(start + words.length, (node, offset) => range.setEnd(node, offset));
  range.startContainer.parentElement.scrollIntoView({block: "nearest"});
  const rects = [...range.getClientRects()].filter((rect) => rect.width);
  const [first, last] = [rects[0], rects.at(-1)];
  return [first.left + 1, first.top + first.height / 2, last.right - 1, last.top + last.height / 2];
}
"""


class Hands:
    """What somebody does with a mouse on the page of a pyramid."""

    def select(self, page, words, summary=0, key=None):
        """Draw the mouse over *words* of a summary, with a key held down."""
        x, y, to_x, to_y = page.evaluate(WORDS_AT, [words, summary])
        if key:
            page.keyboard.down(key)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move((x + to_x) / 2, (y + to_y) / 2)
        page.mouse.move(to_x, to_y)
        page.mouse.up()
        if key:
            page.keyboard.up(key)

    def tap(self, page, words, summary=0):
        """Tap the first of some words of a summary with a finger."""
        x, y, _, _ = page.evaluate(WORDS_AT, [words, summary])
        page.touchscreen.tap(x, y)

    def drag(self, page, source, target):
        """Drag one thing onto another; *target* may appear only while something is dragged."""
        source.hover()
        page.mouse.down()
        for _ in range(2):
            box = source.bounding_box()
            page.mouse.move(box["x"] + 12, box["y"] + 6)
        target.hover(force=True, position={"x": 60, "y": 8})
        target.hover(force=True, position={"x": 62, "y": 9})
        page.mouse.up()

    def unit(self, page, label):
        """Give the row of the unit with this label."""
        return page.locator("pyramid-units .unit", has=page.locator(".label", has_text=label))

    def mark(self, page, words):
        """Give the row of the contributor with these words."""
        return page.locator("pyramid-units .mark", has_text=words)

    def wait_saved(self, page):
        """Wait until everything is on the server."""
        page.locator("#saved[data-state=saved]").wait_for()


@pytest.fixture
def hands():
    """Give somebody's hands."""
    return Hands()


@pytest.fixture
def wait_until():
    """Give a function that waits for a condition while a page goes on."""

    def waited(page, condition):
        while not condition():
            page.wait_for_timeout(20)

    return waited
