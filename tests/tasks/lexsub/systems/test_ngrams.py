"""Language models: ARPA, KenLM and Sphinx agree on what a probability is; damaged files are refused with a sentence."""

from functools import cache
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone import TouchstoneError
from touchstone.tasks.lexsub.systems.ngrams import open_model
from touchstone.tasks.lexsub.systems.ngrams.arpa import read_arpa
from touchstone.tasks.lexsub.systems.ngrams.kenlm_files import KenlmModel
from touchstone.tasks.lexsub.systems.ngrams.sphinx import SphinxModel, installed_model

LN_10 = log(10)
VOCABULARY = ["<s>", "</s>", "the", "match", "game", "they", "lost", "zebra"]


@cache
def both_readers(path):
    """Return the same model by our reader and by KenLM's, which opens ARPA files too."""
    return read_arpa(path), KenlmModel(path)


def logs(model, *grams):
    return (model.score([gram.split() for gram in grams]) / LN_10).tolist()


def test_a_listed_n_gram_has_the_probability_that_the_file_gives_it(arpa):
    assert logs(read_arpa(arpa), "the", "the game", "lost the game") == pytest.approx([-0.5, -0.3, -0.2])


def test_what_is_not_listed_backs_off_by_the_weights_of_its_contexts(arpa):
    # lost the match: no trigram, back off "lost the" -0.35; no bigram "the match", back off "the" -0.2; match -1.5
    assert logs(read_arpa(arpa), "lost the match") == pytest.approx([-0.35 - 0.2 - 1.5])
    # the context "game the" is not listed and costs nothing
    assert logs(read_arpa(arpa), "game the game") == pytest.approx([-0.3])


def test_an_unknown_word_has_no_probability_and_an_unknown_word_before_tells_nothing(arpa):
    found = read_arpa(arpa).score([["the", "zebra"], ["zebra", "game"]])
    assert np.isnan(found[0])
    assert found[1] / LN_10 == pytest.approx(-1.2)


def test_words_beyond_the_order_do_not_matter(arpa):
    model = read_arpa(arpa)
    assert model.order == 3
    assert logs(model, "match they lost the game") == logs(model, "lost the game")


@given(grams=st.lists(st.lists(st.sampled_from(VOCABULARY[1:]), min_size=1, max_size=4), min_size=1, max_size=30))
def test_the_arpa_reader_gives_what_kenlm_gives(grams, shared_arpa):
    ours, theirs = (model.score(grams) for model in both_readers(shared_arpa))
    assert ours == pytest.approx(theirs, abs=1e-5, nan_ok=True)


def test_the_beginning_of_a_sentence_is_a_context_in_both(shared_arpa):
    grams = [["<s>", "they"], ["<s>", "they", "lost"]]
    ours, theirs = (model.score(grams) for model in both_readers(shared_arpa))
    assert ours == pytest.approx(theirs, abs=1e-5)


def test_the_sphinx_model_takes_words_in_their_order():
    model = SphinxModel(installed_model())
    # the package's own figures for [states, united, the] and its reverse: -1211 and -61307 to the base 1.0001
    right, wrong = model.score([["the", "united", "states"], ["states", "united", "the"]])
    assert right == pytest.approx(-1211 * log(1.0001))
    assert wrong == pytest.approx(-61307 * log(1.0001))


def test_the_sphinx_model_says_nothing_of_an_unknown_word():
    found = SphinxModel(installed_model()).score([["zxqzx"], ["zxqzx", "states"], ["states"]])
    assert np.isnan(found[0])
    assert found[1] == found[2]


def test_a_model_is_told_by_its_first_bytes(arpa):
    assert open_model(arpa).order == 3
    assert isinstance(open_model(installed_model()), SphinxModel)
    assert isinstance(open_model(None), SphinxModel)


def test_a_missing_model_says_how_to_get_one(tmp_path):
    with pytest.raises(TouchstoneError) as error:
        open_model(tmp_path / "none.arpa")
    assert "no such language model" in str(error.value)
    assert "touchstone[lm]" in str(error.value)


def test_without_pocketsphinx_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pocketsphinx", None)
    with pytest.raises(TouchstoneError, match="no language model is installed") as error:
        installed_model()
    assert "touchstone[lm]" in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("\\data\\\n", "", "it has no line '\\data\\'"),
        ("ngram 2=4", "ngram 2=5", "4 2-grams, where the head of the file announces 5"),
        ("ngram 2=4", "ngram 2=3", "more than the 3 2-grams"),
        ("ngram 2=4", "ngram 4=4", "n-gram counts out of order"),
        ("\\3-grams:", "\\4-grams:", "'\\3-grams:' should stand here"),
        ("-1.5 match -0.1", "-1.5x match -0.1", "not a number"),
        ("-1.5 match -0.1", "1.5 match -0.1", "not the logarithm of a probability"),
        ("-1.5 match -0.1", "nan match -0.1", "not the logarithm of a probability"),
        ("-1.5 match -0.1", "-1.5 game -0.1", 'a word that is listed twice: "game"'),
        ("-0.3 the game", "-0.3 the zebra", 'a word that is not among the 1-grams: "zebra"'),
        ("-0.3 the game", "-0.3 lost the", "a 2-gram that is listed twice"),
        ("-0.3 the game", "-0.3 the", "not a probability and 2 words"),
        ("-0.2 lost the game", "-0.2 match the game", "a 3-gram whose beginning is not listed"),
        ("-0.2 lost the game", "-0.2 lost the game -1", "not a probability and 3 words"),
        ("\\end\\\n", "", "does not end with '\\end\\'"),
    ],
)
def test_a_damaged_arpa_file_is_refused_with_what_is_wrong(arpa, old, new, said):
    text = arpa.read_text()
    assert old in text
    arpa.write_text(text.replace(old, new, 1))
    with pytest.raises(TouchstoneError) as error:
        read_arpa(arpa)
    assert said in str(error.value)
    assert str(arpa) in str(error.value)


@given(st.integers(0, 300))
def test_an_arpa_file_cut_anywhere_is_refused(shared_arpa, end):
    path = shared_arpa.with_name("cut.arpa")
    path.write_bytes(shared_arpa.read_bytes()[:end])
    with pytest.raises(TouchstoneError):
        read_arpa(path)


def test_carriage_returns_before_line_ends_do_not_matter(arpa):
    whole = read_arpa(arpa).score([["lost", "the", "game"]])
    arpa.write_bytes(arpa.read_bytes().replace(b"\n", b"\r\n"))
    assert read_arpa(arpa).score([["lost", "the", "game"]]) == whole


def test_truncated_binaries_are_refused(tmp_path):
    cut_kenlm = tmp_path / "cut.binary"
    cut_kenlm.write_bytes(b"mmap lm http://kheafield.com/code format version 5\n\0" + b"\0" * 40)
    with pytest.raises(TouchstoneError, match="not a whole KenLM file"):
        open_model(cut_kenlm)
    cut_sphinx = tmp_path / "cut.lm.bin"
    cut_sphinx.write_bytes(installed_model().read_bytes()[:5000])
    with pytest.raises(TouchstoneError, match="not a whole language model of CMU Sphinx"):
        open_model(cut_sphinx)
