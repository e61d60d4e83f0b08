"""Lexical substitution, as users see it: ``from touchstone.lexsub import score``."""

from typing import TYPE_CHECKING

from touchstone.tasks.lexsub import *  # noqa: F403
from touchstone.tasks.lexsub import __all__ as _scoring

if TYPE_CHECKING:
    from touchstone.systems.substitution.substituter import Substituter

__all__ = [*_scoring, "Substituter"]


def __getattr__(name: str) -> object:
    """Import the systems when they are first used: scoring needs none of what they open."""
    if name != "Substituter":
        raise AttributeError(f"module 'touchstone.lexsub' has no attribute {name!r}")
    from touchstone.systems.substitution.substituter import Substituter

    return Substituter


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted(__all__)
