"""One table of runs: what each run of a method gave on each set, as numbers for each item or each system.

A method has several runs on a set where it was trained with several seeds. Losses on a challenge set, learning curves,
repair and the evaluation of automatic pyramids are folds of this table.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from touchstone.base.ragged import Floats

M = TypeVar("M", bound=Hashable)
"""What a method is: a name, or a model with what it was trained on."""


class RunRow(NamedTuple, Generic[M]):
    """A row of the table: what a run of a method gave on a set.

    Parameters
    ----------
    method, set
        The method, and the set of items.
    run
        The name of the run, such as the model with its seed.
    values
        For each measure, a number or a record for each item of the set, or for each system in it.
    """

    method: M
    set: Hashable
    run: str
    values: Mapping[str, Floats]


@dataclass(frozen=True, eq=False)
class RunTable(Generic[M]):
    """Runs of methods on sets.

    Parameters
    ----------
    rows
        The runs; methods and sets have the order in which they first stand here.

    Examples
    --------
    >>> first = RunRow("esim", "test", "esim-1", {"right": np.array([1.0, 0.0])})
    >>> second = RunRow("esim", "test", "esim-2", {"right": np.array([1.0, 1.0])})
    >>> table = RunTable([first, second])
    >>> table.values("esim", "test", "right").tolist(), table.mean("esim", "test", "right").tolist()
    ([[1.0, 0.0], [1.0, 1.0]], [1.0, 0.5])
    """

    rows: Sequence[RunRow[M]]

    @property
    def methods(self) -> list[M]:
        """The methods, in the order of the rows."""
        return list(dict.fromkeys(row.method for row in self.rows))

    @property
    def sets(self) -> list[Hashable]:
        """The sets, in the order of the rows."""
        return list(dict.fromkeys(row.set for row in self.rows))

    @cached_property
    def _runs(self) -> dict[tuple[M, Hashable], list[RunRow[M]]]:
        runs: dict[tuple[M, Hashable], list[RunRow[M]]] = {}
        for row in self.rows:
            runs.setdefault((row.method, row.set), []).append(row)
        return runs

    def runs(self, method: M, name: Hashable) -> list[RunRow[M]]:
        """Return the runs of a method on a set.

        Parameters
        ----------
        method, name
            The method, and the name of the set.
        """
        return self._runs[method, name]

    def values(self, method: M, name: Hashable, measure: str) -> Floats:
        """Return the values of a method on a set, with the runs along the first axis.

        Parameters
        ----------
        method, name, measure
            The method, the name of the set, and the measure.
        """
        return np.array([row.values[measure] for row in self.runs(method, name)])

    def mean(self, method: M, name: Hashable, measure: str) -> Floats:
        """Return the values of a method on a set, averaged over its runs.

        Parameters
        ----------
        method, name, measure
            The method, the name of the set, and the measure.
        """
        return np.asarray(self.values(method, name, measure).mean(axis=0))
