"""From an empty database to a score, in a browser, for each task.

The first account, a project, files, two invited people who work by keyboard, adjudication, the export, and
``touchstone TASK score``.
"""

import json
import zipfile
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import expect

from touchstone.annotate.settings import database_url

from .conftest import LAPTOP
from .test_forms import CONTRADICTION, ENTAILMENT, NEUTRAL, finish_all, press, touch
from .test_pyramid_building import by_keys

PASSWORD = "a sentence that works well"
TOKEN = "the-token-of-this-test"

TEXTS = {"a.txt": "Cats sleep.\n", "b.txt": "Dogs bark.\n", "peers/lead.txt": "Cats sleep and dogs bark.\n"}


class Everybody:
    """The people of a project on a server of their own, each with a browser."""

    def __init__(self, url, browser, stack):
        self.url, self.browser, self.stack = url, browser, stack
        self.admin = self.visitor(f"/setup?token={TOKEN}")
        self.signed_up(self.admin, "Ada", "ada@example.org")

    def visitor(self, path):
        context = self.browser.new_context(base_url=self.url, viewport=LAPTOP, accept_downloads=True)
        self.stack.callback(context.close)
        page = context.new_page()
        page.goto(path)
        return page

    def signed_up(self, page, name, email=None):
        """Fill in the form of a new account by keyboard."""
        page.get_by_label("Name").focus()
        page.keyboard.type(name)
        if email:
            press(page, "Tab")
            page.keyboard.type(email)
        press(page, "Tab")
        page.keyboard.type(PASSWORD)
        press(page, "Enter")
        page.get_by_role("button", name="Log out").wait_for()

    def project(self, task, files):
        """Make a project with some files; its page stays open."""
        page = self.admin
        page.goto("/projects/new")
        page.get_by_label("Name", exact=True).fill("The path")
        page.get_by_role("radio", name=task).check()
        page.get_by_role("button", name="Create project").click()
        page.get_by_role("heading", name="The path").wait_for()
        self.address = page.url.partition("#")[0]
        self.imported(files)

    def opened(self, part):
        """Open a part of the page of the project, loaded anew."""
        self.admin.goto("about:blank")
        self.admin.goto(f"{self.address}#{part}")
        return self.admin

    def imported(self, files):
        """Import files, given as names and texts, or a folder."""
        page = self.opened("import")
        if isinstance(files, Path):
            page.get_by_label("or a folder").set_input_files(files)
        else:
            given = [{"name": name, "mimeType": "text/plain", "buffer": text.encode()} for name, text in files.items()]
            page.get_by_label("Files").set_input_files(given)
        page.get_by_role("button", name="Import").click()
        page.get_by_text("imported").first.wait_for()

    def invited(self, name):
        """Invite somebody, who opens the address and chooses a password; give their page."""
        page = self.opened("people")
        page.get_by_label("Email").fill(f"{name.lower()}@example.org")
        page.get_by_role("button", name="Invite").click()
        link = page.locator("[role=status] input, [role=status] code").first
        link.wait_for()
        address = link.input_value() if link.evaluate("one => one.tagName") == "INPUT" else link.inner_text()
        person = self.visitor(address.removeprefix(self.url))
        self.signed_up(person, name)
        return person

    def assigned(self):
        page = self.opened("people")
        page.get_by_role("button", name="Assign", exact=True).click()
        page.get_by_text("Assigned:").wait_for()

    def adjudicated(self):
        """Open the first item to adjudicate."""
        page = self.opened("items")
        page.get_by_role("link", name="Adjudicate", exact=True).first.click()
        return page

    def exported(self, folder):
        """Download the export by its button."""
        page = self.opened("settings")
        with page.expect_download() as download:
            page.get_by_role("link", name="Download the export").click()
        zipfile.ZipFile(download.value.path()).extractall(folder)
        return folder


