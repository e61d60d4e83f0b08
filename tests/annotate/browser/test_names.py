"""One name for one person on all pages, and one name for one button."""

import io
import re
import zipfile

import pytest
from playwright.sync_api import expect

from .test_manage import answer

TEXTS = {"dam/m1.txt": "The dam broke.\n", "dam/m2.txt": "A dam broke in May.\n"}
NAMES = {"Ann", "Bob"}


@pytest.fixture
def differing(site, pairs):
    """Give a function that makes a project in which Ann and Bob differ."""

    def made(**settings):
        project, name = site.project("nli", {"pairs.jsonl": pairs}, **settings)
        people = [site.person("annotator", name, name=who) for who in sorted(NAMES)]
        site.assigned(project, *people)
        answer(people[0], project, "c", "e", "n", "e")
        answer(people[1], project, "c", "e", "e", "n")
        return project

    return made


def names_on(page):
    """Return the names and pseudonyms that a page shows outside of its head."""
    text = page.locator("main").inner_text()
    closed = page.locator("main details li").all_text_contents()
    return set(re.findall(r"\b(?:Ann|Bob|annotator-\d+)\b", " ".join([text, *closed])))


def names_by_page(page, project, item):
    """Return the names on the overview, in the list of items and on the page of adjudication."""
    found = {}
    for path, ready in (
        (f"/projects/{project}#overview", page.get_by_role("region", name="Annotators:")),
        (f"/projects/{project}#items", page.get_by_role("link", name="Open item 4")),
        (f"/items/{item}/adjudicate", page.locator("#answers h3").nth(1)),
    ):
        page.goto("about:blank")
        page.goto(path)
        ready.wait_for()
        page.locator("main table, #answers").first.wait_for()
        found[path.rpartition("/")[2]] = names_on(page)
    return found


@pytest.mark.parametrize("pseudonyms", [True, False])
def test_overview_items_and_adjudication_call_people_by_the_same_names(site, differing, page_of, pseudonyms):
    project = differing(pseudonyms=pseudonyms)
    item = site.admin.get(f"/api/projects/{project}/items").json()["items"][2]["id"]
    members = site.admin.get(f"/api/projects/{project}/members").json()["members"]
    hidden = {one["pseudonym"] for one in members if one["name"] in NAMES}
    page = page_of(site.admin)
    expected = hidden if pseudonyms else NAMES
    assert list(names_by_page(page, project, item).values()) == [expected] * 3
    page.goto(f"/projects/{project}#people")
    page.get_by_role("cell", name="Ann").first.wait_for()
    assert names_on(page) >= NAMES | hidden  # People says who is who


def pyramids(site):
    """Give a pyramid that Ann and Bob built, adjudicated: the project and the item."""
    project, name = site.project("pyramid", TEXTS)
    people = [site.person("annotator", name, name=who) for who in sorted(NAMES)]
    site.assigned(project, *people)
    for person in people:
        made = person.next(project)
        assert person.save(made, made["body"], done=True).is_success
    path = f"/api/items/{made['item_id']}/adjudication"
    last = site.admin.post(path, json={"from_answer_id": made["id"]}).json()
    assert site.admin.save(last, last["body"], done=True).is_success
    return project, made["item_id"]


def test_each_button_on_the_page_of_an_item_has_a_name_of_its_own(site, page_of):
    _, item = pyramids(site)
    page = page_of(site.admin, f"/items/{item}/adjudicate")
    buttons = page.locator("#answers").get_by_role("button")
    expect(page.locator("#answers section")).to_have_count(3)
    names = [one.get_attribute("aria-label") or one.inner_text() for one in buttons.all()]
    names += [one.get_attribute("aria-label") for one in page.locator("#answers").get_by_role("link").all()]
    assert len(set(names)) == len(names), names
    published = [name for name in names if name.startswith("Publish")]
    assert len(published) == 3
    page.get_by_role("button", name="Publish the adjudicated pyramid").click()
    page.get_by_text("Published to 0 peers").wait_for()


def test_who_wrote_an_answer_is_not_asked_to_review_it(site, page_of):
    _, item = pyramids(site)
    page = page_of(site.admin, f"/items/{item}/adjudicate")
    for card in page.locator("#answers section", has=page.get_by_text("Partner review")).all():
        author = card.get_by_role("heading").inner_text()
        card.get_by_text("Partner review").click()
        choice = card.get_by_role("combobox")
        expect(choice.locator("option")).not_to_have_count(0)
        assert author.startswith("annotator-")
        assert author not in choice.locator("option").all_inner_texts()
        assert not set(choice.locator("option").all_inner_texts()) & NAMES


def test_the_export_names_the_command_only_for_files_that_are_in_it(site, page_of):
    project, _ = pyramids(site)
    told = zipfile.ZipFile(io.BytesIO(site.admin.get(f"/api/projects/{project}/export").content))
    text = told.read("README.txt").decode()
    assert "gold/dam.pyr" in told.namelist()
    assert ".pan" not in text
    assert "no annotated peers" in text
    page = page_of(site.admin, f"/projects/{project}#settings")
    expect(page.get_by_text("once peers are annotated")).to_be_visible()
