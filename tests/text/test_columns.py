"""The columns of both paths are what the sentences say."""

from hypothesis import example, given
from hypothesis import strategies as st

from touchstone.text import Tokeniser, english

TEXTS = st.text(st.sampled_from("abcN'’\".,:!?()-%1 \t\u00a0\u2028éß½_"), max_size=40)


@given(TEXTS)
@example("I cannot, I'm gonna. Wanna")
@example("'tis the dogs' d'ye more'n n't ''s")
@example("\u0130CANNOT \x1cgimme\x85lemme")
def test_forms_alone_are_the_forms_of_the_tokens(text):
    tokeniser = Tokeniser()
    for _ in range(2):  # when it learns a chunk, and when it remembers one
        assert tuple(tokeniser.forms(text)) == tokeniser.tokenise(text).forms


def rows(lists):
    return [lists[row] for row in range(len(lists))]


def check_columns(texts):
    tagged, parsed = english().columns(texts), english().columns(texts, parsed=True)
    fast, full = (list(analyse(texts, split=False)) for analyse in (english().tag, english().parse))
    assert rows(tagged.forms) == rows(parsed.forms) == [sentence.forms for sentence in fast]
    assert rows(tagged.tags) == [sentence.tags for sentence in fast]
    assert rows(parsed.tags) == [sentence.tags for sentence in full]
    assert parsed.heads.values.tolist() == [head for sentence in full for head in sentence.heads]
    assert rows(parsed.relations) == [sentence.relations for sentence in full]


@given(st.lists(TEXTS, max_size=6))
def test_columns_are_what_the_sentences_say(texts):
    check_columns(texts)


def test_columns_of_real_text_are_what_the_sentences_say(data):
    check_columns((data("wmt12") / "cs-en" / "onlineB").read_text(encoding="utf-8").split("\n")[:300])
