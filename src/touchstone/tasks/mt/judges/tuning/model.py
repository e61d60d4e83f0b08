"""The results of tuning by cross-validation: for each fold, the setting chosen without it and its value there."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from touchstone.base.tables import Cell, Column, Table, number, p_text
from touchstone.core.resampling import interval_heading, interval_text
from touchstone.show.finding import Finding, Statement, kind_rows
from touchstone.tasks.mt.judges.tuning.settings import Setting

LeaveOut = Literal["segments", "pair"]
"""What a fold holds out: consecutive segments, or a language pair."""


@dataclass(frozen=True)
class Fold:
    """The setting chosen without the fold *left_out*, its value there, and that of the default."""

    left_out: str
    chosen: Setting
    value: float
    default: float
    n: int


@dataclass(frozen=True)
class Held:
    """All folds together, each under the setting chosen without it: value, default, difference, interval and p."""

    value: float
    default: float
    difference: float
    low: float
    high: float
    p: float


@dataclass(frozen=True, eq=False, repr=False)
class Tuning(Finding):
    """Settings chosen by cross-validation, and their values on the folds left out."""

    measure: str
    terms: tuple[str, ...]
    criterion: str
    statistic: str
    tried: int
    folds: tuple[Fold, ...]
    held: Held | None
    signature: Mapping[str, str]
    notes: Sequence[str] = ()
    level: float = 0.95

    @property
    def mean(self) -> float:
        """The mean of the held-out values."""
        return float(np.mean([fold.value for fold in self.folds]))

    @property
    def spread(self) -> float:
        """The standard deviation of the held-out values over folds."""
        return float(np.std([fold.value for fold in self.folds], ddof=1))

    def table(self) -> Table:
        """Return each fold with the setting chosen without it, its value there, and that of the default."""
        rows: list[list[Cell]] = []
        for fold in self.folds:
            chosen = [number(fold.chosen.alpha, 1), ":".join(map(str, fold.chosen.weights))]
            difference = number(fold.value - fold.default)
            rows.append([fold.left_out, *chosen, fold.value, fold.default, difference, fold.n])
        default = float(np.mean([fold.default for fold in self.folds]))
        count = sum(fold.n for fold in self.folds)
        rows.append(["mean", "", "", self.mean, default, number(self.mean - default), count])
        heads = ("alpha", f"weights {':'.join(self.terms)}", "held out", "default", "difference", "n")
        columns = [Column("left out"), *(Column(head, "right") for head in heads)]
        title = f"{self.measure} tuned on {self.criterion} by {self.statistic}, each fold left out of its choice"
        spread = f"spread of the held-out values (standard deviation over folds): {number(self.spread)}"
        tried = f"{self.tried:,} settings tried in each fold"
        return Table(columns, rows, title, [tried, spread], rules={len(rows) - 1})

    def statement(self) -> Statement:
        """Return the folds, and all folds together against the default."""
        about = {"measure": self.measure, "terms": list(self.terms), "statistic": self.statistic}
        rows = [
            *kind_rows("tuning", [{**about, "tried": self.tried, "mean": self.mean, "spread": self.spread}]),
            *kind_rows("fold", map(asdict, self.folds)),
            *(kind_rows("together", [asdict(self.held)]) if self.held else []),
        ]
        return Statement(
            f"Tuning of {self.measure}", [self.table()], rows, [self._sentence()], self.notes, self.signature
        )

    def _sentence(self) -> str:
        """Return all folds together against the default; why there is no interval where there is none."""
        if self.held is None:
            return "The folds are language pairs: too few for an interval of the difference."
        held = self.held
        ends = f"{interval_heading(self.level)} {interval_text(held.low, held.high)}"
        return (
            f"All folds together: {number(held.value)} against {number(held.default)} of the default, "
            f"difference {number(held.difference)} ({ends}, p {p_text(held.p)})."
        )
