"""Inputs of every task for the engine, and a way to score them in shards."""

import json
import random
import shutil
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import touchstone
from touchstone.cli import main
from touchstone.core.task import find_task
from touchstone.core.workers import Engine
from touchstone.engine import Request, read_results, score_in_shards

HERE = Engine()
EXAMPLES = Path(touchstone.__file__).parent / "examples"
WORDS = [
    "the",
    "a",
    "dog",
    "cat",
    "river",
    "saw",
    "met",
    "near",
    "big",
    "small",
    "old",
    "new",
    "house",
    "tree",
    "bird",
    "ran",
    "into",
    "over",
]


@pytest.fixture
def examples(tmp_path, monkeypatch):
    """Copy the examples of all tasks, and work beside them."""
    for folder in EXAMPLES.iterdir():
        if folder.is_dir():
            shutil.copytree(folder, tmp_path / folder.name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def pairs(tmp_path, monkeypatch):
    """Write references and the translations of two systems: 60 segments of 12 documents, as tables and as text."""
    chance = random.Random(7)
    refs = [" ".join(chance.choices(WORDS, k=chance.randint(3, 8))) for _ in range(60)]
    texts = {
        name: [
            " ".join(chance.choice(WORDS) if chance.random() < share else word for word in ref.split()) for ref in refs
        ]
        for name, share in (("near", 0.2), ("far", 0.5))
    }
    monkeypatch.chdir(tmp_path)
    ids = [f"s{row}" for row in range(60)]
    write(tmp_path / "refs", {"id": ids, "reference": refs, "document": [f"d{row // 5}" for row in range(60)]})
    for name, column in texts.items():
        write(tmp_path / name, {"id": ids, "hypothesis": column})
    Path("mine.py").write_text(
        "from touchstone.mt import Own\n"
        "overlap = Own(lambda text, refs: len({*text.split()} & {*refs[0].split()}) / len({*refs[0].split()}))\n"
    )
    return tmp_path


def write(path: Path, columns: dict[str, list[object]]) -> None:
    """Write a table as Parquet, as JSON lines, and its texts as plain lines."""
    table = pa.table(columns)
    parquet.write_table(table, path.with_suffix(".parquet"), row_group_size=13)
    path.with_suffix(".jsonl").write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    path.with_suffix(".txt").write_text("\n".join(columns[list(columns)[1]]) + "\n")


def score(task, gold, runs=(), measures=(), *, out="scores", engine=HERE, by=None, many=10**9, **how):
    """Score in shards; return what was done, and the rows of the results."""
    keys = ("shard_rows", "streamed", "policy")
    given = {key: how.pop(key) for key in keys if key in how}
    done = score_in_shards(Request(find_task(task), gold, runs, measures, options=how, **given), out, engine)
    return done, None if done.failures else read_results(out, by=by, many=many)


def rows(results):
    """Return all numbers of results."""
    return [
        (row.system, row.measure, row.group, repr(row.value), repr(row.low), repr(row.high), row.n)
        for row in results.rows
    ]


@pytest.fixture
def command(monkeypatch, capsys):
    """Run a command; return its exit code and what it printed."""

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["touchstone", *words])
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        return code, *capsys.readouterr()

    return run
