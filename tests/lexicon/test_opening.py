"""Opening lexicons: shared, pickled by reference, from other sources, from broken ones."""

import os
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.lexicon import Relation, open_lexicon, opening, wordnet
from touchstone.lexicon.relation import LEXICOGRAPHER_FILES

ROOT = Path(__file__).parents[2]
EMBEDDED = ROOT / "src" / "touchstone" / "lexicon" / "wordnet30.lexicon"
HEADER = "  1 WordNet 3.1 Copyright 2011 by somebody.\n"
# Two kinds of cup, a verb, a pair of antonyms with a satellite, an adverb: every shape of line once.
TOY = {
    "data.noun": (
        "00000010 03 n 01 vessel 0 001 ~ 00000020 n 0000 | holds things\n"
        "00000020 06 n 02 cup 0 Teacup 1 002 @ 00000010 n 0000 + 00000030 v 0101 | a | b\n"
    ),
    "data.verb": "00000030 35 v 02 cup 0 hold_on 0 001 + 00000020 n 0101 01 + 08 00 | shape like a cup\n",
    "data.adj": (
        "00000040 00 a 01 wet(p) 0 002 ! 00000050 a 0101 & 00000060 a 0000 |\n"
        "00000050 00 a 01 dry 0 001 ! 00000040 a 0101 |\n"
        "00000060 00 s 01 damp 0 001 & 00000040 a 0000 |\n"
    ),
    "data.adv": "00000070 02 r 01 drily 0 001 \\ 00000050 a 0101 |\n",
    "index.noun": "cup n 1 2 @ + 1 1 00000020\nteacup n 1 1 @ 1 0 00000020\nvessel n 1 1 ~ 1 0 00000010\n",
    "index.verb": "cup v 1 1 + 1 0 00000030\nhold_on v 1 0 1 0 00000030\n",
    "index.adj": "damp a 1 1 & 1 0 00000060\ndry a 1 1 ! 1 0 00000050\nwet a 1 2 ! & 1 0 00000040\n",
    "index.adv": "drily r 1 1 \\ 1 0 00000070\n",
    "index.sense": "cup%1:06:00:: 00000020 1 7\ndamp%5:00:00:wet:00 00000060 1 2\ndry%3:00:00:: 00000050 1 0\n",
    "noun.exc": "cuppae cup\n",
    "verb.exc": "held_on hold_on\n",
    "adj.exc": "",
    "adv.exc": "",
}


@pytest.fixture
def folder(tmp_path):
    for name, content in TOY.items():
        (tmp_path / name).write_text(HEADER + content if name.startswith("data") else content)
    return tmp_path


def test_every_caller_shares_one_lexicon():
    with ThreadPoolExecutor(8) as threads:
        assert len({id(lexicon) for lexicon in threads.map(lambda _: wordnet(), range(50))}) == 1


def test_threads_get_the_answers_of_one():
    lexicon = open_lexicon(EMBEDDED)

    def ask(form):
        word = lexicon.word(form)
        return word.synonyms(), word.antonyms(), word.hypernyms(2), lexicon.lemmas(form + "s"), word.co_hyponyms()

    forms = ["dog", "run", "wet", "quickly", "rome", "good", "buy", "set"] * 20
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(ask, forms)) == [ask(form) for form in forms]


def test_a_pickle_holds_the_source_and_not_the_content():
    word = wordnet().word("dog")
    raw = pickle.dumps((wordnet(), word, word.synsets()[0]))
    assert len(raw) < 1000
    lexicon, again, synset = pickle.loads(raw)
    assert lexicon is wordnet()
    assert (again, synset) == (word, word.synsets()[0])


def test_workers_open_it_for_themselves():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as workers:
        assert list(workers.map(wordnet().base_form, ["mice", "went"], ["n", "v"])) == ["mouse", "go"]


def test_a_pickle_of_a_file_that_has_changed_gets_a_sentence(folder, tmp_path):
    lexicon = open_lexicon(folder)
    _, (source, _) = lexicon.__reduce__()
    with pytest.raises(TouchstoneError) as refused:
        opening.reopen(source, "0" * 64)
    assert refused.value.code == Code.MISMATCH


def test_a_folder_of_dictionary_files_is_read(folder):
    lexicon = open_lexicon(folder)
    cup = lexicon.synset("cup.n.01")
    assert (lexicon.signature.name, lexicon.signature.version) == ("WordNet", "3.1")
    assert (cup.words, cup.number, cup.file) == (("cup", "Teacup"), 20, "noun.artifact")
    assert lexicon.word("cup").counts() == (7, 0)
    assert [synset.name for synset in cup.hypernyms()] == ["vessel.n.01"]
    assert lexicon.word("cup").related_words(Relation.DERIVATION, pos="v") == ()
    assert lexicon.word("drily").related_words(Relation.PERTAINYM) == ("dry",)
    assert lexicon.synset("damp.a.01").satellite
    assert lexicon.marker(lexicon.synset("wet.a.01").word_ids[0]) == "p"
    assert {synset.name: steps for synset, steps in lexicon.word("damp").opposites().items()} == {"dry.a.01": 1}
    assert (lexicon.lemmas("cuppae", "n"), lexicon.base_form("held on", "v")) == (("cup",), "hold on")
    assert [step.relation for step in lexicon.path("damp", "drily")] == []
    assert [step.relation for step in lexicon.path("drily", "damp")][1:] == [
        Relation.PERTAINYM,
        Relation.ANTONYM,
        Relation.SIMILAR,
    ]


