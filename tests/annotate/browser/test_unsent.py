"""After an outage everything that waits in a browser goes at once, from whatever page is open."""

import pytest
from playwright.sync_api import expect

from touchstone.annotate.projects import add_member, project_named
from touchstone.annotate.tables import Account

from ..conftest import account_actor
from .test_forms import CONTRADICTION, ENTAILMENT, NEUTRAL, all_saved, at_item, press

KEYS = (CONTRADICTION, ENTAILMENT, NEUTRAL)
LATER = 45_000
"""Milliseconds after which an answer that cannot be sent is tried at the longest intervals."""


@pytest.fixture
def person(site, pairs):
    """Give somebody with four pairs to annotate; `project` is its id."""
    project, name = site.project("nli", {"pairs.jsonl": pairs})
    made = site.person("annotator", name)
    made.project = project
    site.assigned(project, made)
    return made


class Outage:
    """A server that cannot be reached, for requests to answers: the browser itself is online."""

    def __init__(self, page, methods=("PUT",)):
        self.page, self.methods, self.over, self.failed, self.done = page, methods, False, 0, 0
        page.route("**/api/answers/*", self._answered)

    def _answered(self, route):
        if self.over or route.request.method not in self.methods:
            self.done += self.over and route.request.method == "PUT"
            route.continue_()
        else:
            self.failed += 1
            route.abort()


def done(person):
    """Say which items the server has as done."""
    return [item["done"] for item in person.get(f"/api/projects/{person.project}/work").json()["items"]]


def answered(page, keys=KEYS, between=lambda: None):
    for number, said in enumerate(keys, 1):
        at_item(page, number)
        press(page, *said, "Enter")
        between()
    at_item(page, len(keys) + 1)


@pytest.fixture
def left_behind(page_of, person, wait_until):
    """Give a function that answers three items, loses their saves, and returns the context of that browser."""

    def left(lost=lambda route: route.abort()):
        over = []

        def losing(route):
            lost(route)
            over.append(route.request.url)

        page = page_of(person, f"/projects/{person.project}/work")
        page.context.route("**/api/answers/*", losing)
        answered(page)
        page.wait_for_function("() => document.getElementById('save-state').textContent.startsWith('No connection: 3')")
        wait_until(
            page, lambda: len(set(over)) == len(KEYS)
        )  # a save that is still under way may reach the server later
        page.goto("about:blank")  # what the page sends when it is left is lost too
        page.close()
        page.context.unroute("**/api/answers/*")
        assert done(person) == [False] * 4
        return page.context

    return left


def test_the_first_answer_that_gets_through_takes_all_others_along(person, page_of):
    page = page_of(person, "/")
    page.clock.install()
    outage = Outage(page)
    page.goto(f"/projects/{person.project}/work")
    answered(page, between=lambda: page.clock.run_for(LATER))
    page.wait_for_function("() => document.getElementById('save-state').textContent.startsWith('No connection: 3')")
    page.clock.pause_at(page.evaluate("Date.now()") + 1000)
    outage.over = True
    while not outage.done:
        page.clock.run_for(500)
    expect(page.locator("#save-state")).to_have_text("Saved")  # without any more time
    assert done(person) == [True, True, True, False]


def test_answers_of_an_earlier_visit_wait_for_the_server_without_a_reload(person, left_behind):
    context = left_behind()
    page = context.new_page()
    outage = Outage(page, ("GET", "PUT"))
    page.goto(f"/projects/{person.project}/work")
    at_item(page, 1)
    press(page, "1")
    page.wait_for_function("() => document.getElementById('save-state').textContent.startsWith('No connection')")
    outage.over = True
    page.evaluate("dispatchEvent(new Event('online'))")
    page.wait_for_function("() => document.getElementById('progress-text').textContent === '2 of 4 done'")
    all_saved(page)
    assert done(person) == [False, True, True, False]  # the first was changed since, and is open again


def test_the_first_page_says_what_is_stored_in_the_browser_and_sends_it(person, left_behind):
    context = left_behind()
    page = context.new_page()
    outage = Outage(page, ("GET", "PUT"))
    page.goto("/")
    card = page.locator("#unsent")
    expect(card).to_contain_text("3 answers are stored in this browser, and not yet on the server.")
    outage.over = True
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(card).to_contain_text("3 answers that were stored in this browser are now on the server.")
    assert done(person) == [True, True, True, False]
    expect(page.get_by_text("3 of 4 done")).to_be_visible()
    page.reload()
    page.get_by_text("3 of 4 done").wait_for()
    expect(card).to_be_hidden()


