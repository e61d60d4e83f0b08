"""The second look at a pyramid: partner review, and the feedback that a newcomer gets on a training sample."""

import re
from importlib.resources import files

import pytest
from playwright.sync_api import expect

EXAMPLES = files("touchstone.examples") / "pyramid"
MODELS = {f"S1/{name}.txt": f"Cats {name} sleep all day. They purr at night. Dogs bark.\n" for name in "abcd"}


@pytest.fixture
def finished(site, page_of, hands):
    """Give a finished pyramid of two units, its author, and a reviewer of the same project."""
    project, name = site.project("pyramid", MODELS)
    ann = site.person("annotator", name, "Ann")
    site.assigned(project, ann)
    ann.answer = ann.next(project)["id"]
    page = page_of(ann, f"/answers/{ann.answer}")
    for words in ("They purr at night", "Dogs bark"):
        hands.select(page, words)
        page.click("#make")
    page.click("#finish")
    page.get_by_text("Finished and saved").wait_for()
    return ann, site.person("reviewer", name, "Rea"), page


def test_a_reviewer_accepts_comments_and_proposes_and_the_author_decides(finished, page_of, hands, figure, wait_until):
    ann, rea, author = finished
    review = rea.post(f"/api/answers/{ann.answer}/review").json()
    page = page_of(rea, f"/answers/{review['id']}")
    hands.unit(page, "Dogs bark").focus()
    page.keyboard.press("y")
    hands.unit(page, "They purr").focus()
    page.keyboard.press("c")
    page.keyboard.type("who purrs?")
    page.keyboard.press("Control+Enter")
    hands.unit(page, "They purr").focus()
    page.keyboard.press("r")
    page.keyboard.press("Control+a")
    page.keyboard.type("Cats purr at night")
    page.keyboard.press("Enter")
    page.click("#propose")
    page.keyboard.type("say who")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".proposal .tag")).to_have_text(["comment", "proposal", "accepted"])
    expect(page.locator(".unit .label")).to_have_text(["They purr at night", "Dogs bark"])
    hands.wait_saved(page)
    figure(page, "review")
    page.click("#finish")
    page.get_by_role("button", name="Send", exact=True).click()
    page.get_by_text("This review was sent; its author decides").wait_for()
    author.reload()
    author.get_by_text(re.compile(r"Reviewed by annotator-\d+: 2 to decide on")).wait_for()
    figure(author, "decide")
    author.get_by_role("button", name="Take", exact=True).click()
    author.get_by_role("button", name="Reply").click()
    author.keyboard.type("the cats")
    author.keyboard.press("Control+Enter")
    author.get_by_text("0 to decide on").wait_for()
    hands.wait_saved(author)
    answer = ann.get(f"/api/answers/{ann.answer}").json()
    assert [unit["label"] for unit in answer["body"]["units"]] == ["Cats purr at night", "Dogs bark"]
    assert answer["done"]
    decided = {"p2": {"taken": None, "reply": "the cats"}, "p3": {"taken": True, "reply": ""}}
    # The page of the author does not say when the server has the decisions.
    wait_until(author, lambda: rea.get(f"/api/answers/{review['id']}").json()["body"]["decisions"] == decided)
    page.reload()
    page.get_by_text("author: taken").wait_for()
    page.get_by_text("the cats").wait_for()


def test_a_finished_pyramid_is_read_only_until_it_is_reopened(finished, hands):
    _, _, page = finished
    closed = page.get_by_text("This answer is finished and can only be read until you reopen it.")
    expect(closed).to_be_visible()
    page.reload()
    expect(closed).to_be_visible()
    page.locator("body[data-ready]").wait_for()
    hands.select(page, "sleep")
    page.keyboard.press("Enter")
    expect(page.locator("pyramid-units .unit")).to_have_count(2)
    page.get_by_role("button", name="Reopen").click()
    expect(page.locator("#finish")).to_have_text("Finish")
    expect(closed).to_be_hidden()
    hands.wait_saved(page)
    hands.select(page, "sleep")
    page.keyboard.press("Enter")
    expect(page.locator("pyramid-units .unit")).to_have_count(3)


@pytest.mark.parametrize("name", ["T01.pyr", "eve.T01.M.60.A.heron.pan"])
def test_a_newcomer_sees_the_prepared_answer_beside_the_own_one(site, page_of, hands, figure, name):
    project, called = site.project("pyramid")
    site.imported(project, {name: (EXAMPLES / name).read_bytes()}, purpose="training")
    ann = site.person("annotator", called, "Ann")
    site.assigned(project, ann)
    page = page_of(ann, f"/answers/{ann.next(project)['id']}")
    if name.endswith(".pyr"):
        hands.select(page, "cracks in two pillars")
        page.click("#make")
    else:
        hands.select(page, "cracks in its pillars")
        page.keyboard.press("Enter")
        page.keyboard.type("pillars")
        page.keyboard.press("Enter")
    hands.wait_saved(page)
    page.click("#finish")
    dialog = page.get_by_role("dialog", name="Your answer and the prepared one")
    dialog.wait_for()
    figure(page, f"feedback-{'pyramid' if name.endswith('.pyr') else 'peer'}")
    verdicts = dialog.locator("tbody .tag").all_inner_texts()
    assert verdicts.count("missed") > 3
    assert set(verdicts) <= {"hit", "missed", "extra"}
    assert len(dialog.locator("tbody tr").all()) == len(verdicts)
