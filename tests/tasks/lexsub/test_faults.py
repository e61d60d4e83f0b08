"""Every fault is refused with a sentence, exit code 2 and no output."""

import json
import os
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.tasks.lexsub.helpers import ANSWERS, GOLD

CORPUS = """<corpus><lexelt item="bright.a"><instance id="{0}"><context>A <head>bright</head> boy</context></instance>
<instance id="9"><context>{1}</context></instance></lexelt></corpus>"""


@pytest.fixture
def refused(touchstone, tmp_path):
    """Score, and make sure that it is refused: exit code 2, a sentence and nothing else, no output written."""

    def score(*arguments):
        outputs = tmp_path / "items.jsonl", tmp_path / "report.html"
        code, out, err = touchstone("lexsub", "score", *arguments, "--items", outputs[0], "--report", outputs[1])
        assert code == 2
        assert out == ""
        assert err.startswith("error: ")
        assert "Traceback" not in err
        assert not any(path.exists() for path in outputs)
        assert not list(tmp_path.glob(".*"))
        return err

    return score


def test_an_id_twice_in_the_answers(files, refused):
    gold, answers = files(answers=ANSWERS + "bright.a 2 ::: vivid\n")
    said = refused(gold, answers)
    assert f'{answers}:4: duplicate id (first seen on line 2): "2"' in said
    assert "--duplicates first" in said


def test_an_id_twice_in_the_gold(files, refused):
    gold, answers = files(gold=GOLD + "bright.a 1 :: vivid 2;\n")
    assert f"{gold}:4: " in refused(gold, answers)


def test_the_first_of_two_lines_is_taken_when_asked(files, accepted):
    gold, answers = files(answers="bright.a 1 ::: clever\nbright.a 1 ::: smart\n")
    assert accepted(gold, answers, "--duplicates", "first")[0] == (3 / 4 + 0 + 0) / 3


def test_an_unknown_id_with_the_nearest_named(files, refused):
    gold, answers = files(answers=ANSWERS + "run.v 3l ::: rush\n")
    said = refused(gold, answers)
    assert f'{answers}:4: unknown item: "3l"; nearest valid id ' in said
    assert "--unknown ignore" in said


def test_an_unknown_number_with_the_number_of_items(files, refused):
    """No other number is near: 31 is no misspelling of 3."""
    gold, answers = files(answers=ANSWERS + "run.v 31 ::: rush\n")
    said = refused(gold, answers)
    assert f'{answers}:4: unknown item: "31"\n' in said
    assert "the gold has 3 items" in said


def test_unknown_ids_are_left_out_when_asked(files, accepted):
    gold, answers = files(answers=ANSWERS + "run.v 31 ::: rush\n")
    assert accepted(gold, answers, "--unknown", "ignore")[0] == (1 + 1 + 0) / 3


def test_an_id_that_only_the_source_has_is_accepted(files, accepted, refused, tmp_path):
    gold, answers = files(answers=ANSWERS + "bright.a 9 ::: rush\n")
    source = tmp_path / "source.xml"
    source.write_text(CORPUS.format(1, "<head>bright</head>"))
    refused(gold, answers)
    assert accepted(gold, answers, "--source", source)[0] == (1 + 1 + 0) / 3


def test_both_separators_in_one_file(files, refused):
    gold, answers = files(answers="bright.a 1 ::: clever\nbright.a 2 :: shiny\n")
    said = refused(gold, answers)
    assert f"{answers}:2: " in said
    assert "'::'" in said
    assert "':::'" in said


def test_another_lemma(files, refused):
    gold, answers = files(answers="bright.a 1 ::: clever\nlight.a 2 ::: shiny\n")
    said = refused(gold, answers)
    assert f"{answers}:2: " in said
    assert "'bright'" in said
    assert '"light"' in said


@pytest.mark.parametrize(
    "line",
    [
        *("bright.a 2", "bright.a", "bright.a 2 : shiny", "bright.a 2 :::: shiny", "2 ::: shiny"),
        *("bright.a 2 :::shiny", "bright.a 2 shiny", "::: shiny", "bright.a two words ::: shiny"),
    ],
)
def test_a_line_that_does_not_parse(files, refused, line):
    gold, answers = files(answers=f"bright.a 1 ::: clever\n{line}\n")
    said = refused(gold, answers)
    assert f"{answers}:2: " in said
    assert line in said


