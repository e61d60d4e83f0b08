"""Lexical substitution: which words could stand here instead, and how well a system finds them."""

from importlib import import_module
from typing import TYPE_CHECKING

from touchstone.tasks.lexsub.answers import Pool, read_pool
from touchstone.tasks.lexsub.explaining import Explanation, explain
from touchstone.tasks.lexsub.formats import convert, read_answers, read_gold, read_runs, read_sentences
from touchstone.tasks.lexsub.measures import ELS07, MEASURES, PAPER, Views, average, find_measures, value
from touchstone.tasks.lexsub.model import Context, GoldSet, Item, Run, Sentence
from touchstone.tasks.lexsub.pairing import Policy
from touchstone.tasks.lexsub.scoring import score
from touchstone.tasks.lexsub.validating import Validation, validate

if TYPE_CHECKING:
    from touchstone.tasks.lexsub.systems.substituter import Substituter
    from touchstone.tasks.lexsub.systems.training import train

__all__ = [
    "ELS07",
    "MEASURES",
    "PAPER",
    "Context",
    "Explanation",
    "GoldSet",
    "Item",
    "Policy",
    "Pool",
    "Run",
    "Sentence",
    "Substituter",
    "Validation",
    "Views",
    "average",
    "convert",
    "explain",
    "find_measures",
    "read_answers",
    "read_gold",
    "read_pool",
    "read_runs",
    "read_sentences",
    "score",
    "train",
    "validate",
    "value",
]

_SYSTEMS = {"Substituter": "substituter", "train": "training"}


def __getattr__(name: str) -> object:
    """Import the systems when they are first used: scoring needs none of what they open."""
    if name not in _SYSTEMS:
        raise AttributeError(f"module 'touchstone.tasks.lexsub' has no attribute {name!r}")
    return getattr(import_module(f"touchstone.tasks.lexsub.systems.{_SYSTEMS[name]}"), name)
