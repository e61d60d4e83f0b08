"""Translations that people judged, what is computed from them, and the difference of two metrics on them.

Rankings cover a seventh of the output of a shared task; nothing is computed for the rest.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from touchstone import mt
from touchstone.base.ragged import Bools, Floats, Ints
from touchstone.io.runs import run_files
from touchstone.stats import affordable_draws, folded, percentile, permutation_test, resampled_sums
from touchstone.tasks.mt.formats import read_gold, read_run
from touchstone.tasks.mt.judges.metaeval.human import cell_means
from touchstone.tasks.mt.judges.metaeval.preferences import Preferences, mean_preferences, preferences
from touchstone.tasks.mt.judges.metaeval.segments import (
    STATISTICS,
    Calibrate,
    Statistic,
    averaged,
    calibrate,
    fold_of,
    segment_records,
)
from touchstone.tasks.mt.judges.reading import read_judgements
from touchstone.tasks.mt.measures import MEASURES
from touchstone.tasks.mt.model import Joined
from touchstone.tasks.mt.texts import Texts

Work = Callable[[Texts, Texts], Floats]
"""Computes something from translations and their references: a row for each."""


@dataclass(frozen=True, eq=False)
class Group:
    """One language pair: its reference, the translations of every system, and the preferences of judges."""

    references: Texts
    systems: tuple[Texts, ...]
    preferences: Preferences
    names: tuple[str, ...] = ()

    def judged(self, work: Work) -> Floats:
        """Return what *work* gives, segments x systems (x columns); nan where no judge ranked.

        >>> preferred = Preferences(*(np.array([n]) for n in (1, 0, 1, 1)), n_segments=2, n_systems=2)
        >>> group = Group(Texts(["a", "bc"]), (Texts(["x", "y"]), Texts(["z", "yyy"])), preferred)
        >>> group.judged(lambda one, other: np.array([len(text) for text in one.present], np.float64)).tolist()
        [[nan, nan], [1.0, 3.0]]
        """
        preferred = self.preferences
        sides = (preferred.first, preferred.second)
        cells = np.unique(np.concatenate([preferred.segment * preferred.n_systems + side for side in sides]))
        rows, columns = np.divmod(cells, preferred.n_systems)
        hypotheses = Texts(
            [self.systems[column][row] for row, column in zip(rows.tolist(), columns.tolist(), strict=True)]
        )
        computed = work(hypotheses, Texts([self.references[row] for row in rows.tolist()]))
        values = np.full((preferred.n_segments, preferred.n_systems, *computed.shape[1:]), np.nan)
        values[rows, columns] = computed
        return values

    def scored(self, name: str) -> Floats:
        """Return the scores of a measure, more is better, segments x systems; nan where no judge ranked."""
        measure = MEASURES.find(name)
        sign = -1.0 if measure.lower_is_better else 1.0
        return sign * self.judged(lambda one, other: measure.values(measure.item_records(Joined(one, (other,)))))


def read_group(rankings: Path, reference: Path, systems: Path) -> Group:
    """Read one language pair.

    Parameters
    ----------
    rankings, reference
        The files of judgements and of the reference.
    systems
        The folder of runs, named after the language pair.
    """
    (judged,) = read_judgements(rankings)
    gold = read_gold([reference])
    runs = [read_run(files, gold) for files in run_files([systems])]
    preferred = preferences(judged, systems.name, [run.name for run in runs], gold.ids)
    return Group(gold.texts[0], tuple(run.texts for run in runs), preferred, tuple(run.name for run in runs))


def read_mqm_group(path: Path, reference: str, without: Sequence[str] = ()) -> Group:
    """Read raw MQM with the outputs inside: all pairs of translations of a segment, by their mean penalties.

    Parameters
    ----------
    path
        The file.
    reference, without
        The system that is the reference, and systems to leave out.
    """
    (judged,) = read_judgements(path)
    inputs = mt.read(path, reference_system=(reference,), exclude_system=tuple(without))
    names = tuple(run.name for run in inputs.runs)
    preferred = mean_preferences(cell_means(judged, None, names, inputs.gold.ids))
    return Group(inputs.gold.texts[0], tuple(run.texts for run in inputs.runs), preferred, names)


def pairs_where(preferred: Preferences, kept: Bools) -> Preferences:
    """Return the pairs that *kept* flags."""
    columns = {name: getattr(preferred, name)[kept] for name in ("segment", "first", "second", "sign")}
    return replace(preferred, **columns)


@dataclass(frozen=True)
class Difference:
    """How much better metric A agrees with judges than metric B: values, difference, interval and p."""

    a: float
    b: float
    difference: float
    low: float
    high: float
    p: float


def compare_segments(
    a: Sequence[Floats],
    b: Sequence[Floats],
    preferred: Sequence[Preferences],
    *,
    how: Calibrate = "all",
    draws: int = 1000,
    swaps: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> dict[Statistic, Difference]:
    """Return the difference of two metrics under every statistic, averaged over groups.

    Segments with the same place are drawn and swapped together in all groups, as those of one text in several languages
    must be. The interval is a paired bootstrap over the judged segments, p a permutation test; each ε is that of the
    whole set.

    Parameters
    ----------
    a, b
        The scores of each metric, segments x systems, for each group.
    preferred
        The preferences of judges, for each group.
    how
        How ε is chosen, as in `calibrate`.
    draws, swaps, seed, level
        Draws of the bootstrap, swaps of the test, the seed of both, and the level of the interval.
    """
    clusters = np.unique(np.concatenate([one.segment for one in preferred]))
    both = [_side_by_side(values, preferred, clusters, how) for values in (a, b)]
    draws = affordable_draws(len(clusters), draws)
    drawn = [resampled_sums(records, draws=draws, seed=seed) for records in both]
    differences: dict[Statistic, Difference] = {}
    for name in STATISTICS:
        fold = averaged(fold_of(name))
        first, second = (float(folded(fold, records.sum(axis=0))) for records in both)
        ends = percentile(folded(fold, drawn[0]) - folded(fold, drawn[1]), level)
        test = permutation_test(both[0], both[1], fold, draws=swaps, seed=seed)
        differences[name] = Difference(first, second, first - second, ends.low, ends.high, test.p)
    return differences


def _side_by_side(values: Sequence[Floats], preferred: Sequence[Preferences], clusters: Ints, how: Calibrate) -> Floats:
    """Return the counts of all groups side by side, a row for each of *clusters*."""
    parts = []
    for scores, one in zip(values, preferred, strict=True):
        records = segment_records(scores, one, calibrate(scores, one, how))
        inside = clusters < len(records)
        parts.append(np.where(inside[:, None], records[np.where(inside, clusters, 0)], 0.0))
    return np.hstack(parts)
