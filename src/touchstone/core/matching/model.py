"""What a matching is: links between two lists, and what they earn."""

from dataclasses import dataclass

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError


@dataclass(frozen=True)
class Link:
    """Two items that belong together: their places, the weight of the link, and the stage that made it."""

    left: int
    right: int
    weight: float
    stage: str


@dataclass(frozen=True)
class Matching:
    """The links between a list of *left* and a list of *right* items; no item has two."""

    links: tuple[Link, ...]
    left: int
    right: int

    @property
    def weight(self) -> float:
        """The total weight of the links."""
        return float(sum(link.weight for link in self.links))

    @property
    def precision(self) -> float:
        """Weight / number of left items, 0 where there are none."""
        return self.f(alpha=0)

    @property
    def recall(self) -> float:
        """Weight / number of right items, 0 where there are none."""
        return self.f(alpha=1)

    def f(self, alpha: float = 0.5) -> float:
        """Return PR / (alpha P + (1 - alpha) R) = weight / (alpha right + (1 - alpha) left), 0 where a side is empty.

        >>> Matching((Link(0, 0, 1.0, "same"),), left=2, right=4).f(alpha=0.5) == 1 / 3
        True
        """
        if not 0 <= alpha <= 1:
            what = f"alpha is {alpha}, not between 0 and 1"
            raise TouchstoneError(what, code=Code.OUT_OF_RANGE, hint="0 is precision, 1 is recall")
        both = self.left and self.right
        return self.weight / (alpha * self.right + (1 - alpha) * self.left) if both else 0.0
