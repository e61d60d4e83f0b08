"""The compiled matching gives what the plain one gives, on any data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.optimize import linear_sum_assignment

from touchstone.core.ragged import StringLists
from touchstone.tasks.mt.compiling import compiled
from touchstone.tasks.mt.maxsim_core import count_ngrams, weigh_triples
from touchstone.tasks.mt.maxsim_kernels import heaviest
from touchstone.tasks.mt.maxsim_matching import grams, match_grams, match_triples
from touchstone.tasks.mt.maxsim_triples import Triple
from touchstone.tasks.mt.maxsim_words import Words

# Words that share synonyms with some of the others, and words that WordNet does not list.
LEMMAS = st.sampled_from(["run", "leave", "lead", "go", "car", "auto", "automobile", "buy", "the", "of", "xyzzy"])
TAGS = st.sampled_from(["NN", "VB", "DT"])
SENTENCES = st.lists(st.tuples(LEMMAS, TAGS), max_size=12)
TRIPLES = st.lists(st.builds(Triple, LEMMAS, st.sampled_from(["subj", "obj"]), LEMMAS), max_size=6)


def words(*sentences):
    lemmas, tags = (StringLists.of([[word[k] for word in row] for row in sentences]) for k in (0, 1))
    return Words(lemmas, lemmas, tags)


@given(arrays(np.uint8, array_shapes(min_dims=2, max_dims=2, max_side=9), elements=st.integers(0, 6)))
def test_the_heaviest_matching_is_an_optimal_assignment(weights):
    rows, columns = linear_sum_assignment(weights, maximize=True)
    assert heaviest(weights) == weights[rows, columns].sum()


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_nothing_to_match_weighs_nothing(shape):
    assert heaviest(np.zeros(shape, np.uint8)) == 0


@given(SENTENCES, SENTENCES, st.booleans())
def test_counts_of_ngrams_are_those_of_the_plain_matching(left, right, identity):
    counts = count_ngrams(words(left), words(right), 3, identity=identity)[0]
    for n in (1, 2, 3):
        one, other = (grams([a for a, _ in side], [b for _, b in side], n) for side in (left, right))
        links = match_grams(one, other, identity=identity).links
        weights = [sum(link.weight for link in links if link.stage == s) for s in ("exact", "lemma", "similar")]
        assert (counts[n - 1] / [1, 1, 2 * n]).tolist() == pytest.approx(weights, abs=1e-12)


@given(TRIPLES, TRIPLES, st.booleans())
def test_weights_of_triples_are_those_of_the_plain_matching(left, right, identity):
    (weight,) = weigh_triples([left], [right], identity=identity) / 3
    assert weight == pytest.approx(match_triples(left, right, identity=identity).weight, abs=1e-12)


@given(st.lists(st.tuples(SENTENCES, SENTENCES), max_size=4))
def test_a_pair_counts_the_same_alone_and_among_others(pairs):
    together = count_ngrams(words(*(a for a, _ in pairs)), words(*(b for _, b in pairs)), 3, identity=False)
    alone = [count_ngrams(words(a), words(b), 3, identity=False)[0].tolist() for a, b in pairs]
    assert together.tolist() == alone


def test_ties_by_the_thousand_and_long_sentences_are_solved():
    size = 4000
    assert heaviest(np.ones((size, size), np.uint8)) == size
    chance = np.random.default_rng(1)
    weights = chance.integers(0, 3, (500, 700)).astype(np.uint8) * (chance.random((500, 700)) < 0.01)
    rows, columns = linear_sum_assignment(weights, maximize=True)
    assert heaviest(weights) == weights[rows, columns].sum()


def test_code_is_compiled_where_no_folder_can_keep_it(monkeypatch):
    import numba

    def nowhere(*given, cache=False):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return given[0]

    monkeypatch.setattr(numba, "njit", nowhere)
    assert compiled(abs) is abs
