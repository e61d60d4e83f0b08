"""Inference challenge sets: does a premise entail a hypothesis, what readers say, and where systems fail."""

from touchstone.tasks.nli.agreeing import ReaderAgreement, agreement
from touchstone.tasks.nli.auditing import Audit, audit
from touchstone.tasks.nli.baseline import Baseline, Decision, wordnet_baseline
from touchstone.tasks.nli.breakdowns import Bins, breakdown, frequency_bins, similarity_bins
from touchstone.tasks.nli.edits import Edit, find_edit, single_edits
from touchstone.tasks.nli.explaining import Explanation, explain
from touchstone.tasks.nli.formats import convert, read_answers, read_pairs, read_predictions, read_runs
from touchstone.tasks.nli.measures import ALL, MEASURES
from touchstone.tasks.nli.model import LABELS, OTHER, Pair, PairSet, Run, Span, majority
from touchstone.tasks.nli.pairing import Policy
from touchstone.tasks.nli.readings import DEFAULT, LITERAL, READINGS, STRIPPED, Reading
from touchstone.tasks.nli.rules import lexical_rules
from touchstone.tasks.nli.scoring import BY_PREMISE, MAJORITY, majority_run, score
from touchstone.tasks.nli.tables import drop_table, group_table, score_table, set_table
from touchstone.tasks.nli.validating import Validation, validate
from touchstone.tasks.nli.verifying import Verification, verify

__all__ = [
    "ALL",
    "BY_PREMISE",
    "DEFAULT",
    "LABELS",
    "LITERAL",
    "MAJORITY",
    "MEASURES",
    "OTHER",
    "READINGS",
    "STRIPPED",
    "Audit",
    "Baseline",
    "Bins",
    "Decision",
    "Edit",
    "Explanation",
    "Pair",
    "PairSet",
    "Policy",
    "ReaderAgreement",
    "Reading",
    "Run",
    "Span",
    "Validation",
    "Verification",
    "agreement",
    "audit",
    "breakdown",
    "convert",
    "drop_table",
    "explain",
    "find_edit",
    "frequency_bins",
    "group_table",
    "lexical_rules",
    "majority",
    "majority_run",
    "read_answers",
    "read_pairs",
    "read_predictions",
    "read_runs",
    "score",
    "score_table",
    "set_table",
    "similarity_bins",
    "single_edits",
    "validate",
    "verify",
    "wordnet_baseline",
]
