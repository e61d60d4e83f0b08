"""A run may be one column of a table: NAME=FILE:COLUMN, the same in every task that reads tables of runs."""

import json
from pathlib import Path

import pytest

import touchstone as package
from touchstone import lexsub, nli, pyramid
from touchstone.base.errors import TouchstoneError
from touchstone.cli import app
from touchstone.core.registry import find_task

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


FILES = {
    "scores.csv": "system,item,value\n" + "".join(f"{name},{k},{k % 5 / 4}\n" for name in "ab" for k in range(12)),
    "labels.csv": "item,annotator,label\n" + "".join(f"{k},{who},{'xy'[k % 2]}\n" for who in "pq" for k in range(6)),
    "words.csv": "id,sentence,target,pos,gold,a\n"
    + "".join(f"{k},the bright day {k},bright,a,sunny 2;clear 1,clear\n" for k in range(6)),
    "pairs.csv": TABLES["nli"][0],
    "texts.csv": "id,system,reference,hypothesis\n1,x,a b,a b\n2,x,c d,c\n1,y,a b,b\n2,y,c d,d\n",
    "units.csv": "set,peer,unit,weight,present,models\n"
    + "".join(f"{d},{peer},u{k},{k + 1},{k % 2},4\n" for d in range(6) for peer in "ab" for k in range(4)),
    "ranks.csv": "segment,judge,system,rank\n1,j,x,1\n1,j,y,2\n2,j,x,2\n2,j,y,1\n",
}
RIGHT = {
    "items score": ("scores.csv", "item"),
    "items compare": ("scores.csv", "item"),
    "items explain": ("scores.csv --item 1", "system"),
    "items validate": ("scores.csv", "annotator"),
    "items convert": ("scores.csv out.jsonl", "item"),
    "items estimate": ("scores.csv scores.csv", "item"),
    "items judge": ("scores.csv scores.csv", "system"),
    "items plan": ("scores.csv scores.csv --width 0.1", "item"),
    "items agreement": ("labels.csv", "label"),
    "lexsub score": ("words.csv words.csv:a", "item"),
    "lexsub compare": ("words.csv a=words.csv:a b=words.csv:a", "target"),
    "lexsub explain": ("words.csv words.csv:a --item 1", "item"),
    "lexsub validate": ("words.csv words.csv:a", "sentence"),
    "lexsub convert": ("words.csv out.gold", "item"),
    "lexsub estimate": ("words.csv words.csv:a --judge words.csv", "item"),
    "lexsub judge": ("words.csv words.csv:a --judge words.csv", "item"),
    "lexsub plan": ("words.csv words.csv:a --judge words.csv --width 0.1", "item"),
    "lexsub run": ("words.csv -o out.oot", "sentence"),
    "lexsub rank": ("words.csv", "item"),
    "lexsub train": ("words.csv -o out.toml", "target"),
    "mt score": ("texts.csv", "hypothesis"),
    "mt compare": ("texts.csv", "reference"),
    "mt explain": ("texts.csv --item 1", "id"),
    "mt validate": ("texts.csv", "system"),
    "mt convert": ("texts.csv out.jsonl", "reference"),
    "mt estimate": ("texts.csv --judge texts.csv", "id"),
    "mt judge": ("texts.csv --judge texts.csv", "id"),
    "mt plan": ("texts.csv --judge texts.csv --width 0.1", "id"),
    "mt meta": ("ranks.csv texts.csv", "reference"),
    "mt tune": ("ranks.csv texts.csv", "hypothesis"),
    "nli score": ("pairs.csv pairs.csv:sysA", "premise"),
    "nli compare": ("pairs.csv pairs.csv:sysA pairs.csv:sysB", "label"),
    "nli explain": ("pairs.csv pairs.csv:sysA --item 1", "id"),
    "nli validate": ("pairs.csv pairs.csv:sysA", "hypothesis"),
    "nli convert": ("pairs.csv out.jsonl", "label"),
    "nli estimate": ("pairs.csv pairs.csv:sysA --judge pairs.csv", "id"),
    "nli judge": ("pairs.csv pairs.csv:sysA --judge pairs.csv", "id"),
    "nli plan": ("pairs.csv pairs.csv:sysA --judge pairs.csv --width 0.1", "id"),
    "pyramid score": ("units.csv", "weight"),
    "pyramid compare": ("units.csv", "present"),
    "pyramid explain": ("units.csv --item 1", "peer"),
    "pyramid validate": ("units.csv", "unit"),
    "pyramid convert": ("units.csv out.jsonl", "weight"),
    "pyramid estimate": ("units.csv --judge units.csv", "present"),
    "pyramid judge": ("units.csv units.csv", "present"),
    "pyramid plan": ("units.csv --judge units.csv --width 0.1", "present"),
    "pyramid table": ("units.csv -o out.csv", "weight"),
    "pyramid describe": (f"{Path(package.__file__).parent}/examples/pyramid/T01.pyr", "unit"),
}
"""For each command that lets users choose columns, arguments that it accepts, and a role."""


def test_every_command_that_lets_users_choose_columns_is_tested():
    groups = {task: app.get_command(None, task) for task in [*TABLES, "items", "pyramid"]}
    having = {
        f"{task} {verb}"
        for task, group in groups.items()
        for verb in group.list_commands(None)
        if any("--column" in parameter.opts for parameter in group.get_command(None, verb).params)
    }
    assert having == RIGHT.keys()


@pytest.mark.parametrize("command", RIGHT)
def test_a_chosen_column_that_no_table_has_is_refused_by_every_command(touchstone, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    arguments, role = RIGHT[command]
    code, out, err = touchstone(*command.split(), *arguments.split(), "--column", f"{role}=nope")
    assert (code, "nope" in out + err) == (2, True), out + err
    assert not list(tmp_path.glob("out.*"))


def test_a_chosen_column_is_refused_where_nothing_read_has_columns(touchstone):
    folder = Path(package.__file__).parent / "examples" / "lexsub"
    command = ("lexsub", "score", folder / "demo.gold", folder / "careful.oot", "--column", "item=nr")
    code, _, err = touchstone(*command)
    assert (code, "no table has this column" in err) == (2, True)


def test_readers_in_python_refuse_a_column_that_their_file_lacks(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(TouchstoneError, match="nope"):
        lexsub.read_gold(tmp_path / "words.csv", column=["item=nope"])
    with pytest.raises(TouchstoneError, match="nope"):
        nli.read_gold(tmp_path / "pairs.csv", nli.Options(column=("label=nope",)))
    with pytest.raises(TouchstoneError, match="nope"):
        pyramid.read_gold(tmp_path / "units.csv", pyramid.Options(column=("weight=nope",)))
