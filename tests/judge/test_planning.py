"""Plans: labels with and without the judge, for widths and differences; wishes that cannot be met are refused."""

from dataclasses import replace

import numpy as np
import pytest

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.judge.estimating import estimate
from touchstone.judge.planning import plan_difference, plan_width
from touchstone.tasks.items.answers import paired_tables


def pilot(noise=0.3, *, labelled=60, items=800, judge=lambda truth, noise: truth + noise, seed=0):
    """Two systems, of which people scored some items and the judge all, with an error as large as *noise*."""
    random = np.random.default_rng(seed)
    human, judged = [], []
    for system, level in {"osprey": 0.3, "kestrel": 0.0}.items():
        for item in range(items):
            truth = level + random.normal()
            judged.append({"system": system, "item": str(item), "score": judge(truth, noise * random.normal())})
            if item < labelled:
                human.append({"system": system, "item": str(item), "score": truth})
    [paired] = paired_tables(human, judged)
    return paired


def test_a_good_judge_saves_most_labels_and_a_useless_one_none():
    good, useless = plan_width(pilot(), 0.3), plan_width(pilot(judge=lambda truth, noise: noise), 0.3)
    assert all(one.saved > 0.7 for one in good.needs)
    assert all(one.both.needed <= one.human.needed for one in useless.needs)
    assert all(one.saved < 0.1 for one in useless.needs)


def test_human_labels_for_a_width_are_those_of_the_t_interval():
    [need, _] = plan_width(pilot(labelled=200), 0.3).needs
    assert need.name == "osprey"
    assert need.human.needed == pytest.approx((2 * 1.97 * 1.0 / 0.3) ** 2, rel=0.25)
    assert need.human.low < need.human.needed < need.human.high
    assert (need.pilot, need.items) == (200, 800)


def test_a_smaller_difference_needs_more_labels():
    small, large = (plan_difference(pilot(), size).needs[0] for size in (0.1, 0.2))
    assert small.human.needed == pytest.approx(4 * large.human.needed, rel=0.05)
    assert small.name == "osprey – kestrel"


def test_more_power_needs_more_labels():
    usual, more = (plan_difference(pilot(), 0.2, power=power).needs[0] for power in (0.8, 0.95))
    assert more.both.needed > usual.both.needed


def test_between_two_systems_the_difference_of_the_pilot_is_planned_for():
    plan = plan_difference(pilot(), between=("osprey", "kestrel"))
    [need] = plan.needs
    assert need.target == pytest.approx(0.3, abs=0.15)
    assert any("differ by" in note and "by the combined estimate" in note for note in plan.notes)


def test_the_width_of_a_difference_can_be_planned():
    plan = plan_width(pilot(), 0.3, ("osprey", "kestrel"))
    assert [need.name for need in plan.needs] == ["osprey – kestrel"]
    assert plan.needs[0].human.needed > plan_width(pilot(), 0.3).needs[0].human.needed


def test_what_the_items_cannot_give_is_said():
    plan = plan_width(pilot(noise=1.0), 0.02)
    table = plan.table()
    assert np.isinf(plan.needs[0].both.needed)
    assert table.rows[0][6] == "–"
    assert any("not possible with the items that the judge scored" in note for note in table.notes)
    assert any("further items are needed" in note for note in table.notes)


@pytest.mark.filterwarnings("ignore:.*default or a mean:touchstone.TouchstoneWarning")
def test_a_constant_judge_saves_nothing_and_that_is_said():
    plan = plan_width(pilot(judge=lambda truth, noise: 0.5), 0.3)
    assert all(one.both.needed == one.human.needed for one in plan.needs)
    assert "the judge saves no labels: it gives all human items the same score" in plan.notes
    assert [row[3] for row in plan.table().rows] == ["–", "–"]


