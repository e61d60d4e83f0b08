"""MAXSIM as a measure: several references, what is absent or empty, names, records, the Python class."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.tasks.mt.maxsim import MaxSim, maxsim, notes
from touchstone.tasks.mt.maxsim.records import columns
from touchstone.tasks.mt.maxsim.variant import Variant
from touchstone.tasks.mt.model import MEASURES, Joined
from touchstone.tasks.mt.texts import Texts

SENTENCES = (
    "The cat sat on the mat.",
    "Prices of oil rose sharply on Monday, the minister said.",
    "They did not buy the old car from their neighbours.",
)
WORDS = st.lists(
    st.sampled_from(["the", "a", "cat", "dog", "man", "old", "car", "auto", "sees", "runs", "in", "of", "not", ","]),
    max_size=10,
)
TEXTS = WORDS.map(" ".join)


def values(name, hypotheses, *references, counted=None):
    measure = MEASURES.find(name)
    compared = Joined(Texts(hypotheses), tuple(map(Texts, references)))
    if counted is not None:
        compared = Joined(compared.hypotheses, compared.references, np.array(counted))
    return measure.values(measure.record(compared)).tolist()


@pytest.mark.parametrize(
    "name", ["maxsim(n)", "maxsim(n,syn=identity)", "maxsim(n+d,syn=identity)", "maxsim(n+d+r,syn=identity)"]
)
def test_a_segment_against_itself_scores_one(name):
    assert values(name, SENTENCES, SENTENCES) == [1, 1, 1]


@settings(max_examples=60)
@given(TEXTS, TEXTS)
def test_scores_lie_between_0_and_1_and_f_between_p_and_r(hypothesis, reference):
    measure = maxsim("n")
    records = measure.record(Joined(Texts([hypothesis]), (Texts([reference]),)))
    assert 0 <= measure.values(records)[0] <= 1 + 1e-12
    parts = {name: column.item() for name, column in measure.parts(records).items()}
    for n in (1, 2, 3):
        matched = sum(parts[f"{n}.{stage}"] for stage in ("exact", "lemma", "soft"))
        assert 0 <= matched <= min(parts[f"{n}.system"], parts[f"{n}.reference"]) + 1e-12
        low, high = sorted((parts[f"{n}.P"], parts[f"{n}.R"]))
        assert low - 1e-12 <= parts[f"{n}.F"] <= high + 1e-12


@settings(max_examples=60)
@given(TEXTS, TEXTS)
def test_swapping_the_sides_swaps_precision_and_recall(hypothesis, reference):
    one, other = Texts([hypothesis]), Texts([reference])
    precision = maxsim("n+d", alpha="0")
    recall = maxsim("n+d", alpha="1")
    there = precision.values(precision.record(Joined(one, (other,))))
    back = recall.values(recall.record(Joined(other, (one,))))
    assert there.tolist() == pytest.approx(back.tolist(), abs=1e-12)


def test_several_references_are_averaged_over_those_that_are_there():
    hypothesis, near, far = "The cat sat on a mat.", "The cat sat on the mat.", "It rains."
    (one,), (other,) = values("maxsim(n)", [hypothesis], [near]), values("maxsim(n)", [hypothesis], [far])
    both = values("maxsim(n)", [hypothesis] * 3, [near, near, None], [far, None, far])
    assert both == pytest.approx([(one + other) / 2, one, other], abs=1e-15)


def test_parts_are_means_over_the_references_too():
    measure = maxsim("n")
    texts = Texts(["a cat"]), Texts(["a cat"]), Texts(["a cat sat"])
    records = measure.record(Joined(texts[0], texts[1:]))
    parts = {name: column.item() for name, column in measure.parts(records).items()}
    assert (parts["1.system"], parts["1.reference"], parts["1.exact"]) == (2, 2.5, 2)
    assert parts["1.R"] == pytest.approx((1 + 2 / 3) / 2)


@pytest.mark.parametrize(
    ("hypothesis", "reference"), [("", "A cat."), ("A cat.", ""), ("", ""), ("...", "A cat."), ("!", "?")]
)
@pytest.mark.parametrize(
    "name", ["maxsim(n)", "maxsim(n+d)", "maxsim(n+d+r)", "maxsim(n,absent=drop)", "maxsim(n+d,distance=0.5)"]
)
def test_an_empty_side_scores_0(name, hypothesis, reference):
    assert values(name, [hypothesis], [reference]) == [0]


def test_a_segment_without_any_reference_scores_0():
    assert values("maxsim(n)", ["A cat."], [None]) == [0]


def test_segments_that_do_not_count_have_no_value_and_leave_the_mean_alone():
    measure = maxsim("n")
    compared = Joined(Texts(["A cat sat.", ""]), (Texts(["A cat sat."] * 2),), np.array([True, False]))
    records = measure.record(compared)
    assert not records[1].any()
    assert measure.fold(records.sum(axis=0)) == 1
    assert np.isnan(measure.values(records)[1])


def test_the_value_of_a_system_is_the_mean_of_its_segments():
    measure = maxsim("n+d")
    references = Texts(SENTENCES)
    records = measure.record(Joined(Texts(["The cat sat.", "Oil rose.", "They buy cars."]), (references,)))
    assert measure.fold(records.sum(axis=0)) == pytest.approx(measure.values(records).mean(), abs=1e-15)


def test_relations_are_left_out_where_neither_side_has_any_and_count_0_where_one_lacks_them():
    hypotheses, references = ["No comment.", "No comment.", "He left."], ["No comment.", "He left.", "She left."]
    bare, whole = (values(f"maxsim({what})", hypotheses, references) for what in ("n", "n+d"))
    assert whole[0] == bare[0]
    assert whole[1] == pytest.approx(bare[1] * 3 / 4)
    assert values("maxsim(n+d,norel=any)", hypotheses, references)[1] == bare[1]


def test_the_segments_without_relations_are_counted_aloud():
    name = "maxsim(n+d)"
    hypotheses, references = (
        Texts(["No comment.", "No comment.", "He left."]),
        Texts(["Nothing.", "He left.", "She left."]),
    )
    records = MEASURES.find(name).record(Joined(hypotheses, (references,)))
    (said,) = MEASURES.find(name).remarks(records)
    assert said == "segments with relations on no side: 1, on one side: 1, of 3"
    assert notes(Variant(), MEASURES.find("maxsim(n)").record(Joined(hypotheses, (references,)))) == ()


def test_distance_lowers_only_what_stands_elsewhere():
    near = values("maxsim(n)", ["the old automobile stopped here"], ["the old car stopped here"])
    same = values("maxsim(n,distance=1)", ["the old automobile stopped here"], ["the old car stopped here"])
    assert same == pytest.approx(near, abs=1e-12)
    moved = "the automobile stopped", "stopped the car quite near the old house"
    assert values("maxsim(n,distance=1)", *([text] for text in moved)) < values(
        "maxsim(n)", *([text] for text in moved)
    )


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        ("maxsim", "maxsim(n)"),
        ("maxsim(n,alpha=0.90)", "maxsim(n)"),
        ("maxsim(n+d,syn=identity,alpha=.7)", "maxsim(n+d,alpha=0.7,syn=identity)"),
        ("maxsim(n+d+r,distance=0.25,order=2)", "maxsim(n+d+r,order=2,distance=0.25)"),
        ("maxsim(n, norel=any, absent=drop)", "maxsim(n,absent=drop,norel=any)"),
    ],
)
def test_a_name_shows_what_differs_from_the_defaults_in_one_order(given, canonical):
    measure = MEASURES.find(given)
    assert measure.name == canonical
    assert MEASURES.find(canonical).name == canonical
    assert "WordNet 3.0" in measure.signature
    assert "references:mean" in measure.signature


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("maxsim(d)", "maxsim matches n, n+d, n+r, n+d+r"),
        ("maxsim(n,alpha=2)", "alpha of maxsim must lie between 0 and 1"),
        ("maxsim(n,alpha=nan)", "alpha of maxsim must be a number"),
        ("maxsim(n,order=0)", "from 1 to 9"),
        ("maxsim(n,order=10)", "from 1 to 9"),
        ("maxsim(n,order=two)", "whole number"),
        ("maxsim(n,syn=all)", "one of literal, identity"),
        ("maxsim(n,beta=1)", "no such parameter"),
        ("maxsim(n,n)", "wrong parameters"),
    ],
)
def test_wrong_parameters_are_refused_with_a_sentence(name, said):
    with pytest.raises(TouchstoneError, match=r".") as refused:
        MEASURES.find(name)
    assert said in str(refused.value)


def test_every_column_of_a_record_has_a_name():
    variant = Variant("n+d+r", order=2)
    measure = MEASURES.find(variant.name)
    records = measure.record(Joined(Texts(SENTENCES), (Texts(SENTENCES),)))
    assert records.shape == (3, len(columns(variant)) + 2)
    assert list(measure.parts(records)) == columns(variant)
    assert records[:, -1].tolist() == [1, 1, 1]


def test_lines_of_ten_thousand_words_are_scored_whole():
    chance = np.random.default_rng(7)
    vocabulary = [f"{stem}{end}" for stem in ("run", "walk", "talk", "jump", "house") for end in ("", "s", "ed", "ing")]
    vocabulary += [f"word{number}" for number in range(2_000)]
    one, other = (" ".join(chance.choice(vocabulary, 10_000)) for _ in range(2))
    measure = maxsim("n")
    records = measure.record(Joined(Texts([one, one]), (Texts([other, one]),)))
    parts = measure.parts(records)
    assert parts["1.system"].tolist() == [10_000, 10_000]
    assert parts["1.reference"].tolist() == [10_000, 10_000]
    assert 0 < measure.values(records)[0] < 1
    assert measure.values(records)[1] == 1


def test_a_line_beyond_what_memory_can_hold_is_refused_and_named():
    one, other = (" ".join([word] * 20_000) for word in ("word", "phrase"))
    with pytest.raises(TouchstoneError, match="too long to be matched") as refused:
        values("maxsim(n)", ["A cat.", one], ["A cat.", other])
    assert "pair 2: 20,000 items beside 20,000" in str(refused.value)


def test_a_line_of_equal_words_is_matched_however_long():
    long = " ".join(["word"] * 20_000)
    assert values("maxsim(n)", [long], [long]) == [1]


def test_the_class_gives_what_the_measure_gives():
    hypothesis, references = "The cat lay on a rug.", ["The cat sat on the mat.", "A cat was lying on the rug."]
    found = MaxSim(alpha=0.9, order=3, relations=True).score(hypothesis, references)
    assert [found.value] == values("maxsim(n+d)", [hypothesis], *([text] for text in references))
    assert list(found.parts) == columns(Variant("n+d"))
    assert [layer.name for layer in found.explanations[1].layers] == ["words", "bigrams", "trigrams", "relations"]
    assert np.mean([explanation.value for explanation in found.explanations]) == pytest.approx(found.value)


def test_the_class_can_be_pickled_and_refuses_a_bare_string():
    metric = pickle.loads(pickle.dumps(MaxSim(relations=False, syn="identity")))
    assert metric.score("A cat sat.", ["A cat sat."]).value == 1
    with pytest.raises(TouchstoneError) as refused:
        metric.score("A cat sat.", "A cat sat.")
    assert refused.value.code == Code.BAD_VALUE


def test_naming_a_measure_does_not_import_the_compiler():
    code = (
        "import sys; from touchstone.tasks.mt import maxsim, sr_overlap; "
        "maxsim.maxsim('n+d'); sr_overlap.sr_overlap(); sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
