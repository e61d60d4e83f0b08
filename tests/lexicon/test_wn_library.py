"""Lexicons of the `wn` library."""

import sys

import pytest

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.lexicon import Relation, open_lexicon

LMF = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.1.dtd">
<LexicalResource xmlns:dc="https://globalwordnet.github.io/schemas/dc/">
<Lexicon id="toy" label="Toy WordNet" language="en" email="a@example.org" license="none" version="2">
<LexicalEntry id="e-cup-n"><Lemma writtenForm="cup" partOfSpeech="n"/><Form writtenForm="cuppae"/>
  <Sense id="s-cup-2" synset="toy-00000021-n"/>
  <Sense id="s-cup-1" synset="toy-00000020-n"><Count>7</Count></Sense></LexicalEntry>
<LexicalEntry id="e-Teacup-n"><Lemma writtenForm="Teacup" partOfSpeech="n"/>
  <Sense id="s-teacup" synset="toy-00000020-n"/></LexicalEntry>
<LexicalEntry id="e-vessel-n"><Lemma writtenForm="vessel" partOfSpeech="n"/>
  <Sense id="s-vessel" synset="toy-00000010-n"/></LexicalEntry>
<LexicalEntry id="e-wet-a"><Lemma writtenForm="wet" partOfSpeech="a"/>
  <Sense id="s-wet" synset="toy-00000040-a" adjposition="p"><SenseRelation relType="antonym" target="s-dry"/></Sense>
</LexicalEntry>
<LexicalEntry id="e-dry-a"><Lemma writtenForm="dry" partOfSpeech="a"/>
  <Sense id="s-dry" synset="toy-00000050-a"><SenseRelation relType="antonym" target="s-wet"/></Sense></LexicalEntry>
<LexicalEntry id="e-damp-s"><Lemma writtenForm="damp" partOfSpeech="s"/>
  <Sense id="s-damp" synset="toy-00000060-s"/></LexicalEntry>
<LexicalEntry id="e-run-v"><Lemma writtenForm="run" partOfSpeech="v"/>
  <Sense id="s-run-1" synset="toy-00000070-v"/><Sense id="s-run-2" synset="toy-00000080-v"/></LexicalEntry>
<LexicalEntry id="e-ouch-x"><Lemma writtenForm="ouch" partOfSpeech="x"/>
  <Sense id="s-ouch" synset="toy-00000090-x"/></LexicalEntry>
<Synset id="toy-00000010-n" ili="i1" partOfSpeech="n" lexfile="noun.Tops">
  <SynsetRelation relType="hyponym" target="toy-00000020-n"/></Synset>
<Synset id="toy-00000020-n" ili="i2" partOfSpeech="n" lexfile="noun.artifact" members="s-cup-1 s-teacup">
  <SynsetRelation relType="hypernym" target="toy-00000010-n"/></Synset>
<Synset id="toy-00000021-n" ili="i3" partOfSpeech="n"/>
<Synset id="toy-00000040-a" ili="i4" partOfSpeech="a" lexfile="adj.all">
  <SynsetRelation relType="similar" target="toy-00000060-s"/></Synset>
<Synset id="toy-00000050-a" ili="i5" partOfSpeech="a" lexfile="adj.all"/>
<Synset id="toy-00000060-s" ili="i6" partOfSpeech="s" lexfile="adj.all">
  <SynsetRelation relType="similar" target="toy-00000040-a"/></Synset>
<Synset id="toy-00000070-v" ili="i7" partOfSpeech="v" lexfile="verb.motion">
  <SynsetRelation relType="similar" target="toy-00000080-v"/></Synset>
<Synset id="toy-00000080-v" ili="i8" partOfSpeech="v" lexfile="verb.motion"/>
<Synset id="toy-00000090-x" ili="i9" partOfSpeech="x"/>
</Lexicon>
</LexicalResource>
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Install the toy lexicon in a library of its own."""
    wn = pytest.importorskip("wn")
    folder = tmp_path_factory.mktemp("wn")
    (folder / "toy.xml").write_text(LMF)
    before = wn.config.data_directory
    wn.config.data_directory = folder
    wn.add(folder / "toy.xml", progress_handler=None)
    yield wn
    wn.config.data_directory = before


def test_a_lexicon_of_the_library_is_read(installed):
    lexicon = open_lexicon("wn:toy:2")
    cup = lexicon.synset("00000020-n")
    assert (lexicon.signature.name, lexicon.signature.version) == ("Toy WordNet", "2")
    assert lexicon.synset_count == 8  # the interjection is left out
    assert (cup.words, cup.file, cup.name) == (("cup", "Teacup"), "noun.artifact", "cup.n.02")
    assert lexicon.word("cup").counts("n") == (0, 7)
    assert lexicon.synset("00000021-n").file == "unknown"
    assert [synset.name for synset in cup.hypernyms()] == ["vessel.n.01"]
    assert lexicon.word("wet").antonyms() == ("dry",)
    assert lexicon.marker(lexicon.synset("wet.a.01").word_ids[0]) == "p"
    assert {synset.name: steps for synset, steps in lexicon.word("damp").opposites().items()} == {"dry.a.01": 1}
    assert lexicon.synset("00000070-v").related(Relation.VERB_GROUP) == (lexicon.synset("00000080-v"),)
    assert lexicon.base_form("cuppae", "n") == "cup"
    assert lexicon.base_form("cups", "n") == "cup"


def test_a_lexicon_that_is_not_installed_gets_a_sentence(installed):
    with pytest.raises(TouchstoneError) as caught:
        open_lexicon("wn:toy:3")
    assert caught.value.code == Code.UNKNOWN_NAME
    assert caught.value.faults[0].near == "toy:2"


def test_a_missing_library_gets_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "wn", None)
    with pytest.raises(TouchstoneError) as caught:
        open_lexicon("wn:absent")
    assert caught.value.code == Code.MISSING_EXTRA
    assert "pip install wn" in str(caught.value)
