"""Human and judge scores, paired and estimated: from tables in Python."""

import numpy as np
import pytest

from touchstone import nli
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ids import Policy
from touchstone.core.resampling import Resampling
from touchstone.judge.estimating import estimate
from touchstone.judge.pairing import pair
from touchstone.judge.planning import plan_width
from touchstone.tasks.items.answers import paired_tables

RANDOM = np.random.default_rng(8)
EASY = RANDOM.normal(size=100)
SCORES = {name: EASY + shift + RANDOM.normal(0, 0.3, 100) for name, shift in (("a", 0.4), ("b", 0.0), ("c", -0.4))}


def rows(scores, items=range(100), noise=0.0, **fields):
    """A row for each system and item; fields are functions of the item."""
    return [
        {"system": name, "item": i, "score": values[i] + noise * RANDOM.normal()}
        | {field: value(i) for field, value in fields.items()}
        for name, values in scores.items()
        for i in items
    ]


PLAIN = Resampling()


def paired(items=range(25), *, judge=None, resampling=PLAIN, **fields):
    """People scored some *items*; the judge scored all, with some noise."""
    [found] = paired_tables(rows(SCORES, items, **fields), judge or rows(SCORES, noise=0.2), resampling=resampling)
    return found


def test_items_without_a_human_score_have_rows_of_nan():
    found = paired(range(10, 35))
    assert np.flatnonzero(found.of("a").labelled).tolist() == list(range(10, 35))
    assert found.of("a").judged.all()
    assert found.of("b").human_values[12] == pytest.approx(SCORES["b"][12])


def test_systems_stand_best_first_and_share_a_rank_where_they_do_not_differ():
    found = estimate(paired())
    assert [one.system for one in found.systems] == ["a", "b", "c"]
    assert found.ranks == [["a"], ["b"], ["c"]]
    assert [(one.a, one.b) for one in found.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]


def test_holm_adjusts_over_the_pairs():
    pairs = estimate(paired()).pairs
    ordered = sorted(pairs, key=lambda one: one.p)
    assert ordered[0].p_adjusted == pytest.approx(3 * ordered[0].p)
    assert ordered[-1].p_adjusted >= ordered[-1].p


def test_where_less_is_better_the_order_and_the_probability_turn():
    judge = rows(SCORES, noise=0.2)
    [found] = paired_tables(rows(SCORES, range(25)), judge, lower_is_better=("score",))
    [usual] = paired_tables(rows(SCORES, range(25)), judge)
    turned, plain = estimate(found), estimate(usual)
    assert [one.system for one in turned.systems] == ["c", "b", "a"]
    assert turned.pairs[0].ahead > 0.95
    assert plain.pairs[-1].ahead > 0.95


def test_a_pair_has_a_weight_of_its_own():
    found = estimate(paired())
    weights = {one.both.weight for one in (*found.systems, *found.pairs)}
    assert len(weights) == 6


def test_clusters_come_from_a_field_of_either_side():
    topic = {"topic": lambda i: f"t{i // 5}"}
    judge = rows(SCORES, noise=0.2, **topic)
    found = paired(judge=judge, resampling=Resampling(cluster="topic"))
    assert len(np.unique(found.clusters)) == 20
    half = paired(resampling=Resampling(cluster="topic"), **topic)
    assert len(np.unique(half.clusters)) == 5 + 75
    assert "items whose topic is not known, each taken by itself: 75" in half.notes


def test_a_cluster_that_no_item_has_is_refused():
    with pytest.raises(TouchstoneError) as error:
        paired(resampling=Resampling(cluster="topic"))
    assert error.value.code == Code.UNKNOWN_NAME
    assert error.value.faults[0].value == "topic"


def test_a_human_score_changes_the_signature():
    judge = rows(SCORES, noise=0.2)
    [one] = paired_tables(rows(SCORES, range(25)), judge)
    [other] = paired_tables(rows({**SCORES, "c": SCORES["c"] + 0.1}, range(25)), judge)
    assert one.signature != other.signature


def test_in_a_set_whole_clusters_are_drawn_as_a_whole_and_scattered_items_by_themselves():
    judge = rows(SCORES, noise=0.2, topic=lambda i: f"t{i // 5}")
    how = Resampling(cluster="topic")
    whole = estimate(paired(range(30), judge=judge, resampling=how), population="set")
    scattered = estimate(paired(range(0, 100, 4), judge=judge, resampling=how), population="set")
    assert whole.paired.clusters is not None
    assert scattered.paired.clusters is None


def test_tables_without_systems_are_one_system():
    human = [{"item": i, "human": SCORES["a"][i]} for i in range(25)]
    judge = [{"item": i, "machine": SCORES["a"][i] + 0.1} for i in range(100)]
    [found] = paired_tables(human, judge)
    assert found.systems == ("human",)
    assert estimate(found).pairs == []


def test_people_may_score_each_system_on_other_items():
    human = [row for row in rows(SCORES) if row["item"] % 3 == "abc".index(row["system"])]
    [found] = paired_tables(human, rows(SCORES, noise=0.2))
    result = estimate(found)
    assert [one.labels for one in result.systems] == [34, 33, 33]
    assert result.pairs[0].both.low > 0


