"""Forgotten passwords: an administrator makes a link, with which the person sets a new one.

A link works once, for a day, and is replaced by a later one. Only its hash is stored.
"""

from datetime import timedelta

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from touchstone.annotate import audit
from touchstone.annotate.accounts import end_sessions, new_token, token_hash
from touchstone.annotate.audit import Actor
from touchstone.annotate.database import stored
from touchstone.annotate.refusals import forbidden, not_found, required
from touchstone.annotate.tables import Account, Reset, now

LASTS = timedelta(hours=24)


def make_reset(session: Session, actor: Actor, secret: bytes, account_id: int) -> tuple[Account, Reset, str]:
    """Return an account, a reset of its password, and the token of the link; an earlier link stops working.

    Parameters
    ----------
    session
        A session to write with.
    actor
        Who makes the link.
    secret
        The secret of the installation, which tokens are hashed with.
    account_id
        Whose password is forgotten.
    """
    account = required(session.get(Account, account_id), "account")
    if account.disabled_at:
        raise forbidden("this account is disabled", "enable it first")
    _end(session, account_id)
    token = new_token()
    reset = Reset(account_id=account_id, token_hash=token_hash(secret, token), expires_at=now(LASTS))
    stored(session, reset)
    audit.record(session, actor, "make reset link", "account", account_id)
    return account, reset, token


def account_of(session: Session, secret: bytes, token: str) -> Account:
    """Return the account whose password a link resets."""
    query = select(Account).join(Reset).where(Reset.token_hash == token_hash(secret, token))
    open_ = (Reset.ended_at.is_(None), Reset.expires_at > now(), Account.disabled_at.is_(None))
    return required(session.scalar(query.where(*open_)), "link, or it was used or has expired")


def set_password(session: Session, secret: bytes, token: str, hashed: str) -> Account:
    """Set the password of the account of a link, end all its sessions and the link, and return it."""
    account = account_of(session, secret, token)
    if not _end(session, account.id):  # somebody else used it meanwhile
        raise not_found("link, or it was used or has expired")
    account.password_hash = hashed
    end_sessions(session, account.id)
    audit.record(session, (account.id, account.name), "reset password", "account", account.id)
    return account


def _end(session: Session, account_id: int) -> int:
    """End the open links of an account, and return how many there were."""
    ended = session.execute(
        update(Reset).where(Reset.account_id == account_id, Reset.ended_at.is_(None)).values(ended_at=now())
    )
    return int(ended.rowcount)  # type: ignore[attr-defined]
