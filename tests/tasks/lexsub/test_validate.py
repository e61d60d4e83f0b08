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


def places(lines):
    """Return file and line of every fault."""
    return sorted(tuple(line.split()[0].rsplit("/", 1)[1].split(":")[:2]) for line in faults(lines) if "/" in line)


def test_a_wrong_weight_in_the_gold_hides_no_other_fault(validated):
    """Item 3 has gold, if wrong: answers to it are known, those to 9 are not."""
    code, lines = validated(
        g_gold="happy.a 3 :: glad x; merry 2; sunny;\nsad.a 4 :: low 2;\nhappy.a 3 :: merry 1;\n",
        s_oot="happy.a 3 ::: glad\nhappy.a 9 ::: glad\nno separator\nsad.a 3 ::: low\n",
        t_oot="sad.a 4 ::: low\nsad.a 4 ::: blue\nhappy.a 4 ::: glad\n",
    )
    assert code == 2
    gold = [("g.gold", "1"), ("g.gold", "1"), ("g.gold", "3")]
    assert places(lines) == [*gold, ("s.oot", "2"), ("s.oot", "3"), ("s.oot", "4"), ("t.oot", "2")]


def test_gold_in_which_no_weight_can_be_read_hides_no_fault_of_a_run(validated):
    _, lines = validated(g_gold="happy.a 3 :: glad x;\n", s_oot="happy.a 3 ::: glad\nhappy.a 8 ::: glad\nnothing\n")
    assert places(lines) == [("g.gold", "1"), ("s.oot", "2"), ("s.oot", "3")]


def test_gold_with_too_few_answers_hides_no_fault_of_a_run(validated):
    _, lines = validated(g_gold="happy.a 3 :: glad 1;\n", s_oot="happy.a 3 ::: glad\nhappy.a 8 ::: glad\n")
    errors = faults(lines)
    assert ["too few" in line or "enough" in line for line in errors] == [True, False]
    assert "s.oot:2: unknown item" in errors[1]


def test_ids_are_not_called_unknown_where_gold_lines_could_not_be_read(validated):
    """Line 2 may be the gold of item 5."""
    code, lines = validated(g_gold="happy.a 3 :: glad 2;\nhappy.a 5 glad 2\n", s_oot="happy.a 5 ::: glad\nnothing\n")
    assert code == 2
    assert places(lines) == [("g.gold", "2"), ("s.oot", "2")]


@pytest.mark.parametrize(
    ("name", "gold"),
    [
        ("g_jsonl", '{"id":"3","gold":{"glad":"x","merry":0,"":1}}\n{"id":"4","gold":{"low":2}}\n'),
        ("g_csv", "id,gold\n3,glad x; merry; sunny 2\n4,low 2;blue 1\n"),
        ("g_tsv", "item\tsubstitute\tweight\n3\tglad\tx\n3\tmerry\t0\n4\tlow\t2\n"),
        (
            "g_xml",
            '<document><sent><tokens><token id="3" lemma="a"><subst lemma="b" freq="x"/><subst lemma="c" freq="0"/>'
            '</token><token id="4" lemma="d"><subst lemma="e" freq="2"/></token></tokens></sent></document>',
        ),
    ],
)
def test_wrong_weights_hide_no_other_fault_in_any_format(validated, name, gold):
    code, lines = validated(**{name: gold}, s_jsonl='{"id":"3","answers":["b"]}\n{"id":"9","answers":["b"]}\n5\n')
    assert code == 2
    found = places(lines)
    assert sum(file.startswith("g.") for file, _ in found) == (3 if name == "g_jsonl" else 2)
    assert [place for place in found if place[0] == "s.jsonl"] == [("s.jsonl", "2"), ("s.jsonl", "3")]


def test_wrong_parts_of_swords_gold_hide_no_other_fault(validated):
    gold = """{"contexts": {"c": {"context": "a happy dog"}},
    "targets": {"3": {"context_id": "c", "target": "happy", "offset": 9, "pos": "ADJ"}, "4": 5},
    "substitutes": {"s": {"target_id": "9", "substitute": "glad"}}, "substitute_labels": {"s": ["TRUE"]}}"""
    _, lines = validated(g_json=gold, s_jsonl='{"id":"3","answers":["b"]}\n{"id":"9","answers":["b"]}\n')
    found = [place for _, place in places(lines)]
    assert found == ["substitutes.s", "targets.3.offset", "targets.4", "2"]
    _, lines = validated(g_json='{"contexts": {}, "targets": []}', s_jsonl='{"id":"3","answers":["b"]}\n')
    assert [place for _, place in places(lines)] == ["substitute_labels", "substitutes", "targets"]


def test_a_wrong_answer_hides_neither_its_unknown_id_nor_other_faults_of_its_line(validated):
    records = '{"id":"1","answers":["x"],"cut":7,"scores":[]}\n{"id":"9","answers":"clever"}\n'
    _, lines = validated(g_gold=GOLD, s_jsonl=records, t_csv="item,answer,rank\n9,a,1\n9,b,x\n13,c,1\n13,d,y\n")
    said = [("s.jsonl", "1"), ("s.jsonl", "1"), ("s.jsonl", "2"), ("s.jsonl", "2")]
    assert places(lines) == [*said, ("t.csv", "2"), ("t.csv", "3"), ("t.csv", "5")]


def test_sentences_that_cannot_be_read_hide_no_other_fault(validated, tmp_path):
    (tmp_path / "s.xml").write_text("<corpus>")
    for gold, faults in ((GOLD, []), ("bright.a 1 :: clever x;\n", [("g.gold", "1")])):
        _, lines = validated("--source", tmp_path / "s.xml", g_gold=gold, s_oot="bright.a 99 ::: x\nnothing\n")
        assert places(lines) == [*faults, ("s.oot", "2"), ("s.xml", "1")]


def test_a_sentence_makes_an_id_known_although_the_gold_is_wrong(validated, tmp_path):
    instance = '<instance id="99"><context><head>ran</head></context></instance>'
    (tmp_path / "s.xml").write_text(f'<corpus><lexelt item="run.v">{instance}</lexelt></corpus>')
    files = {"g_gold": "run.v 13 :: hurry x;\n", "s_oot": "run.v 99 ::: x\nrun.v 77 ::: x\n"}
    assert places(validated("--source", tmp_path / "s.xml", **files)[1]) == [("g.gold", "1"), ("s.oot", "2")]


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
