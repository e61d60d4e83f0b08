"""Base forms as Princeton's morph gives them."""

import pytest

from touchstone.lexicon import wordnet

LEXICON = wordnet()


@pytest.mark.parametrize(
    ("form", "pos", "bases"),
    [
        ("axes", "n", ("ax", "axis")),  # the exception list names both
        ("better", "a", ("good", "well")),
        ("best", "r", ("well",)),
        ("hardest", "r", ("hard",)),
        ("quicker", "r", ()),  # adverbs have no endings
        ("men", "n", ("man",)),
        ("firemen", "n", ("fireman",)),
        ("churches", "n", ("church",)),
        ("boxesful", "n", ("boxful",)),  # the ending before -ful
        ("boss", "n", ()),  # no noun loses an s after an s
        ("as", "n", ()),  # nor one of two letters
        ("wolves", "n", ("wolf",)),
        ("hopes", "v", ("hope",)),
        ("hoping", "v", ("hope",)),
        ("went", "v", ("go",)),
        ("found", "v", ("find",)),
        ("dog", "n", ()),  # never the form itself
        ("feed", "v", ()),  # listed as its own base
        ("attorneys general", "n", ("attorney general",)),  # part by part
        ("mothers-in-law", "n", ("mother-in-law",)),
        ("gave up", "v", ("give up",)),  # the verb before a preposition
        ("asked for it", "v", ("ask for it",)),
        ("went to beds", "v", ("go to bed",)),  # or before it and a noun
        ("fly to moons", "v", ("fly to moon",)),  # unchecked there, and so here
    ],
)
def test_bases_are_those_of_princetons_morph(form, pos, bases):
    assert LEXICON.morph(form, pos) == bases


@pytest.mark.parametrize(
    ("form", "pos", "lemmas"),
    [
        ("found", "v", ("find", "found")),  # bases first, the form itself last
        ("leaves", None, ("leaf", "leave")),
        ("dog", "n", ("dog",)),
        ("dogs", "v", ("dog",)),
        ("aboideaux", "n", ()),  # its base is in the exception list and not in WordNet
        ("fly to moons", "v", ()),
        ("MICE", "n", ("mouse",)),
    ],
)
def test_lemmas_are_the_bases_that_wordnet_lists_and_the_form_if_listed(form, pos, lemmas):
    assert LEXICON.lemmas(form, pos) == lemmas


def test_morph_gives_irregular_bases_that_wordnet_does_not_list():
    assert LEXICON.morph("aboideaux", "n") == ("aboideau",)


def test_a_form_without_base_is_its_own_base_form_in_lower_case():
    assert LEXICON.base_form("Xyzzies", "n") == "xyzzies"
    assert LEXICON.base_form("Hot_Dogs", "n") == "hot dog"


def test_a_form_has_the_synsets_of_its_lemmas_in_each_part_of_speech():
    leaf, leave, dog = map(LEXICON.word, ("leaf", "leave", "dog"))
    leaves = [*leaf.synsets("n"), *leave.synsets("n"), *leave.synsets("v")]
    rows = LEXICON.synset_ids(["leaves", "dogs"])
    assert rows.values.tolist() == [synset.id for synset in (*leaves, *dog.synsets())]
    assert rows.sizes.tolist() == [len(leaves), len(dog.synsets())]
