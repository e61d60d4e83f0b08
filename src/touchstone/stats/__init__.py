"""Comparing systems: intervals, paired tests, effect sizes, many comparisons, clusters of systems."""

from touchstone.stats.bootstrap import (
    Interval,
    affordable_draws,
    bca,
    interval,
    jackknife,
    percentile,
    resampled_sums,
)
from touchstone.stats.clusters import compact_letters, significance_clusters
from touchstone.stats.effects import WinTieLoss, paired_effect, wins
from touchstone.stats.multiple import benjamini_hochberg, holm
from touchstone.stats.paired import Test, difference_interval, paired_bootstrap, permutation_test, permutation_tests
from touchstone.stats.records import Fold, folded, mean, mean_records, unit_records

__all__ = [
    "Fold",
    "Interval",
    "Test",
    "WinTieLoss",
    "affordable_draws",
    "bca",
    "benjamini_hochberg",
    "compact_letters",
    "difference_interval",
    "folded",
    "holm",
    "interval",
    "jackknife",
    "mean",
    "mean_records",
    "paired_bootstrap",
    "paired_effect",
    "percentile",
    "permutation_test",
    "permutation_tests",
    "resampled_sums",
    "significance_clusters",
    "unit_records",
    "wins",
]
