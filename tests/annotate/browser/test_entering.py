"""Entering a project: the button says what it does, the guidelines come first, and what is closed says so."""

import json

import pytest
from playwright.sync_api import expect

from touchstone.annotate.projects import add_member, project_named
from touchstone.annotate.tables import Account

from ..conftest import account_actor
from .test_forms import NEUTRAL, all_saved, at_item, press

TEXTS = {"S1/a.txt": "Cats sleep.\n", "S1/b.txt": "Dogs bark.\n"}
SENTENCE = json.dumps({"id": "1", "target": "bright", "pos": "a", "left": "A", "head": "bright", "right": "day."})


def project_of(site, task, files, **settings):
    """Give a project and somebody to whom its items are assigned."""
    project, name = site.project(task, files, **settings)
    person = site.person("annotator", name, name="Ann")
    site.assigned(project, person)
    return project, person


def test_the_button_says_start_before_the_first_answer_and_continue_afterwards(site, pairs, page_of):
    _, person = project_of(site, "nli", {"pairs.jsonl": pairs})
    page = page_of(person, "/")
    page.get_by_role("link", name="Start", exact=True).click()
    at_item(page, 1)
    page.goto("/")
    expect(page.get_by_role("link", name="Start", exact=True)).to_be_visible()  # an item was only opened
    page.get_by_role("link", name="Start", exact=True).click()
    at_item(page, 1)
    press(page, *NEUTRAL, "Enter")
    at_item(page, 2)
    all_saved(page)
    page.goto("/")
    page.get_by_role("link", name="Continue", exact=True).click()
    at_item(page, 2)


@pytest.mark.parametrize(
    ("task", "files", "title"),
    [("lexsub", {"s.jsonl": SENTENCE}, "Substitutes"), ("pyramid", TEXTS, "Pyramids")],
)
def test_the_guidelines_are_shown_at_the_first_entry_only_and_can_be_opened_again(site, page_of, task, files, title):
    project, person = project_of(site, task, files, note="Take your time.")
    page = page_of(person, f"/projects/{project}/work", knows_guidelines=False)
    dialog = page.get_by_role("dialog", name="Guidelines")
    expect(dialog).to_contain_text("Take your time.")
    expect(dialog.get_by_role("heading").first).to_be_visible()
    page.reload()
    expect(dialog).to_be_visible()  # nobody has read them yet
    press(page, "Enter")
    expect(dialog).to_be_hidden()
    page.reload()
    page.locator("body[data-ready], #questions legend").first.wait_for()
    expect(dialog).to_be_hidden()
    page.get_by_role("button", name="Guidelines").click()
    expect(dialog).to_be_visible()
    press(page, "Escape")
    press(page, "g")
    expect(dialog).to_be_visible()


def test_who_has_read_the_page_of_the_guidelines_or_has_answered_is_not_shown_them_again(site, pairs, page_of):
    project, person = project_of(site, "nli", {"pairs.jsonl": pairs})
    page = page_of(person, f"/projects/{project}/guidelines", knows_guidelines=False)
    page.get_by_role("link", name="Start annotating").click()
    at_item(page, 1)
    expect(page.get_by_role("dialog")).to_be_hidden()
    press(page, *NEUTRAL)
    all_saved(page)
    elsewhere = page_of(person, f"/projects/{project}/work", knows_guidelines=False)  # a browser that knows nothing
    at_item(elsewhere, 1)
    expect(elsewhere.get_by_role("dialog")).to_be_hidden()


def test_another_project_shows_its_own_guidelines_and_another_person_theirs(site, pairs, page_of):
    project, person = project_of(site, "nli", {"pairs.jsonl": pairs})
    page = page_of(person, f"/projects/{project}/work", knows_guidelines=False)
    dialog = page.get_by_role("dialog", name="Guidelines")
    dialog.get_by_role("button", name="Close").click()
    second, name = site.project("nli", {"pairs.jsonl": pairs})
    with site.store.writing() as session:
        actor = account_actor(session.get(Account, site.admin.id))
        add_member(session, actor, project_named(session, name), person.id, "annotator")
    site.assigned(second, person)
    page.goto(f"/projects/{second}/work")
    expect(dialog).to_be_visible()


@pytest.mark.parametrize(("task", "files"), [("pyramid", TEXTS), ("lexsub", {"s.jsonl": SENTENCE})])
def test_the_work_of_an_archived_project_says_that_it_is_closed(site, page_of, task, files):
    project, person = project_of(site, task, files)
    answer = person.next(project)
    page = page_of(person, f"/answers/{answer['id']}")
    page.locator("body[data-ready], #questions legend").first.wait_for()
    expect(page.get_by_text("can only be read")).to_be_hidden()
    version = site.admin.get(f"/api/projects/{project}").json()["version"]
    assert site.admin.patch(f"/api/projects/{project}", json={"version": version, "archived": True}).is_success
    page.reload()
    expect(page.get_by_text("This answer can only be read: the project is archived.")).to_be_visible()


def test_an_adjudicated_pyramid_says_that_it_is_closed(site, page_of):
    project, person = project_of(site, "pyramid", TEXTS)
    answer = person.next(project)
    assert person.save(answer, answer["body"], done=True).is_success
    last = site.admin.post(f"/api/items/{answer['item_id']}/adjudication", json={"from_answer_id": answer["id"]}).json()
    assert site.admin.save(last, last["body"], done=True).is_success
    page = page_of(person, f"/answers/{answer['id']}")
    expect(page.get_by_text("This answer can only be read: this item has been adjudicated.")).to_be_visible()
    expect(page.get_by_role("button", name="Reopen")).to_be_hidden()
    expect(page.get_by_text("No units.", exact=True)).to_be_visible()  # and not how to make one
