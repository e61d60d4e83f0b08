"""Oddities that are no faults are accepted, and what is worth knowing is said with a count."""

import json

import pytest
from tests.tasks.lexsub.helpers import ANSWERS, GOLD

from touchstone import lexsub

OUTCOME = (1 + 1 + 0) / 3
"""R of the answers above: item 1 in full, item 2 in full, item 13 not at all."""


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: "\n\n" + text.replace("\n", "\n \n\t\n"),
        lambda text: text.replace(" ", "\t ").replace(";", " ; "),
        lambda text: text.replace("\n", ";\n"),
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("\n", "  \n"),
    ],
    ids=["CRLF", "byte-order mark", "blank lines", "tabs and blanks", "last semicolon", "no last line end", "trailing"],
)
def test_oddities_of_a_file_change_nothing(files, accepted, change):
    assert accepted(*files(answers=change(ANSWERS)))[0] == pytest.approx(OUTCOME)
    assert accepted(*files(gold=change(GOLD)))[0] == pytest.approx(OUTCOME)


def test_empty_answers_are_accepted_and_counted_aloud(files, accepted):
    gold, answers = files(answers="bright.a 1 ::: clever;;smart\nbright.a 2 :::\nrun.v 13 ::: ;\n")
    value, err = accepted(gold, answers)
    assert value == 1 / 3
    assert any("empty answers" in line and line.endswith(": 1") for line in err.splitlines())
    assert any("without an answer" in line and ": 2 (ids " in line for line in err.splitlines())


def test_items_without_an_answer_score_zero_and_are_counted(files, accepted):
    value, err = accepted(*files(answers="bright.a 1 ::: clever;smart\n"))
    assert value == 1 / 3
    assert any("without an answer" in line and ": 2 (ids " in line for line in err.splitlines())


def test_a_system_that_answers_nothing_scores_zero_everywhere_with_n_zero_where_attempts_count(files, touchstone):
    names = ["paper", "els07", "P(k=mean)", "P.set", "R.set", "gap", "gap.nomwe", "p@1", "p@3", "r@10", "mrr"]
    options = [part for name in names for part in ("-m", name)]
    code, out, err = touchstone("lexsub", "score", *files(answers="bright.a 1 :::\n"), *options, "--json")
    assert code == 0, err
    rows = json.loads(out)["rows"]
    assert {row["measure"]: row["value"] for row in rows if row["value"] != 0} == {}
    assert {row["measure"] for row in rows if row["n"] == 0} == {
        f"els07.{row}.P" for row in ("best", "best_mode", "oot", "oot_mode")
    }


@pytest.mark.parametrize("verb", ["score", "compare"])
def test_a_system_that_answers_nothing_can_be_compared_and_reported(files, touchstone, tmp_path, verb):
    gold, answers = files()
    nothing = tmp_path / "nothing.oot"
    nothing.write_text("bright.a 1 :::\n")
    code, _, err = touchstone(
        "lexsub", verb, gold, answers, nothing, "-m", "els07.oot.P", "--report", tmp_path / "report.html"
    )
    assert code == 0, err
    assert "nothing" in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize(
    ("answers", "warning"),
    [
        ("bright.a 1 ::: clever;Clever;clever\n", "repeated answers"),
        ("bright.n 1 ::: clever\nbright.v 2 ::: clever\n", "part of speech"),
        ("bright.a 1 ::: a;b;c;d;e;f;g;h;i;j;k\nbright.a 2 ::: a;b;c;d;e;f;g;h;i;j;k\n", "more than 10"),
        ("bright.a 1 ::: bright\nbright.a 2 ::: Bright\n", "target itself"),
        ("bright.a 1 ::: clever\nrun.v 7 ::: rush\nrun.v 8 ::: rush\n", "too few human answers"),
    ],
)
def test_what_is_worth_knowing_is_said_with_a_count_and_stops_nothing(files, accepted, answers, warning):
    gold = GOLD + "run.v 7 :: rush 1;\nrun.v 8 :: pn 5;\n"
    _, err = accepted(*files(gold=gold, answers=answers))
    (said,) = [line for line in err.splitlines() if warning in line and "mine" in line]
    assert said.endswith(": 2")


def test_items_left_out_are_listed(files, accepted):
    _, err = accepted(*files(gold=GOLD + "run.v 7 :: rush 1;\nrun.v 8 :: pn 5;\n"))
    assert any("7, 8" in line for line in err.splitlines())


def test_two_folders_tell_systems_of_one_name_apart(tmp_path):
    for folder, answer in (("first", "glad"), ("second", "sad")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "run.oot").write_text(f"happy.a 1 ::: {answer}\n")
    gold = tmp_path / "g.gold"
    gold.write_text("happy.a 1 :: glad 3;\n")
    runs = lexsub.read_runs(sorted(tmp_path.glob("*/run.oot")))
    results = lexsub.score(lexsub.read_gold(gold), runs, ["best1"])
    assert [(row.system, row.value) for row in results.rows] == [("first/run", 1), ("second/run", 0)]


def test_files_without_a_known_suffix_are_systems_of_their_own(tmp_path):
    (tmp_path / "run.1").write_text("happy.a 1 :: glad\n")
    (tmp_path / "run.2").write_text("happy.a 1 ::: sad\n")
    runs = lexsub.read_runs([tmp_path / "run.1", tmp_path / "run.2"])
    assert [run.name.rpartition("/")[2] for run in runs] == ["run.1", "run.2"]
