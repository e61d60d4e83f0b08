"""What a ranker is: it gets a target in its sentence and candidates, and gives each candidate a score."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from touchstone.core.ragged import Floats
from touchstone.tasks.lexsub.systems.candidates import Candidate
from touchstone.tasks.lexsub.systems.targets import Target


@dataclass(frozen=True)
class Scores:
    """A score for each candidate, the higher the better, in natural logarithms up to a constant.

    *reasons* are what each named part adds to the scores, for people; a ranker that has no parts gives none.
    """

    values: Floats
    reasons: Mapping[str, Floats] = field(default_factory=dict)


class Ranker(Protocol):
    """Anything that orders candidates for a target."""

    @property
    def signature(self) -> str:
        """What the scores depend on: features, weights, resources and their digests."""

    def rank(self, target: Target, candidates: Sequence[Candidate]) -> Scores:
        """Return the scores of *candidates*, of which there is at least one, in their order."""
