"""Judging the judge: planted faults are found, scales and fields are told, and what cannot be said is a sentence."""

import json

import numpy as np
import pytest

from touchstone.base.errors import TouchstoneError
from touchstone.base.notes import TouchstoneWarning
from touchstone.core.resampling import Resampling
from touchstone.judge.assessing import assess
from touchstone.judge.checks.bias import field_levels
from touchstone.judge.scales import _strays, against_people, equated
from touchstone.tasks.items.answers import paired_tables

SYSTEMS = {"osprey": 3.5, "kestrel": 3.0, "merlin": 2.5}


def scores(bias=lambda system, item: 0.0, *, items=60, labelled=40, seed=0, people=1):
    """Tables of people and of a judge who adds *bias* to the true score; and the answers of single people."""
    random = np.random.default_rng(seed)
    human, judge, answers = [], [], {}
    for system, level in SYSTEMS.items():
        for item in range(items):
            truth = level + (item % 5) / 2 + random.normal() / 2
            place = {"system": system, "item": str(item), "third": "abc"[item % 3]}
            judge.append({**place, "score": truth + bias(system, item) + random.normal() / 4})
            if item < labelled:
                own = [truth + random.normal() / 4 for _ in range(people)]
                answers[system, str(item)] = own
                human.append({**place, "score": float(np.mean(own))})
    return human, judge, answers


def by_person(human, answers):
    """People's table with a row for each answer; an output without answers has its one score."""
    return [
        {**row, "annotator": f"p{n}", "score": own}
        for row in human
        for n, own in enumerate(answers.get((row["system"], row["item"]), [row["score"]]))
    ]


def with_fact(rows, name, cells):
    """A table with one more column, whose cells are those of the outputs."""
    return [{**row, name: cells[row["system"], row["item"]]} for row in rows]


def judged(*args, fact=None, cluster=None, **more):
    human, judge, answers = scores(*args, **more)
    human = by_person(human, answers) if more.get("people", 1) > 1 else human
    judge = with_fact(judge, *fact) if fact else judge
    [paired] = paired_tables(human, judge, ["score"], resampling=Resampling(cluster=cluster))
    return assess(paired)


def biases(found):
    """The bias over all outputs, then those of all levels."""
    return [found.checks["bias"].overall, *found.checks["bias"].levels]


def level(found, field, name):
    [bias] = [one for one in biases(found) if (one.field, one.level) == (field, name)]
    return bias


def test_a_judge_that_favours_a_system_is_found_out():
    found = judged(lambda system, _: system == "merlin")
    assert level(found, "system", "merlin").against_rest == pytest.approx(1.0, abs=0.15)
    assert level(found, "system", "merlin").significant
    assert not any(one.significant for one in biases(found) if one.field == "third")
    assert "favours system merlin by" in found.sentences[2]


def test_bias_against_the_rest_is_the_difference_of_two_means():
    human, judge, _ = scores(lambda system, item: item % 3, labelled=60)
    [paired] = paired_tables(human, judge)
    found = assess(paired)
    errors = np.array([b["score"] - a["score"] for a, b in zip(human, judge, strict=True)])
    own = np.array([row["third"] == "a" for row in human])
    assert level(found, "third", "a").against_rest == pytest.approx(errors[own].mean() - errors[~own].mean())
    assert biases(found)[0].bias == pytest.approx(errors.mean())
    assert biases(found)[0].low < errors.mean() < biases(found)[0].high


def test_a_judge_without_faults_has_none():
    found = judged(seed=3)
    assert not any(one.significant for one in biases(found))
    assert found.checks["ranking"].swaps == []
    assert found.sentences[1].endswith("than people, which may be chance")
    assert found.sentences[2] == "no bias by system, third is significant (6 levels, Holm)"


@pytest.mark.parametrize(("added", "direction"), [(0.5, "higher"), (-0.5, "lower")])
def test_the_sentences_give_the_bias_over_all_outputs(added, direction):
    found = judged(lambda *_: added)
    whole = biases(found)[0]
    low, high = sorted([abs(whole.low), abs(whole.high)])
    size = f"{abs(whole.bias):.3f} ({low:.3f}–{high:.3f})"
    assert found.sentences[1] == f"over all outputs it scores {size} {direction} than people"


def test_p_is_adjusted_over_the_levels_of_all_fields():
    found = judged(lambda system, _: 0.1 * (system == "merlin"))
    tested = [one.p for one in biases(found)[1:]]
    assert min(one.p_adjusted for one in biases(found)[1:]) == pytest.approx(6 * min(tested))


