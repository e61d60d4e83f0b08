"""MAXSIM's matchings of one pair of sentences, in the words of the matching framework: with their links.

What `maxsim_core` counts for thousands of pairs, one pair at a time: for explanations, and where positions weigh the
links (``distance``). N-grams: section 4.1 of Chan and Ng (2008); relations: section 4.2.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from touchstone.core.matching import Key, Matching, match
from touchstone.core.ragged import Bools, Floats, Interner
from touchstone.tasks.mt.maxsim_synonyms import shared
from touchstone.tasks.mt.maxsim_triples import Triple


class Gram(NamedTuple):
    """Lemmas and tags of some neighbouring words; *at* is where it stands in its sentence, from 0 to 1."""

    lemmas: tuple[str, ...]
    tags: tuple[str, ...]
    at: float


def _both(gram: Gram) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return gram.lemmas, gram.tags


def _lemmas(gram: Gram) -> tuple[str, ...]:
    return gram.lemmas


STAGES: dict[str, Key[Gram]] = {"exact": _both, "lemma": _lemmas}


def grams(lemmas: Sequence[str], tags: Sequence[str], n: int) -> list[Gram]:
    """Return the n-grams of a sentence.

    >>> grams(["the", "cat", "sit"], ["DT", "NN", "VBD"], 2)[1]
    Gram(lemmas=('cat', 'sit'), tags=('NN', 'VBD'), at=0.75)
    """
    count = len(lemmas) - n + 1
    return [Gram(tuple(lemmas[i : i + n]), tuple(tags[i : i + n]), (i + 0.5) / count) for i in range(count)]


def match_grams(left: Sequence[Gram], right: Sequence[Gram], *, identity: bool, distance: float = 0.0) -> Matching:
    """Match n-grams: equal ones, then those of equal lemmas, then by w = (1/n) sum S_i, 0 where any S_i is 0.

    S_i = (I(tags equal) + Syn(lemmas)) / 2. *distance* takes away up to that share of a weight.

    >>> one, other = grams(["car"], ["NN"], 1), grams(["automobile"], ["NNS"], 1)
    >>> match_grams(one, other, identity=False).weight
    0.5
    """

    def similarity(some: Sequence[Gram], others: Sequence[Gram]) -> Floats:
        total, size = np.zeros((len(some), len(others)), np.uint8), len(some[0].lemmas)
        some_unlike = np.zeros(total.shape, np.bool_)
        for k in range(size):
            synonyms = shared([a.lemmas[k] for a in some], [b.lemmas[k] for b in others], identity=identity)
            same_tag = _equal([a.tags[k] for a in some], [b.tags[k] for b in others])
            some_unlike |= ~(synonyms | same_tag)
            total += synonyms
            total += same_tag
        total[some_unlike] = 0
        return _nearer(total / (2 * size), [a.at for a in some], [b.at for b in others], distance)

    return match(left, right, stages=STAGES, similarity=similarity)


def match_triples(
    left: Sequence[Triple],
    right: Sequence[Triple],
    *,
    identity: bool,
    distance: float = 0.0,
    sizes: tuple[int, int] = (1, 1),
) -> Matching:
    """Match relations by w = (Syn(children) + 1 + Syn(parents)) / 3 where the types are equal, else 0.

    *sizes* are the numbers of words of both sentences, which *distance* needs.

    >>> match_triples([Triple("dog", "subj", "bite")], [Triple("dog", "subj", "bark")], identity=False).weight == 2 / 3
    True
    """

    def similarity(some: Sequence[Triple], others: Sequence[Triple]) -> Floats:
        children = shared([a.child for a in some], [b.child for b in others], identity=identity)
        parents = shared([a.parent for a in some], [b.parent for b in others], identity=identity)
        weights = (1.0 + children + parents) / 3 * _equal([a.type for a in some], [b.type for b in others])
        return _nearer(weights, [_at(a, sizes[0]) for a in some], [_at(b, sizes[1]) for b in others], distance)

    return match(left, right, similarity=similarity)


def _at(triple: Triple, size: int) -> float:
    """Return where the child stands in its sentence; nan where a file of roles does not tell."""
    return (triple.places[0] + 0.5) / size if triple.places else np.nan


def _equal(some: Sequence[str], others: Sequence[str]) -> Bools:
    seen = Interner()
    one, other = (np.array([seen[name] for name in names], np.int64) for names in (some, others))
    return np.asarray(one[:, None] == other)


def _nearer(weights: Floats, some: Sequence[float], others: Sequence[float], distance: float) -> Floats:
    """Return w (1 - distance |a - b|), with a and b the places in their sentences; an unknown place costs nothing."""
    if not distance:
        return weights
    apart: Floats = np.array(some)[:, None] - np.array(others)
    np.abs(apart, out=apart)
    np.nan_to_num(apart, copy=False)
    apart *= -distance
    apart += 1
    apart *= weights
    return apart
