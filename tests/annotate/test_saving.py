"""Nothing that was acknowledged is lost, nothing is overwritten, and every version stays."""

import json
import threading

import pytest
from sqlalchemy import event

YES = {"q1": True, "q2": False, "q3": False}
NO = {"q1": False, "q2": None, "q3": False}
OPEN = {"q1": None, "q2": None, "q3": None}


@pytest.fixture
def work(site, pairs):
    """Give somebody with four pairs to verify: the site, the person, the project, the first answer."""
    project, name = site.project("nli", {"pairs.jsonl": pairs})
    ann = site.person("annotator", name)
    site.assigned(project, ann)
    return site, ann, project, ann.next(project)


def test_a_save_is_there_when_it_is_acknowledged(work):
    _, ann, _, answer = work
    saved = ann.save(answer, YES, unsure=True, comment="hm", done=True, seconds=2.5)
    assert (saved.status_code, saved.json()["version"], saved.json()["done"]) == (200, 1, True)
    found = ann.get(f"/api/answers/{answer['id']}").json()
    assert [found[key] for key in ("version", "body", "unsure", "comment", "done", "seconds")] == [
        1,
        YES,
        True,
        "hm",
        True,
        2.5,
    ]


def test_the_same_key_again_is_the_same_acknowledgement_and_changes_nothing(work):
    _, ann, _, answer = work
    first = ann.save(answer, YES, key="the-same-key", seconds=3).json()
    ann.save({**answer, "version": 1}, NO)
    again = ann.save(answer, YES, key="the-same-key", seconds=3)
    assert (again.status_code, again.json()) == (200, first)
    found = ann.get(f"/api/answers/{answer['id']}").json()
    assert (found["version"], found["body"], found["seconds"]) == (2, NO, 3)


def test_a_key_that_was_used_for_something_else_is_refused(work):
    _, ann, _, answer = work
    ann.save(answer, YES, key="the-same-key")
    other = ann.save(answer, NO, key="the-same-key")
    assert (other.status_code, other.json()["error"]["code"]) == (422, "invalid")


def test_a_stale_save_is_refused_with_all_three_versions(work):
    _, ann, _, answer = work
    ann.save(answer, YES, comment="first")
    stale = ann.save(answer, NO, comment="second")
    said = stale.json()
    assert (stale.status_code, said["error"]["code"]) == (409, "conflict")
    assert [(said[name].get("version"), said[name]["body"]) for name in ("base", "current", "yours")] == [
        (0, OPEN),
        (1, YES),
        (None, NO),
    ]
    assert (said["current"]["by"], said["yours"]["comment"]) == (ann.name, "second")
    assert ann.get(f"/api/answers/{answer['id']}").json()["version"] == 1


