"""How well metrics agree with judges: correlation at the level of systems and of segments, intervals and tests."""

from touchstone.tasks.mt.judges.metaeval.evaluating import meta
from touchstone.tasks.mt.judges.metaeval.levels import Settings
from touchstone.tasks.mt.judges.metaeval.model import Criterion, Finding, Meta, Standing
from touchstone.tasks.mt.judges.metaeval.preferences import Preferences, preferences
from touchstone.tasks.mt.judges.metaeval.segments import compare_segments, segment_agreement
from touchstone.tasks.mt.judges.metaeval.testing import MetricPair

__all__ = [
    "Criterion",
    "Finding",
    "Meta",
    "MetricPair",
    "Preferences",
    "Settings",
    "Standing",
    "compare_segments",
    "meta",
    "preferences",
    "segment_agreement",
]
