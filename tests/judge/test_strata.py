"""Estimates from strata of items: what they equal, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.core.resampling import Resampling
from touchstone.judge.estimating import estimate
from touchstone.stats.records import mean
from touchstone.tasks.items.answers import paired_tables

RANDOM = np.random.default_rng(6)
ITEMS = range(60)
SCORES = RANDOM.normal(size=(2, 60)) + 4 * (np.arange(60) % 5)
JUDGED = SCORES + RANDOM.normal(0, 0.5, (2, 60))
SCORED = range(30)


def rows(scores, items, **fields):
    return [
        {"system": system, "item": item, "score": scores[k][item]} | {name: of(item) for name, of in fields.items()}
        for k, system in enumerate("ab"[: len(scores)])
        for item in items
    ]


def paired(items=SCORED, part=lambda item: f"p{item % 5}", cluster=None, scores=SCORES, judged=JUDGED, **fields):
    judge = rows(judged, ITEMS, part=part, **fields)
    [both] = paired_tables(rows(scores, items), judge, resampling=Resampling(cluster=cluster))
    return both


def with_probability(both, probability):
    """The same scores with the probabilities of the items."""
    return replace(both, probability=probability[both.item])


def estimated(both, population="set", strata="part"):
    return estimate(both, population=population, strata=strata)


def test_the_difference_of_two_systems_is_that_of_their_scores():
    (pair,) = estimated(paired()).pairs
    (alone,) = estimated(paired(scores=SCORES[:1] - SCORES[1:], judged=JUDGED[:1] - JUDGED[1:])).systems
    sign = 1 if pair.a == "a" else -1
    for one, other in ((pair.human, alone.human), (pair.both, alone.both)):
        assert (sign * one.value, one.error, one.df) == pytest.approx((other.value, other.error, other.df))


def test_strata_make_an_interval_narrower_where_they_differ_and_no_wider_than_people():
    for entry, plain in zip(estimated(paired()).systems, estimated(paired(), strata=None).systems, strict=True):
        widths = [one.high - one.low for one in (entry.both, entry.human, plain.human)]
        assert widths[0] < widths[1] < widths[2] / 3


def test_a_stratum_may_be_an_item_that_people_scored():
    entry = estimated(paired(part=lambda item: "alone" if item == 3 else f"p{item % 5}")).systems[0]
    assert np.isfinite(entry.both.low)


def test_whole_clusters_inside_strata_are_drawn_together():
    both = paired(items=[i for i in ITEMS if i // 5 % 2], part=lambda i: i // 20, cluster="page", page=lambda i: i // 5)
    assert estimated(both).signature["intervals"] == "95% t over pages in strata by part, set"


@pytest.mark.parametrize(
    ("both", "population", "message"),
    [
        (paired(), "source", "for other items the sizes of the strata are unknown\n   estimate this set with"),
        (
            paired(range(7)),
            "set",
            "people scored 1 of 12 items of 'a' in a stratum, too few to show how they vary: \"p2\"\n   "
            "let them score at least 2 items of each stratum, or merge strata that are alike",
        ),
        (
            paired([item for item in ITEMS if (item % 5 == 1 and item < 50) or item < 10]),
            "set",
            "people scored 2 of 12 items of 'a' in a stratum, but more than twice that share in another",
        ),
        (paired(part=lambda item: None if item > 40 else "p"), "set", r"people scored 0 of 19 items .*\(no value\)"),
        (
            paired(items=range(30), cluster="page", page=lambda item: item // 3),
            "set",
            'a page has items of more than one part, such as item: "1"',
        ),
        (
            with_probability(paired(), np.where(np.arange(60) < 30, 0.5 + 0.1 * (np.arange(60) == 2), np.nan)),
            "set",
            r'items of one stratum had different probabilities \(0\.5 to 0\.6\): "p2"\n   strata need a random',
        ),
        (
            replace(paired(), measure=replace(paired().measure, fold=lambda sums: mean(sums) ** 2)),
            "set",
            'only a mean over all items can be estimated with strata, and this measure is not one: "score"',
        ),
    ],
)
def test_what_strata_cannot_do_is_refused(both, population, message):
    with pytest.raises(TouchstoneError, match=message):
        estimated(both, population)


def test_an_unknown_field_is_refused():
    with pytest.raises(TouchstoneError) as error:
        estimated(paired(), strata="prt")
    assert error.value.code == Code.UNKNOWN_NAME
    assert error.value.faults[0].value == "prt"


def test_equal_probabilities_of_a_stratum_change_nothing():
    both = paired()
    known = with_probability(both, np.where(np.arange(60) < 30, 0.5, np.nan))
    assert estimated(known).systems[0].both == estimated(both).systems[0].both