@pytest.fixture
def everybody(start_server, browser, tmp_path):
    site = start_server(database_url(str(tmp_path / "empty.sqlite")), setup=TOKEN)
    with ExitStack() as stack:
        yield Everybody(site.url, browser, stack)


def led_on(page, name):
    """Follow the link of the only project by keyboard, from the page after log-in."""
    page.goto("/")
    page.get_by_role("link", name=name, exact=True).wait_for()
    while page.evaluate("document.activeElement.textContent") != name:
        press(page, "Tab")
    press(page, "Enter")


def started(page):
    """Begin to work, which opens the guidelines."""
    led_on(page, "Start")
    page.get_by_role("dialog", name="Guidelines").wait_for()
    press(page, "Enter")


def taken(page, number):
    """Take somebody's answer as the adjudicated one, and go on."""
    page.locator("#last-word:not([hidden])").wait_for()
    press(page, number)
    page.wait_for_function("() => document.activeElement.id === 'finish'")
    press(page, "Enter")


def values(result):
    return {row["measure"]: row["value"] for row in result["rows"]}


def test_pairs_from_nothing_to_a_score(everybody, pairs, tmp_path):
    everybody.project("Sentence pairs", {"pairs.jsonl": pairs})
    people = [everybody.invited(name) for name in ("Ann", "Bob")]
    everybody.assigned()
    said = [[CONTRADICTION, ENTAILMENT, NEUTRAL, ENTAILMENT], [CONTRADICTION, ENTAILMENT, NEUTRAL, NEUTRAL]]
    for page, answers in zip(people, said, strict=True):
        started(page)
        finish_all(page, answers)
    page = everybody.adjudicated()
    page.get_by_role("heading", name="Item 4").wait_for()
    taken(page, "1")
    page.get_by_text("0 to adjudicate").wait_for()
    out = everybody.exported(tmp_path / "out")
    gold = [json.loads(line) for line in (out / "gold.jsonl").read_text("utf-8").splitlines()]
    assert [row["decided"] for row in gold] == ["agreed", "agreed", "agreed", "adjudicated"]
    run = tmp_path / "run.jsonl"
    run.write_text("".join(json.dumps({"id": row["id"], "label": "entailment"}) + "\n" for row in gold))
    right = sum(row["gold"] == "entailment" for row in gold)
    assert values(touch("nli", "score", out / "gold.jsonl", f"all={run}", "--json"))["accuracy"] == right / 4


