"""A backup that is taken while people save restores all that was acknowledged before it began."""

import time

import pytest

from touchstone.annotate.backup import back_up, restore
from touchstone.annotate.settings import database_url

WRITERS = 8


def restless(person):
    def job(stop):
        while not stop.is_set():
            response = person.save()
            assert response.status_code == 200, response.text
            stop.wait(0.02)

    return job


def people_at(site, admin, writer, pairs, fill_in):
    """Return some writers, each with an answer of their own, and their project."""
    project = site.project(admin, "nli", {"p.jsonl": pairs(WRITERS)})
    clients = site.people(WRITERS, project=project)
    site.assign(admin, project, clients, per_item=1)
    return [writer(one, one.next(project), fill_in) for one in clients]


def backed_up(site, people, file):
    """Take a backup; return how much of each writer's work was acknowledged before it began."""
    counts = [len(person.acknowledged) for person in people]
    back_up(database_url(site.database), file)
    return counts


def restored(target, file):
    restore(database_url(target.database), file)


def backed_up_by_command(site, people, file):
    counts = [len(person.acknowledged) for person in people]
    done = site.command("backup", file)
    assert done.returncode == 0, done.stderr
    return counts


def restored_by_command(target, file):
    done = target.command("restore", file)
    assert done.returncode == 0, done.stderr


class Before:
    """The saves of a writer that were acknowledged before a backup began."""

    def __init__(self, person, count):
        self.acknowledged = person.acknowledged[:count]


def check_whole(target, people, counts, faults_in):
    """Look in what was restored for what is lost; return how many saves had to be there."""
    before = [Before(person, count) for person, count in zip(people, counts, strict=True)]
    with target.store() as store:
        assert faults_in(store, before) == []
    assert sum(counts) > 0, "something must be acknowledged before"
    return sum(counts)


def check_work_goes_on(target, person, fill_in):
    """Log in to what was restored and save."""
    target.start()
    assert person.client.get(f"{target.url}/api/me").status_code == 401, "a restore ends sessions"
    client = target.nobody()
    login = client.post("/api/session", json={"email": person.client.email, "password": "correct horse battery"})
    assert login.status_code == 200, login.text
    answer = client.get(f"/api/answers/{person.answer['id']}").json()
    assert answer["version"] > 0
    whole = {"version": answer["version"], "key": "after-the-restore", **fill_in(answer, answer["version"])}
    assert client.put(f"/api/answers/{answer['id']}", json=whole).status_code == 200


@pytest.fixture
def at_work(writer, pairs, fill_in, working):
    """Give a function that lets people save while a backup is taken by some function, some times."""

    def taken(site, admin, take, files):
        people = people_at(site, admin, writer, pairs, fill_in)
        with working(*map(restless, people)):
            counts = []
            for file in files:
                time.sleep(0.5)
                while not any(person.acknowledged for person in people):  # on a busy machine, the first takes longer
                    time.sleep(0.01)
                counts.append(take(site, people, file))
        return people, counts

    return taken


def test_a_backup_under_load_restores_what_was_acknowledged_before(
    kind, shared, installation, at_work, faults_in, tmp_path, record_property
):
    site, admin = shared(kind)
    people, (counts,) = at_work(site, admin, backed_up, [tmp_path / "b.sqlite"])
    target = installation(kind)
    restored(target, tmp_path / "b.sqlite")
    held = check_whole(target, people, counts, faults_in)
    record_property("said", f"backup, {kind}: under load, {held:,} saves acknowledged before, all restored")


@pytest.mark.soak
def test_every_backup_under_load_restores_into_either_kind(
    kind, shared, installation, at_work, faults_in, fill_in, tmp_path, record_property
):
    site, admin = shared(kind)
    files = [tmp_path / f"{number}.sqlite" for number in range(10)]
    people, counts = at_work(site, admin, backed_up, files)
    for file, before in zip(files, counts, strict=True):
        for there in ("sqlite", "postgresql"):
            target = installation(there)
            restored(target, file)
            held = check_whole(target, people, before, faults_in)
    check_work_goes_on(target, people[0], fill_in)
    with site.store() as store:
        assert faults_in(store, people) == []
    record_property(
        "said", f"backup, {kind}: 10 under load, the last after {held:,} saves, all restored into each kind"
    )


@pytest.mark.soak
def test_the_commands_back_up_and_restore_under_load(kind, shared, installation, at_work, faults_in, fill_in, tmp_path):
    site, admin = shared(kind)
    people, (counts,) = at_work(site, admin, backed_up_by_command, [tmp_path / "b.sqlite"])
    target = installation(kind)
    restored_by_command(target, tmp_path / "b.sqlite")
    check_whole(target, people, counts, faults_in)
    check_work_goes_on(target, people[0], fill_in)
