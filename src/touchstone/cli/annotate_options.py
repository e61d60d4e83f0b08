"""What the commands of ``touchstone annotate`` share: the database they are about, and whether it can be opened."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from touchstone.core.errors import TouchstoneError

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from touchstone.annotate.database import Store

Database = Annotated[
    str | None,
    typer.Option(metavar="FILE|URL", help="A SQLite file, or postgresql://…; by default a file in your data folder."),
]


def check_installed() -> None:
    """Say how to install what the application needs, where it is not there."""
    try:
        import alembic
        import argon2
        import fastapi
        import sqlalchemy
        import uvicorn  # noqa: F401
    except ModuleNotFoundError as error:
        hint = "run: pip install 'touchstone[annotate]'"
        raise TouchstoneError(f"the annotation application needs {error.name}", hint=hint) from None
    del alembic, argon2, fastapi, sqlalchemy


@contextmanager
def opened(database: str | None) -> "Iterator[Store]":
    """Give the store that a command is about, with its tables up to date."""
    check_installed()
    from touchstone.annotate.database import open_store
    from touchstone.annotate.settings import database_url

    store = open_store(database_url(database))
    try:
        yield store
    finally:
        store.close()


def account_of(session: "Session", email: str) -> int:
    """Return the id of the account with an address, or say which is near."""
    from sqlalchemy import select

    from touchstone.annotate.tables import Account
    from touchstone.core.errors import nearest

    plain = email.strip().casefold()
    found = session.scalar(select(Account.id).where(Account.email == plain))
    if found is None:
        near = nearest(plain, session.scalars(select(Account.email)))
        hint = "touchstone annotate user invite brings people in"
        raise TouchstoneError("no such account", value=email, near=near, kind="address", hint=hint)
    return found
