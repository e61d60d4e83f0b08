"""A run may be one column of a table: NAME=FILE:COLUMN, the same in every task that reads tables of runs."""

import json

import pytest

from touchstone.base.errors import TouchstoneError
from touchstone.core.registry import find_task
from touchstone.tasks import lexsub, nli

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
    found = {row["system"]: row["value"] for row in json.loads(out)["rows"] if row["measure"] == measure}
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


COMMANDS = (("score",), ("compare",), ("validate",), ("explain", "--item", "1"))
USUAL_NAMES = {"nli": "prediction", "lexsub": "answers", "mt": "hypothesis"}


@pytest.mark.parametrize("verb", COMMANDS, ids=lambda verb: verb[0])
def test_a_column_that_a_table_lacks_is_refused_though_a_usual_one_is_there(touchstone, table, verb):
    task, path, *_ = table
    path.write_text(path.read_text().replace("sysA", USUAL_NAMES[task]))
    code, out, err = touchstone(task, verb[0], path, f"{path}:sysC", f"{path}:sysB", *verb[1:])
    assert code == 2
    assert "no column 'sysC'" in out + err


PLAIN = {
    "lexsub": ("g.gold", "bright.a 1 :: glad 3;merry 1;\n", "a.oot", "bright.a 1 ::: glad;sad\n"),
    "mt": ("ref.txt", "the cat sat\nit rains\n", "a.txt", "the cat sat\nit snows\n"),
    "nli": ("g.csv", "id,label\n1,neutral\n2,neutral\n", "a.txt", "neutral\nneutral\n"),
}


@pytest.mark.parametrize("task", PLAIN)
def test_a_column_of_a_file_without_columns_is_refused(touchstone, task, tmp_path):
    gold, human, run, answers = PLAIN[task]
    (tmp_path / gold).write_text(human)
    (tmp_path / run).write_text(answers)
    assert touchstone(task, "score", tmp_path / gold, f"a={tmp_path / run}")[0] == 0
    for verb in COMMANDS:
        code, out, err = touchstone(task, verb[0], tmp_path / gold, f"a={tmp_path / run}:sysA", *verb[1:])
        assert (code, "no column 'sysA'" in out + err) == (2, True), verb


def test_a_mapping_in_python_takes_columns_too(table):
    name, path, measure, values = table
    task = find_task(name)
    results = task.score(path, {"a": f"{path}:sysA", "b": f"{path}:sysB"}, [measure])
    assert [results.row(system, measure).value for system in "ab"] == list(values.values())
    with pytest.raises(TouchstoneError, match="sysC"):
        task.score(path, {"a": f"{path}:sysC"})


@pytest.mark.parametrize("module", [nli, lexsub], ids=["nli", "lexsub"])
def test_readers_of_several_runs_take_the_columns_that_are_named(module, tmp_path):
    text, measure, values = TABLES[module.TASK.name]
    path = tmp_path / "all.csv"
    path.write_text(text)
    runs = module.read_runs([f"{path}:sysA", f"{path}:sysB"])
    results = module.score(path, runs, [measure])
    assert {run.name: results.row(run.name, measure).value for run in runs} == values
    with pytest.raises(TouchstoneError, match="sysC"):
        module.read_runs([f"{path}:sysC"])


def test_a_column_of_the_gold_says_how_columns_of_the_gold_are_chosen(touchstone, table):
    task, path, *_ = table
    code, _, err = touchstone(task, "score", f"{path}:label", f"{path}:sysA")
    assert code == 2
    assert "--column ROLE=label" in err


def test_no_output_is_written_over_a_table_whose_column_is_read(touchstone, table):
    task, path, *_ = table
    before = path.read_text()
    code, _, err = touchstone(task, "score", path, f"a={path}:sysA", "-o", path)
    assert (code, path.read_text()) == (2, before), err
