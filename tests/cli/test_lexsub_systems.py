"""The commands that find substitutes: what they write, what they print, and how they refuse."""

import json
import sys

import pytest

from touchstone import lexsub
from touchstone.cli import main

XML = """<?xml version="1.0"?>
<corpus lang="english">
  <lexelt item="match.n">
    <instance id="1"><context>They lost the <head>match</head> on Sunday .</context></instance>
    <instance id="2"><context>She struck a <head>match</head> in the dark .</context></instance>
  </lexelt>
  <lexelt item="bright.a">
    <instance id="3"><context>A <head>bright</head> student solved it .</context></instance>
  </lexelt>
</corpus>
"""
GOLD = "match.n 1 :: game 3;contest 2;\nmatch.n 2 :: lucifer 2;\nbright.a 3 :: smart 3;clever 2;\n"


@pytest.fixture
def touchstone(monkeypatch, capsys):
    """Run the command line in a folder as a user does; give exit code, standard output and standard error."""

    def run(folder, *arguments):
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", ["touchstone", "lexsub", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        return left.value.code or 0, *capsys.readouterr()

    return run


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "test.xml").write_text(XML)
    (tmp_path / "test.gold").write_text(GOLD)
    return tmp_path


def test_run_writes_answers_that_score_reads(touchstone, folder):
    code, _, err = touchstone(folder, "run", "--system", "lm", "test.xml", "-o", "lm.oot")
    assert code == 0, err
    assert "answers to 3 sentences" in err
    assert "lm.toml#" in err
    assert "english.ngrams#" in err
    gold = lexsub.read_gold(folder / "test.gold", source=folder / "test.xml")
    run = lexsub.read_run(folder / "lm.oot")
    assert all(len(run.answers(name)) == 10 for name in "123")
    assert lexsub.score(gold, run, ["R"]).row("lm", "R").value > 0


def test_a_boundary_travels_as_cut_in_jsonl_and_ends_the_lists_elsewhere(touchstone, folder):
    assert touchstone(folder, "run", "--system", "lm", "test.xml", "--boundary", "-o", "a.jsonl")[0] == 0
    assert touchstone(folder, "run", "--system", "lm", "test.xml", "--boundary", "-o", "a.oot")[0] == 0
    whole, ended = (lexsub.read_run(folder / name) for name in ("a.jsonl", "a.oot"))
    assert [whole.answers(name)[:end] for name, end in zip("123", whole.ranked.cuts, strict=True)] == [
        ended.answers(name) for name in "123"
    ]


def test_suggest_prints_ranked_words_with_their_reasons(touchstone, folder):
    code, out, err = touchstone(
        folder, "suggest", "The bright student solved it.", "--word", "bright", "--system", "lm"
    )
    assert code == 0, err
    assert "found as" in out
    assert "synonym of sense" in out
    assert "bright.a as JJ; score = senses + relation + rings + frame + word + lm" in out
    assert "The system considers the first" in out


def test_train_writes_a_configuration_that_run_takes(touchstone, folder):
    code, out, err = touchstone(folder, "train", "--system", "lm", "test.gold", "test.xml", "-o", "mine.toml")
    assert code == 0, err
    assert "the values are for held-out words" in err
    assert "rank@10" in out
    code, _, err = touchstone(folder, "run", "--config", "mine.toml", "test.xml", "-o", "mine.oot")
    assert code == 0, err
    assert "mine.toml#" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "--system", "lm", "none.xml", "-o", "a.oot"], "no such file"),
        (["run", "--system", "lm", "test.xml", "-o", "a.csv"], "answers cannot be written in this form"),
        (["run", "--system", "lm", "test.xml", "-o", "test.xml"], "this output is also an input"),
        (["run", "--system", "lm", "--ngrams", "none.arpa", "test.xml", "-o", "a.oot"], "touchstone-nlp[systems]"),
        (["run", "--system", "lm", "--ngrams", "test.gold", "test.xml", "-o", "a.oot"], "not an ARPA file"),
        (["run", "--system", "bow", "--vectors", "none.txt", "test.xml", "-o", "a.oot"], "--corpus TEXT"),
        (["run", "--config", "test.gold", "test.xml", "-o", "a.oot"], "not TOML"),
        (["suggest", "A bright student.", "--word", "dark", "--system", "lm"], "the word is not in the sentence"),
        (["suggest", "A bright student.", "--word", "bright", "--at", "90", "--system", "lm"], "does not begin at"),
        (
            ["suggest", "A bright student.", "--word", "bright", "--pos", "q", "--system", "lm"],
            "unknown part of speech",
        ),
        (["train", "--system", "lm", "test.xml", "test.xml", "-o", "a.toml"], "test.xml"),
    ],
)
def test_bad_input_gets_a_sentence_and_nothing_half_written(touchstone, folder, arguments, said):
    before = sorted(folder.iterdir())
    code, out, err = touchstone(folder, *arguments)
    assert code == 2
    assert said in err
    assert "Traceback" not in err
    assert out == ""
    assert sorted(folder.iterdir()) == before


