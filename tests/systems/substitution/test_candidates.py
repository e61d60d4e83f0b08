"""Candidates: what each level of WordNet gives, in which order, and what a thesaurus adds."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.lexicon import wordnet
from touchstone.systems.substitution.candidates import LEVELS, Way, find_candidates

WORDS = [("match", "n"), ("run", "v"), ("bright", "a"), ("severely", "r"), ("xyzzy", "n")]


def words(lemma, pos, level, **more):
    return [candidate.word for candidate in find_candidates(wordnet(), lemma, pos, level, **more)]


def test_the_first_level_is_the_members_of_all_synsets_in_sense_order():
    synsets = wordnet().word("bright").synsets("a")
    members = [lemma for synset in synsets for lemma in synset.lemmas if lemma != "bright"]
    assert words("bright", "a", 1) == list(dict.fromkeys(members))


@pytest.mark.parametrize(("lemma", "pos"), WORDS)
def test_a_level_has_all_that_the_level_below_has(lemma, pos):
    found = [set(words(lemma, pos, level)) for level in LEVELS]
    assert all(below <= above for below, above in pairwise(found))


def test_hypernyms_come_with_the_second_level_and_hyponyms_with_the_third():
    assert "contest" not in words("match", "n", 1)
    assert "contest" in words("match", "n", 2)
    assert "cricket match" not in words("match", "n", 2)
    assert "test match" in words("match", "n", 4)
    ways = {candidate.way for candidate in find_candidates(wordnet(), "match", "n", 3)}
    assert {Way.SYNONYM, Way.HYPERNYM, Way.HYPONYM} <= ways


def test_an_adverb_gains_the_adverbs_of_adjectives_similar_to_its_own():
    # severe.a: its own synsets hold terrible; -ly forms are listed as adverbs
    found = {candidate.word: candidate.way for candidate in find_candidates(wordnet(), "severely", "r", 2)}
    assert found["terribly"] is Way.DERIVED
    assert "terribly" not in words("severely", "r", 1)


def test_synonyms_of_synonyms_come_last_and_only_when_asked_for():
    plain, twice = words("match", "n", 3), words("match", "n", 3, twice=True)
    assert twice[: len(plain)] == plain
    added = find_candidates(wordnet(), "match", "n", 3, twice=True)[len(plain) :]
    assert added
    assert {candidate.way for candidate in added} == {Way.SYNONYM_TWICE}


def test_a_thesaurus_adds_words_and_leaves_those_that_are_there_where_they_are():
    plain = words("match", "n", 2)
    more = words("match", "n", 2, more=("showdown", plain[0]))
    assert more == [*plain, "showdown"]


def test_a_word_that_wordnet_does_not_list_has_no_candidates():
    assert words("xyzzy", "n", 4, twice=True) == []


def test_a_level_that_does_not_exist_is_refused():
    with pytest.raises(TouchstoneError) as error:
        words("match", "n", 5)
    assert error.value.code == Code.BAD_VALUE


@given(st.integers(0, wordnet().lemma_count - 1), st.sampled_from("nvar"), st.sampled_from(LEVELS), st.booleans())
def test_candidates_are_distinct_in_lower_case_and_never_the_target(number, pos, level, twice):
    lemma = wordnet().lemma(number)
    found = words(lemma, pos, level, twice=twice)
    assert len(found) == len(set(found))
    assert lemma not in found
    assert all(word == word.lower() and "_" not in word for word in found)


def test_the_senses_of_paths_are_senses_of_the_target():
    senses = [synset.id for synset in wordnet().word("bright").synsets("a")]
    for candidate in find_candidates(wordnet(), "bright", "a", 1):
        assert all(senses[path.sense] == path.synset for path in candidate.paths)
