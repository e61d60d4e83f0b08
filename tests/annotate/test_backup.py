"""A backup is whole, is taken while people work, and can be restored into either kind of database."""

import sqlite3
import threading
from contextlib import closing

import pytest
from sqlalchemy import func, select, text

from touchstone.annotate.backup import back_up, restore
from touchstone.annotate.database import open_store
from touchstone.annotate.settings import database_url
from touchstone.annotate.tables import Answer, Base, LogIn, Revision
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError

YES = {"q1": True, "q2": False, "q3": False}


def contents(url):
    """Return all rows of all tables but sessions, which a restore ends."""
    store = open_store(url)
    try:
        with store.reading() as session:
            return {
                table.name: [tuple(row) for row in session.execute(select(table).order_by(*table.primary_key))]
                for table in Base.metadata.sorted_tables
                if table.name != "sessions"
            }
    finally:
        store.close()


@pytest.fixture
def lived_in(empty_database, start_server, pairs):
    """Give a database of either kind with people, items and answers in it, and its site."""
    own = start_server(empty_database)
    project, name = own.project("nli", {"pairs.jsonl": pairs})
    ann = own.person("annotator", name, "Änn 🐈")
    own.assigned(project, ann)
    answer = ann.next(project)
    ann.save(answer, YES, done=True, comment='"; DROP TABLE answers; --')
    return empty_database, own, project, ann


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_backup_restores_into_either_kind(lived_in, tmp_path, request, kind):
    url, *_ = lived_in
    back_up(url, tmp_path / "b.sqlite")
    other = str(tmp_path / "other.sqlite") if kind == "sqlite" else request.getfixturevalue("postgres")()
    restore(database_url(other), tmp_path / "b.sqlite")
    assert contents(database_url(other)) == contents(url)


def test_work_goes_on_in_what_was_restored(lived_in, tmp_path, postgres, start_server, pairs):
    url, _, project, ann = lived_in
    back_up(url, tmp_path / "b.sqlite")
    target = database_url(postgres())
    restore(target, tmp_path / "b.sqlite")
    again = start_server(target)
    again.person("admin")
    with again.store.reading() as session:
        assert session.scalar(select(func.count(LogIn.id)).where(LogIn.revoked_at.is_(None))) == 1, "all others ended"
    client = again.nobody()
    assert (
        client.post("/api/session", json={"email": ann.email, "password": "correct horse battery"}).status_code == 200
    )
    answer = client.post(f"/api/projects/{project}/next").json()
    body = {"version": 0, "key": "after-restore", "body": YES, "done": True}
    assert client.put(f"/api/answers/{answer['id']}", json=body).status_code == 200


def test_a_backup_is_one_file_that_its_owner_alone_may_read(lived_in, tmp_path):
    back_up(lived_in[0], tmp_path / "b.sqlite")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("b.")] == ["b.sqlite"]
    assert (tmp_path / "b.sqlite").stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(tmp_path / "b.sqlite")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_backup_taken_under_load_has_all_that_was_acknowledged_before(lived_in, tmp_path):
    url, own, project, _ = lived_in
    name = own.admin.get(f"/api/projects/{project}").json()["name"]
    people = [own.person("annotator", name) for _ in range(4)]
    own.assigned(project, *people)
    acknowledged, stop = {}, threading.Event()

    def work(person):
        answer = person.next(project)
        version = 0
        while not stop.is_set() or answer["id"] not in acknowledged:
            saved = person.save({**answer, "version": version}, {**YES, "q2": bool(version % 2)})
            assert saved.status_code == 200
            version = saved.json()["version"]
            acknowledged[answer["id"]] = version

    threads = [threading.Thread(target=work, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    try:
        for number in range(3):
            threading.Event().wait(0.2)
            before = dict(acknowledged)
            back_up(url, tmp_path / f"b{number}.sqlite")
            copy = database_url(str(tmp_path / f"restored{number}.sqlite"))
            restore(copy, tmp_path / f"b{number}.sqlite")
            store = open_store(copy)
            with store.reading() as session:
                found = dict(session.execute(select(Answer.id, Answer.version)).all())
                latest = dict(
                    session.execute(
                        select(Revision.answer_id, func.max(Revision.version)).group_by(Revision.answer_id)
                    ).all()
                )
            store.close()
            assert all(found[answer] >= version for answer, version in before.items())
            assert found == latest
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert len(acknowledged) == 4


def test_a_database_in_use_is_not_overwritten_unless_told_and_then_kept(lived_in, tmp_path):
    url, own, *_ = lived_in
    back_up(url, tmp_path / "b.sqlite")
    own.person("reviewer", name="Came later")
    now = contents(url)
    with pytest.raises(TouchstoneError) as caught:
        restore(url, tmp_path / "b.sqlite")
    assert caught.value.code == Code.DATABASE
    assert contents(url) == now
    kept = restore(url, tmp_path / "b.sqlite", replace=True)
    assert "Came later" not in str(contents(url)["accounts"])
    assert "Came later" in str(contents(database_url(str(kept)))["accounts"])
    assert own.nobody().get("/api/health").status_code == 200


def test_what_is_no_backup_is_refused_and_nothing_is_touched(lived_in, tmp_path):
    url, *_ = lived_in
    before = contents(url)
    (tmp_path / "text.sqlite").write_text("not a database at all")
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as connection:
        connection.execute("CREATE TABLE accounts (id)")
    back_up(url, tmp_path / "b.sqlite")
    whole = (tmp_path / "b.sqlite").read_bytes()
    (tmp_path / "cut.sqlite").write_bytes(whole[: len(whole) // 2])
    for name in ("text.sqlite", "other.sqlite", "cut.sqlite", "missing.sqlite"):
        with pytest.raises(TouchstoneError):
            restore(url, tmp_path / name, replace=True)
    assert contents(url) == before


def test_the_database_itself_is_not_its_own_backup(tmp_path):
    url = database_url(str(tmp_path / "a.sqlite"))
    open_store(url).close()
    with pytest.raises(TouchstoneError) as caught:
        back_up(url, tmp_path / "a.sqlite")
    assert caught.value.code == Code.CANNOT_WRITE


def test_a_backup_has_no_free_pages(tmp_path, pairs, start_server):
    url = database_url(str(tmp_path / "own.sqlite"))
    own = start_server(url)
    own.project("nli", {"pairs.jsonl": pairs})
    with own.store.writing() as session:
        session.execute(text("CREATE TABLE large AS SELECT zeroblob(4000000) AS content"))
    with own.store.writing() as session:
        session.execute(text("DROP TABLE large"))
    back_up(url, tmp_path / "b.sqlite")
    assert (tmp_path / "b.sqlite").stat().st_size < 1_000_000
    assert contents(database_url(str(tmp_path / "b.sqlite"))) == contents(url)
    with closing(sqlite3.connect(tmp_path / "b.sqlite")) as connection:
        assert connection.execute("PRAGMA freelist_count").fetchone() == (0,)
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute("DELETE FROM audit")