@pytest.mark.filterwarnings("ignore:people")  # one of forty random samples may look like another
def test_effective_human_scores_are_no_fewer_than_there_are_and_no_more_than_items():
    """With six scores that happen to lie far apart, a perfect judge would seem to be worth more than all items."""
    random, found = np.random.default_rng(8), []
    for _ in range(40):
        truth = random.exponential(size=20)
        judge = [{"system": "a", "item": i, "score": x} for i, x in enumerate(truth)]
        [paired] = paired_tables([{**row, "score": 2 * row["score"]} for row in judge[:6]], judge)
        found.append(estimate(paired).systems[0].both)
    assert {one.effective for one in found} >= {6, 20}
    assert all(6 <= one.effective <= 20 for one in found)


@pytest.mark.parametrize("asked", [(), ("score=chrf",)])
def test_item_values_of_any_metric_may_be_the_judge(asked):
    judge = [
        {**{k: v for k, v in row.items() if k != "score"}, "chrf": row["score"]} for row in rows(SCORES, noise=0.2)
    ]
    [found] = paired_tables(rows(SCORES, range(25)), judge, asked)
    assert found.of("a").judge_values[0] == judge[0]["chrf"]
    assert not any("left out" in note for note in found.notes)


def test_systems_that_only_the_judge_has_are_left_out_aloud():
    human = [row for row in rows(SCORES, range(25)) if row["system"] != "c"]
    [found] = paired_tables(human, rows(SCORES, noise=0.2))
    assert found.systems == ("a", "b")
    assert "systems without human scores, which are left out: c" in found.notes


@pytest.mark.parametrize(
    ("human", "code", "value"),
    [
        ([{"system": "a", "item": 1, "score": 1, "probability": 2}], Code.OUT_OF_RANGE, "2"),
        (
            [{"system": s, "item": 1, "score": 1, "probability": p} for s, p in (("a", 0.2), ("b", 0.3))],
            Code.MISMATCH,
            "0.3",
        ),
        ([{"system": "z", "item": 1, "score": 1}, {"system": "y", "item": 1, "score": 1}], Code.UNKNOWN_NAME, "z"),
        ([{"system": "a", "item": 101, "score": 1}], Code.UNKNOWN_ID, "101"),
        ([{"system": "a", "item": 1, "rating": 1, "other": 2}], Code.OPTION_NEEDED, None),
    ],
)
def test_tables_that_cannot_be_paired_get_a_sentence(human, code, value):
    with pytest.raises(TouchstoneError) as error:
        paired_tables(human, rows(SCORES))
    assert (error.value.code, error.value.faults[0].value) == (code, value)


def test_numbers_are_the_same_from_json():
    import json

    found = estimate(paired())
    data = json.loads(found.to_json())
    systems, pairs = ([row for row in data["rows"] if row["kind"] == kind] for kind in ("estimate", "pair"))
    assert systems[0]["both"]["value"] == found.systems[0].both.value
    assert pairs[0]["ahead"] == found.pairs[0].ahead


@pytest.mark.filterwarnings("ignore:systems have different items")
@pytest.mark.parametrize(("left_out", "starts"), [(5, "systems have"), (30, "warning: systems have"), (0, None)])
def test_items_that_the_judge_scored_for_some_systems_only_are_told(left_out, starts):
    random = np.random.default_rng(1)
    judge = [{"system": s, "item": i, "score": round(float(random.normal()), 3)} for s in "ab" for i in range(100)]
    human = [{**row, "score": row["score"] + 0.1 * float(random.normal())} for row in judge if row["item"] % 4 == 0]
    judge = [row for row in judge if row["system"] == "a" or row["item"] >= left_out or row["item"] % 4 == 0]
    [paired] = paired_tables(human, judge)
    for notes in (estimate(paired).notes, plan_width(paired, 0.5).notes):
        told = [note for note in notes if "different items" in note]
        assert [note.startswith(starts or "") for note in told] == [True] * bool(starts)


def test_the_sample_table_has_the_share_of_items_that_people_scored():
    table = estimate(paired(range(10))).sample_table()
    assert [row[:4] for row in table.rows] == [[name, 100, 10, "10%"] for name in "abc"]


def test_a_human_item_without_a_judge_is_refused_with_its_file_and_line(tmp_path):
    (tmp_path / "people.csv").write_text("system,item,score\na,q1,1\na,q2,2\n")
    (tmp_path / "judge.csv").write_text("system,item,score\na,q1,1\na,q3,2\n")
    with pytest.raises(TouchstoneError) as caught:
        paired_tables(tmp_path / "people.csv", tmp_path / "judge.csv")
    assert caught.value.code == Code.UNKNOWN_ID
    [fault] = caught.value.faults
    assert (fault.file, fault.line, fault.value) == (str(tmp_path / "people.csv"), 3, "q2")


def test_clusters_are_those_of_the_task_unless_others_are_chosen():
    labels = ["entailment", "neutral"]
    pairs = [{"id": n, "premise": f"p{n // 4}", "hypothesis": f"h{n}"} for n in range(60)]
    gold = [{**pair, "label": labels[int(pair["id"]) % 3 % 2]} for pair in pairs]
    run = {str(n): labels[(n % 3 % 2) ^ (n % 5 == 0)] for n in range(60)}
    people, machine = nli.TASK.read(gold[:30], {"a": run}), nli.TASK.read(gold, {"a": run})
    [by_premise] = pair(nli.TASK, people, machine, ["accuracy"], resampling=PLAIN, policy=Policy(unknown="ignore"))
    assert by_premise.resampling.cluster == "premise"
    how = Resampling(cluster="item")
    [by_pair] = pair(nli.TASK, people, machine, ["accuracy"], resampling=how, policy=Policy(unknown="ignore"))
    assert by_pair.resampling.cluster is None


def test_only_an_estimate_with_strata_speaks_of_them():
    assert "strata" not in estimate(paired()).to_text()
