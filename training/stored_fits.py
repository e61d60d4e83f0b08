"""Fits of candidates that were computed before, on a machine with a graphics card: one line of JSON per place."""

import json
from pathlib import Path

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.io.text import read_text
from touchstone.neural.fitting import Cloze, Rows


class StoredFits:
    """Fits read from a file that `training.score_fits` wrote; stands in for `Networks`."""

    def __init__(self, path: str | Path) -> None:
        text, self._source = read_text(path)
        try:
            rows = [json.loads(line) for line in text.split("\n") if line]
        except ValueError as error:
            raise TouchstoneError(
                f"not a file of fits ({error})", file=self._source.name, code=Code.UNREADABLE
            ) from None
        self._known = {(row["left"], row["word"], row["right"]): row["fits"] for row in rows}

    @property
    def signature(self) -> str:
        """The file of fits."""
        return f"fits {self._source}"

    def has(self, place: Cloze) -> bool:
        """Return whether the file has a fit of every form of *place*."""
        known = self._known.get((place.left, place.word, place.right), {})
        return all(name in known for name in place.names)

    def fits(self, place: Cloze) -> Rows:
        """Return the fits of each form of *place*; refuse one that the file does not have."""
        known = self._known.get((place.left, place.word, place.right), {})
        absent = next((name for name in place.names if name not in known), None)
        if absent is not None:
            what = f"no fit of this word for {place.word!r}"
            raise TouchstoneError(
                what, file=self._source.name, value=absent, code=Code.MISMATCH, hint="compute the fits again"
            )
        return np.array([known[name] for name in place.names], np.float32)
