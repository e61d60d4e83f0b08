"""Messages name the cause: which file was read as what, what was meant, and what would work."""

import json
from pathlib import Path

import pytest

import touchstone as package

MT = Path(package.__file__).parent / "examples" / "mt"
LEXSUB = MT.parent / "lexsub"
REFERENCE, HERON, MAGPIE = MT / "refA.en", MT / "de-en" / "heron", MT / "de-en" / "magpie"


def test_a_comparison_of_one_run_says_which_file_was_the_reference(touchstone):
    code, _, err = touchstone("mt", "compare", HERON, MAGPIE, "-m", "chrf")
    assert code == 2
    assert f"{HERON} was read as the reference, and magpie is the only run: give the reference first" in err


@pytest.mark.parametrize(
    ("asked", "measures"),
    [(["BLEU"], ["bleu"]), (["chrF", "Ter"], ["chrf", "ter"]), (["bleu,chrF"], ["bleu", "chrf"])],
)
def test_measure_names_ignore_case_and_may_be_a_list(touchstone, asked, measures):
    options = [word for name in asked for word in ("-m", name)]
    code, out, _ = touchstone("mt", "score", REFERENCE, HERON, *options, "--intervals", "none", "--json")
    assert (code, [row["measure"] for row in json.loads(out)["rows"]]) == (0, measures)


def test_a_hyphen_in_a_measure_name_is_an_underscore(touchstone, tmp_path):
    (tmp_path / "gold.csv").write_text("id,label\n1,neutral\n2,entailment\n")
    (tmp_path / "run.csv").write_text("id,label\n1,neutral\n2,neutral\n")
    for verb in ("score", "compare"):
        code, out, err = touchstone("nli", verb, tmp_path / "gold.csv", tmp_path / "run.csv", "-m", "Macro-F1")
        assert (code, "macro_f1" in out) == (0, True), err


def test_output_to_the_null_device_works(touchstone):
    code, out, _ = touchstone("mt", "score", REFERENCE, HERON, "-m", "ter", "-o", "/dev/null")
    assert (code, out) == (0, "")
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize(
    ("option", "name", "said"),
    [
        ("--report", "r.pdf", "a report is an HTML page"),
        ("--report", "r.txt", "a report is an HTML page"),
        ("--paper", "paper.pdf", "a paper kit is a folder"),
        ("--out", "table.png", "tables are written as text"),
    ],
)
def test_an_output_whose_name_promises_another_format_is_refused(touchstone, option, name, said, tmp_path):
    runs = [f"{name}={HERON}" for name in "ab"]
    code, out, err = touchstone("mt", "compare", REFERENCE, *runs, "-m", "ter", option, tmp_path / name)
    assert (code, out, said in err) == (2, "", True), err
    assert not any(tmp_path.iterdir())


def test_a_path_in_the_lexicon_is_drawn_as_svg_only(touchstone, tmp_path):
    code, _, err = touchstone("lexicon", "path", "dog", "cat", "--svg", tmp_path / "way.png")
    assert (code, "a figure is written as SVG only" in err, "rsvg-convert" in err) == (2, True, True)
    assert touchstone("lexicon", "path", "dog", "cat", "--svg", tmp_path / "way.svg")[0] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["way.svg"]


def test_a_drawing_is_an_svg_of_a_measure_that_has_one(touchstone, tmp_path):
    common = ("mt", "explain", REFERENCE, HERON, "--item", "1")
    assert "a figure is written as SVG only" in touchstone(*common, "--svg", tmp_path / "x.png")[2]
    assert (
        "these measures have one: blend, maxsim(n)" in touchstone(*common, "-m", "bleu", "--svg", tmp_path / "x.svg")[2]
    )


def test_the_drawing_of_ranked_lists_shows_every_run(touchstone, tmp_path):
    runs = [LEXSUB / f"{name}.oot" for name in ("careful", "eager", "frequent")]
    _, _, err = touchstone("lexsub", "explain", LEXSUB / "demo.gold", *runs, "--item", "3", "--svg", tmp_path / "x.svg")
    drawn = (tmp_path / "x.svg").read_text("utf-8")
    assert "only" not in err
    for name in ("careful", "eager", "frequent"):
        line = next(one for one in (LEXSUB / f"{name}.oot").read_text("utf-8").splitlines() if " 3 ::: " in one)
        assert f">{name}<" in drawn
        assert f">{line.partition(' ::: ')[2].split(';')[0]}\N{NO-BREAK SPACE}" in drawn, name


def test_recompute_of_an_explanation_names_the_commands_that_can_be(touchstone, tmp_path):
    _, out, _ = touchstone("mt", "explain", REFERENCE, HERON, "--item", "1", "--json")
    (tmp_path / "explained.json").write_text(out)
    code, _, err = touchstone("recompute", tmp_path / "explained.json")
    assert code == 2
    assert "can be recomputed, with --json: score, compare, estimate" in err


