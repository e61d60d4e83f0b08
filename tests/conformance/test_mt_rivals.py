"""The metrics that MAXSIM is compared with, on WMT12: figures of mteval-v11b, sacrebleu 2 and METEOR 1.5."""

from functools import cache

import numpy as np
import pytest

from touchstone import mt
from touchstone.tasks.mt.measures import MEASURES
from touchstone.tasks.mt.model import Joined

# Printed by mteval-v11b (one reference; with es-en/onlineA as a second) and by sacrebleu.
BLEU = [
    ("cs-en/uedin-wmt12", ".2360", ".3132", "22.3820", "52.4423"),
    ("de-en/uedin-wmt12", ".2417", ".3127", "22.9185", "52.0989"),
    ("de-en/jhu-hiero", ".2165", ".2814", "19.7424", "48.3839"),
    ("de-en/onlineB", ".2529", ".3237", "24.1499", "53.8476"),
    ("es-en/uedin-wmt12", ".3447", ".6267", "33.4261", "58.6724"),
    ("de-en/KIT_Phrase-Based_SMT_System", ".2453", ".3180", None, None),
    ("de-en/RWTH_primary", ".2472", ".3216", None, None),
]

# METEOR 1.5, modules exact, stem and synonym with weight 1, delta 0.5: system scores.
METEOR = [
    ("cs-en/uedin-wmt12", 0.6122916863033869, 0.5484479591418427),
    ("de-en/onlineB", 0.6288419393395445, 0.5633569850037471),
    ("es-en/onlineA", 0.6849340542326573, 0.61324738652867),
]


@pytest.fixture(scope="module")
def compared(data):
    """Give a system of WMT12 beside the reference, and beside more systems as if they were references."""
    folder = data("wmt12")

    @cache
    def read(path):
        return mt.read(folder / "ref.en", folder / path)

    (reference,) = read("cs-en/uedin-wmt12").gold.texts

    def of(system, *more):
        return Joined(read(system).runs[0].texts, (reference, *(read(path).runs[0].texts for path in more)))

    return of


def system_value(name, compared):
    measure = MEASURES.find(name)
    return float(measure.fold(measure.record(compared).sum(axis=0)))


@pytest.mark.parametrize(("system", "one", "two", "bleu", "chrf"), BLEU)
def test_bleu_and_chrf_are_what_mteval_and_sacrebleu_print(system, one, two, bleu, chrf, compared):
    assert f"{system_value('bleu(v11b)', compared(system)):.4f}" == f"0{one}"
    assert f"{system_value('bleu(v11b)', compared(system, 'es-en/onlineA')):.4f}" == f"0{two}"
    if bleu is not None:
        assert f"{system_value('bleu', compared(system)):.4f}" == bleu
        assert f"{system_value('chrf', compared(system)):.4f}" == chrf


def test_every_segment_score_of_meteor_is_that_of_meteor_1_5(data, compared):
    official = np.loadtxt(data("wmt12") / "meteor-1.5-classic.cs-en.uedin-wmt12.scores")
    measure = MEASURES.find("meteor(classic)")
    values = measure.values(measure.record(compared("cs-en/uedin-wmt12")))
    assert len(values) == 3003
    assert np.abs(values - official).max() < 1e-9


@pytest.mark.parametrize(("system", "classic", "tuned"), METEOR)
def test_system_scores_of_meteor_are_those_of_meteor_1_5(system, classic, tuned, compared):
    assert system_value("meteor(classic)", compared(system)) == pytest.approx(classic, abs=1e-15)
    assert system_value("meteor(tuned)", compared(system)) == pytest.approx(tuned, abs=1e-15)


def test_counts_of_meteor_are_those_of_meteor_1_5(compared):
    measure = MEASURES.find("meteor(classic)")
    records = measure.record(compared("cs-en/uedin-wmt12"))
    sums = {name: column.sum() for name, column in measure.parts(records).items()}
    assert sums == {
        "system_words": 77_058,
        "reference_words": 73_407,
        "chunks": 24_778,
        "exact": 45_246,
        "stem": 830,
        "synonym": 2_339,
    }
    assert measure.values(records).mean() == pytest.approx(0.587778, abs=5e-7)
