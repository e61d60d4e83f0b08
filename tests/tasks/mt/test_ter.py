"""The compiled edits of TER beside sacrebleu's own, which are the reference."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import TER

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Interner, StringLists
from touchstone.mt import read_gold
from touchstone.tasks.mt import ter
from touchstone.tasks.mt.measures import MEASURES
from touchstone.tasks.mt.model import Joined
from touchstone.tasks.mt.ter import edits
from touchstone.tasks.mt.texts import Texts

THEIRS = TER()


def ours(*pairs):
    """Return the edits of pairs of lists of words."""
    numbers = Interner()
    left, right = (StringLists.of(side).numbered(numbers) for side in zip(*pairs, strict=True))
    return edits.dispatcher(left.values, left.offsets, right.values, right.offsets).tolist()


def theirs(*pairs):
    return [THEIRS.sentence_score(" ".join(left), [" ".join(right)]).num_edits for left, right in pairs]


def statistics(rows):
    """Return the records of (translation, references…)."""
    hypotheses, *references = zip(*rows, strict=True)
    return MEASURES.find("ter").record(Joined(Texts(hypotheses), tuple(map(Texts, references)))).tolist()


def expected(rows):
    scores = [THEIRS.sentence_score(text, [one for one in given if one is not None]) for text, *given in rows]
    return [[score.num_edits, score.ref_length, 1] for score in scores]


@pytest.mark.parametrize(
    ("translation", "reference", "wanted"),
    [
        ("a b c d", "a b c d", 0),
        ("c d a b", "a b c d", 1),
        ("a b x", "a b c", 1),
        ("a b", "", 2),
        ("", "a b", 2),
        ("", "", 0),
        ("b c d a", "a b c d", 1),
    ],
)
def test_a_shift_an_insertion_a_deletion_and_a_replacement_are_one_edit_each(translation, reference, wanted):
    assert ours((translation.split(), reference.split())) == [wanted]


texts = st.integers(1, 5).flatmap(lambda kinds: st.lists(st.sampled_from("abcde"[:kinds]), max_size=14))


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=3))
def test_edits_are_sacrebleus_over_a_few_words(pairs):
    assert ours(*pairs) == theirs(*pairs)


@given(st.permutations(range(12)), st.lists(st.integers(0, 11), max_size=4))
def test_edits_are_sacrebleus_where_much_is_shifted(order, replaced):
    translation = [f"w{place}" for place in order]
    for place in replaced:
        translation[place] = "other"
    pair = (translation, [f"w{place}" for place in range(12)])
    assert ours(pair) == theirs(pair)


@pytest.mark.parametrize(
    ("left", "right", "kinds"),
    [(70, 80, 40), (90, 60, 200), (120, 60, 3), (3, 400, 2), (400, 3, 2), (7, 350, 5), (160, 160, 400)],
)
def test_edits_are_sacrebleus_beyond_the_beam_and_the_limits(left, right, kinds):
    drawn = random.Random(left * right)
    pair = tuple([str(drawn.randrange(kinds)) for _ in range(size)] for size in (left, right))
    assert ours(pair) == theirs(pair)


@pytest.mark.parametrize(("distance", "wanted"), [(50, 1), (51, 2)])
def test_a_phrase_is_shifted_by_at_most_50_places(distance, wanted):
    reference = [str(place) for place in range(80)]
    pair = ([*reference[1 : distance + 1], reference[0], *reference[distance + 1 :]], reference)
    assert ours(pair) == theirs(pair) == [wanted]


@pytest.mark.parametrize("seed", range(6))
def test_the_search_is_given_up_where_sacrebleu_gives_it_up(seed):
    # With so few kinds of words the thousandth shift is soon tried, so that it decides the number of edits.
    drawn = random.Random(seed)
    reference = [str(drawn.randrange(5)) for _ in range(40)]
    pair = (drawn.sample(reference, 40), reference)
    assert ours(pair) == theirs(pair)


words = st.lists(st.sampled_from(["The", "the", "cat.", "ÄRGER", "ärger", "a", "-"]), max_size=7).map(" ".join)
some = words.filter(bool)


@given(rows=st.lists(st.tuples(words, some, st.none() | words), min_size=1, max_size=4))
def test_records_are_sacrebleus_with_two_references_one_of_them_absent_empty_or_in_capitals(rows):
    assert statistics(rows) == expected(rows)


@pytest.mark.parametrize("system", ["cs-en/uedin-wmt12", "de-en/onlineC", "es-en/GTH-UPM"])
def test_records_of_real_segments_are_sacrebleus(data, system):
    names = (system, "ref.en", "cs-en/onlineB")
    columns = [read_gold([data("wmt12") / name]).texts[0].present[:60] for name in names]
    rows = list(zip(*columns, strict=True))
    assert statistics(rows) == expected(rows)
    assert statistics([row[:2] for row in rows]) == expected([row[:2] for row in rows])


def test_plain_python_counts_the_same_edits():
    pairs = [(list("bcdaxe"), list("abcde")), ([], ["yes"])]
    numbers = Interner()
    left, right = (StringLists.of(side).numbered(numbers) for side in zip(*pairs, strict=True))
    assert edits.function(left.values, left.offsets, right.values, right.offsets).tolist() == theirs(*pairs)


def test_without_numba_sacrebleu_counts(monkeypatch):
    rows = [("the cat the mat on sat", "the cat sat on the mat", "on the mat sat the cat")] * 3
    monkeypatch.setattr(ter, "edits", None)  # calling it would raise
    assert statistics(rows) == expected(rows)
    long = " ".join(["word"] * 1_001)
    with pytest.raises(TouchstoneError) as refused:
        statistics([(long, long)])
    assert refused.value.code == Code.TOO_LARGE


def test_a_line_of_30_000_words_is_scored():
    # In the memory of the beam: a matrix of all words by all words would take 3.6 GB.
    drawn = np.random.default_rng(0).integers(0, 10**9, 30_000).astype(str).tolist()
    assert ours(([*drawn[:9], *drawn[20:40], *drawn[9:20], *drawn[40:]], drawn)) == [2]
