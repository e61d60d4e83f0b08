"""Tokens are the treebank's, and each knows where it stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.text import Tokeniser


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("", []),
        (" \t\n ", []),
        ("Hello, world.", ["Hello", ",", "world", "."]),
        ("It costs $1,000.50 (or 5%).", ["It", "costs", "$", "1,000.50", "(", "or", "5", "%", ")", "."]),
        ("Mr. Smith's dogs' toys", ["Mr.", "Smith", "'s", "dogs", "'", "toys"]),
        ("They'll say I'm sure he'd've gone", ["They", "'ll", "say", "I", "'m", "sure", "he'd", "'ve", "gone"]),
        ("Don't; can't! CAN'T?", ["Do", "n't", ";", "ca", "n't", "!", "CA", "N'T", "?"]),
        ("I cannot. You cannot", ["I", "can", "not", ".", "You", "can", "not"]),
        ("gonna wanna gimme", ["gon", "na", "wan", "na", "gim", "me"]),
        ("'Tis said -- 'twas so...", ["'T", "is", "said", "--", "'t", "was", "so", "..."]),
        ('"Go!" he said ("now").', ['"', "Go", "!", '"', "he", "said", "(", '"', "now", '"', ")", "."]),
        ("“Don’t,” he said… ‘so’", ["“", "Do", "n’t", ",", "”", "he", "said", "…", "‘", "so", "’"]),
        ("at 10:30, 3:1: x", ["at", "10:30", ",", "3:1", ":", "x"]),
        ("a.b@c.com #1 #tag @name R&D", ["a.b@c.com", "#", "1", "#tag", "@name", "R&D"]),
        ("See http://a.org/b-c?d=1, www.x.net.", ["See", "http://a.org/b-c?d=1", ",", "www.x.net", "."]),
        ("The U.S. and E.U. met in the U.S.", ["The", "U.S.", "and", "E.U.", "met", "in", "the", "U.S."]),
        ("a 15-year-old's non-profit", ["a", "15", "-", "year", "-", "old", "'s", "non-profit"]),
        ("and/or 9/11 — 3–4", ["and", "/", "or", "9/11", "—", "3", "–", "4"]),
        ("7:30pm, 35mm 1990s 20th", ["7:30", "pm", ",", "35", "mm", "1990s", "20th"]),
        ("No. 5 etc. are fine. No.", ["No.", "5", "etc.", "are", "fine", ".", "No", "."]),
        ("nice :) 👍🏽👩‍👧 :-(", ["nice", ":)", "👍🏽", "👩‍👧", ":-("]),
        ("'so called' thing", ["'", "so", "called", "'", "thing"]),
    ],
)
def test_tokens_are_those_of_the_treebanks(text, forms):
    assert list(Tokeniser().tokenise(text).forms) == forms


@given(st.text(max_size=60))
def test_every_letter_that_is_no_blank_is_in_exactly_one_token_and_in_order(text):
    tokens = Tokeniser().tokenise(text)
    under = "".join(text[start:end] for start, end in zip(tokens.starts, tokens.ends, strict=True))
    assert under == "".join(text.split())
    assert all(end <= start for end, start in zip(tokens.ends, tokens.starts[1:], strict=False))


@given(st.text(alphabet="ab'\".,:-n`(t /@#1“’…\u200d👍", max_size=40))
def test_a_form_is_the_text_under_it(text):
    tokens = Tokeniser().tokenise(text)
    places = zip(tokens.starts, tokens.ends, strict=True)
    assert tokens.forms == tuple(text[start:end] for start, end in places)


@given(st.lists(st.text(alphabet="can't no.\"(gonna", max_size=20), max_size=5))
def test_what_was_seen_before_changes_nothing(texts):
    shared = Tokeniser()
    assert [shared.tokenise(text) for text in texts + texts] == [Tokeniser().tokenise(text) for text in texts + texts]
