"""The bag of words around a target: how near a candidate is to them, and to the target itself.

A context is the sum of the unit vectors of its content words, each weighted by a / (a + p), p its frequency (Arora,
Liang and Ma 2017), so that common words say little.
"""

from functools import lru_cache

import numpy as np

from touchstone.core.ragged import Floats
from touchstone.tasks.lexsub.systems.frequencies import frequency
from touchstone.tasks.lexsub.systems.targets import Target
from touchstone.tasks.lexsub.systems.vectors import Matrix, Vectors, unit

NEAR, WIDE = 3, 10
"""Tokens on either side that a near and a wide bag reach; the specification's bag reaches ten."""
_SMOOTHING = 1e-3
_CONTENT = ("N", "V", "J", "R")
"""The first letters of the tags of content words."""


def bow_features(target: Target, rows: Matrix, vectors: Vectors) -> dict[str, Floats]:
    """Return the cosines of candidates (a row each) with the wide bag, the near bag and the target."""
    return {
        "bow.wide": _cosines(rows, _bag(target, WIDE, vectors)),
        "bow.near": _cosines(rows, _bag(target, NEAR, vectors)),
        "bow.target": _cosines(rows, vectors.of(target.lemma)),
    }


def _bag(target: Target, reach: int, vectors: Vectors) -> Matrix:
    """Return the direction of the content words within *reach* tokens of the target."""
    sentence, total = target.sentence, np.zeros(vectors.width, np.float32)
    for place in range(max(0, target.first - reach), min(len(sentence), target.last + reach + 1)):
        word = sentence.forms[place].lower()
        if not target.first <= place <= target.last and sentence.tags[place].startswith(_CONTENT):
            total += _weight(word) * vectors.of(word)
    return unit(total)


def _cosines(rows: Matrix, direction: Matrix) -> Floats:
    # A product by rows, so that a candidate's cosine does not depend on the others in its batch.
    return np.asarray((rows * direction).sum(1), np.float64)


@lru_cache(maxsize=1 << 16)
def _weight(word: str) -> float:
    return _SMOOTHING / (_SMOOTHING + frequency(word))
