"""Vectors of English lemmas that come with the package: near where two words can mean the same.

They were made by `training.build_meanings` from a sentence encoder that was trained on paraphrases, so unlike vectors
of co-occurrence they put a word nearer to its synonyms than to words of the same topic.
"""

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from touchstone.lexicon.container import open_container

STEP = 0.35 / 127
"""What a stored step is worth."""
FILE = Path(__file__).with_name("english.meanings")


class Meanings:
    """Unit vectors of lemmas and phrases."""

    def __init__(self, path: Path) -> None:
        container = open_container(path)
        self.signature = f"{path.name}#{container.digest[:12]}"
        words = container.arrays["words"].tobytes().decode().split("\n")
        self._row_by_word = {word: row for row, word in enumerate(words)}
        self._rows = container.arrays["rows"].reshape(len(words), -1)

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return int(self._rows.shape[1])

    def of(self, phrase: str) -> NDArray[np.float32]:
        """Return the vector of a lemma, or of the words of a phrase together; zeros where none is known."""
        parts = [phrase] if phrase in self._row_by_word else phrase.replace("-", " ").split()
        places = [self._row_by_word[part] for part in parts if part in self._row_by_word]
        total = self._rows[places].astype(np.float32).sum(0)
        return np.asarray(total / max(float(np.linalg.norm(total)), 1e-9), np.float32)


@cache
def meanings() -> Meanings:
    """Return the vectors that come with the package, opened once in a process.

    >>> of = meanings().of
    >>> bool(of("buy") @ of("purchase") > of("buy") @ of("shop"))
    True
    """
    return Meanings(FILE)
