"""Accounts, invitations, sessions, and a log to which rows are only added."""

import sqlalchemy as sa
from alembic import op

from touchstone.annotate.database import append_only, numbered_table, texts

revision = "v1"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    numbered_table(
        "accounts",
        sa.Column("email", sa.Text, nullable=False, unique=True),
        *texts("name", "password_hash", "role"),
        *texts("disabled_at", nullable=True),
        *texts("created_at"),
        sa.CheckConstraint("role IN ('annotator', 'reviewer', 'manager', 'admin')", name="known_role"),
    )
    numbered_table(
        "sessions",
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id"), nullable=False, index=True),
        sa.Column("token_hash", sa.Text, nullable=False, unique=True),
        *texts("created_at", "seen_at", "expires_at"),
        *texts("revoked_at", nullable=True),
        *texts("address", "agent"),
    )
    numbered_table(
        "login_attempts",
        sa.Column("at", sa.Text, nullable=False, index=True),
        *texts("address_hash", "email_hash"),
        sa.Column("success", sa.Boolean, nullable=False),
    )
    numbered_table(
        "projects",
        sa.Column("name", sa.Text, nullable=False, unique=True),
        *texts("task", "settings"),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("created_by", sa.Integer, sa.ForeignKey("accounts.id")),
        *texts("created_at"),
        *texts("archived_at", nullable=True),
    )
    numbered_table(
        "invitations",
        *texts("email", "role"),
        sa.Column("token_hash", sa.Text, nullable=False, unique=True),
        sa.Column("project_id", sa.Integer, sa.ForeignKey("projects.id")),
        sa.Column("invited_by", sa.Integer, sa.ForeignKey("accounts.id")),
        *texts("created_at", "expires_at"),
        *texts("used_at", "revoked_at", nullable=True),
    )
    op.create_table(
        "members",
        sa.Column("project_id", sa.Integer, sa.ForeignKey("projects.id"), primary_key=True),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id"), primary_key=True, index=True),
    )
    numbered_table(
        "audit",
        *texts("at"),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id")),
        *texts("actor", "action"),
        sa.Column("project_id", sa.Integer, sa.ForeignKey("projects.id")),
        *texts("object"),
        sa.Column("object_id", sa.Integer),
        *texts("detail", nullable=True),
    )
    op.create_index("audit_of_project", "audit", ["project_id", "id"])
    append_only("audit")
