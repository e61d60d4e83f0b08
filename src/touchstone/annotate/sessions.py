"""Logging in and out: tokens in cookies, hashes in the database, and a limit on failed attempts."""

import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Select, delete, func, select, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from touchstone.annotate import audit
from touchstone.annotate.accounts import (
    Person,
    end_sessions,
    hash_password,
    new_token,
    normalised_email,
    password_fits,
    token_hash,
)
from touchstone.annotate.database import Store, stored, take_turn
from touchstone.annotate.refusals import Refusal, not_found
from touchstone.annotate.tables import Account, Attempt, LogIn, Member, columns, now
from touchstone.io.jsonl import Json

LASTS = timedelta(days=30)
LAST_USE_INTERVAL = timedelta(minutes=5)
"""How often the last use of a session is stored: not with each request, which would make every read a write."""

WINDOW = timedelta(minutes=15)
PER_PAIR, PER_EMAIL = 5, 30
"""Failed attempts within the window after which no more are checked: on one account from one address, and on it."""

PER_ADDRESS, SLOW_S = 30, 3
"""Failed attempts from one address within the window, from which each further one waits some seconds.

Many people may share an address, such as a class, so that their accounts are not blocked.
"""

_SLOW_SLOTS = threading.BoundedSemaphore(3)
"""How many attempts wait at once: with `SLOW_S`, one guess a second from all such addresses together."""


@dataclass(frozen=True)
class Origin:
    """Where a request comes from."""

    address: str
    agent: str


def log_in(store: Store, secret: bytes, email: str, password: str, origin: Origin) -> tuple[Account, str]:
    """Return the account and the token of a new session; refuse after too many failed attempts.

    Parameters
    ----------
    store
        The database.
    secret
        The secret of the installation, which tokens are hashed with.
    email, password
        What the person entered.
    origin
        Where the request comes from.
    """
    account = _verified(store, secret, email, password, origin)
    with store.writing() as session:
        token = start_session(session, secret, account, origin)
    return account, token


def _verified(store: Store, secret: bytes, email: str, password: str, origin: Origin) -> Account:
    """Return the account with this address and password.

    An attempt is stored before the password is checked, so that simultaneous attempts count towards the limit.
    """
    address = normalised_email(email)
    with store.reading() as session:
        is_slow = _comes_with_guesses(session, secret, address, origin)
    if is_slow:
        _wait()
    with store.writing() as session:
        attempt = _attempt(session, secret, address, origin)
    with store.reading() as session:
        account = session.scalar(select(Account).where(Account.email == address, Account.disabled_at.is_(None)))
    if not password_fits(account.password_hash if account else None, password) or account is None:
        raise Refusal(401, "wrong_login", "wrong email address or password")
    with store.writing() as session:
        session.execute(update(Attempt).where(Attempt.id == attempt).values(success=True))
    return account


def _attempt(session: Session, secret: bytes, email: str, origin: Origin) -> int:
    take_turn(session, "log in")
    attempt = Attempt(
        address_hash=token_hash(secret, origin.address), email_hash=token_hash(secret, email), success=False
    )
    failed = _failed()
    by_email, by_address = Attempt.email_hash == attempt.email_hash, Attempt.address_hash == attempt.address_hash
    tries = [(PER_PAIR, failed.where(by_email, by_address))]
    # Attempts of others must not lock the owner out: from where somebody has logged in before, they do not count.
    if not _has_logged_in(session, email, origin):
        tries.append((PER_EMAIL, failed.where(by_email)))
    if any((session.scalar(query) or 0) >= most for most, query in tries):
        wait = int(WINDOW.total_seconds())
        raise Refusal(429, "too_many", "too many failed logins", hint="wait 15 minutes", retry_after=wait)
    session.execute(delete(Attempt).where(Attempt.at < now(-timedelta(days=1))))
    return stored(session, attempt).id


def _failed() -> Select[int]:
    """Return a query for the number of failed attempts within the window."""
    return select(func.count(Attempt.id)).where(Attempt.success.is_(False), Attempt.at > now(-WINDOW))


