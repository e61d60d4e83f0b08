"""The array file: what it promises, and that a damaged one is refused with a sentence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.lexicon.container import ALIGNMENT, open_container, pack, unpack
from touchstone.lexicon.strings import Strings, pack_strings

ARRAYS = {
    "small": np.arange(5, dtype=np.uint8),
    "none": np.empty(0, np.uint32),
    "wide": np.arange(300, dtype=np.uint16),
}
CONTENT = pack(ARRAYS, {"name": "toy"})


def test_arrays_come_back_as_they_were():
    container = unpack(CONTENT)
    assert container.about == {"name": "toy"}
    for name, array in ARRAYS.items():
        assert container.arrays[name].dtype == array.dtype
        assert container.arrays[name].tolist() == array.tolist()


def test_arrays_are_aligned_and_read_only(tmp_path):
    path = tmp_path / "toy.lexicon"
    path.write_bytes(CONTENT)
    for array in open_container(path).arrays.values():
        assert array.ctypes.data % ALIGNMENT == 0
        assert not array.flags.writeable


def test_the_digest_tells_contents_apart():
    assert unpack(CONTENT).digest == unpack(pack(ARRAYS, {"name": "toy"})).digest
    assert unpack(CONTENT).digest != unpack(pack(ARRAYS, {"name": "Toy"})).digest


@pytest.mark.parametrize("length", [*range(0, 80, 7), len(CONTENT) // 2, len(CONTENT) - 1])
def test_a_file_cut_short_gets_a_sentence(tmp_path, length):
    path = tmp_path / "cut.lexicon"
    path.write_bytes(CONTENT[:length])
    with pytest.raises(TouchstoneError) as caught:
        open_container(path)
    assert "cut.lexicon" in str(caught.value)


@given(st.integers(0, len(CONTENT) - 1), st.integers(1, 255))
def test_a_changed_byte_anywhere_gets_a_sentence(place, change):
    damaged = bytearray(CONTENT)
    damaged[place] ^= change
    with pytest.raises(TouchstoneError):
        unpack(bytes(damaged))


@given(st.binary(max_size=200))
def test_bytes_that_are_no_lexicon_get_a_sentence(raw):
    with pytest.raises(TouchstoneError) as refused:
        unpack(raw)
    assert refused.value.code == Code.UNREADABLE


def test_bytes_after_the_end_get_a_sentence():
    with pytest.raises(TouchstoneError) as refused:
        unpack(CONTENT + b"\0")
    assert refused.value.code == Code.UNREADABLE


def test_a_missing_file_and_a_folder_get_a_sentence(tmp_path):
    with pytest.raises(TouchstoneError) as refused:
        open_container(tmp_path / "absent.lexicon")
    assert refused.value.code == Code.NO_FILE
    with pytest.raises(TouchstoneError) as refused:
        open_container(tmp_path)
    assert refused.value.code == Code.NO_FILE


texts = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), unique=True, max_size=30)


@given(texts, st.lists(st.text(max_size=8), max_size=10))
def test_strings_are_found_exactly_where_they_stand(known, others):
    strings = Strings(pack_strings(known, "x", indexed=True), "x")
    asked = [*known, *others]
    expected = [known.index(text) if text in known else -1 for text in asked]
    assert [strings.find(text) for text in asked] == expected
    assert strings.find_all(asked).tolist() == expected
    assert [strings[number] for number in range(len(strings))] == known


def test_two_strings_with_one_checksum_are_told_apart():
    # CRC-32 of both is 0x4ddb0c25.
    pair = ["plumless", "buckeroo"]
    strings = Strings(pack_strings(pair, "x", indexed=True), "x")
    assert strings.find_all([*pair, "plumles"]).tolist() == [0, 1, -1]
