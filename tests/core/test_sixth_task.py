"""A task in a package of its own, written from docs/extending.md: beside Touchstone, it has all that others have."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent / "sixth_task"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return a folder into which pip has installed the package."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("installed")
    for file in PACKAGE.glob("*.*"):
        (source / file.name).write_bytes(file.read_bytes())
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--no-build-isolation", "--target", target, source], check=True, timeout=300)
    return target


@pytest.fixture
def run(installed, tmp_path):
    """Return a function that runs Python with the package installed, in a folder with files of the task."""
    gold = "id,field,phrases\n1,nlp,parsing:3;grammar:2;tree:1\n2,law,tort:2;court:2\n3,art,oil:4;canvas:1\n"
    (tmp_path / "gold.csv").write_text(gold)
    (tmp_path / "a.csv").write_text("id,phrases\n1,parsing;tree\n2,tort;judge\n3,oil;canvas\n")
    (tmp_path / "b.csv").write_text("id,phrases\n1,grammar;word;parsing\n2,judge\n3,canvas;wood\n")
    (tmp_path / "bad.csv").write_text("id,phrases\n1,tree\n9,tort\n1,parsing\n")
    path = os.pathsep.join([str(installed), *filter(None, [os.environ.get("PYTHONPATH")])])

    def run(*arguments, ends=0):
        done = subprocess.run([sys.executable, *arguments], cwd=tmp_path, env={**os.environ, "PYTHONPATH": path},
                              capture_output=True, text=True, check=False, timeout=300)  # fmt: skip
        assert done.returncode == ends, done.stderr
        return done.stdout

    return run


A, B = (4 / 5 + 2 / 4 + 5 / 5) / 3, (2 / 5 + 0 + 1 / 5) / 3


def touchstone(run, *arguments, ends=0):
    return run("-m", "touchstone", *arguments, ends=ends)


COMMANDS = """
import contextlib, io, json, sys
from touchstone.cli import main

printed = []
for words in json.loads(sys.argv[1]):
    sys.argv = ["touchstone", *words]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
    printed.append([code, out.getvalue()])
print(json.dumps(printed))
"""
"""Runs commands one after another, which is faster than a process for each, and prints their exit codes and outputs."""


def test_the_task_is_shorter_than_90_lines():
    assert len((PACKAGE / "keyphrases.py").read_text("utf-8").splitlines()) < 90


def test_its_commands_are_there(run):
    inputs = ["gold.csv", "a.csv", "b.csv"]
    commands = [
        ["--help"],
        ["keyphrases", "score", *inputs, "--json"],
        ["keyphrases", "compare", *inputs, "--json"],
        ["keyphrases", "explain", "gold.csv", "b.csv", "--item", "3"],
        ["keyphrases", "validate", "gold.csv", "bad.csv"],
    ]
    ended = json.loads(run("-c", COMMANDS, json.dumps(commands)))
    assert [code for code, _ in ended] == [0, 0, 0, 0, 2]
    help_text, scored, compared, explained, faults = (printed for _, printed in ended)
    assert "keyphrases  Phrases that say what a document is about." in " ".join(help_text.split("\n"))
    values = [row["value"] for row in json.loads(scored)["rows"] if row["kind"] == "value"]
    assert values == pytest.approx([A, B])
    [pair] = [row for row in json.loads(compared)["rows"] if row["kind"] == "pair"]
    assert (pair["difference"], pair["wins"]) == (pytest.approx(A - B), 3)
    assert "canvas; wood" in explained
    assert "bad.csv:3: unknown item" in faults
    assert "bad.csv:4: duplicate" in faults


def test_it_has_a_report(run, tmp_path):
    touchstone(run, "keyphrases", "compare", "gold.csv", "a.csv", "b.csv", "--report", "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "Keyphrases" in page
    assert 'id="ranking"' in page


def test_its_files_are_read_in_shards(run, tmp_path):
    """Rows of three files are streamed in shards, and the numbers are those of one file that is read whole."""
    golds = [{"id": str(n), "field": f"f{n % 40}", "phrases": "x:2;y:1"} for n in range(3000)]
    runs = [{"id": str(n), "phrases": "xyz"[n % 3]} for n in range(3000)]
    for name, rows in (("gold", golds), ("a", runs)):
        lines = [json.dumps(row) + "\n" for row in rows]
        (tmp_path / name).mkdir()
        (tmp_path / f"{name}.jsonl").write_text("".join(lines))
        for part in range(3):
            (tmp_path / name / f"{part}.jsonl").write_text("".join(lines[1000 * part : 1000 * (part + 1)]))
    whole = json.loads(touchstone(run, "keyphrases", "score", "gold.jsonl", "a.jsonl", "--json"))
    engine = ("--engine", "processes", "--jobs", "2", "--out", "shards", "--json")
    shards = json.loads(touchstone(run, "keyphrases", "score", "gold", "a=a/*.jsonl", *engine))
    assert [row["value"] for row in shards["rows"]] == [row["value"] for row in whole["rows"]]
    assert len(list((tmp_path / "shards").rglob("*.parquet"))) == 3


def test_it_is_pickled_by_its_name(run):
    program = "import pickle; from keyphrases import TASK; assert pickle.loads(pickle.dumps(TASK)) is TASK"
    run("-c", program)


def test_its_results_are_recomputed(run, tmp_path):
    printed = touchstone(run, "keyphrases", "score", "gold.csv", "a.csv", "b.csv", "--json")
    (tmp_path / "results.json").write_text(printed)
    assert "the same" in touchstone(run, "recompute", "results.json")
    (tmp_path / "results.json").write_text(printed.replace(f"{B}", "0.9"))
    touchstone(run, "recompute", "results.json", ends=1)
