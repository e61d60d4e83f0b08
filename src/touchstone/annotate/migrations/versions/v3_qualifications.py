"""Qualification tests: who may annotate in a project."""

import sqlalchemy as sa
from alembic import op

from touchstone.annotate.database import texts

revision = "v3"
down_revision = "v2"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "qualifications",
        sa.Column("project_id", sa.Integer, sa.ForeignKey("projects.id"), primary_key=True),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id"), primary_key=True),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("score", sa.Double),
        sa.Column("passed", sa.Boolean),
        *texts("decided_at", nullable=True),
    )
