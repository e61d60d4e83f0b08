"""Semantic roles: the rule over trees, and roles from a file."""

import json

import pytest

from touchstone.base.errors import TouchstoneError
from touchstone.tasks.mt.roles import read_roles, roles_of
from touchstone.tasks.mt.texts import Texts
from touchstone.text import Sentence, Stored


def roles(*tokens):
    """Return (type, predicate, words) of the roles of one tree, given as (form, tag, head, relation)."""
    forms, tags, heads, relations = zip(*tokens, strict=True)
    zeros = (0,) * len(forms)
    tree = Sentence(" ".join(forms), forms, zeros, zeros, tags, forms, heads, relations)
    [found] = roles_of(Texts([tree.text], Stored([tree], "toy")))
    return [(role.type, role.predicate, " ".join(role.words)) for role in found]


@pytest.mark.parametrize(
    ("relation", "word", "tag", "kind"),
    [
        ("nsubj", "dog", "NN", "A0"),
        ("nsubj:outer", "dog", "NN", "A0"),
        ("csubj", "dog", "NN", "A0"),
        ("obl:agent", "dog", "NN", "A0"),
        ("obj", "dog", "NN", "A1"),
        ("nsubj:pass", "dog", "NN", "A1"),
        ("csubj:pass", "dog", "NN", "A1"),
        ("ccomp", "dog", "NN", "A1"),
        ("xcomp", "dog", "NN", "A1"),
        ("iobj", "dog", "NN", "A2"),
        ("obl", "monday", "NNP", "AM-TMP"),
        ("obl:unmarked", "week", "NN", "AM-TMP"),
        ("obl", "paris", "NNP", "AM-LOC"),
        ("obl", "hammer", "NN", "AM"),
        ("obl", "xyzzy", "NN", "AM"),
        ("advmod", "not", "RB", "AM-NEG"),
        ("advmod", "n't", "RB", "AM-NEG"),
        ("advmod", "never", "RB", "AM-NEG"),
        ("advmod", "quickly", "RB", "AM-ADV"),
        ("advcl", "dog", "NN", "AM-ADV"),
        ("aux", "must", "MD", "AM-MOD"),
    ],
)
def test_a_relation_to_a_verb_is_a_role(relation, word, tag, kind):
    assert roles((word, tag, 2, relation), ("bite", "VB", 0, "root")) == [(kind, "bite", word)]


@pytest.mark.parametrize("relation", ["aux", "conj", "punct", "mark", "cc", "parataxis", "expl", "nmod"])
def test_other_relations_are_none(relation):
    assert roles(("has", "VBZ", 2, relation), ("bite", "VB", 0, "root")) == []


def test_an_argument_is_its_subtree_without_punctuation():
    found = roles(
        ("The", "DT", 3, "det"),
        ('"', "''", 3, "punct"),
        ("dog", "NN", 5, "nsubj"),
        ("down", "IN", 3, "advmod"),
        ("bit", "VBD", 0, "root"),
        ("%", "NN", 5, "obj"),
    )
    assert found == [("A0", "bit", "the dog down")]


def test_only_verbs_that_are_no_auxiliaries_are_predicates():
    assert roles(("it", "PRP", 2, "nsubj"), ("cat", "NN", 0, "root")) == []
    assert roles(("not", "RB", 2, "advmod"), ("is", "VBZ", 3, "cop"), ("late", "JJ", 0, "root")) == []
    assert roles(("not", "RB", 2, "advmod"), ("been", "VBN", 3, "aux:pass"), ("late", "JJ", 0, "root")) == []


def test_a_tree_with_a_circle_ends():
    assert roles(("dog", "NN", 2, "nsubj"), ("bit", "VBD", 1, "dep"))[0][:2] == ("A0", "bit")


def test_roles_of_a_file_stand_in_the_place_of_derived_ones(tmp_path):
    path = tmp_path / "roles.jsonl"
    given = {"type": "A0", "predicate": "Sang", "tokens": ["The", "bird", "!"]}
    path.write_text(json.dumps({"roles": [given, {**given, "head": "The"}]}) + '\n{"roles": []}\n')
    found, source = read_roles(path, 2)
    assert source.stem == "roles"
    first, second = found[0]
    assert (first.type, first.predicate, first.words, first.head) == ("A0", "sang", ("the", "bird", "!"), "bird")
    assert second.head == "the"
    texts = Texts(["The bird sang!", "It rains."], roles=found)
    assert roles_of(texts) == found
    assert roles_of(texts.only(1)) == [()]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("[]", "not a JSON object"),
        ('{"roles": 3}', "no list of roles"),
        ('{"roles": ["A0"]}', "a role without type or predicate"),
        ('{"roles": [{"type": "A0", "predicate": 3, "tokens": ["a"]}]}', "a role without type or predicate"),
        ('{"roles": [{"type": "A0", "predicate": "sang", "tokens": "bird"}]}', "no list of words"),
        ('{"roles": [{"type": "A0", "predicate": "sang", "tokens": []}]}', "no list of words"),
        ('{"roles": []}\n{"roles": []}', "2 lines of roles for 1 segments"),
        ("", "is empty"),
        ("{", "not JSON"),
    ],
)
def test_a_file_that_is_no_file_of_roles_is_refused_with_its_place(tmp_path, line, said):
    path = tmp_path / "roles.jsonl"
    path.write_text(line)
    with pytest.raises(TouchstoneError, match=r"roles\.jsonl") as refused:
        read_roles(path, 1)
    assert said in str(refused.value)
