"""The value of an item as arithmetic with its numbers, as a paper would show it.

The arithmetic is plain: + − × / ^, parentheses, ``exp``, ``min`` and ``|…|``. A calculator gives the same value.
Numbers that are not whole have six digits.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import isfinite

from touchstone.base.tables import Cell, Column, Table, number

MOST_TERMS = 30
"""Terms that a sum lists; of more it gives the sum."""


@dataclass(frozen=True)
class Formula:
    """What one item of one system scores under a measure, with the numbers that give it.

    Parameters
    ----------
    system, measure
        The names of both; the measure may say more, such as over which items the value is.
    words
        What is computed, in words.
    arithmetic
        The same with the numbers of this item; empty if the item does not count.
    value
        The value that the arithmetic gives.
    terms
        Names in the arithmetic, such as P and R, with the arithmetic of each; a term may use those after it.

    Examples
    --------
    >>> print(Formula("a", "F", "2PR/(P + R)", "2 × P × R/(P + R)", 0.5, {"P": "1/2", "R": "2/4"}))
    F = 2PR/(P + R) = 2 × P × R/(P + R) = 0.500, where P = 1/2, R = 2/4
    """

    system: str
    measure: str
    words: str
    arithmetic: str
    value: float
    terms: Mapping[str, str] = field(default_factory=dict)

    @property
    def steps(self) -> str:
        """The words, the arithmetic and the value, without the name of the measure."""
        if not self.arithmetic:
            return f"{self.words}: this item does not count"
        named = ", ".join(f"{name} = {text}" for name, text in self.terms.items())
        same = self.arithmetic == number(self.value) or self.arithmetic == written(self.value)
        value = [] if same else [number(self.value)]
        return " = ".join([self.words, self.arithmetic, *value]) + (f", where {named}" if named else "")

    def __str__(self) -> str:
        return f"{self.measure} = {self.steps}"


@dataclass(frozen=True)
class Steps:
    """A formula without the names of system and measure: what a measure says about the numbers of one item."""

    words: str
    arithmetic: str
    terms: Mapping[str, str] = field(default_factory=dict)

    def of(self, system: str, measure: str, value: float) -> Formula:
        """Return the formula of a system under a measure; a value that is nan does not count."""
        return Formula(system, measure, self.words, self.arithmetic if isfinite(value) else "", value, self.terms)


def formulas_table(formulas: Sequence[Formula]) -> Table:
    """Return formulas as a table, those of one measure together.

    Parameters
    ----------
    formulas
        Those of one item.
    """
    measures = list(dict.fromkeys(each.measure for each in formulas))
    ordered = sorted(formulas, key=lambda each: measures.index(each.measure))
    rows: list[list[Cell]] = []
    rules = set()
    for row, each in enumerate(ordered):
        first = not row or ordered[row - 1].measure != each.measure
        rules |= {row} if first else set()
        rows.append([each.measure if first else "", each.system, each.steps])
    several = len(rules) < len(rows)
    columns = [Column("measure"), Column("system"), Column("formula, with the numbers of this item")]
    return Table(columns, rows, rules=rules if several else set())


def written(value: float) -> str:
    """Return a number as arithmetic has it: whole, or with six digits.

    >>> written(3.0), written(2 / 3), written(1e9)
    ('3', '0.666667', '1000000000')
    """
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.6g}".replace("-", "−")


def summed(numbers: Iterable[float]) -> str:
    """Return a sum; equal neighbours are multiplied, and many terms are added up.

    >>> summed([3, 2, 2]), summed([]), summed([5]), summed([0.5] * 3)
    ('(3 + 2 × 2)', '0', '5', '(3 × 0.5)')
    """
    terms = list(numbers)
    return added(map(written, terms)) if len(terms) <= MOST_TERMS else written(sum(terms))


def added(terms: Iterable[str]) -> str:
    """Return the sum of terms that are arithmetic themselves; equal neighbours are multiplied.

    >>> added(["1/2", "2/4", "2/4"])
    '(1/2 + 2 × 2/4)'
    """
    runs = [(term, len(list(equal))) for term, equal in groupby(terms)]
    parts = [term if times == 1 else f"{times} × {term}" for term, times in runs]
    if not parts:
        return "0"
    return parts[0] if len(parts) == 1 and runs[0][1] == 1 else f"({' + '.join(parts)})"


def quotient(above: str, below: str) -> str:
    """Return a quotient as arithmetic; 0 where there is nothing to divide by, as measures have it.

    >>> quotient("3", "4"), quotient("0", "0")
    ('3/4', '0')
    """
    return "0" if below == "0" else f"{above}/{below}"
