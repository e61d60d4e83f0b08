"""API routes for logging in and out, invitations and accounts."""

import hmac

from fastapi import Request, Response
from pydantic import Field
from sqlalchemy import select

from touchstone.annotate import accounts, audit, resetting, sessions
from touchstone.annotate.access import project_for
from touchstone.annotate.accounts import InvitedRole, account_object
from touchstone.annotate.api.parts import Body, Limit, Reply, TheOrigin, TheSettings, TheStore, logged_in, router
from touchstone.annotate.projects import add_member, invite_member, join
from touchstone.annotate.refusals import forbidden
from touchstone.annotate.safety import COOKIE, Admin, LoggedIn, Manager, Public
from touchstone.annotate.tables import Account, Invitation, Project, columns
from touchstone.io.jsonl import Json

routes = router("accounts")


class LogInBody(Body):
    """The credentials of a login."""

    email: str = Field(max_length=300)
    password: str = Field(max_length=1_000)


class AcceptBody(Body):
    """The data that an invited person adds."""

    name: str
    password: str


class SetupBody(AcceptBody):
    """The first account, and the setup token that the server printed."""

    token: str
    email: str = Field(max_length=300)


class PasswordBody(Body):
    """A change of password."""

    current: str = Field(max_length=1_000)
    new: str = Field(max_length=1_000)


class ResetBody(Body):
    """A new password."""

    password: str = Field(max_length=1_000)


class InviteBody(Body):
    """An invitation to create an account."""

    email: str = Field(max_length=300)
    admin: bool = False


class JoinBody(Body):
    """Somebody who is to join a project, by address."""

    email: str = Field(max_length=300)
    role: str


class AccountBody(Body):
    """A change of an account."""

    admin: bool | None = None
    disabled: bool | None = None


@routes.post("/setup", dependencies=[Public], status_code=201)
def setup(request: Request, body: SetupBody, store: TheStore, settings: TheSettings, origin: TheOrigin) -> Response:
    """Create the first account."""
    with store.reading() as session:
        taken = accounts.has_accounts(session)
    if not taken and not (settings.setup and hmac.compare_digest(settings.setup.encode(), body.token.encode())):
        raise forbidden("creating the first account needs the setup token printed by the server")
    hashed = "" if taken else accounts.hash_password(body.password)
    with store.writing() as session:
        account = accounts.first_account(session, body.email, body.name, hashed)
        token = sessions.start_session(session, settings.secret, account, origin)
    return logged_in(request, account_object(account), token, 201)


@routes.post("/session", dependencies=[Public])
def log_in(request: Request, body: LogInBody, store: TheStore, settings: TheSettings, origin: TheOrigin) -> Response:
    """Log in."""
    account, token = sessions.log_in(store, settings.secret, body.email, body.password, origin)
    return logged_in(request, account_object(account), token)


@routes.delete("/session", status_code=204)
def log_out(person: LoggedIn, store: TheStore) -> Response:
    """Log out."""
    with store.writing() as session:
        sessions.log_out(session, person, person.session_id)
    reply = Response(status_code=204)
    reply.delete_cookie(COOKIE, path="/")
    return reply


@routes.get("/invitations/{token}", dependencies=[Public])
def see_invitation(token: str, store: TheStore, settings: TheSettings) -> Response:
    """Return what an invitation is for, and whether there is an account with its address, which then accepts it."""
    with store.reading() as session:
        invitation = accounts.invitation_of(session, settings.secret, token)
        has_account = accounts.account_with(session, invitation.email) is not None
    return Reply({**columns(invitation, "email", "role", "admin", "expires_at"), "has_account": has_account})


@routes.post("/invitations/{token}", dependencies=[Public], status_code=201)
def accept(
    request: Request, token: str, body: AcceptBody, store: TheStore, settings: TheSettings, origin: TheOrigin
) -> Response:
    """Create the account that an invitation is for."""
    with store.reading() as session:
        accounts.invitation_of(session, settings.secret, token)
    # Hashing is slow by design: nobody else should wait for it within a transaction that writes.
    hashed = accounts.hash_password(body.password)
    with store.writing() as session:
        account, invitation = accounts.accept(session, settings.secret, token, body.name, hashed)
        if invitation.project_id is not None:
            project = session.get_one(Project, invitation.project_id)
            add_member(session, (account.id, account.name), project, account.id, str(invitation.role))
        cookie = sessions.start_session(session, settings.secret, account, origin)
    return logged_in(request, account_object(account), cookie, 201)


@routes.post("/invitations/{token}/membership")
def become_member(token: str, person: LoggedIn, store: TheStore, settings: TheSettings) -> Response:
    """Accept an invitation to the person's address into a project."""
    with store.writing() as session:
        project = join(session, settings.secret, person, token)
    return Reply(columns(project, "id", "name"))


@routes.get("/me")
def me(person: LoggedIn) -> Response:
    """Return the account that is logged in."""
    return Reply(account_object(person))


