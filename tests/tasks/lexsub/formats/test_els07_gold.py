"""ELS07 gold, with its quirks."""

import pytest
from tests.tasks.lexsub.helpers import PLAIN, refusal, value, weights

from touchstone import lexsub


def test_a_gold_line_gives_id_target_pos_and_weights(gold_of):
    gold = gold_of("bright.a 1 :: intelligent 3;clever 2;quick on the uptake 1;\n")
    item = gold["1"]
    assert (item.id, item.target, item.pos, item.context) == ("1", "bright", "a", None)
    assert weights(gold, "1") == {"intelligent": 3, "clever": 2, "quick on the uptake": 1}


def test_the_weight_is_the_last_field_of_an_entry_and_the_rest_is_the_substitute(gold_of):
    gold = gold_of("weigh.v 715 :: 11.27 kilograms 1;size 7 2 ;\tturn  3;x 1;0.5 2\n")
    assert weights(gold, "715") == {"11.27 kilograms": 1, "size 7": 2, "turn": 3, "x": 1, "0.5": 2}


def test_the_last_dot_field_is_the_part_of_speech_and_the_first_the_lemma(gold_of):
    gold = gold_of("bar.n.v 1 :: ban 2;\ncross.n.a 2 :: angry 2;\nwild.a.n 3 :: bush 2;\nwell 4 :: good 2;\n")
    assert [(item.target, item.pos) for item in map(gold.__getitem__, "1234")] == [
        ("bar", "v"),
        ("cross", "a"),
        ("wild", "n"),
        ("well", None),
    ]


def test_pn_is_dropped_as_a_whole_response_and_only_then(gold_of):
    gold = gold_of("a.n 1 :: pn 2;hypnotic 2;pn name 1;\nb.n 2 :: pn 4;x 1;\n")
    assert weights(gold, "1") == {"hypnotic": 2, "pn name": 1}
    assert gold.excluded == ["2"]


def test_an_item_is_kept_if_two_people_answered_and_the_others_are_listed(gold_of):
    text = "a.n 1 :: x 2;\na.n 2 :: x 1;\na.n 3 :: x 1;y 1;\na.n 4 :: pn 3;\na.n 5 ::\n"
    assert (len(gold_of(text)), gold_of(text).excluded) == (2, ["2", "4", "5"])
    assert gold_of(text, min_responses=1).excluded == ["4", "5"]
    assert "enough" in refusal(gold_of, text, min_responses=3)


def test_an_entry_split_by_a_stray_blank_is_one_answer(gold_of, run_of):
    """garden 2, yard 2 and garden 1, with a blank too many: garden 3 is the mode, W is 5."""
    gold = gold_of("plot.n 801 :: garden 2;yard 2;garden  1;\n")
    assert value(gold, run_of("plot.n 801 ::: garden\n"), "els07.oot_mode.R") == 1
    assert value(gold, run_of("plot.n 801 ::: garden\n"), "R") == 3 / 5


def test_a_blank_inside_a_substitute_is_one_blank(gold_of, run_of):
    gold = gold_of("gland.n 211 :: secretion  producing 2;\n")
    assert value(gold, run_of("gland.n 211 ::: secretion producing\n"), "R") == 1


@pytest.mark.parametrize(
    ("human", "answer"),
    [
        ("after-glow", "after glow"),
        ("BSE", "bse"),
        ("eucharist", "Eucharist"),
        ("bull's eye", "bulls eye"),
        ("bull's eye", "bull’s-eye"),
        ("non-captive", "noncaptive"),
        ("noncaptive", "non captive"),
        ("well_to_do", "well-to-do"),
        ("cafe\u0301", "café"),
    ],
)
def test_spelling_parts_nobody(gold_of, run_of, human, answer):
    gold = gold_of(f"a.n 1 :: {human} 2;other 1;\n")
    results = lexsub.score(gold, run_of(f"a.n 1 ::: {answer}\n"), ["R", "els07.oot_mode.R"], resampling=PLAIN)
    assert [row.value for row in results.rows] == [2 / 3, 1]


def test_the_mode_comes_from_the_weights_and_not_from_the_order(gold_of, run_of):
    gold = gold_of("a.n 1 :: rare 1;common 3;\n")
    assert value(gold, run_of("a.n 1 ::: common\n"), "els07.oot_mode.R") == 1


def test_weights_need_not_be_counts(gold_of):
    assert weights(gold_of("a.n 1 :: x 1.5;y 0.5;\n"), "1") == {"x": 1.5, "y": 0.5}


@pytest.mark.parametrize("entry", ["x", "x 0", "x -1", "x nan", "x inf", "x 1e3", "5", "x 0.0", "- 2", "x ２"])
def test_an_entry_without_a_positive_weight_is_refused_with_its_line(gold_of, entry):
    said = refusal(gold_of, f"a.n 1 :: y 2;\na.n 2 :: y 2;{entry};\n")
    assert ":2: " in said
    assert f'"{entry}"' in said


def test_a_gold_line_with_the_other_separator_is_refused(gold_of):
    assert ":1: " in refusal(gold_of, "a.n 1 ::: x 2;\n")