def test_systems_that_change_places_are_named_with_both_differences():
    found = judged(lambda system, _: 2.0 * (system == "merlin"))
    swaps = {(one.a, one.b): one for one in found.checks["ranking"].swaps}
    assert set(swaps) == {("osprey", "merlin"), ("kestrel", "merlin")}
    swap = swaps["osprey", "merlin"]
    assert swap.human == pytest.approx(1.0, abs=0.3)
    assert swap.judge == pytest.approx(-1.0, abs=0.3)
    assert swap.judge_interval[0] < swap.judge < swap.judge_interval[1] < 0
    assert swap.significant
    assert (
        found.sentences[-1]
        == "the judge reverses 2 of 3 pairs of systems, 2 of 3 among those that differ significantly for people"
    )


def test_values_of_the_ranking_are_of_the_outputs_that_both_scored():
    human, judge, _ = scores(labelled=10)
    [paired] = paired_tables(human, judge)
    found = assess(paired)
    own = [row["score"] for row in judge if row["system"] == "merlin" and int(row["item"]) < 10]
    [row] = [row for row in found.checks["ranking"].by_judge.standings if row.system == "merlin"]
    assert row.value == pytest.approx(np.mean(own))
    assert row.n == 10
    assert found.outputs == 30


def test_people_stand_beside_the_judge_where_several_answer():
    found = judged(people=2)
    assert found.checks["agreement"].annotators
    assert all(np.isfinite(one.people_value) for one in found.checks["agreement"].coefficients)
    assert [column.header for column in found.statement().all_tables[0].columns][3] == "people"


def test_one_answer_to_each_output_is_said():
    found = judged()
    assert not found.checks["agreement"].annotators
    assert "each output has one answer, so the agreement of people with each other is unknown" in found.notes
    assert "people" not in [column.header for column in found.statement().all_tables[0].columns]


def test_agreement_over_some_outputs_is_said():
    human, judge, answers = scores(people=2)
    kept = {place: own for place, own in answers.items() if int(place[1]) < 10}
    [paired] = paired_tables(by_person(human, kept), judge)
    found = assess(paired)
    assert found.checks["agreement"].coefficients[0].outputs == 30
    assert "agreement is over the outputs with two answers or more: 30 of 120" in found.notes


def test_the_length_of_outputs_is_cut_into_thirds():
    random = np.random.default_rng(5)
    length = {(system, str(item)): int(random.integers(10, 400)) for system in SYSTEMS for item in range(60)}
    found = judged(lambda system, item: length[system, str(item)] / 200, fact=("length", length))
    thirds = [one for one in biases(found) if one.field == "length"]
    assert [one.n for one in thirds] == pytest.approx([40, 40, 40], abs=3)
    assert thirds[0].against_rest < 0 < thirds[2].against_rest
    assert thirds[0].significant
    assert thirds[2].significant


def test_few_numbers_are_levels_and_many_texts_are_no_field():
    assert list(field_levels(["1", "2", "1", None])) == ["1", "2"]
    assert list(field_levels(["1", "x", "1", None])) == ["1", "x"]
    assert field_levels([None, None]) == {}
    human, judge, _ = scores()
    texts = {(row["system"], row["item"]): f"text {n}" for n, row in enumerate(judge)}
    [paired] = paired_tables(human, with_fact(judge, "text", texts))
    found = assess(paired)
    assert "fields with more than 20 values, for which no bias is shown: text (120)" in found.notes


def test_a_judge_on_another_scale_is_rescaled_and_that_is_said():
    human, judge, _ = scores()
    there = [{**row, "score": 10 * row["score"] + 50} for row in judge]
    [one], [other] = (paired_tables(human, given) for given in (judge, there))
    plain, scaled = assess(one), assess(other)
    [note] = [note for note in scaled.notes if "rescaled" in note]
    assert "so that the bias over all of them is 0" in note
    assert not any("rescaled" in note for note in plain.notes)
    assert biases(scaled)[0].bias == pytest.approx(0, abs=1e-9)
    assert scaled.checks["agreement"].coefficients[1].judge_value == pytest.approx(
        plain.checks["agreement"].coefficients[1].judge_value
    )
    assert [row.system for row in scaled.checks["ranking"].by_judge.standings] == [
        row.system for row in plain.checks["ranking"].by_judge.standings
    ]


