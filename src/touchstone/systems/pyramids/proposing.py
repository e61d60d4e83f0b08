"""What a machine may propose to an annotator, and the interface of the models that do."""

from dataclasses import dataclass
from typing import Protocol

from touchstone.tasks.pyramid.model import Pyramid

Span = tuple[int, int]


@dataclass(frozen=True)
class Proposal:
    """A content unit that some spans of a text may express.

    Parameters
    ----------
    uid
        The unit of the pyramid; None for a new unit.
    label
        The label of the unit.
    contributors
        The spans of each contributor: one for each summary in a new unit, one in a peer.
    score
        How sure the model is, from 0 to 1.
    """

    uid: str | None
    label: str
    contributors: tuple[tuple[Span, ...], ...]
    score: float


class Proposer(Protocol):
    """A model that proposes units and matches, the surest first."""

    @property
    def signature(self) -> str:
        """The name of the model and what its proposals depend on."""
        ...

    def units(self, pyramid: Pyramid) -> list[Proposal]:
        """Return new units with contributors from at least two of the model summaries of *pyramid*."""
        ...

    def matches(self, pyramid: Pyramid, text: str) -> list[Proposal]:
        """Return the units of *pyramid* that *text*, a peer summary, may express, each at most once."""
        ...
