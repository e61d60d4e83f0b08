"""Lexical substitution: which words could replace a word in its sentence, and how well a system finds them."""

from touchstone.base.ids import Policy
from touchstone.tasks.lexsub.formats import read_gold, read_run, read_runs, read_sentences, read_targets
from touchstone.tasks.lexsub.joining import Joined, Options, join
from touchstone.tasks.lexsub.measures import ELS07, MEASURES, PAPER, RANKING, SWORDS, average, value
from touchstone.tasks.lexsub.model import GoldSet, Run
from touchstone.tasks.lexsub.task import TASK

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
