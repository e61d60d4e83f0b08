import re

import pytest

from touchstone.lexicon import wordnet
from touchstone.tasks.mt.meteor.stems import stem

# The sample of the published description of the algorithm, and words for each of its steps.
PUBLISHED = {
    "consign": "consign",
    "consigned": "consign",
    "consignment": "consign",
    "consolation": "consol",
    "consolatory": "consolatori",
    "conspicuously": "conspicu",
    "knackeries": "knackeri",
    "knightly": "knight",
    "knots": "knot",
    "skies": "sky",
    "ties": "tie",
    "cries": "cri",
    "gas": "gas",
    "gaps": "gap",
    "succeeding": "succeed",
    "feed": "feed",
    "agreed": "agre",
    "luxuriated": "luxuri",
    "hopping": "hop",
    "hoping": "hope",
    "by": "by",
    "say": "say",
    "cry": "cri",
    "youth": "youth",
    "boyish": "boyish",
    "generally": "general",
    "communism": "communism",
    "arsenal": "arsenal",
    "apologies": "apolog",
    "'tis": "tis",
    "boss's": "boss",
}


@pytest.mark.parametrize(("word", "expected"), PUBLISHED.items())
def test_published_stems(word, expected):
    assert stem(word) == expected


def test_words_of_wordnet_have_the_stems_of_one_of_two_libraries():
    """nltk has the rules of those days with faults of its own, PyStemmer the rules of today: none has a third stem."""
    from nltk.stem.snowball import SnowballStemmer
    from Stemmer import Stemmer

    old, new = SnowballStemmer("english").stem, Stemmer("english").stemWord
    lemmas = map(wordnet().lemma, range(0, wordnet().lemma_count, 3))
    words = [word for word in lemmas if re.fullmatch("[a-z]+", word)]
    assert len(words) > 25_000
    assert [word for word in words if stem(word) not in (old(word), new(word))] == []


def test_stems_are_those_of_before_later_additions():
    words = ("added", "evening", "internal", "organization", "paste", "universal", "zoologist")
    assert [stem(word) for word in words] == ["ad", "even", "intern", "organ", "past", "univers", "zoologist"]
