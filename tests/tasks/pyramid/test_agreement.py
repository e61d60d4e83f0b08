"""How far two people agree: hand-computed cases, and what cannot be compared."""

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.people.lists import alpha_of

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.pyramid import Decision, Presence, agree, read_reading, reading, vote_agreement
from touchstone.tasks.pyramid.tokens import companions, tokens


@pytest.fixture
def two(annotated):
    """Two readings of four peers: the units that each found, a letter for each."""

    def read(first, second):
        made = [
            reading(name, [annotated(uids, peer=str(peer), annotator=name) for peer, uids in enumerate(side)])
            for name, side in (("ann", first), ("bob", second))
        ]
        return agree(*made)

    return read


def value(found, name, unit, distance="nominal"):
    return found.of(unit=unit, distance=distance)[name].value


def test_kappa_on_each_decision_by_hand(two):
    """4 peers x 5 units: ann marks 7, bob 6, both 5, so 17 of 20 decisions are alike."""
    found = two(["abc", "ab", "a", "a"], ["ab", "ab", "a", "d"])
    chance = (7 * 6 + 13 * 14) / 400
    assert value(found, "raw_agreement", "decision") == pytest.approx(17 / 20)
    assert value(found, "kappa", "decision") == pytest.approx((17 / 20 - chance) / (1 - chance))
    assert value(found, "f1.expressed", "decision") == pytest.approx(2 * 5 / 13)
    assert found.coefficients["kappa"].units == 20


def test_the_unit_and_the_distance_change_the_value(two):
    found = two(["abc", "ab", "a", "a"], ["ab", "ab", "a", "d"])
    sets = [[{*"abc"}, {*"ab"}], [{*"ab"}, {*"ab"}], [{"a"}, {"a"}], [{"a"}, {"d"}]]
    for distance in ("masi", "jaccard", "dice", "nominal"):
        assert value(found, "alpha", "peer summary", distance) == pytest.approx(alpha_of(sets, distance).value)
    peers = [[{*"0123"}, {*"012"}], [{*"01"}, {*"01"}], [{"0"}, set()], [set(), {"3"}], [set(), set()]]
    assert value(found, "alpha", "content unit", "masi") == pytest.approx(alpha_of(peers, "masi").value)


def test_four_summaries_give_no_intervals_over_summaries_and_the_tables_say_why(two):
    found = two(["abc", "ab", "a", "d"], ["abc", "a", "ab", "d"])
    reason = "no interval: it needs at least 5 independent units, and there are 4"
    rows = found.table()
    assert [row[-1] for row in rows.rows][:-2] == [""] * 9  # the last two are over five content units
    assert f"each decision: {reason}" in rows.notes
    assert f"each peer summary: {reason}" in rows.notes
    scores = found.parts["scores"].table()
    assert [row[-1] for row in scores.rows[:3]] == [""] * 3
    assert f"pearson: {reason}" in scores.notes


def test_scores_are_always_compared(two):
    """X is 10/4 rounded half up, 3, so the optimum is 4 + 2 + 2."""
    found = two(["abc", "ab", "a", "d"], ["abc", "a", "ab", "d"])
    assert found.parts["scores"].first == (8 / 8, 6 / 8, 4 / 8, 1 / 8)
    assert found.parts["scores"].second == (8 / 8, 4 / 8, 6 / 8, 1 / 8)
    pearson = float(np.corrcoef(found.parts["scores"].first, found.parts["scores"].second)[0, 1])
    assert found.parts["scores"].correlations[0].value == pytest.approx(pearson)
    assert max(found.parts["scores"].gaps) == 2 / 8
    assert "Do the two give the same scores?" in repr(found)


def test_equal_readings_agree_fully_and_what_is_constant_is_undefined(two):
    found = two(["abc", "ab", "d"], ["abc", "ab", "d"])
    every = [one for group in found.groups for one in group.coefficients.values()]
    assert {round(one.value, 9) for one in every} == {1.0}
    same = two(["ab", "ab", "ab"], ["ab", "ab", "ab"])
    assert np.isnan(value(same, "alpha", "peer summary", "masi"))
    assert "undefined, all answers are the same" in repr(same)
    rows = json.loads(json.dumps(same.to_dict()))["rows"]
    assert [row["value"] for row in rows if row.get("measure") == "pearson"] == [None]


def test_summaries_that_one_of_the_two_did_not_read_are_counted(annotated):
    first = reading("ann", [annotated("ab", peer=peer) for peer in "1234"])
    second = reading("bob", [annotated("abc", peer=peer) for peer in "123"])
    assert "left out, since only one of the two annotated them: 1 summary" in agree(first, second).notes


