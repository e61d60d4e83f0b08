"""A gate fails for a system that is worse, and says how large a loss the data leave possible."""

import re

import pytest

from touchstone import TouchstoneError, compare, gate, items
from touchstone.base.codes import Code
from touchstone.base.ids import Policy
from touchstone.core.gating import Loss, gates_sentences, gates_table, gates_verdict
from touchstone.core.resampling import Resampling

IDS = [str(n) for n in range(40)]


def compared(old, new, lower=(), method="jackknife"):
    scores = {"old": dict(zip(IDS, old, strict=False)), "new": dict(zip(IDS, new, strict=False))}
    return compare(items.score(scores, lower_is_better=lower, resampling=Resampling(method)), "value")


WORSE = compared([1.0] * 40, [0.0] * 10 + [1.0] * 30)
EQUAL = compared([1.0, 0.0] * 20, [1.0, 0.0] * 20)
FEW = compared([1.0] * 5 + [0.0], [0.0] + [1.0] * 4 + [0.0])


def test_a_significant_loss_fails_and_a_gain_passes():
    assert not gate(WORSE, "new").passed
    assert gate(WORSE, "old").passed


def test_where_lower_is_better_a_higher_value_is_the_loss():
    seconds = compared([1.0] * 40, [0.0] * 10 + [1.0] * 30, lower=("value",))
    assert gate(seconds, "new").passed
    assert not gate(seconds, "old").passed


def test_without_a_margin_too_few_items_pass_and_the_sentence_says_what_is_possible():
    outcome = gate(FEW, "new")
    assert outcome.passed
    pair = FEW.pairs[0]  # old - new
    assert f"the loss could be as large as {pair.high:.3f}" in outcome.sentences[0]


def test_with_a_margin_the_interval_decides():
    pair = WORSE.pairs[0]
    assert (pair.a, pair.b) == ("old", "new")
    assert gate(WORSE, "new", margin=pair.high).passed
    assert not gate(WORSE, "new", margin=pair.high - 0.001).passed
    assert not gate(FEW, "new", margin=0.1).passed
    assert gate(EQUAL, "new", margin=0.1).passed  # at most t²/(n + t²) = 0.093 for 40 items
    assert not gate(EQUAL, "new", margin=0.09).passed


def test_where_there_is_no_interval_a_margin_fails():
    without = compared([1.0, 0.0] * 20, [1.0, 0.0] * 19 + [0.0, 1.0], method="none")
    outcome = gate(without, "new", margin=0.5)
    assert not outcome.passed
    assert "there is no interval, so no loss is ruled out" in outcome.sentences[0]
    assert "nan" not in outcome.table().to_text()


def test_an_unknown_system_is_refused_with_the_nearest():
    with pytest.raises(TouchstoneError) as error:
        gate(EQUAL, "nwe")
    fault = error.value.faults[0]
    assert (fault.code, fault.near) == (Code.UNKNOWN_NAME, "new")


def test_with_a_margin_the_sentence_gives_the_size_of_the_loss():
    pair = WORSE.pairs[0]
    ends = f"{pair.low:.3f}–{pair.high:.3f}"
    assert gate(WORSE, "new", margin=0.5).sentences == [
        f"value: new is not worse than old by more than 0.5: the loss is at most {pair.high:.3f} (95% interval)"
    ]
    assert gate(WORSE, "new", margin=0.3).sentences == [
        f"value: new is worse than old by 0.250 (95% interval {ends}), and may be worse by more than 0.3"
    ]
    assert gate(WORSE, "new", margin=0.05).sentences == [
        f"value: new is worse than old by more than 0.05: by 0.250 (95% interval {ends})"
    ]
    assert gate(WORSE, "old", margin=0.05).sentences == [
        "value: old is not worse than new by more than 0.05: the data rule out a loss (95% interval)"
    ]
    unsure = compared([1.0] * 20, [0.0] * 5 + [1.0] * 15)  # the interval excludes 0; of 5 items that differ, p is 2/32
    assert unsure.pairs[0].low > 0
    assert (
        gate(unsure, "new", margin=0.1).sentences[0].startswith("value: new may be worse than old by more than 0.1: ")
    )
    assert gate(FEW, "new", margin=0.1).sentences[0].startswith("value: new may be worse than old by more than 0.1: ")


def test_a_gate_is_true_where_it_passed():
    assert gate(WORSE, "old")
    assert not gate(WORSE, "new")


@pytest.mark.parametrize("margin", [-1, float("nan"), float("inf")])
def test_a_margin_below_zero_is_refused(margin):
    with pytest.raises(TouchstoneError) as error:
        gate(EQUAL, "new", margin=margin)
    assert error.value.code == Code.OUT_OF_RANGE


@pytest.mark.filterwarnings("ignore:.*if lower is better, say so:touchstone.TouchstoneWarning")
@pytest.mark.parametrize("name", ["latency_ms", "seconds", "costPerCall", "TER", "error rate", "eval_loss"])
def test_a_gate_warns_where_the_name_of_a_measure_says_that_less_is_better(name):
    rows = [{"system": system, "item": str(n), name: n % 3 + add} for n in range(9) for system, add in BOTH]
    (warning,) = gate(compare(items.score(rows), name), "new").warnings
    assert "takes higher as better" in warning
    assert not gate(compare(items.score(rows, lower_is_better=(name,)), name), "new").warnings


def test_a_gate_does_not_warn_of_other_names():
    assert not gate(WORSE, "new").warnings  # of value


BOTH = (("old", 0), ("new", 1))