@pytest.mark.filterwarnings("ignore:.*follow people.s no more than by chance:touchstone.TouchstoneWarning")
def test_a_judge_that_does_not_follow_people_saves_nothing_and_that_is_said():
    plan = plan_width(pilot(judge=lambda truth, noise: 4 * (1000 * noise % 1) - 2), 0.3)
    assert "the judge saves no labels: its scores do not follow human scores closely enough" in plan.notes


def test_a_judge_on_another_scale_is_rescaled_as_the_estimate_rescales_it():
    plain = plan_width(pilot(noise=0.3), 0.5)
    curved = plan_width(pilot(noise=0.3, judge=lambda truth, noise: np.exp(3 * (truth + noise))), 0.5)
    assert "rescaled by a monotone curve" in curved.notes[0]
    for need, same in zip(curved.needs, plain.needs, strict=True):
        assert need.correlation == pytest.approx(same.correlation, abs=0.03)


def test_where_the_fewest_labels_are_enough_the_judge_is_not_blamed():
    plan = plan_width(pilot(), 5)
    assert [one.human.needed for one in plan.needs] == [5, 5]
    assert plan.notes == ["the minimum number of labels is enough, so the judge saves none"]


def test_a_width_that_no_number_of_labels_reaches_is_not_the_judges_fault():
    plan = plan_width(pilot(), 1e-9)
    table = plan.table()
    assert plan.notes == []
    assert "a 95% interval 1e-09 wide" in str(table.title)
    assert [table.rows[0][place] for place in (4, 6, 9)] == ["> 10,000,000", "–", "> 10,000,000"]


@pytest.mark.filterwarnings("ignore:.*fall as human scores rise:touchstone.TouchstoneWarning")
def test_a_judge_that_goes_against_people_is_told_to_turn_its_sign():
    plan = plan_width(pilot(judge=lambda truth, noise: noise - truth), 0.3)
    assert all(one.both.needed == one.human.needed for one in plan.needs)
    [note] = plan.notes
    assert "fall as human scores rise" in note
    assert "change the sign of one side" in note


def test_a_plan_says_how_many_labels_the_pilot_lacks():
    plan = plan_width(pilot(), 0.15)
    need = plan.needs[0]
    assert need.both.needed > need.pilot
    table = plan.table()
    assert table.columns[-1].header == "more"
    assert table.rows[0][-1] == f"{int(need.both.needed - need.pilot):,}"
    assert plan.to_dict()["rows"][0]["more"] == need.both.needed - need.pilot
    enough = plan_width(pilot(), 0.3)
    assert enough.needs[0].more == 0
    assert enough.table().rows[0][-1] == "reached"
    assert plan_width(pilot(), 1e-9).table().rows[0][-1] == "–"


def test_minutes_of_a_label_give_hours_beside_the_labels():
    plan = plan_width(pilot(), 0.3)
    timed = replace(plan, minutes=15.0)
    need = timed.needs[0]
    table, plain = timed.table(), plan.table()
    extra = [column.header for column in table.columns if column not in plain.columns]
    assert extra == ["hours, human only", "hours, with the judge"]
    assert table.rows[0][9:11] == [f"{need.human.needed / 4:,.1f}", f"{need.both.needed / 4:,.1f}"]
    assert timed.to_dict()["rows"][0]["hours"] == {"human": need.human.needed / 4, "both": need.both.needed / 4}
    assert "hours" not in plan.to_dict()["rows"][0]
    endless = replace(plan_width(pilot(noise=1.0), 0.02), minutes=15.0)
    assert endless.table().rows[0][10] == "–"
    with pytest.raises(TouchstoneError) as error:
        replace(plan, minutes=0.0)
    assert error.value.code == Code.OUT_OF_RANGE


