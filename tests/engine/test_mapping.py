"""Maps over items: the same output whatever the engine and the workers; what is done is not done again."""

from pathlib import Path

import pytest
from tests.engine.conftest import MAPS, cut_finely, write_map_inputs, write_model

from touchstone.base.errors import PartialError
from touchstone.base.workers import Engine
from touchstone.cli import text_commands as text
from touchstone.engine import Folder
from touchstone.engine.mapping import in_pieces, map_pieces


def test_text_is_parsed_the_same_by_every_engine_and_parts_are_kept(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(text, "PIECE", 7)
    lines = [f"The dog saw {n} cats. It ran." if n % 5 else "" for n in range(30)]
    Path("news.txt").write_text("\n".join(lines) + "\n")
    for form in ((), ("--json",), ("--lines",), ("--tokens",)):
        expected = command("text", "parse", "news.txt", *form)
        assert expected[0] == 0
        found = [command("text", "parse", "news.txt", *form, "--engine", "processes", "--jobs", jobs) for jobs in "13"]
        folder = f"parts{''.join(form)}"
        found += [command("text", "parse", "news.txt", *form, "--parts", folder, "--jobs", "2") for _ in range(2)]
        assert [one[:2] for one in found] == [expected[:2]] * 4
        assert "complete" in command("status", folder)[1]
    assert "# sent_id = 30-2" in command("text", "parse", "news.txt")[1]
    assert "parts of standard input" in command("text", "parse", "-", "--parts", "other")[2]


@pytest.mark.parametrize("name", MAPS)
def test_every_map_has_the_same_output_by_every_engine_and_parts_are_kept(name, examples, monkeypatch, command):
    cut_finely(monkeypatch)
    write_map_inputs(examples)
    if name == "nli predict":
        pytest.importorskip("torch", reason="the extra neural is not installed")
        write_model(examples)
    ways = ["", "--engine processes --jobs 3"]
    ways += [] if name == "nli generate" else ["--parts kept --jobs 2", "--parts kept"]
    outputs = []
    for way in ways:
        code, printed, err = command(*MAPS[name].format(out="out.jsonl").split(), *way.split())
        assert code == 0, err
        outputs.append(Path("out.jsonl").read_text() if "{out}" in MAPS[name] else printed)
    assert len(set(outputs)) == 1
    if Path("kept").exists():
        status = Folder(Path("kept"), ".json").status()
        assert status.done == status.shards > 2


def double(piece):
    if 13 in piece:
        raise ValueError("thirteen")
    return [2 * one for one in piece]


def test_a_piece_that_fails_is_named_and_only_it_is_done_again(tmp_path):
    def mapped(work):
        kept = {"parts": tmp_path / "p", "source": "n"}
        pieces = map_pieces(work, lambda: in_pieces(range(20), 5), Engine("processes", 2), **kept)
        return [number for piece in pieces for number in piece]

    with pytest.raises(PartialError, match="n, rows 11 to 15: ValueError: thirteen\nparts that failed: 1; the others"):
        mapped(double)
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "p" / "shards").iterdir()}
    assert len(files) == 3
    doubled = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18]
    assert mapped(list) == [*doubled, *range(10, 15), *range(30, 40, 2)]
    assert {path: path.stat().st_mtime_ns for path in files} == files
