"""Binary files of KenLM, read by its own Python package."""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from math import log
from pathlib import Path

import numpy as np

from touchstone.core.errors import TouchstoneError
from touchstone.core.ragged import Floats
from touchstone.tasks.lexsub.systems.ngrams.model import BEGIN, HOW_TO_GET

MAGIC = b"mmap lm http://kheafield.com/code"
_LN_10 = log(10)


class KenlmModel:
    """A model that the package `kenlm` opens."""

    def __init__(self, path: Path) -> None:
        try:
            import kenlm
        except ImportError:
            raise TouchstoneError("reading a KenLM file needs kenlm", file=str(path), hint=HOW_TO_GET) from None
        self._path, self._state = path, kenlm.State
        try:
            self._model = kenlm.Model(str(path))
        except (OSError, RuntimeError):
            hint = "build it again with build_binary, or give the ARPA file"
            raise TouchstoneError("not a whole KenLM file of this version", file=str(path), hint=hint) from None

    @cached_property
    def signature(self) -> str:
        """The name and digest of the file."""
        return f"{self._path.name}#{hashlib.sha256(self._path.read_bytes()).hexdigest()[:12]}"

    @property
    def order(self) -> int:
        """The length of its longest n-grams."""
        return int(self._model.order)

    def score(self, grams: Sequence[Sequence[str]]) -> Floats:
        """Return ln p(last | before) of each gram, nan where the last word is unknown."""
        return np.array([self._one(gram) for gram in grams], np.float64)

    def _one(self, gram: Sequence[str]) -> float:
        if gram[-1] not in self._model:
            return float("nan")
        now, after = self._state(), self._state()
        begins = gram[0] == BEGIN and len(gram) > 1
        (self._model.BeginSentenceWrite if begins else self._model.NullContextWrite)(now)
        found = 0.0
        for word in gram[1:] if begins else gram:
            found = self._model.BaseScore(now, word, after)
            now, after = after, now
        return found * _LN_10
