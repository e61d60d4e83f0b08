"""Lexical substitution: which words could replace a word in its sentence, and how well a system finds them."""

from typing import TYPE_CHECKING

from touchstone.base.ids import Policy
from touchstone.tasks.lexsub.about import Options
from touchstone.tasks.lexsub.formats import read_gold, read_run, read_runs, read_sentences, read_targets
from touchstone.tasks.lexsub.joining import Joined, join
from touchstone.tasks.lexsub.measures import ELS07, MEASURES, PAPER, RANKING, SWORDS, average, value
from touchstone.tasks.lexsub.model import GoldSet, Run
from touchstone.tasks.lexsub.task import TASK

if TYPE_CHECKING:
    from touchstone.systems.substitution.substituter import Substituter

__all__ = [
    "ELS07",
    "MEASURES",
    "PAPER",
    "RANKING",
    "SWORDS",
    "TASK",
    "GoldSet",
    "Joined",
    "Options",
    "Policy",
    "Run",
    "Substituter",
    "average",
    "convert",
    "explain",
    "join",
    "read_gold",
    "read_run",
    "read_runs",
    "read_sentences",
    "read_targets",
    "score",
    "validate",
    "value",
]

score, explain, validate, convert = TASK.score, TASK.explain, TASK.validate, TASK.convert


def __getattr__(name: str) -> object:
    """Import the systems when they are first used: scoring needs none of what they open."""
    if name != "Substituter":
        raise AttributeError(f"module 'touchstone.lexsub' has no attribute {name!r}")
    from touchstone.systems.substitution.substituter import Substituter

    return Substituter


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted(__all__)
