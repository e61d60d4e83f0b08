"""A pyramid built from four summaries, by mouse and by keyboard alone; both give the same pyramid."""

import json
import sys

import pytest
from playwright.sync_api import expect

from touchstone.cli import main

MODELS = {
    "S1/a.txt": "The old mill burned down on Sunday. Nobody was hurt.\nThe owner wants to rebuild it.\n",
    "S1/b.txt": "A fire destroyed the mill. Its owner plans to build it again.\n",
    "S1/c.txt": "On Sunday the mill burned. No one was injured. Sparks from a train may be the cause.\n",
    "S1/d.txt": "The mill is gone after a fire that hurt nobody.\n",
    "S1/peers/one.txt": "The mill burned down, and nobody was hurt. The mill burned down. It was loved.\n",
}
BUILT = {
    "The mill burned down": [
        *("The old mill burned down", "A fire destroyed the mill"),
        *("the mill burned", "The mill is gone after a fire"),
    ],
    "Nobody was hurt": ["Nobody was hurt", "No one was injured", "hurt nobody"],
    "The owner will rebuild it": ["The owner wants to rebuild it", "Its owner plans to build it again"],
    "It happened on Sunday": ["burned down on Sunday", "On Sunday...burned"],
    "Sparks from a train may be the cause": ["Sparks from a train may be the cause"],
}


@pytest.fixture
def building(site, page_of):
    """Give the page of an empty pyramid, and who works on it."""
    project, name = site.project("pyramid", MODELS)
    ann = site.person("annotator", name, "Ann")
    site.assigned(project, ann, kind="pyramid")
    answer = ann.next(project)
    ann.project, ann.answer = project, answer["id"]
    return page_of(ann, f"/answers/{answer['id']}"), ann


