"""The matching key: spelling is not the task."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from touchstone.tasks.lexsub.model import key

ANSWERS = st.text(max_size=12) | st.text("nonNON -_'’‐–eE\u0301 \tx", max_size=10)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("garden", "garden"),
        ("BSE", "bse"),
        ("Straße", "strasse"),
        ("well-to-do", "well to do"),
        ("well\u2010to\u2011do\u2012or\u2013not", "well to do or not"),
        ("well_to_do", "well to do"),
        ("o'clock", "oclock"),
        ("o\u2019clock", "oclock"),
        ("\u2018twas", "twas"),
        ("'don't'", "dont"),
        ("  garden \t  path\u00a0 ", "garden path"),
        ("non-captive", "noncaptive"),
        ("Non captive", "noncaptive"),
        ("non_captive", "noncaptive"),
        ("noncaptive", "noncaptive"),
        ("non", "non"),
        ("non-", "non"),
        ("nonsense", "nonsense"),
        ("canon ball", "canon ball"),
        ("a non-event", "a non event"),
        ("non-non-captive", "nonnon captive"),
        ("cafe\u0301", "café"),
        ("11.27 kilograms", "11.27 kilograms"),
        ("x", "x"),
        ("---", ""),
        ("'", ""),
        ("", ""),
    ],
)
def test_the_rules_of_the_specification(answer, expected):
    assert key(answer) == unicodedata.normalize("NFC", expected)


def test_a_dash_beyond_the_hyphens_is_a_letter_like_any_other():
    """U+2014 is not among the hyphens U+2010 to U+2013."""
    assert key("a\u2014b") == "a\u2014b"


@given(ANSWERS)
@example("e'\u0301")
@example("non-\u0301x")
@example("\u0345\u0300")
@example("İ")
def test_a_key_is_its_own_key(answer):
    assert key(key(answer)) == key(answer)


@given(ANSWERS)
@example("e'\u0301")
def test_a_key_is_composed_and_has_no_hyphen_apostrophe_or_outer_blank(answer):
    found = key(answer)
    assert unicodedata.is_normalized("NFC", found)
    assert not set(found) & set("'\u2018\u2019-_\u2010\u2011\u2012\u2013")
    assert found == " ".join(found.split())


@given(ANSWERS)
def test_forms_of_unicode_do_not_part_answers(answer):
    assert key(unicodedata.normalize("NFD", answer)) == key(unicodedata.normalize("NFC", answer))


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=8), st.text("abcxyz", min_size=1, max_size=8))
def test_blank_hyphen_and_underscore_are_the_same(first, second):
    keys = {key(f"{first}{joint}{second}") for joint in (" ", "-", "_", "  ", "\u2010", " - ", "-_")}
    assert len(keys) == 1


@given(st.text("abcdefghijklmnopqrstuvwxyz ", max_size=12))
def test_capitals_and_outer_blanks_do_not_count(answer):
    assert key(f" {answer.upper()}\t") == key(answer)


@given(st.text("abcxyz", min_size=1, max_size=8))
def test_a_leading_non_is_glued(word):
    assert key(f"non-{word}") == key(f"non {word}") == key(f"non{word}") == f"non{word}"


def test_a_key_of_several_words_has_a_blank():
    assert [" " in key(answer) for answer in ("garden", "well-off", "non-captive", "of course")] == [
        False,
        True,
        False,
        True,
    ]