def _comes_with_guesses(session: Session, secret: bytes, email: str, origin: Origin) -> bool:
    """Return whether many attempts from the same address failed, on whatever accounts.

    Somebody who has logged in from there before does not wait.
    """
    failed = session.scalar(_failed().where(Attempt.address_hash == token_hash(secret, origin.address))) or 0
    return failed >= PER_ADDRESS and not _has_logged_in(session, email, origin)


def _wait() -> None:
    """Wait, whether the password is right or not; refuse for a moment if others wait already."""
    if not _SLOW_SLOTS.acquire(blocking=False):
        hint = "wait a few seconds and try again"
        raise Refusal(429, "busy", "many failed logins come from your network", hint=hint, retry_after=SLOW_S)
    try:
        time.sleep(SLOW_S)
    finally:
        _SLOW_SLOTS.release()


def _has_logged_in(session: Session, email: str, origin: Origin) -> bool:
    """Return whether the account with this address has logged in from there before."""
    earlier_logins = select(LogIn.id).join(Account).where(Account.email == email, LogIn.address == origin.address[:100])
    return session.scalar(earlier_logins.limit(1)) is not None


def start_session(session: Session, secret: bytes, account: Account, origin: Origin) -> str:
    """Log an account in and return the token for its browser."""
    token = new_token()
    login = LogIn(
        account_id=account.id,
        token_hash=token_hash(secret, token),
        expires_at=now(LASTS),
        address=origin.address[:100],
        agent=origin.agent[:300],
    )
    stored(session, login)
    audit.record(session, (account.id, account.name), "log in", "session", login.id)
    return token


def person_of(store: Store, secret: bytes, token: str) -> Person | None:
    """Return the person with a session token, or None if it is unknown, expired or revoked."""
    query = (
        select(LogIn, Account, Member.project_id, Member.role)
        .join(Account, LogIn.account_id == Account.id)
        .outerjoin(Member, Member.account_id == Account.id)
        .where(LogIn.token_hash == token_hash(secret, token))
    )
    with store.reading() as session:
        rows = session.execute(query).all()  # one for each project, at least one
    if not rows:
        return None
    login, account = rows[0].LogIn, rows[0].Account
    if login.revoked_at or account.disabled_at or login.expires_at < now():
        return None
    if login.seen_at < now(-LAST_USE_INTERVAL):
        # It matters less than the request itself, which may only read, as long as the disk is full.
        with suppress(OperationalError), store.writing() as session:
            session.execute(update(LogIn).where(LogIn.id == login.id).values(seen_at=now(), expires_at=now(LASTS)))
    roles = {row.project_id: row.role for row in rows if row.role}
    return Person(account.id, account.email, account.name, account.admin, roles, login.id)


def log_out(session: Session, person: Person, session_id: int) -> None:
    """End one session of the person."""
    ended = session.execute(
        update(LogIn)
        .where(LogIn.id == session_id, LogIn.account_id == person.id, LogIn.revoked_at.is_(None))
        .values(revoked_at=now())
    )
    if ended.rowcount != 1:  # type: ignore[attr-defined]
        raise not_found("session")
    audit.record(session, person.actor, "log out", "session", session_id)


def change_password(store: Store, secret: bytes, person: Person, current: str, new: str, origin: Origin) -> None:
    """Set a new password for a person who knows the *current* one; end all their other sessions."""
    _verified(store, secret, person.email, current, origin)
    hashed = hash_password(new)
    with store.writing() as session:
        session.execute(update(Account).where(Account.id == person.id).values(password_hash=hashed))
        end_sessions(session, person.id, keep=person.session_id)
        audit.record(session, person.actor, "change password", "account", person.id)


def open_sessions(session: Session, person: Person) -> list[dict[str, Json]]:
    """Return the person's open sessions, the most recently used first."""
    query = (
        select(LogIn)
        .where(LogIn.account_id == person.id, LogIn.revoked_at.is_(None), LogIn.expires_at > now())
        .order_by(LogIn.seen_at.desc())
    )
    return [
        {
            **columns(login, "id", "created_at", "seen_at", "address", "agent"),
            "current": login.id == person.session_id,
        }
        for login in session.scalars(query)
    ]
