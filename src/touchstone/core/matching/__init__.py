"""One-to-one matching of two lists of items: equal items first, then the greatest total similarity.

Where an answer need not repeat a person's words, credit is the weight of the best matching between what a system gave
and what people gave (Chan and Ng 2008, MAXSIM, section 4). With identity alone, and no item twice, that weight is the
credit of `touchstone.core.gold`.

`match` matches one pair of lists of any items under functions of the user's choice. `match_all` matches thousands of
pairs of lists of numbers; both give the same totals.
"""

from touchstone.core.matching.bulk import SIMILAR, Bytes, Lists, Matchings, cells, equal, match_all, related
from touchstone.core.matching.model import Link, Matching
from touchstone.core.matching.pair import Key, Matcher, Similarity, match, pairwise

__all__ = [
    "SIMILAR",
    "Bytes",
    "Key",
    "Link",
    "Lists",
    "Matcher",
    "Matching",
    "Matchings",
    "Similarity",
    "cells",
    "equal",
    "match",
    "match_all",
    "pairwise",
    "related",
]
