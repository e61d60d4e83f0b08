"""Who gets what to do, who may do it, and how far everybody is."""

import json
import threading
from collections import Counter

import pytest
from sqlalchemy import select

from touchstone.annotate import exporting
from touchstone.annotate.assigning import assignment_named, withdraw
from touchstone.annotate.audit import COMMAND_LINE
from touchstone.annotate.projects import project_named
from touchstone.annotate.tables import Assignment, Item
from touchstone.base.errors import TouchstoneError

YES = {"q1": True, "q2": False, "q3": False}
NO = {"q1": False, "q2": None, "q3": False}
RIGHT = {"cat": NO, "tea": YES, "bus": {"q1": True, "q2": True, "q3": False}, "sun": YES}
BY_PREMISE = {"A cat sleeps.": "cat", "She drinks tea.": "tea", "He waits.": "bus", "The sun is up.": "sun"}


def many(number):
    rows = ({"id": f"p{n}", "premise": f"premise {n}", "hypothesis": "h"} for n in range(number))
    return "".join(json.dumps(row) + "\n" for row in rows)


def duties(site, project):
    """Return the people of each item."""
    query = select(Item.key, Assignment.account_id).join(Item).where(Item.project_id == project, Item.purpose == "work")
    found = {}
    with site.store.reading() as session:
        for key, account in session.execute(query):
            found.setdefault(key, set()).add(account)
    return found


def test_every_item_gets_as_many_people_as_asked_and_the_load_is_even(site):
    project, name = site.project("nli", {"p.jsonl": many(30)})
    people = [site.person("annotator", name) for _ in range(4)]
    said = site.assigned(project, *people, per_item=2)
    found = duties(site, project)
    assert {len(who) for who in found.values()} == {2}
    assert (said["made"], {row["assigned"] for row in said["by"]}) == (60, {15})


def test_only_the_share_asked_for_overlaps(site):
    project, name = site.project("nli", {"p.jsonl": many(20)})
    people = [site.person("annotator", name) for _ in range(3)]
    site.assigned(project, *people, per_item=3, overlap=0.25)
    assert Counter(len(who) for who in duties(site, project).values()) == {3: 5, 1: 15}


def test_assigning_again_adds_what_is_missing_and_takes_nothing_away(site):
    project, name = site.project("nli", {"p.jsonl": many(6)})
    ann, ben = site.person("annotator", name), site.person("annotator", name)
    site.assigned(project, ann, per_item=1)
    before = duties(site, project)
    assert site.assigned(project, ann, ben, per_item=1)["made"] == 0
    assert site.assigned(project, ann, ben, per_item=2)["made"] == 6
    assert all(before[key] < who for key, who in duties(site, project).items())


def test_more_people_for_an_item_than_there_are_is_refused(site):
    project, name = site.project("nli", {"p.jsonl": many(2)})
    site.person("annotator", name)
    response = site.admin.post(f"/api/projects/{project}/assignments", json={"per_item": 2})
    assert response.status_code == 422
    stranger = site.person("annotator")
    body = {"accounts": [stranger.id], "per_item": 1}
    assert site.admin.post(f"/api/projects/{project}/assignments", json=body).status_code == 422


def test_work_comes_in_order_and_ends(site, pairs):
    project, name = site.project("nli", {"pairs.jsonl": pairs})
    ann = site.person("annotator", name)
    assert ann.next(project) is None
    site.assigned(project, ann)
    titles = []
    while (answer := ann.next(project)) is not None:
        titles.append(answer["item"]["title"])
        ann.save(answer, YES, done=True)
    assert titles == ["item 1", "item 2", "item 3", "item 4"]
    mine = ann.get(f"/api/projects/{project}").json()["mine"]
    assert (mine["assigned"], mine["done"]) == (4, 4)


def test_progress_and_time_are_counted_for_everybody(site, pairs):
    project, name = site.project("nli", {"pairs.jsonl": pairs})
    ann, ben = site.person("annotator", name), site.person("annotator", name)
    site.assigned(project, ann, ben)
    for seconds in (10, 20, 60):
        answer = ann.next(project)
        ann.save(answer, YES, seconds=seconds - 5)
        ann.save({**answer, "version": 1}, YES, seconds=5, done=True, unsure=seconds == 60)
    said = site.admin.get(f"/api/projects/{project}/progress").json()
    assert [said[key] for key in ("items", "assigned", "done", "adjudicated")] == [4, 8, 3, 0]
    rows = {row["account_id"]: row for row in said["annotators"]}
    expected = {"assigned": 4, "done": 3, "unsure": 1, "seconds": 90, "median_seconds": 20}
    assert {key: rows[ann.id][key] for key in expected} == expected
    assert (rows[ben.id]["done"], rows[ben.id]["median_seconds"]) == (0, None)
    assert sum(day["done"] for day in said["days"]) == 3


def test_an_archived_project_can_be_read_but_not_worked_on(site, pairs):
    project, name = site.project("nli", {"pairs.jsonl": pairs})
    ann = site.person("annotator", name)
    site.assigned(project, ann)
    answer = ann.next(project)
    assert site.admin.patch(f"/api/projects/{project}", json={"version": 1, "archived": True}).status_code == 200
    assert ann.get(f"/api/answers/{answer['id']}").status_code == 200
    assert ann.save(answer, YES).status_code == 409
    assert ann.next(project) is None


