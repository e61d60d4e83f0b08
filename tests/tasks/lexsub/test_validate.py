"""Validate lists every problem of the files, and stops at none."""

import io
import re
import sys

import pytest

from touchstone import lexsub

GOLD = "bright.a 1 :: clever 3;smart 1;\nbright.a 2 :: shiny 2;\nrun.v 13 :: hurry 2;\nrun.v 14 :: go 1;\n"


@pytest.fixture
def validated(touchstone, tmp_path):
    """Write files by name, validate them all, and give the exit code and the lines of standard output."""

    def validate(*options, **files):
        paths = []
        for name, text in files.items():
            path = tmp_path / name.replace("_", ".")
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            paths.append(path)
        code, out, err = touchstone("lexsub", "validate", *paths, *options)
        assert "Traceback" not in err
        return code, (out + err).splitlines()

    return validate


def starting(lines, word):
    return [line for line in lines if line.startswith(word)]


def faults(lines):
    """The lines of faults: they stand under the verdict of their file, and hints are indented further."""
    return [line for line in lines if re.match(r" {3}\S", line)]


def test_files_without_a_fault_are_described_and_accepted(validated):
    code, lines = validated(g_gold=GOLD, s_oot="bright.a 1 ::: clever\n")
    assert code == 0
    assert starting(lines, "error") == []
    assert any("3 items kept, 1 excluded" in line for line in starting(lines, "ok"))
    assert any("answers to 1 item " in line and "s.oot" in line for line in starting(lines, "ok"))


def test_warnings_do_not_stop(validated):
    code, lines = validated(g_gold=GOLD, s_oot="bright.n 1 ::: clever;;smart\n")
    assert code == 0
    assert any("part of speech" in line for line in starting(lines, "warning"))
    assert any("empty answers" in line for line in starting(lines, "warning"))


def test_the_faults_of_all_files_are_listed_with_their_lines(validated):
    code, lines = validated(
        g_gold=GOLD,
        a_oot="bright.a 7 ::: clever\nbright.a x8 ::: clever\n",
        b_oot="no separator\nbright.a 1 ::: clever\nneither\n",
        c_oot=b"bright.a 1 ::: caf\xe9\n",
    )
    errors = faults(lines)
    assert code == 2
    assert [sum(f"{name}.oot:" in line for line in errors) for name in "abc"] == [2, 2, 1]
    assert any("a.oot:1: " in line for line in errors)
    assert any("b.oot:3: " in line for line in errors)


def test_more_than_twenty_faults_are_all_listed(validated):
    code, lines = validated(g_gold=GOLD, s_oot="".join(f"bright.a x{n} ::: clever\n" for n in range(30)))
    assert code == 2
    assert len(faults(lines)) == 30


def test_faults_of_different_kinds_in_one_file_are_all_listed(validated):
    text = "bright.a 1 ::: clever\nno separator here\nbright.a 1 ::: smart\nlight.a 2 ::: shiny\nrun.v 77 ::: rush\n"
    code, lines = validated(g_gold=GOLD, s_oot=text)
    assert code == 2
    errors = faults(lines)
    assert [number for number in range(1, 6) if any(f"s.oot:{number}: " in line for line in errors)] == [2, 3, 4, 5]


def test_every_fault_of_a_gold_file_is_listed(validated):
    code, lines = validated(g_gold=GOLD + "bright.a 5 :: clever;\nnothing\nbright.a 1 :: x 2;\n")
    assert code == 2
    errors = faults(lines)
    assert [number for number in range(1, 8) if any(f"g.gold:{number}: " in line for line in errors)] == [5, 6, 7]


def test_a_run_in_the_place_of_the_gold_is_a_fault(validated):
    code, lines = validated(s_oot="bright.a 9 ::: x\n", g_gold=GOLD)
    assert code == 2
    assert any("':::' is for answers" in line for line in faults(lines))


def test_many_inflected_answers_are_warned_of(validated):
    answers = "run.v 13 ::: hurried;rushed;went\nbright.a 1 ::: cleverer\n"
    code, lines = validated(g_gold=GOLD, s_oot=answers)
    assert code == 0
    assert any("inflected" in line and "--lemmatize" in line for line in starting(lines, "warning"))
    _, lines = validated(g_gold=GOLD, s_oot="run.v 13 ::: hurry;rush;go\nbright.a 1 ::: clever\n")
    assert not any("inflected" in line for line in lines)


def test_the_ids_of_sentences_are_known(validated, tmp_path):
    instance = '<instance id="99"><context><head>ran</head></context></instance>'
    (tmp_path / "s.xml").write_text(f'<corpus><lexelt item="run.v">{instance}</lexelt></corpus>')
    files = {"g_gold": GOLD, "s_oot": "run.v 99 ::: x\n"}
    assert validated(**files)[0] == 2
    assert validated("--source", tmp_path / "s.xml", **files)[0] == 0


@pytest.mark.parametrize("option", [("--unknown", "ignore"), ("--duplicates", "first"), ("--min-responses", "1")])
def test_leniency_that_scoring_has_validate_has_too(validated, option):
    files = {
        "--unknown": {"g_gold": GOLD, "s_oot": "run.v 99 ::: x\n"},
        "--duplicates": {"g_gold": GOLD, "s_oot": "run.v 13 ::: x\nrun.v 13 ::: y\n"},
        "--min-responses": {"g_gold": "run.v 14 :: go 1;\n", "s_oot": "run.v 14 ::: go\n"},
    }[option[0]]
    assert validated(**files)[0] == 2
    assert validated(*option, **files)[0] == 0


@pytest.mark.parametrize(
    ("name", "gold"),
    [
        ("g_jsonl", '{"id":"5","target":"a","gold":{"b":1}}\n'),
        (
            "c_xml",
            '<document><sent><tokens><token id="5" lemma="a" wordform="a"><subst lemma="b" freq="2"/></token>'
            "</tokens></sent></document>",
        ),
    ],
)
def test_every_format_is_validated(validated, name, gold):
    for run in ({"r_jsonl": '{"id":"5","answers":["gold","x"]}\n'}, {"p_json": '{"substitutes": {"5": [["b", 1.0]]}}'}):
        code, lines = validated(**{name: gold}, **run)
        assert code == 0, lines
        assert len(starting(lines, "ok")) == 2


def test_what_is_in_no_known_form_is_a_fault_and_not_a_crash(validated, tmp_path):
    for name, text in (("x_json", "[]"), ("x_jsonl", "5\n"), ("x_xml", "<a"), ("x_gold", "\n"), ("x_gz", "no gzip")):
        code, lines = validated(**{name: text}, s_oot="bright.a 1 ::: x\n")
        assert code == 2, name
        assert starting(lines, "error")


def test_a_library_user_reads_faults_warnings_and_facts(tmp_path):
    (tmp_path / "g.gold").write_text(GOLD)
    (tmp_path / "s.oot").write_text("bright.a 9 ::: clever\n")
    problems = lexsub.validate(tmp_path / "g.gold", tmp_path / "s.oot")
    assert [(fault.line, fault.value) for fault in problems.faults] == [(1, "9")]
    assert len(problems.facts) == 2


def test_a_file_from_standard_input_can_be_validated(touchstone, monkeypatch, tmp_path):
    (tmp_path / "s.oot").write_text("bright.a 1 ::: clever\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOLD.encode())))
    code, out, err = touchstone("lexsub", "validate", "-", tmp_path / "s.oot")
    assert code == 0, out + err
    assert "3 items kept" in out
