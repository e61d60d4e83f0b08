"""Outputs are whole or not there: written beside and renamed."""

import json
import os
import signal
import subprocess
import sys
import time

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.io.writing import check_suffix, replacing, write_table, write_text

TABLE = pa.table({"system": ["a", 'b,\n"c"'], "rank@10": [0.1, None], "n": [1, 2]})


def names(folder):
    return [path.name for path in folder.iterdir()]


def test_a_text_is_written_as_utf8_with_line_feeds(tmp_path):
    write_text(tmp_path / "out.txt", "naïve\n☺\n")
    assert (tmp_path / "out.txt").read_bytes() == "naïve\n☺\n".encode()


def test_an_output_takes_the_place_of_the_old_one_and_leaves_nothing_beside(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("old")
    write_text(path, "new")
    assert path.read_text() == "new"
    assert names(tmp_path) == ["out.txt"]


@pytest.mark.parametrize("failure", [RuntimeError, OSError, KeyboardInterrupt])
def test_a_failure_in_the_middle_leaves_the_old_file_and_nothing_beside(tmp_path, failure):
    path = tmp_path / "out.txt"
    path.write_text("old")

    def fail() -> None:
        with replacing(path) as beside:
            beside.write_text("half of the ne")
            raise failure

    with pytest.raises((failure, TouchstoneError)):
        fail()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["out.txt"]


def test_a_failure_before_there_was_a_file_leaves_none(tmp_path):
    def fail() -> None:
        with replacing(tmp_path / "out.txt") as beside:
            beside.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert names(tmp_path) == []


def test_a_text_that_cannot_be_encoded_leaves_the_old_file(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("old")
    with pytest.raises(ValueError, match=r"surrogate|character"):
        write_text(path, "good" * 100_000 + "\ud800")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["out.txt"]


KILLED_WHILE_WRITING = """
import sys, time
from touchstone.io.writing import replacing
with replacing(sys.argv[1]) as beside:
    with beside.open("w") as out:
        out.write("half of the new file")
        out.flush()
        print("writing", flush=True)
        time.sleep(60)
"""

WRITES_FOR_EVER = """
import sys
from touchstone.io.writing import write_text
while True:
    for letter in "ab":
        write_text(sys.argv[1], letter * 3_000_000)
        print(letter, flush=True)
"""


def test_a_process_killed_in_the_middle_of_a_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("old")
    with subprocess.Popen([sys.executable, "-c", KILLED_WHILE_WRITING, path], stdout=subprocess.PIPE) as child:
        assert child.stdout.readline() == b"writing\n"
        os.kill(child.pid, signal.SIGKILL)
    assert child.returncode == -signal.SIGKILL
    assert path.read_text() == "old"


def test_a_process_killed_at_any_time_leaves_a_whole_file(tmp_path):
    path = tmp_path / "out.txt"
    for delay in (0.0, 0.004, 0.013):
        with subprocess.Popen([sys.executable, "-c", WRITES_FOR_EVER, path], stdout=subprocess.PIPE) as child:
            child.stdout.readline()
            time.sleep(delay)
            os.kill(child.pid, signal.SIGKILL)
        text = path.read_text()
        assert len(text) == 3_000_000
        assert len(set(text)) == 1


def test_a_new_file_has_the_rights_that_any_new_file_has(tmp_path):
    (tmp_path / "plain").write_text("x")
    write_text(tmp_path / "ours", "x")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("where", ["nowhere/out.txt", "file/out.txt", "", "x" * 300])
def test_a_place_that_cannot_be_written_is_refused_with_a_sentence(tmp_path, where):
    (tmp_path / "file").write_text("x")
    with pytest.raises(TouchstoneError) as error:
        write_text(tmp_path / where, "text")
    assert error.value.code == Code.CANNOT_WRITE
    assert names(tmp_path) == ["file"]


def test_a_table_is_written_in_the_form_of_its_suffix(tmp_path):
    for suffix in ("jsonl", "csv", "parquet"):
        write_table(tmp_path / f"t.{suffix}", TABLE)
    assert parquet.read_table(tmp_path / "t.parquet").equals(TABLE)
    assert [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()] == TABLE.to_pylist()
    options = csv.ParseOptions(newlines_in_values=True)
    assert csv.read_csv(tmp_path / "t.csv", parse_options=options).to_pylist() == TABLE.to_pylist()


def test_a_long_table_is_written_whole(tmp_path):
    table = pa.table({"id": list(range(25_000))})
    write_table(tmp_path / "t.jsonl", table)
    rows = (tmp_path / "t.jsonl").read_text().splitlines()
    assert [json.loads(row)["id"] for row in rows] == list(range(25_000))


def test_another_suffix_is_refused_with_the_nearest_and_writes_nothing(tmp_path):
    with pytest.raises(TouchstoneError, match=r'"\.csv"'):
        write_table(tmp_path / "t.cvs", TABLE)
    with pytest.raises(TouchstoneError, match="suffix"):
        write_table(tmp_path / "table", TABLE)
    assert names(tmp_path) == []


@pytest.mark.parametrize(("name", "kind", "fits"), [
    ("out.txt", "text", True), ("out", "text", True), ("out.html", "text", False), ("kit", "paper kit", True),
    ("kit.tex", "paper kit", False), ("kit.pdf", "paper kit", False),
])  # fmt: skip
def test_a_suffix_that_promises_something_else_is_refused(tmp_path, name, kind, fits):
    if fits:
        check_suffix(tmp_path / name, kind)
        return
    with pytest.raises(TouchstoneError):
        check_suffix(tmp_path / name, kind)
