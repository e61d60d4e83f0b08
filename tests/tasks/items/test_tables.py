"""Tables of values in every form that users have them in: the same numbers, the same signature."""

import random
from math import inf

import pandas as pd
import pytest
from tests.forms import FORMS, delimited, in_form

from touchstone import TouchstoneError, items
from touchstone.base.codes import Code
from touchstone.core.resampling import Resampling
from touchstone.tasks.items.answers import paired_tables

LONG = [
    {"system": system, "item": f"q{n}", "topic": f"t{n // 3}", "score": (n * step % 7) / 7}
    for step, system in ((3, "a"), (5, "b"))
    for n in range(21)
]


@pytest.fixture(scope="module")
def expected():
    return items.score(LONG).to_json()


@pytest.mark.parametrize("form", FORMS)
def test_a_long_table_in_every_form_gives_equal_results_and_signatures(form, tmp_path, expected):
    assert items.score(in_form(form, LONG, tmp_path, "scores")).to_json() == expected


def test_values_by_system_and_item_are_a_table_too():
    by_system = {s: {row["item"]: row["score"] for row in LONG if row["system"] == s} for s in ("a", "b")}
    plain = [{key: row[key] for key in ("system", "item", "score")} for row in LONG]
    assert [row.value for row in items.score(by_system).rows] == [row.value for row in items.score(plain).rows]


def test_columns_can_be_chosen(tmp_path):
    other = [{"who": row["system"], "what": row["item"], "score": row["score"]} for row in LONG]
    results = items.score(other, column=["system=who", "item=what"])
    assert [system.system for system in results.systems] == ["a", "b"]
    with pytest.raises(TouchstoneError, match="no such role"):
        items.score(other, column=["sytem=who"])


@pytest.mark.filterwarnings("ignore::touchstone.TouchstoneWarning")  # a stray exponent is warned of
def test_mutated_tables_give_results_or_sentences(tmp_path):
    chance = random.Random(3)
    text, path = delimited(LONG, ","), tmp_path / "scores.csv"
    refused = 0
    for _ in range(300):
        raw = bytearray(text.encode())
        for _ in range(chance.randrange(1, 4)):
            raw[chance.randrange(len(raw))] = chance.choice(b'\x00",\n\r;[{\xff9e-')
        path.write_bytes(bytes(raw))
        try:
            items.score(path, resampling=Resampling("none"))
        except TouchstoneError:
            refused += 1
    assert refused > 75


def values(results):
    return {(row.system, row.measure): (row.value, row.n) for row in results.rows}


def written(folder, text, name="scores.csv"):
    path = folder / name
    path.write_text(text)
    return path


def test_what_tools_write_for_nothing_and_for_yes_or_no_is_read(tmp_path):
    nothing = written(tmp_path, "system,item,score\na,1,1\na,2,NaN\na,3,0\nb,1,0\nb,2,n/a\nb,3,1\n")
    assert values(items.score(nothing, resampling=Resampling("none"))) == {
        ("a", "score"): (0.5, 2),
        ("b", "score"): (0.5, 2),
    }
    words = written(tmp_path, "system,item,right\na,1,True\na,2,False\nb,1,true\nb,2,True\n")
    assert values(items.score(words, resampling=Resampling("none")))["b", "right"] == (1.0, 2)


def test_a_text_among_numbers_is_refused_with_its_line_and_the_way_out(tmp_path):
    """Without its column a system, or a measure, would be lost."""
    path = written(tmp_path, "system,item,score,secs\na,1,0.5,1\na,2,error,2\nb,1,0.5,3\nb,2,0.25,4\n")
    with pytest.raises(TouchstoneError, match=r'csv:3: score is not a finite number: "error"\n.*leave a cell empty'):
        items.score(path)
    wide = written(tmp_path, "item,v1,v2\n1,0.5,1\n2,0.25,err\n3,0.5,0.75\n")
    problems = items.validate(wide)
    assert [str(fault).rpartition("/")[2] for fault in problems.faults] == [
        'scores.csv:3: v2 is not a finite number: "err"'
    ]
    assert 'choose the columns that are systems with system_column=["NAME"]' in problems.hints[0]


def test_a_field_of_items_may_hold_texts_among_numbers(tmp_path):
    rows = "a,1,12,0.5\na,2,13,1\na,3,x4,1\nb,1,12,0.5\nb,2,13,0\nb,3,x4,1\n"
    path = written(tmp_path, f"system,item,document,score\n{rows}")
    results = items.score(path, by="document", resampling=Resampling("none"))
    assert {row.group for row in results.rows} == {"12", "13", "x4", None}


