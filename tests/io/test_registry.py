"""One registry of suffixes: all that reads tables knows the formats in the modules of `touchstone.io.formats`."""

import ast
import re
from pathlib import Path, PurePosixPath

import pytest

import touchstone
from touchstone.annotate.tasks.base import Upload
from touchstone.annotate.tasks.lexsub import LexsubTask
from touchstone.annotate.tasks.mt import MtTask
from touchstone.annotate.tasks.nli import NliTask
from touchstone.annotate.tasks.reading import data_files
from touchstone.engine.chunks import file_kind
from touchstone.io import formats
from touchstone.io.reading import read_table
from touchstone.io.runs import run_files
from touchstone.tasks.mt.judges.rows import open_rows
from touchstone.tasks.pyramid.presence import is_presence

SOURCE = Path(touchstone.__file__).parent

JSON = {".json", ".jsonl"}
"""Documents of tasks have these suffixes too, so that a task may name them."""

ELSEWHERE = {
    "io/writing.py": "what tables are written as",
    "engine/folder.py": "the files of shards",
    "systems/challenge/generating.py": "the sheet of annotators",
    "systems/challenge/reading.py": "the lists of words that are shipped",
    "text/tokeniser.py": "names of files in sentences",
}


def suffixes_in(module):
    """Return the suffixes of tables that a module names, also those in a pattern such as ``\\.(csv|tsv)``."""
    nodes = list(ast.walk(ast.parse(module)))
    parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}  # of names made
    texts = (node.value for node in nodes if isinstance(node, ast.Constant) and id(node) not in parts)
    names = {suffix.removeprefix(".") for suffix in formats.table_suffixes()}
    found = set()
    for text in (text for text in texts if isinstance(text, str) and not re.search(r"\s", text)):
        if text.lstrip("*") in {f".{name}" for name in names}:
            found.add(text.lstrip("*"))
        if "|" in text:
            found |= {f".{name}" for name in names if re.search(rf"(?<![\w.]){name}(?!\w)", text)}
    return found


def test_a_list_of_suffixes_is_noticed():
    assert suffixes_in('DATA = (".csv", "*.tsv", ".txt")') == {".csv", ".tsv"}
    assert suffixes_in(r'DATA = re.compile(r"\.(xml|parquet)")') == {".parquet"}
    assert suffixes_in('"""Reads .csv and .tsv."""') == set()


def test_no_other_module_lists_the_suffixes_of_tables():
    listed = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith("io/formats/") and name not in ELSEWHERE and (found := suffixes_in(path.read_text())):
            listed[name] = found
    assert {name: found for name, found in listed.items() if found - JSON} == {}


@pytest.fixture
def percent(monkeypatch, tmp_path):
    """A further format: tables with cells between percent signs."""
    module = tmp_path / "percent_signs" / "percent.py"
    module.parent.mkdir()
    module.write_text(
        "from touchstone.io.formats import Format\n"
        "from touchstone.io.tables import row_table\n"
        "def read(text, reading):\n"
        "    rows = [(number, line.split('%')) for number, line in enumerate(text.splitlines(), 1)]\n"
        "    return row_table(rows, reading.source)\n"
        "FORMATS = [Format(('.pct',), read, lambda text, suffix: suffix == '.pct')]\n"
    )
    monkeypatch.setattr(formats, "__path__", [*formats.__path__, str(module.parent)])
    formats.all_formats.cache_clear()

    def write(name, *rows):
        (tmp_path / name).write_text("".join("%".join(row) + "\n" for row in rows))
        return tmp_path / name

    yield write
    formats.all_formats.cache_clear()


def test_a_format_is_found_by_being_in_the_package(percent):
    assert read_table(percent("t.pct", ["item", "score"], ["q1", "0.5"])).columns == {"item": ["q1"], "score": ["0.5"]}
    assert formats.is_table("t.pct.gz", b"")


