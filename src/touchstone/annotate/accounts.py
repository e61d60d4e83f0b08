"""Accounts: created by invitation, with roles in projects, and with passwords hashed by Argon2."""

import hashlib
import hmac
import re
import secrets
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError
from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.orm import Session

from touchstone.annotate import audit
from touchstone.annotate.audit import Actor
from touchstone.annotate.database import stored, take_turn
from touchstone.annotate.refusals import Refusal, forbidden, invalid, not_found, required, visible
from touchstone.annotate.tables import ROLES, Account, Invitation, LogIn, Project, columns, now
from touchstone.base.errors import nearest
from touchstone.io.jsonl import Json

INVITED_FOR = timedelta(days=14)
SHORTEST, LONGEST = 10, 200
"""The length of a password (NIST SP 800-63B asks for at least 8 characters, and no composition rules)."""

_EMAIL = re.compile(r"[^@\s\x00-\x1f<>\"]{1,64}@[^@\s\x00-\x1f<>\"]{1,190}")
_HASHER = PasswordHasher()
_HASHING_SLOTS = threading.Semaphore(2)
"""Argon2 needs 64 MiB and a core: many simultaneous logins must not use up all of them."""


@dataclass(frozen=True)
class Person:
    """The sender of a request: an account, its roles by the id of the project, and its session."""

    id: int
    email: str
    name: str
    admin: bool
    roles: Mapping[int, str]
    session_id: int

    @property
    def actor(self) -> Actor:
        """The id and the name for the audit log."""
        return self.id, self.name

    def role_in(self, project_id: int) -> str | None:
        """Return the role in a project, or None for no member; an administrator has the highest everywhere."""
        return ROLES[-1] if self.admin else self.roles.get(project_id)

    def may(self, role: str, project_id: int) -> bool:
        """Return whether the person has *role* or a higher one in a project."""
        held_role = self.role_in(project_id)
        return held_role is not None and ROLES.index(held_role) >= ROLES.index(role)


def token_hash(secret: bytes, token: str) -> str:
    """Return the hash of a token, which is useless without the secret that is not in the database."""
    return hmac.new(secret, token.encode(), hashlib.sha256).hexdigest()


def new_token() -> str:
    """Return a random token of 256 bits."""
    return secrets.token_urlsafe(32)


def hash_password(password: str) -> str:
    """Return the hash of a password; refuse one that is too short or too long."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise invalid(f"a password has {SHORTEST} to {LONGEST} characters")
    with _HASHING_SLOTS:
        return _HASHER.hash(password)


def password_fits(hashed: str | None, password: str) -> bool:
    """Return whether a password is correct; without an account (None) the check takes just as long."""
    with _HASHING_SLOTS:
        try:
            # One character more than is allowed fits no hash; hashing a text of any length could take long.
            return _HASHER.verify(hashed or _dummy_hash(), password[: LONGEST + 1]) and hashed is not None
        except VerificationError:
            return False


@cache
def _dummy_hash() -> str:
    return _HASHER.hash(new_token())


def checked_email(email: str) -> str:
    """Return the email address of a new account, in the form that identifies it: trimmed, lower case.

    It is ASCII, since letters of other scripts look like those of an address that somebody else has.
    """
    address = normalised_email(email)
    if not email.isascii():
        hint = "write it without accents and letters of other scripts, an international domain as xn--…"
        raise invalid("an email address has only ASCII characters here", hint=hint)
    if not _EMAIL.fullmatch(address):
        raise invalid("this is not an email address")
    return address


def normalised_email(email: str) -> str:
    """Return an email address in the form under which accounts are looked up; earlier versions took any letters."""
    return email.strip().casefold()


def checked_name(name: str) -> str:
    """Return a person's name, trimmed."""
    trimmed = " ".join(name.split())
    if not visible(trimmed).strip() or len(trimmed) > 100:
        raise invalid("a name has 1 to 100 characters")
    return trimmed


def checked_role(role: str) -> str:
    """Return *role* if it exists; refuse otherwise."""
    if role not in ROLES:
        near = nearest(role, ROLES)
        hint = f"did you mean {near}?" if near else f"roles are {', '.join(ROLES)}"
        raise invalid(f"there is no role {role[:40]!r}", hint=hint)
    return role


def has_accounts(session: Session) -> bool:
    """Return whether anybody can log in."""
    return session.scalar(select(Account.id).where(Account.disabled_at.is_(None)).limit(1)) is not None


def account_with(session: Session, email: str) -> Account | None:
    """Return the account with an email address."""
    return session.scalar(select(Account).where(Account.email == normalised_email(email)))


def add_account(session: Session, email: str, name: str, hashed: str, how: str, *, admin: bool = False) -> Account:
    """Create an account.

    Parameters
    ----------
    session
        A session to write with.
    email, name
        The data of the account; they are checked.
    hashed
        The hash of the password.
    how
        How the account was created, for the log.
    admin
        Whether it is an administrator.
    """
    if account_with(session, email) is not None:
        hint = "log in, and open the link of the invitation again"
        raise Refusal(409, "taken", "there is already an account with this address", hint=hint)
    row = Account(email=checked_email(email), name=checked_name(name), password_hash=hashed, admin=admin)
    account = stored(session, row)
    audit.record(session, (account.id, account.name), how, "account", account.id, detail={"admin": admin})
    return account


def first_account(session: Session, email: str, name: str, hashed: str) -> Account:
    """Create the first account, an administrator; refuse if there is any account."""
    take_turn(session, "accounts")
    if session.scalar(select(func.count(Account.id))):
        raise Refusal(409, "taken", "the first account has already been created", hint="log in instead")
    return add_account(session, email, name, hashed, "set up", admin=True)


