"""Links that set a new password."""

import sqlalchemy as sa

from touchstone.annotate.database import numbered_table, texts

revision = "v5"
down_revision = "v4"


def upgrade() -> None:
    """Make the table."""
    numbered_table(
        "resets",
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id"), nullable=False, index=True),
        sa.Column("token_hash", sa.Text, nullable=False, unique=True),
        *texts("created_at", "expires_at"),
        *texts("ended_at", nullable=True),
    )
