"""Bigrams of the web, counted by Google (Brants and Franz 2006), as the package `wordsegment` brings them.

They know pairs of words, *heavy rain* rather than *strong rain*, that a small trigram model has never met.
"""

from functools import cache
from math import log

_TOTAL = 1_024_908_267_229
"""Words in the corpus, as its makers give them."""
_PRIOR = 2e6
"""Occurrences by which counts are smoothed with the frequency of the second word; chosen on trial from 2e5 and 2e6."""
_RAREST = 100.0
"""What a word counts that is not listed: the list ends at about a hundred times that."""


class WebBigrams:
    """How much one word is expected after another, beyond chance."""

    def __init__(self) -> None:
        import wordsegment

        wordsegment.load()
        self._words: dict[str, float] = wordsegment.UNIGRAMS
        self._pairs: dict[str, float] = wordsegment.BIGRAMS

    def information(self, first: str, second: str) -> float:
        """Return ln p(second | first) / p(second): above 0 where *first* makes *second* likelier.

        >>> web = web_bigrams()
        >>> web.information("heavy", "rain") > web.information("strong", "rain")
        True
        """
        chance = max(self._words.get(second, 0.0), _RAREST) / _TOTAL
        together = self._pairs.get(f"{first} {second}", 0.0) + _PRIOR * chance
        return log(together / ((self._words.get(first, 0.0) + _PRIOR) * chance))


@cache
def web_bigrams() -> WebBigrams:
    """Return the bigrams; every caller in a process shares them."""
    return WebBigrams()
