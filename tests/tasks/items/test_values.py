"""Scores in words: usual verdicts are values, other texts need one, and no column is lost without a word."""

import pytest

from touchstone import TouchstoneError, items
from touchstone.base.codes import Code
from touchstone.core.resampling import Resampling
from touchstone.tasks.items.answers import paired_tables

PLAIN = Resampling("none")


def long(*words):
    """Return a table of two systems: the first gives the *words* in turn, the second the first word."""
    return [
        {"system": system, "item": n, "verdict": words[n % len(words)] if system == "a" else words[0]}
        for system in "ab"
        for n in range(8)
    ]


def values(results):
    return {(row.system, row.measure): row.value for row in results.rows}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("pass", "fail"), ("PASS", "FAIL"), ("Passed", "failed"), ("yes", "no"), ("True", "False"), (" yes ", "No")],
)
def test_usual_verdicts_are_values(right, wrong):
    results = items.score(long(right, wrong), resampling=PLAIN)
    assert values(results) == {("a", "verdict"): 0.5, ("b", "verdict"): 1.0}
    assert not results.notes
    wide = {"item": [1, 2, 3, 4], "a": [right, wrong, right, ""], "b": [right] * 4}
    with pytest.raises(TouchstoneError) as error:
        items.score(wide)
    assert error.value.code == Code.MISSING_ID
    wide["a"][3] = wrong
    assert values(items.score(wide, resampling=PLAIN)) == {("a", "value"): 0.5, ("b", "value"): 1.0}


def test_verdicts_in_words_and_in_numbers_may_stand_in_one_column():
    assert values(items.score(long("pass", "0", 1, "fail"), resampling=PLAIN))["a", "verdict"] == 0.5


def test_other_texts_are_refused_with_the_way_to_map_them():
    with pytest.raises(
        TouchstoneError, match=r'verdict: give each text a value: value={"bad": "NUMBER", "good": "NUMBER"}'
    ):
        items.score(long("good", "bad"))
    with pytest.raises(
        TouchstoneError, match=r'verdict is not a finite number: "unsure"(.|\n)*value={"TEXT": "NUMBER"}'
    ):
        items.score(long("pass", "pass", "fail", "unsure"))
    assert (
        values(items.score(long("good", "bad"), value={"good": 1, "bad": 0}, resampling=PLAIN))["a", "verdict"] == 0.5
    )
    assert values(items.score(long("yes", "no"), value={"no": 0.5}, resampling=PLAIN))["a", "verdict"] == 0.75
    with pytest.raises(TouchstoneError, match='verdict is not a finite number: "bad"'):
        items.score(long("good", "bad", "bad"), value={"good": 1})


@pytest.mark.parametrize("choice", ["good", "good=", "=1", "good=high", "good=nan"])
def test_a_value_that_is_no_number_is_refused(choice):
    with pytest.raises(TouchstoneError) as error:
        items.score(long("good", "bad"), value=choice)
    assert error.value.code == Code.BAD_VALUE


def test_texts_beside_numbers_that_differ_between_systems_are_not_lost_in_silence():
    rows = [{**row, "score": n % 3} for n, row in enumerate(long("good", "bad"))]
    results = items.score(rows, resampling=PLAIN)
    assert [measure.name for measure in results.measures] == ["score"]
    [note] = [note for note in results.notes if "not scored" in note]
    assert note.startswith("the table: verdict holds texts (bad, good) and is not scored; to score it, give each text")
    with pytest.raises(TouchstoneError, match="give each text a value"):
        items.score(rows, measures=["verdict"])
    mapped = items.score(rows, value={"good": 1, "bad": 0}, resampling=PLAIN)
    assert values(mapped)["a", "verdict"] == 0.5
    assert not mapped.notes


def test_answers_and_fields_of_items_are_not_taken_for_scores():
    rows = [
        {**row, "verdict": n // 3 % 2, "answer": f"text {n}", "kind": "yes" if int(row["item"]) % 2 else "no"}
        for n, row in enumerate(long("x"))
    ]
    results = items.score(rows, by="kind", resampling=PLAIN)
    assert [measure.name for measure in results.measures] == ["verdict"]
    assert {row.group for row in results.rows} == {"yes", "no", None}
    assert not results.notes


def test_words_beside_numbers_in_a_wide_table_are_a_field_and_a_note_says_so():
    wide = {"item": [1, 2, 3, 4], "a": [1, 0, 1, 0], "b": [1, 1, 0, 1], "hard": ["yes", "no", "no", "yes"]}
    results = items.score(wide, by="hard", resampling=PLAIN)
    assert {system.system for system in results.systems} == {"a", "b"}
    assert any(
        note.startswith("the table: texts beside columns of numbers are fields of the items: hard")
        for note in results.notes
    )
    chosen = items.score(wide, system_column=["a", "hard"], resampling=PLAIN)
    assert values(chosen)["hard", "value"] == 0.5
    mapped = items.score(wide, value={"yes": 1}, resampling=PLAIN)
    assert {system.system for system in mapped.systems} == {"a", "b", "hard"}


def test_verdicts_of_annotators_are_averaged():
    rows = [
        {"item": n, "annotator": who, "old": word} for n in range(3) for who, word in (("x", "pass"), ("y", "fail"))
    ]
    assert values(items.score(rows, resampling=PLAIN)) == {("old", "value"): 0.5}


def test_verdicts_of_people_stand_beside_a_judge():
    judge = [{"system": "a", "item": n, "score": n / 8} for n in range(8)]
    human = [{"system": "a", "item": n, "ok": word} for n, word in ((1, "pass"), (5, "fail"))]
    [paired] = paired_tables(human, judge, ["ok=score"])
    assert [value for value in paired.of("a").human_values if value == value] == [1.0, 0.0]


def test_named_columns_may_hold_verdicts(tmp_path):
    path = tmp_path / "w.csv"
    path.write_text("item,old,new\n1,pass,good\n2,fail,bad\n")
    found = items.score([f"{path}:old", f"{path}:new"], value=("good=1", "bad=0"), resampling=PLAIN)
    assert values(found) == {("old", "value"): 0.5, ("new", "value"): 0.5}
    with pytest.raises(TouchstoneError, match='new is not a finite number: "good"'):
        items.score([f"{path}:old", f"{path}:new"])
