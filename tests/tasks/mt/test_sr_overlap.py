"""The overlap of roles: the arithmetic, several references, what is empty, the explanation."""

import numpy as np
import pytest

from touchstone.tasks.mt.model import MEASURES, Joined
from touchstone.tasks.mt.texts import Role, Texts


def role(kind, words):
    words = tuple(words.split())
    return Role(kind, "bite", words, words[-1])


def texts(segments, roles):
    return Texts(segments, roles=roles)


@pytest.fixture
def measure():
    import touchstone.tasks.mt.sr_overlap  # noqa: F401 (it registers itself)

    return MEASURES.find("sr_overlap")


def test_the_score_is_the_mean_over_types_of_min_over_max(measure):
    system = texts(["x"], [(role("A0", "the dog"), role("A1", "the man"), role("A1", "the old"))])
    reference = texts(["x"], [(role("A0", "the dog"), role("A1", "the man the"), role("AM-TMP", "today"))])
    # A0: 2/2. A1: the 2 of 2, man 1 of 1, old 0 of 1: 3/4. AM-TMP: 0/1.
    records = measure.record(Joined(system, (reference,)))
    assert measure.values(records).tolist() == pytest.approx([(1 + 3 / 4 + 0) / 3])
    assert {name: column.tolist() for name, column in measure.parts(records).items()} == {"types": [3], "no_roles": [0]}


def test_without_roles_on_either_side_the_whole_sentences_are_compared_and_counted(measure):
    system, reference = texts(["The dog!", "A"], [(), ()]), texts(["The old dog.", "A"], [(), (role("A0", "a"),)])
    records = measure.record(Joined(system, (reference,)))
    assert measure.values(records).tolist() == pytest.approx([2 / 3, 0])
    (said,) = MEASURES.find("sr_overlap").remarks(records)
    assert said == "segments without roles on either side, compared as wholes: 1"


def test_the_best_reference_counts_among_those_that_are_there(measure):
    system = Texts(["The dog bit the man."] * 3)
    near, far = "The dog bit a man.", "Prices rose."
    one, other, both = (
        measure.values(measure.record(Joined(Texts(["The dog bit the man."]), given))).item()
        for given in ((Texts([near]),), (Texts([far]),), (Texts([far]), Texts([near])))
    )
    assert one > other
    assert both == one
    absent = measure.record(Joined(system, (Texts([near, None, None]), Texts([None, far, None]))))
    assert measure.values(absent).tolist() == [one, other, 0]


def test_a_sentence_with_roles_against_itself_scores_1_and_an_empty_one_0(measure):
    pair = Joined(Texts(["They bought a car.", "", "..."]), (Texts(["They bought a car.", "They left.", "!"]),))
    assert measure.values(measure.record(pair)).tolist() == [1, 0, 0]


def test_segments_that_do_not_count_have_empty_records(measure):
    pair = Joined(Texts(["They left."]), (Texts(["They left."]),), np.array([False]))
    assert not measure.record(pair).any()


def test_the_explanation_shows_each_type_of_role(measure):
    pair = Joined(Texts(["They bought the old car."]), (Texts(["They bought the car yesterday."]),))
    found = MEASURES.find("sr_overlap").explain(pair)
    assert found.value == pytest.approx(measure.values(measure.record(pair))[0])
    layers = {layer.name: layer for layer in found.layers}
    assert layers["A1"].left == ("the", "old", "car")
    assert layers["A1"].left_places == ((2,), (3,), (4,))
    assert layers["A1"].f == pytest.approx(2 / 3)
    assert [link.stage for link in layers["A1"].matching.links] == ["exact", "exact"]
    assert "roles:rule-ud" in measure.signature
