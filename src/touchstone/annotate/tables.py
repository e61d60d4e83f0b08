"""The tables: accounts, projects, items, and the answers that people give, each version kept.

Times are UTC in ISO 8601 as text, so that both databases, backups and JSON agree on them; JSON is text or, where it
is large, text compressed.
"""

import json
import zlib
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, LargeBinary, Text, TypeDecorator, UniqueConstraint, text
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from touchstone.io.jsonl import Json

ROLES = ("annotator", "reviewer", "manager", "admin")
"""What people may do: each role may do what those before it may."""

PURPOSES = ("work", "qualification", "training")
DUTIES = ("annotate", "review")
KINDS = ("annotation", "imported", "adjudicated", "review")

FASTEST = 1
"""zlib's level: an answer of 80 kB packs to a fifth in under a millisecond, and higher levels gain little."""


def now(later: timedelta = timedelta()) -> str:
    """Return the present time, or a *later* one, as text that sorts."""
    return moment(datetime.now(UTC) + later)


def moment(when: datetime) -> str:
    """Return a time as text, to the millisecond.

    >>> moment(datetime(2026, 11, 15, 11, 20, tzinfo=UTC))
    '2026-11-15T11:20:00.000Z'
    """
    return when.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def pack(value: Json) -> bytes:
    """Return a JSON value as compressed text."""
    return zlib.compress(dump(value).encode(), FASTEST)


