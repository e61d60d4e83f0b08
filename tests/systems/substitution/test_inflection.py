"""Candidates take the form of the word they stand for."""

import pytest

from touchstone.systems.substitution.words import form_of
from touchstone.text.inflection import inflected


@pytest.mark.parametrize(
    ("phrase", "tag", "form"),
    [
        ("game", "NNS", "games"),
        ("mouse", "NNS", "mice"),
        ("car park", "NNS", "car parks"),
        ("give up", "VBD", "gave up"),
        ("take", "VBN", "taken"),
        ("undergo", "VBN", "undergone"),
        ("put", "VBD", "put"),
        ("stop", "VBD", "stopped"),
        ("visit", "VBG", "visiting"),
        ("dream", "VBD", "dreamed"),
        ("woman", "NNS", "women"),
        ("human", "NNS", "humans"),
        ("good", "JJR", "better"),
        ("try", "VBZ", "tries"),
        ("run", "VBG", "running"),
        ("smart", "JJR", "smarter"),
        ("intelligent", "JJS", "most intelligent"),
        ("well lit", "JJR", "more well lit"),
        ("soon", "RBR", "sooner"),
        ("game", "NN", "game"),
        ("glorp", "VBD", "glorped"),
    ],
)
def test_a_lemma_takes_the_form_that_the_tag_names(phrase, tag, form):
    assert inflected(phrase, tag) == form


def test_a_tag_of_another_part_of_speech_gives_way_to_the_form():
    assert form_of("NN", "taken", "take", "v") == "VBN"
    assert form_of("VBZ", "matches", "match", "n") == "NNS"
    assert form_of("NN", "best", "good", "a") == "JJS"
    assert form_of("XX", "zzz", "match", "n") == "NN"