def test_substitutes_from_nothing_to_a_score(everybody, tmp_path):
    rows = [
        {"id": "1", "target": "plot", "pos": "n", "left": "The", "head": "plot", "right": "of the novel is thin."},
        {"id": "2", "target": "plot", "pos": "n", "left": "Beans grow on the", "head": "plot", "right": "behind us."},
    ]
    everybody.project("Substitutes", {"items.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    people = [everybody.invited(name) for name in ("Ann", "Bob")]
    everybody.assigned()
    for page, words in zip(people, (("story", "field"), ("story", "patch")), strict=True):
        started(page)
        for number, word in enumerate(words, 1):
            expect(page.locator("#item-title")).to_have_text(f"Item {number}")
            page.keyboard.type(word)
            press(page, "Enter", "Enter")
        page.get_by_role("heading", name="All done").wait_for()
    page = everybody.adjudicated()
    taken(page, "2")
    page.get_by_text("0 to adjudicate").wait_for()
    out = everybody.exported(tmp_path / "out")
    run = tmp_path / "run.jsonl"
    answers = ({"id": "1", "answers": ["story"]}, {"id": "2", "answers": ["field"]})
    run.write_text("".join(json.dumps({**row, "system": "mine"}) + "\n" for row in answers))
    # Of the adjudicated word alone: the first item is answered, the second is not.
    assert values(touch("lexsub", "score", out / "gold.jsonl", f"mine={run}", "--json"))["best1"] == 1 / 2


def test_translations_from_nothing_to_a_score(everybody, tmp_path):
    rows = [
        {"segment": str(n), "system": "mine", "hypothesis": words, "reference": "the cat sat on the mat today"}
        for n, words in enumerate(("the cat sat on the mat", "a cat lay there"), 1)
    ]
    everybody.project("Translations", {"rows.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    people = [everybody.invited(name) for name in ("Ann", "Bob")]
    everybody.assigned()
    for page, marks in zip(people, (("5", "5"), ("5", "4")), strict=True):
        started(page)
        finish_all(page, [marks, marks])
    page = everybody.adjudicated()
    for _ in range(2):
        title = page.get_by_role("heading", level=1).inner_text()
        taken(page, "1")
        expect(page.get_by_role("heading", level=1)).not_to_have_text(title)
    page.get_by_text("0 to adjudicate").wait_for()
    out = everybody.exported(tmp_path / "out")
    run = tmp_path / "mine.txt"
    run.write_text("".join(f"{row['hypothesis']}\n" for row in rows))
    scores = values(touch("mt", "score", out / "gold.jsonl", f"mine={run}", "--measure", "bleu", "--json"))
    assert 0 < scores["bleu"] < 100
    judged = (out / "gold-ratings.tsv").read_text("utf-8").splitlines()
    assert len(judged) == 1 + 2


def test_a_pyramid_from_nothing_to_a_score(everybody, tmp_path, hands):
    folder = tmp_path / "S1"
    (folder / "peers").mkdir(parents=True)
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    everybody.project("Pyramids", folder)
    people = [everybody.invited(name) for name in ("Ann", "Bob")]
    everybody.assigned()
    for page, statements in zip(people, (("Cats sleep", "Dogs bark"), ("Cats sleep",)), strict=True):
        started(page)
        page.locator("body[data-ready]").wait_for()
        for summary, words in enumerate(statements):
            by_keys(page, summary, words)
            press(page, "Enter")
        finished(page, hands)
        page.goto(everybody.address)
        page.get_by_text("waits for the pyramid of S1").first.wait_for()
    decided(everybody.adjudicated(), "1")
    everybody.admin.get_by_role("button", name="Publish the adjudicated pyramid").click()
    everybody.admin.get_by_text("Published to 1 peer").wait_for()
    for page, statements in zip(people, (("Cats sleep", "dogs bark"), ("Cats sleep",)), strict=True):
        led_on(page, "Continue")
        page.locator("body[data-ready]").wait_for()
        for words in statements:
            by_keys(page, 0, words)
            press(page, "Enter")
            page.keyboard.type(words)
            press(page, "Enter")
        finished(page, hands)
    decided(everybody.adjudicated(), "1")
    out = everybody.exported(tmp_path / "out")
    files = sorted((out / "gold").glob("*.pan"))
    # Both units weigh 1, and a model has one unit on average: 2 earned over the optimum of 1.
    scores = values(touch("pyramid", "score", *files, "--json"))
    assert len(files) == 1
    assert scores["pyramid.modified"] == 2 / 1


def finished(page, hands):
    hands.wait_saved(page)
    press(page, "Control+Enter")
    page.get_by_text("Finished and saved.").wait_for()


def decided(page, key):
    """Decide everything on which two people differ with one key, and finish."""
    page.get_by_role("button", name="Compare and decide").wait_for()
    page.locator("body[data-ready]").wait_for()
    press(page, "Enter")
    expect(page.locator("#decision-title")).to_contain_text("Decision 1 of")
    count = int(page.locator("#decided-text").inner_text().split()[2])
    for number in range(1, count + 1):
        press(page, key)
        expect(page.locator("#decided-text")).to_contain_text(f"{number} of {count} decided")
    page.wait_for_function("() => document.activeElement.id === 'finish-decisions'")
    press(page, "Enter")
    page.get_by_role("button", name="Next item").wait_for()
