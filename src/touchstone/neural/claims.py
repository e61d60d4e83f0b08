"""Which statements a text supports, by a small language model that was taught to tell.

The model reads a text once and then each statement after it, blind to the other statements. What is learnt is small:
two thin matrices for each map of the model, whose product is added to its weights (low-rank changes), and a direction
in which the states of supported and unsupported statements differ.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, needs
from touchstone.base.files import read_bytes
from touchstone.io.checksums import check_tensors
from touchstone.neural.causal import Causal
from touchstone.neural.packages import finite
from touchstone.neural.pieces import prose

QUESTION = "\n\nWhich of these statements does the text support?"
STATEMENT = "\n{statement} =>"
DIRECTION = "direction"
"""The tensor of a file of changes that is a direction; the others come in pairs, ``MAP.down`` and ``MAP.up``."""

WINDOW, STRIDE = 1024, 768
"""Pieces of a text that are read at once, and how far windows of a longer text are apart."""

_LONGEST = 4000
"""Characters of a statement that are read: some 800 words, far more than a statement has."""


def single_line(text: str) -> str:
    """Return a text as prose on one line."""
    return prose(" ".join(text.split()))


class ClaimReader:
    """Tells which statements a text supports.

    Parameters
    ----------
    model
        The language model, a GGUF file.
    changes
        What was learnt, a file of safetensors that ``training/train_claims.py`` wrote for that model.
    """

    def __init__(self, model: Path, changes: Path) -> None:
        with needs("neural"):
            from safetensors.torch import load
        raw, _ = read_bytes(changes)
        try:
            tensors = load(raw)
        except Exception as error:  # the library raises errors of its own kind
            what = f"the changes cannot be read ({error})"
            raise TouchstoneError(what, file=str(changes), code=Code.UNREADABLE) from error
        check_tensors(raw, str(changes), "write it again with training/train_claims.py")
        pairs = {name.removesuffix(".down") for name in tensors if name.endswith(".down")}
        self._causal = Causal(model, changes={name: (tensors[f"{name}.down"], tensors[f"{name}.up"]) for name in pairs})
        self._direction = tensors[DIRECTION].float()

    def log_odds(self, text: str, statements: Sequence[str]) -> NDArray[np.float64]:
        """Return the log odds that a text supports each statement; of a long text, the highest of its windows."""
        tails = [
            self._causal.encode(STATEMENT.format(statement=single_line(statement)[:_LONGEST]))
            for statement in statements
        ]
        # A text supports a statement if any part of it does.
        window_odds = [self._window(window, tails) for window in windows(self._causal.encode(single_line(text)))]
        return np.asarray(finite(np.max(window_odds, axis=0), "the reader of statements"), np.float64)

    def _window(self, pieces: Sequence[int], tails: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        read = self._causal.read([*pieces, *self._causal.encode(QUESTION)])
        with torch.inference_mode():
            odds: NDArray[np.float32] = (self._causal.branches(read, tails) @ self._direction).numpy()
        return odds


def windows(pieces: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield a text in windows that overlap; a short one is one window."""
    for start in range(0, max(len(pieces) - (WINDOW - STRIDE), 1), STRIDE):
        yield pieces[start : start + WINDOW]
