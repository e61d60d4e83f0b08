"""Adjudication over the API: rounds between two answers, what a save may contain, and the queue of disagreements."""

import json

import pytest

from touchstone.annotate.pyramid.exchange import file_text, pyramid_of_texts
from touchstone.annotate.pyramid.json_form import document_json, read_document

MODELS = {
    "S1/ann.txt": "Cats sleep. Dogs bark.\n",
    "S1/ben.txt": "A cat sleeps all day.\n",
    "S1/cy.txt": "Dogs bark at cats.\n",
}


def unit(view, uid, label, first, *words):
    """Return a unit with a contributor for each of *words*, given with how many to skip; ids count from *first*."""
    text = "\n".join(view["lines"])
    marks = []
    for number, (sought, nth) in enumerate(words, first):
        start = -1
        for _ in range(nth + 1):
            start = text.index(sought, start + 1)
        part = {"label": sought, "start": start, "end": start + len(sought)}
        marks.append({"id": f"c{number}", "label": sought, "comment": None, "parts": [part]})
    return {"uid": uid, "label": label, "comment": None, "contributors": marks}


def finished(person, project, make):
    """Finish the next pyramid of a person with the units that *make* returns, and return the answer."""
    answer = person.next(project)
    units = make(answer["item"]["view"])
    body = {**answer["body"], "units": units, "next": {"unit": 10, "contributor": 10}}
    saved = person.save(answer, body, done=True)
    assert saved.status_code == 200, saved.text
    return {**answer, **saved.json()}


def anns(view):
    return [
        unit(view, "1", "Cats sleep", 1, ("Cats sleep", 0), ("cat sleeps", 0)),
        unit(view, "2", "Dogs bark", 3, ("Dogs bark", 0), ("Dogs bark", 1)),
        unit(view, "3", "All day", 5, ("all day", 0)),
    ]


def bobs(view):
    return [
        unit(view, "1", "Dogs bark", 1, ("Dogs bark", 0), ("Dogs bark", 1)),
        unit(view, "2", "Cats sleep", 3, ("Cats sleep", 0)),
        unit(view, "3", "A cat sleeps all day", 4, ("cat sleeps all day", 0)),
    ]


@pytest.fixture
def compared(site):
    """Give a project with the pyramids of Ann and Bob, a reviewer, and both answers."""
    project, name = site.project("pyramid", MODELS)
    people = [site.person("annotator", name, who) for who in ("Ann", "Bob", "Cleo")]
    site.assigned(project, *people)
    answers = [finished(person, project, make) for person, make in zip(people[:2], (anns, bobs), strict=True)]
    return site, project, name, site.person("reviewer", name, "Rhea"), people, answers


def begun(reviewer, item, left, right):
    return reviewer.post(
        f"/api/items/{item}/adjudication", json={"from_answer_id": left["id"], "against_answer_id": right["id"]}
    )


def chosen(answer, decisions, choices):
    """Return the body that a browser saves when every decision has a choice of one side."""
    side = decisions["right" if set(choices.values()) == {"right"} else "left"]
    return {**side, "adjudication": {**answer["body"]["adjudication"], "choices": choices}}


def test_a_round_begins_with_what_two_pyramids_agree_on_and_one_side_throughout_is_its_file(compared):
    _, _, _, reviewer, people, (ann, bob) = compared
    opened = begun(reviewer, ann["item_id"], ann, bob)
    assert opened.status_code == 201
    last = opened.json()
    assert [one["label"] for one in last["body"]["units"]] == ["Dogs bark"]
    decisions = reviewer.get(f"/api/answers/{last['id']}/decisions").json()
    assert (decisions["taken"], decisions["sources"]) == (1, [ann["id"], bob["id"]])
    assert [(one["kind"], len(one["left"]), len(one["right"])) for one in decisions["decisions"]] == [("moved", 2, 2)]
    for side, author, answer in (("left", people[0], ann), ("right", people[1], bob)):
        choices = {one["key"]: side for one in decisions["decisions"]}
        saved = reviewer.save(last, chosen(last, decisions, choices), done=True)
        assert saved.status_code == 200, saved.text
        last |= saved.json()
        files = [
            person.get(f"/api/answers/{one['id']}/file?form=pyr").content
            for person, one in ((reviewer, last), (author, answer))
        ]
        assert files[0] == files[1]
    stored = reviewer.get(f"/api/answers/{last['id']}").json()["body"]
    assert set(stored["adjudication"]["choices"].values()) == {"right"}


