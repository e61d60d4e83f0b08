"""Language models: probabilities are those of back-off by hand; damaged files are refused with a sentence."""

import gzip
import re
import sys
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.systems.substitution.language_models import KenlmModel, SphinxModel, open_model
from touchstone.text.ngrams import Ngrams, ngrams

LN_10 = log(10)
VOCABULARY = ["<s>", "</s>", "the", "match", "game", "they", "lost", "zebra"]


def backed_off(text, gram):
    """Return log10 p(last | before) as the ARPA format defines it: the longest n-gram listed, or back off to it."""
    listed = {}
    for line in text.splitlines():
        probability, *words = line.split() or [""]
        if words and re.fullmatch(r"-[0-9.]+", probability):
            backoff = float(words.pop()) if re.fullmatch(r"-[0-9.]+", words[-1]) else 0.0
            listed[tuple(words)] = float(probability), backoff
    if (gram[-1],) not in listed:
        return float("nan")
    if gram in listed:
        return listed[gram][0]
    return listed.get(gram[:-1], (0.0, 0.0))[1] + backed_off(text, gram[1:])


def logs(model, *grams):
    return (model.score([gram.split() for gram in grams]) / LN_10).tolist()


def test_a_listed_n_gram_has_the_probability_that_the_file_gives_it(arpa):
    assert logs(open_model(arpa), "the", "the game", "lost the game") == pytest.approx([-0.5, -0.3, -0.2])


def test_what_is_not_listed_backs_off_by_the_weights_of_its_contexts(arpa):
    # lost the match: no trigram, back off "lost the" -0.35; no bigram "the match", back off "the" -0.2; match -1.5
    assert logs(open_model(arpa), "lost the match") == pytest.approx([-0.35 - 0.2 - 1.5])
    # the context "game the" is not listed and costs nothing
    assert logs(open_model(arpa), "game the game") == pytest.approx([-0.3])


def test_an_unknown_word_has_no_probability_and_an_unknown_word_before_tells_nothing(arpa):
    found = open_model(arpa).score([["the", "zebra"], ["zebra", "game"]])
    assert np.isnan(found[0])
    assert found[1] / LN_10 == pytest.approx(-1.2)


def test_words_beyond_the_order_do_not_matter(arpa):
    model = open_model(arpa)
    assert model.order == 3
    assert logs(model, "match they lost the game") == logs(model, "lost the game")


@given(grams=st.lists(st.lists(st.sampled_from(VOCABULARY[1:]), min_size=1, max_size=4), min_size=1, max_size=30))
def test_probabilities_are_those_of_back_off_by_hand(grams, shared_arpa):
    by_hand = [backed_off(shared_arpa.read_text(), tuple(gram[-3:])) for gram in grams]
    assert open_model(shared_arpa).score(grams) / LN_10 == pytest.approx(np.array(by_hand), abs=1e-5, nan_ok=True)


def test_the_beginning_of_a_sentence_is_a_context(shared_arpa):
    assert logs(open_model(shared_arpa), "<s> they", "<s> they lost") == pytest.approx([-0.7, -0.05 - 0.4])


def test_blanks_tabs_and_gzip_make_no_difference(arpa, shared_arpa, tmp_path):
    packed = tmp_path / "small.arpa.gz"
    packed.write_bytes(gzip.compress(arpa.read_bytes()))
    grams = [["lost", "the", "game"], ["lost", "the", "match"]]
    expected = open_model(shared_arpa).score(grams).tolist()
    assert open_model(arpa).score(grams).tolist() == expected
    assert open_model(packed).score(grams).tolist() == expected


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
    assert isinstance(open_model(arpa), KenlmModel)
    assert isinstance(open_model(installed_model()), SphinxModel)
    assert isinstance(open_model(None), Ngrams)


def test_a_missing_model_says_how_to_get_one(tmp_path):
    with pytest.raises(TouchstoneError) as error:
        open_model(tmp_path / "none.arpa")
    assert "no such language model" in str(error.value)
    assert "touchstone-nlp[systems]" in str(error.value)


def test_without_kenlm_the_error_says_what_to_install(monkeypatch, arpa):
    monkeypatch.setitem(sys.modules, "kenlm", None)
    with pytest.raises(TouchstoneError, match="needs kenlm") as error:
        open_model(arpa)
    assert "touchstone-nlp[systems]" in str(error.value)


