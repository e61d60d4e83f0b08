"""Pyramid scores: content units that model summaries share, and how many of them a peer's summary expresses."""

from touchstone.tasks.pyramid.agreement import ReadingAgreement, agree, vote_agreement
from touchstone.tasks.pyramid.analysis import Analysis, analyse
from touchstone.tasks.pyramid.describing import describe, examples_table, properties, tier_table
from touchstone.tasks.pyramid.evaluations import Evaluations, compare_evaluations
from touchstone.tasks.pyramid.explaining import SummaryExplanation, explain_summary
from touchstone.tasks.pyramid.formats import read, read_all, read_annotation, read_meta, read_pyramid, write
from touchstone.tasks.pyramid.formats.presence import read_presence, write_presence
from touchstone.tasks.pyramid.joining import GoldSet, Joined, Run, UnitCounts, join, unit_counts
from touchstone.tasks.pyramid.measures import MEASURES, PAPER, value
from touchstone.tasks.pyramid.model import Annotation, Contributor, Part, Pyramid, Summary, Unit
from touchstone.tasks.pyramid.power import Power, power_of
from touchstone.tasks.pyramid.presence import Decision, Presence
from touchstone.tasks.pyramid.readings import Reading, read_reading, reading
from touchstone.tasks.pyramid.scores import ScoreTable, read_scores, score_table
from touchstone.tasks.pyramid.task import TASK, Options, read_gold
from touchstone.tasks.pyramid.validating import Problem, problems

score, explain, validate, convert = TASK.score, TASK.explain, TASK.validate, TASK.convert

__all__ = [
    "MEASURES",
    "PAPER",
    "TASK",
    "Analysis",
    "Annotation",
    "Contributor",
    "Decision",
    "Evaluations",
    "GoldSet",
    "Joined",
    "Options",
    "Part",
    "Power",
    "Presence",
    "Problem",
    "Pyramid",
    "Reading",
    "ReadingAgreement",
    "Run",
    "ScoreTable",
    "Summary",
    "SummaryExplanation",
    "Unit",
    "UnitCounts",
    "agree",
    "analyse",
    "compare_evaluations",
    "convert",
    "describe",
    "examples_table",
    "explain",
    "explain_summary",
    "join",
    "power_of",
    "problems",
    "properties",
    "read",
    "read_all",
    "read_annotation",
    "read_gold",
    "read_meta",
    "read_presence",
    "read_pyramid",
    "read_reading",
    "read_scores",
    "reading",
    "score",
    "score_table",
    "tier_table",
    "unit_counts",
    "validate",
    "value",
    "vote_agreement",
    "write",
    "write_presence",
]