def test_of_two_editors_exactly_one_succeeds_and_the_other_is_told(work):
    _, ann, _, answer = work
    for version in range(25):
        barrier, statuses = threading.Barrier(2), []

        def race(body, barrier=barrier, statuses=statuses, version=version):
            barrier.wait()
            statuses.append(ann.save({**answer, "version": version}, body).status_code)

        threads = [threading.Thread(target=race, args=(body,)) for body in (YES, NO)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(statuses) == [200, 409]


def test_the_same_save_sent_twice_at_once_is_one_save(work):
    _, ann, _, answer = work
    for version in range(15):
        barrier, answers = threading.Barrier(2), []

        def send(barrier=barrier, answers=answers, version=version):
            barrier.wait()
            answers.append(ann.save({**answer, "version": version}, YES, key=f"retried-{version:04d}"))

        threads = [threading.Thread(target=send) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [one.status_code for one in answers] == [200, 200]
        assert answers[0].json() == answers[1].json()
    assert ann.get(f"/api/answers/{answer['id']}").json()["version"] == 15


def test_every_version_stays_and_can_be_gone_back_to(work):
    _, ann, _, answer = work
    for version, body in enumerate((YES, NO)):
        ann.save({**answer, "version": version}, body, change=f"step {version}")
    undone = ann.save({**answer, "version": 2}, YES, change="undo", restores=1)
    assert undone.json()["version"] == 3
    listed = ann.get(f"/api/answers/{answer['id']}/revisions").json()["revisions"]
    assert [(row["version"], row["change"]) for row in listed] == [(3, "undo"), (2, "step 1"), (1, "step 0"), (0, "")]
    bodies = [ann.get(f"/api/answers/{answer['id']}/revisions/{version}").json()["body"] for version in range(4)]
    assert bodies == [OPEN, YES, NO, YES]
    older = ann.get(f"/api/answers/{answer['id']}/revisions?before=2&limit=1").json()["revisions"]
    assert [row["version"] for row in older] == [1]
    assert ann.get(f"/api/answers/{answer['id']}/revisions/9").status_code == 404


def test_an_answer_that_breaks_the_tasks_rules_is_not_saved(work):
    _, ann, _, answer = work
    unfinished = ann.save(answer, {"q1": True, "q2": None, "q3": False}, done=True)
    assert unfinished.status_code == 422
    assert unfinished.json()["error"]["problems"] == [{"where": "q2", "rule": None, "message": "q2 has no answer"}]
    assert ann.save(answer, {"q1": "yes", "q2": None, "q3": None}).status_code == 422
    assert ann.save(answer, {"q1": True}).status_code == 422
    assert ann.get(f"/api/answers/{answer['id']}").json()["version"] == 0
    assert ann.save(answer, {"q1": True, "q2": None, "q3": None}).status_code == 200


def test_a_body_can_be_looked_at_without_being_saved(work):
    _, ann, _, answer = work
    said = ann.post(f"/api/answers/{answer['id']}/check", json={"body": {**YES, "q3": None}, "done": True}).json()
    assert [one["where"] for one in said["problems"]] == ["q3"]
    assert ann.get(f"/api/answers/{answer['id']}").json()["version"] == 0


def test_what_is_done_can_be_taken_up_again(work):
    _, ann, project, answer = work
    ann.save(answer, YES, done=True)
    assert ann.next(project)["id"] != answer["id"]
    assert ann.save({**answer, "version": 1}, NO, done=False).status_code == 200
    assert ann.next(project)["id"] == answer["id"]


def test_what_was_adjudicated_stays_as_it_is(work):
    site, ann, _, answer = work
    ann.save(answer, YES, done=True)
    last = site.admin.post(f"/api/items/{answer['item_id']}/adjudication", json={"from_answer_id": answer["id"]})
    assert (last.status_code, last.json()["body"]) == (201, YES)
    site.admin.save(last.json(), NO, done=True)
    late = ann.save({**answer, "version": 1}, NO, done=True)
    assert (late.status_code, late.json()["error"]["code"]) == (409, "finished")
    assert ann.get(f"/api/answers/{answer['id']}").json()["editable"] is False


@pytest.fixture
def sqlite_work(sqlite_site, pairs):
    project, name = sqlite_site.project("nli", {"pairs.jsonl": pairs})
    ann = sqlite_site.person("annotator", name)
    sqlite_site.assigned(project, ann)
    return ann, ann.next(project)


@pytest.mark.parametrize(
    "wrong",
    [
        {"key": "short"},
        {"key": "has a blank in it"},
        {"version": -1},
        {"version": "0"},
        {"seconds": -1},
        {"seconds": 3601},
        {"seconds": 1e400},
        {"comment": "x" * 10_001},
        {"change": "x" * 2_001},
        {"unsure": "yes"},
        {"surprise": 1},
    ],
)
def test_a_request_that_is_not_as_it_should_be_is_refused(sqlite_work, wrong):
    ann, answer = sqlite_work
    body = {"version": 0, "key": "a-good-key", "body": YES, **wrong}
    response = ann.put(
        f"/api/answers/{answer['id']}", content=json.dumps(body), headers={"Content-Type": "application/json"}
    )
    assert (response.status_code, response.json()["error"]["code"]) in [(422, "invalid"), (400, "bad_json")]
    assert ann.get(f"/api/answers/{answer['id']}").json()["version"] == 0


def test_a_save_takes_few_statements_and_one_transaction(site, pairs):
    project, name = site.project("nli", {"p.jsonl": pairs})
    ann = site.person("annotator", name)
    site.assigned(project, ann)
    answer = ann.next(project)
    ann.save(answer, {"q1": True, "q2": None, "q3": None})
    seen = []

    def count(connection, cursor, statement, *_):
        if threading.current_thread().name.startswith("AnyIO"):  # the server of all tests also works beside requests
            seen.append((statement, getattr(connection.connection.dbapi_connection, "autocommit", None)))

    event.listen(site.store.engine, "before_cursor_execute", count)
    saved = ann.save({**answer, "version": 1}, {"q1": True, "q2": True, "q3": None})
    event.remove(site.store.engine, "before_cursor_execute", count)
    assert saved.status_code == 200
    statements = [(text, alone) for text, alone in seen if not text.startswith("BEGIN")]
    assert 0 < len(statements) <= 10
    if not site.store.is_sqlite:  # only the three statements that write are in a transaction
        assert sum(not alone for _, alone in statements) == 3
