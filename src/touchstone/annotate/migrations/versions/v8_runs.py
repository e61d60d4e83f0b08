"""Runs of systems, and the scores of a project."""

import sqlalchemy as sa
from alembic import op

from touchstone.annotate.database import numbered_table, texts

revision = "v8"
down_revision = "v7"


def upgrade() -> None:
    """Make the tables."""
    numbered_table(
        "runs",
        sa.Column("project_id", sa.Integer, sa.ForeignKey("projects.id"), nullable=False),
        *texts("name", "file_name"),
        sa.Column("size", sa.Integer, nullable=False),
        *texts("digest"),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id"), nullable=False),
        *texts("created_at"),
        sa.UniqueConstraint("project_id", "name"),
    )
    numbered_table(
        "uploads",
        sa.Column("project_id", sa.Integer, sa.ForeignKey("projects.id"), nullable=False, index=True),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id"), nullable=False),
        *texts("name", "file_name"),
        sa.Column("content", sa.LargeBinary),
        sa.Column("replace", sa.Boolean, nullable=False),
        *texts("message", nullable=True),
        *texts("created_at"),
    )
    op.create_table(
        "scores",
        sa.Column("project_id", sa.Integer, sa.ForeignKey("projects.id"), primary_key=True),
        *texts("digest", "checked", "at", nullable=True),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("report", sa.LargeBinary),
        *texts("failed", "failed_at", "failure", nullable=True),
    )
