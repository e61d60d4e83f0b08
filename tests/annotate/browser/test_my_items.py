"""Who has finished gets back to their items: a list with filters, from which answers are read and changed."""

import pytest
from playwright.sync_api import expect

from .test_forms import CONTRADICTION, ENTAILMENT, NEUTRAL, all_saved, at_item, chosen, finish_all, press


@pytest.fixture
def finished(site, pairs, page_of):
    """Give the page of somebody who has finished four items, unsure about the second and the fourth."""
    project, name = site.project("nli", {"pairs.jsonl": pairs})
    person = site.person("annotator", name, name="Ann")
    site.assigned(project, person)
    page = page_of(person, f"/projects/{project}/work")
    finish_all(page, [CONTRADICTION, ("u", *ENTAILMENT), NEUTRAL, ("u", *ENTAILMENT)])
    return page, person, project


def listed(page):
    """Return the items of the list with their states."""
    page.locator("tbody tr").first.wait_for()
    rows = page.locator("tbody tr").all()
    return [[cell.inner_text() for cell in row.locator("td").all()][:3] for row in rows]


def test_who_has_finished_finds_their_items_and_changes_an_answer(finished):
    page, person, _ = finished
    page.get_by_role("link", name="My items").click()
    page.get_by_role("heading", name="My items").wait_for()
    assert listed(page) == [
        ["item 1", "finished", ""],
        ["item 2", "finished", "unsure"],
        ["item 3", "finished", ""],
        ["item 4", "finished", "unsure"],
    ]
    page.get_by_role("link", name="Open item 3").click()
    at_item(page, 3)
    press(page, "2")
    assert chosen(page) == [2, None, 2]
    all_saved(page)
    answer = person.get(page.url.replace("/answers", "/api/answers")).json()
    assert (answer["body"], answer["done"]) == ({"q1": False, "q2": None, "q3": False}, True)
    page.get_by_role("link", name="My items").click()
    page.get_by_role("heading", name="My items").wait_for()
    assert [row[1] for row in listed(page)] == ["finished"] * 4


def test_the_items_marked_as_unsure_are_a_list_of_their_own(finished):
    page, _, _ = finished
    page.get_by_role("link", name="2 items that you marked as unsure").click()
    expect(page.get_by_label("Show")).to_have_value("unsure")
    assert [row[0] for row in listed(page)] == ["item 2", "item 4"]
    page.get_by_role("link", name="Open item 4").click()
    at_item(page, 4)
    press(page, "u")
    all_saved(page)
    page.go_back()
    expect(page.get_by_role("link", name="Open item 4")).to_be_hidden()
    assert [row[0] for row in listed(page)] == ["item 2"]
    page.get_by_label("Show").select_option("All")
    assert len(listed(page)) == 4
    page.get_by_label("Show").select_option("To do")
    expect(page.get_by_text("No item matches.")).to_be_visible()


def test_the_list_shows_nothing_of_others_and_what_is_closed_stays_closed(site, finished, page_of):
    page, person, project = finished
    last = site.admin.post("/api/items/1/adjudication", json={"from_answer_id": 1}).json()
    assert site.admin.save(last, {"q1": True, "q2": True, "q3": False}, done=True).is_success
    page.goto(f"/projects/{project}/mine")
    assert listed(page)[0] == ["item 1", "closed", ""]
    page.get_by_role("link", name="Open item 1").click()
    page.get_by_text("This answer can only be read: this item has been adjudicated.").wait_for()
    assert chosen(page) == [2, None, 2]  # their own, not the adjudicated one
    other = site.person("annotator", site.admin.get(f"/api/projects/{project}").json()["name"], name="Bob")
    page = page_of(other, f"/projects/{project}/mine")
    expect(page.get_by_text("No items are assigned to you")).to_be_visible()
    assert page.get_by_role("link", name="Open").count() == 0
    assert site.person("annotator").get(f"/projects/{project}/mine").status_code == 404
    assert person.get(f"/projects/{project}/mine").status_code == 200


def test_what_is_not_begun_or_waits_says_so(site, page_of):
    texts = {"S1/a.txt": "Cats sleep.\n", "S1/b.txt": "Dogs bark.\n", "S1/peers/lead.txt": "Cats.\n"}
    project, name = site.project("pyramid", {**texts, "S2/a.txt": "Cats purr.\n", "S2/b.txt": "Dogs run.\n"})
    person = site.person("annotator", name)
    site.assigned(project, person)
    person.next(project)
    page = page_of(person, "/")
    page.get_by_role("link", name="My items").click()
    page.get_by_role("heading", name="My items").wait_for()
    assert [row[1] for row in listed(page)] == ["begun", "not begun", "waits for the pyramid of S1"]
    assert page.get_by_role("link", name="Open").count() == 1
    page.get_by_role("link", name="Open item 1").click()
    page.locator("body[data-ready]").wait_for()
    page.get_by_role("link", name="My items").click()
    page.get_by_role("heading", name="My items").wait_for()
