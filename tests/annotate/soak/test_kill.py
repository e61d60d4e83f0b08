"""A server that is killed in the middle of writing has kept every save that it acknowledged."""

import random
import time

import httpx
import pytest

WRITERS = 8
LONGEST_S = 0.6
"""The longest time between a server's start and its end."""


def restless(person):
    """Return a job: save as fast as it goes, until the server is gone."""

    def job(stop):
        while not stop.is_set():
            try:
                response = person.save()
            except httpx.TransportError:
                return
            assert response.status_code == 200, response.text

    return job


def killed(site, people, working, times):
    """Kill the server *times* times while people write; after each start, look for what is lost; return the saves."""
    draw = random.Random(2006)
    for _ in range(times):
        with working(*map(restless, people)):
            time.sleep(draw.uniform(0.05, LONGEST_S))
            while not any(person.pending for person in people):  # on a busy machine nobody may have begun to write
                time.sleep(0.001)
            site.kill()
        unanswered = [person for person in people if person.pending]
        site.start()
        yield unanswered


def check(kind, site, working, writer, faults_in, fill_in, pairs, times):
    site.start()
    (admin,) = site.people(1, "admin")
    project = site.project(admin, "nli", {"p.jsonl": pairs(WRITERS)})
    clients = site.people(WRITERS, project=project)
    site.assign(admin, project, clients, per_item=1)
    people = [writer(one, one.next(project), fill_in) for one in clients]
    in_the_middle = 0
    for unanswered in killed(site, people, working, times):
        with site.store() as store:
            assert faults_in(store, people) == []
        in_the_middle += len(unanswered)
        for person in unanswered:
            assert person.save().status_code == 200, "the same save again, whether or not it was kept"
    with site.store() as store:
        assert faults_in(store, people) == []
    saves = sum(len(person.acknowledged) for person in people)
    assert in_the_middle >= times, "a server must die in the middle of writes"
    return f"kill -9, {kind}: {times} times, {saves:,} saves acknowledged, {in_the_middle} cut off, none lost"


def test_a_killed_server_has_kept_what_it_acknowledged(
    installation, working, writer, faults_in, fill_in, pairs, record_property
):
    said = check("sqlite", installation("sqlite"), working, writer, faults_in, fill_in, pairs, 3)
    record_property("said", said)


@pytest.mark.soak
def test_a_server_that_is_killed_fifty_times_has_kept_what_it_acknowledged(
    kind, installation, working, writer, faults_in, fill_in, pairs, record_property
):
    said = check(kind, installation(kind), working, writer, faults_in, fill_in, pairs, 50)
    record_property("said", said)
