"""GGUF files: what was stored is read back, and damage gets a sentence."""

import struct
from pathlib import Path

import numpy as np
import pytest

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.neural.gguf import read_gguf


def _string(text):
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _write(path, tensors, metadata=()):
    """Write a GGUF file of version 3; a tensor is (name, shape as stored, kind, bytes)."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata))
    head += b"".join(_string(key) + struct.pack("<I", kind) + value for key, kind, value in metadata)
    offset, data = 0, b""
    for name, shape, kind, raw in tensors:
        head += _string(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset)
        padded = raw + b"\0" * (-len(raw) % 32)
        data, offset = data + padded, offset + len(padded)
    path.write_bytes(head + b"\0" * (-len(head) % 32) + data)
    return path


def test_numbers_strings_and_lists_of_the_metadata_are_read(tmp_path: Path):
    words = struct.pack("<IQ", 8, 2) + _string("é") + _string("b")
    path = _write(tmp_path / "m.gguf", [], [("a", 4, struct.pack("<I", 7)), ("w", 9, words), ("t", 7, b"\1")])
    assert read_gguf(path).metadata == {"a": 7, "w": ["é", "b"], "t": True}


def test_plain_numbers_keep_their_rows(tmp_path: Path):
    raw = np.arange(6, dtype=np.float32).tobytes()
    path = _write(tmp_path / "m.gguf", [("x", (3, 2), 0, raw), ("h", (2,), 1, np.array([0.5, -2], "<f2").tobytes())])
    file = read_gguf(path)
    assert file.tensor("x").tolist() == [[0, 1, 2], [3, 4, 5]]
    assert file.tensor("h").tolist() == [0.5, -2]


@pytest.mark.parametrize(
    ("kind", "block", "weights"),
    [
        (2, struct.pack("<e", 0.5) + bytes([0x90] * 16), [(0 - 8) * 0.5] * 16 + [(9 - 8) * 0.5] * 16),
        (3, struct.pack("<ee", 0.5, -1) + bytes([0x21] * 16), [1 * 0.5 - 1] * 16 + [2 * 0.5 - 1] * 16),
        (8, struct.pack("<e", 0.25) + bytes([255] * 32), [-1 * 0.25] * 32),
    ],
)
def test_a_quantised_block_is_scale_times_number_plus_least(tmp_path: Path, kind, block, weights):
    path = _write(tmp_path / "m.gguf", [("x", (32,), kind, block)])
    assert read_gguf(path).tensor("x").tolist() == weights


def test_a_kind_that_is_not_read_is_named_with_those_that_are(tmp_path: Path):
    path = _write(tmp_path / "m.gguf", [("x", (256,), 12, b"\0" * 144)])
    with pytest.raises(TouchstoneError) as refused:
        read_gguf(path).tensor("x")
    assert refused.value.code == Code.UNSUPPORTED
    assert "Q4_1" in refused.value.hint


def test_a_file_cut_anywhere_gets_a_sentence(tmp_path: Path):
    words = struct.pack("<IQ", 8, 2) + _string("word") + _string("b")
    raw = np.arange(64, dtype=np.float32).tobytes()
    whole = _write(tmp_path / "m.gguf", [("x", (64,), 0, raw)], [("w", 9, words)]).read_bytes()
    for length in range(0, len(whole), 7):
        cut = tmp_path / "cut.gguf"
        cut.write_bytes(whole[:length])
        with pytest.raises(TouchstoneError):
            read_gguf(cut).tensor("x")


def test_a_missing_file_and_another_format_get_a_sentence(tmp_path: Path):
    with pytest.raises(TouchstoneError) as refused:
        read_gguf(tmp_path / "none.gguf")
    assert refused.value.code == Code.UNREADABLE
    (tmp_path / "text.gguf").write_text("GGML" * 10)
    with pytest.raises(TouchstoneError) as refused:
        read_gguf(tmp_path / "text.gguf")
    assert refused.value.code == Code.UNREADABLE