def test_a_folder_and_the_file_made_from_it_have_one_signature(folder, tmp_path):
    made = tmp_path / "toy.lexicon"
    build(folder, made)
    assert open_lexicon(made).signature == open_lexicon(folder).signature
    assert pickle.loads(pickle.dumps(open_lexicon(made))) == open_lexicon(folder)
    assert made.with_suffix(".licence.txt").read_text() == "WordNet 3.1 Copyright 2011 by somebody.\n"


def test_a_saved_lexicon_is_the_same_lexicon(folder, tmp_path):
    open_lexicon(folder).save(tmp_path / "saved.lexicon")
    assert open_lexicon(tmp_path / "saved.lexicon") == open_lexicon(folder)
    with pytest.raises(TouchstoneError, match="cannot be written"):
        open_lexicon(folder).save(tmp_path / "absent" / "saved.lexicon")


@pytest.mark.parametrize("name", [name for name in TOY if name != "adj.exc"])
def test_a_missing_dictionary_file_gets_a_sentence(folder, name):
    (folder / name).unlink()
    with pytest.raises(TouchstoneError) as caught:
        open_lexicon(folder)
    assert caught.value.code == Code.NO_FILE
    assert name in str(caught.value)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("data.noun", "0000001x 03 n 01 vessel 0 000 |"),
        ("data.noun", "00000010 03 n 01 vessel 0 001 ?? 00000020 n 0000 |"),
        ("data.noun", "00000010 03 q 01 vessel 0 000 |"),
        ("data.verb", "00000030 35 v"),
        ("index.noun", "cup n"),
        ("index.sense", "cup 1 2"),
        ("index.sense", "cup%9:06:00:: 00000020 1 7"),
        ("noun.exc", "cuppae"),
    ],
)
def test_a_line_that_is_none_is_named(folder, name, line):
    (folder / name).write_text(HEADER + line + "\n")
    with pytest.raises(TouchstoneError) as caught:
        open_lexicon(folder)
    assert f"{name}:2: not a line" in str(caught.value)


def test_a_pointer_into_the_void_gets_a_sentence(folder):
    (folder / "data.adv").write_text("00000070 02 r 01 drily 0 001 \\ 00000099 a 0101 |\n")
    with pytest.raises(TouchstoneError) as refused:
        open_lexicon(folder)
    assert refused.value.code == Code.UNREADABLE


def test_bytes_that_are_not_utf8_and_a_missing_version_get_a_sentence(folder):
    (folder / "data.noun").write_text(TOY["data.noun"])
    with pytest.raises(TouchstoneError) as refused:
        open_lexicon(folder)
    assert refused.value.code == Code.UNREADABLE
    (folder / "data.noun").write_bytes(b"\xff")
    with pytest.raises(TouchstoneError) as refused:
        open_lexicon(folder)
    assert refused.value.code == Code.ENCODING


@pytest.mark.parametrize("cut", [0, 1, 59, 60, 4_000, 5_000_000, 11_766_847])
def test_the_embedded_file_cut_short_gets_a_sentence(tmp_path, cut):
    path = tmp_path / "wordnet30.lexicon"
    path.write_bytes(EMBEDDED.read_bytes()[:cut])
    with pytest.raises(TouchstoneError, match=r"wordnet30\.lexicon"):
        open_lexicon(path)


def test_the_same_files_give_the_same_bytes_in_every_process(data, tmp_path):
    made = tmp_path / "again.lexicon"
    build(data("wordnet30"), made)
    assert made.read_bytes() == EMBEDDED.read_bytes()
    assert made.with_suffix(".licence.txt").read_text() == EMBEDDED.with_suffix(".licence.txt").read_text()


def test_lexicographer_files_are_numbered_as_in_the_dictionary(data):
    lines = (data("wordnet30") / "lexnames").read_text().splitlines()
    assert [line.split()[1] for line in lines] == list(LEXICOGRAPHER_FILES[:45])


def test_opening_costs_under_60_megabytes():
    program = (
        "import resource, numpy; from touchstone.lexicon import wordnet; "
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss; wordnet().base_form('mice', 'n'); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 60 * 1024


def build(folder, out):
    """Run the training script in a process of its own, under another hash seed."""
    program = [sys.executable, ROOT / "training" / "build_wordnet.py", folder, out]
    subprocess.run(program, check=True, capture_output=True, env=os.environ | {"PYTHONHASHSEED": "7"})


def test_a_worker_barely_notices_the_lexicon():
    """The file is mapped, so its pages are shared: what a process has of its own grows by a few megabytes."""
    program = """
import re, sys
def private():
    text = open("/proc/self/smaps_rollup").read()
    return sum(int(n) for n in re.findall(r"Private_Dirty: +([0-9]+)", text))
from touchstone.lexicon import wordnet
before = private()
lexicon = wordnet()
lexicon.synonyms(lexicon.lemma_ids(["dog", "run", "happy"] * 1000))
print(private() - before)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 16 * 1024


def test_numbers_of_absurd_length_name_no_synset():
    for name in ("1" * 5000 + "-n", "dog.n." + "1" * 5000):
        with pytest.raises(TouchstoneError):
            wordnet().synset(name)
