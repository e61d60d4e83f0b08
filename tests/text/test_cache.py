"""Kept analyses: the same as fresh ones, made once, bounded, and never needed."""

import errno
import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from touchstone.text import cache, english
from touchstone.text.cache import CHUNK, cache_folder, cached_columns

TEXTS = [f"Dog number {n} saw {n % 7} cats near the old river, and it barked." for n in range(2 * CHUNK + 50)]
TEXTS[3], TEXTS[4], TEXTS[CHUNK + 1] = "", " \n\t ", '\ud800 naïve \u2028 "quotes" 日本 \0'


class Counted:
    """The embedded analyser, and the texts that it was asked for."""

    def __init__(self, signature="toy"):
        self.signature = signature
        self.asked = []

    def columns(self, texts, *, parsed=False):
        self.asked += texts
        return english().columns(texts, parsed=parsed)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache of this test's own."""
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path))
    return tmp_path / "analyses"


def files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def rows(columns):
    """All that columns say, text by text."""
    heads = columns.heads
    return [
        (
            columns.forms[row],
            columns.tags[row],
            None if heads is None else heads.values[heads.offsets[row] : heads.offsets[row + 1]].tolist(),
            None if columns.relations is None else columns.relations[row],
        )
        for row in range(len(columns))
    ]


@pytest.mark.parametrize("parsed", [False, True])
def test_kept_analyses_are_fresh_ones_and_nothing_is_analysed_twice(folder, parsed):
    fresh, first, second = rows(english().columns(TEXTS, parsed=parsed)), Counted(), Counted()
    assert rows(cached_columns(first, TEXTS, parsed=parsed)) == fresh
    assert rows(cached_columns(second, TEXTS, parsed=parsed)) == fresh
    assert (len(first.asked), second.asked) == (len(TEXTS), [])


def test_only_chunks_with_other_texts_are_analysed_again(folder):
    cached_columns(Counted(), TEXTS)
    changed, analyser = [*TEXTS[:-1], "Something else."], Counted()
    assert rows(cached_columns(analyser, changed)) == rows(english().columns(changed))
    assert analyser.asked == changed[2 * CHUNK :]


def test_blocks_at_multiples_of_a_chunk_find_what_the_whole_left(folder):
    cached_columns(Counted(), TEXTS)
    analyser = Counted()
    for start in (0, CHUNK, 2 * CHUNK):
        cached_columns(analyser, TEXTS[start : start + CHUNK])
    cached_columns(analyser, TEXTS[CHUNK:])
    assert analyser.asked == []


def test_the_borders_of_texts_the_analyser_and_trees_make_other_files(folder):
    texts = TEXTS[:CHUNK]
    cached_columns(Counted(), texts)
    moved = [texts[0] + texts[1][:1], texts[1][1:], *texts[2:]]
    for analyser, given, parsed in (
        (Counted(), moved, False),
        (Counted("another model"), texts, False),
        (Counted(), texts, True),
    ):
        cached_columns(analyser, given, parsed=parsed)
        assert analyser.asked == given
    assert len(files(folder)) == 4


def test_another_code_makes_other_files(folder, monkeypatch):
    cached_columns(Counted(), TEXTS)
    monkeypatch.setattr(cache, "_code", lambda: "changed")
    analyser = Counted()
    cached_columns(analyser, TEXTS)
    assert len(analyser.asked) == len(TEXTS)


@pytest.mark.parametrize(
    "damage",
    [
        lambda path, _: path.write_bytes(path.read_bytes()[:-1]),
        lambda path, _: path.write_bytes(b""),
        lambda path, _: path.write_bytes(b"not ours" * 1000),
        lambda path, _: path.write_bytes(path.read_bytes()[:-70] + b"x" + path.read_bytes()[-69:]),
        lambda path, other: path.write_bytes(other.read_bytes()),
        lambda path, _: path.unlink(),
    ],
    ids=["truncated", "empty", "foreign", "changed", "of other texts", "gone"],
)
def test_a_damaged_or_foreign_file_is_ignored_and_written_again(folder, damage):
    cached_columns(Counted(), TEXTS, parsed=True)
    first, *_, last = whole = files(folder)
    damage(first, last)
    again = Counted()
    assert rows(cached_columns(again, TEXTS, parsed=True)) == rows(english().columns(TEXTS, parsed=True))
    assert len(again.asked) in (CHUNK, 50)
    assert files(folder) == whole
    third = Counted()
    assert rows(cached_columns(third, TEXTS, parsed=True)) == rows(english().columns(TEXTS, parsed=True))
    assert third.asked == []


