"""``touchstone annotate user``: invitations and accounts."""

from typing import Annotated, Literal

import typer

from touchstone.base.errors import TouchstoneError
from touchstone.cli.annotate_options import Database, find_account, open_database, secret
from touchstone.cli.groups import group_app
from touchstone.cli.options import OutputOptions, with_options
from touchstone.cli.output import remark, show_finding

app = group_app("Invite people, reset passwords, list and disable accounts.")


Role = Literal["annotator", "reviewer", "manager"]


@app.command("invite")
def invite(
    email: Annotated[str, typer.Argument(help="The address of the person.")],
    into: Annotated[str | None, typer.Option("--project", help="The project that the person joins.")] = None,
    role: Annotated[Role | None, typer.Option(help="The role in the project; annotator by default.")] = None,
    admin: Annotated[bool, typer.Option("--admin", help="Invite an administrator.")] = False,
    url: Annotated[str, typer.Option(help="The address of the server.")] = "http://127.0.0.1:8000",
    database: Database = None,
) -> None:
    """Invite a person: print a link, which you send to them.

    Whoever opens it creates an account. Somebody who has an account logs in and joins the project.

    Example: touchstone annotate user invite ann@example.org --project pairs --role reviewer
    """
    if role and not into:
        raise TouchstoneError("roles belong to projects", hint="name one with --project, or leave --role out")
    if admin and into:
        raise TouchstoneError("an administrator is in all projects", hint="leave out --project or --admin")
    with open_database(database) as store:
        from touchstone.annotate.accounts import InvitedRole
        from touchstone.annotate.accounts import invite as create_invitation
        from touchstone.annotate.audit import COMMAND_LINE
        from touchstone.annotate.projects import invite_member, project_named

        with store.writing() as session:
            project = project_named(session, into) if into else None
            if project:
                invitation, token = invite_member(session, COMMAND_LINE, secret(), project, email, role or "annotator")
            else:
                invitation, token = create_invitation(session, COMMAND_LINE, secret(), email, InvitedRole(admin=admin))
    typer.echo(f"{url.rstrip('/')}/invitation/{token}")
    remark([f"for {invitation.email}; valid once, until {invitation.expires_at[:10]}"])


@app.command("list")
@with_options
def list_users(database: Database = None, *, output: OutputOptions) -> None:
    """List the accounts.

    Example: touchstone annotate user list
    """
    with open_database(database, existing=True) as store:
        from sqlalchemy import select

        from touchstone.annotate.tables import Account
        from touchstone.base.tables import Column, Table
        from touchstone.show.finding import Statement, kind_rows

        with store.reading() as session:
            accounts = session.scalars(select(Account).order_by(Account.name)).all()
    cells = [
        [row.name, row.email, "administrator" if row.admin else "", "disabled" if row.disabled_at else ""]
        for row in accounts
    ]
    table = Table([Column(head) for head in ("name", "email", "", "")], cells)
    rows = (
        {"name": row.name, "email": row.email, "administrator": row.admin, "disabled": bool(row.disabled_at)}
        for row in accounts
    )
    show_finding(output, Statement("Accounts", [table], kind_rows("account", rows)))


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


@app.command("reset")
def reset(
    email: Annotated[str, typer.Argument(metavar="ADDRESS", help="The address of the account.")],
    url: Annotated[str, typer.Option(help="The address of the server.")] = "http://127.0.0.1:8000",
    database: Database = None,
) -> None:
    """Print a link with which a person sets a new password; an earlier link stops working.

    Example: touchstone annotate user reset ann@example.org
    """
    with open_database(database) as store:
        from touchstone.annotate.audit import COMMAND_LINE
        from touchstone.annotate.resetting import make_reset

        with store.writing() as session:
            account, made, token = make_reset(session, COMMAND_LINE, secret(), find_account(session, email))
    typer.echo(f"{url.rstrip('/')}/reset/{token}")
    remark([f"for {account.email}; valid once, until {made.expires_at[:16].replace('T', ' ')} UTC"])
