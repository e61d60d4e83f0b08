"""Columns of unknown names: recognised where one choice is possible, else all that are missing are named at once."""

import pytest

from touchstone import nli
from touchstone.base.errors import TouchstoneError

LABELS = ("entailment", "contradiction", "neutral")


def _pairs(*names, values=LABELS):
    return [
        dict(zip(names, (f"A dog runs {n}.", f"An animal moves {n}.", values[n % 3], f"word{n}"), strict=False))
        for n in range(6)
    ]


@pytest.mark.parametrize(
    ("names", "values"),
    [(("sent1", "sent2", "y"), LABELS), (("text_a", "text_b", "target"), "enc"), (("prem", "hypo", "y"), (0, 2, 1))],
)
def test_sentences_and_labels_are_recognised_by_what_their_columns_hold(names, values):
    gold = nli.read_gold(_pairs(*names, values=values))
    assert (gold.pairs[1].premise, gold.pairs[1].hypothesis) == ("A dog runs 1.", "An animal moves 1.")
    if values != "enc":
        assert [pair.gold for pair in gold.pairs[:2]] == ["entailment", "contradiction"]
    assert f"the gold: premise is the column {names[0]}, hypothesis is the column {names[1]}" in gold.remarks[0]


def test_a_column_of_predictions_is_recognised_by_its_labels():
    gold = nli.read_gold(_pairs("premise", "hypothesis", "label"))
    run = nli.read_run([{"id": str(n), "y_hat": LABELS[n % 3]} for n in range(1, 7)], name="mine", gold=gold)
    assert run.labels[0] == "contradiction"
    assert run.remarks == ["mine: label is the column y_hat"]


def test_all_columns_that_are_missing_are_named_at_once_in_the_spelling_of_python():
    rows = [{"claim": f"A dog {n}.", "evidence": f"It moves {n}.", "verdict": "supported"} for n in range(3)]
    with pytest.raises(TouchstoneError) as caught:
        nli.read_gold(rows)
    assert str(caught.value) == (
        "the gold: no columns 'premise', 'hypothesis' and 'label'\n   the columns are claim, evidence, verdict; "
        'choose them with column={"premise": "NAME", "hypothesis": "NAME", "label": "NAME"}'
    )
    assert not hasattr(caught.value, "__notes__")


def test_two_columns_of_labels_are_not_guessed_between():
    rows = [{**pair, "other": pair["y"]} for pair in _pairs("sent1", "text", "y")]
    with pytest.raises(TouchstoneError, match="no columns 'premise', 'hypothesis' and 'label'"):
        nli.read_gold(rows)
