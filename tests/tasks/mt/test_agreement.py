"""Agreement of judges: kappa by hand, the other coefficients from their own definitions, and where there is none."""

import json

import numpy as np
import pytest
from tests.tasks.mt.judging import Entry, collect

from touchstone.base.errors import TouchstoneError
from touchstone.base.files import Source
from touchstone.core.resampling import Resampling
from touchstone.tasks.mt.judges.agreement import agreement

QUICK = Resampling(draws=50, cluster="segment")


def inter(criterion):
    return {"criterion": criterion, "among": "inter", "group": None}


def intra(criterion):
    return inter(criterion) | {"among": "intra"}


def judged(ballots, scale="rank", criterion="rank"):
    """Return judgements from (group, segment, judge, {system: value}), each a ballot of its own."""
    entries = [
        Entry((str(number),), group, segment, judge, system, float(value), number + 2)
        for number, (group, segment, judge, values) in enumerate(ballots)
        for system, value in values.items()
    ]
    return collect(criterion, scale, Source("judged.csv", "0"), entries)


def test_kappa_of_pairs_of_ranks_is_that_of_wmt():
    found = agreement(
        judged(
            [
                (None, "1", "J", {"a": 1, "b": 2, "c": 2}),
                (None, "1", "K", {"a": 1, "b": 2, "c": 3}),
            ]
        ),
        resampling=QUICK,
    ).of(**inter("rank"))
    # a > b and a > c twice; b = c against b > c. One tie among six answers.
    chance = (1 / 6) ** 2 + 2 * (5 / 12) ** 2
    assert found["raw_agreement"].value == pytest.approx(2 / 3)
    assert found["chance"].value == pytest.approx(chance)
    assert found["kappa"].value == pytest.approx((2 / 3 - chance) / (1 - chance))
    assert (found["kappa"].units, found["kappa"].answers) == (3, 3)


def test_the_order_in_which_systems_are_named_does_not_matter():
    one = [(None, "1", "J", {"a": 1, "b": 2}), (None, "1", "K", {"b": 1, "a": 2}), (None, "2", "K", {"a": 1, "b": 1})]
    other = [(group, segment, judge, dict(reversed(values.items()))) for group, segment, judge, values in one]
    first, second = (agreement(judged(rows), resampling=QUICK).of(**inter("rank")) for rows in (one, other))
    assert first["kappa"].value == second["kappa"].value


def test_a_judge_is_compared_with_himself_apart_from_others():
    rows = [
        (None, "1", "J", {"a": 1, "b": 2}),
        (None, "1", "J", {"a": 1, "b": 2}),
        (None, "1", "K", {"a": 2, "b": 1}),
        (None, "2", "K", {"a": 1, "b": 1}),
    ]
    found = agreement(judged(rows), resampling=QUICK)
    assert found.of(**intra("rank"))["raw_agreement"].value == 1
    assert found.of(**intra("rank"))["kappa"].answers == 1
    assert found.of(**inter("rank"))["raw_agreement"].value == 0
    assert found.of(**inter("rank"))["kappa"].answers == 2


def test_judges_who_never_meet_have_no_kappa_but_a_reason():
    found = agreement(
        judged([(None, "1", "J", {"a": 1, "b": 2}), (None, "2", "K", {"a": 1, "b": 1})]), resampling=QUICK
    )
    one = found.of(**inter("rank"))["kappa"]
    assert np.isnan(one.value)
    assert one.reason == "no unit was judged by two annotators"
    assert "kappa: undefined, no unit was judged by two annotators" in repr(found)
    assert json.loads(json.dumps(found.to_dict()))["rows"][0]["value"] is None


def test_scores_agree_where_they_are_equal_and_alpha_sees_how_far_they_differ():
    rows = [
        (None, "1", "J", {"a": 5, "b": 3}),
        (None, "1", "K", {"a": 5, "b": 4}),
        (None, "2", "J", {"a": 1, "b": 3}),
        (None, "2", "K", {"a": 1, "b": 3}),
    ]
    found = agreement(judged(rows, "score", "adequacy"), resampling=QUICK).of(
        criterion="adequacy", among="inter", group=None
    )
    shares = np.array([2, 3, 1, 2]) / 8
    chance = (shares**2).sum()
    assert found["kappa"].value == pytest.approx((3 / 4 - chance) / (1 - chance))
    values = [5, 5, 3, 4, 1, 1, 3, 3]
    expected = sum((a - b) ** 2 for a in values for b in values) / (8 * 7)
    assert found["alpha"].value == pytest.approx(1 - (2 / 8) / expected)


def test_scores_on_a_line_have_alpha_and_no_kappa():
    random = np.random.default_rng(0)
    rows = [(None, str(n), judge, {"a": random.random(), "b": random.random()}) for n in range(9) for judge in "JK"]
    found = agreement(judged(rows, "score", "direct"), resampling=QUICK).of(
        criterion="direct", among="inter", group=None
    )
    assert found["kappa"].reason.endswith("distinct scores are points on a line, not labels")
    assert np.isfinite(found["alpha"].value)
    assert "fleiss" not in found


def test_each_group_has_its_row_and_all_together_have_one():
    rows = [(group, "1", judge, {"a": 1, "b": 2}) for group in ("cs-en", "de-en") for judge in "JK"]
    rows += [("de-en", "2", judge, {"a": 1, "b": 1}) for judge in "JK"]
    found = agreement(judged(rows), resampling=QUICK)
    assert [(group.about["among"], group.about["group"]) for group in found.groups][:3] == [
        ("inter", "cs-en"),
        ("inter", "de-en"),
        ("inter", None),
    ]
    assert found.of(**inter("rank"))["kappa"].value == 1
    with pytest.raises(TouchstoneError, match="no agreement on criterion rank, among inter, group fr-en"):
        found.of(criterion="rank", among="inter", group="fr-en")


def test_constituents_are_compared_within_the_same_span():
    entries = [
        Entry((judge, span), None, "1", judge, system, float(rank), 2, span)
        for judge, span in (("J", "0-2"), ("K", "3-5"))
        for system, rank in (("a", 1), ("b", 2))
    ]
    found = agreement(collect("constituent", "rank", Source("c.csv", "0"), entries), resampling=QUICK)
    assert found.of(**inter("constituent"))["kappa"].answers == 0
