"""Inference, as users see it: ``from touchstone.nli import score``."""

from touchstone.systems.inference.drops import Drop, drop, drop_results
from touchstone.tasks.nli import *  # noqa: F403
from touchstone.tasks.nli import __all__ as _scoring

__all__ = [*_scoring, "Drop", "drop", "drop_results"]
