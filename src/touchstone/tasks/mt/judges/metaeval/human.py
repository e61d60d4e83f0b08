"""The value of each system for judges: its share of wins, or its mean score, from records of each segment."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from touchstone.base.ragged import Bools, Floats, Ints, add_up
from touchstone.core.measures import ratio
from touchstone.stats import mean
from touchstone.stats.records import JointRecords
from touchstone.tasks.mt.judges.judgements import Judgements, places_in
from touchstone.tasks.mt.judges.metaeval.preferences import Preferences
from touchstone.tasks.mt.model import check_choice

WinRule = Literal["wins", "wins_or_ties", "wins_all"]

FORMULAS = {
    "wins": "wins/(wins + losses)",
    "wins_or_ties": "(wins + ties)/all",
    "wins_all": "wins/all",
    "mean": "mean score",
    "penalty": "mean penalty",
    "z": "mean of the scores standardised by judge",
}


@dataclass(frozen=True, eq=False)
class HumanValues(JointRecords):
    """Records of segments for all systems, and how their sums give the value of each system for judges."""

    rule: str
    lower_is_better: bool = False
    """Whether values are shown with the other sign, as penalties: in records more is always better."""

    @property
    def judged(self) -> Bools:
        """Which systems were judged."""
        return ~np.isnan(self.totals)


def win_shares(preferred: Preferences, rule: WinRule = "wins") -> HumanValues:
    """Return shares of wins: by default wins/(wins + losses), without ties.

    >>> preferred = Preferences(*(np.array(x) for x in ([0, 0, 0], [0, 0, 1], [1, 2, 2], [1, 1, 0])), 1, 3)
    >>> win_shares(preferred).totals.tolist(), win_shares(preferred, "wins_or_ties").totals.tolist()
    ([1.0, 0.0, 0.0], [1.0, 0.5, 0.5])
    """
    check_choice("unknown value of systems", rule, get_args(WinRule))
    sides = ((preferred.first, preferred.sign), (preferred.second, -preferred.sign))
    counts = [sum(_cells(preferred, side, sign == outcome) for side, sign in sides) for outcome in (1, -1, 0)]

    def fold(sums: Floats) -> Floats:
        wins, losses, ties = np.moveaxis(sums, -1, 0)
        above = wins + ties if rule == "wins_or_ties" else wins
        return np.asarray(above / (wins + losses + (0 if rule == "wins" else ties)))

    return HumanValues(np.stack(counts, axis=-1), fold, FORMULAS[rule])


def _cells(preferred: Preferences, side: Ints, has_outcome: Bools) -> Floats:
    """Return how many pairs with an outcome each segment and system has on a *side*."""
    cells = preferred.segment * preferred.n_systems + side
    counts = add_up(cells, has_outcome.astype(np.float64), preferred.n_segments * preferred.n_systems)
    return counts.reshape(preferred.n_segments, preferred.n_systems)


def cell_means(
    judged: Judgements, group: str | None, systems: Sequence[str], segments: Sequence[str], *, by_judge: bool = False
) -> Floats:
    """Return what judges give each translation, more is better: segments x systems, nan where nobody judged one.

    A value is the mean over judges, as in MQM and in WMT's direct assessment.

    Parameters
    ----------
    judged, group
        The judgements, and the language pair.
    systems, segments
        The systems and ids of the test set, in its order; judgements of others are left out.
    by_judge
        Whether to standardise the scores of each judge first; scores of a judge that are all equal become 0.
    """
    entries = judged.of_group(group)
    # Blank entries are no judgements, and must not move a judge's mean.
    entries = entries[~np.isnan(judged.value[entries])]
    values = judged.goodness[entries]
    values = standardised(values, judged.judge[entries]) if by_judge else values
    columns = places_in(systems, judged.systems)[judged.system[entries]]
    rows = places_in(segments, judged.segments)[judged.segment[entries]]
    in_test_set = (columns >= 0) & (rows >= 0)
    cells, n = (rows * len(systems) + columns)[in_test_set], len(segments) * len(systems)
    means = ratio(add_up(cells, values[in_test_set], n), add_up(cells, np.ones(int(in_test_set.sum())), n))
    return means.reshape(len(segments), len(systems))


def mean_scores(cells: Floats, *, by_judge: bool = False, penalty: bool = False) -> HumanValues:
    """Return the mean over the segments that were judged, from the means of `cell_means`.

    >>> mean_scores(np.array([[1.0, np.nan], [3.0, 2.0]])).totals.tolist()
    [2.0, 2.0]
    """
    judged = ~np.isnan(cells)
    records = np.stack([np.where(judged, cells, 0.0), judged.astype(np.float64)], axis=-1)
    rule = FORMULAS["z" if by_judge else "penalty" if penalty else "mean"]
    return HumanValues(records, mean, rule, lower_is_better=penalty and not by_judge)


def standardised(values: Floats, judges: Ints) -> Floats:
    """Return each judge's values less their mean, over their standard deviation; 0 where they do not vary.

    >>> standardised(np.array([1.0, 3.0, 5.0]), np.array([0, 0, 1])).tolist()
    [-1.0, 1.0, 0.0]
    """
    n = int(judges.max(initial=-1)) + 1
    counts = np.maximum(add_up(judges, np.ones(len(values)), n), 1)
    deviation = values - (add_up(judges, values, n) / counts)[judges]
    spread = np.sqrt(add_up(judges, deviation**2, n) / counts)[judges]
    return np.where(spread > 0, deviation / np.where(spread > 0, spread, 1.0), 0.0)