def test_a_gold_line_that_does_not_parse(files, refused):
    gold, answers = files(gold=GOLD + "bright.a 4 clever 3\n")
    assert f"{gold}:4: " in refused(gold, answers)


def test_latin_1_bytes_with_their_offset(files, refused, accepted):
    """bright.a 1 ::: caf\\xe9 has its first wrong byte at 18."""
    gold, answers = files(answers=b"bright.a 1 ::: caf\xe9;clever\n")
    said = refused(gold, answers)
    assert f"{answers}:1: byte 18 " in said
    assert "--encoding latin-1" in said
    assert accepted(gold, answers, "--encoding", "latin-1")[0] == (3 / 4) / 3


@pytest.mark.parametrize("which", ["gold", "answers"])
@pytest.mark.parametrize("content", [b"", b"\n\r\n", b"\xef\xbb\xbf"])
def test_an_empty_file(files, refused, which, content):
    paths = files(**{which: content})
    assert f"{paths[which == 'answers']}: is empty" in refused(*paths)


@pytest.mark.parametrize("which", [0, 1])
def test_a_folder(files, refused, tmp_path, which):
    paths = list(files())
    paths[which] = tmp_path / "folder"
    paths[which].mkdir()
    assert f"{paths[which]}: is {('a folder', 'an empty folder')[which]}" in refused(*paths)


@contextmanager
def without_rights(path):
    """Take the right to read a file away, also from root."""
    path.chmod(0)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)
        path.chmod(0o644)


@pytest.mark.parametrize("which", [0, 1])
def test_a_file_that_may_not_be_read(touchstone, which):
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        paths = [Path(folder) / name for name in ("test.gold", "mine.oot")]
        for path, text in zip(paths, (GOLD, ANSWERS), strict=True):
            path.write_text(text)
        assert touchstone("lexsub", "score", *paths)[0] == 0
        with without_rights(paths[which]):
            code, out, err = touchstone("lexsub", "score", *paths, "--items", Path(folder) / "items.csv")
        assert sorted(path.name for path in Path(folder).iterdir()) == ["mine.oot", "test.gold"]
    assert (code, out) == (2, "")
    assert err == f"error: {paths[which]}: cannot be read (permission denied)\n"


@pytest.mark.parametrize("which", [0, 1])
def test_a_file_that_is_not_there_with_its_neighbour_named(files, refused, which):
    paths = list(files())
    neighbour = paths[which].name
    paths[which] = paths[which].with_name(f"{neighbour}x")
    said = refused(*paths)
    assert f"{paths[which]}: no such file" in said
    assert f'"{neighbour}"' in said


def test_an_unknown_measure_with_the_nearest_named(files, refused):
    said = refused(*files(), "--measure", "rnk@10")
    assert '"rnk@10"' in said
    assert '"rank@10"' in said


def test_an_unknown_field_to_group_by_with_the_nearest_named(files, refused):
    said = refused(*files(), "--by", "poss")
    assert '"poss"' in said
    assert '"pos"' in said


def test_an_unknown_unit_with_the_nearest_named(files, refused):
    assert '"target"' in refused(*files(), "--cluster", "targets")


@pytest.mark.parametrize("entry", ["clever 0", "clever", "clever -1", "clever many"])
def test_a_gold_entry_without_a_positive_weight(files, refused, entry):
    gold, answers = files(gold=f"bright.a 1 :: smart 2;{entry};\n")
    said = refused(gold, answers)
    assert f"{gold}:1: " in said
    assert f'"{entry}"' in said


def test_a_gold_file_with_no_kept_item(files, refused, accepted):
    gold, answers = files(gold="bright.a 1 :: clever 1;\n", answers="bright.a 1 ::: clever\n")
    assert "--min-responses" in refused(gold, answers)
    assert accepted(gold, answers, "--min-responses", "1")[0] == 1


def test_the_multiword_subtask(files, refused):
    gold, answers = files(suffix="mw")
    assert "multiword" in refused(gold, answers)


