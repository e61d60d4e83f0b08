import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.tasks.mt.meteor.tokens import split_line, tokens

RULES = [
    ("a(b)c/d", "a ( b ) c / d"),
    ("naïve Žižek Привет", "naïve žižek привет"),
    ("wait... what....", "wait ... what ...."),
    ("one, two,three 1,000 x,5 5,x", "one , two , three 1,000 x , 5 5 , x"),
    ("a,b,c", "a , b,c"),  # b is taken by the first match, so the second comma has no neighbour
    ("`so' ‘it’ “is”", "' so ' ' it ' \" is \""),
    ("''quoted''", '" quoted "'),
    ("long–dash double--dash a -- b", "long - dash double dash a - b"),
    ("left -right up-to-date u.s.-based", "left -right up to date us based"),
    ("aren't Smith's 1990's rock 'n' roll", "aren 't smith 's 1990 's rock ' n ' roll"),
    ("The U.S. and U.N.", "the us and un"),
    ("Mr. Brown met Prof. Green.", "mr. brown met prof. green ."),
    ("Acme Inc. said. Then", "acme inc. said . then"),
    ("No. 5, no. No. See Art. 7 on pp. 3", "no. 5 , no . no . see art. 7 on pp. 3"),
    ("3.5. End.", "3.5 . end ."),
    ("one\u00a0two\u2009three\u3000four", "one two three four"),
    ("zero\u200bwidth", "zero \u200b width"),
    ("", ""),
]


@pytest.mark.parametrize(("text", "expected"), RULES)
def test_each_rule_of_meteors_tokens(text, expected):
    assert tokens(text) == expected.split(" ") * bool(expected)
    assert split_line(text) == tokens(text)


def test_ordinary_words_are_themselves_in_lower_case():
    assert tokens("The 3 CATS") == ["the", "3", "cats"]


pieces = st.sampled_from(
    [
        "a",
        "B",
        "7",
        "the",
        "No",
        "Mr",
        "U.S",
        ".",
        "..",
        ",",
        "'",
        "''",
        "-",
        "--",
        "`",
        "’",
        '"',
        "(",
        "s",
        " ",
        " ",
        " ",
    ]
)


@given(st.lists(pieces, max_size=25).map("".join))
def test_pieces_split_on_their_own_give_the_tokens_of_the_whole_line(text):
    assert tokens(text) == split_line(text)
    assert tokens(text) == split_line(text)  # remembered


@given(st.text(max_size=40))
def test_any_text_has_tokens_without_blanks(text):
    assert all(token and not set(token) & set(" \t\n\r\f\u00a0") for token in tokens(text))
