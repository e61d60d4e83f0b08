"""The numbers of a set of commands over all tasks stay the same, to nine digits on any machine."""

import gzip
import json

import pytest
from tests.recorded.record import RECORDED, commands, folder_of, numbers, printed

EXPECTED = json.loads(gzip.decompress(RECORDED.read_bytes()))


@pytest.mark.parametrize(("name", "words"), commands(), ids=lambda text: text[:60])
def test_numbers_stay_the_same(name, words):
    folder = folder_of(name)
    if folder is None:
        pytest.skip("real data: set TOUCHSTONE_DATA to its folder")
    actual = dict(numbers(printed(folder, words)))
    expected = EXPECTED[f"{name}: {words}"]
    assert actual.keys() == expected.keys()
    assert actual == pytest.approx(expected, rel=1e-9, abs=1e-12)
