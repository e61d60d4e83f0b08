"""Inference, as users see it: ``from touchstone.nli import score``."""

from typing import TYPE_CHECKING

from touchstone.tasks.nli import *  # noqa: F403
from touchstone.tasks.nli import __all__ as _scoring

if TYPE_CHECKING:
    from touchstone.systems.inference.drops import Drop, drop, drop_results

__all__ = [*_scoring, "Drop", "drop", "drop_results"]


def __getattr__(name: str) -> object:
    """Import the systems when they are first used: scoring needs none of what they open."""
    if name not in ("Drop", "drop", "drop_results"):
        raise AttributeError(f"module 'touchstone.nli' has no attribute {name!r}")
    from touchstone.systems.inference import drops

    return getattr(drops, name)


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted(__all__)
