"""Tokens are the treebank's, and each knows where it stands."""

import time

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
        ('"Go!" he said ("now").', ["``", "Go", "!", "''", "he", "said", "(", "``", "now", "''", ")", "."]),
        ('He said "go."', ["He", "said", "``", "go", ".", "''"]),
        ("at 10:30, 3:1: x", ["at", "10:30", ",", "3:1", ":", "x"]),
        ("a@b.com #1 R&D", ["a", "@", "b.com", "#", "1", "R", "&", "D"]),
        ("The U.S. and E.U. met in the U.S.", ["The", "U.S.", "and", "E.U.", "met", "in", "the", "U.S", "."]),
    ],
)
def test_marks_clitics_and_quotes_are_cut_as_in_the_treebank(text, forms):
    assert list(Tokeniser().tokenise(text).forms) == forms


@given(st.text(max_size=60))
def test_every_letter_that_is_no_blank_is_in_exactly_one_token_and_in_order(text):
    tokens = Tokeniser().tokenise(text)
    under = "".join(text[start:end] for start, end in zip(tokens.starts, tokens.ends, strict=True))
    assert under == "".join(text.split())
    assert all(end <= start for end, start in zip(tokens.ends, tokens.starts[1:], strict=False))


@given(st.text(alphabet="ab'\".,:-n`(t ", max_size=40))
def test_a_form_is_the_text_under_it_or_a_treebank_quote(text):
    tokens = Tokeniser().tokenise(text)
    for form, start, end in zip(tokens.forms, tokens.starts, tokens.ends, strict=True):
        assert form == text[start:end] or (form in ("``", "''") and text[start:end] in ('"', "''"))


@given(st.lists(st.text(alphabet="can't no.\"(gonna", max_size=20), max_size=5))
def test_what_was_seen_before_changes_nothing(texts):
    shared = Tokeniser()
    assert [shared.tokenise(text) for text in texts + texts] == [Tokeniser().tokenise(text) for text in texts + texts]


def test_a_line_of_a_hundred_thousand_characters_takes_no_time():
    start = time.process_time()
    for text in ("x" * 100_000, "'" * 100_000, "." * 100_000, "n't" * 33_000, "(" * 100_000, "cannot" * 16_000):
        assert Tokeniser().tokenise(text).ends[-1] == len(text)
    assert time.process_time() - start < 20


def test_a_curly_apostrophe_between_letters_is_an_apostrophe():
    found = Tokeniser().tokenise("She didn\u2019t see Ann\u2019s dog.")
    assert list(found.forms) == ["She", "did", "n't", "see", "Ann", "'s", "dog", "."]
    assert (found.starts[2], found.ends[2]) == (7, 10)
