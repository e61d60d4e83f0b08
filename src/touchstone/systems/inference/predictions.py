"""Labels that a model gives to the pairs of a set: a run that ``touchstone nli score`` reads."""

from dataclasses import dataclass

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats
from touchstone.io.jsonl import Json
from touchstone.tasks.nli.labels import LABELS

DECIMALS = 6
"""Of a probability; more depend on the machine."""


@dataclass(frozen=True, eq=False)
class Predictions:
    """The probabilities of `LABELS` for each pair of a set, and how many of its tokens the model does not know."""

    ids: list[str]
    probabilities: Floats
    tokens: int
    unknown: int

    def __post_init__(self) -> None:
        """Refuse what a model with damaged weights computes."""
        if not np.isfinite(self.probabilities).all():
            hint = "its weights are damaged; train the model again, or copy or install it again"
            what = "the model gives probabilities that are not finite numbers"
            raise TouchstoneError(what, code=Code.NOT_FINITE, hint=hint)

    @property
    def labels(self) -> list[str]:
        """The likeliest label of each pair."""
        return [LABELS[best] for best in self.probabilities.argmax(1)]

    def objects(self) -> list[dict[str, Json]]:
        """Return the predictions as the lines of a run."""
        return [
            {"id": name, "label": label, "probabilities": dict(zip(LABELS, shares, strict=True))}
            for name, label, shares in zip(self.ids, self.labels, self.probabilities.tolist(), strict=True)
        ]
