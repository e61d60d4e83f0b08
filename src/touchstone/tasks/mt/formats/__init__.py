"""References and translations from plain text with one segment per line, from tables, and from Python objects."""

from touchstone.tasks.mt.formats.gold import left_out, read_gold
from touchstone.tasks.mt.formats.runs import named_files, read_run

__all__ = ["left_out", "named_files", "read_gold", "read_run"]
