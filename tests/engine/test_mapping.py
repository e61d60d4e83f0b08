"""Maps over items: the same output whatever the engine and the workers; what is done is not done again."""

from pathlib import Path

import pytest

from touchstone.cli import text
from touchstone.core.errors import PartialError
from touchstone.core.workers import Engine
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


def test_substitutes_are_the_same_by_every_engine_and_parts_are_kept(tmp_path, monkeypatch, command):
    from touchstone.cli import lexsub
    from touchstone.tasks import lexsub as task

    monkeypatch.setattr(lexsub, "PIECE", 3)
    sentences = Path(task.__file__).parents[2] / "examples" / "lexsub" / "demo.xml"
    monkeypatch.chdir(tmp_path)
    given = ("lexsub", "run", str(sentences), "--system", "lm", "--boundary")
    ways = ((), ("--engine", "processes", "--jobs", "2"), ("--parts", "kept"), ("--parts", "kept"))
    for place, way in enumerate(ways):
        assert command(*given, "-o", f"{place}.jsonl", *way)[0] == 0
    assert len({Path(f"{place}.jsonl").read_text() for place in range(4)}) == 1
    assert Folder(Path("kept"), ".json").status().done > 2


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
