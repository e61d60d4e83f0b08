"""The columns of the fast path are what the sentences say."""

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


@given(st.lists(TEXTS, max_size=6))
def test_columns_of_tokens_and_tags_are_those_of_the_sentences(texts):
    forms, tags = english().tag_columns(texts)
    sentences = list(english().tag(texts))
    assert [forms[row] for row in range(len(texts))] == [sentence.forms for sentence in sentences]
    assert [tags[row] for row in range(len(texts))] == [sentence.tags for sentence in sentences]


def test_columns_of_real_text_are_those_of_the_sentences(data):
    texts = (data("wmt12") / "cs-en" / "onlineB").read_text(encoding="utf-8").split("\n")[:300]
    forms, tags = english().tag_columns(texts)
    for row, sentence in enumerate(english().tag(texts)):
        assert (forms[row], tags[row]) == (sentence.forms, sentence.tags)