def test_the_systems_of_a_wide_table_can_be_chosen(tmp_path):
    path = written(tmp_path, "item,v1,v2,tokens\n1,0.5,1,800\n2,0.25,0,912\n3,0.5,0.75,err\n")
    results = items.score(path, system_column=("v1", "v2"), resampling=Resampling("none"))
    assert [system.system for system in results.systems] == ["v1", "v2"]
    with pytest.raises(TouchstoneError, match="no column 'v3'"):
        items.score(path, system_column=("v3",))
    with pytest.raises(TouchstoneError, match='tokens is not a finite number: "err"'):
        items.score(path, system_column=("v1", "tokens"))
    with pytest.raises(TouchstoneError, match='kind is not a finite number: "easy"'):
        items.score(written(tmp_path, "item,v1,kind\n1,0.5,easy\n2,1,hard\n", "kinds.csv"), system_column=("kind",))
    long = written(tmp_path, "system,item,score\na,1,0.5\nb,1,1\n", "long.csv")
    with pytest.raises(TouchstoneError, match=r"system_column=.* chooses among the columns"):
        items.score(long, system_column=("a",))


def test_columns_of_another_scale_are_named_with_the_way_to_choose(tmp_path):
    path = written(tmp_path, "item,v1,v2,tokens\n1,0.5,1,800\n2,0.25,0,912\n3,0.5,0.75,700\n")
    (note,) = [note for note in items.score(path, resampling=Resampling("none")).notes if "factor" in note]
    assert note.startswith("scores: v1 (mean size 0.417) and tokens (804) differ in scale by more than a factor of 100")
    assert note.endswith('choose those that are with system_column=["NAME"]')
    chosen = items.score(path, system_column=("v1", "v2"), resampling=Resampling("none"))
    assert not any("factor" in note for note in chosen.notes)


def test_semicolons_come_with_decimal_commas(tmp_path):
    path = written(tmp_path, "system;item;score\na;1;0,5\na;2;1\nb;1;0,25\nb;2;0,75\n")
    results = items.score(path, resampling=Resampling("none"))
    assert values(results) == {("a", "score"): (0.75, 2), ("b", "score"): (0.5, 2)}
    with pytest.raises(TouchstoneError, match="score has a decimal comma"):
        items.score(written(tmp_path, "system\titem\tscore\na\t1\t0.5\na\t2\t0.5\na\t3\t0,5\n", "scores.tsv"))


def test_a_column_of_ids_is_no_system_and_the_systems_of_a_wide_table_are_named(tmp_path):
    results = items.score(written(tmp_path, "example_id,gpt,llama\n0,0.5,1\n1,0.25,0\n"), resampling=Resampling("none"))
    assert [system.system for system in results.systems] == ["gpt", "llama"]
    assert "scores: no column of systems, so each column of numbers is a system: gpt, llama" in results.notes
    by_method = items.score(written(tmp_path, "method,item,score\na,1,0.5\nb,1,1\n"), resampling=Resampling("none"))
    assert [system.system for system in by_method.systems] == ["a", "b"]


def test_a_table_of_measures_that_cannot_be_averaged_is_refused(tmp_path):
    with pytest.raises(TouchstoneError) as error:
        items.score(written(tmp_path, "system,item,bleu\na,1,30\na,2,40\nb,1,20\nb,2,10\n"))
    assert error.value.code == Code.OPTION_NEEDED


PAIR = "item,kind,old,new\n" + "".join(f"{n},t{n % 3},1,0\n" for n in range(1, 9))


def test_a_named_column_holds_the_scores_of_its_system(tmp_path):
    path = written(tmp_path, PAIR)
    expected = {("old", "value"): (1.0, 8), ("new", "value"): (0.0, 8)}
    for tables in ([f"old={path}:old", f"new={path}:new"], [f"{path}:old", f"{path}:new"]):
        results = items.score(tables, resampling=Resampling("none"))
        assert values(results) == expected
        assert not results.notes
    alone = items.score([f"mine={path}:new"], by="kind", resampling=Resampling("none"))
    assert {(row.system, row.measure, row.value) for row in alone.rows} == {("mine", "value", 0.0)}
    bare = written(tmp_path, "old,new\n1,0\n1,0.5\n", "bare.csv")
    assert values(items.score([f"{bare}:old", f"{bare}:new"], resampling=Resampling("none"))) == {
        ("old", "value"): (1.0, 2),
        ("new", "value"): (0.25, 2),
    }


