"""A database of any earlier version is brought to this one with all that is in it."""

import threading
import zlib

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import insert, inspect, select, text
from sqlalchemy.exc import DBAPIError

from touchstone.annotate.backup import back_up, restore
from touchstone.annotate.database import Store, open_store
from touchstone.annotate.migrating import migrate, version_of, versions
from touchstone.annotate.settings import database_url
from touchstone.annotate.tables import Base, pack
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError

AT = "2026-01-02T03:04:05.678Z"

# A row for each table, with all columns that it needed in any version.
ROWS = {
    "accounts": {
        "id": 1,
        "email": "a@b.c",
        "name": "A",
        "password_hash": "x",
        "role": "admin",
        "admin": True,
        "created_at": AT,
    },
    "sessions": {
        "id": 1,
        "account_id": 1,
        "token_hash": "t",
        "created_at": AT,
        "seen_at": AT,
        "expires_at": AT,
        "address": "",
        "agent": "",
    },
    "resets": {"id": 1, "account_id": 1, "token_hash": "r", "created_at": AT, "expires_at": AT},
    "login_attempts": {"id": 1, "at": AT, "address_hash": "a", "email_hash": "b", "success": True},
    "projects": {"id": 1, "name": "P", "task": "nli", "settings": '{"pass_mark":0.8}', "version": 1, "created_at": AT},
    "invitations": {
        "id": 1,
        "email": "b@b.c",
        "role": "annotator",
        "admin": False,
        "token_hash": "i",
        "created_at": AT,
        "expires_at": AT,
    },
    "members": {"project_id": 1, "account_id": 1, "role": "manager"},
    "audit": {
        "id": 1,
        "at": AT,
        "account_id": 1,
        "actor": "A",
        "action": "create",
        "object": "project",
        "object_id": 1,
    },
    "attachments": {"digest": "d", "body": pack({"a": 1})},
    "items": {
        "id": 1,
        "project_id": 1,
        "key": "k",
        "kind": "pair",
        "position": 1,
        "purpose": "work",
        "payload": '{"premise":"p"}',
        "starts_imported": False,
        "created_at": AT,
    },
    "answers": {
        "id": 1,
        "item_id": 1,
        "account_id": 1,
        "author_name": "A",
        "kind": "annotation",
        "version": 0,
        "unsure": False,
        "comment": "",
        "done": False,
        "seconds": 1.5,
        "created_at": AT,
        "updated_at": AT,
    },
    "revisions": {
        "id": 1,
        "answer_id": 1,
        "version": 0,
        "account_id": 1,
        "key": "opened",
        "digest": "",
        "at": AT,
        "body": pack({"q1": None}),
        "unsure": False,
        "comment": "",
        "done": False,
        "seconds": 0.0,
        "change": "",
    },
    "assignments": {"id": 1, "item_id": 1, "account_id": 1, "duty": "annotate", "created_at": AT},
    "qualifications": {"project_id": 1, "account_id": 1, "attempt": 1, "score": 0.5, "passed": False},
    "pseudonyms": {"project_id": 1, "account_id": 1, "number": 3},
    "imports": {
        "id": 1,
        "project_id": 1,
        "account_id": 1,
        "purpose": "work",
        "created_at": AT,
        "alive_at": AT,
        "total": 1,
        "staged": 1,
    },
    "staged_items": {"import_id": 1, "number": 1, "key": "k", "kind": "pair", "starts_imported": False},
    "runs": {
        "id": 1,
        "project_id": 1,
        "name": "s",
        "file_name": "s.jsonl",
        "size": 2,
        "digest": "d",
        "content": zlib.compress(b"{}"),
        "account_id": 1,
        "created_at": AT,
    },
    "uploads": {
        "id": 1,
        "project_id": 1,
        "account_id": 1,
        "name": "s",
        "file_name": "s.jsonl",
        "content": zlib.compress(b"{}"),
        "replace": False,
        "created_at": AT,
    },
    "scores": {
        "project_id": 1,
        "digest": "d",
        "checked": "c",
        "at": AT,
        "body": pack({"notes": []}),
        "report": zlib.compress(b"<p>"),
    },
}


def fill(store):
    """Put a row into every table that is there, as that version stored it; give the tables' names."""
    inspector = inspect(store.engine)
    there = set(inspector.get_table_names())
    with store.engine.begin() as connection:
        for table in Base.metadata.sorted_tables:
            if table.name in there:
                add(connection, table.name, ROWS[table.name])
    return there & set(ROWS)


