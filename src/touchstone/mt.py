"""Translation: metrics, and how well they agree with human judgements."""

from touchstone.tasks.mt.about import Options
from touchstone.tasks.mt.explaining import RunExplanation
from touchstone.tasks.mt.formats import read_gold, read_run
from touchstone.tasks.mt.joining import join
from touchstone.tasks.mt.judges.agreement import agreement
from touchstone.tasks.mt.judges.judgements import Judgements
from touchstone.tasks.mt.judges.metaeval import meta
from touchstone.tasks.mt.judges.metaeval.model import Meta
from touchstone.tasks.mt.judges.reading import read_judgements
from touchstone.tasks.mt.judges.tuning import tune
from touchstone.tasks.mt.judges.tuning.model import Tuning
from touchstone.tasks.mt.maxsim import MaxSim
from touchstone.tasks.mt.measures import DEFAULT, MEASURES
from touchstone.tasks.mt.model import Explanation, GoldSet, Joined, Layer, MtMeasure, Run
from touchstone.tasks.mt.own import Batch, Own
from touchstone.tasks.mt.task import TASK
from touchstone.tasks.mt.texts import Texts

read, score, explain, validate, convert = TASK.read, TASK.score, TASK.explain, TASK.validate, TASK.convert

__all__ = [
    "DEFAULT",
    "MEASURES",
    "TASK",
    "Batch",
    "Explanation",
    "GoldSet",
    "Joined",
    "Judgements",
    "Layer",
    "MaxSim",
    "Meta",
    "MtMeasure",
    "Options",
    "Own",
    "Run",
    "RunExplanation",
    "Texts",
    "Tuning",
    "agreement",
    "convert",
    "explain",
    "join",
    "meta",
    "read",
    "read_gold",
    "read_judgements",
    "read_run",
    "score",
    "tune",
    "validate",
]
