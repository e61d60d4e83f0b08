"""Adjudication in a browser, by keyboard: two people's pyramids, two annotations of a peer, a form."""

import json
import re
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import expect

import touchstone
from touchstone.annotate.pyramid.aligning import align
from touchstone.annotate.pyramid.exchange import document_of, file_text
from touchstone.annotate.pyramid.json_form import document_json
from touchstone.pyramid import read

from ..pyramid.perturbing import ALL_STEPS, PEER_STEPS, perturbed
from .test_manage import RATIOS

EXAMPLES = Path(touchstone.__file__).parent / "examples" / "pyramid"


@pytest.fixture
def pyramids(site):
    """Give a pyramid that Ann and Bob built differently: the item, a reviewer, and both documents."""
    document = document_of(read(EXAMPLES / "T01.pyr"))
    return prepared(site, {"T01.pyr": (EXAMPLES / "T01.pyr").read_bytes()}, document, ALL_STEPS)


@pytest.fixture
def peers(site):
    """Give a peer that Ann and Bob annotated differently."""
    path = EXAMPLES / "eve.T01.M.60.A.heron.pan"
    return prepared(site, {path.name: path.read_bytes()}, document_of(read(path)), PEER_STEPS)


def prepared(site, files, document, steps):
    project, name = site.project("pyramid", files, pseudonyms=False)
    people = [site.person("annotator", name, name=who) for who in ("Ann", "Bob")]
    site.assigned(project, *people)
    sides = [document, perturbed(document, Random(5), steps, 0.8)]
    for person, side in zip(people, sides, strict=True):
        answer = person.next(project)
        saved = person.save(answer, document_json(side), done=True)
        assert saved.status_code == 200, saved.text
    return answer["item_id"], site.person("reviewer", name, name="Rhea"), sides, project


def opened(page_of, reviewer, item, **options):
    """Begin the adjudication of an item in a browser."""
    page = page_of(reviewer, f"/items/{item}/adjudicate", **options)
    page.get_by_role("button", name="Compare and decide").wait_for()
    page.locator("body[data-ready]").wait_for()
    page.keyboard.press("Enter")
    expect(page.locator("#decision-title")).to_contain_text("Decision 1 of")
    return page


def wait_saved(page):
    page.locator("#save-state[data-state=saved]").wait_for()


def last_answer(site, item):
    return site.admin.get(f"/api/items/{item}").json()["answers"][-1]


def finished(page):
    """Press Enter on the button that ends an adjudication, and wait until it is done."""
    page.wait_for_function("() => document.activeElement.id === 'finish-decisions'")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Next item").wait_for()


def test_two_pyramids_are_adjudicated_by_keyboard_to_one_file(site, pyramids, page_of, figure):
    item, reviewer, (ann, bob), _ = pyramids
    alignment = align(ann, bob)
    count = len(alignment.decisions)
    page = opened(page_of, reviewer, item)
    text = page.locator("#decided-text")
    expect(text).to_have_text(f"0 of {count} decided, {alignment.taken} agreed units taken at once")
    choices = {}
    for number, decision in enumerate(alignment.decisions):
        if number and decision.kind == "split":
            figure(page, "adjudicate-pyramid")
        choice, key = [("left", "1"), ("right", "ArrowRight"), ("both", "3")][number % 3]
        if choice == "both" and decision.both is None:
            choice, key = "left", "ArrowLeft"
        choices[decision.key] = choice
        page.keyboard.press(key)
        expect(text).to_contain_text(f"{number + 1} of {count} decided")
    finished(page)
    last = last_answer(site, item)
    assert last["done"]
    assert last["body"]["adjudication"]["choices"] == choices
    made = site.admin.get(f"/api/answers/{last['id']}/file?form=pyr").text
    assert made == file_text(alignment.resolved(choices), "pyr")
    page.get_by_role("button", name="Publish the adjudicated pyramid").click()
    page.get_by_text("Published to 0 peers").wait_for()