def test_without_pocketsphinx_the_error_says_what_to_install(monkeypatch):
    file = installed_model()
    monkeypatch.setitem(sys.modules, "pocketsphinx", None)
    with pytest.raises(TouchstoneError, match="needs pocketsphinx") as error:
        SphinxModel(file)
    assert "touchstone-nlp[systems]" in str(error.value)


def installed_model():
    """Return the model that the package pocketsphinx contains."""
    return Path(pytest.importorskip("pocketsphinx").get_model_path("en-us/en-us.lm.bin"))


def test_the_packages_own_model_knows_what_verbs_govern():
    model = ngrams()
    told, said, looked, appeared = model.score([("told", "him"), ("said", "him"), ("looked", "at"), ("appeared", "at")])
    assert told > said + 1
    assert looked > appeared + 1


def test_the_packages_own_model_gives_every_known_word_a_chance_and_unknown_ones_none():
    model = ngrams()
    seen = model.score([("lost", "the", "game"), ("the", "the"), ("zxqzx", "match"), ("match",), ("zxqzx",)])
    assert seen[0] > seen[1]
    assert seen[2] == seen[3]
    assert np.isnan(seen[4])
    words = [word for word in ("the", "game", "match", "him", "at", "very") if word in model]
    assert sum(np.exp(model.score([("lost", "the", word) for word in words]))) < 1


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("\\data\\\n", "", 1, 'first non-empty line was "ngram 1=8" not \\data\\'),
        ("ngram 2=4", "ngram 2=5", 22, 'Could not parse "\\3-grams:" into a float in the 2-gram'),
        ("ngram 2=4", "ngram 2=3", 20, "Was expecting n-gram header \\3-grams:"),
        ("ngram 2=4", "ngram 4=4", 3, "ngram count lengths should be consecutive"),
        ("\\3-grams:", "\\4-grams:", 23, "not a probability and 4 words"),
        ("-1.5 match -0.1", "-1.5x match -0.1", 10, "Expected tab after probability"),
        ("-1.5 match -0.1", "1.5 match -0.1", 10, "Positive log probability 1.5"),
        ("-1.5 match -0.1", "nan match -0.1", 10, 'Could not parse "nan" into a float'),
        ("-1.5 match -0.1", "-1.5 game -0.1", 11, 'a 1-gram that is listed twice: "game"'),
        ("-0.3 the game", "-0.3 the zebra", 20, "zebra"),
        ("-0.3 the game", "-0.3 lost the", 20, 'a 2-gram that is listed twice: "lost the"'),
        ("-0.3 the game", "-0.3 the", 20, "not a probability and 2 words"),
        ("-0.2 lost the game", "-0.2 match the game", None, "not an ARPA file that KenLM can read"),
        ("-0.2 lost the game", "-0.2 lost the game -1", 24, "Non-zero backoff -1 provided"),
        ("\\end\\\n", "", None, "End of file"),
    ],
)
def test_a_damaged_arpa_file_is_refused_with_the_line_and_what_is_wrong(arpa, old, new, line, said):
    text = arpa.read_text()
    assert old in text
    arpa.write_text(text.replace(old, new, 1))
    with pytest.raises(TouchstoneError) as error:
        open_model(arpa)
    assert said in str(error.value)
    assert str(error.value).startswith(f"{arpa}:{line}:" if line else str(arpa))


@given(st.integers(0, 300))
def test_an_arpa_file_cut_anywhere_is_refused(shared_arpa, end):
    path = shared_arpa.with_name("cut.arpa")
    path.write_bytes(shared_arpa.read_bytes()[:end])
    with pytest.raises(TouchstoneError):
        open_model(path)


def test_carriage_returns_before_line_ends_do_not_matter(arpa):
    whole = KenlmModel(arpa, binary=False).score([["lost", "the", "game"]])
    arpa.write_bytes(arpa.read_bytes().replace(b"\n", b"\r\n"))
    assert KenlmModel(arpa, binary=False).score([["lost", "the", "game"]]) == whole


def test_truncated_binaries_are_refused(tmp_path):
    cut_kenlm = tmp_path / "cut.binary"
    cut_kenlm.write_bytes(b"mmap lm http://kheafield.com/code format version 5\n\0" + b"\0" * 40)
    with pytest.raises(TouchstoneError) as error:
        open_model(cut_kenlm)
    assert error.value.code == Code.UNREADABLE
    cut_sphinx = tmp_path / "cut.lm.bin"
    cut_sphinx.write_bytes(installed_model().read_bytes()[:5000])
    with pytest.raises(TouchstoneError) as error:
        open_model(cut_sphinx)
    assert error.value.code == Code.UNREADABLE
