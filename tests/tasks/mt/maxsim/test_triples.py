"""The triples of MAXSIM: subjects and objects by their heads in the tree."""

from dataclasses import replace

from touchstone.tasks.mt.maxsim.triples import TYPES, Triple, triples_of
from touchstone.tasks.mt.texts import Texts
from touchstone.tasks.mt.words import base_form, is_word
from touchstone.text import English, Sentence, Stored, english


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


def related(sentence):
    """Subjects and objects of a sentence whose child and parent are words, by the definition, one token at a time."""
    words = [place for place, form in enumerate(sentence.forms) if is_word(form)]
    for place, (head, relation) in enumerate(zip(sentence.heads, sentence.relations, strict=True)):
        kind = TYPES.get(relation.partition(":")[0])
        if kind and head and place in words and head - 1 in words:
            child, parent = (base_form(sentence.forms[at], sentence.tags[at]) for at in (place, head - 1))
            yield Triple(child, kind, parent, (words.index(place), words.index(head - 1)))


def test_relations_of_real_text_are_those_of_its_sentences(data):
    lines = (data("wmt12") / "cs-en" / "uedin-wmt12").read_text("utf-8").split("\n")[:300]
    lines[5], lines[9], lines[11] = "", " ", "( % ) ."
    found = [*triples_of(Texts(lines), "d")]
    assert found == [tuple(related(sentence)) for sentence in english().parse(lines, split=False)]
    assert sum(map(len, found)) > 300


def test_parsed_sentences_are_those_of_the_analyser(data):
    lines = (data("wmt12") / "ref.en").read_text("utf-8").split("\n")[:60]
    expected = (replace(sentence, upos=()) for sentence in english().parse(lines, split=False))
    assert Texts(lines).parsed() == list(expected)


def test_texts_are_parsed_once_for_relations_and_roles(monkeypatch):
    asked, columns = [], English.columns
    monkeypatch.setattr(
        English, "columns", lambda self, texts, **given: asked.append(given) or columns(self, texts, **given)
    )
    monkeypatch.setattr(English, "parse", None)
    texts = Texts(["The dog bites the man."])
    assert len(triples_of(texts, "d")[0]) == len(triples_of(texts, "r")[0]) == 2
    assert asked == [{"parsed": True}]
