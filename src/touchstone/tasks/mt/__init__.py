"""Translation: metrics, and how far they say what people say."""

from touchstone.tasks.mt.agreement import JudgeAgreement, agreement
from touchstone.tasks.mt.explaining import Explained, explain, explainable
from touchstone.tasks.mt.formats import Analyses, read_translations
from touchstone.tasks.mt.formats.judgements import read_judgements
from touchstone.tasks.mt.inputs import Reading, References, System
from touchstone.tasks.mt.judging import Judgements
from touchstone.tasks.mt.maxsim import MaxSim
from touchstone.tasks.mt.metaeval import Meta, meta
from touchstone.tasks.mt.metrics import DEFAULT, MEASURES
from touchstone.tasks.mt.model import Compared, Explanation, Layer, Texts
from touchstone.tasks.mt.own import Own
from touchstone.tasks.mt.pairing import Policy
from touchstone.tasks.mt.scoring import score
from touchstone.tasks.mt.tables import score_table
from touchstone.tasks.mt.tuning import tune
from touchstone.tasks.mt.tuning_model import Tuning
from touchstone.tasks.mt.validating import Validation, validate

__all__ = [
    "DEFAULT",
    "MEASURES",
    "Analyses",
    "Compared",
    "Explained",
    "Explanation",
    "JudgeAgreement",
    "Judgements",
    "Layer",
    "MaxSim",
    "Meta",
    "Own",
    "Policy",
    "Reading",
    "References",
    "System",
    "Texts",
    "Tuning",
    "Validation",
    "agreement",
    "explain",
    "explainable",
    "meta",
    "read_judgements",
    "read_translations",
    "score",
    "score_table",
    "tune",
    "validate",
]
