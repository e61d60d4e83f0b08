"""The edit between two sentences: found once, whatever the sentences hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.tasks.nli.edits import find_edit, single_edits, spans, tokens
from touchstone.tasks.nli.model import Pair, Span


def edit(premise, hypothesis, **more):
    return find_edit(Pair("1", premise, hypothesis, **more))


def sides(premise, hypothesis, **more):
    found = edit(premise, hypothesis, **more)
    return found.replaced, found.replacement


def test_hyphens_split_unless_they_are_kept():
    assert sides("a four-wheeled cart", "a six-wheeled cart") == (("four",), ("six",))
    kept = find_edit(Pair("1", "a four-wheeled cart", "a six-wheeled cart"), hyphens=True)
    assert (kept.replaced, kept.replacement) == (("four-wheeled",), ("six-wheeled",))


def test_case_and_blanks_are_no_edit():
    assert edit("The  Dog ran", "the dog ran") is None


def test_articles_before_both_words_are_not_part_of_the_edit():
    assert sides("He has an apple.", "He has a pear.") == (("apple",), ("pear",))
    assert sides("He has a", "He has the") == (("a",), ("the",))


def test_a_final_period_of_one_sentence_is_no_edit():
    assert sides("He eats soup.", "He eats bread") == (("soup",), ("bread",))
    assert edit("He eats.", "He eats") is None


def test_a_side_may_be_empty():
    assert sides("He does not eat", "He does eat") == (("not",), ())


def test_the_first_of_several_places_is_the_edit_and_all_are_counted():
    found = edit("a red hat and a red coat", "a blue hat and a blue coat")
    assert (found.replaced, found.replacement, found.places, found.single) == (("red",), ("blue",), 2, False)


def test_spans_given_with_the_pair_count_more_than_the_alignment():
    marks = {"replaced": (Span("hat", 6, 9),), "replacement": (Span("cap", 7, 10),)}
    assert sides("a red hat", "a blue cap", **marks) == (("hat",), ("cap",))


def test_only_one_word_for_one_word_gives_two_words():
    assert edit("a sad girl", "a merry girl").words == ("sad", "merry")
    assert edit("a guitar", "an electric guitar").words is None


def test_spans_say_where_the_tokens_stand():
    assert spans("He holds an electric guitar.", 3, 5) == Span("electric guitar", 12, 27)
    assert spans("He eats", 2, 2) == Span("", 7, 7)


def test_single_edits_replace_one_or_two_tokens_in_one_place(gold_of):
    texts = ["He eats fish", "He eats old fish", "He eats a bowl of soup", "She eats soup", "He eats"]
    pairs = [Pair(str(n), "He eats bread", text) for n, text in enumerate(texts)]
    assert [pair.hypothesis for pair in single_edits(gold_of(pairs)).pairs] == [*texts[:2]]


sentences = st.lists(st.sampled_from(["a", "the", "cat", "dog", "sat", "on", ".", "-", "'s", "red"]), min_size=1).map(
    " ".join
)


@given(sentences, sentences)
def test_an_edit_is_found_exactly_where_the_tokens_differ(premise, hypothesis):
    found = edit(premise, hypothesis)
    before, after = tokens(premise), tokens(hypothesis)
    if found is None:
        assert [t for t in before if t != "."] == [t for t in after if t != "."]
    else:
        assert found.replaced != found.replacement
        assert before[found.start : found.end] == list(found.replaced)
        assert after[found.new_start : found.new_end] == list(found.replacement)


def test_sets_without_single_edits_are_refused(gold_of):
    with pytest.raises(TouchstoneError) as error:
        single_edits(gold_of([Pair("1", "a", "a")]))
    assert error.value.code == Code.UNSUPPORTED
