"""The matchings of MAXSIM in bulk weigh what its definition gives for one pair."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.base.ragged import StringLists
from touchstone.core.matching import match, pairwise
from touchstone.lexicon import wordnet
from touchstone.tasks.mt.maxsim.matching import match_ngrams, match_triples, synonym_table
from touchstone.tasks.mt.maxsim.triples import Triple, Triples
from touchstone.tasks.mt.words import Words

# Words that share synonyms with some of the others, and words that WordNet does not list.
LEMMAS = st.sampled_from(["run", "leave", "lead", "go", "car", "auto", "automobile", "buy", "the", "of", "xyzzy"])
TAGS = st.sampled_from(["NN", "VB", "DT"])
SENTENCES = st.lists(st.tuples(LEMMAS, TAGS), max_size=12)
TRIPLES = st.lists(st.builds(Triple, LEMMAS, st.sampled_from(["subj", "obj"]), LEMMAS, st.just(())), max_size=6)


def words(*sentences):
    lemmas, tags = (StringLists.of([[word[k] for word in row] for row in sentences]) for k in (0, 1))
    return Words(lemmas, lemmas, tags)


@cache
def synonyms_of(lemma):
    """WNsyn of the paper: all words of all synsets that list a lemma."""
    lexicon = wordnet()
    number = lexicon.lemma_id(lemma)
    return set(lexicon.lemmas_in(lexicon.synsets(np.array([number]))).values.tolist()) if number >= 0 else set()


def syn(one, other, identity):
    return bool(synonyms_of(one) & synonyms_of(other)) or (identity and one == other)


def ngrams(sentence, n):
    return [tuple(sentence[start : start + n]) for start in range(len(sentence) - n + 1)]


def match_one(left, right, identity):
    """The n-grams of one pair, matched as section 4.1 of the paper says."""

    def weight(one, other):
        shares = [((a[1] == b[1]) + syn(a[0], b[0], identity)) / 2 for a, b in zip(one, other, strict=True)]
        return float(np.mean(shares)) if all(shares) else 0.0

    stages = {"exact": tuple, "lemma": lambda gram: tuple(lemma for lemma, _ in gram)}
    return match(left, right, stages=stages, similarity=pairwise(weight))


@given(SENTENCES, SENTENCES, st.booleans())
def test_the_weights_of_ngrams_are_those_of_the_paper(left, right, identity):
    for n, found in enumerate(match_ngrams(words(left), words(right), 3, identity=identity), 1):
        links = match_one(ngrams(left, n), ngrams(right, n), identity).links
        weights = [sum(link.weight for link in links if link.stage == stage) for stage in ("exact", "lemma", "similar")]
        assert found.totals[0].tolist() == pytest.approx(weights, abs=1e-12)
        assert found[0].weight == pytest.approx(sum(weights), abs=1e-12)


@given(TRIPLES, TRIPLES, st.booleans())
def test_the_weights_of_triples_are_those_of_the_paper(left, right, identity):
    def weight(one, other):
        alike = syn(one.child, other.child, identity) + 1 + syn(one.parent, other.parent, identity)
        return alike / 3 if one.type == other.type else 0.0

    found = match_triples(Triples.of([left]), Triples.of([right]), identity=identity)
    assert found.totals[0, -1] == pytest.approx(match(left, right, similarity=pairwise(weight)).weight, abs=1e-12)


@given(st.lists(st.tuples(SENTENCES, SENTENCES), max_size=4), st.sampled_from([0.0, 0.5]))
def test_a_pair_weighs_the_same_alone_and_among_others(pairs, distance):
    together = match_ngrams(words(*(a for a, _ in pairs)), words(*(b for _, b in pairs)), 3, distance=distance)
    alone = [match_ngrams(words(a), words(b), 3, distance=distance) for a, b in pairs]
    for n in range(3):
        assert together[n].totals.tolist() == [found[n].totals[0].tolist() for found in alone]


@given(st.lists(LEMMAS, unique=True), st.booleans())
def test_the_table_of_synonyms_holds_every_pair(lemmas, identity):
    table = synonym_table(lemmas, identity=identity)
    rows = [sorted(row.tolist()) for row in np.split(table.values, table.offsets[1:-1])] if lemmas else []
    assert rows == [[j for j, other in enumerate(lemmas) if syn(lemma, other, identity)] for lemma in lemmas]