def test_a_column_that_all_files_have_is_the_measure(tmp_path):
    a = written(tmp_path, "item,ms,acc\n1,10,1\n2,20,0\n", "a.csv")
    b = written(tmp_path, "item,ms,acc\n2,25,1\n1,10,1\n", "b.csv")
    results = items.score([f"a={a}:acc", f"b={b}:acc"], resampling=Resampling("none"))
    assert values(results) == {("a", "acc"): (0.5, 2), ("b", "acc"): (1.0, 2)}


def test_a_named_column_of_annotations_is_averaged_over_annotators(tmp_path):
    path = written(tmp_path, "item,annotator,old,new\n1,x,1,0\n1,y,0,0\n2,x,1,1\n2,y,1,0\n")
    results = items.score([f"{path}:old", f"{path}:new"], resampling=Resampling("none"))
    assert values(results) == {("old", "value"): (0.75, 2), ("new", "value"): (0.25, 2)}


REFUSED_COLUMNS = {
    "gone": ("item,old\n1,1\n", "nwe", "no column 'nwe'"),
    "texts": ("item,old,kind\n1,1,easy\n2,0,hard\n", "kind", "kind is not a finite number"),
    "items": ("item,old\n1,1\n2,0\n", "item", "is the column of the item"),
    "systems": ("system,item,score\na,1,1\nb,1,0\n", "score", 'choose a column of scores with measures=."score".'),
}


@pytest.mark.parametrize("case", REFUSED_COLUMNS)
def test_a_named_column_is_used_or_refused(case, tmp_path):
    text, column, what = REFUSED_COLUMNS[case]
    path = written(tmp_path, text)
    with pytest.raises(TouchstoneError, match=what):
        items.score([f"{path}:{column}"])
    assert not items.validate([f"{path}:{column}"]).ok
    with pytest.raises(TouchstoneError, match=what):
        items.explain([f"a={path}:{column}"], item="1")


def test_files_without_ids_are_not_joined_by_their_named_columns(tmp_path):
    a, b = (written(tmp_path, "score\n1\n0\n", name) for name in ("a.csv", "b.csv"))
    with pytest.raises(TouchstoneError, match="no column 'item'"):
        items.score([f"a={a}:score", f"b={b}:score"])


WIDE = pd.DataFrame({"old": [1.0, 0.0, 0.5, 0.25], "new": [0.5, 0.5, 1.0, 1.0]})


def test_a_shuffled_index_of_pandas_is_the_id():
    plain = items.score({"old": WIDE["old"], "new": WIDE["new"]}, resampling=Resampling("none"))
    for state in range(3):
        mixed = {"old": WIDE["old"], "new": WIDE["new"].sample(frac=1, random_state=state)}
        found = items.score(mixed, resampling=Resampling("none"))
        rows = {(row["system"], row["id"]): row["value"] for row in found.items}
        assert rows == {(row["system"], row["id"]): row["value"] for row in plain.items}
        assert found.notes == plain.notes == []
    shuffled = items.score(WIDE.sample(frac=1, random_state=1), resampling=Resampling("none"))
    assert {(row["system"], row["id"]): row["value"] for row in shuffled.items} == rows
    with pytest.raises(TouchstoneError, match="another order"):
        items.score({"old": WIDE["old"].tolist(), "new": WIDE["new"][::-1]})


def test_a_sample_of_a_data_frame_belongs_to_its_rows_beside_a_judge():
    judge = WIDE[["new"]]
    people = judge.sample(3, random_state=2)
    assert people.index.tolist() != sorted(people.index)
    [paired] = paired_tables(people, judge)
    human = paired.of("new").human_values
    assert (human == human).sum() == 3
    assert all(h == j for h, j in zip(human, paired.of("new").judge_values, strict=True) if h == h)


RATED = "system,item,rating\na,1,1\na,2,5\nb,1,3\nb,2,{}\n"


def test_a_declared_range_belongs_to_the_measure(tmp_path):
    path = tmp_path / "rated.csv"
    path.write_text(RATED.format(4))
    plain, ranged = items.score(path), items.score(path, range={"rating": "1:5"})
    assert [tuple(results.measures[0].range) for results in (plain, ranged)] == [(-inf, inf), (1, 5)]
    assert [row.value for row in plain.rows] == [row.value for row in ranged.rows] == [3, 3.5]
    assert ranged.signature["range"] == "rating=1:5"


