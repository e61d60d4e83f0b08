"""``touchstone annotate user``: invitations and accounts."""

from typing import TYPE_CHECKING, Literal

from touchstone.annotate.opening import find_account, open_database, secret
from touchstone.base.console import remark
from touchstone.base.errors import TouchstoneError

if TYPE_CHECKING:
    from touchstone.show.finding import Finding

Role = Literal["annotator", "reviewer", "manager"]

LOCAL = "http://127.0.0.1:8000"
"""Where ``serve`` listens by default."""


def invite(
    email: str,
    *,
    into: str | None = None,
    role: Role | None = None,
    admin: bool = False,
    url: str = LOCAL,
    database: str | None = None,
) -> None:
    """Invite a person: print a link, which you send to them.

    Whoever opens it creates an account. Somebody who has an account logs in and joins the project.

    Example: touchstone annotate user invite ann@example.org --project pairs --role reviewer

    Parameters
    ----------
    email
        The address of the person.
    into : --project
        The project that the person joins.
    role
        The role in the project; annotator by default.
    admin
        Invite an administrator.
    url
        The address of the server.
    database : FILE|URL
        A SQLite file, or postgresql://…; by default the value of TOUCHSTONE_ANNOTATE_DATABASE, or a file in your data
        folder.
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
    print(f"{url.rstrip('/')}/invitation/{token}")
    remark([f"for {invitation.email}; valid once, until {invitation.expires_at[:10]}"])


def list_users(*, database: str | None = None) -> "Finding":
    """List the accounts.

    Example: touchstone annotate user list

    Parameters
    ----------
    database : FILE|URL
        A SQLite file, or postgresql://…; by default the value of TOUCHSTONE_ANNOTATE_DATABASE, or a file in your data
        folder.
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
    return Statement("Accounts", [table], kind_rows("account", rows))


def disable(email: str, *, database: str | None = None) -> None:
    """Disable an account: it is logged out everywhere and cannot log in. Its answers are kept.

    Example: touchstone annotate user disable ann@example.org

    Parameters
    ----------
    email
        The address of the account.
    database : FILE|URL
        A SQLite file, or postgresql://…; by default the value of TOUCHSTONE_ANNOTATE_DATABASE, or a file in your data
        folder.
    """
    with open_database(database) as store:
        from touchstone.annotate.accounts import change_account
        from touchstone.annotate.audit import COMMAND_LINE

        with store.writing() as session:
            change_account(session, COMMAND_LINE, find_account(session, email), disabled=True)
    print(f"{email} is disabled")


def reset(email: str, *, url: str = LOCAL, database: str | None = None) -> None:
    """Print a link with which a person sets a new password; an earlier link stops working.

    Example: touchstone annotate user reset ann@example.org

    Parameters
    ----------
    email : ADDRESS
        The address of the account.
    url
        The address of the server.
    database : FILE|URL
        A SQLite file, or postgresql://…; by default the value of TOUCHSTONE_ANNOTATE_DATABASE, or a file in your data
        folder.
    """
    with open_database(database) as store:
        from touchstone.annotate.audit import COMMAND_LINE
        from touchstone.annotate.resetting import make_reset

        with store.writing() as session:
            account, made, token = make_reset(session, COMMAND_LINE, secret(), find_account(session, email))
    print(f"{url.rstrip('/')}/reset/{token}")
    remark([f"for {account.email}; valid once, until {made.expires_at[:16].replace('T', ' ')} UTC"])
