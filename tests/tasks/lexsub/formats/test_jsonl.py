"""JSONL, the neutral form."""

import json

import pytest
from tests.tasks.lexsub.helpers import PLAIN, refusal, value, weights, written

from touchstone import TouchstoneError, lexsub


def test_jsonl_gold_has_everything_an_item_has(tmp_path):
    record = {"id": "7", "target": "bright", "pos": "a", "left": "a", "head": "Bright", "right": "boy"}
    text = json.dumps({**record, "gold": {"clever": 2, "smart": 0.5}}) + '\n{"id":"8","target":"t","gold":{"x":1}}\n'
    gold = lexsub.read_gold(written(tmp_path, "g.jsonl", text))
    assert (gold["7"].target, gold["7"].pos, str(gold["7"].context)) == ("bright", "a", "a [Bright] boy")
    assert weights(gold, "7") == {"clever": 2, "smart": 0.5}
    assert (gold["8"].pos, gold["8"].context, len(gold)) == (None, None, 2)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e13, 1e100])
def test_a_weight_may_be_any_positive_finite_number(tmp_path, unit):
    """x has three quarters of the weight, whatever it is counted in."""
    record = {"id": "1", "target": "t", "gold": {"x": 3 * unit, "y": unit}}
    gold = lexsub.read_gold(written(tmp_path, "g.jsonl", json.dumps(record)), min_responses=0)
    run = lexsub.read_run(written(tmp_path, "r.jsonl", '{"id":"1","answers":["x"]}'))
    assert value(gold, run, "R") == pytest.approx(3 / 4)


def test_jsonl_fields_may_be_null(tmp_path):
    text = '{"id":"1","target":"t","pos":null,"left":null,"head":null,"right":null,"gold":{"x":1}}'
    item = lexsub.read_gold(written(tmp_path, "g.jsonl", text))["1"]
    assert (item.pos, item.context) == (None, None)


@pytest.mark.parametrize(
    "record",
    [
        {"target": "t", "gold": {"x": 1}},
        {"id": "", "target": "t", "gold": {"x": 1}},
        {"id": None, "target": "t", "gold": {"x": 1}},
        {"id": ["1"], "target": "t", "gold": {"x": 1}},
        {"id": "1", "gold": {"x": 1}},
        {"id": "1", "target": None, "gold": {"x": 1}},
        {"id": "1", "target": 5, "gold": {"x": 1}},
        {"id": "1", "target": "t"},
        {"id": "1", "target": "t", "gold": ["x"]},
        {"id": "1", "target": "t", "gold": {"x": 0}},
        {"id": "1", "target": "t", "gold": {"x": -1}},
        {"id": "1", "target": "t", "gold": {"x": "2"}},
        {"id": "1", "target": "t", "gold": {"x": True}},
        {"id": "1", "target": "t", "gold": {"x": None}},
        {"id": "1", "target": "t", "gold": {"x": float("nan")}},
        {"id": "1", "target": "t", "gold": {"x": float("inf")}},
        {"id": "1", "target": "t", "gold": {" ": 1}},
        {"id": "1", "target": "t", "pos": 3, "gold": {"x": 1}},
    ],
)
def test_a_jsonl_gold_record_that_cannot_be_used_is_refused_with_its_line(tmp_path, record):
    text = '{"id":"0","target":"t","gold":{"x":1}}\n' + json.dumps(record) + "\n"
    assert "g.jsonl:2: " in refusal(lexsub.read_gold, written(tmp_path, "g.jsonl", text))


def test_an_answer_named_twice_in_a_json_object_does_not_lose_people(tmp_path):
    """Equal entries of the gold are merged, weights added: 4, or the line is refused; never 1."""
    path = written(tmp_path, "g.jsonl", '{"id":"1","target":"t","gold":{"x":3,"x":1}}')
    try:
        gold = lexsub.read_gold(path)
    except TouchstoneError:
        return
    assert weights(gold, "1") == {"x": 4}


def test_jsonl_answers_carry_best_ranked_and_the_boundary(tmp_path):
    gold = lexsub.read_gold(written(tmp_path, "g.jsonl", '{"id":"1","target":"t","gold":{"x":3,"y":1}}'))
    record = {
        "id": "1",
        "system": "mine",
        "answers": ["y", "x", "z"],
        "scores": [3, 2, 1],
        "cut": 2,
        "best": ["x", "z"],
    }
    run = lexsub.read_run(written(tmp_path, "r.jsonl", json.dumps(record)))
    names = ["best", "best1", "P(k=1)", "R", "rank@10", "gap"]
    results = lexsub.score(gold, run, names, resampling=PLAIN)
    assert run.name == "mine"
    rank, gap = (1 / 3 + 9) / 10, (1 + 4 / 2) / (3 + 4 / 2)
    assert [row.value for row in results.rows] == pytest.approx([3 / 6, 1, 1, 1, rank, gap])
    assert "set cut of ranked" in results.signature["systems"]
    assert not any("no boundary" in note for note in results.notes)


