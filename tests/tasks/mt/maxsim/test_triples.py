"""The triples of MAXSIM: subjects and objects by their heads in the tree."""

from touchstone.tasks.mt.maxsim.triples import triples_of
from touchstone.tasks.mt.model import Texts
from touchstone.text import Sentence, Stored


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