def test_the_space_is_bounded_and_the_least_recently_used_go_first(folder, monkeypatch):
    monkeypatch.setattr(cache, "_FOLDERS", 1)
    batches = [[f"{text} {n}" for text in TEXTS[:CHUNK]] for n in range(4)]
    paths = [cache._cache_file(folder, cache._key(Counted(), tuple(batch), False)) for batch in batches]
    cached_columns(Counted(), batches[0])
    limit = int(2.5 * paths[0].stat().st_size)  # two files
    foreign = paths[0].with_name("notes.txt")
    foreign.write_text("x" * limit)
    os.utime(foreign, (0, 0))
    for n, left in ((1, [0, 1]), (2, [0, 2]), (3, [2, 3])):
        if n == 2:  # the first is used once more, so that the second goes
            os.utime(paths[0], (25, 25))
        cached_columns(Counted(), batches[n], limit=limit)
        os.utime(paths[n], (n * 10 + 10, n * 10 + 10))
        assert [place for place, path in enumerate(paths) if path.exists()] == left
    assert foreign.exists()


def test_reading_marks_a_file_as_used(folder):
    cached_columns(Counted(), TEXTS[:CHUNK])
    [path] = files(folder)
    os.utime(path, (0, 0))
    cached_columns(Counted(), TEXTS[:CHUNK])
    assert path.stat().st_mtime > 0


def test_a_file_larger_than_its_share_is_not_kept(folder):
    cached_columns(Counted(), TEXTS[:CHUNK], limit=1000 * cache._FOLDERS)
    assert files(folder) == []


def test_few_texts_are_not_kept(folder):
    assert len(cached_columns(Counted(), TEXTS[:10])) == 10
    assert not folder.exists()


def test_a_short_chunk_at_the_end_is_analysed_again(folder):
    texts = [*TEXTS[:CHUNK], "The end."]
    cached_columns(Counted(), texts)
    analyser = Counted()
    assert rows(cached_columns(analyser, texts)) == rows(english().columns(texts))
    assert analyser.asked == ["The end."]


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(blocked))
    assert rows(cached_columns(Counted(), TEXTS)) == rows(english().columns(TEXTS))
    assert blocked.read_text() == "in the way"


def test_a_full_disk_leaves_no_rest(folder, monkeypatch):
    def full(path, data):
        with path.open("wb") as file:
            file.write(data[:100])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    assert len(cached_columns(Counted(), TEXTS)) == len(TEXTS)
    assert files(folder) == []


def test_the_folder_is_its_owners_alone(folder):
    cached_columns(Counted(), TEXTS[:CHUNK])
    assert folder.stat().st_mode & 0o077 == 0


def test_where_the_folder_is(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for variable, xdg, expected in (
        ("off", "", None),
        ("OFF", "", None),
        (str(tmp_path / "own"), str(tmp_path / "xdg"), tmp_path / "own" / "analyses"),
        ("~/own", "", tmp_path / "home" / "own" / "analyses"),
        ("", str(tmp_path / "xdg"), tmp_path / "xdg" / "touchstone" / "analyses"),
        ("", "relative", tmp_path / "home" / ".cache" / "touchstone" / "analyses"),
        ("", "", tmp_path / "home" / ".cache" / "touchstone" / "analyses"),
    ):
        monkeypatch.setenv("TOUCHSTONE_CACHE", variable)
        monkeypatch.setenv("XDG_CACHE_HOME", xdg)
        assert cache_folder() == expected


def test_without_a_home_nothing_is_kept(monkeypatch):
    monkeypatch.delenv("TOUCHSTONE_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)

    def homeless(_):
        raise RuntimeError("could not determine home directory")

    monkeypatch.setattr(Path, "home", classmethod(homeless))
    assert cache_folder() is None


def _again(times):
    return [rows(cached_columns(english(), TEXTS[:CHUNK])) for _ in range(times)][-1]


def test_processes_share_the_files(folder):
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as pool:
        found = list(pool.map(_again, [2, 2, 2]))
    assert found == [rows(english().columns(TEXTS[:CHUNK]))] * 3
    assert len(files(folder)) == 1
