"""Accounts: created by invitation, with roles, and with passwords hashed by Argon2."""

import hashlib
import hmac
import re
import secrets
import threading
from dataclasses import dataclass
from datetime import timedelta
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from touchstone.annotate import audit
from touchstone.annotate.audit import Actor
from touchstone.annotate.database import stored, take_turn
from touchstone.annotate.refusals import Refusal, forbidden, invalid, not_found, required
from touchstone.annotate.tables import ROLES, Account, Invitation, LogIn, columns, now
from touchstone.core.errors import nearest
from touchstone.io.jsonl import Json

INVITED_FOR = timedelta(days=14)
SHORTEST, LONGEST = 10, 200
"""The length of a password (NIST SP 800-63B asks for at least 8 characters, and no composition rules)."""

_EMAIL = re.compile(r"[^@\s\x00-\x1f<>\"]{1,64}@[^@\s\x00-\x1f<>\"]{1,190}")
_HASHER = PasswordHasher()
_AT_ONCE = threading.Semaphore(2)
"""Argon2 needs 64 MiB and a core: many simultaneous logins must not use up all of them."""


@dataclass(frozen=True)
class Person:
    """The sender of a request: an account and its session."""

    id: int
    email: str
    name: str
    role: str
    session_id: int

    @property
    def actor(self) -> Actor:
        """The id and the name for the audit log."""
        return self.id, self.name

    def may(self, role: str) -> bool:
        """Return whether the person has *role* or a higher one."""
        return ROLES.index(self.role) >= ROLES.index(role)


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
    with _AT_ONCE:
        return _HASHER.hash(password)


def password_fits(hashed: str | None, password: str) -> bool:
    """Return whether a password is correct; without an account (None) the check takes just as long."""
    with _AT_ONCE:
        try:
            return _HASHER.verify(hashed or _dummy_hash(), password[: LONGEST + 1]) and hashed is not None
        except VerificationError:
            return False


@cache
def _dummy_hash() -> str:
    return _HASHER.hash(new_token())


def checked_email(email: str) -> str:
    """Return an email address in the form that identifies accounts: trimmed, lower case."""
    plain = email.strip().casefold()
    if not _EMAIL.fullmatch(plain):
        raise invalid("this is not an email address")
    return plain


def checked_name(name: str) -> str:
    """Return a person's name, trimmed."""
    plain = " ".join(name.split())
    if not 1 <= len(plain) <= 100:
        raise invalid("a name has 1 to 100 characters")
    return plain


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


def add_account(session: Session, email: str, name: str, hashed: str, role: str, how: str) -> Account:
    """Create an account.

    Parameters
    ----------
    session
        A session to write with.
    email, name, role
        The data of the account; they are checked.
    hashed
        The hash of the password.
    how
        How the account was created, for the log.
    """
    plain = checked_email(email)
    if session.scalar(select(Account.id).where(Account.email == plain)) is not None:
        raise Refusal(409, "taken", "there is already an account with this address", hint="log in instead")
    row = Account(email=plain, name=checked_name(name), password_hash=hashed, role=checked_role(role))
    account = stored(session, row)
    audit.record(session, (account.id, account.name), how, "account", account.id, detail={"role": role})
    return account


def first_account(session: Session, email: str, name: str, hashed: str) -> Account:
    """Create the first account, an admin; refuse if there is any account."""
    take_turn(session, "accounts")
    if session.scalar(select(func.count(Account.id))):
        raise Refusal(409, "taken", "the first account has already been created", hint="log in instead")
    return add_account(session, email, name, hashed, "admin", "set up")


def invite(
    session: Session, actor: Actor, secret: bytes, email: str, role: str, project_id: int | None = None
) -> tuple[Invitation, str]:
    """Return a new invitation and its token; revoke earlier invitations to the same address.

    Parameters
    ----------
    session
        A session to write with.
    actor
        Who invites.
    secret
        The secret of the installation, which tokens are hashed with.
    email, role
        The address and the role of the future account.
    project_id
        The project that the account joins, if any.
    """
    plain = checked_email(email)
    if session.scalar(select(Account.id).where(Account.email == plain)) is not None:
        raise Refusal(409, "taken", "there is already an account with this address")
    session.execute(
        update(Invitation)
        .where(Invitation.email == plain, Invitation.used_at.is_(None), Invitation.revoked_at.is_(None))
        .values(revoked_at=now())
    )
    token = new_token()
    invitation = Invitation(
        email=plain,
        role=checked_role(role),
        token_hash=token_hash(secret, token),
        project_id=project_id,
        invited_by=actor[0],
        expires_at=now(INVITED_FOR),
    )
    stored(session, invitation)
    audit.record(session, actor, "invite", "invitation", invitation.id, project_id=project_id, detail={"role": role})
    return invitation, token


def invitation_of(session: Session, secret: bytes, token: str) -> Invitation:
    """Return the open invitation with a token."""
    row = session.scalar(select(Invitation).where(Invitation.token_hash == token_hash(secret, token)))
    if row is None or row.used_at or row.revoked_at or row.expires_at < now():
        raise not_found("invitation, or it was used or has expired")
    return row


def accept(session: Session, secret: bytes, token: str, name: str, hashed: str) -> tuple[Account, int | None]:
    """Create the account of an invitation; return it and the id of the project that it joins."""
    invitation = invitation_of(session, secret, token)
    used = session.execute(
        update(Invitation).where(Invitation.id == invitation.id, Invitation.used_at.is_(None)).values(used_at=now())
    )
    if used.rowcount != 1:  # type: ignore[attr-defined]
        raise not_found("invitation, or it was used or has expired")
    account = add_account(session, invitation.email, name, hashed, invitation.role, "accept invitation")
    return account, invitation.project_id


def change_account(
    session: Session, actor: Actor, account_id: int, *, role: str | None = None, disabled: bool | None = None
) -> Account:
    """Change the role of an account, or disable or enable it; at least one admin must remain.

    A disabled account is logged out everywhere.
    """
    take_turn(session, "accounts")
    account = required(session.get(Account, account_id), "account")
    if role is not None:
        account.role = checked_role(role)
    if disabled is not None:
        account.disabled_at = (account.disabled_at or now()) if disabled else None
    session.flush()
    admins = select(func.count(Account.id)).where(Account.role == "admin", Account.disabled_at.is_(None))
    if not session.scalar(admins):
        raise forbidden("this is the last admin", "make another account admin first")
    if account.disabled_at:
        end_sessions(session, account.id)
    audit.record(session, actor, "change account", "account", account.id, detail={"role": role, "disabled": disabled})
    return account


def end_sessions(session: Session, account_id: int, keep: int | None = None) -> None:
    """End all sessions of an account except the session *keep*."""
    query = update(LogIn).where(LogIn.account_id == account_id, LogIn.revoked_at.is_(None))
    session.execute((query if keep is None else query.where(LogIn.id != keep)).values(revoked_at=now()))


def account_object(account: Account | Person) -> dict[str, Json]:
    """Return an account as JSON."""
    return columns(account, "id", "email", "name", "role")
