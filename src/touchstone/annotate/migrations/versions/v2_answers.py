"""Items, assignments, and answers with every version of them."""

import sqlalchemy as sa
from alembic import op

from touchstone.annotate.database import append_only, numbered_table, texts, unique_where

revision = "v2"
down_revision = "v1"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "attachments",
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    numbered_table(
        "items",
        sa.Column("project_id", sa.Integer, sa.ForeignKey("projects.id"), nullable=False),
        *texts("key", "kind"),
        sa.Column("position", sa.Integer, nullable=False),
        *texts("purpose"),
        *texts("payload", "hidden", "known", nullable=True),
        sa.Column("attachment_digest", sa.Text, sa.ForeignKey("attachments.digest")),
        sa.Column("starts_imported", sa.Boolean, nullable=False),
        *texts("created_at"),
        sa.UniqueConstraint("project_id", "purpose", "kind", "key"),
        sa.CheckConstraint("purpose IN ('work', 'qualification', 'training')", name="known_purpose"),
    )
    op.create_index("items_in_order", "items", ["project_id", "position"])
    numbered_table(
        "answers",
        sa.Column("item_id", sa.Integer, sa.ForeignKey("items.id"), nullable=False),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id"), index=True),
        *texts("author_name", "kind"),
        sa.Column("about_id", sa.Integer, sa.ForeignKey("answers.id")),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("unsure", sa.Boolean, nullable=False),
        *texts("comment"),
        sa.Column("done", sa.Boolean, nullable=False),
        sa.Column("seconds", sa.Double, nullable=False),
        sa.Column("attachment_digest", sa.Text, sa.ForeignKey("attachments.digest")),
        *texts("created_at", "updated_at"),
        sa.CheckConstraint("kind IN ('annotation', 'imported', 'adjudicated', 'review')", name="known_kind"),
    )
    op.create_index("answers_of_item", "answers", ["item_id", "kind"])
    unique_where("one_annotation", "answers", ["item_id", "account_id"], "kind = 'annotation'")
    unique_where("one_adjudication", "answers", ["item_id"], "kind = 'adjudicated'")
    unique_where("one_review", "answers", ["about_id", "account_id"], "kind = 'review'")
    numbered_table(
        "revisions",
        sa.Column("answer_id", sa.Integer, sa.ForeignKey("answers.id"), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id")),
        *texts("key", "digest", "at"),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("unsure", sa.Boolean, nullable=False),
        *texts("comment"),
        sa.Column("done", sa.Boolean, nullable=False),
        sa.Column("seconds", sa.Double, nullable=False),
        *texts("change"),
        sa.UniqueConstraint("answer_id", "version"),
        sa.UniqueConstraint("answer_id", "key"),
    )
    append_only("revisions")
    numbered_table(
        "assignments",
        sa.Column("item_id", sa.Integer, sa.ForeignKey("items.id"), nullable=False),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id"), nullable=False),
        *texts("duty"),
        sa.Column("about_id", sa.Integer, sa.ForeignKey("answers.id")),
        *texts("created_at"),
        *texts("finished_at", nullable=True),
        sa.CheckConstraint("duty IN ('annotate', 'review')", name="known_duty"),
    )
    op.create_index("assignments_of_account", "assignments", ["account_id", "finished_at"])
    unique_where("one_assignment", "assignments", ["item_id", "account_id"], "duty = 'annotate'")
    unique_where("one_review_assignment", "assignments", ["about_id", "account_id"], "duty = 'review'")
