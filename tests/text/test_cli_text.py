"""The command prints CoNLL-U or JSON, line by line, and bad input gets a sentence."""

import gzip
import json

import pytest
from typer.testing import CliRunner

from touchstone.cli.text import app
from touchstone.core.errors import TouchstoneError
from touchstone.text import parse_conllu


def run(*arguments, stdin=None):
    return CliRunner().invoke(app, ["parse", *map(str, arguments)], input=stdin)


def test_a_segment_to_a_line_becomes_a_block(tmp_path):
    (tmp_path / "a.txt").write_text("The dog barked.\n\nIt's late.\n", encoding="utf-8")
    done = run(tmp_path / "a.txt")
    assert done.exit_code == 0
    assert [line for line in done.stdout.split("\n") if line.startswith("# segment")] == [
        "# segment = 1",
        "# segment = 2",
        "# segment = 3",
    ]
    first, last = parse_conllu(done.stdout)
    assert first.forms == ("The", "dog", "barked", ".")
    assert first.heads == (2, 3, 0, 3)
    assert last.lemmas == ("it", "be", "late", ".")


def test_tokens_are_taken_as_given_and_standard_input_is_read():
    done = run("-", "--tokens", stdin="U.S. isn't x.\n")
    assert parse_conllu(done.stdout)[0].forms == ("U.S.", "isn't", "x.")


def test_json_is_one_object_with_the_signature(tmp_path):
    with gzip.open(tmp_path / "a.txt.gz", "wt", encoding="utf-8") as file:
        file.write("Birds sing\n\n")
    answer = json.loads(run(tmp_path / "a.txt.gz", "--json").stdout)
    assert answer["signature"].startswith("touchstone.text 1#")
    assert [segment["segment"] for segment in answer["segments"]] == [1, 2]
    assert answer["segments"][0]["tokens"][0] == {
        "form": "Birds", "start": 0, "end": 5, "tag": "NNS", "lemma": "bird", "head": 2, "relation": "nsubj",
    }  # fmt: skip
    assert answer["segments"][1]["tokens"] == []


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"fine\n\xff\xfe\n", "2: byte 0 of the line is not utf-8"), (b"x" * 10_000_001, "10,000,000 bytes or more")],
)
def test_a_line_that_cannot_be_read_is_named(tmp_path, content, said):
    (tmp_path / "a.txt").write_bytes(content)
    done = run(tmp_path / "a.txt")
    assert isinstance(done.exception, TouchstoneError)
    assert said in str(done.exception)


@pytest.mark.parametrize(("name", "said"), [("absent.txt", "no such file"), (".", "is a folder")])
def test_a_path_that_is_no_file_is_named(tmp_path, name, said):
    done = run(tmp_path / name)
    assert isinstance(done.exception, TouchstoneError)
    assert said in str(done.exception)


def test_a_broken_archive_is_refused(tmp_path):
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"x y z\n" * 1000)[:30])
    done = run(tmp_path / "a.gz")
    assert "is not a whole gzip file" in str(done.exception)