def only_responses_are_lost(route):
    """Let the first save of a page reach the server, but not its acknowledgement, and lose all others."""
    if route.request.post_data_json["version"] == 0 and route.request.url.endswith("/1"):
        route.fetch()
    route.abort()


@pytest.mark.parametrize("lost", [lambda route: route.abort(), only_responses_are_lost], ids=["requests", "responses"])
def test_the_first_page_leads_to_an_answer_that_was_changed_elsewhere_meanwhile(person, lost, left_behind):
    context = left_behind(lost)
    first = person.get("/api/answers/1").json()
    assert first["version"] == (lost is only_responses_are_lost)
    assert person.save(first, {"q1": True, "q2": True, "q3": True}).is_success
    page = context.new_page()
    page.goto("/")
    link = page.locator("#unsent").get_by_role("link", name="Item 1")
    link.wait_for()
    expect(page.locator("#unsent")).to_contain_text("2 answers that were stored in this browser are now on the server.")
    link.click()
    dialog = page.get_by_role("dialog", name="Two versions of item 1")
    dialog.get_by_role("button", name="Keep mine").click()
    all_saved(page)
    assert person.get("/api/answers/1").json()["body"]["q1"] is False
    page.goto("/")
    page.get_by_text("of 4 done").wait_for()
    expect(page.locator("#unsent")).to_be_hidden()


def test_the_first_page_says_what_the_server_refuses(site, person, left_behind):
    context = left_behind()
    last = site.admin.post("/api/items/2/adjudication", json={"from_answer_id": None}).json()
    assert site.admin.save(last, {"q1": True, "q2": True, "q3": True}, done=True).is_success
    page = context.new_page()
    page.goto("/")
    card = page.locator("#unsent")
    expect(card).to_contain_text("2 answers that were stored in this browser are now on the server.")
    expect(card).to_contain_text("Item 2: not saved: this item has been adjudicated")


def test_another_page_of_work_sends_what_belongs_to_another_project(site, person, left_behind):
    context = left_behind()
    other, name = site.project("pyramid", {"S1/a.txt": "Cats sleep.\n", "S1/b.txt": "Dogs bark.\n"})
    with site.store.writing() as session:
        actor = account_actor(session.get(Account, site.admin.id))
        add_member(session, actor, project_named(session, name), person.id, "annotator")
    site.assigned(other, person)
    page = context.new_page()
    page.goto(f"/answers/{person.next(other)['id']}")
    page.locator("body[data-ready]").wait_for()
    page.wait_for_function("() => !Object.keys(localStorage).some((name) => name.startsWith('touchstone:unsent'))")
    assert done(person) == [True, True, True, False]


FULL = {"error": {"code": "disk_full", "message": "the disk of the server is full"}}


def full(route):
    """Refuse what would be written, as a server with a full disk does."""
    if route.request.method == "PUT":
        route.fulfill(status=503, json=FULL)
    else:
        route.continue_()


def test_a_full_disk_of_the_server_is_not_called_a_lost_connection(person, page_of):
    page = page_of(person, f"/projects/{person.project}/work")
    page.route("**/api/answers/*", full)
    at_item(page, 1)
    press(page, "1")
    expect(page.locator("#save-state")).to_have_text("The disk of the server is full: one answer is kept here")
    page.unroute("**/api/answers/*")
    page.evaluate("dispatchEvent(new Event('online'))")
    all_saved(page)


def test_the_page_of_a_pyramid_says_that_the_disk_is_full_too(site, page_of, hands):
    project, name = site.project("pyramid", {"S1/a.txt": "Cats sleep.\n", "S1/b.txt": "Dogs bark.\n"})
    somebody = site.person("annotator", name)
    site.assigned(project, somebody)
    page = page_of(somebody, f"/projects/{project}/work")
    page.locator("body[data-ready]").wait_for()
    page.route("**/api/answers/*", full)
    hands.select(page, "sleep")
    page.keyboard.press("Enter")
    expect(page.locator("#saved")).to_have_text("The disk of the server is full: your work is stored in this browser")
    page.unroute("**/api/answers/*")
    page.evaluate("dispatchEvent(new Event('online'))")
    hands.wait_saved(page)
