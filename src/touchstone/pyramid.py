"""Pyramid scores: content units that model summaries share, and how many of them a peer's summary expresses."""

from touchstone.tasks.pyramid.about import Options
from touchstone.tasks.pyramid.agreement import agree, vote_agreement
from touchstone.tasks.pyramid.analysis import analyse
from touchstone.tasks.pyramid.decisions import Decision, Presence
from touchstone.tasks.pyramid.describing import describe, properties
from touchstone.tasks.pyramid.evaluations import compare_evaluations
from touchstone.tasks.pyramid.explaining import explain_summary
from touchstone.tasks.pyramid.formats import read, read_all, read_annotation, read_meta, read_pyramid, write
from touchstone.tasks.pyramid.joining import GoldSet, UnitCounts, unit_counts
from touchstone.tasks.pyramid.measures import MEASURES, value
from touchstone.tasks.pyramid.model import Annotation, Contributor, Part, Pyramid, Unit
from touchstone.tasks.pyramid.power import power_of
from touchstone.tasks.pyramid.presence import read_presence, write_presence
from touchstone.tasks.pyramid.readings import read_reading, reading
from touchstone.tasks.pyramid.score_tables import read_scores, score_table, with_ratings
from touchstone.tasks.pyramid.scores import ScoreTable
from touchstone.tasks.pyramid.task import TASK, read_gold
from touchstone.tasks.pyramid.validating import problems

score, explain, validate, convert = TASK.score, TASK.explain, TASK.validate, TASK.convert

__all__ = [
    "MEASURES",
    "TASK",
    "Annotation",
    "Contributor",
    "Decision",
    "GoldSet",
    "Options",
    "Part",
    "Presence",
    "Pyramid",
    "ScoreTable",
    "Unit",
    "UnitCounts",
    "agree",
    "analyse",
    "compare_evaluations",
    "convert",
    "describe",
    "explain",
    "explain_summary",
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
    "unit_counts",
    "validate",
    "value",
    "vote_agreement",
    "with_ratings",
    "write",
    "write_presence",
]
