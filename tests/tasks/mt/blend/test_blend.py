"""blend: layers of matched items, and a penalty for what was left untranslated."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wordfreq import zipf_frequency

from touchstone.base.ragged import Ragged
from touchstone.core.matching import match
from touchstone.stats.records import mean_value
from touchstone.tasks.mt import blend
from touchstone.tasks.mt.blend import words as blend_words
from touchstone.tasks.mt.blend.ngrams import Grams, characters, mean_f
from touchstone.tasks.mt.blend.words import Types, Word, Words, similarities
from touchstone.tasks.mt.measures import MEASURES
from touchstone.tasks.mt.model import Joined
from touchstone.tasks.mt.texts import Texts

FORMS = ("the", "car", "cars", "automobile", "drive", "driving", "drove", "vzdělání", "colour", "color", "7")
words = st.builds(Word, st.sampled_from(FORMS), st.sampled_from(["NN", "NNS", "VB"]))
segments = st.lists(words, max_size=6)
texts = st.lists(st.sampled_from([*FORMS, ".", ",", "The", "A.B.", "—"]), min_size=1, max_size=8).map(" ".join)
rows = st.lists(st.lists(st.integers(0, 3), max_size=8), min_size=1, max_size=4)


def weight(form):
    return (8 - zipf_frequency(form, "en")) / 8


def values(hypothesis, *references):
    compared = Joined(Texts([hypothesis]), tuple(Texts([reference]) for reference in references))
    records = blend.record(compared)
    return mean_value(records).item(), {name: column.item() for name, column in blend.parts(records).items()}


@given(rows, rows)
def test_runs_in_common_are_those_that_both_sides_have_each_as_often_as_both_have_it(left, right):
    size = min(len(left), len(right))
    sides = [Grams.of(Ragged.of(side[:size], np.uint64), 3) for side in (left, right)]
    runs = [
        [[Counter(zip(*(row[at:] for at in range(n)), strict=False)) for n in (1, 2, 3)] for row in side[:size]]
        for side in (left, right)
    ]
    expected = [[(a & b).total() for a, b in zip(*both, strict=True)] for both in zip(*runs, strict=True)]
    assert sides[0].common(sides[1]).tolist() == expected
    assert sides[0].totals.tolist() == [[one.total() for one in row] for row in runs[0]]


def test_orders_that_neither_side_has_are_left_out_and_nothing_beside_nothing_is_whole():
    one, other, none = (Grams.of(Ragged.of([row], np.uint64), 3) for row in ([5, 6], [5], []))
    assert mean_f(one, other).item() == (1 / 1.5 + 0) / 2
    assert mean_f(none, none).item() == 1
    assert mean_f(none, one).item() == 0


def test_characters_beyond_the_basic_plane_are_one_each():
    assert characters(["𝔸"]).values.tolist() == [32, ord("𝔸"), 32]


def match_words(left, right):
    """The matching of one pair."""
    return blend_words.match_words(Words.of([left]), Words.of([right]))[0]


def match_plainly(left, right):
    """The weight of the matching of one pair by the functions of a single pair."""

    def similarity(some, others):
        one, other = Types.of(some), Types.of(others)
        i, j = (places.ravel() for places in np.indices((len(some), len(others))))
        weights = similarities(one, other, i, j) * (one.weight[i] + other.weight[j]) / 2
        return weights.reshape(len(some), len(others))

    links = match(left, right, stages={"exact": tuple}, similarity=similarity).links
    return sum(weight(left[link.left].form) if link.stage == "exact" else link.weight for link in links)


@given(st.lists(st.tuples(segments, segments), min_size=1, max_size=4))
def test_words_in_bulk_weigh_what_the_matching_of_each_pair_weighs(pairs):
    left, right = (Words.of([pair[side] for pair in pairs]) for side in (0, 1))
    found = blend_words.match_words(left, right)
    assert found.totals.sum(axis=1) == pytest.approx([match_plainly(*pair) for pair in pairs], abs=1e-12)
    assert [found[row].weight for row in range(len(pairs))] == pytest.approx(found.totals.sum(axis=1), abs=1e-12)


def test_a_link_weighs_similarity_times_the_mean_weight_of_its_words():
    found = match_words(
        [Word("cars", "NNS"), Word("stopped", "VBD")], [Word("automobile", "NN"), Word("stopped", "VBD")]
    )
    assert {link.stage: link.weight for link in found.links} == pytest.approx(
        {"exact": weight("stopped"), "similar": 0.8 * 0.8 * (weight("cars") + weight("automobile")) / 2}
    )


def test_letters_in_common_link_words_that_no_dictionary_has():
    grams = [
        {f"^{word}$"[i : i + n] for n in (2, 3) for i in range(len(word) + 3 - n)}
        for word in ("merkelová", "merkelove")
    ]
    dice = 2 * len(grams[0] & grams[1]) / (len(grams[0]) + len(grams[1]))
    (link,) = match_words([Word("merkelová", "NNP")], [Word("merkelove", "NNP")]).links
    assert link.weight == pytest.approx(0.9 * dice)


@given(texts, texts)
def test_values_lie_between_nothing_and_one_and_layers_do_not_mind_which_side_is_which(one, other):
    value, parts = values(one, other)
    back = values(other, one)[1]
    assert 0 <= value <= 1 + 1e-12
    assert [parts[name] for name in blend.LAYERS] == pytest.approx([back[name] for name in blend.LAYERS])


@given(texts)
def test_a_text_against_itself_is_one(text):
    assert values(text, text)[0] == pytest.approx(1)


@settings(max_examples=25)
@given(st.lists(st.tuples(texts, texts), min_size=2, max_size=5))
def test_a_segment_scores_the_same_in_any_company(pairs):
    together = blend.record(Joined(Texts([one for one, _ in pairs]), (Texts([other for _, other in pairs]),)))
    assert together[:, 0] == pytest.approx([values(*pair)[0] for pair in pairs], abs=1e-12)


def test_a_word_left_in_the_source_language_costs_more_than_a_wrong_one():
    reference = "education is important for every child"
    wrong = values("something is important for every child", reference)
    left = values("vzdělání is important for every child", reference)
    assert left[1]["known"] == 5 / 6
    assert wrong[1]["known"] == 1
    assert left[0] < wrong[0]


def test_a_name_that_the_reference_has_is_known():
    assert values("Vzdělání was founded", "Vzdělání was founded in Prague")[1]["known"] == 1


def test_the_value_is_the_mean_of_the_layers_times_the_squared_share_of_known_words():
    value, parts = values("vzdělání is good .", "the education is good !")
    assert parts["known"] == 2 / 3
    mean = (parts["words"] + parts["characters"] + parts["tags"]) / 3
    assert value == pytest.approx(mean * (2 / 3) ** 2)


def test_an_empty_translation_scores_nought_and_counts():
    records = blend.record(Joined(Texts(["", "  ", "a dog"]), (Texts(["a dog", "a dog", "a dog"]),)))
    assert records[:, 0].tolist()[:2] == [0, 0]
    assert records[:, -1].tolist() == [1, 1, 1]


def test_no_segments_give_no_records():
    assert blend.record(Joined(Texts([]), (Texts([]),))).shape == (0, len(blend.PARTS) + 2)


def test_a_segment_that_does_not_count_leaves_no_trace():
    compared = Joined(Texts(["a dog", "a cat"]), (Texts(["a dog", "a cat"]),), np.array([False, True]))
    assert blend.record(compared)[0].tolist() == [0] * (len(blend.PARTS) + 2)


def test_several_references_count_by_their_mean_and_absent_ones_not_at_all():
    both, first, second = (
        values("a big dog", *given)[0] for given in (("the dog", "big dogs"), ("the dog",), ("big dogs",))
    )
    assert both == pytest.approx((first + second) / 2)
    compared = Joined(Texts(["a big dog"]), (Texts(["the dog"]), Texts([None])))
    assert mean_value(blend.record(compared)).item() == pytest.approx(first)


def test_an_explanation_shows_the_links_and_the_value_of_the_measure():
    compared = Joined(Texts(["The cars stopped ."]), (Texts(["The automobile stopped ."]),))
    found = MEASURES.find("blend").explain(compared)
    (layer,) = found.layers
    value, parts = values("The cars stopped .", "The automobile stopped .")
    assert found.value == pytest.approx(value)
    assert layer.f == pytest.approx(parts["words"])
    assert layer.left == ("the", "cars", "stopped")
    assert layer.left_places == ((0,), (1,), (2,))
    assert [(link.left, link.right) for link in layer.matching.links] == [(0, 0), (2, 2), (1, 1)]
    assert found.notes[-1] == "known words 1.000000, squared"


def test_the_measure_is_found_by_name_and_its_signature_names_what_it_rests_on():
    measure = MEASURES.find("blend")
    for resource in ("wordfreq:", "touchstone.text", "stems:porter2", "references:mean"):
        assert resource in measure.signature
    assert set(measure.parts(np.ones((1, len(blend.PARTS) + 2)))) == set(blend.PARTS)


def test_a_long_line_and_odd_characters_are_scored():
    long = "word " * 3000
    assert values(long, "a word \ud800 \u2028 \x0c")[0] > 0
