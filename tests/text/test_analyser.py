"""A sentence's analysis is a tree over its tokens, and depends on nothing but the sentence."""

import hashlib
import os
import pickle
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.text import English, english, network, recurrent
from touchstone.text import analyser as room

WORDS = (
    *("the", "a", "old", "young", "dog", "cat", "minister", "report", "of", "in", "with", "and", "but", "saw", "told"),
    *("gave", "her", "him", "they", "it", "was", "not", "never", "quickly", "market", "rose", "fell", "3.5", "per"),
    *("cent", "on", "Monday", ",", ".", ";", '"', "(", ")", "which", "who", "said", "that", "Germany's", "U.S."),
    *("economy", "is", "running", "out"),
)


def made_up(count, seed=0):
    chance = random.Random(seed)
    return [" ".join(chance.choices(WORDS, k=chance.choice((0, 1, 2, 5, 12, 25, 60)))) for _ in range(count)]


def placeless(sentence):
    """Return a sentence as if it were the only one."""
    return replace(sentence, segment=0)


def is_tree(heads):
    reached = {0}
    while True:
        grown = reached | {word for word, head in enumerate(heads, 1) if head in reached}
        if grown == reached:
            return len(reached) == len(heads) + 1 and list(heads).count(0) == min(1, len(heads))
        reached = grown


def test_subject_verb_and_object_are_found():
    [sentence] = english().parse(["The minister praised the brave firefighters on Monday."])
    assert sentence.tags == ("DT", "NN", "VBD", "DT", "JJ", "NNS", "IN", "NNP", ".")
    assert sentence.dependents("nsubj", "obj") == ((2, 3), (6, 3))
    assert sentence.relations[sentence.heads.index(0)] == "root"


def test_given_tokens_are_kept_as_they_are():
    rows = [["Do", "n't", "go", "."], [], ["U.S.", "``", "x", "''"]]
    assert [list(s.forms) for s in english().parse_tokens(rows)] == rows


@pytest.mark.parametrize("row", [["a b"], [""], ["x", "\t"]])
def test_a_given_token_with_a_blank_is_refused_with_its_row(row):
    with pytest.raises(TouchstoneError) as refused:
        list(english().tag_tokens([["fine"], row]))
    assert refused.value.code == Code.BAD_CELL
    assert refused.value.faults[0].line == 2


@pytest.mark.parametrize("path", ["tag", "parse"])
def test_neighbours_order_and_batch_size_change_nothing(path, monkeypatch):
    texts = made_up(400)
    analyse = partial(getattr(english(), path), split=False)
    plain = dict(zip(texts, analyse(texts), strict=True))
    for seed, (held, block, together) in enumerate(((64, 9, 1), (500, 300, 100), (100_000, 100_000, 100_000))):
        monkeypatch.setattr(room, "_BATCH_TOKENS", held)
        monkeypatch.setattr(room, "_BLOCK_TOKENS", block)
        monkeypatch.setattr(network, "_STEP_TOKENS", together)
        shuffled = random.Random(seed).sample(texts, len(texts))
        assert [placeless(found) for found in analyse(shuffled)] == [placeless(plain[text]) for text in shuffled]
    monkeypatch.undo()
    assert [placeless(next(analyse([text]))) for text in texts[:60]] == [placeless(plain[text]) for text in texts[:60]]