@routes.post("/me/password", status_code=204)
def change_password(
    person: LoggedIn, body: PasswordBody, store: TheStore, settings: TheSettings, origin: TheOrigin
) -> None:
    """Change the password."""
    sessions.change_password(store, settings.secret, person, body.current, body.new, origin)


@routes.get("/me/sessions")
def my_sessions(person: LoggedIn, store: TheStore) -> Response:
    """Return the open sessions of the person."""
    with store.reading() as session:
        return Reply({"sessions": sessions.open_sessions(session, person)})


@routes.delete("/me/sessions/{session_id}", status_code=204)
def end_session(session_id: int, person: LoggedIn, store: TheStore) -> None:
    """End another session of the person."""
    with store.writing() as session:
        sessions.log_out(session, person, session_id)


@routes.get("/accounts")
def list_accounts(person: Admin, store: TheStore) -> Response:  # noqa: ARG001 (the role is the check)
    """Return all accounts."""
    with store.reading() as session:
        rows = session.scalars(select(Account).order_by(Account.name, Account.id)).all()
    return Reply({"accounts": [_account_row(account) for account in rows]})


def _account_row(account: Account) -> dict[str, Json]:
    return {**account_object(account), "disabled": account.disabled_at is not None}


@routes.patch("/accounts/{account_id}")
def change_account(account_id: int, body: AccountBody, person: Admin, store: TheStore) -> Response:
    """Make an account an administrator or not, disable it or enable it again."""
    with store.writing() as session:
        account = accounts.change_account(session, person.actor, account_id, admin=body.admin, disabled=body.disabled)
    return Reply(_account_row(account))


@routes.post("/accounts/{account_id}/reset", status_code=201)
def make_reset(request: Request, account_id: int, person: Admin, store: TheStore, settings: TheSettings) -> Response:
    """Make a link that sets a new password; only this response contains it."""
    with store.writing() as session:
        account, reset, token = resetting.make_reset(session, person.actor, settings.secret, account_id)
    url = f"{str(request.base_url).rstrip('/')}/reset/{token}"
    return Reply({**columns(account, "email", "name"), "expires_at": reset.expires_at, "url": url}, 201)


@routes.post("/resets/{token}", dependencies=[Public])
def reset_password(
    request: Request, token: str, body: ResetBody, store: TheStore, settings: TheSettings, origin: TheOrigin
) -> Response:
    """Set a new password with a link, and log in."""
    with store.reading() as session:
        resetting.account_of(session, settings.secret, token)
    hashed = accounts.hash_password(body.password)
    with store.writing() as session:
        account = resetting.set_password(session, settings.secret, token, hashed)
        cookie = sessions.start_session(session, settings.secret, account, origin)
    return logged_in(request, account_object(account), cookie)


@routes.post("/invitations", status_code=201)
def invite(request: Request, body: InviteBody, person: Admin, store: TheStore, settings: TheSettings) -> Response:
    """Invite somebody to create an account, of an administrator or without a project."""
    with store.writing() as session:
        made = accounts.invite(session, person.actor, settings.secret, body.email, InvitedRole(admin=body.admin))
    return _invited(request, *made)


def _invited(request: Request, invitation: Invitation, token: str) -> Response:
    """Return the response to an invitation; nothing else contains the link to send."""
    url = f"{str(request.base_url).rstrip('/')}/invitation/{token}"
    return Reply({**columns(invitation, "id", "email", "role", "admin", "expires_at"), "url": url}, 201)


@routes.post("/projects/{project_id}/invitations", status_code=201)
def invite_into(
    request: Request, project_id: int, body: JoinBody, person: Manager, store: TheStore, settings: TheSettings
) -> Response:
    """Invite somebody into a project, with or without an account; they join by opening the link."""
    with store.writing() as session:
        project = project_for(session, person, project_id)
        made = invite_member(session, person.actor, settings.secret, project, body.email, body.role)
    return _invited(request, *made)


@routes.get("/invitations")
def list_invitations(person: Admin, store: TheStore) -> Response:  # noqa: ARG001
    """Return all open invitations."""
    with store.reading() as session:
        return Reply({"invitations": accounts.open_invitations(session)})


@routes.get("/projects/{project_id}/invitations")
def list_project_invitations(project_id: int, person: Manager, store: TheStore) -> Response:
    """Return the open invitations into a project."""
    with store.reading() as session:
        project = project_for(session, person, project_id)
        return Reply({"invitations": accounts.open_invitations(session, project.id)})


@routes.delete("/invitations/{invitation_id}", status_code=204)
def revoke(invitation_id: int, person: Manager, store: TheStore) -> None:
    """Revoke an invitation: a manager one into the project, an administrator any."""
    with store.writing() as session:
        accounts.revoke(session, person.actor, invitation_id)


@routes.get("/audit")
def installation_log(person: Admin, store: TheStore, before: int | None = None, limit: Limit = 100) -> Response:  # noqa: ARG001
    """Return the latest lines of the log."""
    with store.reading() as session:
        return Reply({"entries": audit.entries(session, before=before, limit=limit)})
