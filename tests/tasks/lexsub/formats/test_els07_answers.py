"""ELS07 answers: the view, the derived ones, and what is said aloud."""

import pytest
from tests.tasks.lexsub.helpers import PLAIN, refusal, value, written

from touchstone import lexsub


def test_the_separator_tells_the_view(run_of):
    best, ranked = run_of("a.n 1 :: x;y\n", "s.best"), run_of("a.n 1 ::: x;y\n", "s.oot")
    assert (best.best is not None, best.ranked is not None) == (True, False)
    assert (ranked.best is not None, ranked.ranked is not None) == (False, True)


def test_the_suffix_of_a_file_does_not_tell_the_view(run_of):
    assert run_of("a.n 1 ::: x;y\n", "s.best").ranked is not None


def test_missing_views_are_derived_and_the_signature_says_how(gold_of, run_of):
    """best <- first of ranked; ranked <- the best list; set <- the whole list."""
    gold = gold_of("a.n 1 :: x 3;y 1;\n")
    names = ["best", "best1", "R", "rank@10", "els07.best.R"]
    ranked = lexsub.score(gold, run_of("a.n 1 ::: y;x\n"), names, resampling=PLAIN)
    rank = (1 / 3 + 9 * 1) / 10
    assert [row.value for row in ranked.rows] == [1 / 3, 1 / 3, 1, pytest.approx(rank), 1 / 4]
    assert "best first of ranked" in ranked.signature["systems"]
    best = lexsub.score(gold, run_of("a.n 1 :: y;x\n", "s.best"), names, resampling=PLAIN)
    assert [row.value for row in best.rows] == [4 / 6, 1 / 3, 1, pytest.approx(rank), 1 / 2]
    assert "ranked the best list" in best.signature["systems"]
    assert any("no boundary" in note for note in best.notes)


def test_a_system_may_be_a_pair_of_files(tmp_path, gold_of):
    gold = gold_of("a.n 1 :: x 3;y 1;\n")
    pair = [written(tmp_path, "s.best", "a.n 1 :: x\n"), written(tmp_path, "s.oot", "a.n 1 ::: y;x\n")]
    (run,) = lexsub.read_runs(pair)
    assert (run.name, run.answers("1", "best"), run.answers("1")) == ("s", ("x",), ("y", "x"))
    assert value(gold, run, "best1") == 1
    assert value(gold, run, "rank@10") == pytest.approx((1 / 3 + 9) / 10)
    assert "best given, ranked given" in lexsub.score(gold, run, resampling=PLAIN).signature["systems"]


def test_files_of_other_names_are_other_systems(tmp_path):
    paths = [written(tmp_path, name, "a.n 1 ::: x\n") for name in ("a.oot", "b.oot")]
    assert [run.name for run in lexsub.read_runs(paths)] == ["a", "b"]


def test_two_files_with_one_view_are_no_pair(tmp_path):
    paths = [written(tmp_path, name, "a.n 1 ::: x\n") for name in ("s.oot", "s.best")]
    assert "s.oot" in refusal(lexsub.read_runs, paths)


@pytest.mark.parametrize(
    "line",
    [
        "a.n 1 ::: x;y z",
        "a.n 1 ::: x;y z;",
        "a.n 1 ::: x ;  y z ;;;",
        "  a.n \t 1\t:::\tx;y z\t",
        "a.n 1 ::: x;y z\r",
        "a.n    1    :::     x;y z",
        "\ufeffa.n 1 ::: x;y z",
        "\n\n \na.n 1 ::: x;y z\n\n",
    ],
)
def test_blanks_line_ends_marks_and_a_last_semicolon_do_not_count(run_of, line):
    run = run_of(line + "\n")
    assert run.answers("1") == ("x", "y z")
    assert run.empty_answers == 0


@pytest.mark.parametrize("end", [":::", "::: ", ":::\t", "::: ;", ":::;", "::: ; ;", ":::   \r"])
def test_nothing_after_the_separator_means_no_answer(gold_of, run_of, end):
    gold = gold_of("a.n 1 :: x 2;\na.n 2 :: x 2;\n")
    results = lexsub.score(gold, run_of(f"a.n 1 {end}\na.n 2 ::: x\n"), ["els07.oot.P", "R"], resampling=PLAIN)
    assert [(row.value, row.n) for row in results.rows] == [(1, 1), (1 / 2, 2)]
    assert any("without an answer" in note and note.endswith(" 1 (id 1)") for note in results.notes)


