"""Every change leaves a line in a log that nobody can change, in the change's own transaction."""

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError

from touchstone.annotate.tables import Entry

YES = {"q1": True, "q2": False, "q3": False}


def actions(site, project):
    rows = site.admin.get(f"/api/projects/{project}/audit?limit=500").json()["entries"]
    return [(row["action"], row["actor"]) for row in reversed(rows)]


def test_the_log_tells_the_life_of_a_project(site, pairs):
    project, name = site.project("nli", {"pairs.jsonl": pairs})
    ann = site.person("annotator", name)
    site.assigned(project, ann)
    answer = ann.next(project)
    ann.save(answer, YES, done=True, change="first look")
    last = site.admin.post(f"/api/items/{answer['item_id']}/adjudication", json={}).json()
    site.admin.save(last, YES, done=True)
    site.admin.patch(f"/api/projects/{project}", json={"version": 1, "archived": True})
    boss = site.admin.name
    assert actions(site, project) == [
        ("create", boss),
        ("import", boss),
        ("add member", ann.name),
        ("assign", boss),
        ("open", ann.name),
        ("save", ann.name),
        ("open", boss),
        ("save", boss),
        ("change", boss),
    ]
    saved = site.admin.get(f"/api/projects/{project}/audit").json()["entries"][3]
    assert saved["detail"] == {"version": 1, "done": True, "change": "first look"}
    assert (saved["object"], saved["object_id"]) == ("answer", answer["id"])


def test_what_is_refused_leaves_no_line(site, pairs):
    project, name = site.project("nli", {"pairs.jsonl": pairs})
    ann = site.person("annotator", name)
    site.assigned(project, ann)
    answer = ann.next(project)
    before = actions(site, project)
    ann.save({**answer, "version": 5}, YES)
    ann.save(answer, {"q1": 7})
    site.admin.patch(f"/api/projects/{project}", json={"version": 9, "name": "x"})
    assert actions(site, project) == before


def test_a_change_and_its_line_come_together_or_not_at_all(site, pairs, monkeypatch):
    project, name = site.project("nli", {"pairs.jsonl": pairs})
    ann = site.person("annotator", name)
    site.assigned(project, ann)
    answer = ann.next(project)
    from touchstone.annotate import audit

    def failing(*_, **__):
        raise OSError("no line today")

    monkeypatch.setattr(audit, "record", failing)
    assert ann.save(answer, YES).status_code == 500
    monkeypatch.undo()
    assert ann.get(f"/api/answers/{answer['id']}").json()["version"] == 0


@pytest.mark.parametrize("table", ["audit", "revisions"])
@pytest.mark.parametrize("statement", ["UPDATE {table} SET id = id", "DELETE FROM {table}"])
def test_the_database_itself_refuses_to_change_what_was_written(site, pairs, table, statement):
    project, name = site.project("nli", {"pairs.jsonl": pairs})
    ann = site.person("annotator", name)
    site.assigned(project, ann)
    ann.next(project)
    with pytest.raises(DBAPIError, match=f"{table} is append-only"), site.store.writing() as session:
        session.execute(text(statement.format(table=table)))


def test_postgresql_refuses_to_empty_them_as_well(postgresql_server):
    for table in ("audit", "revisions"):
        with pytest.raises(DBAPIError, match="append-only"), postgresql_server.store.writing() as session:
            session.execute(text(f"TRUNCATE {table} CASCADE"))


def test_logging_in_and_accounts_are_in_the_log_of_the_whole(site, password):
    person, client, admin = site.person(), site.nobody(), site.admin
    client.post("/api/session", json={"email": person.email, "password": password})
    client.delete("/api/session")
    admin.patch(f"/api/accounts/{person.id}", json={"admin": True})
    rows = admin.get("/api/audit?limit=3").json()["entries"]
    assert [(row["action"], row["actor"]) for row in rows] == [
        ("change account", admin.name),
        ("log out", person.name),
        ("log in", person.name),
    ]


def test_the_log_can_be_paged_through(site):
    with site.store.reading() as session:
        total = session.scalar(select(func.count(Entry.id)))
    first = site.admin.get("/api/audit?limit=1").json()["entries"]
    rest = site.admin.get(f"/api/audit?limit=500&before={first[0]['id']}").json()["entries"]
    assert all(row["id"] < first[0]["id"] for row in rest)
    assert len(rest) >= min(500, total - 1)
    assert site.admin.get("/api/audit?limit=0").status_code == 422
