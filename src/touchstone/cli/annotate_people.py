"""``touchstone annotate user``: invitations and accounts."""

from enum import StrEnum
from typing import Annotated

import typer

from touchstone.cli.annotate_options import Database, account_of, opened
from touchstone.cli.showing import remark, show_tables

app = typer.Typer(help="Invite people, list and disable accounts.", no_args_is_help=True)


class Role(StrEnum):
    """What people may do."""

    ANNOTATOR = "annotator"
    REVIEWER = "reviewer"
    MANAGER = "manager"
    ADMIN = "admin"


@app.command("invite")
def invite(
    email: Annotated[str, typer.Argument(help="Whom to invite.")],
    role: Annotated[Role, typer.Option(help="What they may do.")] = Role.ANNOTATOR,
    into: Annotated[str | None, typer.Option("--project", help="The project that they join.")] = None,
    url: Annotated[str, typer.Option(help="Where they reach the server.")] = "http://127.0.0.1:8000",
    database: Database = None,
) -> None:
    """Invite somebody: print the address at which they make their account, for you to send.

    Example: touchstone annotate user invite ann@example.org --role annotator
    """
    with opened(database) as store:
        from touchstone.annotate.accounts import invite as make
        from touchstone.annotate.audit import COMMAND_LINE
        from touchstone.annotate.projects import project_named
        from touchstone.annotate.settings import data_folder, installation_secret

        secret = installation_secret(data_folder())
        with store.writing() as session:
            joined = project_named(session, into).id if into else None
            made, token = make(session, (None, COMMAND_LINE), secret, email, role.value, joined)
    typer.echo(f"{url.rstrip('/')}/invitation/{token}")
    remark([f"for {made.email} as {made.role}, once, until {made.expires_at[:10]}"])


@app.command("list")
def list_users(database: Database = None) -> None:
    """List the accounts.

    Example: touchstone annotate user list
    """
    with opened(database) as store:
        from sqlalchemy import select

        from touchstone.annotate.tables import Account
        from touchstone.core.tables import Column, Table

        with store.reading() as session:
            found = session.scalars(select(Account).order_by(Account.name)).all()
    rows = [[one.name, one.email, one.role, "disabled" if one.disabled_at else ""] for one in found]
    show_tables([Table([Column(head) for head in ("name", "email", "role", "")], rows)])


@app.command("disable")
def disable(
    email: Annotated[str, typer.Argument(help="Whose account to disable.")],
    database: Database = None,
) -> None:
    """Disable an account: it is logged out everywhere and cannot log in; its answers stay.

    Example: touchstone annotate user disable ann@example.org
    """
    with opened(database) as store:
        from touchstone.annotate.accounts import change_account
        from touchstone.annotate.audit import COMMAND_LINE

        with store.writing() as session:
            change_account(session, (None, COMMAND_LINE), account_of(session, email), disabled=True)
    typer.echo(f"{email} is disabled")