SWORDS = {
    "contexts": {"c1": {"context": "They lost the matches.\n\tEveryone knew."}, "c2": {"context": "A bright student."}},
    "targets": {
        "t1": {"context_id": "c1", "target": "matches", "offset": 14, "pos": "NOUN"},
        "t2": {"context_id": "c2", "target": "bright", "offset": 2, "pos": "ADJ"},
    },
    "substitutes": {
        "s1": {"target_id": "t1", "substitute": "contest"},
        "s2": {"target_id": "t1", "substitute": "lucifer"},
        "s3": {"target_id": "t2", "substitute": "smart"},
        "s4": {"target_id": "t2", "substitute": "undimmed"},
    },
    "substitute_labels": {"s1": ["TRUE"] * 10, "s2": ["FALSE"] * 3, "s3": ["TRUE_IMPLICIT"] * 10, "s4": ["FALSE"] * 3},
}


@pytest.fixture
def swords(folder):
    (folder / "swords_dev.json").write_text(json.dumps(SWORDS))
    return folder


def test_run_answers_a_swords_file_and_writes_its_results_format(touchstone, swords):
    code, _, err = touchstone(swords, "run", "swords_dev.json", "--system", "lm", "-o", "lm.json")
    assert code == 0, err
    written = json.loads((swords / "lm.json").read_text())
    assert written["substitutes_lemmatized"] is True
    assert [answer for answer, _ in written["substitutes"]["t1"]][:10] == list(
        lexsub.read_run(swords / "lm.json").answers("t1")
    )
    assert "contest" in dict(written["substitutes"]["t1"])  # the target was given as "matches"
    code, out, err = touchstone(swords, "score", "swords_dev.json", "lm.json", "-m", "swords", "--intervals", "none")
    assert code == 0, err
    assert "swords.lenient_a_f@10" in out


def test_run_answers_gold_in_other_forms_with_its_sentences(touchstone, folder):
    code, _, err = touchstone(folder, "run", "test.gold", "--source", "test.xml", "--system", "lm", "-o", "a.oot")
    assert code == 0, err
    touchstone(folder, "convert", "test.gold", "test.jsonl", "--source", "test.xml")
    code, _, err = touchstone(folder, "run", "test.jsonl", "--system", "lm", "-o", "b.oot")
    assert code == 0, err
    assert (folder / "a.oot").read_text() == (folder / "b.oot").read_text()
    code, _, err = touchstone(folder, "run", "test.gold", "--system", "lm", "-o", "c.oot")
    assert code == 2
    assert "3 of 3 items have no sentence" in err
    assert "--source" in err


def test_rank_orders_the_labelled_pool_and_scores_it_with_gap(touchstone, swords):
    code, out, err = touchstone(
        swords, "rank", "swords_dev.json", "--system", "lm", "--answers", "order.jsonl", "--json"
    )
    assert code == 0, err
    values = {row["measure"]: row["value"] for row in json.loads(out)["rows"]}
    assert set(values) == {"gap", "gap.nomwe", "p@1", "p@3", "r@10"}
    assert values["r@10"] == 1  # every word that people accepted is in the pool
    ordered = lexsub.read_run(swords / "order.jsonl")
    assert {name: set(ordered.answers(name)) for name in ("t1", "t2")} == {
        "t1": {"contest", "lucifer"},
        "t2": {"smart", "undimmed"},
    }


def test_bench_puts_systems_and_files_into_one_table(touchstone, swords):
    assert touchstone(swords, "run", "test.xml", "--system", "lm", "-o", "mine.oot")[0] == 0
    code, out, err = touchstone(swords, "bench", "lm", "mine=mine.oot", "--data", ".", "--intervals", "none", "--json")
    assert code == 0, err
    values = {(row["data"], row["measure"], row["system"]): row["value"] for row in json.loads(out)["rows"]}
    assert values["LS07 test", "els07.oot.R", "lm"] == values["LS07 test", "els07.oot.R", "mine"]
    assert ("LS07 test", "gap", "lm") in values
    assert ("SWORDS dev", "swords.strict_a_f@10", "lm") in values
    assert ("SWORDS dev", "swords.strict_a_f@10", "mine") not in values
    (swords / "empty").mkdir()
    code, _, err = touchstone(swords, "bench", "lm", "--data", "empty")
    assert code == 2
    assert "no benchmark in this folder" in err


def test_suggest_asks_which_of_two_occurrences_is_meant(touchstone, folder):
    sentence = "A match is a match."
    code, _, err = touchstone(folder, "suggest", sentence, "--word", "match", "--system", "lm")
    assert code == 2
    assert "choose one with --at 2" in err
    assert touchstone(folder, "suggest", sentence, "--word", "match", "--at", "13", "--system", "lm")[0] == 0