@pytest.fixture
def command(monkeypatch, capsys):
    """Give a function that runs the command line and returns what it printed as JSON."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["touchstone", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        assert not left.value.code
        return capsys.readouterr().out

    return run


def body_of(person, answer=None):
    return person.get(f"/api/answers/{answer or person.answer}").json()["body"]


def contents(body):
    return {unit["label"]: [mark["label"] for mark in unit["contributors"]] for unit in body["units"]}


def facts(page):
    rows = page.locator("pyramid-figures .facts > div")
    return {row.get_attribute("data-figure"): row.locator("dd").inner_text() for row in rows.all()}


def test_a_pyramid_is_built_from_four_summaries_by_mouse(building, hands, figure, tmp_path, command):
    page, ann = building
    hands.select(page, "old mill burned down")
    page.click("#make")
    mill = hands.unit(page, "old mill burned down")
    mill.locator(".more").first.click()
    page.get_by_role("button", name="Rename the unit").click()
    page.get_by_role("textbox", name="Label").fill("The mill burned down")
    page.get_by_role("button", name="Save").click()
    mill = hands.unit(page, "The mill burned down")
    hands.select(page, "fire destroyed the mill", 1)
    hands.drag(page, page.locator("#chip"), mill)
    hands.select(page, "the mill burned", 2)
    hands.drag(page, page.locator("#chip"), mill)
    hands.select(page, "Nobody was hurt")
    page.click("#make")
    nobody = hands.unit(page, "Nobody was hurt")
    hands.select(page, "No one was injured", 2)
    hands.drag(page, page.locator("#chip"), nobody)
    hands.select(page, "hurt nobody", 3)
    page.click("#make")
    hands.drag(page, hands.unit(page, "hurt nobody").locator(".unit-head"), nobody)
    expect(nobody.locator(".weight")).to_have_text("3")
    hands.select(page, "mill is gone after a fire", 3)
    hands.drag(page, page.locator("#chip"), nobody)
    page.get_by_text("has a contributor from the summary D already").wait_for()
    page.get_by_role("button", name="Cancel").click()
    hands.drag(page, page.locator("#chip"), mill)
    expect(mill.locator(".weight")).to_have_text("4")
    hands.select(page, "On Sunday", 2)
    hands.select(page, "burned", 2, key="Control")
    page.click("#make")
    sunday = hands.unit(page, "On Sunday...burned")
    hands.select(page, "burned down on Sunday", 0)
    hands.drag(page, page.locator("#chip"), mill)
    page.get_by_role("button", name="Add as a part").click()
    part = page.locator(".part", has_text="burned down on Sunday")
    hands.drag(page, part, sunday)
    hands.select(page, "owner wants to rebuild it")
    page.click("#make")
    hands.select(page, "Its owner plans to build it again", 1)
    page.click("#make")
    plans = hands.mark(page, "Its owner plans")
    hands.drag(page, plans, page.locator(".unassigned"))
    expect(page.locator(".unassigned .mark")).to_have_count(1)
    hands.drag(page, hands.mark(page, "Its owner plans"), hands.unit(page, "owner wants to rebuild it"))
    hands.unit(page, "Its owner plans").locator(".more").first.click()
    page.get_by_role("button", name="Delete the unit").click()
    hands.select(page, "Sparks from a train may be the cause", 2)
    page.click("#make")
    hands.wait_saved(page)
    figure(page, "pyramid-build")
    built = contents(body_of(ann))
    assert list(map(len, built.values())) == [4, 3, 2, 2, 1]
    assert facts(page)["X"] == "3"
    assert facts(page)["total"] == "12"
    tiers = page.locator(".tiers button").all_inner_texts()
    assert [text.split() for text in tiers] == [["4", "1"], ["3", "1"], ["2", "2"], ["1", "1"]]
    with page.expect_download() as download:
        page.get_by_role("link", name="Export .pyr").click()
    download.value.save_as(tmp_path / "S1.pyr")
    assert "12" in command("pyramid", "describe", tmp_path / "S1.pyr")


def keys(page, *names):
    for name in names:
        page.keyboard.press(name)


def typed(page, words):
    page.keyboard.type(words)
    page.keyboard.press("Enter")


COUNT = """
(text) => [...new Intl.Segmenter("en", {granularity: "word"}).segment(text)].filter((one) => one.segment.trim()).length
"""


def by_keys(page, summary, words):
    """Select *words* of a summary with the arrow keys: to the first word, then over the rest."""
    keys(page, "t", *["PageUp"] * 4, *["PageDown"] * summary)
    text = page.locator("pyramid-text .summary > .words").nth(summary).inner_text()
    before, inside = text[: text.index(words)], words
    keys(page, *["ArrowRight"] * page.evaluate(COUNT, before))
    keys(page, *["Shift+ArrowRight"] * (page.evaluate(COUNT, inside) - 1))
    if page.evaluate(COUNT, inside) == 1:
        keys(page, "Space")


def test_the_same_pyramid_is_built_by_keyboard_alone_and_its_scores_are_the_command_lines(
    building, site, page_of, hands, command, tmp_path
):
    page, ann = building
    by_keys(page, 0, "The old mill burned down")
    keys(page, "Shift+Enter")
    page.keyboard.press("Control+a")
    typed(page, "The mill burned down")
    for summary, words in (
        (1, "A fire destroyed the mill"),
        (2, "the mill burned"),
        (3, "The mill is gone after a fire"),
    ):
        by_keys(page, summary, words)
        keys(page, "m")
        typed(page, "mill down")
    by_keys(page, 0, "Nobody was hurt")
    keys(page, "Enter")
    by_keys(page, 2, "No one was injured")
    keys(page, "a")
    by_keys(page, 3, "hurt nobody")
    keys(page, "Enter", "u", "m")
    typed(page, "Nobody was")
    by_keys(page, 0, "The owner wants to rebuild it")
    keys(page, "Enter", "u", "F2", "Control+a")
    typed(page, "The owner will rebuild it")
    by_keys(page, 1, "Its owner plans to build it again")
    keys(page, "Enter", "u", "ArrowRight", "x", "ArrowUp", "ArrowUp", "ArrowUp", "v")
    keys(page, "End", "ArrowUp", "Delete")
    expect(page.locator(".unassigned .mark")).to_have_count(0)
    by_keys(page, 0, "burned down on Sunday")
    keys(page, "Enter", "u", "F2", "Control+a")
    typed(page, "It happened on Sunday")
    by_keys(page, 2, "On Sunday")
    keys(page, "Space")
    keys(page, *["ArrowRight"] * 3)
    keys(page, "Space", "a")
    by_keys(page, 2, "Sparks from a train may be the cause")
    keys(page, "Enter")
    hands.wait_saved(page)
    assert contents(body_of(ann)) == BUILT
    keys(page, "Control+Enter")
    page.get_by_text("Finished and saved").wait_for()
    site.person("reviewer", None)
    published = site.admin.post(f"/api/answers/{ann.answer}/publish")
    assert published.json()["items"] == 1
    site.assigned(ann.project, ann, kind="peer")
    peer = ann.next(ann.project)
    page = page_of(ann, f"/answers/{peer['id']}")
    for words, unit in (("The mill burned down", "mill burned"), ("nobody was hurt", "nobody")):
        by_keys(page, 0, words)
        keys(page, "Enter")
        typed(page, unit)
    by_keys(page, 0, "The mill burned down.")
    keys(page, "m")
    typed(page, "mill burned")
    page.get_by_text("this counts as a repeat and earns nothing").wait_for()
    by_keys(page, 0, "It was loved")
    keys(page, "0")
    hands.wait_saved(page)
    assert facts(page)["modified"] == f"{7 / 9:.4f}"
    assert facts(page)["original"] == f"{7 / 11:.4f}"
    exported = ann.get(f"/api/answers/{peer['id']}/file?form=pan")
    (tmp_path / "Ann.S1.M.20.A.one.pan").write_bytes(exported.content)
    scored = json.loads(command("pyramid", "score", tmp_path, "--json"))
    values = {row["measure"]: row["value"] for row in scored["rows"]}
    assert values == {"pyramid.modified": 7 / 9, "pyramid.original": 7 / 11}