@pytest.mark.parametrize(
    ("human", "judge", "same"),
    [
        ([1, 5], [1, 4.5], True),
        ([0, 1], [0.4, 0.6], True),
        ([1, 5], [0, 1], False),
        ([0, 1], [0, 100], False),
        ([1, 5], [1, 10], False),
        ([3, 3], [0, 100], True),
    ],
)
def test_scales_are_told_apart_by_their_ranges(human, judge, same):
    scaled, notes = equated(np.array(human, float), np.array(judge, float))
    assert (notes == []) == same
    assert np.array_equal(scaled, judge) == same


@pytest.mark.filterwarnings("ignore::touchstone.TouchstoneWarning")
def test_a_constant_judge_is_said_and_still_has_a_bias():
    human, judge, _ = scores()
    [paired] = paired_tables(human, [{**row, "score": 3.0} for row in judge])
    found = assess(paired)
    assert any("score is 3 for all 60 items of all 3 systems" in note for note in found.notes)
    assert "the judge gives 3.000 to all 120 outputs that people scored, so it does not distinguish them" in found.notes
    assert np.isnan(found.checks["agreement"].coefficients[1].judge_value)
    assert level(found, "system", "osprey").significant
    assert found.checks["pairs"].accuracies[0].value == 1 / 2
    assert len(found.checks["calibration"].bins) == 1


@pytest.mark.filterwarnings("ignore:.*fall as human scores rise:touchstone.TouchstoneWarning")
def test_a_judge_that_goes_against_people_is_said():
    human, judge, _ = scores()
    [paired] = paired_tables(human, [{**row, "score": 8 - row["score"]} for row in judge])
    assert any(
        note.startswith("warning: the judge's scores fall as human scores rise") for note in assess(paired).notes
    )


def test_a_useless_judge_is_not_said_to_go_against_people():
    """Of 40 useless judges about one falls by chance as far as the test asks for; half of them fall at all."""
    random, against = np.random.default_rng(3), 0
    human, judge, _ = scores(labelled=60)
    for _ in range(40):
        noise = [{**row, "score": 1 + 4 * random.random()} for row in judge]
        [paired] = paired_tables(human, noise)
        against += bool(against_people(paired))
    assert against <= 3


@pytest.mark.parametrize("labelled", [1, 2, 4])
def test_fewer_than_five_outputs_say_nothing_of_a_judge(labelled):
    human, judge, _ = scores()
    [paired] = paired_tables(human[:labelled], [row for row in judge if row["system"] == "osprey"])
    with pytest.raises(TouchstoneError, match=rf"people and the judge both scored {labelled} outputs?: too few"):
        assess(paired)


def test_one_system_has_no_ranking_and_no_pairs():
    human, judge, _ = scores()
    sides = [[row for row in side if row["system"] == "osprey"] for side in (human, judge)]
    [paired] = paired_tables(*sides)
    found = assess(paired)
    assert {"agreement", "bias", "calibration"} <= found.checks.keys()
    assert not {"ranking", "pairs"} & found.checks.keys()
    assert {one.field for one in biases(found)} == {None, "third"}
    titles = {table.title for table in found.statement().all_tables}
    assert {"score: agreement", "score: bias", "score: calibration"} <= titles
    assert not {title for title in titles if "ranking" in title or "pairs" in title}


def test_few_items_carry_values_without_intervals():
    found = judged(labelled=3)
    assert np.isfinite(found.checks["agreement"].coefficients[0].judge_value)
    assert np.isnan(found.checks["agreement"].coefficients[0].judge.low)
    assert np.isnan(level(found, "system", "osprey").p)
    assert "no bias" not in " ".join(found.sentences)
    assert "the 3 items that people scored are too few for intervals" in found.notes
    assert "with only 12 items that people scored, intervals are rough" in judged(labelled=12).notes
    assert not any("that people scored" in note for note in judged(labelled=40).notes)


