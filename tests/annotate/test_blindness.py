"""Annotators see their own work; reviewers see others' when their own is done; nobody sees another project."""

import io
import json
import zipfile
from importlib.resources import files

import pytest

from touchstone.annotate import answers as saving
from touchstone.annotate.api import managing
from touchstone.annotate.tables import SystemRun

YES = {"q1": True, "q2": False, "q3": False}
NO = {"q1": False, "q2": None, "q3": False}

TRANSLATIONS = "segment\tsystem\thypothesis\treference\n" + "".join(
    f"1\tsystem-{name}\ttranslation {number}\tthe reference\n" for number, name in enumerate(("xylo", "yoyo", "zebu"))
)


@pytest.fixture
def shared(site, pairs):
    """Give a project that Ann and Ben both annotate."""
    project, name = site.project("nli", {"pairs.jsonl": pairs})
    ann, ben = (site.person("annotator", name) for _ in range(2))
    site.assigned(project, ann, ben)
    return site, project, name, ann, ben


def test_an_annotator_does_not_see_anothers_answer_by_any_route(shared):
    _, project, _, ann, ben = shared
    answer = ann.next(project)
    ann.save(answer, YES, done=True, comment="a secret remark")
    base = f"/api/answers/{answer['id']}"
    for path in ("", "/revisions", "/revisions/1", "/file", "/changes", "/feedback", "/reviews"):
        assert ben.get(base + path).status_code == 404, path
    for path, body in (("/check", {"body": NO}), ("/rebase", {}), ("/review", {})):
        assert ben.post(base + path, json=body).status_code == 404, path
    assert ben.get(f"/answers/{answer['id']}").status_code == 404
    assert ben.save(answer, NO).status_code == 404
    seen = [
        ben.get(path).text for path in ("/api/projects", f"/api/projects/{project}", f"/api/projects/{project}/work")
    ]
    assert not any("secret" in text or ann.name in text for text in seen)
    assert ann.name not in json.dumps(ben.next(project))


def test_an_annotator_is_told_nothing_of_where_an_item_comes_from(shared):
    _, project, _, ann, _ = shared
    answer = ann.next(project)
    assert answer["item"] == {
        "id": answer["item_id"],
        "kind": "pair",
        "title": "item 1",
        "view": {"premise": "A cat sleeps.", "hypothesis": "A dog sleeps."},
    }
    assert "contradiction" not in json.dumps(answer)


def test_systems_stay_unnamed_and_their_order_says_nothing(site):
    project, name = site.project("mt", {"x.tsv": TRANSLATIONS}, judgement="ranking")
    ann = site.person("annotator", name)
    site.assigned(project, ann)
    answer = ann.next(project)
    assert [one["label"] for one in answer["item"]["view"]["hypotheses"]] == ["A", "B", "C"]
    texts = [ann.get(f"/api/answers/{answer['id']}").text, ann.get(f"/api/projects/{project}/work").text]
    assert not any("system-" in text for text in texts)


def test_an_item_that_was_not_assigned_cannot_be_opened(shared):
    site, project, name, ann, _ = shared
    other = site.person("annotator", name)
    item = ann.next(project)["item_id"]
    assert other.post(f"/api/items/{item}/answer").status_code == 404
    reviewer = site.person("reviewer", name)
    assert reviewer.post(f"/api/items/{item}/answer").status_code == 403


def test_a_reviewer_who_annotates_too_sees_others_only_afterwards(site, pairs):
    project, name = site.project("nli", {"pairs.jsonl": pairs})
    ann, judge = site.person("annotator", name), site.person("reviewer", name)
    site.assigned(project, ann, judge)
    answer = ann.next(project)
    ann.save(answer, YES, done=True)
    item = answer["item_id"]
    own = judge.post(f"/api/items/{item}/answer").json()
    assert judge.get(f"/api/answers/{answer['id']}").status_code == 404
    assert [one["id"] for one in judge.get(f"/api/items/{item}").json()["answers"]] == [own["id"]]
    assert judge.post(f"/api/items/{item}/adjudication", json={}).status_code == 403
    judge.save(own, NO, done=True)
    assert judge.get(f"/api/answers/{answer['id']}").json()["editable"] is False
    assert len(judge.get(f"/api/items/{item}").json()["answers"]) == 2
    assert judge.save({**answer, "version": 1}, NO).status_code == 403