def dump(value: Json) -> str:
    """Return a JSON value as short text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


class JsonText(TypeDecorator[Any]):
    """A JSON value, kept as text in either database."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ANN401, ARG002 (SQLAlchemy's)
        """Write."""
        return None if value is None else dump(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:  # noqa: ANN401, ARG002
        """Read."""
        return None if value is None else json.loads(value)


class Packed(TypeDecorator[Any]):
    """A JSON value that may be large, kept compressed."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> bytes | None:  # noqa: ANN401, ARG002
        """Write."""
        return pack(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:  # noqa: ANN401, ARG002
        """Read."""
        return None if value is None else json.loads(zlib.decompress(value))


class Base(DeclarativeBase):
    """What the tables have in common."""


def _id() -> Mapped[int]:
    return mapped_column(primary_key=True, autoincrement=True)


def _is_one_of(column: str, names: tuple[str, ...]) -> CheckConstraint:
    listed = ", ".join(f"'{name}'" for name in names)
    return CheckConstraint(f"{column} IN ({listed})", name=f"known_{column}")


class Account(Base):
    """A person."""

    __tablename__ = "accounts"
    __table_args__ = (_is_one_of("role", ROLES),)

    id: Mapped[int] = _id()
    email: Mapped[str] = mapped_column(Text, unique=True)
    name: Mapped[str] = mapped_column(Text)
    password_hash: Mapped[str] = mapped_column(Text)
    role: Mapped[str] = mapped_column(Text)
    disabled_at: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[str] = mapped_column(Text, default=now)


class Invitation(Base):
    """Leave to make an account, for whoever holds its token, until it is used or runs out."""

    __tablename__ = "invitations"

    id: Mapped[int] = _id()
    email: Mapped[str] = mapped_column(Text)
    role: Mapped[str] = mapped_column(Text)
    token_hash: Mapped[str] = mapped_column(Text, unique=True)
    project_id: Mapped[int | None] = mapped_column(ForeignKey("projects.id"))
    invited_by: Mapped[int | None] = mapped_column(ForeignKey("accounts.id"))
    created_at: Mapped[str] = mapped_column(Text, default=now)
    expires_at: Mapped[str] = mapped_column(Text)
    used_at: Mapped[str | None] = mapped_column(Text)
    revoked_at: Mapped[str | None] = mapped_column(Text)


class LogIn(Base):
    """A session of one account in one browser; its token is in the browser's cookie, here only its hash."""

    __tablename__ = "sessions"

    id: Mapped[int] = _id()
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"), index=True)
    token_hash: Mapped[str] = mapped_column(Text, unique=True)
    created_at: Mapped[str] = mapped_column(Text, default=now)
    seen_at: Mapped[str] = mapped_column(Text, default=now)
    expires_at: Mapped[str] = mapped_column(Text)
    revoked_at: Mapped[str | None] = mapped_column(Text)
    address: Mapped[str] = mapped_column(Text, default="")
    agent: Mapped[str] = mapped_column(Text, default="")


class Attempt(Base):
    """A try to log in, kept for a while to slow down whoever guesses; hashed, since it may hold mistyped secrets."""

    __tablename__ = "login_attempts"

    id: Mapped[int] = _id()
    at: Mapped[str] = mapped_column(Text, default=now, index=True)
    address_hash: Mapped[str] = mapped_column(Text)
    email_hash: Mapped[str] = mapped_column(Text)
    success: Mapped[bool]


class Project(Base):
    """A task that some people work on together."""

    __tablename__ = "projects"

    id: Mapped[int] = _id()
    name: Mapped[str] = mapped_column(Text, unique=True)
    task: Mapped[str] = mapped_column(Text)
    settings: Mapped[dict[str, Json]] = mapped_column(JsonText)
    version: Mapped[int] = mapped_column(default=1)
    created_by: Mapped[int | None] = mapped_column(ForeignKey("accounts.id"))
    created_at: Mapped[str] = mapped_column(Text, default=now)
    archived_at: Mapped[str | None] = mapped_column(Text)


class Member(Base):
    """Who belongs to a project."""

    __tablename__ = "members"

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"), primary_key=True, index=True)


class Attachment(Base):
    """A JSON text that many items share, found by its digest: the pyramid that peers are read against."""

    __tablename__ = "attachments"

    digest: Mapped[str] = mapped_column(Text, primary_key=True)
    body: Mapped[Any] = mapped_column(Packed)


class Item(Base):
    """One thing to answer about; *payload* may be shown, *hidden* and *known* may not."""

    __tablename__ = "items"
    __table_args__ = (
        UniqueConstraint("project_id", "purpose", "kind", "key"),
        Index("items_in_order", "project_id", "position"),
        _is_one_of("purpose", PURPOSES),
    )

    id: Mapped[int] = _id()
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    key: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    position: Mapped[int]
    purpose: Mapped[str] = mapped_column(Text)
    payload: Mapped[Any] = mapped_column(JsonText, nullable=True)
    hidden: Mapped[Any] = mapped_column(JsonText, nullable=True)
    known: Mapped[Any] = mapped_column(JsonText, nullable=True)
    attachment_digest: Mapped[str | None] = mapped_column(ForeignKey("attachments.digest"))
    starts_imported: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[str] = mapped_column(Text, default=now)


class Answer(Base):
    """What one person made of one item. Its body is in its latest revision; here is what lists and figures need."""

    __tablename__ = "answers"
    __table_args__ = (
        _is_one_of("kind", KINDS),
        Index("answers_of_item", "item_id", "kind"),
        Index(
            "one_annotation",
            "item_id",
            "account_id",
            unique=True,
            sqlite_where=text("kind = 'annotation'"),
            postgresql_where=text("kind = 'annotation'"),
        ),
        Index(
            "one_adjudication",
            "item_id",
            unique=True,
            sqlite_where=text("kind = 'adjudicated'"),
            postgresql_where=text("kind = 'adjudicated'"),
        ),
        Index(
            "one_review",
            "about_id",
            "account_id",
            unique=True,
            sqlite_where=text("kind = 'review'"),
            postgresql_where=text("kind = 'review'"),
        ),
    )

    id: Mapped[int] = _id()
    item_id: Mapped[int] = mapped_column(ForeignKey("items.id"))
    account_id: Mapped[int | None] = mapped_column(ForeignKey("accounts.id"), index=True)
    author_name: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    about_id: Mapped[int | None] = mapped_column(ForeignKey("answers.id"))
    version: Mapped[int] = mapped_column(default=0)
    unsure: Mapped[bool] = mapped_column(default=False)
    comment: Mapped[str] = mapped_column(Text, default="")
    done: Mapped[bool] = mapped_column(default=False)
    seconds: Mapped[float] = mapped_column(default=0.0)
    attachment_digest: Mapped[str | None] = mapped_column(ForeignKey("attachments.digest"))
    created_at: Mapped[str] = mapped_column(Text, default=now)
    updated_at: Mapped[str] = mapped_column(Text, default=now)


class Revision(Base):
    """One version of an answer, whole. Rows are added and never changed; the database itself refuses it."""

    __tablename__ = "revisions"
    __table_args__ = (UniqueConstraint("answer_id", "version"), UniqueConstraint("answer_id", "key"))

    id: Mapped[int] = _id()
    answer_id: Mapped[int] = mapped_column(ForeignKey("answers.id"))
    version: Mapped[int]
    account_id: Mapped[int | None] = mapped_column(ForeignKey("accounts.id"))
    key: Mapped[str] = mapped_column(Text)
    digest: Mapped[str] = mapped_column(Text)
    at: Mapped[str] = mapped_column(Text, default=now)
    body: Mapped[Any] = mapped_column(Packed)
    unsure: Mapped[bool] = mapped_column(default=False)
    comment: Mapped[str] = mapped_column(Text, default="")
    done: Mapped[bool] = mapped_column(default=False)
    seconds: Mapped[float] = mapped_column(default=0.0)
    change: Mapped[str] = mapped_column(Text, default="")


class Assignment(Base):
    """Who is asked to do what: to annotate an item, or to review an answer."""

    __tablename__ = "assignments"
    __table_args__ = (
        _is_one_of("duty", DUTIES),
        Index("assignments_of_account", "account_id", "finished_at"),
        Index(
            "one_assignment",
            "item_id",
            "account_id",
            unique=True,
            sqlite_where=text("duty = 'annotate'"),
            postgresql_where=text("duty = 'annotate'"),
        ),
        Index(
            "one_review_assignment",
            "about_id",
            "account_id",
            unique=True,
            sqlite_where=text("duty = 'review'"),
            postgresql_where=text("duty = 'review'"),
        ),
    )

    id: Mapped[int] = _id()
    item_id: Mapped[int] = mapped_column(ForeignKey("items.id"))
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    duty: Mapped[str] = mapped_column(Text, default="annotate")
    about_id: Mapped[int | None] = mapped_column(ForeignKey("answers.id"))
    created_at: Mapped[str] = mapped_column(Text, default=now)
    finished_at: Mapped[str | None] = mapped_column(Text)


class Qualification(Base):
    """How somebody did on the items with a known answer of a project; the latest attempt counts."""

    __tablename__ = "qualifications"

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    attempt: Mapped[int] = mapped_column(default=1)
    score: Mapped[float | None]
    passed: Mapped[bool | None]
    decided_at: Mapped[str | None] = mapped_column(Text)


class Entry(Base):
    """A line of the audit log: who did what to what. Rows are added and never changed."""

    __tablename__ = "audit"
    __table_args__ = (Index("audit_of_project", "project_id", "id"),)

    id: Mapped[int] = _id()
    at: Mapped[str] = mapped_column(Text, default=now)
    account_id: Mapped[int | None] = mapped_column(ForeignKey("accounts.id"))
    actor: Mapped[str] = mapped_column(Text)
    action: Mapped[str] = mapped_column(Text)
    project_id: Mapped[int | None] = mapped_column(ForeignKey("projects.id"))
    object: Mapped[str] = mapped_column(Text)
    object_id: Mapped[int | None]
    detail: Mapped[Any] = mapped_column(JsonText, nullable=True)
