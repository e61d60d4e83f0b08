"""What a newcomer is told: units hit, missed and extra, F1, kappa, and what the difference does to the score."""

import numpy as np
import pytest

from touchstone.annotate.pyramid.document import PyramidDocument, with_units
from touchstone.annotate.pyramid.feedback import agreement_of, paired, peer_feedback, pyramid_feedback
from touchstone.pyramid import read_annotation, read_pyramid


def matched(build, peer, word, uids):
    for uid in uids:
        peer = build.add_contributor(peer, uid, [word("bread")])
    return peer


def test_units_of_a_peer_are_hit_missed_or_extra(build, peer, word):
    prepared, own = matched(build, peer, word, "1240"), matched(build, peer, word, "2335")
    found = peer_feedback(prepared, own)
    assert (found["hit"], found["missed"], found["extra"]) == (["2"], ["1", "4"], ["3", "5"])
    assert found["f1"] == 2 / 6
    agreed, chance = 1 / 5, (3 * 3 + 2 * 2) / 25
    assert found["kappa"] == pytest.approx((agreed - chance) / (1 - chance))
    assert (found["prepared"], found["modified"], found["difference"]) == (7 / 8, 5 / 8, -2 / 8)


def test_the_prepared_answer_itself_is_perfect(build, peer, word):
    prepared = matched(build, peer, word, "12")
    found = peer_feedback(prepared, prepared)
    assert (found["f1"], found["kappa"], found["difference"]) == (1, 1, 0)
    nothing = peer_feedback(peer, peer)
    assert (nothing["f1"], nothing["kappa"]) == (1, None)
    assert nothing["reason"]


def test_units_of_two_pyramids_are_paired_by_shared_tokens_whatever_they_are_called(build, document):
    own = build.rename_unit(build.delete_unit(build.merge(document, "5", "4"), "3"), "2", "Loaves")
    found = pyramid_feedback(document, own)
    assert {(pair["prepared"], pair["own"]): pair["similarity"] for pair in found["pairs"]} == {
        ("1", "1"): 1.0,
        ("2", "2"): 1.0,
        ("4", "5"): 2 / 3,
    }
    assert (found["hit"], found["missed"], found["extra"]) == (["1", "2", "4"], ["3", "5"], [])
    assert found["f1"] == 2 * 3 / (2 * 3 + 2)
    assert found["similarity"] == pytest.approx((1 + 1 + 2 / 3) / (0.5 * 5 + 0.5 * 3))
    assert (found["prepared_mean_weight"], found["mean_weight"]) == (10 / 5, 8 / 3)


def test_kappa_of_two_pyramids_is_over_covered_tokens(build, document):
    found = pyramid_feedback(document, build.delete_unit(document, "1"))
    tokens, both, neither, first = 13, 6, 3, 10
    agreed = (both + neither) / tokens
    chance = (first * both + (tokens - first) * (tokens - both)) / tokens**2
    assert found["kappa"] == pytest.approx((agreed - chance) / (1 - chance))
    assert 0 < found["alpha"] < 1


def test_a_unit_that_shares_less_than_half_is_no_hit(build, document, at):
    apples = build.delete_unit(build.delete_unit(build.delete_unit(build.delete_unit(document, "2"), "3"), "4"), "5")
    blank = PyramidDocument(document.material)
    found = pyramid_feedback(apples, build.new_unit(blank, [at("A", "apples")]))
    assert found["pairs"][0]["similarity"] == 2 * 1 / (4 + 1)
    assert (found["hit"], found["missed"], found["extra"]) == ([], ["1"], ["1"])


def test_an_empty_pyramid_gets_feedback_too(document):
    found = pyramid_feedback(document, PyramidDocument(document.material))
    assert (found["f1"], found["hit"], found["alpha"], found["mean_weight"]) == (0, [], None, None)
    assert found["missed"] == ["1", "2", "3", "4", "5"]


def test_the_pairing_has_the_greatest_total_similarity():
    left = np.array([[1, 1, 0], [1, 0, 0]], bool)
    right = np.array([[1, 1, 0]], bool)
    assert [(link.left, link.right, link.weight) for link in paired(left, right).links] == [(0, 0, 1.0)]


def test_agreement_is_that_of_the_command(demo):
    paths = sorted(demo.glob("*.pan"))
    first = [with_units(read_annotation(path)) for path in paths]
    found = agreement_of(first, first, ("ann", "ben"))
    assert found.subtitle == "ann and ben"
    assert found.of(judgement="expressed or not")["kappa"].value == 1
    assert "scores" in found.parts


def test_two_annotators_of_2006_agree_as_published_for_this_data(data):
    paths = sorted((data("duc2006") / "pan").glob("*D0631*"))
    sides = [[with_units(read_annotation(p)) for p in paths if p.name.startswith(who)] for who in ("114", "115")]
    found = agreement_of(*sides)
    values = {name: one.value for name, one in found.of(judgement="expressed or not").items()}
    assert round(values["kappa"], 4) == 0.8445
    hits = [peer_feedback(one, other) for one, other in zip(*sides, strict=True)]
    assert sum(len(one["hit"]) for one in hits) == 224
    assert sum(len(one["hit"]) + len(one["missed"]) for one in hits) == 259
    assert sum(len(one["hit"]) + len(one["extra"]) for one in hits) == 254


def test_a_pyramid_of_2006_is_its_own_prepared_answer(data):
    (path,) = (data("duc2006") / "pyr").glob("*D0631*")
    document = with_units(read_pyramid(path))
    assert pyramid_feedback(document, document)["f1"] == 1