def test_a_reviewer_sees_neither_hidden_fields_nor_known_answers(shared):
    site, project, name, ann, _ = shared
    reviewer, manager = site.person("reviewer", name), site.person("manager", name)
    item = ann.next(project)["item_id"]
    assert not {"hidden", "known"} & reviewer.get(f"/api/items/{item}").json().keys()
    assert manager.get(f"/api/items/{item}").json()["hidden"]["pair"]["gold"] == "contradiction"


@pytest.mark.parametrize("role", ["annotator", "reviewer", "manager"])
def test_whoever_is_not_in_a_project_finds_nothing_of_it(shared, role):
    site, project, _, ann, _ = shared
    answer = ann.next(project)
    stranger = site.person(role, site.project("nli")[1])
    gets = [f"/api/projects/{project}{path}" for path in ("", "/work", "/qualification")]
    gets += [f"/api/answers/{answer['id']}{path}" for path in ("", "/revisions", "/revisions/0", "/reviews", "/file")]
    gets += [f"/projects/{project}", f"/projects/{project}/work", f"/answers/{answer['id']}"]
    if role != "annotator":
        gets += [f"/api/projects/{project}/items", f"/api/items/{answer['item_id']}"]
    if role == "manager":
        paths = ("members", "progress", "agreement", "export", "audit")
        gets += [f"/api/projects/{project}/{path}" for path in paths]
        changes = [
            ("PATCH", f"/api/projects/{project}", {"version": 1, "name": "mine now"}),
            ("POST", f"/api/projects/{project}/imports", {"files": [{"name": "x", "content": ""}]}),
            ("POST", f"/api/projects/{project}/assignments", {"per_item": 1}),
            ("PATCH", f"/api/projects/{project}/members/{ann.id}", {"role": "manager"}),
            ("DELETE", f"/api/projects/{project}/members/{ann.id}", {}),
            ("POST", f"/api/projects/{project}/qualifications/{ann.id}/reset", {}),
            ("POST", f"/api/projects/{project}/reviews", {"answer_id": answer["id"], "account_id": ann.id}),
        ]
        for method, path, body in changes:
            assert stranger.request(method, path, json=body).status_code == 404, path
    for path in gets:
        assert stranger.get(path).status_code == 404, path
    assert project not in [one["id"] for one in stranger.get("/api/projects").json()["projects"]]
    assert stranger.save(answer, YES).status_code == 404


def test_a_manager_takes_back_duties_only_in_their_own_projects(shared):
    site, _, _, ann, _ = shared
    stranger = site.person("manager", site.project("nli")[1])
    from touchstone.annotate.tables import Assignment

    with site.store.reading() as session:
        duty = session.query(Assignment).filter_by(account_id=ann.id).first().id
    assert stranger.delete(f"/api/assignments/{duty}").status_code == 404
    assert site.admin.delete(f"/api/assignments/{duty}").status_code == 204


def test_whoever_left_a_project_has_left_it(shared):
    site, project, _, ann, _ = shared
    answer = ann.next(project)
    assert site.admin.delete(f"/api/projects/{project}/members/{ann.id}").status_code == 204
    assert ann.get(f"/api/answers/{answer['id']}").status_code == 404
    assert ann.save(answer, YES).status_code == 404


def test_adjudicators_and_exports_see_pseudonyms_and_managers_have_the_key(site, pairs):
    project, name = site.project("nli", {"p.jsonl": pairs})
    people = [site.person("annotator", name, called) for called in ("Ann Lee", "Ben Ray")]
    site.assigned(project, *people)
    for person in people:
        body = {"q1": True, "q2": person is people[0], "q3": False}
        assert person.save(person.next(project), body, done=True).status_code == 200
    item = site.admin.get(f"/api/projects/{project}/items").json()["items"][0]["id"]
    reviewer = site.person("reviewer", name)
    seen = reviewer.get(f"/api/items/{item}")
    histories = [reviewer.get(f"/api/answers/{one['id']}/revisions") for one in seen.json()["answers"]]
    page = reviewer.get(f"/items/{item}/adjudicate")
    content = zipfile.ZipFile(io.BytesIO(site.admin.get(f"/api/projects/{project}/export").content))
    files = [content.read(file).decode() for file in content.namelist()]
    for text in (seen.text, page.text, *(one.text for one in histories), *files, *content.namelist()):
        assert not any(word in text for person in people for word in (*person.name.split(), person.email))
    key = {
        one["name"]: one["pseudonym"] for one in site.admin.get(f"/api/projects/{project}/members").json()["members"]
    }
    numbers = {key[person.name] for person in people}
    assert {one["author"] for one in seen.json()["answers"]} == numbers
    assert {f"annotators/{number}.jsonl" for number in numbers} <= set(content.namelist())
    assert reviewer.get(f"/api/projects/{project}/members").status_code == 403
    named = zipfile.ZipFile(io.BytesIO(site.admin.get(f"/api/projects/{project}/export?names=true").content))
    assert "annotators/Ann-Lee.jsonl" in named.namelist()