def test_every_value_outside_a_declared_range_is_refused_with_its_line(tmp_path):
    path = tmp_path / "rated.csv"
    path.write_text(RATED.format(6).replace("a,1,1", "a,1,0"))
    with pytest.raises(TouchstoneError) as caught:
        items.score(path, range=["rating=1:5"])
    assert [(fault.line, fault.value) for fault in caught.value.faults] == [(2, "0"), (5, "6")]


def test_ranges_of_annotations_of_wide_tables_and_of_single_columns_hold_for_single_values(tmp_path):
    annotated, wide = tmp_path / "annotated.csv", tmp_path / "wide.csv"
    annotated.write_text("system,item,annotator,rating\na,1,x,5\na,1,y,6\nb,1,x,1\nb,1,y,1\n")
    wide.write_text("item,a,b\n1,2,3\n2,4,9\n")
    assert items.score(annotated).row("a", "rating").value == 5.5
    with pytest.raises(TouchstoneError) as error:
        items.score(annotated, range=["rating=1:5"])
    assert error.value.code == Code.OUT_OF_RANGE
    assert items.score(wide, range=["value=1:9"]).measures[0].range == (1, 9)
    for gold in (wide, [f"x={wide}:b", f"y={wide}:a"]):
        with pytest.raises(TouchstoneError, match="b is outside its range of 1–5"):
            items.score(gold, range=["value=1:5"])
    with pytest.raises(TouchstoneError) as error:
        paired_tables(annotated, annotated, range=["rating=1:5"])
    assert error.value.code == Code.OUT_OF_RANGE


@pytest.mark.parametrize("bad", ["rating", "rating=1", "rating=5:1", "rating=1:1", "=1:5", "rating=a:b"])
def test_a_range_that_is_none_is_refused(bad, tmp_path):
    (tmp_path / "rated.csv").write_text(RATED.format(4))
    with pytest.raises(TouchstoneError) as error:
        items.score(tmp_path / "rated.csv", range=[bad])
    assert error.value.code == Code.BAD_VALUE


def test_a_range_of_a_column_that_is_not_there_is_refused(tmp_path):
    (tmp_path / "rated.csv").write_text(RATED.format(4))
    with pytest.raises(TouchstoneError) as caught:
        items.score(tmp_path / "rated.csv", range=["ratings=1:5"])
    assert caught.value.code == Code.UNKNOWN_NAME
    assert caught.value.faults[0].near == "rating"
    with pytest.raises(TouchstoneError) as error:
        paired_tables(tmp_path / "rated.csv", tmp_path / "rated.csv", range=["ratings=1:5"])
    assert error.value.code == Code.UNKNOWN_NAME
    assert paired_tables(tmp_path / "rated.csv", tmp_path / "rated.csv", range=["rating=1:5"])[0].measure.range == (
        1,
        5,
    )


def test_all_that_is_wrong_with_the_rows_of_a_table_is_told_at_once(tmp_path):
    path = tmp_path / "scores.csv"
    rows = ["a,q1,0.5,3", "a,q2,much,4", "a,q3,0.7,bad", "a,,0.7,4", "a,q5,0.7,9", "a,q6,0.7", ",q1,0.1,3", "b,q2,1,2"]
    path.write_text("\n".join(["system,item,score,rating", *rows]))
    with pytest.raises(TouchstoneError) as caught:
        items.read_gold([path], items.Options(range=("rating=1:5",)))
    assert [(fault.line, fault.what) for fault in caught.value.faults] == [
        (3, "score is not a finite number"),
        (4, "rating is not a finite number"),
        (5, "no item"),
        (6, "rating is outside its range of 1–5"),
        (7, "3 cells under 4 columns"),
        (8, "no system"),
    ]
    assert all(part in str(caught.value) for part in ("leave a cell empty", "correct the values", "every row needs"))
    assert caught.value.readable.ids == ["q1", "q2", "q3", "q5"]


def test_a_missing_column_is_told_with_the_faults_of_the_cells(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("system,score,other\na,0.5,1\na,0.6,1\na,0.7,1\nb,much,1\n")
    with pytest.raises(TouchstoneError, match=r"(?s)score is not a finite number.*no column 'item'.*choose one with"):
        items.read_gold([path], items.Options())


def test_a_second_row_of_an_annotator_is_told_with_the_faults_of_the_cells(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text("item,annotator,rating\nq1,ana,3\nq1,ana,4\nq1,ben,much\nq2,ana,3\nq2,ben,5\n")
    with pytest.raises(TouchstoneError) as caught:
        items.read_gold([path], items.Options())
    assert [fault.line for fault in caught.value.faults] == [3, 4]
