"""A database of any earlier version is brought to this one with all that is in it."""

import threading

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import insert, inspect, select, text
from sqlalchemy.exc import DBAPIError

from touchstone.annotate.backup import back_up, restore
from touchstone.annotate.database import Store, migrate, open_store, version_of, versions
from touchstone.annotate.settings import database_url
from touchstone.annotate.tables import Base, pack
from touchstone.core.errors import TouchstoneError

AT = "2026-01-02T03:04:05.678Z"

# A row for each table, with the columns that the table had from its first version on.
ROWS = {
    "accounts": {"id": 1, "email": "a@b.c", "name": "A", "password_hash": "x", "role": "admin", "created_at": AT},
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
    "login_attempts": {"id": 1, "at": AT, "address_hash": "a", "email_hash": "b", "success": True},
    "projects": {"id": 1, "name": "P", "task": "nli", "settings": '{"pass_mark":0.8}', "version": 1, "created_at": AT},
    "invitations": {
        "id": 1,
        "email": "b@b.c",
        "role": "annotator",
        "token_hash": "i",
        "created_at": AT,
        "expires_at": AT,
    },
    "members": {"project_id": 1, "account_id": 1},
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
}


def fill(store):
    """Put a row into every table that is there, as that version stored it; give the tables' names."""
    there = set(inspect(store.engine).get_table_names())
    with store.engine.begin() as connection:
        for table in Base.metadata.sorted_tables:
            if table.name in there:
                plain = text(
                    f"INSERT INTO {table.name} ({', '.join(ROWS[table.name])}) "
                    f"VALUES ({', '.join(f':{name}' for name in ROWS[table.name])})"
                )
                connection.execute(plain, ROWS[table.name])
    return there & set(ROWS)


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
        assert [{key: row[key] for key in old} for row, old in zip(after[name], before[name], strict=True)] == before[
            name
        ]
    with store.engine.connect() as connection:
        assert version_of(connection) == versions()[-1]
    with store.reading() as session:
        for table in Base.metadata.sorted_tables:
            session.execute(select(table)).all()
    store.close()


def test_there_are_earlier_versions_to_come_from():
    assert versions() == ["v1", "v2", "v3", "v5"]


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


def test_a_database_of_a_later_version_is_refused(fresh_store, empty_database):
    with fresh_store.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'v999'"))
    with pytest.raises(TouchstoneError, match="later version"):
        open_store(empty_database)


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
        row = {key: value for key, value in ROWS["accounts"].items() if key != "id"} | {"email": "other@b.c"}
        connection.execute(insert(accounts), row)
        assert connection.scalar(text("SELECT max(id) FROM accounts")) == 2
    store.close()
