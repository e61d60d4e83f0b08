"""Roles in projects instead of one role everywhere; administrators apart."""

import sqlalchemy as sa
from alembic import op

revision = "v4"
down_revision = "v3"


def upgrade() -> None:
    """Give members the former role of their account; former admins are administrators, and managers where members."""
    with op.batch_alter_table("members") as members:
        members.add_column(sa.Column("role", sa.Text))
    op.execute(
        "UPDATE members SET role = (SELECT CASE accounts.role WHEN 'admin' THEN 'manager' ELSE accounts.role END "
        "FROM accounts WHERE accounts.id = members.account_id)"
    )
    with op.batch_alter_table("members") as members:
        members.alter_column("role", nullable=False)
        members.create_check_constraint("known_role", "role IN ('annotator', 'reviewer', 'manager')")
    for table in ("accounts", "invitations"):
        with op.batch_alter_table(table) as changed:
            changed.add_column(sa.Column("admin", sa.Boolean, nullable=False, server_default=sa.false()))
        op.execute(f"UPDATE {table} SET admin = true WHERE role = 'admin'")
    with op.batch_alter_table("accounts") as accounts:
        accounts.alter_column("admin", server_default=None)
        accounts.drop_constraint("known_role", type_="check")
        accounts.drop_column("role")
    with op.batch_alter_table("invitations") as invitations:
        invitations.alter_column("admin", server_default=None)
        invitations.alter_column("role", nullable=True)
    op.execute("UPDATE invitations SET role = 'manager' WHERE role = 'admin'")
