"""Imports: items wait in a table of their own until all of them are there."""

import sqlalchemy as sa
from alembic import op

from touchstone.annotate.database import numbered_table, texts

revision = "v5"
down_revision = "v4"


def upgrade() -> None:
    """Make the tables."""
    numbered_table(
        "imports",
        sa.Column("project_id", sa.Integer, sa.ForeignKey("projects.id"), index=True),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id")),
        *texts("purpose", "created_at", "alive_at"),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("staged", sa.Integer, nullable=False),
        *texts("finished_at", "outcome", nullable=True),
    )
    op.create_table(
        "staged_items",
        sa.Column("import_id", sa.Integer, sa.ForeignKey("imports.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        *texts("key", "kind"),
        *texts("payload", "hidden", "known", "attachment_digest", nullable=True),
        sa.Column("starts_imported", sa.Boolean, nullable=False),
    )