@pytest.mark.parametrize(
    ("xml", "said"),
    [
        (CORPUS.format(1, "no head"), "0 heads"),
        (CORPUS.format(1, "<head>a</head><head>b</head>"), "2 heads"),
        ("<corpus>\n<lexelt>", "xml:2: XML is not well-formed at column 8"),
        ("<document/>", "corpus"),
    ],
)
def test_sentences_that_cannot_be_used(files, refused, tmp_path, xml, said):
    source = tmp_path / "source.xml"
    source.write_text(xml)
    assert said in refused(*files(), "--source", source)


def test_a_form_of_output_that_does_not_exist_is_refused_before_any_work(files, touchstone, tmp_path):
    code, out, err = touchstone("lexsub", "score", *files(), "--items", tmp_path / "items.xlsx")
    assert (code, out) == (2, "")
    assert ".parquet" in err


def test_two_systems_of_one_name(files, refused, tmp_path):
    """Two folders tell two files of one name apart; the same file twice is refused."""
    gold, answers = files()
    assert "mine" in refused(gold, answers, answers)


def test_a_pool_without_a_target(files, refused, tmp_path):
    pool = tmp_path / "pool"
    pool.write_text("bright.a::clever;smart\n")
    assert '"run.v"' in refused(*files(), "--pool", pool)


def test_official_rules_for_files_that_the_official_scorer_cannot_read(files, refused, tmp_path):
    (tmp_path / "g.jsonl").write_text('{"id":"1","target":"bright","pos":"a","gold":{"clever":2}}\n')
    _, answers = files(answers="bright.a 1 ::: clever\n")
    assert "ELS07" in refused(tmp_path / "g.jsonl", answers, "--compat", "els07")


def test_official_rules_where_nothing_is_answered(files, refused):
    """The official scorer divides by zero there: report an error."""
    assert "answered" in refused(*files(answers="bright.a 1 :::\nbright.a 2 ::: ;\n"), "--compat", "els07")


def test_official_rules_where_no_view_is_given_by_all_systems(files, touchstone, tmp_path):
    """Figures for some systems, or a sentence; never an empty table that looks like success."""
    gold, answers = files()
    other = tmp_path / "other.best"
    other.write_text("bright.a 1 :: clever\n")
    code, out, err = touchstone("lexsub", "score", gold, answers, other, "--compat", "els07", "--json")
    assert "Traceback" not in err
    assert code == 2 or json.loads(out)["rows"]


def test_all_faults_of_a_file_are_collected_and_twenty_shown(files, refused):
    gold, answers = files(answers="".join(f"bright.a x{n} ::: clever\n" for n in range(30)))
    said = refused(gold, answers)
    assert said.count("unknown item") == 20
    assert "10 more" in said


def test_faults_of_different_kinds_in_one_file_are_all_collected(files, refused):
    """A user who mends one kind must not meet the next only then."""
    text = "bright.a 1 ::: clever\nno separator here\nbright.a 1 ::: smart\nlight.a 2 ::: shiny\nrun.v 77 ::: rush\n"
    gold, answers = files(answers=text)
    said = refused(gold, answers)
    assert [line for line in range(1, 6) if f"{answers}:{line}: " in said] == [2, 3, 4, 5]


def test_a_carriage_return_inside_a_line(files, refused):
    gold, answers = files(answers="bright.a 1 ::: clever\rrun.v 13 ::: go\n")
    assert "carriage return" in refused(gold, answers)


def test_the_task_layout_without_a_mode_shows_no_figure(files, touchstone):
    gold, answers = files(gold="bright.a 1 :: clever 2;smart 2;\n", answers="bright.a 1 ::: clever\n")
    code, out, _ = touchstone("lexsub", "score", gold, answers, "-m", "els07", "--style", "els07")
    assert code == 0
    assert out.split("\n")[2].split()[-1] == "–"


def test_the_task_layout_has_no_groups(files, touchstone):
    code, _, err = touchstone("lexsub", "score", *files(), "-m", "els07", "--style", "els07", "--by", "pos")
    assert (code, "--by" in err) == (2, True)
