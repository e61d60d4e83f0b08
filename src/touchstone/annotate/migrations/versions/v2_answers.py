"""Items, assignments, and answers with every version of them."""

import sqlalchemy as sa
from alembic import op

revision = "v2"
down_revision = "v1"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "attachments",
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "items",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("project_id", sa.Integer, sa.ForeignKey("projects.id"), nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("purpose", sa.Text, nullable=False),
        sa.Column("payload", sa.Text),
        sa.Column("hidden", sa.Text),
        sa.Column("known", sa.Text),
        sa.Column("attachment_digest", sa.Text, sa.ForeignKey("attachments.digest")),
        sa.Column("starts_imported", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.UniqueConstraint("project_id", "purpose", "kind", "key"),
        sa.CheckConstraint("purpose IN ('work', 'qualification', 'training')", name="known_purpose"),
    )
    op.create_index("items_in_order", "items", ["project_id", "position"])
    _answers()
    _revisions()
    _assignments()


def _answers() -> None:
    op.create_table(
        "answers",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("item_id", sa.Integer, sa.ForeignKey("items.id"), nullable=False),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id"), index=True),
        sa.Column("author_name", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("about_id", sa.Integer, sa.ForeignKey("answers.id")),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("unsure", sa.Boolean, nullable=False),
        sa.Column("comment", sa.Text, nullable=False),
        sa.Column("done", sa.Boolean, nullable=False),
        sa.Column("seconds", sa.Double, nullable=False),
        sa.Column("attachment_digest", sa.Text, sa.ForeignKey("attachments.digest")),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("updated_at", sa.Text, nullable=False),
        sa.CheckConstraint("kind IN ('annotation', 'imported', 'adjudicated', 'review')", name="known_kind"),
    )
    op.create_index("answers_of_item", "answers", ["item_id", "kind"])
    _unique_where("one_annotation", "answers", ["item_id", "account_id"], "kind = 'annotation'")
    _unique_where("one_adjudication", "answers", ["item_id"], "kind = 'adjudicated'")
    _unique_where("one_review", "answers", ["about_id", "account_id"], "kind = 'review'")


def _revisions() -> None:
    op.create_table(
        "revisions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("answer_id", sa.Integer, sa.ForeignKey("answers.id"), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id")),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("unsure", sa.Boolean, nullable=False),
        sa.Column("comment", sa.Text, nullable=False),
        sa.Column("done", sa.Boolean, nullable=False),
        sa.Column("seconds", sa.Double, nullable=False),
        sa.Column("change", sa.Text, nullable=False),
        sa.UniqueConstraint("answer_id", "version"),
        sa.UniqueConstraint("answer_id", "key"),
    )
    _append_only("revisions")


def _assignments() -> None:
    op.create_table(
        "assignments",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("item_id", sa.Integer, sa.ForeignKey("items.id"), nullable=False),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id"), nullable=False),
        sa.Column("duty", sa.Text, nullable=False),
        sa.Column("about_id", sa.Integer, sa.ForeignKey("answers.id")),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("finished_at", sa.Text),
        sa.CheckConstraint("duty IN ('annotate', 'review')", name="known_duty"),
    )
    op.create_index("assignments_of_account", "assignments", ["account_id", "finished_at"])
    _unique_where("one_assignment", "assignments", ["item_id", "account_id"], "duty = 'annotate'")
    _unique_where("one_review_assignment", "assignments", ["about_id", "account_id"], "duty = 'review'")


def _unique_where(name: str, table: str, columns: list[str], where: str) -> None:
    clause = sa.text(where)
    op.create_index(name, table, columns, unique=True, sqlite_where=clause, postgresql_where=clause)


def _append_only(table: str) -> None:
    """Let the database itself refuse to change or remove rows; PostgreSQL has the function from v1."""
    if op.get_bind().dialect.name == "sqlite":
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
        return
    op.execute(
        f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
    )
