"""A pair of systems: the difference between them with its interval and test, and how tables show it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from touchstone.base.tables import Cell, number, p_text
from touchstone.core.resampling import interval_heading, interval_text

ALPHA = 0.05
"""Differences with an adjusted p below this are called significant."""


@dataclass(frozen=True, kw_only=True)
class Pair:
    """System *a* against system *b*: the difference a - b, its interval and test, and on how many items a is better.

    All of it is over the *n* items that count for both systems.
    """

    a: str
    b: str
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float
    effect: float
    wins: int
    ties: int
    losses: int
    n: int
    equal: bool = False
    """Whether both systems have the same record of every item: they may be one file under two names."""

    @property
    def significant(self) -> bool:
        """Whether the difference survives the correction for all pairs."""
        return self.p_adjusted < ALPHA

    @property
    def names(self) -> frozenset[str]:
        """The two systems, in no order."""
        return frozenset((self.a, self.b))

    def reversed(self) -> "Pair":
        """Return the same pair with *b* first."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            difference=-self.difference,
            low=-self.high,
            high=-self.low,
            effect=-self.effect,
            wins=self.losses,
            losses=self.wins,
        )

    def starting_with(self, system: str) -> "Pair":
        """Return the pair with one of its systems first.

        Parameters
        ----------
        system
            The name of *a* or *b*.
        """
        return self if self.a == system else self.reversed()

    def better_first(self, *, lower_is_better: bool) -> "Pair":
        """Return the pair with the better system first.

        Parameters
        ----------
        lower_is_better
            The direction of the measure.
        """
        gain = -self.difference if lower_is_better else self.difference
        return self if gain > 0 else self.reversed()

    def to_dict(self) -> dict[str, object]:
        """Return the pair as names and values; *equal* only where it is."""
        values = {name: value for name, value in vars(self).items() if name != "equal" or self.equal}
        return {**values, "significant": self.significant}


def significant_wins(pairs: Iterable[Pair], *, lower_is_better: bool) -> set[tuple[str, str]]:
    """Return the pairs of systems that differ significantly, the better system first.

    Parameters
    ----------
    pairs
        Pairs under one measure.
    lower_is_better
        The direction of the measure.
    """
    ordered = [pair.better_first(lower_is_better=lower_is_better) for pair in pairs if pair.significant]
    return {(pair.a, pair.b) for pair in ordered}


def pair_columns(correction: str, level: float | None) -> Mapping[str, Callable[[Pair], Cell]]:
    """Return the columns of a table of pairs: what each says about a pair, by its heading.

    Parameters
    ----------
    correction
        The name of the correction of p.
    level
        The level of the intervals; None where there are none.
    """
    ends: dict[str, Callable[[Pair], Cell]] = {}
    if level is not None:
        ends = {interval_heading(level): lambda pair: interval_text(pair.low, pair.high)}
    return {
        "difference": lambda pair: number(pair.difference),
        **ends,
        "p": lambda pair: p_text(pair.p),
        f"p ({correction})": lambda pair: p_text(pair.p_adjusted),
        "effect": lambda pair: number(pair.effect, 2),
        "wins": lambda pair: pair.wins,
        "ties": lambda pair: pair.ties,
        "losses": lambda pair: pair.losses,
    }