def test_a_pseudonym_stays_and_the_project_may_show_names_instead(sqlite_site, pairs):
    site = sqlite_site
    project, name = site.project("nli", {"p.jsonl": pairs}, pseudonyms=False)
    ann = site.person("annotator", name, "Ann")
    site.assigned(project, ann)
    first = [ann.next(project)["author"]]
    key = site.admin.get(f"/api/projects/{project}/members").json()["members"]
    ann.save(ann.next(project), {"q1": True, "q2": True, "q3": False}, done=True)
    ann.next(project)
    assert site.admin.get(f"/api/projects/{project}/members").json()["members"][0]["pseudonym"] == key[0]["pseudonym"]
    item = site.admin.get(f"/api/projects/{project}/items").json()["items"][0]["id"]
    seen = site.person("reviewer", name).get(f"/api/items/{item}").json()
    assert [one["author"] for one in seen["answers"]] == first == ["Ann"]


def test_no_address_shows_a_reviewer_the_names_behind_pseudonyms(sqlite_site):
    site = sqlite_site
    pyramid = files("touchstone.examples") / "pyramid" / "T01.pyr"
    project, name = site.project("pyramid", {"T01.pyr": pyramid.read_bytes()})
    people = [site.person("annotator", name, called) for called in ("Zoltan", "Quincy")]
    site.assigned(project, *people)
    for person in people:
        answer = person.next(project)
        assert person.save(answer, answer["body"], done=True).status_code == 200
    reviewer = site.person("reviewer", name)
    ids = {"project_id": project, "item_id": answer["item_id"], "answer_id": answer["id"], "version": 1}
    routes = [route for route in site.running.app.routes if "GET" in (getattr(route, "methods", None) or ())]
    paths = [
        route.path for route in routes if {part[1:-1] for part in route.path.split("/") if "{" in part} <= set(ids)
    ]
    seen = {path: reviewer.get(f"{path.format(**ids)}?figures=true") for path in paths}
    assert seen["/api/projects/{project_id}/disagreements"].json()["figures"], "the figures name people"
    assert [path for path, said in seen.items() if any(one.name in said.text for one in people)] == []


def names_in(text, people):
    """Return whose name, address or part of a name is in a text."""
    return [one.name for one in people if any(word in text for word in (*one.name.split(), one.email))]


def walked(site, person, ids, answers):
    """Request every route with GET as a person, those about answers for each one; return the texts by address."""
    routes = [route for route in site.running.app.routes if "GET" in (getattr(route, "methods", None) or ())]
    known = {*ids, "answer_id"}
    paths = {one.path for one in routes if {part[1:-1] for part in one.path.split("/") if "{" in part} <= known}
    assert len(paths) > 25
    filled = {path.format(**ids, answer_id=answer) for path in paths for answer in answers}
    return {path: person.get(f"{path}?figures=true").text for path in filled}