def test_a_boundary_before_the_first_answer_stands_behind_nothing(tmp_path):
    gold = lexsub.read_gold(written(tmp_path, "g.jsonl", '{"id":"1","target":"t","gold":{"x":3}}'))
    run = lexsub.read_run(written(tmp_path, "r.jsonl", '{"id":"1","answers":["x"],"cut":0}'))
    results = lexsub.score(gold, run, ["R", "P", "rank@10"], resampling=PLAIN)
    assert [row.value for row in results.rows] == [0, 0, 1]


def test_a_boundary_counts_answers_as_they_were_given(tmp_path):
    """The cut is a place in the list the system wrote; an empty or a repeated answer before it does not move it."""
    gold = lexsub.read_gold(written(tmp_path, "g.jsonl", '{"id":"1","target":"t","gold":{"x":3,"y":1}}'))
    run = lexsub.read_run(written(tmp_path, "r.jsonl", '{"id":"1","answers":["","x","X","y"],"cut":3}'))
    assert value(gold, run, "R") == 3 / 4


def test_where_only_some_records_have_a_boundary_the_others_are_noted(tmp_path):
    """set <- the first `cut` answers where the record has `cut`, else the whole list: "no boundary" is noted."""
    text = '{"id":"1","target":"t","gold":{"x":3}}\n{"id":"2","target":"t","gold":{"x":3}}\n'
    gold = lexsub.read_gold(written(tmp_path, "g.jsonl", text))
    answers = '{"id":"1","answers":["x","y"],"cut":1}\n{"id":"2","answers":["x","y"]}\n'
    results = lexsub.score(gold, lexsub.read_run(written(tmp_path, "r.jsonl", answers)), ["P"], resampling=PLAIN)
    assert results.rows[0].value == (1 + 3 / 4) / 2
    assert any("no boundary" in note for note in results.notes)


def test_jsonl_answers_need_no_target_and_no_part_of_speech(tmp_path):
    gold = lexsub.read_gold(written(tmp_path, "g.jsonl", '{"id":"1","target":"t","pos":"n","gold":{"x":3}}'))
    for fields in ({}, {"target": "t"}, {"target": "t", "pos": None}, {"target": None, "pos": None, "system": None}):
        run = lexsub.read_run(written(tmp_path, "r.jsonl", json.dumps({"id": "1", **fields, "answers": ["x"]})))
        results = lexsub.score(gold, run, ["R"], resampling=PLAIN)
        assert (run.name, results.rows[0].value) == ("r", 1)
        assert not any("part of speech" in note for note in results.notes), fields


@pytest.mark.parametrize(
    "record",
    [
        {"answers": ["x"]},
        {"id": "1"},
        {"id": "1", "answers": "x"},
        {"id": "1", "answers": [1]},
        {"id": "1", "answers": ["x", None]},
        {"id": "1", "answers": ["x"], "best": "x"},
        {"id": "1", "answers": ["x"], "best": [1]},
        {"id": "1", "answers": ["x"], "best": None},
        {"id": "1", "answers": ["x"], "cut": -1},
        {"id": "1", "answers": ["x"], "cut": 2},
        {"id": "1", "answers": ["x"], "cut": 0.5},
        {"id": "1", "answers": ["x"], "cut": True},
        {"id": "1", "answers": ["x"], "scores": [1, 2]},
        {"id": "1", "answers": ["x"], "scores": 1},
        {"id": "1", "answers": ["x"], "system": 5},
    ],
)
def test_a_jsonl_answer_record_that_cannot_be_used_is_refused_with_its_line(tmp_path, record):
    text = '{"id":"0","answers":["x"]}\n' + json.dumps(record) + "\n"
    assert "r.jsonl:2: " in refusal(lexsub.read_run, written(tmp_path, "r.jsonl", text))


def test_answers_of_two_systems_in_one_file_are_refused(tmp_path):
    text = '{"id":"1","system":"a","answers":["x"]}\n{"id":"2","system":"b","answers":["x"]}\n'
    assert "a, b" in refusal(lexsub.read_run, written(tmp_path, "r.jsonl", text))
