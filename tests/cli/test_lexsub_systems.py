"""The commands that find substitutes: what they write, what they print, and how they refuse."""

import sys

import pytest

from touchstone.cli import main
from touchstone.tasks import lexsub

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
    assert "en-us.lm.bin#" in err
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
    assert "bright.a as JJ; score = senses + relation + word + lm" in out
    assert "the system stands behind the first" in out


def test_train_writes_a_configuration_that_run_takes(touchstone, folder):
    code, out, err = touchstone(folder, "train", "--system", "lm", "test.gold", "test.xml", "-o", "mine.toml")
    assert code == 0, err
    assert "the values are of words held out" in err
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
        (["run", "--system", "lm", "--model", "none.arpa", "test.xml", "-o", "a.oot"], "touchstone-nlp[systems]"),
        (["run", "--system", "lm", "--model", "test.gold", "test.xml", "-o", "a.oot"], "not an ARPA file"),
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