def test_no_answer_of_the_server_shows_annotators_or_reviewers_a_name_behind_a_pseudonym(site):
    pyramid = files("touchstone.examples") / "pyramid" / "T01.pyr"
    project, name = site.project("pyramid", {"T01.pyr": pyramid.read_bytes()})
    called = (("annotator", "Zoltan Vex"), ("reviewer", "Quincy Ux"), ("reviewer", "Wolfgang Yz"))
    zoltan, quincy, wolfgang = people = [site.person(role, name, who) for role, who in called]
    site.assigned(project, zoltan, quincy)
    answers = []
    for person in (zoltan, quincy):
        answer = person.next(project)
        assert person.save(answer, answer["body"], done=True).status_code == 200
        answers.append(answer["id"])
    item = answer["item_id"]
    both = {"from_answer_id": answers[1], "against_answer_id": answers[0]}
    texts = {person.id: {} for person in people}

    def asked(person, method, path, **body):
        response = person.request(method, path, json=body)
        assert response.status_code < 500
        texts[person.id][method, path, response.status_code] = response.text
        return response

    last = asked(quincy, "POST", f"/api/items/{item}/adjudication", **both).json()
    whole = {"body": last["body"], "change": "x"}
    assert asked(quincy, "PUT", f"/api/answers/{last['id']}", version=0, key="quincys-1", **whole).status_code == 200
    late = asked(wolfgang, "PUT", f"/api/answers/{last['id']}", version=0, key="wolfgang-1", **whole)
    assert (late.status_code, late.json()["current"]["by"][:9]) == (409, "annotator")
    asked(quincy, "POST", f"/api/items/{item}/adjudication", **both)  # a second round, which the history names
    site.admin.post(f"/api/projects/{project}/reviews", json={"answer_id": answers[0], "account_id": quincy.id})
    review = asked(quincy, "POST", f"/api/answers/{answers[0]}/review").json()
    sent = {"body": {"proposals": [], "decisions": {}}, "done": True}
    assert asked(quincy, "PUT", f"/api/answers/{review['id']}", version=0, key="quincys-2", **sent).status_code == 200
    asked(wolfgang, "POST", f"/api/answers/{answers[1]}/publish")
    for path in (f"/api/answers/{last['id']}/check", f"/api/answers/{answers[0]}/proposals"):
        asked(wolfgang, "POST", path, body=last["body"])
    asked(wolfgang, "POST", f"/api/projects/{project}/next")
    run = {"name": "x", "file": {"name": "x", "content": ""}}
    asked(wolfgang, "POST", f"/api/projects/{project}/runs", **run)
    for person in people:
        ids = {"project_id": project, "item_id": item, "version": 1}
        texts[person.id] |= walked(site, person, ids, (*answers, last["id"], review["id"]))
    for person in people:
        others = [one for one in people if one is not person]
        shown = {where: names_in(text, others) for where, text in texts[person.id].items()}
        assert {where: names for where, names in shown.items() if names} == {}


def test_the_uploader_of_a_run_has_no_name(sqlite_site, pairs):
    site = sqlite_site
    project, name = site.project("nli", {"p.jsonl": pairs})
    uploader = site.person("reviewer", name, "Zoltan Vex")
    with site.store.writing() as session:
        columns = {"file_name": "r", "size": 1, "digest": "d", "content": b"r", "account_id": uploader.id}
        session.add(SystemRun(project_id=project, name="r", **columns))
    seen = site.person("reviewer", name).get(f"/api/projects/{project}/scores")
    assert (seen.status_code, seen.json()["runs"][0]["by"]) == (200, "somebody")


@pytest.fixture
def judging(site, pairs):
    """Give a project that two people have finished, and a reviewer who has to annotate it too."""
    project, name = site.project("nli", {"p.jsonl": pairs})
    ann, ben, judge = site.person("annotator", name), site.person("annotator", name), site.person("reviewer", name)
    site.assigned(project, ann, ben, judge)
    for person, body in ((ann, YES), (ben, NO)):
        while answer := person.next(project):
            assert person.save(answer, body, done=True, unsure=True).status_code == 200
    return site, project, ann, judge


def test_a_reviewer_with_open_items_is_not_told_whether_the_others_agree(judging):
    site, project, _, judge = judging
    own = judge.next(project)
    assert judge.save(own, YES, done=True).status_code == 200
    rows = judge.get(f"/api/projects/{project}/items").json()["items"]
    assert [row["agree"] for row in rows] == [None] * 4
    assert [row["unsure"] for row in rows] == [2, 0, 0, 0]
    queue = judge.get(f"/api/projects/{project}/disagreements?figures=true").json()
    assert ([row["id"] for row in queue["items"]], queue["figures"], queue["blind"]) == ([own["item_id"]], [], 3)
    told = judge.get(f"/api/projects/{project}/items").json()["items"]
    assert [row["agree"] for row in told] == [False, None, None, None]
    stranger = site.admin.get(f"/api/projects/{project}/items").json()["items"]
    assert [row["agree"] for row in stranger] == [False] * 4


