"""A peer annotated in a browser: its live score is the command line's, at every step and at the end."""

import json
import sys
from importlib.resources import files

import pytest
from playwright.sync_api import expect

from touchstone.cli import main
from touchstone.pyramid import read_annotation

EXAMPLES = files("touchstone.examples") / "pyramid"
HERON = "eve.T01.M.60.A.heron.pan"


@pytest.fixture
def annotating(site, page_of):
    """Give the page of a peer of the example set with nothing matched yet, and who works on it."""
    lines = read_annotation(EXAMPLES / HERON).lines
    peer = {"T01.pyr": (EXAMPLES / "T01.pyr").read_bytes(), "T01/peers/heron.txt": "\n".join(lines)}
    project, name = site.project("pyramid", peer)
    ann = site.person("annotator", name, "Ann")
    site.assigned(project, ann, kind="peer")
    answer = ann.next(project)
    ann.answer, ann.project = answer["id"], project
    return page_of(ann, f"/answers/{answer['id']}"), ann


@pytest.fixture
def scores(monkeypatch, capsys, tmp_path):
    """Give a function that scores the annotation of somebody with the command line."""

    def scored(person):
        (tmp_path / "out").mkdir(exist_ok=True)
        exported = person.get(f"/api/answers/{person.answer}/file?form=pan")
        (tmp_path / "out" / "Ann.T01.M.60.A.heron.pan").write_bytes(exported.content)
        monkeypatch.setattr(sys, "argv", ["touchstone", "pyramid", "score", str(tmp_path / "out"), "--json"])
        with pytest.raises(SystemExit) as left:
            main()
        assert not left.value.code
        rows = json.loads(capsys.readouterr().out)["rows"]
        return {row["measure"].removeprefix("pyramid."): row["value"] for row in rows}

    return scored


def shown(page):
    rows = page.locator("pyramid-figures .facts > div")
    return {row.get_attribute("data-figure"): row.locator("dd").inner_text() for row in rows.all()}


def test_a_peer_annotated_by_mouse_has_the_score_of_the_command_line(annotating, hands, scores, figure):
    page, ann = annotating
    wanted = read_annotation(EXAMPLES / HERON)
    for entry in wanted.units:
        for mark in entry.contributors:
            for number, part in enumerate(sorted(mark.parts, key=lambda one: one.start)):
                hands.select(page, part.label, key="Control" if number else None)
            hands.drag(page, page.locator("#chip"), page.locator(f'[data-key="unit:{entry.uid}"] > .unit-head'))
    hands.wait_saved(page)
    figures = scores(ann)
    assert shown(page)["modified"] == f"{figures['modified']:.4f}"
    assert shown(page)["original"] == f"{figures['original']:.4f}"
    assert figures["modified"] > 0
    found = {
        unit["uid"] for unit in ann.get(f"/api/answers/{ann.answer}").json()["body"]["units"] if unit["contributors"]
    }
    assert found == {unit.uid for unit in wanted.units if unit.contributors}
    figure(page, "peer")
    page.get_by_role("button", name="How?").click()
    page.get_by_text("rounded half up").wait_for()
    figure(page, "derivation")
    expect(page.get_by_role("dialog").locator("tbody tr")).to_have_count(len(wanted.pyramid.tiers))


def test_a_unit_matched_twice_is_said_to_be_a_repeat_and_earns_nothing(annotating, hands, scores):
    page, ann = annotating
    hands.select(page, "cracks in its pillars")
    page.keyboard.press("Enter")
    page.keyboard.type("pillars")
    page.keyboard.press("Enter")
    before = shown(page)
    hands.select(page, "cracks")
    page.locator('[data-key="unit:2"]').focus()
    page.keyboard.press("a")
    page.get_by_text("unit 2 is expressed already: this counts as a repeat").wait_for()
    after = shown(page)
    assert after["credit"] == before["credit"] == "4"
    assert after["repeats"] == "1"
    hands.select(page, "volunteers")
    page.keyboard.press("0")
    assert shown(page)["no unit"] == "1"
    page.locator('[data-key="unit:2"]').focus()
    page.keyboard.press("Delete")
    assert shown(page)["credit"] == "0"
    expect(page.locator(".unassigned .mark")).to_have_count(2)
    hands.wait_saved(page)
    assert scores(ann)["modified"] == 0


def test_the_pyramid_is_read_only_and_its_words_are_at_hand(annotating, hands):
    page, _ = annotating
    unit = page.locator('[data-key="unit:1"]')
    expect(unit.locator(".models")).to_have_count(0)
    unit.focus()
    page.keyboard.press("e")
    expect(page.locator('[data-key="unit:1"] .models li')).to_have_count(4)
    for key in ("r", "s", "Delete"):
        page.locator('[data-key="unit:1"]').focus()
        page.keyboard.press(key)
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator('[data-key="unit:1"]')).to_have_count(1)
    hands.drag(page, page.locator('[data-key="unit:1"] > .unit-head'), page.locator('[data-key="unit:2"]'))
    page.get_by_text("the pyramid is not changed while a peer is annotated").wait_for()


def test_a_new_pyramid_is_told_and_taken_only_when_its_annotator_wants(annotating, site, page_of, hands):
    page, ann = annotating
    hands.select(page, "cracks in its pillars")
    page.keyboard.press("Enter")
    page.keyboard.type("pillars")
    page.keyboard.press("Enter")
    hands.wait_saved(page)
    builder = site.person("reviewer")
    site.joined(ann.project, builder, "reviewer")
    site.assigned(ann.project, builder, kind="pyramid")
    pyramid = builder.next(ann.project)
    body = pyramid["body"]
    body["units"] = [unit for unit in body["units"] if unit["uid"] != "2"]
    assert builder.save(pyramid, body, done=True).status_code == 200
    assert builder.post(f"/api/answers/{pyramid['id']}/publish").status_code == 200
    page.reload()
    page.get_by_text("The pyramid has changed since this was begun").wait_for()
    assert shown(page)["credit"] == "4"
    page.get_by_role("button", name="Take the new pyramid").click()
    expect(page.get_by_role("dialog").locator("li").first).to_contain_text("unit 2")
    page.get_by_role("button", name="Take it").click()
    page.locator(".unassigned .mark").wait_for()
    assert shown(page)["credit"] == "0"