def test_pyramids_with_the_same_units_under_other_numbers_agree(compared):
    site, project, _, reviewer, people, (_, bob) = compared
    renumbered = [{**one, "uid": f"1{one['uid']}"} for one in reversed(anns(bob["item"]["view"]))]
    body = {**bob["body"], "units": renumbered, "next": {"unit": 20, "contributor": 10}}
    assert people[1].save(bob, body, done=True).status_code == 200
    queue = reviewer.get(f"/api/projects/{project}/disagreements").json()
    assert (queue["several"], queue["agreed"], queue["items"]) == (1, 1, [])
    assert site.admin.get(f"/api/projects/{project}/items").json()["items"][0]["agree"] is True


def test_a_third_answer_is_compared_with_what_the_first_round_gave(compared):
    _, project, _, reviewer, people, (ann, bob) = compared
    last = begun(reviewer, ann["item_id"], ann, bob).json()
    decisions = reviewer.get(f"/api/answers/{last['id']}/decisions").json()
    assert decisions["rest"] == []
    cleo = finished(people[2], project, lambda view: anns(view)[:2])
    assert reviewer.get(f"/api/answers/{last['id']}/decisions").json()["rest"] == [cleo["id"]]
    choices = {one["key"]: "left" for one in decisions["decisions"]}
    last |= reviewer.save(last, chosen(last, decisions, choices)).json()
    second = begun(reviewer, ann["item_id"], last, cleo)
    assert second.status_code == 200
    assert second.json()["version"] == last["version"] + 1
    again = reviewer.get(f"/api/answers/{last['id']}/decisions").json()
    assert (again["taken"], [one["kind"] for one in again["decisions"]], again["rest"]) == (2, ["missing"], [])
    assert again["sources"] == [last["id"], cleo["id"]]
    stale = reviewer.save(last, chosen(last, decisions, choices))
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "conflict")


def test_a_rule_that_an_answer_broke_already_does_not_keep_it_from_being_taken(site):
    """Both contributors of the file's unit are in one summary, which nobody could do in the browser."""
    blank = pyramid_of_texts("S1", {name.removeprefix("S1/"): text for name, text in MODELS.items()})
    view = {"lines": blank.material.lines}
    twice = unit(view, "1", "Ann's", 1, ("Cats sleep", 0), ("Dogs bark", 0))
    body = {**document_json(blank), "units": [twice], "next": {"unit": 2, "contributor": 3}}
    project, name = site.project("pyramid", {"S1.pyr": file_text(read_document(body, blank), "pyr")})
    people = [site.person("annotator", name) for _ in range(2)]
    site.assigned(project, *people)
    empty, kept = (
        finished(person, project, lambda view, units=units: units)
        for person, units in zip(people, ([], [twice]), strict=True)
    )
    reviewer = site.person("reviewer", name)
    last = begun(reviewer, empty["item_id"], empty, kept).json()
    decisions = reviewer.get(f"/api/answers/{last['id']}/decisions").json()
    choices = {one["key"]: "right" for one in decisions["decisions"]}
    saved = reviewer.save(last, chosen(last, decisions, choices))
    assert saved.status_code == 200, saved.text
    new = {
        **twice,
        "uid": "7",
        "contributors": [{**mark, "id": f"c9{mark['id'][1:]}"} for mark in twice["contributors"]],
    }
    worse = {**chosen(last, decisions, choices), "units": [new], "next": {"unit": 99, "contributor": 99}}
    assert reviewer.save({**last, **saved.json()}, worse).status_code == 422


def test_an_undo_may_return_to_the_round_before(compared):
    _, _, _, reviewer, _, (ann, bob) = compared
    first = begun(reviewer, ann["item_id"], ann, bob).json()
    second = begun(reviewer, ann["item_id"], bob, ann).json()
    assert reviewer.save(second, first["body"]).status_code == 422
    assert reviewer.save(second, {**first["body"], "next": second["body"]["next"]}, restores=0).status_code == 200


def test_a_new_round_uses_no_number_again(compared):
    _, _, _, reviewer, _, (ann, bob) = compared
    first = begun(reviewer, ann["item_id"], ann, bob).json()
    raised = {**first["body"], "next": {"unit": 500, "contributor": 600}}
    assert reviewer.save(first, raised).status_code == 200
    assert begun(reviewer, ann["item_id"], bob, ann).json()["body"]["next"] == {"unit": 500, "contributor": 600}


