"""``touchstone annotate user``: invitations and accounts."""

from typing import Annotated, Literal

import typer

from touchstone.cli.annotate_options import Database, find_account, open_database
from touchstone.cli.groups import group_app
from touchstone.cli.options import OutputOptions, with_options
from touchstone.cli.output import remark, show, tables_dict

app = group_app("Invite people, list and disable accounts.")


Role = Literal["annotator", "reviewer", "manager", "admin"]


@app.command("invite")
def invite(
    email: Annotated[str, typer.Argument(help="The address of the person.")],
    role: Annotated[Role, typer.Option(help="The role of the person.")] = "annotator",
    into: Annotated[str | None, typer.Option("--project", help="The project that the person joins.")] = None,
    url: Annotated[str, typer.Option(help="The address of the server.")] = "http://127.0.0.1:8000",
    database: Database = None,
) -> None:
    """Invite a person: print a link for creating an account, which you send to them.

    Example: touchstone annotate user invite ann@example.org --role annotator
    """
    with open_database(database) as store:
        from touchstone.annotate.accounts import invite as create_invitation
        from touchstone.annotate.audit import COMMAND_LINE
        from touchstone.annotate.projects import project_named
        from touchstone.annotate.settings import data_folder, installation_secret

        secret = installation_secret(data_folder())
        with store.writing() as session:
            project_id = project_named(session, into).id if into else None
            invitation, token = create_invitation(session, COMMAND_LINE, secret, email, role, project_id)
    typer.echo(f"{url.rstrip('/')}/invitation/{token}")
    until = invitation.expires_at[:10]
    remark([f"for {invitation.email} as {invitation.role}; valid once, until {until}"])


@app.command("list")
@with_options
def list_users(database: Database = None, *, output: OutputOptions) -> None:
    """List the accounts.

    Example: touchstone annotate user list
    """
    with open_database(database) as store:
        from sqlalchemy import select

        from touchstone.annotate.tables import Account
        from touchstone.core.tables import Column, Table

        with store.reading() as session:
            accounts = session.scalars(select(Account).order_by(Account.name)).all()
    rows = [[row.name, row.email, row.role, "disabled" if row.disabled_at else ""] for row in accounts]
    tables = [Table([Column(head) for head in ("name", "email", "role", "")], rows)]
    show(output, tables, lambda: tables_dict(tables))


@app.command("disable")
def disable(
    email: Annotated[str, typer.Argument(help="The address of the account.")],
    database: Database = None,
) -> None:
    """Disable an account: it is logged out everywhere and cannot log in. Its answers are kept.

    Example: touchstone annotate user disable ann@example.org
    """
    with open_database(database) as store:
        from touchstone.annotate.accounts import change_account
        from touchstone.annotate.audit import COMMAND_LINE

        with store.writing() as session:
            change_account(session, COMMAND_LINE, find_account(session, email), disabled=True)
    typer.echo(f"{email} is disabled")
