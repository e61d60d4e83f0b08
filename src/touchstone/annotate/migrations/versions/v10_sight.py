"""When people saw the answers of others to an item that they had annotated themselves."""

import sqlalchemy as sa
from alembic import op

revision = "v10"
down_revision = "v9"


def upgrade() -> None:
    """Add the column; what anybody saw earlier is not known."""
    op.add_column("assignments", sa.Column("saw_others_at", sa.Text))
