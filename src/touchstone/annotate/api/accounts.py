"""API routes for logging in and out, invitations and accounts."""

import hmac

from fastapi import Request, Response
from pydantic import Field
from sqlalchemy import select

from touchstone.annotate import accounts, audit, sessions
from touchstone.annotate.access import project_for
from touchstone.annotate.accounts import account_object
from touchstone.annotate.api.parts import Body, Limit, Reply, TheOrigin, TheSettings, TheStore, logged_in, router
from touchstone.annotate.projects import add_member
from touchstone.annotate.refusals import forbidden, not_found
from touchstone.annotate.safety import COOKIE, Admin, Annotator, Manager, Public
from touchstone.annotate.tables import ROLES, Account, Invitation, Project, columns, now
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


class InviteBody(Body):
    """An invitation."""

    email: str = Field(max_length=300)
    role: str
    project_id: int | None = None


class AccountBody(Body):
    """A change of an account."""

    role: str | None = None
    disabled: bool | None = None


@routes.get("/health", dependencies=[Public])
def health() -> Response:
    """Report that the server is running."""
    return Reply({"status": "ok"})


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
def log_out(person: Annotator, store: TheStore) -> Response:
    """Log out."""
    with store.writing() as session:
        sessions.log_out(session, person, person.session_id)
    reply = Response(status_code=204)
    reply.delete_cookie(COOKIE, path="/")
    return reply


@routes.get("/invitations/{token}", dependencies=[Public])
def see_invitation(token: str, store: TheStore, settings: TheSettings) -> Response:
    """Return what an invitation is for."""
    with store.reading() as session:
        invitation = accounts.invitation_of(session, settings.secret, token)
    return Reply(columns(invitation, "email", "role", "expires_at"))


@routes.post("/invitations/{token}", dependencies=[Public], status_code=201)
def accept(
    request: Request, token: str, body: AcceptBody, store: TheStore, settings: TheSettings, origin: TheOrigin
) -> Response:
    """Create the account that an invitation is for."""
    with store.reading() as session:
        accounts.invitation_of(session, settings.secret, token)
    hashed = accounts.hash_password(body.password)
    with store.writing() as session:
        account, project_id = accounts.accept(session, settings.secret, token, body.name, hashed)
        if project_id is not None:
            add_member(session, (account.id, account.name), session.get_one(Project, project_id), account.id)
        cookie = sessions.start_session(session, settings.secret, account, origin)
    return logged_in(request, account_object(account), cookie, 201)


@routes.get("/me")
def me(person: Annotator) -> Response:
    """Return the account that is logged in."""
    return Reply(account_object(person))


@routes.post("/me/password", status_code=204)
def change_password(
    person: Annotator, body: PasswordBody, store: TheStore, settings: TheSettings, origin: TheOrigin
) -> None:
    """Change the password."""
    sessions.change_password(store, settings.secret, person, body.current, body.new, origin)


@routes.get("/me/sessions")
def my_sessions(person: Annotator, store: TheStore) -> Response:
    """Return the open sessions of the person."""
    with store.reading() as session:
        return Reply({"sessions": sessions.open_sessions(session, person)})


@routes.delete("/me/sessions/{session_id}", status_code=204)
def end_session(session_id: int, person: Annotator, store: TheStore) -> None:
    """End another session of the person."""
    with store.writing() as session:
        sessions.log_out(session, person, session_id)


@routes.get("/accounts")
def list_accounts(person: Manager, store: TheStore) -> Response:  # noqa: ARG001 (the role is the check)
    """Return all accounts."""
    with store.reading() as session:
        rows = session.scalars(select(Account).order_by(Account.name, Account.id)).all()
    return Reply({"accounts": [_account_row(account) for account in rows]})


def _account_row(account: Account) -> dict[str, Json]:
    return {**account_object(account), "disabled": account.disabled_at is not None}


@routes.patch("/accounts/{account_id}")
def change_account(account_id: int, body: AccountBody, person: Admin, store: TheStore) -> Response:
    """Change the role of an account, disable it or enable it again."""
    with store.writing() as session:
        account = accounts.change_account(session, person.actor, account_id, role=body.role, disabled=body.disabled)
    return Reply(_account_row(account))


@routes.post("/invitations", status_code=201)
def invite(request: Request, body: InviteBody, person: Manager, store: TheStore, settings: TheSettings) -> Response:
    """Invite somebody; only this response contains the link to send them."""
    role = accounts.checked_role(body.role)
    if person.role != "admin" and ROLES.index(role) > ROLES.index("reviewer"):
        raise forbidden("a manager may invite annotators and reviewers")
    with store.writing() as session:
        if body.project_id is not None:
            project_for(session, person, body.project_id)
        invitation, token = accounts.invite(session, person.actor, settings.secret, body.email, role, body.project_id)
    url = f"{str(request.base_url).rstrip('/')}/invitation/{token}"
    return Reply({**columns(invitation, "id", "email", "role", "expires_at"), "url": url}, 201)


@routes.get("/invitations")
def list_invitations(person: Manager, store: TheStore) -> Response:  # noqa: ARG001
    """Return the open invitations."""
    query = select(Invitation).where(
        Invitation.used_at.is_(None), Invitation.revoked_at.is_(None), Invitation.expires_at > now()
    )
    with store.reading() as session:
        invitations = session.scalars(query.order_by(Invitation.id)).all()
    names = ("id", "email", "role", "expires_at", "project_id")
    return Reply({"invitations": [columns(invitation, *names) for invitation in invitations]})


@routes.delete("/invitations/{invitation_id}", status_code=204)
def revoke(invitation_id: int, person: Manager, store: TheStore) -> None:
    """Revoke an invitation."""
    with store.writing() as session:
        invitation = session.get(Invitation, invitation_id)
        if invitation is None or invitation.used_at or invitation.revoked_at:
            raise not_found("invitation")
        invitation.revoked_at = now()
        project_id = invitation.project_id
        audit.record(session, person.actor, "revoke invitation", "invitation", invitation.id, project_id=project_id)


@routes.get("/audit")
def whole_log(person: Admin, store: TheStore, before: int | None = None, limit: Limit = 100) -> Response:  # noqa: ARG001
    """Return the latest lines of the log."""
    with store.reading() as session:
        return Reply({"entries": audit.entries(session, before=before, limit=limit)})
