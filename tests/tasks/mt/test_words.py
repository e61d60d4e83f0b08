"""What MAXSIM compares: lemmas by Princeton's morph, tags of the text as written, tokens with a letter or digit."""

import pytest

from touchstone.tasks.mt.formats.analyses import inline_analyses
from touchstone.tasks.mt.texts import Texts
from touchstone.tasks.mt.words import base_form, is_word, words_of


@pytest.mark.parametrize(
    ("form", "tag", "lemma"),
    [
        ("found", "VBD", "find"),  # the exception list comes before the form itself
        ("men", "NNS", "man"),
        ("glasses", "NNS", "glass"),  # by a rule whose result is listed
        ("gas", "NN", "gas"),  # nouns of at most two letters or in ss have no base, "ga" is not listed
        ("boss", "NN", "boss"),
        ("as", "NN", "as"),
        ("better", "JJR", "good"),
        ("better", "RBR", "well"),
        ("could", "MD", "could"),  # no class of WordNet: the form in lower case
        ("Up", "RP", "up"),
        ("Washington", "NNP", "washington"),
        ("XYZZYS", "NNS", "xyzzys"),
    ],
)
def test_a_lemma_is_what_morph_gives_for_the_class_of_the_tag(form, tag, lemma):
    assert base_form(form, tag) == lemma


def test_tokens_are_dropped_after_tagging_and_clitics_stay():
    words = words_of(Texts(["\"I don't,\" he said (twice) -- it's 50% _ ...!"]))
    assert words.forms[0] == ("I", "do", "n't", "he", "said", "twice", "it", "'s", "50")
    assert words.lemmas[0] == ("i", "do", "n't", "he", "say", "twice", "it", "'s", "50")


@pytest.mark.parametrize("form", ["-LRB-", "-RRB-", "_", "--", "…", "%", "“", "'"])
def test_marks_and_brackets_are_no_words(form):
    assert not is_word(form)


@pytest.mark.parametrize("form", ["n't", "'s", "3", "é", "日本", "½", "a.", "'90s"])
def test_whatever_holds_a_letter_or_digit_is_a_word(form):
    assert is_word(form)


def test_given_analyses_bring_their_own_lemmas():
    text = "Found/VBN ./. -LRB-/-LRB- Men/NNS"
    words = words_of(Texts([text, None, ""], inline_analyses([text], "toy")))
    assert words.lemmas[0] == ("found", "men")
    assert words.tags[0] == ("VBN", "NNS")
    assert words.lemmas[1] == words.lemmas[2] == ()