def test_clusters_of_items_make_intervals_wider():
    human, judge, _ = scores(lambda system, item: item // 10, items=60, labelled=60)
    for side in (human, judge):
        for row in side:
            row["document"] = f"d{int(row['item']) // 5}"
    [single], [whole] = (
        paired_tables(human, judge, resampling=Resampling(cluster=cluster)) for cluster in ("item", "document")
    )
    ends = [biases(assess(one))[0] for one in (single, whole)]
    assert ends[1].high - ends[1].low > 1.5 * (ends[0].high - ends[0].low)


def test_the_json_has_every_figure():
    found = judged(lambda system, _: 2.0 * (system == "merlin"), people=2).to_dict()
    text = json.dumps(found)
    kinds = {row["kind"] for row in found["rows"]}
    assert {"judge", "agreement", "bias", "calibration", "pair order", "ranking", "swap"} <= kinds
    assert next(row for row in found["rows"] if row["kind"] == "swap")["b"] == "merlin"
    assert "against_rest" in text


def on_different_items(shared, apart=30):
    """What is found where three systems share some items and have others alone; those of the worst system are easy."""
    random = np.random.default_rng(0)
    human, judge = [], []
    for place, (system, level) in enumerate(SYSTEMS.items()):
        for item in [*range(shared), *(f"{system} {n}" for n in range(apart))]:
            truth = level + 2.0 * place * isinstance(item, str) + random.normal() / 4
            human.append({"system": system, "item": str(item), "score": truth})
            judge.append({"system": system, "item": str(item), "score": truth + random.normal() / 4})
    [paired] = paired_tables(human, judge)
    return assess(paired), human


def ranking(found):
    [table] = [one for one in found.statement().all_tables if one.title.endswith("ranking")]
    heads = ("by people", "by judge", "system", "people", "interval", "judge", "judge's interval", "outputs")
    return table, [dict(zip(heads, row, strict=True)) for row in table.rows]


@pytest.mark.filterwarnings("ignore:systems have different items")
@pytest.mark.parametrize("shared", [0, 3, 20])
def test_ranks_follow_the_values_beside_them_where_systems_have_different_items(shared):
    _, rows = ranking(on_different_items(shared)[0])
    assert [row["people"] for row in rows] == sorted((row["people"] for row in rows), reverse=True)
    for side, rank in (("people", "by people"), ("judge", "by judge")):
        by_rank = sorted(rows, key=lambda row: row[rank])
        assert [row[side] for row in by_rank] == sorted((row[side] for row in rows), reverse=True)


def test_systems_with_different_items_are_ranked_on_the_items_that_all_of_them_share():
    found, human = on_different_items(20)
    table, rows = ranking(found)
    assert [row["system"] for row in rows] == ["osprey", "kestrel", "merlin"]  # not by the easy items of merlin alone
    shared = [row["score"] for row in human if row["system"] == "merlin" and row["item"].isdigit()]
    assert rows[-1]["people"] == pytest.approx(np.mean(shared))
    assert {row["outputs"] for row in rows} == {20}
    said = "systems have different items, so values, ranks and pairs are over the 20 items that all of them share"
    assert said in table.notes[-1]
    assert said in " ".join(found.to_dict()["notes"])
    assert not found.checks["ranking"].swaps  # the ranks of both sides are the same, and so says the list of pairs


def test_too_few_shared_items_are_warned_of():
    with pytest.warns(TouchstoneWarning, match="share only 3 items"):
        found, _ = on_different_items(3)
    table, rows = ranking(found)
    assert {row["outputs"] for row in rows} == {33}
    assert "each value and rank is over the system's own outputs" in table.notes[-1]
    assert any(note.startswith("warning: ") and "share only 3 items" in note for note in found.notes)


def test_systems_with_the_same_items_have_no_note_on_them():
    found = judged()
    assert not any("share" in note for note in (*found.notes, *ranking(found)[0].notes))


def test_equal_values_share_a_rank():
    rows = [{"system": s, "item": str(i), "score": v} for i in range(8) for s, v in (("a", i % 2), ("b", (i + 1) % 2))]
    [paired] = paired_tables(rows, [{**row, "score": row["score"] + (row["system"] == "b")} for row in rows])
    _, shown = ranking(assess(paired))
    assert [row["by people"] for row in shown] == [1, 1]
    assert sorted(row["by judge"] for row in shown) == [1, 2]


def test_a_score_of_people_far_below_the_scale_of_the_judge_is_a_stray():
    judge = np.array([50.0, 60.0])
    human = np.append(np.tile([51.0, 55.0, 59.0], 5), 3.0)
    [stray] = _strays(human, judge)
    assert "1 of people's 16 scores is far outside the judge's scale (50 to 60), such as 3" in stray
    assert not _strays(np.append(human[:-1], 41.0), judge)


def test_a_judge_that_gives_every_score_of_people_is_warned_of_unless_all_scores_are_one():
    varied = [{"system": "a", "item": n, "score": n % 7 / 2} for n in range(25)]
    constant = [{**row, "score": 3.0} for row in varied]
    [copied] = paired_tables(varied, varied)
    assert any("equal those of people on all 25 items" in note for note in copied.notes)
    [same] = paired_tables(constant, constant)
    assert not any("equal those of people" in note for note in same.notes)
