"""Which lemmas share a synonym: Syn of MAXSIM (Chan and Ng 2008, section 4.1), for all of WordNet at once.

WNsyn(l) holds all words of all synsets that list l, whatever the part of speech, and so l itself; Syn(l, l') is 1 where
WNsyn(l) and WNsyn(l') meet. A lemma is looked up as it is. Under the literal reading a lemma that WordNet does not
list has no synonym, not even itself; under ``identity`` it has itself.
"""

from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np

from touchstone.core.ragged import Bools, Interner, Ints, Ragged
from touchstone.lexicon import wordnet

Sharing = Ragged[np.int32]
"""For each lemma of WordNet those that share a synonym with it, itself among them, in ascending order."""


@cache
def sharing() -> Sharing:
    """Return the table of `Sharing`: some five megabytes, made in a tenth of a second."""
    from scipy.sparse import csr_array

    lexicon = wordnet()
    words = lexicon.lemmas_in(lexicon.synsets(np.arange(lexicon.lemma_count)))
    listed = csr_array(
        (np.ones(len(words.values), np.int32), words.values, words.offsets), shape=(len(words), len(words))
    )
    # l and l' share a word w exactly where both stand in the row of w, so one sparse product answers every pair.
    meeting = (listed @ listed.T).tocsr()
    meeting.sort_indices()
    return Ragged(meeting.indptr.astype(np.int64), meeting.indices.astype(np.int32))


@lru_cache(maxsize=1 << 17)
def number(lemma: str) -> int:
    """Return the number of a lemma in WordNet, -1 where it is not listed."""
    return wordnet().lemma_id(lemma)


class Numbering:
    """One number for each lemma: that of WordNet or, after those, one of its own.

    >>> lemmas = Numbering()
    >>> the, car = lemmas.of(["the", "car"]).tolist()
    >>> car == number("car"), the == wordnet().lemma_count
    (True, True)
    """

    def __init__(self) -> None:
        self._others = Interner()
        self._listed = wordnet().lemma_count

    def of(self, lemmas: Sequence[str]) -> Ints:
        """Return the numbers of *lemmas*."""
        known = (number(lemma) for lemma in lemmas)
        numbers = [
            found if found >= 0 else self._listed + self._others[lemma]
            for found, lemma in zip(known, lemmas, strict=True)
        ]
        return np.array(numbers, np.int64)


def shared(left: Sequence[str], right: Sequence[str], *, identity: bool) -> Bools:
    """Return Syn of each lemma on the left (rows) with each on the right (columns).

    >>> shared(["run", "the"], ["leave", "auto", "the"], identity=False).tolist()
    [[True, False, False], [False, False, False]]
    >>> shared(["the"], ["the"], identity=True).tolist()
    [[True]]
    """
    numbering = Numbering()
    one, row = np.unique(numbering.of(left), return_inverse=True)
    other, column = np.unique(numbering.of(right), return_inverse=True)
    partners = sharing().take(np.where(one < len(sharing()), one, -1))
    place = np.searchsorted(other, partners.values)
    found = np.append(other, -1)[place] == partners.values
    table = (one[:, None] == other) & identity
    table[partners.row[found], place[found]] = True
    return np.asarray(table[np.ix_(row, column)])
