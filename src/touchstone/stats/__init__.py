"""Comparing systems and people: intervals, tests, effects, correlation, analysis of variance, power.

scipy's submodules load when first used, since ``scipy.stats`` takes longer than all of this: write ``import scipy``.
"""

from touchstone.stats.bootstrap import affordable_draws, resampled_sums
from touchstone.stats.correlation import CorrelationName, correlate
from touchstone.stats.effects import WinTieLoss, paired_effect, signed_differences, wins
from touchstone.stats.intervals import Interval, interval, jackknife, jackknife_interval, percentile
from touchstone.stats.paired import (
    PAIRED_TESTS,
    Test,
    benjamini_hochberg,
    draws_for,
    holm,
    paired_bootstraps,
    permutation_test,
    permutation_tests,
)
from touchstone.stats.ranks import compact_letters, rank_ranges, significance_ranks
from touchstone.stats.records import Fold, cluster_records, folded, mean, mean_records
