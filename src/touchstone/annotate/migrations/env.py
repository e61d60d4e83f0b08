"""Run migrations on the connection that `touchstone.annotate.database` gives."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=True)
context.run_migrations()
