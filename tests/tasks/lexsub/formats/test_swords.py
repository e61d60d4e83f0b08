"""SWORDS: labels become weights, results become lists."""

import gzip
import json

import pytest
from tests.tasks.lexsub.helpers import refusal, value, weights, written

from touchstone import lexsub

SWORDS = {
    "contexts": {"c:0": {"context": "He was\ta bright boy.\nShe ran."}},
    "targets": {
        "t:0": {"context_id": "c:0", "target": "bright", "offset": 9, "pos": "ADJ"},
        "t:1": {"context_id": "c:0", "target": "ran", "offset": 25, "pos": "VERB"},
    },
    "substitutes": {
        "s:0": {"target_id": "t:0", "substitute": "clever"},
        "s:1": {"target_id": "t:0", "substitute": "shiny"},
        "s:2": {"target_id": "t:0", "substitute": "smart"},
        "s:3": {"target_id": "t:1", "substitute": "hurried"},
    },
    "substitute_labels": {
        "s:0": ["TRUE", "TRUE_IMPLICIT", "FALSE", "UNSURE"],
        "s:1": ["FALSE", "FALSE_IMPLICIT", "UNSURE"],
        "s:2": ["TRUE", "FALSE", "FALSE"],
        "s:3": ["TRUE_IMPLICIT", "TRUE", "TRUE"],
    },
}


def swords(**changes):
    return json.dumps({**SWORDS, **changes})


def test_a_swords_weight_is_the_number_of_people_who_said_yes(tmp_path):
    gold = lexsub.read_gold(written(tmp_path, "dev.json", swords()))
    assert weights(gold, "t:0") == {"clever": 2, "smart": 1}
    assert weights(gold, "t:1") == {"hurried": 3}
    assert [(gold[i].target, gold[i].pos) for i in ("t:0", "t:1")] == [("bright", "a"), ("ran", "v")]


def test_a_swords_context_is_cut_at_the_offset_with_its_tabs_and_newlines(tmp_path):
    context = lexsub.read_gold(written(tmp_path, "dev.json", swords()))["t:0"].context
    assert (context.left, context.head, context.right) == ("He was\ta", "bright", "boy.\nShe ran.")


def test_the_bar_for_swords_gold_can_be_raised(tmp_path):
    path = written(tmp_path, "dev.json", swords())
    gold = lexsub.read_gold(path, min_weight=2)
    assert weights(gold, "t:0") == {"clever": 2}
    assert lexsub.read_gold(path, min_weight=3).excluded == ["t:0"]


def test_swords_may_be_packed(tmp_path):
    gold = lexsub.read_gold(written(tmp_path, "dev.json.gz", gzip.compress(swords().encode())))
    assert len(gold) == 2


def test_swords_results_are_sorted_by_falling_score_with_ties_in_file_order(tmp_path):
    pairs = {"t:0": [["shiny", 0.5], ["smart", 0.9], ["clever", 0.5], ["sharp", -1]], "t:1": []}
    text = json.dumps({"substitutes_lemmatized": True, "substitutes": pairs})
    run = lexsub.read_run(written(tmp_path, "bert.json", text))
    assert run.answers("t:0") == ("smart", "shiny", "clever", "sharp")
    assert run.answers("t:1") == ()
    gold = lexsub.read_gold(written(tmp_path, "dev.json", swords()))
    assert value(gold, run, "R") == (3 / 3 + 0) / 2


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"targets": []}, "targets"),
        ({"targets": {"t:0": 3}}, "targets.t:0"),
        ({"contexts": {}}, "targets.t:0"),
        ({"targets": {"t:0": {**SWORDS["targets"]["t:0"], "offset": 4}}}, "targets.t:0.offset"),
        ({"targets": {"t:0": {**SWORDS["targets"]["t:0"], "offset": -9}}}, "targets.t:0"),
        ({"targets": {"t:0": {**SWORDS["targets"]["t:0"], "target": None}}}, "targets.t:0"),
        ({"substitutes": {"s:0": {"target_id": "t:9", "substitute": "x"}}}, "substitutes.s:0"),
        ({"substitutes": {"s:0": {"target_id": "t:0", "substitute": 5}}}, "substitutes.s:0"),
        ({"substitute_labels": {}}, "substitutes.s:0"),
        ({"substitute_labels": {"s:0": "TRUE"}}, "substitutes.s:0"),
    ],
)
def test_a_fault_in_swords_names_its_key_path(tmp_path, changes, place):
    assert f"dev.json:{place}" in refusal(lexsub.read_gold, written(tmp_path, "dev.json", swords(**changes)))


@pytest.mark.parametrize(
    "pairs", [{"t:0": "x"}, {"t:0": [["x"]]}, {"t:0": [[1, 2]]}, {"t:0": [["x", "y"]]}, [], {"t:0": [["x", None]]}]
)
def test_swords_results_of_another_shape_are_refused(tmp_path, pairs):
    text = json.dumps({"substitutes_lemmatized": False, "substitutes": pairs})
    assert "substitutes" in refusal(lexsub.read_run, written(tmp_path, "r.json", text))


def test_a_swords_score_that_is_no_number_is_refused(tmp_path):
    """Nothing can be sorted by it."""
    text = '{"substitutes": {"t:0": [["a", 1], ["b", NaN], ["c", 2]]}}'
    assert "t:0" in refusal(lexsub.read_run, written(tmp_path, "r.json", text))