@pytest.mark.parametrize(
    "looking",
    [
        "/api/answers/{answer}",
        "/api/items/{item}",
        "/items/{item}/adjudicate",
        "/answers/{answer}",
        "/api/answers/{answer}/revisions/1",
        "/api/projects/{project}/disagreements",
    ],
)
def test_whoever_has_seen_the_answers_of_others_cannot_change_the_own_one(judging, looking):
    _, project, ann, judge = judging
    own = judge.next(project)
    saved = judge.save(own, NO, done=True).json()
    other = ann.get(f"/api/projects/{project}/work").json()["items"][0]
    assert judge.get(f"/api/answers/{own['id']}").json()["editable"], "nothing has been seen yet"
    where = {"answer": other["answer_id"], "item": own["item_id"], "project": project}
    assert judge.get(looking.format(**where)).status_code == 200
    for body, done in ((YES, True), (NO, False)):
        late = judge.save({**own, **saved}, body, done=done)
        assert (late.status_code, late.json()["error"]["code"]) == (409, "finished")
        assert "seen the answers of others" in late.json()["error"]["message"]
    assert judge.get(f"/api/answers/{own['id']}").json()["body"] == NO
    assert judge.get(f"/api/answers/{own['id']}").json()["editable"] is False
    assert judge.get(f"/api/projects/{project}/work").json()["items"][0]["closed"] is True
    again = judge.next(project)
    assert judge.save(again, YES, done=True).status_code == 200, "other items go on"


def test_whoever_has_seen_the_scores_cannot_change_the_own_answers(judging):
    _, project, _, judge = judging
    own = {}
    while answer := judge.next(project):
        saved = judge.save(answer, NO, done=True)
        assert saved.status_code == 200
        own = {**answer, **saved.json()}
    assert judge.get(f"/api/answers/{own['id']}").json()["editable"], "nothing has been seen yet"
    assert judge.get(f"/api/projects/{project}/scores").status_code == 200
    late = judge.save(own, YES, done=True)
    assert (late.status_code, late.json()["error"]["code"]) == (409, "finished")


def test_nobody_sees_the_answers_of_others_while_reopening_the_own_one(judging, monkeypatch):
    _, project, _, judge = judging
    own = judge.next(project)
    saved = judge.save(own, NO, done=True).json()
    read = managing.visible_answers

    def reopened_meanwhile(*given):
        answers = read(*given)
        assert judge.save({**own, **saved}, NO, done=False).status_code == 200
        return answers

    monkeypatch.setattr(managing, "visible_answers", reopened_meanwhile)
    refused = judge.get(f"/api/items/{own['item_id']}")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "reopened")
    monkeypatch.undo()
    assert judge.get(f"/api/items/{own['item_id']}").json()["answers"][0]["id"] == own["id"]
    assert judge.save({**own, "version": saved["version"] + 1}, YES, done=True).status_code == 200


def test_nobody_reopens_the_own_answer_while_looking_at_those_of_others(judging, monkeypatch):
    _, project, _, judge = judging
    own = judge.next(project)
    saved = judge.save(own, NO, done=True).json()
    check = saving._check

    def seen_meanwhile(*given):
        check(*given)
        assert len(judge.get(f"/api/items/{own['item_id']}").json()["answers"]) == 3

    monkeypatch.setattr(saving, "_check", seen_meanwhile)
    refused = judge.save({**own, **saved}, NO, done=False)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "finished")
    monkeypatch.undo()
    answer = judge.get(f"/api/answers/{own['id']}").json()
    assert (answer["version"], answer["done"], answer["editable"]) == (saved["version"], True, False)


def test_an_answer_can_be_changed_after_a_review_that_a_manager_asked_for(judging):
    site, project, ann, judge = judging
    own = judge.next(project)
    saved = judge.save(own, NO, done=True).json()
    other = ann.get(f"/api/projects/{project}/work").json()["items"][0]["answer_id"]
    asked = {"answer_id": other, "account_id": judge.id}
    assert site.admin.post(f"/api/projects/{project}/reviews", json=asked).status_code == 201
    assert judge.post(f"/api/answers/{other}/review").status_code == 201
    assert judge.save({**own, **saved}, YES, done=True).status_code == 200


def test_an_annotator_who_has_finished_may_change_the_answer(judging):
    _, project, ann, _ = judging
    first = ann.get(f"/api/projects/{project}/work").json()["items"][0]["answer_id"]
    answer = ann.get(f"/api/answers/{first}").json()
    assert ann.save(answer, NO, done=True).status_code == 200
