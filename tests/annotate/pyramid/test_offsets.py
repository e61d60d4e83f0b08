"""A browser counts UTF-16 units: every offset comes back as the code point that it stands before."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.annotate.pyramid import code_point_offset, code_point_span, utf16_offset

VECTORS = json.loads((Path(__file__).parent / "utf16_vectors.json").read_text(encoding="utf-8"))

TEXTS = st.text(st.sampled_from("ae\u0301\u200d😀𝒳\n "), max_size=12)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: ascii(vector["text"]))
def test_the_vectors_that_the_browser_is_tested_with(vector):
    text = vector["text"]
    assert [list(code_point_span(text, *span)) for span in vector["utf16"]] == vector["code_points"]


@given(TEXTS, st.data())
def test_offsets_agree_with_the_encoding(text, data):
    offset = data.draw(st.integers(0, len(text)))
    units = utf16_offset(text, offset)
    assert units == len(text[:offset].encode("utf-16-le")) // 2
    assert code_point_offset(text, units) == offset


@given(TEXTS, st.data())
def test_any_utf16_span_covers_whole_characters_and_no_more(text, data):
    total = len(text.encode("utf-16-le")) // 2
    start = data.draw(st.integers(0, total))
    end = data.draw(st.integers(start, total))
    first, last = code_point_span(text, start, end)
    touched = [n for n in range(len(text)) if utf16_offset(text, n) < end and utf16_offset(text, n + 1) > start]
    if start < end:
        assert list(range(first, last)) == touched
