"""How common words are in English, by `wordfreq`."""

from functools import lru_cache
from math import log

import wordfreq

RAREST = 1e-9
"""What a word counts that the lists do not have: one in a thousand million, below the rarest that is listed."""


@lru_cache(maxsize=1 << 17)
def frequency(word: str) -> float:
    """Return the share of English words that are this one (0 to 1), for a phrase as the words of it together."""
    return max(float(wordfreq.word_frequency(word, "en")), RAREST)


@lru_cache(maxsize=1 << 17)
def log_frequency(word: str) -> float:
    """Return the natural logarithm of `frequency`.

    >>> log_frequency("the") > log_frequency("puzzle") > log_frequency("xyzzyq")
    True
    """
    return log(frequency(word))
