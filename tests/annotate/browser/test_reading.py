"""What people read: on a phone, in a project where little has happened, and after a mistake."""

import json

import pytest
from playwright.sync_api import expect

PHONE = {"width": 390, "height": 844}
TRANSLATIONS = "segment\tsystem\thypothesis\treference\n" + "".join(
    f"1\tsystem {name}\tThe committee will decide {name} whether the school gets a new roof.\tThe committee decides.\n"
    for name in ("today", "soon", "late")
)


def too_wide(page):
    """Say whether a page is wider than its window."""
    return page.evaluate("document.documentElement.scrollWidth > innerWidth")


@pytest.fixture
def ratings(site):
    """Give a project in which two people rated the first translation differently, and its first item."""
    project, name = site.project("mt", {"rows.tsv": TRANSLATIONS}, judgement="ratings")
    people = [site.person("annotator", name, who) for who in ("Ann", "Bob")]
    site.assigned(project, *people)
    for adequacy, person in zip((4, 2), people, strict=True):
        assert person.save(person.next(project), {"adequacy": adequacy, "fluency": 5}, done=True).status_code == 200
    return project, site.admin.get(f"/api/projects/{project}/items").json()["items"][0]["id"]


def test_an_open_comment_fits_on_a_phone(site, pairs, page_of):
    project, name = site.project("nli", {"pairs.jsonl": pairs})
    ann = site.person("annotator", name, "Ann")
    site.assigned(project, ann)
    page = page_of(ann, f"/projects/{project}/work", viewport=PHONE)
    page.locator("#comment-box summary").click()
    page.locator("#comment").wait_for()
    assert not too_wide(page)


def test_translations_to_rank_have_the_width_of_a_phone(site, page_of):
    project, name = site.project("mt", {"rows.tsv": TRANSLATIONS}, judgement="ranking", at_once=3)
    ann = site.person("annotator", name, "Ann")
    site.assigned(project, ann)
    page = page_of(ann, f"/projects/{project}/work", viewport=PHONE)
    text = page.locator(".hypothesis").first
    text.wait_for()
    assert text.bounding_box()["width"] > PHONE["width"] * 2 / 3
    assert not too_wide(page)


def test_a_new_project_asks_for_the_size_of_a_ranking_only_where_translations_are_ranked(site, page_of):
    page = page_of(site.admin, "/projects/new", viewport=PHONE)
    size = page.get_by_label("Translations in a ranking")
    page.get_by_role("radio", name="Translations").check()
    expect(page.get_by_label("What is asked")).to_be_visible()
    expect(size).to_be_hidden()
    assert not too_wide(page)
    page.get_by_label("What is asked").select_option("ranking")
    expect(size).to_be_visible()


def test_ratings_to_adjudicate_are_named_as_the_form_names_them(ratings, site, page_of):
    page = page_of(site.admin, f"/items/{ratings[1]}/adjudicate")
    page.get_by_role("heading", name="annotator-").first.wait_for()
    differing = page.locator(".answers .differs")
    assert sorted(differing.all_inner_texts()) == ["2, little", "4, most"]


def test_the_overview_says_which_question_each_table_of_annotators_is_about(ratings, site, page_of):
    page = page_of(site.admin, f"/projects/{ratings[0]}#overview")
    for question in ("Adequacy", "Fluency"):
        page.get_by_role("heading", name=question).wait_for()


def test_an_empty_project_says_what_comes_first(site, page_of):
    project, _ = site.project("nli")
    page = page_of(site.admin, f"/projects/{project}#overview")
    page.get_by_text("There are no items yet: import files under Import.").wait_for()
    page.get_by_role("link", name="Items").click()
    page.get_by_text("There are no items for this purpose yet").wait_for()
    page.get_by_label("Show").select_option("Adjudicated")
    page.get_by_text("No item matches.").wait_for()


def test_a_refused_import_names_every_fault(site, page_of):
    project, _ = site.project("nli")
    rows = [{"id": "1", "premise": "A cat sleeps."}, {"id": "2", "hypothesis": "A dog sleeps."}]
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    page = page_of(site.admin, f"/projects/{project}#import")
    given = {"name": "pairs.jsonl", "mimeType": "text/plain", "buffer": content}
    page.get_by_label("Files").set_input_files([given])
    page.get_by_role("button", name="Import").click()
    page.get_by_text("Nothing was imported: 2 faults.").wait_for()
    faults = page.locator("[data-part=import] li").all_inner_texts()
    assert faults == ["pairs.jsonl:1: a pair needs a hypothesis", "pairs.jsonl:2: a pair needs a premise"]


def test_an_archived_project_says_so_on_its_page(site, page_of):
    project, _ = site.project("nli")
    version = site.admin.get(f"/api/projects/{project}").json()["version"]
    site.admin.patch(f"/api/projects/{project}", json={"version": version, "archived": True})
    page = page_of(site.admin, f"/projects/{project}#import")
    page.get_by_text("it can be read and exported, but not changed. Settings and export restores it").wait_for()
