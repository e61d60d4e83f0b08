"""The machine partner: which answers were given with its help."""

import sqlalchemy as sa
from alembic import op

revision = "v6"
down_revision = "v5"


def upgrade() -> None:
    """Add the column; no earlier answer was helped."""
    op.add_column("answers", sa.Column("helped", sa.Boolean, nullable=False, server_default=sa.false()))
