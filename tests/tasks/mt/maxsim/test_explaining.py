"""The links behind a score of MAXSIM."""

import pytest

from touchstone.tasks.mt.maxsim import maxsim
from touchstone.tasks.mt.maxsim.explaining import explain
from touchstone.tasks.mt.maxsim.variant import Variant
from touchstone.tasks.mt.model import MEASURES, Joined
from touchstone.tasks.mt.texts import Role, Texts

PAIR = Joined(
    Texts(["It rains.", "They bought the car, he said."]), (Texts(["It rains.", "They purchased the automobile."]),)
)
SECOND = Joined(PAIR.hypotheses.only(1), (PAIR.references[0].only(1),))


@pytest.mark.parametrize(
    "name", ["maxsim(n)", "maxsim(n+d)", "maxsim(n+d+r,alpha=0.7,syn=identity)", "maxsim(n+d,distance=0.5)"]
)
def test_the_layers_explain_the_value(name):
    what, *others = name.removeprefix("maxsim(").removesuffix(")").split(",")
    measure = maxsim(what, **dict(other.split("=") for other in others))
    found = MEASURES.find(name).explain(SECOND)
    assert found.value == pytest.approx(measure.values(measure.record(PAIR))[1], abs=1e-12)
    assert sum(layer.f for layer in found.layers) / len(found.layers) == pytest.approx(found.value, abs=1e-12)


def test_links_name_their_stage_their_weight_and_the_words_they_cover():
    found = explain(Variant("n+d"), SECOND)
    assert found.hypothesis == ("They", "bought", "the", "car", "he", "said")
    assert found.reference == ("They", "purchased", "the", "automobile")
    words, bigrams, _, relations = found.layers
    links = {(link.left, link.right): (link.weight, link.stage) for link in words.matching.links}
    assert links == {
        (0, 0): (1, "exact"),
        (2, 2): (1, "exact"),
        (1, 1): (1, "similar"),
        (3, 3): (1, "similar"),
    }
    assert bigrams.left_places[1] == (1, 2)
    assert relations.left == ("they ←subj− buy", "car ←obj− buy", "he ←subj− say")
    assert relations.right_places == ((0, 1), (3, 1))
    assert "one of them is shown" in found.notes[0]


def test_what_is_left_out_is_said():
    found = explain(Variant("n+d"), Joined(Texts(["No comment."]), (Texts(["No comment."]),)))
    assert "no relations on either side: the term is left out" in found.notes


def test_given_roles_are_found_among_the_words_and_by_their_lemmas():
    roles = [(Role("A1", "bought", ("the", "car"), "car"), Role("A0", "bought", ("someone",), "someone"))]
    texts = Texts(["They bought the car."], roles=roles)
    layer = explain(Variant("n+r"), Joined(texts, (Texts(["They bought the car."], roles=roles),))).layers[-1]
    assert layer.left == ("car ←A1− buy", "someone ←A0− buy")
    assert layer.left_places == ((3, 2), ())