def test_padded_and_plain_ids_are_one_peer(annotated):
    first = reading("ann", [annotated("ab", peer=f"0{peer}") for peer in "123"])
    second = reading("bob", [annotated("abc", peer=peer) for peer in "123"])
    assert len(agree(first, second).parts["scores"].names) == 3


def test_readings_with_nothing_in_common_or_a_peer_twice_are_refused(annotated):
    first = reading("ann", [annotated("ab", peer="1", document_set="S1")])
    second = reading("bob", [annotated("ab", peer="1", document_set="S2")])
    with pytest.raises(TouchstoneError) as error:
        agree(first, second)
    assert error.value.code == Code.MISMATCH
    with pytest.raises(TouchstoneError) as error:
        reading("ann", [annotated("ab", peer="1", annotator=who) for who in ("x", "y")])
    assert error.value.code == Code.DUPLICATE_ID


def test_a_folder_without_annotations_is_refused(tmp_path):
    with pytest.raises(TouchstoneError) as error:
        read_reading(tmp_path)
    assert error.value.code == Code.NO_FILE


def test_tokens_share_a_unit_with_the_tokens_of_all_its_contributors(pyramid):
    spans = tokens(pyramid)
    words = [pyramid.text[start:end] for start, end in spans.tolist()]
    assert words == ["apples", "bread", "cider", "apples", "bread", "dates", "apples", "cider", "apples", "eggs"]
    shared = companions(pyramid, spans)
    assert shared[0] == {0, 3, 6, 8}
    assert shared[5] == {5}


def test_two_pyramids_of_the_same_models_are_compared_token_by_token(pyramid):
    """Without the unit of bread, two of ten tokens have the empty set."""
    fewer = replace(pyramid, units=tuple(unit for unit in pyramid.units if unit.uid != "b"))
    found = agree(reading("ann", [pyramid]), reading("bob", [fewer]))
    (one,) = found.parts["pyramids"].pyramids
    spans = tokens(pyramid)
    pairs = zip(companions(pyramid, spans), companions(fewer, spans), strict=True)
    assert one.alpha.value == pytest.approx(alpha_of(pairs, "masi").value)
    assert (one.covered, one.units, one.mean_weights) == ((10, 8), (5, 4), (2.0, 2.0))
    assert "whether the two pyramids give the same scores is not known" in found.notes[0]


def test_two_files_of_pyramids_may_be_called_anything(pyramid):
    found = agree(reading("ann", [pyramid]), reading("bob", [replace(pyramid, set="other")]))
    assert found.parts["pyramids"].pyramids[0].alpha.value == pytest.approx(1)


def test_peers_read_against_two_pyramids_are_compared_by_their_scores(annotated):
    def under(one):
        """The same reading against a pyramid in which cider weighs 1."""
        units = tuple(
            replace(unit, contributors=unit.contributors[:1]) if unit.uid == "c" else unit for unit in one.pyramid.units
        )
        return replace(one, pyramid=replace(one.pyramid, units=units))

    peers = [annotated(uids, peer=str(place)) for place, uids in enumerate(("abc", "ab", "c"))]
    found = agree(reading("ann", peers), reading("bob", [under(one) for one in peers]))
    assert found.groups == []
    assert found.parts["scores"].first == (8 / 8, 6 / 8, 2 / 8)
    assert found.parts["scores"].second == (7 / 6, 6 / 6, 1 / 6)  # S = 9, so X is 2
    assert len(found.parts["pyramids"].pyramids) == 1
    assert "3 summaries were annotated with different pyramids: only scores are compared" in found.notes


def test_pyramids_of_other_texts_are_not_compared(pyramid):
    other = replace(pyramid, lines=(*pyramid.lines[:-1], "pears eggs"))
    with pytest.raises(TouchstoneError) as error:
        agree(reading("ann", [pyramid]), reading("bob", [other]))
    assert error.value.code == Code.MISMATCH


def test_votes_agree_as_alpha_and_fleiss_say():
    votes = [(1, 1, 1), (0, 0, 0), (1, 1, 0), (1, 0, 0, 0)]
    decisions = [Decision("d1", "s", str(scu), "x", True, given) for scu, given in enumerate(votes)]
    found = vote_agreement(Presence(decisions))
    assert found.coefficients["alpha"].value == pytest.approx(alpha_of(votes).value)
    assert found.coefficients["kappa"].units == 3
    with pytest.raises(TouchstoneError) as error:
        vote_agreement(Presence([Decision("d1", "s", "1", "x", True)]))
    assert error.value.code == Code.UNSUPPORTED
