"""Accounts: made by invitation alone, with passwords hashed by Argon2 and roles that say what they may do."""

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
from touchstone.annotate.database import take_turn
from touchstone.annotate.refusals import Refusal, forbidden, invalid, not_found
from touchstone.annotate.tables import ROLES, Account, Invitation, LogIn, now
from touchstone.core.errors import nearest
from touchstone.io.jsonl import Json

INVITED_FOR = timedelta(days=14)
SHORTEST, LONGEST = 10, 200
"""Characters of a password (NIST SP 800-63B asks for at least 8, and no rules on what they are)."""

_EMAIL = re.compile(r"[^@\s\x00-\x1f<>\"]{1,64}@[^@\s\x00-\x1f<>\"]{1,190}")
_HASHER = PasswordHasher()
_AT_ONCE = threading.Semaphore(2)
"""Argon2 takes 64 MiB and a core: a flood of log-ins must not take them all."""

Actor = tuple[int | None, str]


@dataclass(frozen=True)
class Person:
    """Whoever sends a request: an account, and the session that it is logged in by."""

    id: int
    email: str
    name: str
    role: str
    session_id: int

    @property
    def actor(self) -> Actor:
        """The person as the audit log names them."""
        return self.id, self.name

    def may(self, role: str) -> bool:
        """Say whether the person's role is *role* or one above it."""
        return ROLES.index(self.role) >= ROLES.index(role)


def token_hash(secret: bytes, token: str) -> str:
    """Return what the database keeps of a token: useless without the secret, which is not in the database."""
    return hmac.new(secret, token.encode(), hashlib.sha256).hexdigest()


def new_token() -> str:
    """Return 256 random bits to hand to a browser."""
    return secrets.token_urlsafe(32)


def hash_password(password: str) -> str:
    """Return the hash of a password that is long enough."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise invalid(f"a password has {SHORTEST} to {LONGEST} characters")
    with _AT_ONCE:
        return _HASHER.hash(password)


def password_fits(hashed: str | None, password: str) -> bool:
    """Say whether a password is right; where there is no account it takes just as long to say no."""
    with _AT_ONCE:
        try:
            return _HASHER.verify(hashed or _nobody(), password[: LONGEST + 1]) and hashed is not None
        except VerificationError:
            return False


@cache
def _nobody() -> str:
    return _HASHER.hash(new_token())


def checked_email(email: str) -> str:
    """Return an address as accounts are told apart by: trimmed, without regard to case."""
    plain = email.strip().casefold()
    if not _EMAIL.fullmatch(plain):
        raise invalid("this is no email address")
    return plain


def checked_name(name: str) -> str:
    """Return a person's name, trimmed."""
    plain = " ".join(name.split())
    if not 1 <= len(plain) <= 100:
        raise invalid("a name has 1 to 100 characters")
    return plain


def checked_role(role: str) -> str:
    """Return *role* where there is such a role."""
    if role not in ROLES:
        near = nearest(role, ROLES)
        hint = f"did you mean {near}?" if near else f"roles are {', '.join(ROLES)}"
        raise invalid(f"there is no role {role[:40]!r}", hint=hint)
    return role


def has_accounts(session: Session) -> bool:
    """Say whether anybody can log in."""
    return session.scalar(select(Account.id).where(Account.disabled_at.is_(None)).limit(1)) is not None


def add_account(session: Session, email: str, name: str, hashed: str, role: str, how: str) -> Account:
    """Add an account, with a line in the log that says *how* it came to be."""
    plain = checked_email(email)
    if session.scalar(select(Account.id).where(Account.email == plain)) is not None:
        raise Refusal(409, "taken", "there is an account with this address already", hint="log in instead")
    account = Account(email=plain, name=checked_name(name), password_hash=hashed, role=checked_role(role))
    session.add(account)
    session.flush()
    audit.record(session, (account.id, account.name), how, "account", account.id, detail={"role": role})
    return account


def first_account(session: Session, email: str, name: str, hashed: str) -> Account:
    """Make the first account, an admin's; refused as soon as there is any."""
    take_turn(session, "accounts")
    if session.scalar(select(func.count(Account.id))):
        raise Refusal(409, "taken", "this installation has its first account already", hint="log in instead")
    return add_account(session, email, name, hashed, "admin", "set up")


def invite(
    session: Session, actor: Actor, secret: bytes, email: str, role: str, project_id: int | None = None
) -> tuple[Invitation, str]:
    """Make an invitation and the token that stands for it; an earlier one to the same address ends."""
    plain = checked_email(email)
    if session.scalar(select(Account.id).where(Account.email == plain)) is not None:
        raise Refusal(409, "taken", "there is an account with this address already")
    session.execute(
        update(Invitation)
        .where(Invitation.email == plain, Invitation.used_at.is_(None), Invitation.revoked_at.is_(None))
        .values(revoked_at=now())
    )
    token = new_token()
    made = Invitation(
        email=plain,
        role=checked_role(role),
        token_hash=token_hash(secret, token),
        project_id=project_id,
        invited_by=actor[0],
        expires_at=now(INVITED_FOR),
    )
    session.add(made)
    session.flush()
    audit.record(session, actor, "invite", "invitation", made.id, project_id=project_id, detail={"role": role})
    return made, token


def invitation_of(session: Session, secret: bytes, token: str) -> Invitation:
    """Return the open invitation that a token stands for."""
    found = session.scalar(select(Invitation).where(Invitation.token_hash == token_hash(secret, token)))
    if found is None or found.used_at or found.revoked_at or found.expires_at < now():
        raise not_found("invitation, or it was used or has run out")
    return found


def accept(session: Session, secret: bytes, token: str, name: str, hashed: str) -> tuple[Account, int | None]:
    """Make the account that an invitation gives leave to make; return it with the project that it is to join."""
    invitation = invitation_of(session, secret, token)
    used = session.execute(
        update(Invitation).where(Invitation.id == invitation.id, Invitation.used_at.is_(None)).values(used_at=now())
    )
    if used.rowcount != 1:  # type: ignore[attr-defined]
        raise not_found("invitation, or it was used or has run out")
    account = add_account(session, invitation.email, name, hashed, invitation.role, "accept invitation")
    return account, invitation.project_id


def change_account(
    session: Session, actor: Actor, account_id: int, *, role: str | None = None, disabled: bool | None = None
) -> Account:
    """Change what an account may do; one that is disabled is logged out everywhere. One admin always remains."""
    take_turn(session, "accounts")
    account = session.get(Account, account_id)
    if account is None:
        raise not_found("account")
    if role is not None:
        account.role = checked_role(role)
    if disabled is not None:
        account.disabled_at = (account.disabled_at or now()) if disabled else None
    session.flush()
    admins = select(func.count(Account.id)).where(Account.role == "admin", Account.disabled_at.is_(None))
    if not session.scalar(admins):
        raise forbidden("this is the last admin", "make somebody else admin first")
    if account.disabled_at:
        end_sessions(session, account.id)
    audit.record(session, actor, "change account", "account", account.id, detail={"role": role, "disabled": disabled})
    return account


def end_sessions(session: Session, account_id: int, keep: int | None = None) -> None:
    """Log an account out everywhere, but for the session to *keep*."""
    query = update(LogIn).where(LogIn.account_id == account_id, LogIn.revoked_at.is_(None))
    session.execute((query if keep is None else query.where(LogIn.id != keep)).values(revoked_at=now()))


def account_object(account: Account | Person) -> dict[str, Json]:
    """Return an account as JSON."""
    return {"id": account.id, "email": account.email, "name": account.name, "role": account.role}
