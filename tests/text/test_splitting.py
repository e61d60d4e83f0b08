"""Sentences of news text are found; abbreviations, initials and numbers do not end them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.text import split_sentences


def sentences(text):
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize(
    "parts",
    [
        ["It rained."],
        ["It rained.", "He stayed in."],
        ["Dr. J. Smith of the U.S. Navy paid $3.50 for no. 7 on Jan. 5.", "Nobody knew."],
        ['"Stop!" she said.', '"Why?"', "He left."],
        ["He works at Acme Inc. in Ohio.", "She does not."],
        ["Really?!", "Yes...", "Well (sort of.)", "End"],
        ["The price rose 2.5 per cent.", "1,000 people came."],
    ],
)
def test_sentences_are_cut_where_people_cut_them(parts):
    assert sentences(" ".join(parts)) == parts


def test_a_blank_line_ends_a_sentence_even_without_a_mark():
    assert sentences("A heading\n\nThe text begins") == ["A heading", "The text begins"]


@given(st.text(alphabet="aB.!? \n\"')", max_size=60))
def test_nothing_but_blanks_is_lost(text):
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
