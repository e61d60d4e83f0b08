"""The language model's view of a sentence: sums over the n-grams that hold the candidate, no floor."""

from math import log

import pytest

from touchstone.systems.substitution.language_models import SentenceScores, open_model, with_article
from touchstone.systems.substitution.targets import MarkedText, find_targets
from touchstone.systems.substitution.words import log_frequency

LN_10 = log(10)


def target(text, word):
    start = text.index(word)
    [found] = find_targets([MarkedText(text, (start, start + len(word)), "n", "match")])
    return found


def features(arpa, text, word, *phrases):
    return SentenceScores(open_model(arpa)).features(target(text, word), phrases)


def test_left_is_the_candidate_after_its_context_and_right_is_what_follows_it(arpa):
    found = features(arpa, "They lost the match", "match", "game", "match")
    # game: "lost the game" is listed, -0.2; then "the game </s>": no trigram and no back-off of "the game", none of
    # "game </s>" but the back-off of game -0.4, and </s> itself -1.0
    assert found["lm.left"][0] / LN_10 == pytest.approx(-0.2)
    assert found["lm.right"][0] / LN_10 == pytest.approx(-0.4 - 1.0)
    assert found["lm.left"][1] / LN_10 == pytest.approx(-0.35 - 0.2 - 1.5)
    assert found["lm.right"][1] / LN_10 == pytest.approx(-0.1 - 1.0)
    assert (found["lm.word"] / LN_10).tolist() == pytest.approx([-1.2, -1.5])


def test_a_sentence_that_begins_with_the_target_has_its_beginning_as_context(arpa):
    found = features(arpa, "match lost", "match", "game")
    # <s> game: no bigram, back-off of <s> -0.30103, game -1.2
    assert found["lm.left"][0] / LN_10 == pytest.approx(-0.30103 - 1.2)


def test_an_unknown_candidate_has_its_frequency_in_english(arpa):
    found = features(arpa, "They lost the match", "match", "tournament")
    assert found["lm.left"][0] == pytest.approx(log_frequency("tournament"))
    assert found["lm.word"][0] == pytest.approx(log_frequency("tournament"))


def test_a_phrase_is_scored_word_by_word_and_in_the_form_of_the_target(arpa):
    found = features(arpa, "They lost the matches", "matches", "ball game")
    assert found["lm.word"][0] == pytest.approx(log_frequency("ball") + log_frequency("games"))


def test_the_article_changes_with_the_candidate(arpa):
    assert with_article(["was", "a"], "event") == ["was", "an"]
    found = features(arpa, "They lost an match", "match", "game")
    # the article before game is "a", which the model does not have: no context
    assert found["lm.left"][0] / LN_10 == pytest.approx(-1.2)


def test_a_frame_is_what_follows_the_target_and_not_the_candidate():
    told = SentenceScores(open_model(None)).features(target("He told him to wait", "told"), ["say", "ask"])
    assert told["lm.frame"][0] < told["lm.frame"][1] <= 0
    plain = SentenceScores(open_model(None)).features(target("They lost the match yesterday", "match"), ["game"])
    assert plain["lm.frame"].tolist() == [0]