def test_a_round_about_answers_that_nobody_opened_is_refused(compared):
    _, _, _, reviewer, _, (ann, bob) = compared
    last = begun(reviewer, ann["item_id"], ann, bob).json()
    forged = {**last["body"]["adjudication"], "right": [last["id"], 0]}
    for adjudication in (forged, {}, {**last["body"]["adjudication"], "choices": {"x": "left"}}):
        refused = reviewer.save(last, {**last["body"], "adjudication": adjudication})
        assert refused.status_code == 422, adjudication
    assert reviewer.save(last, last["body"]).status_code == 200


def test_only_finished_answers_of_the_item_are_compared_by_people_who_may_see_them(compared):
    site, project, name, reviewer, people, (ann, bob) = compared
    cleo = people[2].next(project)
    for left, right, status in ((ann, cleo, 404), (ann, ann, 403), ({"id": 0}, bob, 404)):
        assert begun(reviewer, ann["item_id"], left, right).status_code == status
    assert begun(people[0], ann["item_id"], ann, bob).status_code == 403
    blind = site.person("reviewer", name)
    site.assigned(project, *people, blind, per_item=4)
    assert begun(blind, ann["item_id"], ann, bob).status_code == 403
    last = begun(reviewer, ann["item_id"], ann, bob).json()
    assert blind.get(f"/api/answers/{last['id']}/decisions").status_code == 404
    assert reviewer.get(f"/api/answers/{ann['id']}/decisions").status_code == 409


def test_forms_have_no_rounds_and_say_so(site, pairs):
    project, name = site.project("nli", {"pairs.jsonl": pairs})
    people = [site.person("annotator", name) for _ in range(2)]
    site.assigned(project, *people)
    given = []
    for person in people:
        answer = person.next(project)
        given.append({**answer, **person.save(answer, {"q1": False, "q2": None, "q3": False}, done=True).json()})
    refused = begun(site.admin, given[0]["item_id"], *given)
    assert (refused.status_code, refused.json()["error"]["message"]) == (
        422,
        "answers of this task are adjudicated as a whole",
    )


def test_the_queue_has_what_people_differ_on_most_disagreement_first(site):
    rows = [{"segment": str(n), "system": "a", "hypothesis": "x", "reference": "y"} for n in range(4)]
    project, name = site.project("mt", {"rows.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    people = [site.person("annotator", name) for _ in range(2)]
    site.assigned(project, *people)
    for person, marks in zip(people, ([1, 2, 3, 4], [1, 3, 5, 1]), strict=True):
        for mark in marks:
            body = {"adequacy": mark, "fluency": mark}
            assert person.save(person.next(project), body, done=True).status_code == 200
    reviewer = site.person("reviewer", name)
    queue = reviewer.get(f"/api/projects/{project}/disagreements?figures=true").json()
    assert [row["title"] for row in queue["items"]] == ["item 4", "item 3", "item 2"]
    assert (queue["several"], queue["agreed"], queue["adjudicated"]) == (4, 1, 0)
    assert queue["figures"][0]["value"] is not None
    last = reviewer.post(f"/api/items/{queue['items'][0]['id']}/adjudication", json={}).json()
    assert reviewer.save(last, {"adequacy": 2, "fluency": 2}, done=True).status_code == 200
    queue = reviewer.get(f"/api/projects/{project}/disagreements").json()
    assert ([row["title"] for row in queue["items"]], queue["adjudicated"]) == (["item 3", "item 2"], 1)


def test_substitutes_with_fewer_words_in_common_come_first(site):
    rows = [
        {"id": str(n), "target": "bright", "pos": "a", "left": "a", "head": "bright", "right": "day"} for n in range(2)
    ]
    project, name = site.project("lexsub", {"rows.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    people = [site.person("annotator", name) for _ in range(2)]
    site.assigned(project, *people)
    for person, given in zip(people, (["sunny clear", "sunny"], ["sunny light", "clever"]), strict=True):
        for words in given:
            body = {"substitutes": words.split(), "none": False}
            assert person.save(person.next(project), body, done=True).status_code == 200
    queue = site.admin.get(f"/api/projects/{project}/disagreements").json()
    assert [(row["title"], row["distance"]) for row in queue["items"]] == [("item 2", 1), ("item 1", 2 / 3)]
