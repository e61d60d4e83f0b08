"""The machine partner in the browser: ghosts in the text, accepted or dismissed by a key."""

import pytest
from playwright.sync_api import expect

MODELS = {
    "S1/ann.txt": "The court fined the firm five million dollars. Cats sleep all day in the sun.\n",
    "S1/ben.txt": "The firm was fined five million dollars by the court. In the sun, cats sleep all day.\n",
    "S1/cy.txt": "Dogs bark.\n",
}


@pytest.fixture
def building(site, page_of):
    """Give the page of a pyramid for which two units are proposed, and who works on it."""
    project, name = site.project("pyramid", MODELS, partner="all")
    ann = site.person("annotator", name, "Ann")
    site.assigned(project, ann)
    answer = ann.next(project)
    page = page_of(ann, f"/answers/{answer['id']}")
    page.locator("#partner").get_by_text("proposal 1 of 2").wait_for()
    return page, ann, answer["id"]


def units(person, answer):
    return person.get(f"/api/answers/{answer}").json()["body"]["units"]


def test_a_key_accepts_a_proposed_unit_with_all_its_contributors(building, hands, figure):
    page, ann, answer = building
    figure(page, "partner")
    page.keyboard.press("y")
    page.locator("#partner").get_by_text("proposal 1 of 1").wait_for()
    hands.wait_saved(page)
    (unit,) = units(ann, answer)
    assert len(unit["contributors"]) == 2
    page.keyboard.press("Control+z")
    page.locator("#partner").get_by_text("proposal 1 of 2").wait_for()


def test_a_dismissed_proposal_stays_dismissed_after_a_reload(building, hands):
    page, ann, answer = building
    page.keyboard.press("]")
    page.locator("#partner").get_by_text("proposal 2 of 2").wait_for()
    page.keyboard.press("-")
    page.locator("#partner").get_by_text("proposal 1 of 1").wait_for()
    page.reload()
    page.locator("#partner").get_by_text("proposal 1 of 1").wait_for()
    page.keyboard.press("y")
    page.get_by_text("Every proposal of the machine partner has been decided.").wait_for()
    hands.wait_saved(page)
    assert len(units(ann, answer)) == 1


def test_without_the_partner_nothing_is_proposed(site, page_of):
    project, name = site.project("pyramid", MODELS)
    ann = site.person("annotator", name, "Ann")
    site.assigned(project, ann)
    page = page_of(ann, f"/answers/{ann.next(project)['id']}")
    page.locator("body[data-ready=true]").wait_for()
    expect(page.locator("#partner")).to_be_hidden()


def test_the_overview_compares_work_with_and_without_help(building, site, page_of):
    page, ann, answer = building
    page.keyboard.press("Control+Enter")
    page.get_by_text("Finished and saved.").wait_for()
    project = ann.get(f"/api/answers/{answer}").json()["project_id"]
    overview = page_of(site.admin, f"/projects/{project}")
    row = overview.get_by_role("row", name="with help")
    row.wait_for()
    expect(row.get_by_role("cell").nth(2)).to_have_text("1")
