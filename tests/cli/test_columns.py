"""A run may be one column of a table: NAME=FILE:COLUMN, the same in every task that reads tables of runs."""

import json

import pytest

TABLES = {
    "nli": (
        "id,premise,hypothesis,label,sysA,sysB\n1,a,b,entailment,entailment,neutral\n2,a,c,neutral,neutral,neutral\n",
        "accuracy",
        {"sysA": 1.0, "sysB": 0.5},
    ),
    "lexsub": (
        "id,gold,sysA,sysB\n1,glad 3;merry 1;,glad,sad\n2,smart 2;,smart,smart\n",
        "best1",
        {"sysA": 1.0, "sysB": 0.5},
    ),
    "mt": (
        "id,reference,sysA,sysB\n1,the cat sat on the mat,the cat sat on the mat,a dog\n2,it rains,it rains,it rains\n",
        "ter",
        {"sysA": 0.0, "sysB": 75.0},
    ),
}


@pytest.fixture(params=TABLES)
def table(request, tmp_path):
    text, measure, values = TABLES[request.param]
    path = tmp_path / "all.csv"
    path.write_text(text)
    return request.param, path, measure, values


def test_columns_of_one_table_are_runs_called_as_they_are_or_as_asked(touchstone, table):
    task, path, measure, values = table
    command = (
        task,
        "score",
        path,
        f"{path}:sysA",
        f"other={path}:sysB",
        "-m",
        measure,
        "--intervals",
        "none",
        "--json",
    )
    code, out, err = touchstone(*command)
    assert (code, err.count("are the same run")) == (0, 0), err
    found = {row["system"]: row["value"] for row in json.loads(out)["results"] if row["measure"] == measure}
    assert {name: found[name] for name in ("sysA", "other")} == {"sysA": values["sysA"], "other": values["sysB"]}


def test_gold_without_a_run_names_the_columns_that_may_be_runs(touchstone, table):
    task, path, *_ = table
    code, _, err = touchstone(task, "score", path)
    assert code == 2
    assert f"columns of {path} that may be runs: sysA, sysB; name one as {path}:sysA" in err


def test_a_misspelt_column_is_refused_with_the_columns_there_are(touchstone, table):
    task, path, *_ = table
    code, _, err = touchstone(task, "score", path, f"{path}:sysC")
    assert code == 2
    assert '"sysA"' in err
    assert "sysA, sysB" in err


def test_the_gold_as_a_run_and_equal_runs_are_said_aloud(touchstone, tmp_path):
    path = tmp_path / "all.csv"
    path.write_text(TABLES["nli"][0])
    _, _, err = touchstone("nli", "compare", path, f"a={path}", f"b={path}")
    assert f"note: a is read from the gold itself; choose the column of the run: a={path}:COLUMN" in err
    assert "note: a and b are the same run: all answers are equal" in err
    _, out, _ = touchstone("nli", "validate", path, f"a={path}")
    assert "warning: a is read from the gold itself" in out


def test_a_table_with_a_column_of_predictions_may_be_gold_and_run(touchstone, tmp_path):
    path = tmp_path / "all.csv"
    path.write_text("id,label,prediction\n1,neutral,entailment\n2,neutral,neutral\n")
    code, _, err = touchstone("nli", "score", path, f"mine={path}")
    assert (code, "from the gold itself" in err) == (0, False)


def test_two_columns_under_one_name_are_refused(touchstone, tmp_path):
    path = tmp_path / "all.csv"
    path.write_text(TABLES["nli"][0])
    code, _, err = touchstone("nli", "score", path, f"mine={path}:sysA", f"mine={path}:sysB")
    assert (code, "two systems have the same name" in err) == (2, True)
