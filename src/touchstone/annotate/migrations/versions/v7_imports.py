"""Imports: items wait in a table of their own until all of them are there. Peers wait for their pyramids."""

import json
import zlib

import sqlalchemy as sa
from alembic import op

from touchstone.annotate.database import numbered_table, texts

revision = "v7"
down_revision = "v6"


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
        *texts("payload", "hidden", "known", "attachment_digest", "waits_for", nullable=True),
        sa.Column("starts_imported", sa.Boolean, nullable=False),
    )
    op.add_column("items", sa.Column("waits_for", sa.Text))
    _let_peers_wait(op.get_bind())


def _let_peers_wait(connection: sa.Connection) -> None:
    """Let the peers wait whose pyramid has no units yet."""
    attachments = connection.execute(sa.text("SELECT digest, body FROM attachments"))
    empty = [digest for digest, body in attachments if json.loads(zlib.decompress(body)).get("scus") == []]
    for digest in empty:
        query = sa.text("SELECT id, payload FROM items WHERE kind = 'peer' AND attachment_digest = :digest")
        for item, payload in connection.execute(query, {"digest": digest}).all():
            reason = f"the pyramid of {json.loads(payload)['set']}"
            change = sa.text("UPDATE items SET waits_for = :reason WHERE id = :item")
            connection.execute(change, {"reason": reason, "item": item})
