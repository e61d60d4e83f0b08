"""The trigram model inside the package `pocketsphinx`, and other files of its kind.

Its ``prob`` takes words most recent first, counts in logarithms to the base 1.0001, and gives an unknown word a
logarithm of about -537 million, which must never be added to others.
"""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from math import log
from pathlib import Path

import numpy as np

from touchstone.core.errors import TouchstoneError
from touchstone.core.ragged import Floats
from touchstone.tasks.lexsub.systems.ngrams.model import HOW_TO_GET

MAGIC = b"Trie Language Model"
_LOG_BASE = log(1.0001)
_UNKNOWN = -100_000_000


def installed_model() -> Path:
    """Return the file of the model that is installed with `pocketsphinx`."""
    try:
        import pocketsphinx
    except ImportError:
        raise TouchstoneError("no language model is installed", hint=HOW_TO_GET) from None
    return Path(pocketsphinx.get_model_path("en-us/en-us.lm.bin"))


class SphinxModel:
    """A binary model of CMU Sphinx."""

    def __init__(self, path: Path) -> None:
        try:
            from pocketsphinx import NGramModel
        except ImportError:
            raise TouchstoneError("reading this needs pocketsphinx", file=str(path), hint=HOW_TO_GET) from None
        self._path = path
        try:
            self._model = NGramModel.readfile(str(path))
        except (ValueError, RuntimeError):
            raise TouchstoneError("not a whole language model of CMU Sphinx", file=str(path)) from None

    @cached_property
    def signature(self) -> str:
        """The name and digest of the file."""
        return f"{self._path.name}#{hashlib.sha256(self._path.read_bytes()).hexdigest()[:12]}"

    @property
    def order(self) -> int:
        """The length of its longest n-grams."""
        return int(self._model.size())

    def score(self, grams: Sequence[Sequence[str]]) -> Floats:
        """Return ln p(last | before) of each gram, nan where the last word is unknown."""
        prob = self._model.prob
        found = np.array([prob(list(gram[::-1])) for gram in grams], np.float64)
        return np.where(found > _UNKNOWN, found * _LOG_BASE, np.nan)