def test_threads_that_share_an_analyser_find_the_same():
    texts = made_up(200, seed=1)
    fresh = English(english()._network, english()._lemmatiser._lexicon)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda part: list(fresh.parse(part, split=False)), [texts[n::4] for n in range(4)]))
    expected = map(placeless, english().parse(texts, split=False))
    assert [placeless(found[n % 4][n // 4]) for n in range(len(texts))] == list(expected)


def test_what_is_remembered_or_forgotten_changes_nothing(monkeypatch):
    texts = made_up(80, seed=2)
    expected = list(english().parse(texts))
    monkeypatch.setattr(room, "_MOST_TYPES", 10)
    monkeypatch.setattr(room, "_BLOCK_TOKENS", 30)
    assert list(English(english()._network, english()._lemmatiser._lexicon).parse(texts)) == expected


@pytest.mark.parametrize("threads", ["1", "2"])
def test_another_process_with_other_threads_finds_the_same(threads):
    program = (
        "import sys, hashlib; from touchstone.text import english;"
        "print(hashlib.sha256(repr(list(english().parse(sys.stdin.read().split('\\n')))).encode()).hexdigest())"
    )
    texts = made_up(120, seed=3)
    done = subprocess.run(
        [sys.executable, "-c", program],
        input="\n".join(texts), capture_output=True, text=True, check=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads},
    )  # fmt: skip
    assert done.stdout.strip() == hashlib.sha256(repr(list(english().parse(texts))).encode()).hexdigest()


HOSTILE = {
    "empty": "",
    "blanks": " \t\u00a0\u2003 ",
    "controls": "a\x00b \x1b[31mred\x07 \x85 \u2028x",
    "emoji": "I 💜 this 👩‍👩‍👧‍👦 🇺🇳!!",
    "right to left": "שלום עולם \u202eabc\u202c مرحبا.",
    "half a pair": "half \ud800 a \udfff pair",
    "marks": "\"'`-..,,;:?!()[]{}<>$%&@#",
    "combining": "e" + "\u0301" * 500,
    "long word": "x" * 100_000,
    "long line": "The dog's tail, said Mr. Smith, wagged. " * 2_500,
    "quotes": '" ' * 5_000,
    "dots": ". " * 5_000,
    "no letters": "\u200b\ufeff\ufffe",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_lines_are_analysed_as_trees(name):
    [parsed], [tagged] = (analyse([HOSTILE[name]], split=False) for analyse in (english().parse, english().tag))
    assert parsed.text == tagged.text == HOSTILE[name]
    assert len(parsed.tags) == len(parsed.lemmas) == len(tagged.tags) == len(parsed)
    assert is_tree(parsed.heads)


@settings(max_examples=40)
@given(st.lists(st.text(max_size=40), max_size=4))
def test_any_text_becomes_a_tree(texts):
    assert all(is_tree(sentence.heads) for sentence in english().parse(texts))


def test_a_paragraph_is_split_and_every_sentence_knows_its_place():
    text = "Mr. Smith left. “Why?” she asked.  Nobody knew…"
    sentences = list(english().parse([text, " ", text]))
    assert [sentence.text for sentence in sentences[:3]] == ["Mr. Smith left.", "“Why?” she asked.", "Nobody knew…"]
    assert [sentence.segment for sentence in sentences] == [0, 0, 0, 2, 2, 2]
    assert all(text[s.offset :].startswith(s.text) for s in sentences)


def test_universal_parts_of_speech_tell_apart_what_one_penn_tag_covers():
    [sentence] = english().parse(["I know that he has left since she asked about that."])
    assert dict(zip(sentence.forms, sentence.upos, strict=True))["has"] == "AUX"
    assert [upos for form, upos in zip(sentence.forms, sentence.upos, strict=True) if form == "that"] == [
        "SCONJ",
        "PRON",
    ]


def test_compiled_code_finds_what_plain_code_finds(monkeypatch):
    texts = made_up(150, seed=4)
    found = []
    for many in (1, 1 << 60):
        monkeypatch.setattr(recurrent, "_MANY", many)
        monkeypatch.setattr(network, "_MANY", many)
        found.append((list(english().parse(texts)), list(english().tag(texts))))
    assert found[0] == found[1]


def test_products_of_matrices_use_one_thread_inside_and_as_many_as_before_outside():
    program = (
        "from threadpoolctl import threadpool_info\n"
        "from touchstone.text.arithmetic import single_threaded\n"
        "def threads(): return [pool['num_threads'] for pool in threadpool_info() if pool['user_api'] == 'blas']\n"
        "before = threads()\n"
        "with single_threaded(): print(threads())\n"
        "print(threads() == before, before)"
    )
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "3"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    inside, outside = done.stdout.splitlines()
    assert (inside, outside.split(" ")[0]) == ("[1]", "True")


def test_memory_is_bounded_by_the_batch():
    read = 0

    def endless():
        nonlocal read
        while True:
            read += 1
            yield "The dog barked at the old man in the garden."

    found = english().parse(endless())
    for _ in range(3):
        next(found)
    assert read < 5_000


def test_a_pickle_holds_which_model_it_is_and_not_the_model():
    again = pickle.dumps(english())
    assert len(again) < 200
    assert pickle.loads(again).signature == english().signature


def test_the_model_is_small():
    assert room.MODEL.stat().st_size < 12_000_000


def test_the_runtime_never_imports_torch():
    program = (
        "import sys; from touchstone.text import english; list(english().parse(['Go.'])); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_one_text_where_several_are_wanted_is_refused():
    with pytest.raises(TouchstoneError) as refused:
        english().parse("The cat sat.")
    assert refused.value.code == Code.BAD_VALUE
