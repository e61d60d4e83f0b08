"""Comparing systems and people: intervals, tests, effects, agreement, correlation, analysis of variance, power.

scipy's submodules load when first used, since ``scipy.stats`` takes longer than all of this: write ``import scipy``.
"""

from touchstone.stats.agreement import Agreement, krippendorff_alpha
from touchstone.stats.anova import Anova, AnovaType, Effect, analyse_variance
from touchstone.stats.bootstrap import affordable_draws, resampled_sums
from touchstone.stats.comparisons import Comparisons, fisher_lsd, tukey_hsd
from touchstone.stats.correlation import Correlation, CorrelationName, correlate
from touchstone.stats.distances import DistanceName, set_distance
from touchstone.stats.effects import WinTieLoss, paired_effect, signed_differences, wins
from touchstone.stats.groups import (
    LevelGroup,
    LevelPair,
    disjoint_groups,
    dominance_groups,
    dominance_table,
    groups_table,
    letters,
    letters_table,
    pairs_table,
    significant_pairs,
)
from touchstone.stats.intervals import (
    Interval,
    bca,
    difference_interval,
    interval,
    jackknife,
    jackknife_interval,
    percentile,
)
from touchstone.stats.kappa import cohen, fleiss
from touchstone.stats.multiple import benjamini_hochberg, holm
from touchstone.stats.paired import (
    Test,
    draws_for,
    mcnemar,
    paired_bootstrap,
    paired_bootstraps,
    permutation_test,
    permutation_tests,
)
from touchstone.stats.power import PowerCurve, power_curve
from touchstone.stats.ranks import compact_letters, significance_ranks
from touchstone.stats.records import Fold, cluster_records, folded, mean, mean_records
from touchstone.stats.subsets import SubsetPower, SubsetSize, subset_power

__all__ = [
    "Agreement",
    "Anova",
    "AnovaType",
    "Comparisons",
    "Correlation",
    "CorrelationName",
    "DistanceName",
    "Effect",
    "Fold",
    "Interval",
    "LevelGroup",
    "LevelPair",
    "PowerCurve",
    "SubsetPower",
    "SubsetSize",
    "Test",
    "WinTieLoss",
    "affordable_draws",
    "analyse_variance",
    "bca",
    "benjamini_hochberg",
    "cluster_records",
    "cohen",
    "compact_letters",
    "correlate",
    "difference_interval",
    "disjoint_groups",
    "dominance_groups",
    "dominance_table",
    "draws_for",
    "fisher_lsd",
    "fleiss",
    "folded",
    "groups_table",
    "holm",
    "interval",
    "jackknife",
    "jackknife_interval",
    "krippendorff_alpha",
    "letters",
    "letters_table",
    "mcnemar",
    "mean",
    "mean_records",
    "paired_bootstrap",
    "paired_bootstraps",
    "paired_effect",
    "pairs_table",
    "percentile",
    "permutation_test",
    "permutation_tests",
    "power_curve",
    "resampled_sums",
    "set_distance",
    "signed_differences",
    "significance_ranks",
    "significant_pairs",
    "subset_power",
    "tukey_hsd",
    "wins",
]