@pytest.mark.parametrize(
    ("ask", "code", "value"),
    [
        (lambda paired: plan_width(paired, 0), Code.OUT_OF_RANGE, None),
        (lambda paired: plan_width(paired, np.inf), Code.OUT_OF_RANGE, None),
        (lambda paired: plan_difference(paired, -1.0), Code.OUT_OF_RANGE, None),
        (lambda paired: plan_difference(paired), Code.OPTION_NEEDED, None),
        (lambda paired: plan_difference(paired, 0.1, power=1.0), Code.OUT_OF_RANGE, None),
        (lambda paired: plan_width(paired, 0.1, ("osprey", "kestral")), Code.UNKNOWN_NAME, "kestral"),
        (lambda paired: plan_difference(paired, 0.1, ("osprey", "osprey")), Code.BAD_VALUE, "osprey"),
    ],
)
def test_a_wish_that_cannot_be_read_is_refused(ask, code, value):
    with pytest.raises(TouchstoneError) as error:
        ask(pilot(labelled=10, items=20))
    assert (error.value.code, error.value.faults[0].value) == (code, value)


def test_people_who_give_all_items_one_score_tell_no_spread():
    human = [{"system": "a", "item": str(item), "score": 1} for item in range(8)]
    judge = [{**row, "score": int(row["item"])} for row in human]
    [paired] = paired_tables(human, judge)
    with pytest.raises(TouchstoneError, match="people gave all items of the pilot the same score"):
        plan_width(paired, 0.1)
    [paired] = paired_tables(
        human + [{**row, "system": "b"} for row in judge], judge + [{**row, "system": "b"} for row in judge]
    )
    plan = plan_width(paired, 0.1)
    assert [need.name for need in plan.needs] == ["b"]
    assert "people gave all items of the pilot the same score, so the spread is unknown: a" in plan.notes


def test_a_pilot_of_three_items_is_refused():
    with pytest.raises(TouchstoneError) as error:
        plan_width(pilot(labelled=3, items=20), 0.1)
    assert error.value.code == Code.TOO_FEW


STRATA = np.arange(800) % 10


def of_strata(random, labels):
    """One system whose items are of ten strata that differ; people scored so many of a random sample of each."""
    truth = 2 * np.arange(10.0)[STRATA] / 3 + random.normal(size=800) * (1 + STRATA % 3)
    judge = 0.8 * truth + random.normal(size=800)
    rows = [{"system": "a", "item": str(n), "set": f"s{STRATA[n]}", "score": judge[n]} for n in range(800)]
    chosen = [random.choice(np.flatnonzero(h == STRATA), round(labels / 10), replace=False) for h in range(10)]
    human = [{"system": "a", "item": str(n), "score": truth[n]} for n in np.concatenate(chosen)]
    [paired] = paired_tables(human, rows)
    return paired


def test_labels_from_strata_give_the_width_that_was_planned():
    random = np.random.default_rng(0)
    widths, fewer = {"human": [], "both": []}, []
    for _ in range(20):
        paired = of_strata(random, 100)
        plan = plan_width(paired, 0.4, population="set", strata="set")
        [need], [plain] = plan.needs, plan_width(paired, 0.4, population="set").needs
        fewer.append(need.human.needed / plain.human.needed)
        for side, of in widths.items():
            labels = getattr(need, side).needed
            [found] = estimate(of_strata(random, labels), population="set", strata="set").systems
            of.append(getattr(found, side).high - getattr(found, side).low)
    assert np.mean(widths["human"]) == pytest.approx(0.4, rel=0.05)
    assert np.mean(widths["both"]) == pytest.approx(0.4, rel=0.07)  # a weight that is fitted on few labels costs some
    assert np.mean(fewer) < 0.9
    assert "strata: people score the same share of each set, at least two items" in plan.table().notes
    assert plan.signature["plan"].endswith("set, strata by set, of a")


def test_a_plan_with_strata_has_two_labels_of_each_at_least():
    plan = plan_width(of_strata(np.random.default_rng(1), 100), 14.0, population="set", strata="set")
    assert [need.human.needed for need in plan.needs] == [20]


def test_strata_are_for_a_plan_about_this_set():
    with pytest.raises(TouchstoneError) as error:
        plan_width(of_strata(np.random.default_rng(1), 100), 0.4, strata="set")
    assert error.value.code == Code.OPTION_UNUSED
