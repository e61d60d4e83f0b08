"""``touchstone items agreement``, as a user types it."""

import json
from pathlib import Path

import pandas as pd
from click.testing import CliRunner

import touchstone
from touchstone.cli.groups import task_group

app = task_group("items")

LABELS = Path(touchstone.__file__).parent / "examples" / "items" / "labels.csv"


def run(*arguments):
    result = CliRunner().invoke(app, ["agreement", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout


def test_agreement_prints_coefficients_annotators_and_disputed_items():
    said = run(LABELS)
    for title in ("Agreement of 3 annotators", "with the majority of the others", "Most disputed items"):
        assert title in said


def test_agreement_is_that_of_python(tmp_path):
    found = touchstone.agreement(LABELS, "ordinal", order=["no", "unsure", "yes"])
    options = ["--distance", "ordinal", "--order", "no", "--order", "unsure", "--order", "yes"]
    printed = json.loads(run(LABELS, *options, "--json", "--items", tmp_path / "items.csv"))
    assert printed["rows"] == found.to_dict()["rows"]
    assert pd.read_csv(tmp_path / "items.csv")["item"].tolist() == found.items.to_pandas()["item"].tolist()


def test_chosen_coefficients_replace_the_usual_ones():
    chosen = ["--coefficient", "ac1", "--coefficient", "f1.yes"]
    rows = json.loads(run(LABELS, *chosen, "--json"))["rows"]
    assert [row["measure"] for row in rows if row["kind"] == "coefficient"] == ["ac1", "f1.yes"]


def test_a_gate_compares_the_columns_that_are_named(touchstone, tmp_path):
    path = tmp_path / "w.csv"
    path.write_text("item,old,new\n" + "".join(f"{n},1,0\n" for n in range(1, 21)))
    runs = f"old={path}:old", f"new={path}:new"
    code, _, err = touchstone("items", "compare", *runs, "--fail-if-worse", "new")
    assert (code, "failed: value: new is significantly worse than old, by 1.000" in err) == (1, True), err
    assert touchstone("items", "compare", *runs, "--fail-if-worse", "old")[0] == 0
    for verb in ("score", "validate", "estimate", "judge"):
        code, out, err = touchstone("items", verb, f"{path}:gone", f"{path}:old")
        assert code == 2, verb
        assert "gone" in out + err, verb


def test_the_tables_of_people_and_of_the_judge_take_no_single_column(touchstone, tmp_path):
    human, judge = tmp_path / "human.csv", tmp_path / "judge.csv"
    human.write_text("system,item,score\na,1,1\na,2,0\n")
    judge.write_text("system,item,score\n" + "".join(f"a,{n},{n % 2}\n" for n in range(1, 9)))
    for sides in ((f"{human}:score", judge), (human, f"{judge}:score")):
        code, _, err = touchstone("items", "estimate", *sides)
        assert (code, "name the columns of people and of the judge with --measure HUMAN=JUDGE" in err) == (2, True), err


def test_one_file_under_two_names_is_said_with_the_numbers_and_in_the_report(touchstone, tmp_path):
    path, page = tmp_path / "w.csv", tmp_path / "page.html"
    path.write_text("item,old,new\n" + "".join(f"{n},{n % 2},0\n" for n in range(1, 21)))
    what = "warning: value: a and b are equal on every item (20)"
    runs = f"a={path}:old", f"b={path}:old"
    code, _, err = touchstone("items", "compare", *runs, "--fail-if-worse", "b", "--report", page, "--quiet")
    assert (code, err.count(f"{what}; are they one file or column under two names?")) == (0, 1), err
    assert "are equal on every item (20)" in page.read_text()
    _, _, err = touchstone("items", "compare", f"{path}:old", f"{path}:new", "--fail-if-worse", "new")
    assert "equal" not in err


def test_texts_are_given_values_on_the_command_line(touchstone, tmp_path):
    path = tmp_path / "w.csv"
    path.write_text("item,old,new\n" + "".join(f"{n},good,{'bad' if n % 2 else 'good'}\n" for n in range(1, 21)))
    code, _, err = touchstone("items", "compare", path)
    assert (code, "give each text a value: --value bad=NUMBER --value good=NUMBER" in err) == (2, True), err
    code, out, _ = touchstone("items", "compare", path, "--value", "good=1", "--value", "bad=0", "--json")
    [pair] = [row for row in json.loads(out)["rows"] if row["kind"] == "pair"]
    assert (code, pair["difference"]) == (0, 0.5)


def test_agreement_accepts_the_table_that_compare_accepts(touchstone, tmp_path):
    path = tmp_path / "ratings.csv"
    rows = [f"{s},{n},{who},{1 + (n * k + (who == 'ben') * (n % 3 == 0)) % 5}" for s, k in (("a", 2), ("b", 3))
            for n in range(1, 13) for who in ("ana", "ben")]  # fmt: skip
    path.write_text("\n".join(["system,item,annotator,score", *rows, ""]))
    assert touchstone("items", "compare", path)[0] == 0
    code, out, err = touchstone("items", "agreement", path)
    assert code == 0, err
    assert "interval" in out
    assert "note: labels are numbers, so their distance is interval" in err
    assert "--distance nominal" in err
