"""`touchstone make`: a project file names tables and reports, the commands make them, and each change is said."""

import json
import shutil
import sys
from pathlib import Path

import pytest

import touchstone
from touchstone.cli import main

EXAMPLES = Path(touchstone.__file__).parent / "examples"

PROJECT = """
[scores.main]
task = "nli"
gold = "gold.jsonl"
systems = {ours = "careful.jsonl", theirs = "overlap.jsonl"}
measures = ["accuracy"]
options = {by = "category"}
outputs = ["main.tex", "main.md", "main.txt", "main.json", "main.html", "items.csv"]

[scores.tests]
task = "nli"
verb = "compare"
gold = "gold.jsonl"
systems = ["careful.jsonl", "overlap.jsonl"]
outputs = ["tests.md"]
"""
MAIN = ["main.tex", "main.md", "main.txt", "main.json", "main.html", "items.csv"]


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run the program in the test's folder; give its exit code, standard output and standard error."""
    shutil.copytree(EXAMPLES / "nli", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)

    def typed(*arguments):
        monkeypatch.setattr(sys, "argv", ["touchstone", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as leaving:
            code = leaving.code or 0
        return code, *capsys.readouterr()

    return typed


@pytest.fixture
def project(tmp_path):
    path = tmp_path / "touchstone.toml"
    path.write_text(PROJECT)
    return path


def entry(text, name="main"):
    return f'[scores.{name}]\ntask = "nli"\ngold = "gold.jsonl"\n{text}\n'


def test_all_outputs_are_made_and_each_is_said_to_be_new_unchanged_or_changed(run, project, tmp_path):
    every = [*MAIN, "tests.md"]
    code, out, _ = run("make")
    assert (code, out.splitlines()) == (0, [f"{name}: new" for name in every])
    code, out, _ = run("make")
    assert (code, out.splitlines()) == (0, [f"{name}: unchanged" for name in every])
    (tmp_path / "main.md").write_text("something else")
    (tmp_path / "tests.md").unlink()
    code, out, _ = run("make")
    states = {"main.md": "changed", "tests.md": "new"}
    assert (code, out.splitlines()) == (0, [f"{name}: {states.get(name, 'unchanged')}" for name in every])


def test_the_files_are_what_the_command_line_writes(run, project, tmp_path):
    run("make", "main")
    words = ["nli", "score", "gold.jsonl", "ours=careful.jsonl", "theirs=overlap.jsonl"]
    words += ["--measure=accuracy", "--by=category"]
    run(*words, "--format", "latex", "-o", "a.tex", "--report", "a.html", "--items", "a.csv")
    run(*words, "--format", "markdown", "-o", "a.md")
    run(*words, "--json", "-o", "a.json")
    run(*words, "-o", "a.txt")
    for made in MAIN:
        assert (tmp_path / made).read_bytes() == (tmp_path / f"a{Path(made).suffix}").read_bytes(), made


def test_a_result_that_make_wrote_can_be_recomputed(run, project):
    run("make", "main")
    code, out, _ = run("recompute", "main.json")
    assert (code, out[:9]) == (0, "the same:")


def test_check_writes_nothing_and_exits_with_1_where_an_output_would_change(run, project, tmp_path):
    before = sorted(tmp_path.iterdir())
    code, out, _ = run("make", "tests", "--check")
    assert (code, out) == (1, "tests.md: would be new\n")
    assert sorted(tmp_path.iterdir()) == before
    run("make")
    assert run("make", "--check")[0] == 0
    shutil.copy(tmp_path / "overlap.jsonl", tmp_path / "careful.jsonl")
    made = (tmp_path / "main.md").read_bytes()
    code, out, _ = run("make", "--check")
    assert code == 1
    assert "main.md: would be changed" in out
    assert (tmp_path / "main.md").read_bytes() == made


def test_paths_are_relative_to_the_project_file(run, project, tmp_path, monkeypatch, tmp_path_factory):
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    code, out, _ = run("make", "tests", "--file", project)
    assert (code, out) == (0, "tests.md: new\n")
    assert (tmp_path / "tests.md").exists()


def test_an_entry_that_fails_does_not_stop_the_others(run, project, tmp_path):
    (tmp_path / "touchstone.toml").write_text(PROJECT.replace('ours = "careful.jsonl"', 'ours = "gone.jsonl"'))
    code, out, err = run("make")
    assert (code, out) == (2, "tests.md: new\n")
    assert err.splitlines()[0].startswith("error: main: gone.jsonl: no such file")
    assert not (tmp_path / "main.md").exists()


def test_notes_about_the_inputs_are_said_with_the_name_of_the_entry(run, project):
    _, _, err = run("make", "tests")
    assert err.startswith("note: tests: overlap: accuracy 0.553 is below")


def test_systems_may_have_several_files_and_options_may_be_files(run, tmp_path):
    shutil.copytree(EXAMPLES / "lexsub", tmp_path, dirs_exist_ok=True)
    text = """
    [scores.lexsub]
    task = "lexsub"
    gold = "demo.gold"
    systems = {careful = ["careful.best", "careful.oot"], eager = "eager.oot"}
    measures = ["best", "rank@10"]
    options = {source = "demo.xml", intervals = "none", lemmatize = true, seed = 3}
    outputs = ["out.json"]
    """
    (tmp_path / "touchstone.toml").write_text(text)
    assert run("make")[:2] == (0, "out.json: new\n")
    data = json.loads((tmp_path / "out.json").read_text())
    files = ["careful=careful.best", "careful=careful.oot", "eager=eager.oot"]
    options = ["--source=demo.xml", "--intervals=none", "--lemmatize", "--seed=3"]
    measures = ["--measure=best", "--measure=rank@10"]
    assert data["command"] == ["lexsub", "score", "demo.gold", *files, *measures, *options, "--json"]
    assert len(data["rows"]) == 2 * 2


def test_an_item_is_explained_and_drawn(run, tmp_path):
    shutil.copytree(EXAMPLES / "lexsub", tmp_path, dirs_exist_ok=True)
    text = '[scores.one]\ntask = "lexsub"\nverb = "explain"\ngold = "demo.gold"\nsystems = ["careful.oot"]\n'
    (tmp_path / "touchstone.toml").write_text(text + 'options = {item = "3"}\noutputs = ["one.svg", "one.txt"]')
    assert run("make")[:2] == (0, "one.svg: new\none.txt: new\n")
    assert (tmp_path / "one.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[scores.main", "touchstone.toml: is not TOML"),
        ("x = 1", 'unknown key: "x"'),
        ("[score.main]\ntask = 'nli'", 'unknown key: "score"; nearest valid name "scores"'),
        ("[scores]", "has no entry"),
        (entry('measurs = ["accuracy"]'), "scores.main.measurs: unknown key"),
        (entry("").replace("nli", "nlu"), 'scores.main.task: unknown task: "nlu"; nearest valid name "nli"'),
        ("[scores.main]\ngold = 'x'", "scores.main.task: is not given"),
        (entry('verb = "scor"'), 'scores.main.verb: unknown verb of nli: "scor"; nearest valid name "score"'),
        (entry('verb = "convert"'), "unknown verb of nli"),
        (entry('outputs = ["a.mdd"]'), 'scores.main.outputs: unknown suffix: ".mdd"; nearest valid name ".md"'),
        (entry('outputs = "a.md"\noptions = {clustr = "x"}'), 'clustr"; nearest valid name "cluster"'),
        (entry('outputs = "a.md"\noptions = {report = "x"}'), "name a file in outputs"),
        (entry('outputs = "a.md"\noptions = {measure = "x"}'), "list them in measures"),
        (entry('outputs = "a.md"\noptions = {seed = true}'), "options.seed: does not take this value"),
        (entry('outputs = "a.md"\noptions = {seed = "x"}'), "error: main: invalid value for '--seed'"),
        (entry('outputs = "a.md"\nverb = "agreement"\nmeasures = ["a"]'), "nli agreement takes no measures"),
        (entry('outputs = "a.csv"\nverb = "compare"'), "nli compare does not write .csv"),
        (entry('outputs = ["a.html", "b.html"]'), "two files for --report: a.html and b.html"),
        (entry('outputs = ["a.md", "a.md"]'), "this output is also another output"),
        (entry('outputs = ["gold.jsonl"]\nsystems = ["careful.jsonl"]'), "this output is also an input"),
        (entry('outputs = ["no/a.md"]\nsystems = ["careful.jsonl"]'), "its folder does not exist"),
        (entry(""), "scores.main.outputs: is not given"),
        (entry("outputs = []"), "scores.main.outputs: must be a text or a list of texts"),
        (entry('outputs = "a.md"\nsystems = {"a=b" = "careful.jsonl"}'), "cannot be empty or contain an equals sign"),
        (entry('outputs = "a.md"\nsystems = {a = 3}'), "scores.main.systems.a: must be a text or a list of texts"),
        (entry('outputs = "a.md"\nsystems = ["-"]'), "a project needs files"),
        (
            entry('systems = "careful.jsonl"\noutputs = "a.md"')
            + entry('systems = "careful.jsonl"\noutputs = "./a.md"', "other"),
            'scores.other.outputs: is also an output of main: "a.md"',
        ),
    ],
)
def test_what_no_command_takes_gets_a_sentence_with_its_place(content, said, run, tmp_path):
    (tmp_path / "touchstone.toml").write_text(content)
    code, _, err = run("make")
    assert code == 2
    assert said in err


def test_an_unknown_entry_and_a_missing_file_get_a_sentence(run, project):
    code, _, err = run("make", "mian")
    assert code == 2
    assert 'no such entry: "mian"; nearest valid name "main"' in err
    code, _, err = run("make", "--file", "other.toml")
    assert code == 2
    assert "other.toml: there is no such project file" in err
