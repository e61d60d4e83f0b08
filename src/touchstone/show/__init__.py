"""What people see: figures, tables and pages, from plain data."""