def test_two_managers_who_change_a_project_at_once_do_not_overwrite_each_other(site):
    project, _ = site.project("nli")
    assert (
        site.admin.patch(f"/api/projects/{project}", json={"version": 1, "settings": {"note": "a"}}).status_code == 200
    )
    late = site.admin.patch(f"/api/projects/{project}", json={"version": 1, "settings": {"note": "b"}})
    assert (late.status_code, late.json()["current"]["settings"]["note"]) == (409, "a")


@pytest.mark.parametrize(
    ("task", "settings"),
    [
        ("nli", {"pass_mark": 2}),
        ("nli", {"pass_mark": True}),
        ("nli", {"nonsense": 1}),
        ("mt", {"judgement": "vibes"}),
        ("mt", {"at_once": 9}),
        ("chess", {}),
    ],
)
def test_settings_that_make_no_sense_are_refused(site, task, settings):
    body = {"name": f"p {id(settings)}", "task": task, "settings": settings}
    assert site.admin.post("/api/projects", json=body).status_code == 422


def test_a_name_is_taken_once(site):
    _, name = site.project("nli")
    response = site.admin.post("/api/projects", json={"name": f" {name} ", "task": "nli"})
    assert (response.status_code, response.json()["error"]["code"]) == (409, "taken")


@pytest.fixture
def tested(site, pairs):
    """Give a project that begins with a test of four pairs, of which three must be right."""
    project, name = site.project("nli", {"p.jsonl": many(3)}, pass_mark=0.75)
    site.imported(project, {"known.jsonl": pairs}, purpose="qualification")
    ann = site.person("annotator", name)
    site.assigned(project, ann)
    return site, project, name, ann


def take_test(person, project, wrong=0):
    for number in range(4):
        answer = person.next(project)
        assert answer["purpose"] == "qualification"
        right = RIGHT[BY_PREMISE[answer["item"]["view"]["premise"]]]
        body = (YES if right == NO else NO) if number < wrong else right
        assert person.save(answer, body, done=True).status_code == 200


def test_the_test_comes_first_and_keeps_from_the_work_until_it_is_passed(tested):
    site, project, _, ann = tested
    with site.store.reading() as session:
        item = session.scalar(select(Item.id).where(Item.project_id == project, Item.purpose == "work"))
    early = ann.post(f"/api/items/{item}/answer")
    assert (early.status_code, early.json()["error"]["code"]) == (403, "not_qualified")
    take_test(ann, project, wrong=1)
    said = ann.get(f"/api/projects/{project}/qualification").json()
    assert (said["score"], said["passed"], said["done"], said["items"]) == (0.75, True, 4, 4)
    assert ann.next(project)["purpose"] == "work"


def test_whoever_fails_the_test_does_not_annotate_until_it_is_given_again(tested):
    site, project, _, ann = tested
    take_test(ann, project, wrong=2)
    assert ann.get(f"/api/projects/{project}/qualification").json()["passed"] is False
    assert ann.next(project) is None
    tried = ann.get(f"/api/projects/{project}/work").json()["items"][0]["answer_id"]
    again = ann.save({"id": tried, "version": 1}, YES, done=True)
    assert (again.status_code, again.json()["error"]["code"]) == (409, "finished")
    assert site.admin.post(f"/api/projects/{project}/qualifications/{ann.id}/reset").status_code == 204
    first = ann.next(project)
    assert (first["purpose"], first["body"], first["version"]) == ("qualification", dict.fromkeys(YES), 2)
    take_test(ann, project)
    said = ann.get(f"/api/projects/{project}/qualification").json()
    assert (said["score"], said["passed"], said["attempt"]) == (1, True, 2)


def test_nobody_sees_the_known_answers_of_a_test(tested):
    _, project, _, ann = tested
    answer = ann.next(project)
    assert "gold" not in json.dumps(answer)
    ann.save(answer, YES, done=True)
    assert ann.get(f"/api/answers/{answer['id']}/feedback").status_code == 403