@dataclass(frozen=True)
class InvitedRole:
    """What an invited person will be: a member of a project with a role, or an administrator, or just an account."""

    project_id: int | None = None
    role: str | None = None
    admin: bool = False


def invite(
    session: Session, actor: Actor, secret: bytes, email: str, invited_role: InvitedRole
) -> tuple[Invitation, str]:
    """Return a new invitation and its token; an earlier one of the same address for the same role is revoked.

    Parameters
    ----------
    session
        A session to write with.
    actor
        Who invites.
    secret
        The secret of the installation, which tokens are hashed with.
    email
        The address of the future account.
    invited_role
        What the person will be; somebody who has an account can only be invited into a project. Invitations of other
        projects stay as they are.
    """
    account = account_with(session, email)
    address = account.email if account else checked_email(email)
    if account and invited_role.project_id is None:
        hint = "add it to a project, or make it an administrator in the list of accounts"
        raise Refusal(409, "taken", "there is already an account with this address", hint=hint)
    revoke_earlier(session, address, invited_role)
    token = new_token()
    invitation = Invitation(
        email=address,
        **asdict(invited_role),
        token_hash=token_hash(secret, token),
        invited_by=actor[0],
        expires_at=now(INVITED_FOR),
    )
    stored(session, invitation)
    detail: Json = {"role": invited_role.role, "admin": invited_role.admin}
    audit.record(
        session, actor, "invite", "invitation", invitation.id, project_id=invited_role.project_id, detail=detail
    )
    return invitation, token


def revoke_earlier(session: Session, email: str, invited_role: InvitedRole) -> None:
    """Revoke the open invitations of an address for a role."""
    take_turn(session, "invitations")
    same_role = (
        Invitation.project_id.is_not_distinct_from(invited_role.project_id),
        Invitation.admin.is_(invited_role.admin),
    )
    earlier = update(Invitation).where(Invitation.email == email, *same_role, *_open())
    session.execute(earlier.values(revoked_at=now()))


def _open() -> list[ColumnElement[bool]]:
    return [Invitation.used_at.is_(None), Invitation.revoked_at.is_(None)]


def open_invitations(session: Session, project_id: int | None = None) -> list[dict[str, Json]]:
    """Return the open invitations into a project, or all if None; those of administrators are in no project."""
    query = select(Invitation, Project.name).outerjoin(Project).where(*_open(), Invitation.expires_at > now())
    if project_id is not None:
        query = query.where(Invitation.project_id == project_id, Invitation.admin.is_(False))
    names = ("id", "email", "role", "admin", "expires_at", "project_id")
    rows = session.execute(query.order_by(Invitation.id))
    return [{**columns(invitation, *names), "project": name} for invitation, name in rows]


def revoke(session: Session, actor: Actor, invitation_id: int) -> None:
    """Revoke an open invitation."""
    invitation = session.scalar(select(Invitation).where(Invitation.id == invitation_id, *_open()))
    if invitation is None:
        raise not_found("invitation")
    invitation.revoked_at = now()
    project_id = invitation.project_id
    audit.record(session, actor, "revoke invitation", "invitation", invitation.id, project_id=project_id)


def invitation_of(session: Session, secret: bytes, token: str) -> Invitation:
    """Return the open invitation with a token."""
    row = session.scalar(select(Invitation).where(Invitation.token_hash == token_hash(secret, token)))
    if row is None or row.used_at or row.revoked_at or row.expires_at < now():
        raise not_found("invitation, or it was used or has expired")
    return row


def accept(session: Session, secret: bytes, token: str, name: str, hashed: str) -> tuple[Account, Invitation]:
    """Create the account of an invitation; return both."""
    invitation = use_invitation(session, invitation_of(session, secret, token))
    account = add_account(session, invitation.email, name, hashed, "accept invitation", admin=invitation.admin)
    return account, invitation


def use_invitation(session: Session, invitation: Invitation) -> Invitation:
    """Return an invitation, which is used now; refuse if somebody else used it at the same time."""
    used = session.execute(
        update(Invitation).where(Invitation.id == invitation.id, Invitation.used_at.is_(None)).values(used_at=now())
    )
    if used.rowcount != 1:  # type: ignore[attr-defined]
        raise not_found("invitation, or it was used or has expired")
    return invitation


def change_account(
    session: Session, actor: Actor, account_id: int, *, admin: bool | None = None, disabled: bool | None = None
) -> Account:
    """Make an account an administrator or not, or disable or enable it; at least one administrator must remain.

    A disabled account is logged out everywhere.
    """
    take_turn(session, "accounts")
    account = required(session.get(Account, account_id), "account")
    if admin is not None:
        account.admin = admin
    if disabled is not None:
        account.disabled_at = (account.disabled_at or now()) if disabled else None
    # The count of administrators must include the change.
    session.flush()
    admins = select(func.count(Account.id)).where(Account.admin, Account.disabled_at.is_(None))
    if not session.scalar(admins):
        raise forbidden("this is the last administrator", "make another account an administrator first")
    if account.disabled_at:
        end_sessions(session, account.id)
    audit.record(session, actor, "change account", "account", account.id, detail={"admin": admin, "disabled": disabled})
    return account


def end_sessions(session: Session, account_id: int, keep: int | None = None) -> None:
    """End all sessions of an account except the session *keep*."""
    query = update(LogIn).where(LogIn.account_id == account_id, LogIn.revoked_at.is_(None))
    session.execute((query if keep is None else query.where(LogIn.id != keep)).values(revoked_at=now()))


def account_object(account: Account | Person) -> dict[str, Json]:
    """Return an account as JSON."""
    return columns(account, "id", "email", "name", "admin")
