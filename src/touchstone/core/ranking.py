"""What significant differences say about the order of systems: ranges of ranks, and the best system in a sentence."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from touchstone.base.tables import Cell, listed

MOST_NAMED = 6
"""Systems that a headline lists by name; of more it gives the number."""

RANKING = "rank: after all systems that are significantly better, before all that are significantly worse"
"""How ranks come about where systems cannot be told apart, in tables."""

RULE = "a line: every system above it is significantly better than every system below it"
"""What parts a table of ranks, as in the shared tasks of WMT (Bojar et al. 2013)."""


@dataclass(frozen=True)
class Leader:
    """The best *system*: those that it is significantly better than, and those that it cannot be told apart from.

    Where systems are compared on different items, the best on average may be significantly worse than one of
    *ahead_of_it*.
    """

    system: str
    ahead_of: Sequence[str]
    tied_with: Sequence[str]
    ahead_of_it: Sequence[str] = ()

    @property
    def sentence(self) -> str:
        """What is known of the best system compared with each other one."""
        parts = []
        if self.ahead_of:
            many = len(self.ahead_of) > MOST_NAMED
            others = len(self.ahead_of) + len(self.tied_with) + len(self.ahead_of_it)
            every = f"{len(self.ahead_of)} of the {others} other systems"
            parts.append(f"is ahead of {every if many else listed(self.ahead_of, MOST_NAMED)}")
        parts += [f"is behind {listed(self.ahead_of_it, MOST_NAMED)}"] if self.ahead_of_it else []
        parts += [f"cannot be told apart from {listed(self.tied_with, MOST_NAMED)}"] if self.tied_with else []
        return f"{self.system} {'; it '.join(parts)}"

    def to_dict(self) -> dict[str, object]:
        """Return the same, ready for JSON."""
        names = ("ahead_of", "tied_with", "ahead_of_it")
        return {"system": self.system, **{name: list(getattr(self, name)) for name in names}}


def leader(order: Sequence[str], won: Collection[tuple[str, str]]) -> Leader:
    """Return what the pairs that differ significantly say about the best system.

    Parameters
    ----------
    order
        All systems, the best first.
    won
        The pairs that differ significantly, the better system first.

    Examples
    --------
    >>> leader(["gpt", "d", "b", "c"], {("gpt", "b"), ("gpt", "c")}).sentence
    'gpt is ahead of b and c; it cannot be told apart from d'
    """
    best, *others = order
    ahead = [name for name in others if (best, name) in won]
    behind = [name for name in others if (name, best) in won]
    return Leader(best, ahead, [name for name in others if name not in (*ahead, *behind)], behind)


def rank_cell(ranks: tuple[int, int]) -> Cell:
    """Return the ranks that a system may have as a table shows them.

    >>> rank_cell((1, 1)), rank_cell((3, 7))
    (1, '3–7')
    """
    low, high = ranks
    return low if low == high else f"{low:,}–{high:,}"


def ranks_sentence(ranks: "dict[str, tuple[int, int]]") -> str:
    """Return the ranks of systems in words, of many systems the first ones and the last one.

    >>> ranks_sentence({"a": (1, 2), "b": (1, 2), "c": (3, 3)})
    'Possible ranks: a 1–2, b 1–2, c 3'
    """
    texts = [f"{system} {rank_cell(each)}" for system, each in ranks.items()]
    texts = texts if len(texts) <= MOST_NAMED else [*texts[: MOST_NAMED - 2], "…", texts[-1]]
    return f"Possible ranks: {', '.join(texts)}"
