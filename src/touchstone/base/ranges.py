"""Ranges of numbers: what values a measure can have, by its definition."""

from math import inf
from typing import NamedTuple


class Range(NamedTuple):
    """The least and the greatest value that a measure can have; infinite where there is none.

    >>> str(Range(0, 1)), str(Range(0)), 7 in Range(1, 5)
    ('0–1', '0 and more', False)
    """

    low: float = -inf
    high: float = inf

    def __contains__(self, value: object) -> bool:
        """Whether a measure of this range can have a *value*."""
        return isinstance(value, int | float) and self.low <= value <= self.high

    def __str__(self) -> str:
        if self.low == -inf:
            return "any number" if self.high == inf else f"up to {self.high:g}"
        return f"{self.low:g} and more" if self.high == inf else f"{self.low:g}–{self.high:g}"


SHARE, PERCENT, COUNT = Range(0, 1), Range(0, 100), Range(0)
"""The usual ranges: of shares and F, of figures such as BLEU, and of counts."""