def test_a_test_whose_last_two_answers_come_at_once_is_decided(tested):
    _, project, _, ann = tested
    opened = [
        ann.post(f"/api/items/{row['item_id']}/answer").json() for row in work_items(ann, project, "qualification")
    ]
    for answer in opened[:2]:
        ann.save(answer, RIGHT[BY_PREMISE[answer["item"]["view"]["premise"]]], done=True)
    barrier = threading.Barrier(2)

    def finish(answer):
        barrier.wait()
        ann.save(answer, RIGHT[BY_PREMISE[answer["item"]["view"]["premise"]]], done=True)

    threads = [threading.Thread(target=finish, args=(answer,)) for answer in opened[2:]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ann.get(f"/api/projects/{project}/qualification").json()["passed"] is True


def work_items(person, project, purpose):
    rows = person.get(f"/api/projects/{project}/work").json()["items"]
    return [row for row in rows if row["purpose"] == purpose]


def test_people_who_join_later_get_the_test_too(tested):
    site, project, name, _ = tested
    late = site.person("annotator", name)
    assert len(work_items(late, project, "qualification")) == 4
    body = {"email": f"invited{late.id}@example.org", "role": "annotator"}
    token = site.admin.post(f"/api/projects/{project}/invitations", json=body).json()["url"].rpartition("/")[2]
    invited = site.nobody()
    invited.post(f"/api/invitations/{token}", json={"name": "Invited", "password": "a long password"})
    assert len(work_items(invited, project, "qualification")) == 4


def test_a_training_item_shows_the_prepared_answer_afterwards(site, pairs):
    project, name = site.project("nli", {"p.jsonl": many(1)})
    site.imported(project, {"known.jsonl": pairs}, purpose="training")
    ann = site.person("annotator", name)
    site.assigned(project, ann)
    answer = ann.next(project)
    assert answer["purpose"] == "training"
    assert ann.get(f"/api/answers/{answer['id']}/feedback").status_code == 403
    ann.save(answer, YES, done=True)
    said = ann.get(f"/api/answers/{answer['id']}/feedback").json()
    assert said["known"] == NO
    assert said["feedback"] == {"right": False, "known_label": "contradiction", "label": "entailment"}


def test_items_of_a_test_need_known_answers(site):
    project, _ = site.project("nli")
    import base64

    files = [{"name": "p.jsonl", "content": base64.b64encode(many(1).encode()).decode()}]
    response = site.admin.post(f"/api/projects/{project}/imports", json={"files": files, "purpose": "qualification"})
    assert response.status_code == 422
    assert "gold label" in response.json()["error"]["message"]


def test_an_import_with_an_id_that_is_there_already_changes_nothing(site, pairs):
    project, _ = site.project("nli", {"pairs.jsonl": pairs})
    import base64

    more = many(1) + pairs
    files = [{"name": "p.jsonl", "content": base64.b64encode(more.encode()).decode()}]
    response = site.admin.post(f"/api/projects/{project}/imports", json={"files": files})
    assert response.status_code == 422
    assert site.admin.get(f"/api/projects/{project}/items").json()["total"] == 4


def test_items_say_whether_people_agree(site, pairs):
    project, name = site.project("nli", {"pairs.jsonl": pairs})
    ann, ben = site.person("annotator", name), site.person("annotator", name)
    site.assigned(project, ann, ben)
    for person, bodies in ((ann, (YES, YES)), (ben, (YES, NO))):
        for body in bodies:
            person.save(person.next(project), body, done=True)
    rows = site.admin.get(f"/api/projects/{project}/items?limit=3").json()
    assert rows["total"] == 4
    assert [(row["done"], row["agree"]) for row in rows["items"]] == [(2, True), (2, False), (0, None)]


def test_one_assignment_is_taken_back_unless_something_was_saved(site, pairs):
    project, name = site.project("nli", {"p.jsonl": pairs}, pseudonyms=False)
    ann, ben = site.person("annotator", name, "Ann"), site.person("annotator", name, "Ben")
    site.assigned(project, ann, ben)
    opened = ann.next(project)
    rows = site.admin.get(f"/api/projects/{project}/items").json()["items"]
    by_name = {one["name"]: one["id"] for one in rows[0]["people"]}
    assert "people" not in site.person("reviewer", name).get(f"/api/projects/{project}/items").json()["items"][0]
    saved = ben.save(ben.next(project), {"q1": True, "q2": None, "q3": None})
    refused = site.admin.delete(f"/api/assignments/{by_name['Ben']}")
    assert (saved.status_code, refused.status_code, refused.json()["error"]["code"]) == (200, 409, "finished")
    assert "adjudicate" in refused.json()["error"]["hint"]
    assert site.admin.delete(f"/api/assignments/{by_name['Ann']}").status_code == 204
    assert ann.next(project)["item_id"] != opened["item_id"]
    with site.store.writing() as session:
        row = project_named(session, name)
        with pytest.raises(TouchstoneError, match="not assigned"):
            assignment_named(session, row, "cat", ann.id)
        with pytest.raises(TouchstoneError, match="no such item"):
            assignment_named(session, row, "cap", ann.id)
        withdraw(session, COMMAND_LINE, assignment_named(session, row, "tea", ann.id), row)
    rows = site.admin.get(f"/api/projects/{project}/items").json()["items"]
    assert [one["name"] for one in rows[1]["people"]] == ["Ben"]


def test_unchanged_figures_are_computed_once_and_a_save_computes_them_anew(site, pairs, monkeypatch):
    project, name = site.project("nli", {"p.jsonl": pairs})
    ann = site.person("annotator", name, "Ann")
    site.assigned(project, ann)
    made = []
    gather = exporting.gather
    monkeypatch.setattr(exporting, "gather", lambda *given, **more: made.append(1) or gather(*given, **more))

    def figures():
        return site.admin.get(f"/api/projects/{project}/agreement").json()

    assert (figures() == figures(), len(made)) == (True, 1)
    ann.save(ann.next(project), YES, done=True)
    figures()
    assert len(made) == 2
