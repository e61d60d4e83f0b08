"""What the commands of ``touchstone annotate`` share: opening the database, finding accounts."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from touchstone.base.errors import TouchstoneError, needs

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from touchstone.annotate.database import Store


def check_installed() -> None:
    """Raise `TouchstoneError` with the install command if a dependency is missing."""
    with needs("annotate"):
        import alembic
        import argon2
        import fastapi
        import sqlalchemy
        import uvicorn  # noqa: F401
    del alembic, argon2, fastapi, sqlalchemy


@contextmanager
def open_database(database: str | None, *, existing: bool = False) -> "Iterator[Store]":
    """Give the open database (the default one if None), with its tables up to date; *existing* creates none."""
    check_installed()
    from touchstone.annotate.configuring import configured
    from touchstone.annotate.database import open_store

    configuration = configured({"database": database})
    if existing:
        check_existing(configuration.url)
    with closing(open_store(configuration.url, folder=configuration.folder)) as store:
        yield store


def check_existing(url: str) -> str:
    """Return the URL of a database; refuse a file that is not there, so that reading creates nothing."""
    from touchstone.annotate.settings import sqlite_file

    file = sqlite_file(url)
    if file is not None and not file.is_file():
        raise TouchstoneError("no such database", file=str(file), hint="touchstone annotate serve creates one")
    return url


def secret() -> bytes:
    """Return the secret of the installation."""
    from touchstone.annotate.configuring import configured
    from touchstone.annotate.settings import installation_secret

    return installation_secret(configured().folder)


def find_account(session: "Session", email: str) -> int:
    """Return the id of the account with an address; an error names the most similar address."""
    from sqlalchemy import select

    from touchstone.annotate.accounts import open_invitations
    from touchstone.annotate.tables import Account
    from touchstone.base.errors import nearest

    address = email.strip().casefold()
    account = session.scalar(select(Account.id).where(Account.email == address))
    if account is None:
        if address in [invitation["email"] for invitation in open_invitations(session)]:
            hint = "the person creates the account by opening the link of the invitation"
            raise TouchstoneError("invited, but has not accepted yet", value=email, kind="address", hint=hint)
        near = nearest(address, session.scalars(select(Account.email)))
        hint = "invite people with touchstone annotate user invite"
        raise TouchstoneError("no such account", value=email, near=near, kind="address", hint=hint)
    return account
