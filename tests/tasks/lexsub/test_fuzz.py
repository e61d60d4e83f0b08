"""Ten thousand mutated files: each is read, or refused with a sentence; nothing else ever happens."""

import gzip
import json
import random
from collections import Counter

import pytest

from touchstone import TouchstoneError, lexsub
from touchstone.core.resampling import Resampling
from touchstone.tasks.lexsub.preparing import read_pool

SEED = 7
PER_FILE = 1000

GOLD = """bar.n.v 1 :: ban 3;exclude 2;keep-out 1;
bar.n 2 :: pub 4;garden  1;garden 2;pn 1;
cross.n.a 3 :: angry 2;11.27 kilograms 1;BSE 1;
well.r 4 :: good 2;bull's eye 1;non-captive 1;x 1;
"""
BEST = "bar.n.v 1 :: ban\nbar.n 2 :: pub;garden\ncross.n.a 3 ::\nwell.r 4 :: good\n"
RANKED = "bar.n.v 1 ::: ban;keep out;stop\nbar.n 2 ::: pub;Garden;;inn;\ncross.n.a 3 ::: angry\nwell.r 4 ::: ;\n"
GOLD_JSONL = "".join(
    json.dumps(record, ensure_ascii=False) + "\n"
    for record in (
        {"id": "1", "target": "bar", "pos": "v", "left": "They", "head": "bar", "right": "it", "gold": {"ban": 3}},
        {"id": "2", "target": "bar", "pos": None, "gold": {"pub": 4, "café": 0.5, "keep-out": 1}},
        {"id": "3", "target": "cross", "pos": "a", "gold": {"angry": 2}},
    )
)
ANSWERS_JSONL = "".join(
    json.dumps(record, ensure_ascii=False) + "\n"
    for record in (
        {"id": "1", "system": "s", "answers": ["ban", "stop"], "scores": [0.5, 0.25], "cut": 1, "best": ["ban"]},
        {"id": "2", "system": "s", "target": "bar", "pos": "n", "answers": ["pub", "", "café"], "cut": 2},
        {"id": "3", "answers": []},
    )
)
SWORDS = json.dumps(
    {
        "contexts": {"c:0": {"context": "He was\ta bright boy.\nShe ran."}},
        "targets": {
            "1": {"context_id": "c:0", "target": "bright", "offset": 9, "pos": "ADJ"},
            "2": {"context_id": "c:0", "target": "ran", "offset": 25, "pos": "VERB"},
        },
        "substitutes": {
            "s:0": {"target_id": "1", "substitute": "clever"},
            "s:1": {"target_id": "2", "substitute": "hurried"},
        },
        "substitute_labels": {"s:0": ["TRUE", "TRUE_IMPLICIT", "UNSURE"], "s:1": ["TRUE", "FALSE"]},
    },
    indent=1,
)
SWORDS_RESULTS = json.dumps(
    {"substitutes_lemmatized": True, "substitutes": {"1": [["clever", 0.5], ["smart", 1]], "2": [["ban", -2e3]]}}
)
COINCO = """<?xml version="1.0" encoding="UTF-8"?>
<document><sent MASCfile="x" MASCsentID="s0"><targetsentence>The dogs ran</targetsentence><tokens>
<token id="XXX" wordform="The" lemma="the" posMASC="DT" posTT="DT"/>
<token id="1" wordform="dogs" lemma="dog" posMASC="NNS" posTT="NNS" problematic="no">
<substitutions><subst lemma="hound" pos="NN" freq="3"/><subst lemma="café" freq="1"/></substitutions></token>
<token id="2" wordform="ran" lemma="run" posMASC="VBD" posTT="VBD/NN" problematic="yes"/>
</tokens></sent></document>
"""
CORPUS = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE corpus SYSTEM "lexsub.dtd">
<corpus lang="english"><lexelt item="bar.n.v">
<instance id="1"><context>They will <head>bar</head> him &amp;gt; a café .</context></instance>
<instance id="2"><context><head>Bar</head> none &#233; &lt; <b>x</b> &amp;quot ;</context></instance>
</lexelt></corpus>
"""
POOL = "bar.v::ban;stop;keep-out\nbar.n::pub;garden;inn\ncross.a::angry\nwell.r::good;fine\n"

FILES = {
    "gold.gold": (GOLD, lexsub.read_gold),
    "answers.best": (BEST, lexsub.read_run),
    "answers.oot": (RANKED, lexsub.read_run),
    "gold.jsonl": (GOLD_JSONL, lexsub.read_gold),
    "answers.jsonl": (ANSWERS_JSONL, lexsub.read_run),
    "swords.json": (SWORDS, lexsub.read_gold),
    "results.json": (SWORDS_RESULTS, lexsub.read_run),
    "coinco.xml": (COINCO, lexsub.read_gold),
    "sentences.xml": (CORPUS, lexsub.read_sentences),
    "pool.cands": (POOL, read_pool),
}

TOKENS = [
    *(b" ", b";", b"::", b":::", b"\n", b"\r\n", b"\t", b".", b"-", b"'", b"0", b"-1", b"1e999", b"NaN", b"null"),
    *(b"{", b"}", b"[", b"]", b'"', b",", b"true", b"99999999999999999999", b"\\ud800", b"\\u0000", b"<", b">", b"&"),
    *(b"&x;", b"<head>", b"</head>", b"id", b"pn", b"\xef\xbb\xbf", b"\xc3\xa9", b"\xff", b"\x00", b"\xed\xa0\x80"),
]


def mutated(raw: bytes, chance: random.Random) -> bytes:
    """One or two small changes: to a byte, a stretch, a line, or by a piece of some format."""
    for _ in range(chance.randint(1, 2)):
        at = chance.randrange(len(raw) + 1)
        end = min(len(raw), at + chance.randint(1, 6))
        lines = raw.split(b"\n")
        line = chance.randrange(len(lines))
        match chance.randrange(8):
            case 0:
                raw = raw[:at] + bytes([chance.randrange(256)]) + raw[at + 1 :]
            case 1:
                raw = raw[:at] + raw[end:]
            case 2:
                raw = raw[:end] + raw[at:]
            case 3:
                raw = raw[:at] + chance.choice(TOKENS) + raw[at:]
            case 4:
                raw = raw[:at] + bytes([chance.randrange(97, 123)]) + raw[end:]
            case 5:
                raw = b"\n".join([*lines[:line], *lines[line + 1 :]])
            case 6:
                raw = b"\n".join([*lines[:line], lines[line], *lines[line:]])
            case _:
                chance.shuffle(lines)
                raw = b"\n".join(lines) if chance.random() < 0.2 else raw.replace(b" ", b"  ", chance.randint(1, 3))
    return raw


def read(path, reader, raw):
    """Return what a file gives, or None where it is refused; anything but a sentence goes through."""
    path.write_bytes(raw)
    try:
        return reader(path)
    except TouchstoneError:
        return None


@pytest.mark.parametrize("name", FILES)
def test_the_files_themselves_are_read(tmp_path, name):
    text, reader = FILES[name]
    assert read(tmp_path / name, reader, text.encode()) is not None


def test_ten_thousand_mutants_give_only_sentences_and_a_third_of_them_is_read(tmp_path, record_property):
    chance = random.Random(SEED)
    share = {}
    for name, (text, reader) in FILES.items():
        mutants = (mutated(text.encode(), chance) for _ in range(PER_FILE))
        share[name] = sum(read(tmp_path / name, reader, raw) is not None for raw in mutants) / PER_FILE
    overall = sum(share.values()) / len(share)
    parts = ", ".join(f"{name} {part:.0%}" for name, part in share.items())
    record_property("said", f"{PER_FILE * len(FILES):,} mutants, still read: {overall:.0%} ({parts})")
    assert PER_FILE * len(FILES) >= 10_000
    assert overall >= 0.3
    assert min(share.values()) > 0.05


@pytest.mark.filterwarnings("ignore::touchstone.TouchstoneWarning")  # what is damaged looks like a mistake
def test_what_is_read_of_a_mutant_can_be_scored_or_is_refused(tmp_path):
    chance = random.Random(SEED)
    outcomes = Counter()
    gold_path, plain = tmp_path / "gold.gold", Resampling("none")
    for _ in range(300):
        raw_gold = mutated(GOLD.encode(), chance) if chance.random() < 0.5 else GOLD.encode()
        gold = read(gold_path, lexsub.read_gold, raw_gold)
        name = chance.choice(["answers.best", "answers.oot", "answers.jsonl"])
        run = read(tmp_path / name, lexsub.read_run, mutated(FILES[name][0].encode(), chance))
        if gold is None or run is None:
            continue
        try:
            results = lexsub.score(gold, run, ["paper", "els07", "gap", "gap.nomwe", "mrr"], resampling=plain)
        except TouchstoneError:
            outcomes["refused"] += 1
            continue
        assert all(0 <= row.value <= 1 for row in results.rows if row.value == row.value)
        assert len(results.items) == len(gold)
        outcomes["scored"] += 1
    assert outcomes["scored"] >= 60
    assert outcomes["refused"] >= 5


def test_mutated_packed_files_give_only_sentences(tmp_path):
    chance = random.Random(SEED)
    packed = gzip.compress(SWORDS.encode(), mtime=0)
    found = [read(tmp_path / "s.json.gz", lexsub.read_gold, mutated(packed, chance)) for _ in range(300)]
    assert any(one is None for one in found)
