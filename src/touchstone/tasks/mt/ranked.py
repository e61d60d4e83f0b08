"""Translations that judges ranked, and whatever is worked out of them: only where somebody looked.

Rankings cover a seventh of a shared task's output. What is studied against them need not be worked out for the rest.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from touchstone.core.ragged import Floats
from touchstone.tasks.mt.formats import read_translations
from touchstone.tasks.mt.formats.judgements import read_judgements
from touchstone.tasks.mt.metaeval.preferences import Preferences, preferences
from touchstone.tasks.mt.metrics import MEASURES
from touchstone.tasks.mt.model import Compared, Texts

Work = Callable[[Texts, Texts], Floats]
"""What is worked out of translations and their references, a row for each."""


@dataclass(frozen=True, eq=False)
class Group:
    """One language pair: its reference, the translations of every system, and what judges said of them."""

    references: Texts
    systems: tuple[Texts, ...]
    said: Preferences

    def judged(self, work: Work) -> Floats:
        """Return what *work* gives, segments x systems (x columns); nan where no judge looked.

        >>> said = Preferences(*(np.array([n]) for n in (1, 0, 1, 1, 0)), n_segments=2, n_systems=2)
        >>> group = Group(Texts(["a", "bc"]), (Texts(["x", "y"]), Texts(["z", "yyy"])), said)
        >>> group.judged(lambda one, other: np.array([len(text) for text in one.present], np.float64)).tolist()
        [[nan, nan], [1.0, 3.0]]
        """
        said = self.said
        cells = np.unique(np.concatenate([said.segment * said.n_systems + side for side in (said.first, said.second)]))
        rows, columns = np.divmod(cells, said.n_systems)
        hypotheses = Texts(
            [self.systems[column][row] for row, column in zip(rows.tolist(), columns.tolist(), strict=True)]
        )
        found = work(hypotheses, Texts([self.references[row] for row in rows.tolist()]))
        values = np.full((said.n_segments, said.n_systems, *found.shape[1:]), np.nan)
        values[rows, columns] = found
        return values

    def scored(self, name: str) -> Floats:
        """Return the scores of a measure, more is better, segments x systems; nan where no judge looked."""
        measure = MEASURES.find(name)
        sign = -1.0 if measure.lower_is_better else 1.0
        return sign * self.judged(lambda one, other: measure.values(measure.record(Compared(one, (other,)))))


def read_group(rankings: Path, reference: Path, systems: Path) -> Group:
    """Return the language pair that the folder of its *systems* is named after."""
    (judged,) = read_judgements(rankings)
    references, outputs = read_translations([systems], [reference])
    said = preferences(judged, systems.name, [system.name for system in outputs], references.ids)
    return Group(references.texts[0], tuple(system.texts for system in outputs), said)
