"""The browser counts UTF-16 units: every offset is converted to the code point at the same place."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

VECTORS = json.loads((Path(__file__).parent / "utf16_vectors.json").read_text(encoding="utf-8"))

TEXTS = st.text(st.sampled_from("ae\u0301\u200d😀𝒳\n "), max_size=12)


def units(text):
    """Return the number of UTF-16 units of a text."""
    return len(text.encode("utf-16-le")) // 2


def test_spans_of_recorded_texts_become_code_points(editor):
    for vector in VECTORS:
        spans = [editor.call("text", "codePointSpan", vector["text"], *span) for span in vector["utf16"]]
        assert spans == vector["code_points"], vector["text"]


@given(TEXTS, st.data())
def test_any_utf16_span_covers_whole_characters_and_no_more(editor, text, data):
    start = data.draw(st.integers(0, units(text)))
    end = data.draw(st.integers(start, units(text)))
    first, last = editor.call("text", "codePointSpan", text, start, end)
    if start < end:
        touched = [n for n in range(len(text)) if units(text[:n]) < end and units(text[: n + 1]) > start]
        assert list(range(first, last)) == touched


@given(TEXTS, st.data())
def test_spans_at_the_borders_of_characters_are_exact(editor, text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    span = editor.call("text", "codePointSpan", text, units(text[:start]), units(text[:end]))
    assert span == [start, end]