def test_inner_empties_are_dropped_with_a_warning_that_counts_them(gold_of, run_of):
    run = run_of("a.n 1 ::: ;x;;  ;y;\na.n 2 ::: x;;y\n")
    assert run.answers("1") == run.answers("2") == ("x", "y")
    results = lexsub.score(gold_of("a.n 1 :: x 2;\na.n 2 :: x 2;\n"), run, resampling=PLAIN)
    assert any("empty" in note and note.endswith(" 4") for note in results.notes)


def test_repeated_answers_are_dropped_before_the_cut_at_ten_and_counted(gold_of, run_of):
    """Ten copies of one answer earn what one earns, and leave room for nine others."""
    gold = gold_of("a.n 1 :: x 3;y 1;\n")
    run = run_of("a.n 1 ::: " + ";".join(["x", "X", "x"] * 4 + ["y"]) + "\n")
    results = lexsub.score(gold, run, ["els07.oot.R", "P(k=1)", "r@10"], resampling=PLAIN)
    assert [row.value for row in results.rows] == [1, 1, 1]
    assert any("repeat" in note and note.endswith(" 11") for note in results.notes)
    assert value(gold, run_of("a.n 1 :: x;x;x\n", "s.best"), "els07.best.R") == 3 / 4


def test_more_than_ten_answers_are_said_with_a_count_and_the_first_ten_used(gold_of, run_of):
    gold = gold_of("a.n 1 :: late 2;\na.n 2 :: late 2;\n")
    ten = ";".join("abcdefghij")
    run = run_of(f"a.n 1 ::: {ten};late\na.n 2 ::: late;{ten}\n")
    results = lexsub.score(gold, run, ["els07.oot.R", "rank@10", "r@10", "R", "gap", "mrr"], resampling=PLAIN)
    assert [row.value for row in results.rows] == [1 / 2, 1 / 2, 1 / 2, 1, (1 / 11 + 1) / 2, (1 / 11 + 1) / 2]
    assert any("more than 10" in note and note.endswith(" 2") for note in results.notes)


def test_a_list_that_is_ten_without_its_repetitions_is_not_said_to_be_cut(gold_of, run_of):
    run = run_of("a.n 1 ::: " + ";".join("abcdefghijA") + "\n")
    results = lexsub.score(gold_of("a.n 1 :: x 2;\n"), run, resampling=PLAIN)
    assert not any("more than 10" in note for note in results.notes)


def test_another_part_of_speech_is_a_warning_with_a_count(gold_of, run_of):
    gold = gold_of("bar.n.v 1 :: ban 2;\nbar.n 2 :: pub 2;\nbar.n 3 :: pub 2;\n")
    run = run_of("bar.v 1 ::: ban\nbar.v 2 ::: pub\nbar.n.a 3 ::: pub\n")
    results = lexsub.score(gold, run, ["R"], resampling=PLAIN)
    assert results.rows[0].value == 1
    assert any("part of speech" in note and note.endswith(" 2") for note in results.notes)


def test_answers_that_are_the_target_are_counted_and_scored_as_any_other(gold_of, run_of):
    gold = gold_of("solid.a 1081 :: solid 2;firm 1;\nfirm.a 2 :: solid 2;\n")
    results = lexsub.score(gold, run_of("solid.a 1081 ::: Solid\nfirm.a 2 ::: firm\n"), ["R"], resampling=PLAIN)
    assert results.rows[0].value == (2 / 3 + 0) / 2
    assert any("target itself" in note and note.endswith(" 2") for note in results.notes)


def test_answers_to_items_left_out_are_counted(gold_of, run_of):
    gold = gold_of("a.n 1 :: x 2;\na.n 2 :: x 1;\na.n 3 :: pn 3;\n")
    results = lexsub.score(gold, run_of("a.n 1 ::: x\na.n 2 ::: x\na.n 3 ::: x\n"), ["R"], resampling=PLAIN)
    assert (results.rows[0].value, results.rows[0].n) == (1, 1)
    assert any("too few human answers" in note and note.endswith(" 2") for note in results.notes)
    assert any("2, 3" in note for note in results.notes)
