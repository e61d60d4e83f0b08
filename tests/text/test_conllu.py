"""CoNLL-U is read and written without loss, and what is wrong with it is said."""

import pytest

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.text import format_conllu, parse_conllu, read_conllu

TWO = """# text = He didn't.
1\tHe\the\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2-3\tdidn't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tdid\tdo\tVERB\tVBD\t_\t0\troot\t_\t_
3\tn't\tnot\tPART\tRB\t_\t2\tadvmod\t_\t_
3.1\tghost\t_\t_\t_\t_\t_\t_\t_\t_
4\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_
"""


def test_words_count_and_ranges_and_empty_nodes_do_not():
    first, second = parse_conllu(TWO)
    assert first.forms == ("He", "did", "n't", ".")
    assert first.heads == (2, 0, 2, 2)
    assert [first.text[a:b] for a, b in zip(first.starts, first.ends, strict=True)] == list(first.forms)
    assert second.text == "Go"


def test_what_is_written_is_read_back():
    sentences = parse_conllu(TWO)
    again = parse_conllu("".join(format_conllu(sentence, ["note"]) for sentence in sentences))
    assert again == sentences


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("1\tGo", "2 columns"),
        ("1\tGo\tgo\t_\tVB\t_\tx\troot\t_\t_", "not a number"),
        ("1\tGo\tgo\t_\tVB\t_\t²\troot\t_\t_", "not a number"),
        ("1\tGo\tgo\t_\tVB\t_\t7\troot\t_\t_", "beyond the last word"),
        ("2\tGo\tgo\t_\tVB\t_\t0\troot\t_\t_", "where 1 should stand"),
    ],
)
def test_a_fault_is_named_with_its_line(row, said):
    with pytest.raises(TouchstoneError, match=said) as raised:
        parse_conllu(f"# a comment\n{row}\n", file="x.conllu")
    assert str(raised.value).startswith("x.conllu:")
    assert raised.value.codes == {Code.BAD_CELL}


def test_a_tab_or_line_feed_in_a_form_cannot_break_the_table():
    [sentence] = parse_conllu(TWO)[1:]
    odd = format_conllu(type(sentence)("a\nb", ("a\tb\nc",), (0,), (3,), ("NN",), ("",), (0,), ("root",)))
    assert parse_conllu(odd)[0].forms == ("a b c",)


def test_the_treebanks_are_read_whole(data):
    sentences = read_conllu(data("ud") / "ewt-dev.conllu")
    assert len(sentences) == 2001
    assert sum(len(sentence) for sentence in sentences) == 25147
    assert all(sentence.parsed and 0 in sentence.heads for sentence in sentences)
    again = parse_conllu("".join(map(format_conllu, sentences)))
    assert [s.heads for s in again] == [s.heads for s in sentences]
