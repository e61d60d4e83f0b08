"""Other analysers stand behind the same protocol."""

from types import SimpleNamespace as Some

import pytest

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.text import Analyser, Sentence, Spacy, Stored, english, from_spacy, from_stanza, read_conllu


class Doc(list):
    text = ""

    def has_annotation(self, name):
        return False


def spacy_doc(text, *rows):
    """Return what spaCy would: rows of form, tag, lemma, head (from 0) and label."""
    doc, place = Doc(), 0
    doc.text = text
    for i, (form, tag, lemma, _, label) in enumerate(rows):
        place = text.index(form, place)
        seen = {"tag_": tag, "lemma_": lemma, "dep_": label, "pos_": "", "is_space": form.isspace()}
        doc.append(Some(i=i, idx=place, text=form, **seen))
        place += len(form)
    for token, row in zip(doc, rows, strict=True):
        token.head = doc[row[3]]
    return doc


BIRDS = spacy_doc(
    "Birds  eat worms. Go",
    ("Birds", "NNS", "bird", 2, "nsubj"),
    (" ", "_SP", " ", 0, "dep"),
    ("eat", "VBP", "eat", 2, "ROOT"),
    ("worms", "NNS", "worm", 2, "dobj"),
    (".", ".", ".", 2, "punct"),
    ("Go", "VB", "go", 5, "ROOT"),
)


def test_a_spacy_doc_becomes_one_tree_in_universal_relations():
    sentence = from_spacy(BIRDS)
    assert sentence.forms == ("Birds", "eat", "worms", ".", "Go")
    assert sentence.heads == (2, 0, 2, 2, 2)
    assert sentence.relations == ("nsubj", "root", "obj", "punct", "parataxis")
    assert [sentence.text[a:b] for a, b in zip(sentence.starts, sentence.ends, strict=True)] == list(sentence.forms)


def test_a_spacy_pipeline_is_an_analyser():
    analyser: Analyser = Spacy(
        Some(meta={"lang": "en", "name": "toy", "version": "1"}, pipe=lambda texts: [BIRDS for _ in texts])
    )
    assert analyser.signature == "spacy en_toy 1"
    assert [s.parsed for s in analyser.parse(["x"])] == [True]
    assert [s.heads for s in analyser.tag_tokens([["x"]])] == [()]


def test_a_pipeline_without_a_parser_says_so():
    bare = spacy_doc("Go", ("Go", "", "", 0, ""))
    analyser = Spacy(Some(meta={}, pipe=lambda texts: [bare for _ in texts]))
    assert [s.lemmas for s in analyser.tag(["Go"])] == [("Go",)]
    with pytest.raises(TouchstoneError) as refused:
        list(analyser.parse(["Go"]))
    assert refused.value.code == Code.UNSUPPORTED


def test_a_real_blank_spacy_pipeline_gives_its_tokens():
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    [sentence] = Spacy(spacy.blank("en")).tag(["Don't stop."])
    assert sentence.forms == ("Do", "n't", "stop", ".")


def stanza_document():
    words = [
        Some(text="He", lemma="he", upos="PRON", xpos="PRP", head=2, deprel="nsubj", start_char=0, end_char=2),
        Some(text="did", lemma="do", upos="VERB", xpos="VBD", head=0, deprel="root", start_char=None, end_char=None),
        Some(text="n't", lemma="not", upos="PART", xpos="RB", head=2, deprel="advmod", start_char=None, end_char=None),
    ]
    return Some(sentences=[Some(words=words, text="He didn't")])


def test_a_stanza_document_becomes_sentences_with_places():
    [sentence] = from_stanza(stanza_document())
    assert sentence == Sentence(
        "He didn't", ("He", "did", "n't"), (0, 3, 6), (2, 6, 9), ("PRP", "VBD", "RB"), ("he", "do", "not"),
        (2, 0, 2), ("nsubj", "root", "advmod"), ("PRON", "VERB", "PART"),
    )  # fmt: skip


def test_stored_analyses_answer_by_text_and_by_tokens():
    stored: Analyser = Stored(from_stanza(stanza_document()), "doc")
    assert [s.heads for s in stored.parse(["He didn't"])] == [(2, 0, 2)]
    assert [s.heads for s in stored.parse_tokens([["He", "did", "n't"]])] == [(2, 0, 2)]


def test_a_sentence_that_is_not_stored_is_named_with_the_nearest():
    with pytest.raises(TouchstoneError) as refused:
        list(Stored(from_stanza(stanza_document()), "doc").parse(["He didnt"]))
    assert refused.value.code == Code.MISSING_ID
    assert refused.value.faults[0].near == "He didn't"


def test_the_treebank_itself_is_an_analyser(data):
    sentences = read_conllu(data("ud") / "gum-dev.conllu")
    stored = Stored(sentences, "gum-dev.conllu")
    assert list(stored.parse_tokens([s.forms for s in sentences[:50]]))[7].heads == sentences[7].heads


def test_the_embedded_analyser_keeps_the_protocol():
    analyser: Analyser = english()
    assert [len(s) for s in analyser.tag(["Birds sing."])] == [3]
