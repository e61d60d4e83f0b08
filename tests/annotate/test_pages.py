"""Pages are there for those who may see them, with their data, and everything in them is text."""

import json
import re
from html.parser import HTMLParser

import pytest

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028\u202e'\"&amp;{{7*7}}"


class Page(HTMLParser):
    """What a browser makes of a page: elements, and the data that its module is given."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.data, self._inside = [], "", False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self._inside = tag == "script" and dict(attributes).get("id") == "page-data"

    def handle_endtag(self, tag):
        self._inside = False

    def handle_data(self, data):
        if self._inside:
            self.data += data

    @property
    def given(self):
        return json.loads(self.data)


@pytest.fixture
def hostile(sqlite_site):
    """Give an annotator with one pair to judge in which everything is hostile."""
    pair = {"id": HOSTILE, "premise": HOSTILE, "hypothesis": HOSTILE, "category": HOSTILE, "gold": "neutral"}
    project, name = sqlite_site.project("nli", {"p.jsonl": json.dumps(pair)}, note=HOSTILE)
    ann = sqlite_site.person("annotator", name, HOSTILE)
    sqlite_site.assigned(project, ann)
    return sqlite_site, project, ann, ann.next(project)


def paths(project, answer):
    mine = ["/", "/account", f"/projects/{project}/guidelines", f"/answers/{answer['id']}"]
    return mine, ["/users", "/audit", f"/projects/{project}", "/projects/new", f"/items/{answer['item_id']}/adjudicate"]


def test_hostile_text_makes_no_element_on_any_page(hostile):
    site, project, ann, answer = hostile
    ann.save(answer, {"q1": True, "q2": True, "q3": False}, comment=HOSTILE, done=True)
    mine, managed = paths(project, answer)
    for client, path in [*((ann, path) for path in mine), *((site.admin, path) for path in managed + mine[:1])]:
        response = client.get(path)
        assert response.status_code == 200, path
        page = Page(response.text)
        assert not [tag for tag, _ in page.elements if tag == "img"], path
        scripts = [attributes for tag, attributes in page.elements if tag == "script"]
        assert all(
            one.get("src", "").startswith("/static/") or one.get("type") == "application/json" for one in scripts
        )
        assert not any(name.startswith("on") or name == "style" for _, one in page.elements for name in one), path
        assert "49" not in response.text.split("7*7")[0][-3:]


def test_the_data_of_a_page_is_what_the_api_gives(hostile):
    _, project, ann, answer = hostile
    data = Page(ann.get(f"/answers/{answer['id']}").text).given
    assert data["answer"] == ann.get(f"/api/answers/{answer['id']}").json()
    assert data["answer"]["item"]["view"] == {"premise": HOSTILE, "hypothesis": HOSTILE}
    assert data["project"] == ann.get(f"/api/projects/{project}").json()
    assert data["work"] == ann.get(f"/api/projects/{project}/work").json()
    assert data["account"] == ann.get("/api/me").json()


def test_work_leads_to_the_next_answer_and_then_says_that_all_is_done(hostile):
    _, project, ann, answer = hostile
    assert ann.get(f"/projects/{project}/work").headers["location"] == f"/answers/{answer['id']}"
    ann.save(answer, {"q1": True, "q2": True, "q3": False}, done=True)
    assert ann.get(f"/projects/{project}/work").status_code == 200


def test_an_annotator_who_asks_for_the_projects_page_is_sent_to_work(hostile):
    _, project, ann, _ = hostile
    assert ann.get(f"/projects/{project}").headers["location"] == f"/projects/{project}/work"


def test_whoever_is_not_logged_in_comes_back_after_logging_in(sqlite_site):
    response = sqlite_site.nobody().get("/projects/7/work")
    assert (response.status_code, response.headers["location"]) == (303, "/login?next=/projects/7/work")


def test_what_is_not_there_is_a_page_and_not_json(sqlite_site):
    for path in ("/nowhere", "/answers/987654321", "/invitation/none", "/answers/word"):
        response = sqlite_site.admin.get(path)
        assert response.status_code in (404, 422), path
        assert response.headers["content-type"].startswith("text/html")


def test_files_outside_of_the_static_folder_are_not_served(sqlite_site):
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static/templates/base.html"):
        assert sqlite_site.nobody().get(path).status_code == 404


def test_an_error_page_keeps_the_navigation_of_who_is_logged_in(sqlite_site, pairs):
    project, name = sqlite_site.project("nli", {"p.jsonl": pairs})
    ann = sqlite_site.person("annotator", name, "Ann")
    refused = ann.get(f"/projects/{project}/report")
    assert refused.status_code == 403
    assert "Log out" in refused.text
    assert "Log out" not in sqlite_site.nobody().get("/invitation/nonsense").text


def test_who_only_waits_is_not_asked_to_continue(sqlite_site):
    texts = {"S1/a.txt": "Cats sleep.\n", "S1/b.txt": "Dogs bark.\n", "S1/peers/lead.txt": "Cats.\n"}
    project, name = sqlite_site.project("pyramid", texts)
    ann, bob = (sqlite_site.person("annotator", name, who) for who in ("Ann", "Bob"))
    sqlite_site.assigned(project, ann, kind="peer")
    assert "1 of them waits for the pyramid of S1" in ann.get("/").text
    assert not re.search(">(Start|Continue)<", ann.get("/").text)
    sqlite_site.assigned(project, bob, kind="pyramid")
    assert ">Start<" in bob.get("/").text


def test_one_finished_item_is_one(sqlite_site, pairs):
    project, name = sqlite_site.project("nli", {"p.jsonl": pairs.splitlines()[0] + "\n"})
    ann = sqlite_site.person("annotator", name, "Ann")
    sqlite_site.assigned(project, ann)
    ann.save(ann.next(project), {"q1": True, "q2": True, "q3": False}, done=True)
    assert "You have finished the item that was assigned to you." in ann.get(f"/projects/{project}/work").text
