"""Pseudonyms of the people who answer in a project."""

import random

import sqlalchemy as sa
from alembic import op

revision = "v9"
down_revision = "v8"


def upgrade() -> None:
    """Make the table, and give everybody who has answered a number at random."""
    table = op.create_table(
        "pseudonyms",
        sa.Column("project_id", sa.Integer, sa.ForeignKey("projects.id"), primary_key=True),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id"), primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
        sa.UniqueConstraint("project_id", "number"),
    )
    query = (
        "SELECT DISTINCT items.project_id, answers.account_id FROM answers JOIN items ON answers.item_id = items.id "
        "WHERE answers.account_id IS NOT NULL ORDER BY 1, 2"
    )
    people: dict[int, list[int]] = {}
    for project_id, account_id in op.get_bind().execute(sa.text(query)):
        people.setdefault(project_id, []).append(account_id)
    for project_id, accounts in people.items():
        numbers = random.SystemRandom().sample(range(1, len(accounts) + 1), len(accounts))
        rows = [
            {"project_id": project_id, "account_id": a, "number": n} for a, n in zip(accounts, numbers, strict=True)
        ]
        op.bulk_insert(table, rows)
