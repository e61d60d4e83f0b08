"""Two editors of the same version: one succeeds, the other is shown both versions."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

BODIES = ({"q1": True, "q2": True, "q3": False}, {"q1": False, "q2": None, "q3": False})


def race(pool, editors, answer, version, keys):
    """Let two clients save an answer at the same moment; return both responses."""
    gate = threading.Barrier(2)

    def save(client, body, key):
        whole = {"version": version, "key": key, "body": body, "comment": client.name}
        gate.wait()
        return client.put(f"/api/answers/{answer}", json=whole)

    return list(pool.map(save, editors, BODIES, keys))


def check_race(responses, before, version):
    """Check that one was saved and the other told of both; return the body that stands now."""
    won, lost = sorted(responses, key=lambda one: one.status_code)
    assert (won.status_code, lost.status_code) == (200, 409), [one.text for one in responses]
    winner = BODIES[responses.index(won)]
    told = lost.json()
    assert (told["error"]["code"], won.json()["version"]) == ("conflict", version + 1)
    assert (told["current"]["version"], told["current"]["body"]) == (version + 1, winner)
    assert (told["base"]["version"], told["base"]["body"]) == (version, before)
    assert told["yours"]["body"] == BODIES[responses.index(lost)]
    return winner


def races(pool, editors, answer, count, name):
    """Run races on one answer, one after the other; return how many the first of the editors won."""
    body, first = answer["body"], 0
    for number in range(count):
        keys = [f"{name}-{number:05d}-{side}" for side in "ab"]
        responses = race(pool, editors, answer["id"], number, keys)
        body = check_race(responses, body, number)
        first += body == BODIES[0]
    history = editors[0].get(f"/api/answers/{answer['id']}/revisions", params={"limit": 500}).json()["revisions"]
    assert [row["version"] for row in history] == list(range(count, max(-1, count - 500), -1))
    assert editors[0].get(f"/api/answers/{answer['id']}").json()["body"] == body
    return first


def check_races(kind, site, admin, pairs, count):
    """Race two reviewers over an adjudication, then one annotator in two windows."""
    project = site.project(admin, "nli", {"p.jsonl": pairs(1)})
    reviewers, (ann,) = site.people(2, "reviewer", project), site.people(1, "annotator", project)
    site.assign(admin, project, [ann])
    item = admin.get(f"/api/projects/{project}/items").json()["items"][0]["id"]
    mine, shared = ann.next(project), reviewers[0].post(f"/api/items/{item}/adjudication", json={}).json()
    with ThreadPoolExecutor(2) as pool:
        first = races(pool, reviewers, shared, count // 2, "reviewers")
        first += races(pool, [ann, ann], mine, count - count // 2, "windows")
        retries = [race_of_one_save(pool, ann, mine["id"], count - count // 2 + n) for n in range(count // 10)]
    assert all(retries)
    return f"races, {kind}: {count} of two editors, each one success and one conflict; the first won {first}"


def race_of_one_save(pool, client, answer, version):
    """Send the same save twice at once, as a client does that did not hear the answer; say whether it counts once."""
    gate = threading.Barrier(2)

    def save(_):
        gate.wait()
        whole = {"version": version, "key": f"again-{version:05d}", "body": BODIES[version % 2]}
        return client.put(f"/api/answers/{answer}", json=whole)

    responses = list(pool.map(save, range(2)))
    assert [one.status_code for one in responses] == [200, 200], [one.text for one in responses]
    one, other = (response.json() for response in responses)
    return one == other and one["version"] == version + 1


def test_of_two_editors_one_saves_and_the_other_sees_both_versions(kind, shared, pairs, record_property):
    record_property("said", check_races(kind, *shared(kind), pairs, 40))


@pytest.mark.soak
def test_a_thousand_races_of_two_editors_have_one_winner_each(kind, shared, pairs, record_property):
    record_property("said", check_races(kind, *shared(kind), pairs, 1000))
