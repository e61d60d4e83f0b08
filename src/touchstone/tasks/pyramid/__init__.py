"""Pyramid scores: content units that people share, and how many of them a summary has."""

from touchstone.tasks.pyramid.agreement import ReadingAgreement, agree, vote_agreement
from touchstone.tasks.pyramid.analysis import Analysis, analyse
from touchstone.tasks.pyramid.describing import describe
from touchstone.tasks.pyramid.evaluations import Evaluations, compare_evaluations
from touchstone.tasks.pyramid.explaining import Explanation, explain
from touchstone.tasks.pyramid.formats import read, read_annotation, read_meta, read_pyramid, write
from touchstone.tasks.pyramid.formats.presence import read_presence, write_presence
from touchstone.tasks.pyramid.inputs import read_annotations, read_inputs
from touchstone.tasks.pyramid.joining import Joined, Ratings, join, read_ratings
from touchstone.tasks.pyramid.matching import Match
from touchstone.tasks.pyramid.measures import ALIASES, MEASURES, PAPER, find_measures, value
from touchstone.tasks.pyramid.model import Annotation, Contributor, Part, Pyramid, Summary, Unit
from touchstone.tasks.pyramid.power import Power, power_of
from touchstone.tasks.pyramid.presence import Decision, Presence
from touchstone.tasks.pyramid.properties import examples_table, properties, tier_table
from touchstone.tasks.pyramid.readings import Reading, read_reading, reading
from touchstone.tasks.pyramid.scores import ScoreTable, read_scores
from touchstone.tasks.pyramid.scoring import Scorer, score, score_each
from touchstone.tasks.pyramid.validating import Problem, Validation, problems, validate

__all__ = [
    "ALIASES",
    "MEASURES",
    "PAPER",
    "Analysis",
    "Annotation",
    "Contributor",
    "Decision",
    "Evaluations",
    "Explanation",
    "Joined",
    "Match",
    "Part",
    "Power",
    "Presence",
    "Problem",
    "Pyramid",
    "Ratings",
    "Reading",
    "ReadingAgreement",
    "ScoreTable",
    "Scorer",
    "Summary",
    "Unit",
    "Validation",
    "agree",
    "analyse",
    "compare_evaluations",
    "describe",
    "examples_table",
    "explain",
    "find_measures",
    "join",
    "power_of",
    "problems",
    "properties",
    "read",
    "read_annotation",
    "read_annotations",
    "read_inputs",
    "read_meta",
    "read_presence",
    "read_pyramid",
    "read_ratings",
    "read_reading",
    "read_scores",
    "reading",
    "score",
    "score_each",
    "tier_table",
    "validate",
    "value",
    "vote_agreement",
    "write",
    "write_presence",
]
