"""The word in its sentence: found by word or by place, with its lemma, its part of speech and its form."""

import pytest

from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.systems.substitution.targets import MarkedText, find_span, find_targets


def target(text, span, pos=None, lemma=None):
    [found] = find_targets([MarkedText(text, span, pos, lemma)])
    return found


def test_a_word_is_found_as_a_whole_word_whatever_its_case():
    assert find_span("Bridges bridge rivers.", "bridge") == (8, 14)
    assert find_span("MATCH day", "match") == (0, 5)


def test_a_word_that_stands_twice_is_found_at_the_place_that_is_named():
    text = "A match is a match."
    with pytest.raises(TouchstoneError, match=r"(?s)occurs 2 times.*it begins at 2, 13; choose one with at=2"):
        find_span(text, "match")
    assert find_span(text, "match", at=2) == (2, 7)
    assert find_span(text, "match", at=13) == (13, 18)
    with pytest.raises(TouchstoneError) as error:
        find_span(text, "match", at=5)
    assert error.value.code == Code.BAD_VALUE


def test_a_word_that_is_not_there_is_refused_with_the_nearest_that_is():
    with pytest.raises(TouchstoneError) as error:
        find_span("They lost the match", "matches")
    assert 'the word is not in the sentence: "matches"; nearest valid word "match"' in str(error.value)
    with pytest.raises(TouchstoneError) as error:
        find_span("They lost the match", " ")
    assert error.value.code == Code.BAD_VALUE


@pytest.mark.parametrize("span", [(14, 40), (-1, 3), (5, 5), (9, 4)])
def test_characters_outside_the_sentence_are_refused(span):
    with pytest.raises(TouchstoneError) as error:
        target("They lost the match", span)
    assert error.value.code == Code.OUT_OF_RANGE


def test_a_span_of_blanks_and_an_unknown_part_of_speech_are_refused():
    with pytest.raises(TouchstoneError) as error:
        target("They  lost", (4, 6))
    assert error.value.code == Code.BAD_VALUE
    with pytest.raises(TouchstoneError, match="unknown part of speech"):
        target("They lost the match", (14, 19), pos="x")


def test_a_function_word_is_refused_unless_its_part_of_speech_is_named():
    with pytest.raises(TouchstoneError) as error:
        target("They lost the match", (10, 13))
    assert error.value.code == Code.UNKNOWN_NAME


def test_the_tag_gives_part_of_speech_lemma_and_form():
    found = target("They lost two matches yesterday.", (14, 21))
    assert (found.lemma, found.pos, found.tag) == ("match", "n", "NNS")
    assert found.span == (14, 21)
    assert target("She runs daily.", (4, 8)).tag == "VBZ"


def test_what_the_user_says_of_the_word_goes_before_the_tag():
    found = target("Her running improved.", (4, 11), pos="v", lemma="run")
    assert (found.lemma, found.pos, found.tag) == ("run", "v", "VBG")


def test_words_around_it_leave_out_marks_and_join_clitics():
    text = "He didn't, in fact, lose the old \"match\" , Tom's friend said."
    found = target(text, find_span(text, "match"))
    assert found.words(2) == (["the", "old"], ["tom's", "friend"])
    assert found.words(9)[0] == ["he", "didn't", "in", "fact", "lose", "the", "old"]
