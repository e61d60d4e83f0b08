"""Translations that judges ranked, and what is computed from them.

Rankings cover a seventh of the output of a shared task; nothing is computed for the rest.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from touchstone.core.ragged import Floats
from touchstone.io.runs import run_files
from touchstone.tasks.mt.formats import read_gold, read_run
from touchstone.tasks.mt.judges.metaeval.preferences import Preferences, preferences
from touchstone.tasks.mt.judges.reading import read_judgements
from touchstone.tasks.mt.measures import MEASURES
from touchstone.tasks.mt.model import Joined, Texts

Work = Callable[[Texts, Texts], Floats]
"""Computes something from translations and their references: a row for each."""


@dataclass(frozen=True, eq=False)
class Group:
    """One language pair: its reference, the translations of every system, and the preferences of judges."""

    references: Texts
    systems: tuple[Texts, ...]
    preferences: Preferences

    def judged(self, work: Work) -> Floats:
        """Return what *work* gives, segments x systems (x columns); nan where no judge ranked.

        >>> preferred = Preferences(*(np.array([n]) for n in (1, 0, 1, 1, 0)), n_segments=2, n_systems=2)
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
        return sign * self.judged(lambda one, other: measure.values(measure.record(Joined(one, (other,)))))


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
    return Group(gold.texts[0], tuple(run.texts for run in runs), preferred)
