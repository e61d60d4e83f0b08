"""Texts keep their line breaks and their indentation wherever people read them."""

import json

import pytest

from .test_manage import answer

TEXT = "def f(x):\n    return x\n\nThat is all."
OTHER = "One line,\nand another."


def opened(site, page_of, task, rows, **settings):
    """Give the pages on which an annotator, and then an adjudicator, read the first item."""
    files = {"rows.jsonl": "".join(json.dumps(row) + "\n" for row in rows)}
    project, name = site.project(task, files, **settings)
    person = site.person("annotator", name)
    site.assigned(project, person)
    item = site.admin.get(f"/api/projects/{project}/items").json()["items"][0]["id"]
    for who, path in ((person, f"/projects/{project}/work"), (site.admin, f"/items/{item}/adjudicate")):
        page = page_of(who, path)
        page.locator("#questions legend").first.wait_for()
        yield page


def shown(page, selector):
    """Return texts as they are drawn, with the line breaks and blanks that can be seen."""
    return page.locator(selector).all_inner_texts()


@pytest.mark.parametrize("judgement", ["ratings", "ranking"])
def test_outputs_of_systems_and_references(site, page_of, judgement):
    about = {"segment": "1", "references": [OTHER], "source": TEXT}
    rows = [{**about, "system": "a", "hypothesis": TEXT}, {**about, "system": "b", "hypothesis": OTHER}]
    for page in opened(site, page_of, "mt", rows, judgement=judgement):
        texts = shown(page, ".passage .text")
        assert texts[:2] == [TEXT, OTHER]
        judged = shown(page, ".hypothesis [dir=auto]") if judgement == "ranking" else texts[2:]
        assert set(judged) <= {TEXT, OTHER}
        assert judged


def test_pairs_and_sentences(site, page_of):
    pair = {"id": "1", "premise": TEXT, "hypothesis": OTHER}
    for page in opened(site, page_of, "nli", [pair]):
        assert shown(page, ".passage .text") == [TEXT, OTHER]
    sentence = {"id": "1", "target": "line", "pos": "n", "left": "One\n  ", "head": "line", "right": OTHER}
    for page in opened(site, page_of, "lexsub", [sentence]):
        assert shown(page, ".sentence") == [f"One\n   line {OTHER}"]


def test_a_ranking_beside_the_prepared_one(site, page_of):
    about = {"segment": "1", "references": [OTHER]}
    rows = [
        {**about, "system": name, "hypothesis": text, "rank": n}
        for n, (name, text) in enumerate((("a", TEXT), ("b", OTHER)), 1)
    ]
    project, name = site.project("mt", judgement="ranking")
    site.imported(project, {"r.jsonl": "".join(json.dumps(row) + "\n" for row in rows)}, purpose="training")
    person = site.person("annotator", name)
    made = person.next(project)
    ranks = {one["label"]: place for place, one in enumerate(made["item"]["view"]["hypotheses"], 1)}
    assert person.save(made, {"ranks": ranks}, done=True).status_code == 200
    page = page_of(person, f"/answers/{made['id']}/feedback")
    page.locator("#item .text").first.wait_for()
    assert {text[3:] for text in shown(page, "#item > .text")} == {TEXT, OTHER}


def test_comments_beside_an_answer(site, pairs, page_of):
    project, name = site.project("nli", {"pairs.jsonl": pairs})
    ann, bob = (site.person("annotator", name, who) for who in ("Ann", "Bob"))
    site.assigned(project, ann, bob)
    answer(bob, project, "c")
    first = ann.next(project)
    ann.save(first, {"q1": True, "q2": True, "q3": False}, done=True, comment=TEXT)
    page = page_of(site.admin, f"/items/{first['item_id']}/adjudicate")
    page.locator(".answer dd").first.wait_for()
    assert TEXT in shown(page, ".answer dd")


def test_summaries_and_peers(site, page_of):
    texts = {"dam/m1.txt": TEXT, "dam/m2.txt": OTHER, "dam/peers/lead.txt": TEXT}
    project, name = site.project("pyramid", texts)
    person = site.person("annotator", name)
    site.assigned(project, person, kind="pyramid")
    page = page_of(person, f"/projects/{project}/work")
    page.locator("body[data-ready]").wait_for()
    assert shown(page, ".summary .line:not(.blank)") == [
        *(line for line in TEXT.split("\n") if line),
        *OTHER.split("\n"),
    ]
