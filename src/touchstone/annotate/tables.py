"""The tables: accounts, projects, items, and answers with all their versions.

Times are UTC in ISO 8601 as text, so that both databases, backups and JSON represent them alike. JSON is stored as
text, compressed if it may be large.
"""

import json
import zlib
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    ForeignKey,
    Index,
    LargeBinary,
    Text,
    TypeDecorator,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from touchstone.io.jsonl import Json

ROLES = ("annotator", "reviewer", "manager")
"""The roles in a project; each may do what the roles before it may."""

PURPOSES = ("work", "qualification", "training")
DUTIES = ("annotate", "review")
KINDS = ("annotation", "imported", "adjudicated", "review")

FASTEST = 1
"""The zlib level: an answer of 80 kB shrinks to a fifth in under a millisecond, and higher levels gain little."""


def now(later: timedelta = timedelta()) -> str:
    """Return the current time plus *later*, as text that sorts."""
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
    """A JSON value, stored as text in either database."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ANN401, ARG002 (SQLAlchemy's)
        """Write."""
        return None if value is None else dump(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:  # noqa: ANN401, ARG002
        """Read."""
        return None if value is None else json.loads(value)


class Packed(TypeDecorator[Any]):
    """A JSON value that may be large, stored compressed."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> bytes | None:  # noqa: ANN401, ARG002
        """Write; what is packed already stays as it is."""
        return value if isinstance(value, bytes) else pack(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:  # noqa: ANN401, ARG002
        """Read."""
        return None if value is None else json.loads(zlib.decompress(value))


class PackedBytes(TypeDecorator[bytes]):
    """The bytes of a file, stored compressed."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> bytes | None:  # noqa: ARG002
        """Write."""
        return None if value is None else zlib.compress(value, FASTEST)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> bytes | None:  # noqa: ARG002
        """Read."""
        return None if value is None else zlib.decompress(value)


class Base(DeclarativeBase):
    """The base class of the tables."""


class Numbered(Base):
    """The base class of the tables whose rows are numbered."""

    __abstract__ = True

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)


class Dated(Numbered):
    """The base class of the tables whose rows have the time at which they were made."""

    __abstract__ = True

    created_at: Mapped[str] = mapped_column(Text, default=now)


def _check_allowed(column: str, names: tuple[str, ...]) -> CheckConstraint:
    listed = ", ".join(f"'{name}'" for name in names)
    return CheckConstraint(f"{column} IN ({listed})", name=f"known_{column}")


def _unique_where(name: str, where: str, *columns: str) -> Index:
    """Return an index that makes *columns* unique among the rows that satisfy *where*."""
    return Index(name, *columns, unique=True, sqlite_where=text(where), postgresql_where=text(where))


def columns(row: object, *names: str) -> dict[str, Json]:
    """Return some columns of a row as a JSON object."""
    return {name: getattr(row, name) for name in names}


class Account(Dated):
    """A person. An administrator may do everything; others what their roles in projects allow."""

    __tablename__ = "accounts"

    email: Mapped[str] = mapped_column(Text, unique=True)
    name: Mapped[str] = mapped_column(Text)
    password_hash: Mapped[str] = mapped_column(Text)
    admin: Mapped[bool] = mapped_column(default=False)
    disabled_at: Mapped[str | None] = mapped_column(Text)


class Invitation(Dated):
    """Permission to create an account with a token, until it is used or expires; *role* is that in the project."""

    __tablename__ = "invitations"

    email: Mapped[str] = mapped_column(Text)
    admin: Mapped[bool] = mapped_column(default=False)
    role: Mapped[str | None] = mapped_column(Text)
    token_hash: Mapped[str] = mapped_column(Text, unique=True)
    project_id: Mapped[int | None] = mapped_column(ForeignKey("projects.id"))
    invited_by: Mapped[int | None] = mapped_column(ForeignKey("accounts.id"))
    expires_at: Mapped[str] = mapped_column(Text)
    used_at: Mapped[str | None] = mapped_column(Text)
    revoked_at: Mapped[str | None] = mapped_column(Text)


class Reset(Dated):
    """Permission to set a new password for an account with a token, until it is used, replaced or expires."""

    __tablename__ = "resets"

    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"), index=True)
    token_hash: Mapped[str] = mapped_column(Text, unique=True)
    expires_at: Mapped[str] = mapped_column(Text)
    ended_at: Mapped[str | None] = mapped_column(Text)


class LogIn(Dated):
    """A session of an account in one browser; the token is in the cookie, and only its hash is stored."""

    __tablename__ = "sessions"

    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"), index=True)
    token_hash: Mapped[str] = mapped_column(Text, unique=True)
    seen_at: Mapped[str] = mapped_column(Text, default=now)
    expires_at: Mapped[str] = mapped_column(Text)
    revoked_at: Mapped[str | None] = mapped_column(Text)
    address: Mapped[str] = mapped_column(Text, default="")
    agent: Mapped[str] = mapped_column(Text, default="")


class Attempt(Numbered):
    """An attempt to log in, kept for rate limiting; hashed, since people may mistype secrets."""

    __tablename__ = "login_attempts"

    at: Mapped[str] = mapped_column(Text, default=now, index=True)
    address_hash: Mapped[str] = mapped_column(Text)
    email_hash: Mapped[str] = mapped_column(Text)
    success: Mapped[bool]


class Project(Dated):
    """Items of one task that some people annotate."""

    __tablename__ = "projects"

    name: Mapped[str] = mapped_column(Text, unique=True)
    task: Mapped[str] = mapped_column(Text)
    settings: Mapped[dict[str, Json]] = mapped_column(JsonText)
    version: Mapped[int] = mapped_column(default=1)
    created_by: Mapped[int | None] = mapped_column(ForeignKey("accounts.id"))
    archived_at: Mapped[str | None] = mapped_column(Text)


class Member(Base):
    """A member of a project, with a role in it."""

    __tablename__ = "members"
    __table_args__ = (_check_allowed("role", ROLES),)

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"), primary_key=True, index=True)
    role: Mapped[str] = mapped_column(Text)


class Pseudonym(Base):
    """The number of a person who has answered in a project, in place of the name."""

    __tablename__ = "pseudonyms"
    __table_args__ = (UniqueConstraint("project_id", "number"),)

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    number: Mapped[int]


class Attachment(Base):
    """JSON that many items share, by digest: the pyramid that peers are annotated with."""

    __tablename__ = "attachments"

    digest: Mapped[str] = mapped_column(Text, primary_key=True)
    body: Mapped[Any] = mapped_column(Packed)


class Item(Dated):
    """One thing to annotate; annotators may see *payload*, but neither *hidden* nor *known*.

    It cannot be annotated before what it *waits for*, in words, is there.
    """

    __tablename__ = "items"
    __table_args__ = (
        UniqueConstraint("project_id", "purpose", "kind", "key"),
        Index("items_in_order", "project_id", "position"),
        _check_allowed("purpose", PURPOSES),
    )

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    key: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    position: Mapped[int]
    purpose: Mapped[str] = mapped_column(Text)
    payload: Mapped[Any] = mapped_column(JsonText, nullable=True)
    hidden: Mapped[Any] = mapped_column(JsonText, nullable=True)
    known: Mapped[Any] = mapped_column(JsonText, nullable=True)
    attachment_digest: Mapped[str | None] = mapped_column(ForeignKey("attachments.digest"))
    waits_for: Mapped[str | None] = mapped_column(Text)
    starts_imported: Mapped[bool] = mapped_column(default=False)


class Import(Dated):
    """An import of files: how far it is, and its *outcome* when it has finished or failed.

    It belongs to no project until it has finished, if it also creates the project. Whoever runs it says from time to
    time that it is alive.
    """

    __tablename__ = "imports"

    project_id: Mapped[int | None] = mapped_column(ForeignKey("projects.id"), index=True)
    account_id: Mapped[int | None] = mapped_column(ForeignKey("accounts.id"))
    purpose: Mapped[str] = mapped_column(Text)
    alive_at: Mapped[str] = mapped_column(Text, default=now)
    total: Mapped[int] = mapped_column(default=0)
    staged: Mapped[int] = mapped_column(default=0)
    finished_at: Mapped[str | None] = mapped_column(Text)
    outcome: Mapped[Any] = mapped_column(JsonText, nullable=True)


class StagedItem(Base):
    """An item of an unfinished import, its JSON as text; nobody sees it until the import has finished."""

    __tablename__ = "staged_items"

    import_id: Mapped[int] = mapped_column(ForeignKey("imports.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    payload: Mapped[str | None] = mapped_column(Text)
    hidden: Mapped[str | None] = mapped_column(Text)
    known: Mapped[str | None] = mapped_column(Text)
    attachment_digest: Mapped[str | None] = mapped_column(Text)
    waits_for: Mapped[str | None] = mapped_column(Text)
    starts_imported: Mapped[bool]


class Answer(Dated):
    """One person's answer to an item: what lists and figures need. The body is in the latest revision."""

    __tablename__ = "answers"
    __table_args__ = (
        _check_allowed("kind", KINDS),
        Index("answers_of_item", "item_id", "kind"),
        _unique_where("one_annotation", "kind = 'annotation'", "item_id", "account_id"),
        _unique_where("one_adjudication", "kind = 'adjudicated'", "item_id"),
        _unique_where("one_review", "kind = 'review'", "about_id", "account_id"),
    )

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
    helped: Mapped[bool] = mapped_column(default=False, server_default=false())
    attachment_digest: Mapped[str | None] = mapped_column(ForeignKey("attachments.digest"))
    updated_at: Mapped[str] = mapped_column(Text, default=now)

    def revision(self, key: str, body: Json, account_id: int | None = None, change: str = "") -> "Revision":
        """Return the present version of the answer, made by the server itself.

        Parameters
        ----------
        key
            The key of the version.
        body
            Its body.
        account_id
            Whose action it is; None for an import or a reset.
        change
            A description for the history.
        """
        state = columns(self, "version", "unsure", "comment", "done")
        return Revision(answer_id=self.id, account_id=account_id, key=key, digest="", body=body, change=change, **state)


class Revision(Numbered):
    """A complete version of an answer. Rows are only added; the database itself refuses changes."""

    __tablename__ = "revisions"
    __table_args__ = (UniqueConstraint("answer_id", "version"), UniqueConstraint("answer_id", "key"))

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


class Assignment(Dated):
    """A request to a person to annotate an item or to review an answer.

    It is final from when the person, who has finished, *saw others*, that is their answers to the item.
    """

    __tablename__ = "assignments"
    __table_args__ = (
        _check_allowed("duty", DUTIES),
        Index("assignments_of_account", "account_id", "finished_at"),
        _unique_where("one_assignment", "duty = 'annotate'", "item_id", "account_id"),
        _unique_where("one_review_assignment", "duty = 'review'", "about_id", "account_id"),
    )

    item_id: Mapped[int] = mapped_column(ForeignKey("items.id"))
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    duty: Mapped[str] = mapped_column(Text, default="annotate")
    about_id: Mapped[int | None] = mapped_column(ForeignKey("answers.id"))
    finished_at: Mapped[str | None] = mapped_column(Text)
    saw_others_at: Mapped[str | None] = mapped_column(Text)


class Qualification(Base):
    """A person's result in the qualification test of a project; the latest attempt counts."""

    __tablename__ = "qualifications"

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    attempt: Mapped[int] = mapped_column(default=1)
    score: Mapped[float | None]
    passed: Mapped[bool | None]
    decided_at: Mapped[str | None] = mapped_column(Text)


class SystemRun(Dated):
    """The output of a system, to be scored against the gold of a project."""

    __tablename__ = "runs"
    __table_args__ = (UniqueConstraint("project_id", "name"),)

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    name: Mapped[str] = mapped_column(Text)
    file_name: Mapped[str] = mapped_column(Text)
    size: Mapped[int]
    digest: Mapped[str] = mapped_column(Text)
    content: Mapped[bytes] = mapped_column(PackedBytes, deferred=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))