def add(connection, table, row):
    """Insert a row with those of its columns that the table has."""
    names = [column["name"] for column in inspect(connection).get_columns(table) if column["name"] in row]
    values = ", ".join(f":{name}" for name in names)
    connection.execute(text(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({values})"), row)


def rows_of(store, names):
    with store.reading() as session:
        return {name: [dict(row._mapping) for row in session.execute(text(f"SELECT * FROM {name}"))] for name in names}


@pytest.mark.parametrize("version", versions())
def test_every_earlier_version_comes_here_with_its_rows(empty_database, version):
    store = Store(empty_database)
    migrate(store.engine, version)
    names = fill(store)
    before = rows_of(store, names)
    migrate(store.engine)
    after = rows_of(store, names)
    for name in names:
        for row, old in zip(after[name], before[name], strict=True):
            assert {**old, **row} == {**row, **old}, name
    with store.engine.connect() as connection:
        assert version_of(connection) == versions()[-1]
    with store.reading() as session:
        for table in Base.metadata.sorted_tables:
            session.execute(select(table)).all()
    store.close()


def test_former_roles_become_roles_in_the_projects_and_admins_administrators(empty_database):
    store = Store(empty_database)
    migrate(store.engine, "v3")
    with store.engine.begin() as connection:
        for number, role in enumerate(("annotator", "reviewer", "manager", "admin", "admin"), 1):
            add(connection, "accounts", {**ROWS["accounts"], "id": number, "email": f"{number}@b.c", "role": role})
        add(connection, "projects", ROWS["projects"])
        for number in range(1, 5):
            add(connection, "members", {"project_id": 1, "account_id": number})
        for number, (role, project) in enumerate(
            [("reviewer", 1), ("admin", None), ("admin", 1), ("manager", None)], 1
        ):
            invitation = {"id": number, "token_hash": f"i{number}", "role": role, "project_id": project}
            add(connection, "invitations", {**ROWS["invitations"], **invitation})
    migrate(store.engine)
    with store.reading() as session:
        members = session.execute(text("SELECT account_id, role FROM members ORDER BY account_id")).all()
        admins = session.scalars(text("SELECT id FROM accounts WHERE admin ORDER BY id")).all()
        invitations = session.execute(text("SELECT role, admin, project_id FROM invitations ORDER BY id")).all()
    assert [tuple(row) for row in members] == [(1, "annotator"), (2, "reviewer"), (3, "manager"), (4, "manager")]
    assert admins == [4, 5]
    kept = [(role, bool(admin), project) for role, admin, project in invitations]
    assert kept == [("reviewer", False, 1), ("manager", True, None), ("manager", True, 1), ("manager", False, None)]
    store.close()


def test_peers_without_a_pyramid_begin_to_wait(empty_database):
    store = Store(empty_database)
    migrate(store.engine, "v4")
    with store.engine.begin() as connection:
        add(connection, "projects", ROWS["projects"])
        for number, units in enumerate(([], [{"uid": "1"}]), 1):
            add(connection, "attachments", {"digest": f"d{number}", "body": pack({"scus": units})})
            peer = {"id": number, "key": f"S1 {number}", "kind": "peer", "payload": '{"set":"S1"}'}
            add(connection, "items", {**ROWS["items"], **peer, "attachment_digest": f"d{number}"})
    migrate(store.engine)
    with store.reading() as session:
        waits = session.scalars(text("SELECT waits_for FROM items ORDER BY id")).all()
    assert waits == ["the pyramid of S1", None]
    store.close()


def test_references_are_enforced_again_after_tables_were_rebuilt(tmp_path):
    store = Store(database_url(str(tmp_path / "old.sqlite")))
    migrate(store.engine, "v3")
    fill(store)
    with store.engine.begin() as connection:
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
    migrate(store.engine)
    with store.engine.begin() as connection:
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
        with pytest.raises(DBAPIError):
            connection.execute(text("DELETE FROM accounts"))
    store.close()


def test_there_are_earlier_versions_to_come_from():
    assert versions() == [f"v{number}" for number in range(1, 11)]


def test_the_tables_are_what_the_migrations_make(fresh_store):
    with fresh_store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_every_table_has_a_row_in_these_tests():
    assert set(ROWS) == set(Base.metadata.tables)


def test_migrating_twice_changes_nothing(fresh_store):
    fill(fresh_store)
    before = rows_of(fresh_store, ROWS)
    migrate(fresh_store.engine)
    assert rows_of(fresh_store, ROWS) == before


def test_many_that_start_at_once_migrate_once(empty_database):
    barrier, failures = threading.Barrier(4), []

    def begin():
        barrier.wait()
        try:
            open_store(empty_database).close()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=begin) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_migration_that_fails_leaves_the_database_as_it_was(empty_database):
    store = Store(empty_database)
    migrate(store.engine, "v1")
    with store.engine.begin() as connection:
        connection.execute(text("CREATE TABLE assignments (in_the_way INTEGER)"))
    with pytest.raises(DBAPIError):
        migrate(store.engine)
    with store.engine.connect() as connection:
        assert version_of(connection) == "v1"
    assert "items" not in inspect(store.engine).get_table_names()
    store.close()


def old_database(url):
    """Make a database of an earlier version with something in it."""
    store = Store(url)
    migrate(store.engine, "v3")
    fill(store)
    store.close()


def test_a_database_is_backed_up_before_it_is_migrated_and_told_where(empty_database, tmp_path, caplog):
    old_database(empty_database)
    open_store(empty_database, folder=tmp_path / "data").close()
    beside = tmp_path if empty_database.startswith("sqlite") else tmp_path / "data"
    (kept,) = beside.glob("*-v3-*.sqlite")
    assert str(kept) in caplog.text
    assert kept.stat().st_mode & 0o777 == 0o600
    former = Store(database_url(str(kept)))
    with former.engine.connect() as connection:
        assert version_of(connection) == "v3"
        assert connection.execute(text("SELECT role FROM accounts")).scalars().all() == ["admin"]
    assert all(len(rows) == 1 for rows in rows_of(former, inspect(former.engine).get_table_names()).values())
    former.close()
    restore(database_url(str(tmp_path / "again.sqlite")), kept)
    open_store(empty_database, folder=tmp_path / "data").close()
    assert list(beside.glob("*-v3-*.sqlite")) == [kept], "a database of this version is not backed up"


def test_an_empty_database_of_an_earlier_version_is_not_backed_up(empty_database, tmp_path):
    store = Store(empty_database)
    migrate(store.engine, "v3")
    store.close()
    open_store(empty_database, folder=tmp_path / "data").close()
    assert list(tmp_path.rglob("*-v3-*")) == []


def test_nothing_is_migrated_if_the_backup_cannot_be_written(empty_database, tmp_path, monkeypatch):
    from touchstone.annotate import copying

    def full(*_):
        raise OSError(28, "No space left on device")

    old_database(empty_database)
    monkeypatch.setattr(copying, "check_integrity", full)
    with pytest.raises(TouchstoneError, match="cannot be backed up first: cannot be written") as caught:
        open_store(empty_database, folder=tmp_path / "data")
    assert "nothing was changed" in str(caught.value)
    store = Store(empty_database)
    with store.engine.connect() as connection:
        assert version_of(connection) == "v3"
    store.close()
    assert list(tmp_path.rglob("*-v3-*")) == [], "nothing half-written is left"


def test_a_folder_that_cannot_be_made_prevents_the_migration(postgres, tmp_path):
    url = database_url(postgres())
    old_database(url)
    (tmp_path / "data").write_text("a file in the way")
    with pytest.raises(TouchstoneError) as caught:
        open_store(url, folder=tmp_path / "data")
    assert caught.value.code == Code.CANNOT_WRITE
    store = Store(url)
    with store.engine.connect() as connection:
        assert version_of(connection) == "v3"
    store.close()


def test_many_that_start_at_once_make_one_backup(empty_database, tmp_path):
    old_database(empty_database)
    threads = [threading.Thread(target=lambda: open_store(empty_database, folder=tmp_path).close()) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(tmp_path.glob("*-v3-*.sqlite"))) == 1


def test_a_database_of_a_later_version_is_refused(fresh_store, empty_database):
    with fresh_store.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'v999'"))
    with pytest.raises(TouchstoneError) as caught:
        open_store(empty_database)
    assert caught.value.code == Code.DATABASE


@pytest.mark.parametrize("version", versions())
def test_a_backup_of_an_earlier_version_restores_into_this_one(tmp_path, postgres, version):
    old = Store(database_url(str(tmp_path / "old.sqlite")))
    migrate(old.engine, version)
    names = fill(old)
    old.close()
    for target in (database_url(str(tmp_path / "new.sqlite")), database_url(postgres())):
        restore(target, tmp_path / "old.sqlite")
        store = open_store(target)
        assert all(len(rows) == 1 for rows in rows_of(store, names).values())
        store.close()


def test_a_backup_of_an_earlier_version_is_taken_after_it_was_brought_here(tmp_path):
    url = database_url(str(tmp_path / "old.sqlite"))
    old = Store(url)
    migrate(old.engine, "v1")
    fill(old)
    old.close()
    back_up(url, tmp_path / "b.sqlite")
    store = open_store(database_url(str(tmp_path / "b.sqlite")))
    assert len(rows_of(store, ["accounts"])["accounts"]) == 1
    store.close()


def test_numbers_go_on_after_a_restore(tmp_path, postgres):
    old = Store(database_url(str(tmp_path / "old.sqlite")))
    migrate(old.engine)
    fill(old)
    old.close()
    store_url = database_url(postgres())
    restore(store_url, tmp_path / "old.sqlite")
    store = open_store(store_url)
    accounts = Base.metadata.tables["accounts"]
    with store.engine.begin() as connection:
        row = {key: value for key, value in ROWS["accounts"].items() if key not in ("id", "role")} | {
            "email": "other@b.c"
        }
        connection.execute(insert(accounts), row)
        assert connection.scalar(text("SELECT max(id) FROM accounts")) == 2
    store.close()