def test_every_task_reads_a_new_format(percent):
    gold = percent("g.pct", ["id", "premise", "hypothesis", "label"], ["1", "A dog runs.", "It moves.", "entailment"])
    run = percent("r.pct", ["id", "prediction"], ["1", "entailment"])
    assert touchstone.nli.score(gold, {"a": run}, ["accuracy"]).row("a", "accuracy").value == 1
    gold = percent("m.pct", ["segment", "reference"], ["1", "A cat."])
    run = percent("h.pct", ["segment", "hypothesis"], ["1", "A cat."])
    assert touchstone.mt.score(gold, {"a": run}, ["chrf"]).row("a", "chrf").value == 100
    gold = percent("l.pct", ["item", "substitute", "weight"], ["1", "glad", "3"])
    run = percent("s.pct", ["item", "substitute"], ["1", "glad"])
    assert touchstone.lexsub.score(gold, {"a": run}, ["best1"]).row("a", "best1").value == 1
    scores = percent("i.pct", ["item", "a", "b"], ["1", "1", "0"], ["2", "1", "1"])
    assert touchstone.items.score(scores).row("b", "value").value == 0.5
    decisions = percent("p.pct", ["set", "peer", "unit", "present"], ["T", "p", "u1", "1"], ["T", "p", "u2", "0"])
    assert is_presence(decisions)
    assert touchstone.pyramid.score(decisions, measures=["pyramid.modified"]).row("p", "pyramid.modified").value == 0.5


def test_conversion_reads_a_new_format(percent, tmp_path):
    source = percent("pairs.pct", ["id", "premise", "hypothesis", "label"], ["1", "A dog.", "It moves.", "neutral"])
    touchstone.nli.TASK.convert(source, tmp_path / "pairs.csv")
    assert (
        tmp_path / "pairs.csv"
    ).read_text() == "id,premise,hypothesis,gold,annotators,category\n1,A dog.,It moves.,neutral,,\n"
    touchstone.items.TASK.convert(percent("i.pct", ["item", "a"], ["1", "0.5"]), tmp_path / "i.jsonl")
    assert (tmp_path / "i.jsonl").read_text() == '{"item": "1", "a": 0.5}\n'


def test_judgements_in_a_new_format_are_read(percent):
    rows = open_rows(percent("j.pct", ["segment", "system", "rating"], ["1", "a", "4"]))
    assert (rows.first, list(rows.rows())) == (["segment", "system", "rating"], [(2, ["1", "a", "4"])])


@pytest.mark.parametrize("task", [NliTask(), LexsubTask(), MtTask()])
@pytest.mark.usefixtures("percent")
def test_uploaded_folders_keep_tables_in_every_format(task):
    names = [f"data/t{suffix}" for suffix in (*formats.table_suffixes(), ".CSV")]
    assert ".pct" in formats.table_suffixes()
    kept, notes = data_files(task, [Upload(name, b"a") for name in [*names, "data/picture.png"]])
    assert ([file.name for file in kept], len(notes)) == (names, 1)


@pytest.mark.usefixtures("percent")
def test_the_engine_takes_no_table_for_lines_of_plain_text():
    kinds = {suffix: file_kind(Path(f"t{suffix}")) for suffix in formats.table_suffixes()}
    assert "lines" not in kinds.values()
    assert {suffix for suffix, kind in kinds.items() if kind} == {".parquet", ".jsonl", ".ndjson"}
    assert (file_kind(Path("t.pct")), file_kind(Path("t.jsonl.gz")), file_kind(Path("t.en"))) == (None, None, "lines")


@pytest.mark.usefixtures("percent")
def test_systems_are_named_without_the_suffix_of_any_table():
    for suffix in formats.table_suffixes():
        assert run_files([f"a{suffix}"])[0].name == "a", suffix
    assert PurePosixPath(run_files(["a.tar"])[0].name).suffix == ".tar"
