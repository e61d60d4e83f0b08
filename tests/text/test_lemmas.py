"""Lemmas follow WordNet's morphology under the tag, and a table where WordNet has no say."""

import pytest

from touchstone.lexicon import wordnet
from touchstone.text.lemmas import Lemmatiser


@pytest.fixture(scope="module")
def lemmatiser():
    return Lemmatiser(wordnet())


@pytest.mark.parametrize(
    ("form", "tag", "lemma"),
    [
        ("leaves", "NNS", "leaf"),
        ("leaves", "VBZ", "leave"),
        ("found", "VBD", "find"),
        ("found", "VB", "found"),
        ("data", "NN", "data"),
        ("Running", "VBG", "run"),
        ("better", "JJR", "good"),
        ("later", "RBR", "late"),
        ("meeting", "NN", "meeting"),
        ("meeting", "VBG", "meet"),
        ("Paris", "NNP", "Paris"),
        ("Americans", "NNPS", "American"),
        ("American", "JJ", "American"),
        ("The", "DT", "the"),
        ("these", "DT", "this"),
        ("n't", "RB", "not"),
        ("n’t", "RB", "not"),
        ("wo", "MD", "will"),
        ("'d", "MD", "would"),
        ("'d", "VBD", "have"),
        ("’s", "VBZ", "be"),
        ("’s", "POS", "'s"),
        ("us", "PRP", "we"),
        ("empanadas", "NNS", "empanada"),
        ("glass", "NNS", "glass"),
        ("“", "``", '"'),
        ("HTML", "NN", "HTML"),
        ("\ud800", "NN", "\ud800"),
        ("", "NN", ""),
    ],
)
def test_a_form_has_the_lemma_of_its_tag(lemmatiser, form, tag, lemma):
    assert lemmatiser.lemma(form, tag) == lemma
    assert lemmatiser.lemma(form, tag) == lemma


def test_a_word_longer_than_any_is_its_own_lemma(lemmatiser):
    assert lemmatiser.lemma("x" * 100_000, "NNS") == "x" * 100_000