def test_recompute_names_the_system_whose_run_changed(touchstone, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("gold.csv").write_text("id,label,b\n1,neutral,neutral\n2,entailment,neutral\n")
    Path("a.csv").write_text("id,label\n1,neutral\n2,neutral\n")
    touchstone("nli", "score", "gold.csv", "a.csv", "gold.csv:b", "-m", "accuracy", "--json", "-o", "result.json")
    assert touchstone("recompute", "result.json")[0] == 0
    Path("a.csv").write_text("id,label\n1,neutral\n2,entailment\n")
    code, out, _ = touchstone("recompute", "result.json")
    assert (code, "systems (a)" in out) == (1, True), out


def test_too_few_clusters_say_how_many_are_needed(touchstone, tmp_path):
    rows = "".join(f"q{item},{item % 2},{item % 3},1\n" for item in range(4))
    (tmp_path / "scores.csv").write_text(f"item,a,b,c\n{rows}")
    _, out, _ = touchstone("items", "compare", tmp_path / "scores.csv")
    # p is at least 2^(1 - n), three times that with Holm's correction: 3 / 64 is the first below 0.05.
    assert "4 items are too few for 3 pairs, which need at least 7" in out
    assert "rank: after all systems that are significantly better, before all that are significantly worse" in out


def test_a_table_without_a_header_is_asked_about_it(touchstone, tmp_path):
    (tmp_path / "scores.csv").write_text("q1,0.575,0.626\nq2,0.3,0.4\nq3,0.1,0.9\n")
    code, _, err = touchstone("items", "score", tmp_path / "scores.csv")
    assert (code, "called 0.575, 0.626: is the line with the names missing?" in err) == (2, True)


@pytest.mark.parametrize(("task", "column"), [("items", "score"), ("nli", "label")])
def test_ids_that_all_occur_equally_often_are_taken_for_several_systems(touchstone, tmp_path, task, column):
    value = {"items": "1", "nli": "neutral"}[task]
    rows = "".join(f"{number},{value}\n" for number in (1, 2) * 3)
    (tmp_path / "all.csv").write_text(f"id,{column}\n{rows}")
    (tmp_path / "gold.csv").write_text("id,label\n1,neutral\n2,neutral\n")
    inputs = [tmp_path / "all.csv"] if task == "items" else [tmp_path / "gold.csv", tmp_path / "all.csv"]
    code, _, err = touchstone(task, "score", *inputs)
    assert (code, "every id occurs 3 times: for 3 systems, give each a file" in err) == (2, True)


def test_two_tables_with_human_and_judge_are_refused_as_one_is_enough(touchstone, tmp_path):
    human, judge = tmp_path / "human.csv", tmp_path / "judged.csv"
    human.write_text("item,human,judge\n1,1,0.9\n2,0,0.3\n")
    judge.write_text("item,human,judge\n1,1,0.9\n2,0,0.3\n3,,0.5\n")
    code, _, err = touchstone("items", "estimate", human, judge)
    assert code == 2
    assert "both tables have the columns human and judge" in err
    assert f"give {judge} alone" in err


def test_columns_of_readers_with_other_names_are_named(touchstone, tmp_path):
    gold, run = tmp_path / "gold.csv", tmp_path / "run.csv"
    gold.write_text("id,premise,hypothesis,ann1,ann2\n1,a,b,neutral,neutral\n")
    run.write_text("id,label\n1,neutral\n")
    _, _, err = touchstone("nli", "score", gold, run)
    assert "the columns ann1, ann2 were not read as labels; choose a column with --column label=NAME" in err
    assert "label1, label2" in err


def test_an_empty_model_summary_is_refused_by_name_and_a_draft_is_called_one(touchstone, tmp_path):
    models = tmp_path / "models"
    models.mkdir()
    (models / "a.txt").write_text("The bridge was closed after the flood. Trains stopped.\n")
    (models / "b.txt").write_text("After the flood the bridge was closed. Buses ran.\n")
    draft, peer = tmp_path / "draft.pyr", tmp_path / "heron.txt"
    peer.write_text("The bridge was closed.\n")
    assert touchstone("pyramid", "propose", models, "-o", draft)[0] == 0
    assert "nobody has corrected them; scores depend on the draft" in touchstone("pyramid", "auto", draft, peer)[2]
    (models / "c.txt").write_text("\n")
    code, _, err = touchstone("pyramid", "propose", models, "-o", tmp_path / "other.pyr")
    assert (code, err.startswith("error: c.txt: is empty"), (tmp_path / "other.pyr").exists()) == (2, True, False)


def test_presence_without_weights_says_that_every_unit_weighs_one(touchstone, tmp_path):
    (tmp_path / "units.csv").write_text("unit,a,b\nu1,1,0\nu2,1,1\n")
    assert "no column of weights, so every unit weighs 1" in touchstone("pyramid", "score", tmp_path / "units.csv")[2]


@pytest.mark.parametrize("command", [("export", "x", "-o", "out"), ("user", "list"), ("project", "list")])
def test_commands_that_only_read_create_no_database(touchstone, tmp_path, command):
    pytest.importorskip("sqlalchemy")
    missing = tmp_path / "folder" / "gold.sqlite"
    code, _, err = touchstone("annotate", *command, "--database", missing)
    assert (code, f"{missing}: no such database" in err, missing.parent.exists()) == (2, True, False), err


def test_a_command_names_flags_where_python_names_keywords(touchstone, tmp_path):
    (tmp_path / "gold.csv").write_text("claim,evidence,verdict\nA dog runs.,It moves.,yes\nA cat runs.,It moves.,no\n")
    code, _, said = touchstone("nli", "score", tmp_path / "gold.csv", tmp_path / "gold.csv")
    assert code == 2
    assert "choose them with --column premise=NAME --column hypothesis=NAME --column label=NAME\n" in said
    (tmp_path / "gold.csv").write_text("premise,hypothesis,label\nA dog runs.,It moves.,neutral\n")
    (tmp_path / "run.csv").write_text("id,label\n7,neutral\n")
    code, _, said = touchstone("nli", "score", tmp_path / "gold.csv", tmp_path / "run.csv")
    assert code == 2
    assert "--unknown ignore; 1 of 1 items have none; score them 0 with --missing zero, or leave them out with" in said
