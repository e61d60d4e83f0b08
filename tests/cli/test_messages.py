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
    assert (code, [row["measure"] for row in json.loads(out)["results"]]) == (0, measures)


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


def test_a_drawing_is_an_svg_of_a_measure_that_has_one(touchstone, tmp_path):
    common = ("mt", "explain", REFERENCE, HERON, "--item", "1")
    assert "drawings are written as SVG only" in touchstone(*common, "--svg", tmp_path / "x.png")[2]
    assert (
        "these measures have one: blend, maxsim(n)" in touchstone(*common, "-m", "bleu", "--svg", tmp_path / "x.svg")[2]
    )


def test_the_drawing_of_ranked_lists_says_which_system_it_shows(touchstone, tmp_path):
    runs = LEXSUB / "careful.oot", LEXSUB / "eager.oot"
    _, _, err = touchstone("lexsub", "explain", LEXSUB / "demo.gold", *runs, "--item", "3", "--svg", tmp_path / "x.svg")
    assert "note: the drawing shows the list of careful only" in err


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
    assert "a new rank begins where every system above differs significantly from every system below" in out