@pytest.mark.filterwarnings("ignore:.*default or a mean:touchstone.TouchstoneWarning")
def test_a_gate_warns_that_the_new_system_lacks_items_of_the_old_one():
    old, new = dict.fromkeys(IDS, 0.5), {**dict.fromkeys(IDS[:30], 0.5), "0": 0.75}
    found = compare(items.score({"old": old, "new": new}, policy=Policy(missing="skip")), "value")
    [warning] = gate(found, "new").warnings
    assert warning.startswith(
        "value: new and old are compared on 30 of 40 items of old; new has no value for the others"
    )
    assert gate(found, "old").warnings == []


def test_a_missing_item_scores_no_0_where_lower_is_better():
    scores = {"old": dict.fromkeys(IDS, 1.5), "new": dict.fromkeys(IDS[:30], 1.5)}
    with pytest.raises(TouchstoneError, match="new: a missing item cannot score 0 under value, where lower is better"):
        items.score(scores, lower_is_better=("value",), policy=Policy(missing="zero"))


def test_a_gate_asks_for_a_comparison():
    with pytest.raises(TouchstoneError, match=r"(?s)a gate needs a comparison.*touchstone\.compare\(results\)"):
        gate(WORSE.results, "new")


@pytest.mark.parametrize("excess", [4e-4, 3e-5, 2e-9])
def test_a_bound_has_the_digits_that_tell_it_from_the_margin(excess):
    high = WORSE.pairs[0].high
    failed, passed = gate(WORSE, "new", margin=high - excess), gate(WORSE, "new", margin=high + excess)
    for outcome, margin in ((failed, high - excess), (passed, high + excess)):
        bound = outcome.losses[0].bound(outcome.margin)
        assert (float(bound) > margin) == (high > margin)
        assert bound in outcome.table().to_text()
    assert passed.losses[0].bound(passed.margin) in passed.sentences[0]


def test_a_loss_that_a_margin_does_not_rule_out_is_told_from_the_margin():
    found = compared([1.0] * 40, [0.0, 0.0, *[1.0] * 38])  # 2 of 40 items differ: not significant
    margin = round(found.pairs[0].high - 2e-5, 5)
    [sentence] = gate(found, "new", margin=margin).sentences
    [bound] = re.findall(r"could be as large as (\S+) \(", sentence)
    assert f"by more than {margin}:" in sentence
    assert float(bound) > margin


def test_a_loss_that_is_just_possible_is_not_0():
    loss = Loss("old", 0.0, -0.2, 0.0003, 1.0, significant=False)
    assert loss.possible == "the loss could be as large as 0.0003"


def test_the_table_and_the_data_of_a_gate_carry_its_verdict_and_margin():
    failed, passed = gate(WORSE, "new", margin=0.05), gate(WORSE, "old", margin=0.05)
    assert (failed.verdict, passed.verdict) == ("FAILED", "PASSED")
    for outcome in (failed, passed):
        for text in (
            outcome.table().to_text(),
            outcome.table().to_markdown(),
            outcome.table().to_latex(),
            str(outcome),
        ):
            assert outcome.verdict in text
            assert "0.05" in text
        data = outcome.to_dict()
        assert data["verdict"] == {"passed": outcome.passed, "sentences": outcome.sentences}
        [row, loss] = data["rows"]
        assert (row["kind"], row["passed"], row["margin"]) == ("gate", outcome.passed, 0.05)
        assert row["system"] in ("old", "new")
        assert (loss["kind"], loss["passed"]) == ("loss", outcome.passed)
    assert failed.to_dict()["rows"][1]["high"] == WORSE.pairs[0].high


def test_gates_of_several_measures_fail_together():
    failed, passed = gate(WORSE, "new"), gate(EQUAL, "new")
    assert gates_verdict([passed, failed]).word == "FAILED"
    assert gates_verdict([passed, passed]).word == "PASSED"
    assert gates_sentences([passed, failed]) == [f"Gate FAILED: {failed.sentences[0]}."]
    assert gates_sentences([passed]) == [f"Gate PASSED: {passed.sentences[0]}."]
    table = gates_table([passed, failed])
    assert table.title == "Gate: FAILED"
    assert [row[-1] for row in table.rows] == ["passed", "FAILED"]


def test_a_passed_gate_without_a_margin_says_what_it_did_not_show():
    assert "without a margin" in gate(FEW, "new").table().to_text()
    assert "without a margin" not in gate(WORSE, "new", margin=0.5).table().to_text()


def test_a_gate_whose_sides_are_equal_on_every_item_says_so():
    what = "value: old and new are equal on every item (40)"
    assert any(note.startswith(f"warning: {what}; are they one file") for note in EQUAL.notes)
    assert gate(EQUAL, "new").warnings == [f"{what}; are they one file or column under two names?"]
    assert [row["equal"] for row in EQUAL.to_dict()["rows"] if row["kind"] == "pair"] == [True]


def test_sides_that_differ_on_one_item_are_not_called_equal():
    near = compared([1.0, 0.0] * 20, [1.0, 0.0] * 19 + [0.0, 1.0])
    assert near.pairs[0].difference == 0
    assert not [note for note in near.notes if "equal" in note]
    assert not gate(near, "new").warnings
    assert not any("equal" in row for row in near.to_dict()["rows"])


def test_sides_that_are_equal_under_one_of_two_measures_are_noted_without_a_warning():
    rows = [{"system": s, "item": i, "right": 1.0, "secs": n + float(i)} for n, s in enumerate("ab") for i in IDS]
    comparison = compare(items.score(rows, measures=["right", "secs"], lower_is_better=["secs"]), "right")
    assert "right: a and b are equal on every item (40)" in comparison.notes
