"""Lexical substitution: which words could replace a word in its sentence, and how well a system finds them."""

from importlib import import_module
from typing import TYPE_CHECKING

from touchstone.core.joining import Policy
from touchstone.tasks.lexsub.formats import read_gold, read_run, read_runs, read_sentences
from touchstone.tasks.lexsub.joining import Joined, Options, join
from touchstone.tasks.lexsub.measures import ELS07, MEASURES, PAPER, average, value
from touchstone.tasks.lexsub.model import Context, GoldSet, Item, Run, Sentence
from touchstone.tasks.lexsub.task import TASK

if TYPE_CHECKING:
    from touchstone.tasks.lexsub.systems.substituter import Substituter
    from touchstone.tasks.lexsub.systems.training import train

__all__ = [
    "ELS07",
    "MEASURES",
    "PAPER",
    "TASK",
    "Context",
    "GoldSet",
    "Item",
    "Joined",
    "Options",
    "Policy",
    "Run",
    "Sentence",
    "Substituter",
    "average",
    "convert",
    "explain",
    "join",
    "read_gold",
    "read_run",
    "read_runs",
    "read_sentences",
    "score",
    "train",
    "validate",
    "value",
]

score, explain, validate, convert = TASK.score, TASK.explain, TASK.validate, TASK.convert

_SYSTEMS = {"Substituter": "substituter", "train": "training"}


def __getattr__(name: str) -> object:
    """Import the systems when they are first used: scoring needs none of what they open."""
    if name not in _SYSTEMS:
        raise AttributeError(f"module 'touchstone.tasks.lexsub' has no attribute {name!r}")
    return getattr(import_module(f"touchstone.tasks.lexsub.systems.{_SYSTEMS[name]}"), name)