class Uploaded(Dated):
    """The output of a system that waits to be scored; without content, one that was refused with a *message*."""

    __tablename__ = "uploads"

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), index=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    name: Mapped[str] = mapped_column(Text)
    file_name: Mapped[str] = mapped_column(Text)
    content: Mapped[bytes | None] = mapped_column(PackedBytes, deferred=True)
    replace: Mapped[bool]
    message: Mapped[str | None] = mapped_column(Text)


class Scores(Base):
    """The latest scores of a project: of which gold and runs (*digest*), and in which state it was last *checked*.

    If a later state could not be scored, *failed* is that state, with the time and the reason.
    """

    __tablename__ = "scores"

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), primary_key=True)
    digest: Mapped[str | None] = mapped_column(Text)
    checked: Mapped[str | None] = mapped_column(Text)
    at: Mapped[str | None] = mapped_column(Text)
    body: Mapped[Any] = mapped_column(Packed)
    report: Mapped[bytes | None] = mapped_column(PackedBytes, deferred=True)
    failed: Mapped[str | None] = mapped_column(Text)
    failed_at: Mapped[str | None] = mapped_column(Text)
    failure: Mapped[str | None] = mapped_column(Text)


class Entry(Numbered):
    """A line of the audit log. Rows are only added."""

    __tablename__ = "audit"
    __table_args__ = (Index("audit_of_project", "project_id", "id"),)

    at: Mapped[str] = mapped_column(Text, default=now)
    account_id: Mapped[int | None] = mapped_column(ForeignKey("accounts.id"))
    actor: Mapped[str] = mapped_column(Text)
    action: Mapped[str] = mapped_column(Text)
    project_id: Mapped[int | None] = mapped_column(ForeignKey("projects.id"))
    object: Mapped[str] = mapped_column(Text)
    object_id: Mapped[int | None]
    detail: Mapped[Any] = mapped_column(JsonText, nullable=True)
