"""Input that `nli generate` cannot use: a sentence with the place and a way out, exit code 2, nothing written."""

import sys

import pytest

from touchstone.cli import main

GOOD = b"A man plays the guitar in the kitchen.\nTwo dogs run through the forest.\n"
PAIRS = b"from\tto\trelation\tpos\n"


@pytest.fixture
def generate(tmp_path, monkeypatch, capsys):
    """Run the command in a folder; return its exit code, what it printed, and what it said of errors."""

    def run(*arguments, folder=tmp_path):
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", ["touchstone", "nli", "generate", *arguments, "-o", "set.jsonl"])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, *capsys.readouterr()

    return run


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.txt", b"", "empty.txt: no premise\n   give one premise per line"),
        ("blank.txt", b"\n \r\n", "blank.txt: no premise\n   give one premise per line"),
        (
            "latin.txt",
            b"A man sits.\nA caf\xe9 opens.\n",
            "latin.txt:2: byte 17 is not utf-8 (0xe9)\n   give the file's",
        ),
        ("rows.csv", b"id,text\n1,A dog runs.\n", "rows.csv: no column 'premise'\n   the columns are id, text"),
        ("rows.jsonl", b'{"premise": "A dog."}\n{"premise": \n', "rows.jsonl:2: not JSON"),
        ("null.jsonl", b'{"premise": null}\n', "null.jsonl: no premise\n   give one premise per line"),
    ],
)
def test_premises_that_cannot_be_read_are_refused(generate, tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    code, _, error = generate(name)
    assert (code, error.startswith(f"error: {message}")) == (2, True), error
    assert not (tmp_path / "set.jsonl").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "lists/own.tsv: is empty\n   give a header line"),
        (PAIRS, "lists/own.tsv: no entry in this list\n   give a header line"),
        (
            PAIRS[:-1] + b"\tcolour\na\tb\tsynonym\tnoun\tx\n",
            'lists/own.tsv:1: unknown column: "colour"\n   the columns',
        ),
        (
            b"from,to,relation,pos\na,b,synonym,noun\n",
            "lists/own.tsv:1: no column tells what this list is\n   a list of",
        ),
        (PAIRS + b"caf\xe9\tb\tsynonym\tnoun\n", "lists/own.tsv:2: byte 24 is not utf-8 (0xe9)\n   lists are text in"),
        (PAIRS + 2 * b"a\tb\tsynonym\tnoun\n", "lists/own.tsv:3: duplicate pair (first in lists/own.tsv:2)"),
        (PAIRS + b"a\ta\tsynonym\tnoun\n", 'lists/own.tsv:2: a word with itself: "a > a"\n   remove the line'),
        (
            PAIRS + b"a\tb\tkind_of\tnoun\nb\ta\tkind_of\tnoun\n",
            'lists/own.tsv:2: cycle of kinds: "a > b > a"\n   a word',
        ),
        (PAIRS + b"couch\tsofa\tsynonym\tnoun\n", "lists/own.tsv:2: duplicate pair (first in "),
    ],
)
def test_a_list_that_cannot_be_used_is_refused(generate, tmp_path, content, message):
    (tmp_path / "premises.txt").write_bytes(GOOD)
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "own.tsv").write_bytes(content)
    code, _, error = generate("premises.txt", "--lists", "lists")
    assert (code, error.startswith(f"error: {message}")) == (2, True), error
    assert not (tmp_path / "set.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.txt"], "missing.txt: no such file"),
        (["folder"], "folder: is a folder, not a file\n   give one of the files"),
        (["premises.txt", "--lists", "folder"], "folder: no list in this folder\n   put lists with the suffix .tsv"),
        (["premises.txt", "--lists", "missing"], "missing: no such file\n   give a list or a folder of lists"),
        (["premises.txt", "--rejected", "folder"], "folder: cannot be written (not a file)\n   name another output"),
        (["premises.txt", "--report", "none/set.html"], "none/set.html: cannot be written (its folder does not exist)"),
    ],
)
def test_files_that_are_not_there_are_refused(generate, tmp_path, arguments, message):
    (tmp_path / "premises.txt").write_bytes(GOOD)
    (tmp_path / "folder").mkdir()
    code, _, error = generate(*arguments)
    assert (code, error.startswith(f"error: {message}")) == (2, True), error
    assert not (tmp_path / "set.jsonl").exists()


def test_line_ends_and_a_byte_order_mark_change_nothing(generate, tmp_path):
    sets = []
    for name, content in (("lf", GOOD), ("crlf", b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n"))):
        folder = tmp_path / name
        (folder / "lists").mkdir(parents=True)
        (folder / "premises.txt").write_bytes(content)
        ends = b"\r\n" if name == "crlf" else b"\n"
        (folder / "lists" / "own.tsv").write_bytes((PAIRS + b"guitar\tthingy\tsynonym\tnoun\n").replace(b"\n", ends))
        assert generate("premises.txt", "--lists", "lists", "--balance", "none", folder=folder)[0] == 0
        sets.append((folder / "set.jsonl").read_text("utf-8").splitlines())
    pairs = [[row.split('"category"')[0] for row in rows] for rows in sets]
    assert pairs[0] == pairs[1]


def test_premises_without_use_are_counted_and_the_set_is_empty(generate, tmp_path):
    lines = ["Dog", "It is what it is.", "dog " * 10_000, "w" * 10_000 + " is it.", ""]
    (tmp_path / "premises.txt").write_text("\n".join(lines), "utf-8")
    code, printed, error = generate("premises.txt")
    assert code == 0
    assert "no word of the premises could be replaced" in error
    assert [line.split() for line in printed.splitlines() if line.startswith("premise too")] == [
        ["premise", "too", "long", "1"],
        ["premise", "too", "short", "1"],
    ]
    assert (tmp_path / "set.jsonl").read_text("utf-8") == ""


def test_empty_cells_of_a_table_are_counted(generate, tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"premise": "A dog runs in the park."}\n{"premise": null}\n', "utf-8")
    _, printed, _ = generate("rows.jsonl")
    assert "of 2 premises" in printed
    assert "premise too short" in printed
