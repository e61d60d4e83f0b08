"""Text is read strictly: what cannot be read is refused with its place, and nothing is guessed."""

import gzip
import hashlib
import io
import os
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.base.errors import TouchstoneError
from touchstone.base.files import Source, read_bytes
from touchstone.io.text import LineStream, decode, lines, read_text

BOM = b"\xef\xbb\xbf"


def refusal(path, **options) -> str:
    with pytest.raises(TouchstoneError) as caught:
        read_text(path, **options)
    return str(caught.value)


def test_a_file_gives_its_text_and_where_it_came_from(tmp_path):
    path = tmp_path / "run.oot"
    path.write_bytes("glad ☺\n".encode())
    text, source = read_text(path)
    assert text == "glad ☺\n"
    assert source == Source(str(path), hashlib.sha256("glad ☺\n".encode()).hexdigest())
    assert source.stem == "run"
    assert str(source) == f"run.oot#{source.digest[:12]}"


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    path = tmp_path / "bom.gold"
    path.write_bytes(BOM + b"a")
    assert read_text(path)[0] == "a"


def test_a_packed_file_is_unpacked_and_called_by_its_own_name(tmp_path):
    path = tmp_path / "run.oot.gz"
    path.write_bytes(gzip.compress(b"glad"))
    text, source = read_text(path)
    assert (text, source.stem) == ("glad", "run")


@pytest.mark.parametrize("spoil", [lambda raw: raw[:-4], lambda raw: b"plain text", lambda raw: raw[:12] + b"x" * 20])
def test_a_broken_packed_file_is_refused(tmp_path, spoil):
    path = tmp_path / "run.gz"
    path.write_bytes(spoil(gzip.compress(b"glad " * 1000)))
    assert "gzip" in refusal(path)


def test_a_dash_is_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"from a pipe")))
    text, source = read_text("-")
    assert (text, source.name, source.path) == ("from a pipe", "stdin", None)


def test_standard_input_can_be_looked_at_twice_and_another_one_is_another(monkeypatch):
    """What tells a file's kind reads it, and so does what reads it; but a notebook may be given a new input."""
    for content in (b"first", b"second"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert [read_text("-")[0], read_text("-")[0]] == [content.decode()] * 2


def test_a_missing_file_is_refused_with_its_nearest_neighbour(tmp_path):
    (tmp_path / "test.gold").write_text("x")
    said = refusal(tmp_path / "tset.gold")
    assert "no such file" in said
    assert '"test.gold"' in said


def test_a_missing_folder_is_a_missing_file(tmp_path):
    assert "no such file" in refusal(tmp_path / "nowhere" / "test.gold")


def test_a_folder_is_refused_as_one(tmp_path):
    assert "folder" in refusal(tmp_path)


def test_a_file_used_as_a_folder_is_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    assert "cannot be read" in refusal(tmp_path / "file" / "below")


def test_a_link_that_leads_to_itself_is_refused(tmp_path):
    path = tmp_path / "loop"
    path.symlink_to(path)
    assert "cannot be read" in refusal(path)


@pytest.mark.parametrize("name", ["with\0zero", "x" * 300])
def test_a_name_that_no_file_can_have_is_refused(tmp_path, name):
    assert "cannot be read" in refusal(tmp_path / name)


@pytest.mark.parametrize("raw", [b"", b"\n", b" \r\n\t", BOM, BOM + b"\n"])
def test_an_empty_file_is_refused(tmp_path, raw):
    path = tmp_path / "empty"
    path.write_bytes(raw)
    assert "empty" in refusal(path)


@pytest.mark.parametrize("mark", [b"", BOM])
def test_a_byte_that_is_not_utf8_is_named_with_its_offset_and_line(tmp_path, mark):
    """The offset counts the bytes of the file, byte-order mark and all."""
    path = tmp_path / "latin.gold"
    path.write_bytes(mark + b"first\ncaf\xe9 1;\n")
    said = refusal(path)
    assert said.startswith(f"{path}:2: byte {len(mark) + 9} ")
    assert "0xe9" in said
    assert 'encoding="latin-1"' in said


@pytest.mark.parametrize("encoding", ["latin-1", "ISO-8859-15", "cp1252"])
def test_utf_8_is_read_as_such_where_latin_1_is_asked_for(tmp_path, encoding):
    path = tmp_path / "f.txt"
    path.write_bytes("café".encode())
    assert read_text(path, encoding=encoding)[0] == "café"


def test_another_encoding_can_be_asked_for(tmp_path):
    path = tmp_path / "latin.gold"
    path.write_bytes(b"caf\xe9")
    assert read_text(path, encoding="latin-1")[0] == "café"


@pytest.mark.parametrize("encoding", ["utf-9", "", "hex", "rot13", "idna", "punycode", "utf-8\0", "undefined"])
def test_an_encoding_that_cannot_be_used_is_refused_with_a_sentence(encoding):
    with pytest.raises(TouchstoneError):
        decode(b"caf\xc3\xa9.\xff..", "f", encoding)


@given(st.binary(max_size=30), st.sampled_from(["utf-8", "latin-1", "utf-16", "ascii", "cp1252", "utf-7", "utf-8-sig"]))
def test_any_bytes_become_text_or_a_sentence(raw, encoding):
    try:
        text = decode(raw, "f", encoding)
    except TouchstoneError:
        return
    assert text.strip()


def test_only_line_feeds_end_a_line():
    """Other control characters and separators of Unicode may stand inside an answer."""
    inside = "a\x0b\x0c\x1c\x85\u2028\u2029b"
    assert list(lines(f"{inside}\r\nc\rd\n")) == [(1, inside), (2, "c\rd")]


def test_blank_lines_count_but_are_not_given():
    assert list(lines("\n \t\na\n\r\nb")) == [(3, "a"), (5, "b")]


def test_the_digest_is_of_the_content_packed_or_not(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(gzip.compress(b"glad", mtime=0))
    assert read_bytes(path)[1].digest == hashlib.sha256(b"glad").hexdigest()


@pytest.mark.parametrize("start", [b"PAR1", b"ARROW1", b"PK\x03\x04"])
def test_a_binary_file_is_called_by_its_kind_not_by_an_encoding(tmp_path, start):
    path = tmp_path / "x.txt"
    path.write_bytes(start + b"\xff\xfe")
    assert "text is expected" in refusal(path)


def test_a_device_that_ends_at_once_is_an_empty_file():
    assert "empty" in refusal(os.devnull)


def test_plain_lines_are_never_read_as_a_whole(tmp_path, monkeypatch):
    path = tmp_path / "lines.txt"
    path.write_bytes(b"one\r\ntwo\n")
    monkeypatch.delattr(LineStream, "_from_memory")
    assert list(LineStream(path)) == ["one", "two"]
