"""What MAXSIM compares: lemmas by Princeton's morph, tags of the text as written, tokens with a letter or digit."""

import pytest

from touchstone.tasks.mt.formats.analyses import inline_analyses
from touchstone.tasks.mt.maxsim_triples import triples_of
from touchstone.tasks.mt.maxsim_words import base_form, is_word, words_of
from touchstone.tasks.mt.model import Texts
from touchstone.text import Sentence, Stored


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


def sentence(*tokens):
    forms, tags, heads, relations = zip(*tokens, strict=True)
    zeros = (0,) * len(forms)
    return Sentence(" ".join(forms), forms, zeros, zeros, tags, forms, heads, relations)


def test_relations_are_subjects_and_objects_by_their_head_in_the_tree():
    tree = sentence(
        ("that", "DT", 3, "csubj:outer"),
        ("she", "PRP", 3, "nsubj:pass"),
        ("given", "VBN", 0, "root"),
        ("him", "PRP", 3, "iobj"),
        ("books", "NNS", 3, "obj"),
        ("there", "EX", 3, "expl"),
        ("by", "IN", 8, "case"),
        ("us", "PRP", 3, "obl:agent"),
        ("%", "NN", 3, "obj"),
    )
    [relations] = triples_of(Texts([tree.text], Stored([tree], "toy")), "d")
    assert [triple[:3] for triple in relations] == [
        ("that", "subj", "given"),
        ("she", "subj", "given"),
        ("him", "obj", "given"),
        ("books", "obj", "given"),
    ]
    assert relations[3].places == (4, 2)


def test_places_count_words_alone():
    tree = sentence(("(", "-LRB-", 3, "punct"), ("dogs", "NNS", 3, "nsubj"), ("bark", "VBP", 0, "root"))
    [[relation]] = triples_of(Texts([tree.text], Stored([tree], "toy")), "d")
    assert relation.places == (0, 1)