def test_undo_and_a_reload_go_on_where_the_decisions_were(site, pyramids, page_of):
    item, reviewer, _, _ = pyramids
    page = opened(page_of, reviewer, item)
    text = page.locator("#decided-text")
    for key in ("1", "2", "1"):
        page.keyboard.press(key)
    expect(text).to_contain_text("3 of")
    wait_saved(page)
    page.keyboard.press("u")
    expect(text).to_contain_text("2 of")
    expect(page.locator("#decision-title")).to_contain_text("Decision 3 of")
    wait_saved(page)
    page.reload()
    expect(text).to_contain_text("2 of")
    expect(page.locator("#decision-title")).to_contain_text("Decision 3 of")
    page.keyboard.press("Control+z")
    expect(text).to_contain_text("1 of")
    page.keyboard.press("k")
    expect(page.locator("#decision-title")).to_contain_text("Decision 1 of")
    expect(page.locator("[data-take=left]")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("2")
    expect(page.locator("#steps .step").first).to_have_text("1 ◨")
    wait_saved(page)
    assert list(last_answer(site, item)["body"]["adjudication"]["choices"].values()) == ["right"]


def test_a_free_edit_stays_when_further_decisions_are_taken(site, pyramids, page_of, hands):
    item, reviewer, _, _ = pyramids
    page = opened(page_of, reviewer, item)
    page.keyboard.press("1")
    expect(page.locator("#decided-text")).to_contain_text("1 of")
    page.keyboard.press("e")
    page.wait_for_url("**/answers/*")
    page.locator("body[data-ready]").wait_for()
    first = page.locator("pyramid-units .unit").first
    first.focus()
    page.keyboard.press("F2")
    page.keyboard.type("by hand")
    page.keyboard.press("Enter")
    hands.wait_saved(page)
    page.go_back()
    page.get_by_text("edited by hand").wait_for()
    page.keyboard.press("2")
    expect(page.locator("#decided-text")).to_contain_text("2 of")
    wait_saved(page)
    body = last_answer(site, item)["body"]
    assert len(body["adjudication"]["choices"]) == 2
    assert [unit for unit in body["units"] if "by hand" in unit["label"]]


def test_finishing_before_all_is_decided_leads_to_what_is_left(pyramids, page_of):
    item, reviewer, _, _ = pyramids
    page = opened(page_of, reviewer, item)
    page.keyboard.press("j")
    page.keyboard.press("1")
    page.get_by_role("button", name="Finish").click()
    page.get_by_text("decisions are left").wait_for()


def test_two_annotations_of_a_peer_are_adjudicated_and_one_side_of_a_kind_is_taken_at_once(
    site, peers, page_of, figure
):
    item, reviewer, (ann, bob), _ = peers
    alignment = align(ann, bob)
    page = opened(page_of, reviewer, item)
    figure(page, "adjudicate-peer")
    for kind in dict.fromkeys(decision.kind for decision in alignment.decisions):
        count = sum(decision.kind == kind for decision in alignment.decisions)
        page.keyboard.press("Shift+Digit2")
        done = page.locator("#decision-status")
        expect(done).to_have_text(f"{count} decisions: Bob" if count > 1 else re.compile(r"decision \d+: Bob"))
    finished(page)
    last = last_answer(site, item)
    assert [unit["contributors"] for unit in last["body"]["units"]] == [
        unit["contributors"] for unit in document_json(alignment.right)["units"]
    ]


def test_a_third_person_is_compared_with_what_was_decided(site, page_of):
    document = document_of(read(EXAMPLES / "T01.pyr"))
    project, name = site.project("pyramid", {"T01.pyr": (EXAMPLES / "T01.pyr").read_bytes()}, pseudonyms=False)
    people = [site.person("annotator", name, name=who) for who in ("Ann", "Bob", "Cleo")]
    site.assigned(project, *people)
    for seed, person in enumerate(people):
        answer = person.next(project)
        side = perturbed(document, Random(seed), ALL_STEPS, 0.2) if seed else document
        assert person.save(answer, document_json(side), done=True).status_code == 200
    reviewer = site.person("reviewer", name)
    page = opened(page_of, reviewer, answer["item_id"])
    while page.evaluate("document.activeElement.id") != "finish-decisions":
        page.keyboard.press("1")
    page.get_by_role("button", name="Go on with Cleo").click()
    page.get_by_text("Adjudicated so far and Cleo").wait_for()
    expect(page.locator("#decision-title")).to_contain_text("Decision 1 of")
    assert last_answer(site, answer["item_id"])["body"]["adjudication"]["earlier"]


def test_the_browser_makes_the_document_of_choices_that_the_server_makes(pyramids, peers, browser, site, page_of):
    page = page_of(site.admin, "/")
    call = "async ([aligned, choices]) => (await import('/static/adjudicate/resolving.js')).resolved(aligned, choices)"
    for _, _, documents, _ in (pyramids, peers):
        alignment = align(*documents)
        random = Random(3)
        for sides in (["right"], *[["left", "right", "both"]] * 10):
            choices = {}
            for decision in alignment.decisions:
                choice = random.choice(sides)
                choices[decision.key] = choice if choice != "both" or decision.both else "left"
            made = page.evaluate(call, [json.loads(json.dumps(alignment.to_json())), choices])
            assert made == document_json(alignment.resolved(choices))


def test_two_reviewers_at_once_can_join_what_both_decided(site, pyramids, page_of):
    item, reviewer, _, _ = pyramids
    page = opened(page_of, reviewer, item)
    other = page_of(site.admin, f"/items/{item}/adjudicate")
    expect(other.locator("#decision-title")).to_contain_text("Decision 1 of")
    page.keyboard.press("1")
    expect(page.locator("#decided-text")).to_contain_text("1 of")
    wait_saved(page)
    other.keyboard.press("j")
    other.keyboard.press("2")
    other.get_by_role("button", name="Join both").click()
    expect(other.locator("#decided-text")).to_contain_text("2 of")
    wait_saved(other)
    body = last_answer(site, item)["body"]
    assert sorted(body["adjudication"]["choices"].values()) == ["left", "right"]
    expect(other.locator("#agreement")).not_to_contain_text("edited by hand")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_of_a_decision_has_the_contrast_of_wcag_aa(pyramids, page_of, theme):
    item, reviewer, _, _ = pyramids
    page = opened(page_of, reviewer, item, theme=theme)
    for key in ("1", "2", "j", "3"):
        page.keyboard.press(key)
        assert page.evaluate(RATIOS) == []
    for _ in range(3):  # back to a decision that is taken
        page.keyboard.press("k")
    expect(page.get_by_role("button", name="✓ Taken")).to_have_attribute("aria-pressed", "true")
    assert page.evaluate(RATIOS) == []


def test_a_refused_choice_is_no_longer_said_at_the_next_decision(peers, page_of):
    item, reviewer, sides, _ = peers
    refused = [place for place, decision in enumerate(align(*sides).decisions, 1) if decision.both is None]
    page = opened(page_of, reviewer, item)
    page.get_by_role("button", name=f"Decision {refused[0]}, open").click()
    page.keyboard.press("3")
    status = page.locator("#decision-status")
    expect(status).to_contain_text("both cannot be taken")
    page.keyboard.press("j" if refused[0] == 1 else "k")
    expect(status).to_have_text("")
    page.keyboard.press("k" if refused[0] == 1 else "j")
    page.keyboard.press("1")
    expect(status).to_have_text(f"decision {refused[0]}: Ann")


def test_a_decision_fits_a_phone(pyramids, page_of):
    item, reviewer, _, _ = pyramids
    page = opened(page_of, reviewer, item, viewport={"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_forms_are_adjudicated_by_keyboard_most_disagreement_first(site, page_of):
    rows = [{"segment": str(n), "system": "a", "hypothesis": f"words {n}", "reference": "y"} for n in range(4)]
    texts = "".join(json.dumps(row) + "\n" for row in rows)
    project, name = site.project("mt", {"rows.jsonl": texts}, pseudonyms=False)
    people = [site.person("annotator", name, name=who) for who in ("Ann", "Bob")]
    site.assigned(project, *people)
    for person, marks in zip(people, ([1, 2, 3, 4], [1, 3, 5, 1]), strict=True):
        for mark in marks:
            assert person.save(person.next(project), {"adequacy": mark, "fluency": mark}, done=True).status_code == 200
    page = page_of(site.person("reviewer", name), f"/projects/{project}")
    page.get_by_text("4 items with several answers: 1 agreed").wait_for()
    page.get_by_role("link", name="Adjudicate", exact=True).click()
    for title, key in (("Item 4", "ArrowRight"), ("Item 3", "1"), ("Item 2", "s")):
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        page.get_by_role("heading", name="Bob").wait_for()
        page.keyboard.press(key)
        if key != "s":
            page.wait_for_function("() => document.activeElement.id === 'finish'")
            page.keyboard.press("Enter")
    page.wait_for_url("**#items")
    found = site.admin.get(f"/api/projects/{project}/items").json()["items"]
    last = [site.admin.get(f"/api/items/{row['id']}").json()["answers"][-1] for row in found]
    assert [one["body"]["adequacy"] for one in last if one["kind"] == "adjudicated"] == [3, 1]
