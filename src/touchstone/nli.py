"""Inference: pairs of sentences, the labels of annotators, and how systems score on them."""

from typing import TYPE_CHECKING

from touchstone.tasks.nli.about import Options
from touchstone.tasks.nli.annotator_agreement import agreement, set_table
from touchstone.tasks.nli.auditing import Audit, audit
from touchstone.tasks.nli.baseline import Baseline, Decision, wordnet_baseline
from touchstone.tasks.nli.breakdowns import (
    Bins,
    Breakdowns,
    breakdown,
    breakdown_table,
    frequency_bins,
    similarity_bins,
)
from touchstone.tasks.nli.calibration import Bin, reliability, reliability_table
from touchstone.tasks.nli.edits import Edit, find_edit, single_edits
from touchstone.tasks.nli.explaining import ExplainedPair, explain_pair
from touchstone.tasks.nli.formats import read_answers, read_gold, read_run, read_runs
from touchstone.tasks.nli.joining import Joined, join
from touchstone.tasks.nli.measures import DEFAULT_MEASURES, MEASURES
from touchstone.tasks.nli.model import LABELS, OTHER, GoldSet, Pair, Run, Span, majority
from touchstone.tasks.nli.readings import DEFAULT, LITERAL, READINGS, STRIPPED, Reading
from touchstone.tasks.nli.rules import lexical_rules
from touchstone.tasks.nli.task import MAJORITY, TASK, majority_run
from touchstone.tasks.nli.verification import Verification, verify

if TYPE_CHECKING:
    from touchstone.systems.inference.drops import Drop, drop, drop_results

score, explain, validate, convert = TASK.score, TASK.explain, TASK.validate, TASK.convert

__all__ = [
    "DEFAULT",
    "DEFAULT_MEASURES",
    "LABELS",
    "LITERAL",
    "MAJORITY",
    "MEASURES",
    "OTHER",
    "READINGS",
    "STRIPPED",
    "TASK",
    "Audit",
    "Baseline",
    "Bin",
    "Bins",
    "Breakdowns",
    "Decision",
    "Drop",
    "Edit",
    "ExplainedPair",
    "GoldSet",
    "Joined",
    "Options",
    "Pair",
    "Reading",
    "Run",
    "Span",
    "Verification",
    "agreement",
    "audit",
    "breakdown",
    "breakdown_table",
    "convert",
    "drop",
    "drop_results",
    "explain",
    "explain_pair",
    "find_edit",
    "frequency_bins",
    "join",
    "lexical_rules",
    "majority",
    "majority_run",
    "read_answers",
    "read_gold",
    "read_run",
    "read_runs",
    "reliability",
    "reliability_table",
    "score",
    "set_table",
    "similarity_bins",
    "single_edits",
    "validate",
    "verify",
    "wordnet_baseline",
]


def __getattr__(name: str) -> object:
    """Import the systems when they are first used: scoring needs none of what they open."""
    if name not in ("Drop", "drop", "drop_results"):
        raise AttributeError(f"module 'touchstone.nli' has no attribute {name!r}")
    from touchstone.systems.inference import drops

    return getattr(drops, name)


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted(__all__)
