"""The command prints CoNLL-U or JSON, line by line, and bad input gets a sentence."""

import gzip
import json

import pytest
from click.testing import CliRunner

from touchstone.base.errors import TouchstoneError
from touchstone.cli.groups import plain_group
from touchstone.text import parse_conllu

app = plain_group("text")


def run(*arguments, stdin=None):
    return CliRunner().invoke(app, ["parse", *map(str, arguments)], input=stdin)


def test_lines_are_split_into_sentences_and_blank_lines_are_none(tmp_path):
    (tmp_path / "a.txt").write_text("The dog barked. Nobody  came.\n\nIt's late.\n", encoding="utf-8")
    done = run(tmp_path / "a.txt")
    assert done.exit_code == 0
    ids = [line for line in done.stdout.split("\n") if line.startswith("# sent_id")]
    assert ids == ["# sent_id = 1-1", "# sent_id = 1-2", "# sent_id = 3-1"]
    first, second, last = parse_conllu(done.stdout)
    assert first.forms == ("The", "dog", "barked", ".")
    assert first.heads == (2, 3, 0, 3)
    assert first.upos == ("DET", "NOUN", "VERB", "PUNCT")
    assert second.text == "Nobody came."
    assert last.lemmas == ("it", "be", "late", ".")


def test_a_line_stays_one_sentence_where_that_is_asked_for():
    done = run("-", "--lines", stdin="It rained. Nobody came.\n")
    assert [sentence.text for sentence in parse_conllu(done.stdout)] == ["It rained. Nobody came."]


def test_tokens_are_taken_as_given_and_standard_input_is_read():
    done = run("-", "--tokens", stdin="U.S. isn't x.\n")
    assert parse_conllu(done.stdout)[0].forms == ("U.S.", "isn't", "x.")


def test_json_is_one_object_with_the_signature(tmp_path):
    with gzip.open(tmp_path / "a.txt.gz", "wt", encoding="utf-8") as file:
        file.write("\n Birds sing\n")
    answer = json.loads(run(tmp_path / "a.txt.gz", "--json").stdout)
    assert answer["signature"].startswith("touchstone.text 2#")
    [sentence] = answer["sentences"]
    assert (sentence["segment"], sentence["offset"], sentence["text"]) == (2, 1, "Birds sing")
    assert sentence["tokens"][0] == {
        "form": "Birds", "start": 0, "end": 5, "tag": "NNS", "lemma": "bird", "upos": "NOUN", "head": 2,
        "relation": "nsubj",
    }  # fmt: skip


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
    assert "is not a complete gzip file" in str(done.exception)
