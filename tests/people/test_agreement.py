"""Agreement on any labels: one answer for every form of the same labels, and a sentence for what cannot be used."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import touchstone
from touchstone import Resampling, TouchstoneError
from touchstone.base.codes import Code
from touchstone.base.notes import TouchstoneWarning

WIDE = pd.DataFrame(
    {
        "item": ["q1", "q2", "q3", "q4", "q5", "q6"],
        "ana": list("aabbca"),
        "ben": list("aabbcb"),
        "eva": [*"abbb", None, "a"],
    }
)
LONG = WIDE.melt(id_vars="item", var_name="annotator", value_name="label").dropna()
BY_ITEM = {
    who: {i: x for i, x in zip(WIDE["item"], WIDE[who], strict=True) if isinstance(x, str)}
    for who in ("ana", "ben", "eva")
}

FORMS = {
    "wide": WIDE,
    "index": WIDE.set_index("item"),
    "long": LONG,
    "shuffled": LONG.sample(frac=1, random_state=1),
    "polars": pl.from_pandas(WIDE),
    "arrow": pa.Table.from_pandas(WIDE),
    "rows": WIDE.to_dict("records"),
    "lists": {who: WIDE[who].tolist() for who in ("ana", "ben", "eva")},
    "by item": BY_ITEM,
    "series": {who: WIDE.set_index("item")[who].sample(frac=1, random_state=2) for who in ("ana", "ben", "eva")},
    "units": WIDE[["ana", "ben", "eva"]].to_numpy().tolist(),
    "array": WIDE[["ana", "ben", "eva"]].to_numpy(),
}


def values(found):
    return {name: one.value for name, one in found.coefficients.items()}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_the_same_labels_gives_the_same_agreement(form):
    found, expected = touchstone.agreement(FORMS[form]), touchstone.agreement(WIDE)
    assert values(found) == pytest.approx(values(expected))
    assert sorted(one.value for one in found.annotators.values()) == sorted(
        one.value for one in expected.annotators.values()
    )


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_a_file_gives_what_its_data_frame_gives(tmp_path, suffix):
    path = tmp_path / f"labels.{suffix}"
    write = {"csv": LONG.to_csv, "parquet": LONG.to_parquet}.get(suffix)
    write(path, index=False) if write else LONG.to_json(path, orient="records", lines=True)
    assert touchstone.agreement(path).signature == touchstone.agreement(LONG).signature


def test_raw_agreement_is_the_share_of_equal_pairs_of_labels():
    """q1, q3, q4: 3 of 3 pairs; q2 and q6: 1 of 3; q5: 1 of 1. Two items have a label that differs."""
    found = touchstone.agreement(WIDE)
    equal = {"q1": 3, "q2": 1, "q3": 3, "q4": 3, "q5": 1, "q6": 1}
    assert values(found)["raw_agreement"] == pytest.approx(sum(equal.values()) / (5 * 3 + 1))


def test_an_annotator_agrees_with_the_majority_of_the_others_where_they_have_one():
    """Ben and Eva agree on q1, q3, q4 and Ana with them; Ben alone labelled q5 beside her, and agrees."""
    found = touchstone.agreement(WIDE).annotators["ana"]
    assert (found.value, found.units) == (1.0, 4)


def test_items_are_sorted_by_disagreement():
    items = touchstone.agreement(WIDE).items.to_pandas()
    assert items["item"].tolist()[:2] == ["q2", "q6"]
    assert items["disagreement"].tolist() == pytest.approx([2 / 3, 2 / 3, 0, 0, 0, 0])
    assert items["majority"].tolist()[:2] == ["a", "a"]


def test_numbers_disagree_by_their_squared_difference():
    found = touchstone.agreement([[1, 3], [2, 2], [5, 4]], "interval")
    assert found.items.to_pandas()[["item", "disagreement", "mean"]].to_numpy().tolist() == [
        ["1", 4.0, 2.0],
        ["3", 1.0, 4.5],
        ["2", 0.0, 2.0],
    ]
    assert found.annotators["1"].value == pytest.approx((-2 + 0 + 1) / 3)
    assert "cohen" not in found.coefficients


def test_labels_in_an_order_are_as_far_apart_as_their_numbers():
    words = {"low": 1, "mid": 2, "high": 3}
    named = {"ana": ["low", "mid", "high", "low", "mid", "low"], "ben": ["low", "high", "high", "mid", "mid", "low"]}
    found = touchstone.agreement(named, "ordinal", order=list(words))
    numbers = touchstone.agreement({who: [words[x] for x in own] for who, own in named.items()}, "ordinal")
    assert values(found) == pytest.approx(values(numbers))
    # Of 12 labels 5 are low, 4 mid, 3 high: low and mid are 5/2 + 4/2 labels apart, mid and high 4/2 + 3/2.
    assert [(row["ana"], row["ben"]) for row in found.items][:2] == [("low", "mid"), ("mid", "high")]


def test_the_mean_kappa_is_that_of_the_pairs():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({who: rng.choice(["x", "y", "z"], 40, p=[0.5, 0.3, 0.2]) for who in "abc"})
    pairs = [touchstone.agreement(frame[[a, b]]).coefficients["cohen"].value for a, b in ("ab", "ac", "bc")]
    assert values(touchstone.agreement(frame))["cohen"] == pytest.approx(np.mean(pairs))


def test_items_of_a_cluster_are_resampled_together():
    frame = pd.concat([WIDE.assign(text=WIDE["item"], item=WIDE["item"] + str(n)) for n in range(8)])
    alone = touchstone.agreement(frame.drop(columns="text")).coefficients["alpha"].interval
    together = touchstone.agreement(frame, resampling=Resampling(cluster="text")).coefficients["alpha"].interval
    assert together.high - together.low > 1.5 * (alone.high - alone.low)


def test_fleiss_kappa_is_given_where_all_items_have_the_same_number_of_labels():
    assert "fleiss" not in touchstone.agreement(WIDE).coefficients
    assert "fleiss" in touchstone.agreement(WIDE.dropna()).coefficients


def test_columns_with_other_names_can_be_chosen():
    other = LONG.rename(columns={"item": "question_no", "annotator": "who", "label": "verdict"})
    roles = {"item": "question_no", "annotator": "who", "label": "verdict"}
    assert values(touchstone.agreement(other, column=roles)) == values(touchstone.agreement(LONG))


@pytest.mark.parametrize(
    ("data", "options", "code", "value"),
    [
        (WIDE, {"distance": "ordnal"}, Code.UNKNOWN_NAME, "ordnal"),
        (WIDE, {"distance": "interval"}, Code.BAD_CELL, "a"),
        (WIDE, {"distance": "ordinal", "order": ["a", "b"]}, Code.UNKNOWN_NAME, "c"),
        (WIDE[["item", "ana"]], {}, Code.TOO_FEW, None),
        (LONG.drop(columns="annotator"), {}, Code.TOO_FEW, None),
        ({"ana": ["a"], "ben": ["a", "b"]}, {}, Code.MISMATCH, None),
        ([["a"], ["b"]], {}, Code.TOO_FEW, None),
        ([["a", None], [None, "b"]], {}, Code.TOO_FEW, None),
    ],
)
def test_what_cannot_be_compared_is_refused(data, options, code, value):
    with pytest.raises(TouchstoneError) as error:
        touchstone.agreement(data, **options)
    assert (error.value.code, error.value.faults[0].value) == (code, value)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (pd.concat([LONG, LONG[:1]]), "a second row of annotator ana"),
        (LONG.drop(columns="annotator").assign(x=1), "duplicate id"),
        (3, "an int cannot be read|a int cannot be read"),
    ],
)
def test_what_no_reader_takes_is_refused_in_a_sentence(data, sentence):
    with pytest.raises(TouchstoneError, match=sentence):
        touchstone.agreement(data)


def test_it_prints_as_tables_and_as_json():
    found = touchstone.agreement(WIDE)
    assert "Agreement of 3 annotators" in repr(found)
    assert "<table" in found._repr_html_()
    assert {row["measure"] for row in found.to_dict()["rows"] if row["kind"] == "coefficient"} == set(
        found.coefficients
    )
    assert '"annotator": "ana"' in found.to_json()


def test_a_column_of_texts_is_no_annotator_and_annotators_can_be_chosen():
    frame = WIDE.assign(text=[f"text {n}" for n in range(len(WIDE))])
    with pytest.raises(TouchstoneError) as error:
        touchstone.agreement(frame)
    assert error.value.code == Code.AMBIGUOUS
    assert error.value.faults[0].value == "text"
    assert "annotators=" in error.value.hint
    people = [name for name in WIDE.columns if name != "item"]
    assert values(touchstone.agreement(frame, annotators=people)) == values(touchstone.agreement(WIDE))
    assert list(touchstone.agreement(frame, annotators=people[:2]).annotators) == people[:2]
    assert people[0] in touchstone.agreement(WIDE).notes[0]


OUTPUTS = [
    {"system": system, "item": f"q{n}", "annotator": who, "score": 1 + (n * step + (shift if n % 4 == 0 else 0)) % 5}
    for system, step in (("x", 2), ("y", 3))
    for n in range(12)
    for who, shift in (("ana", 0), ("ben", 1))
]


def test_outputs_of_several_systems_are_items_of_their_own_and_those_of_one_item_a_cluster():
    """The table that `items compare` accepts; each output has labels of both annotators."""
    found = touchstone.agreement(OUTPUTS)
    assert {row["item"] for row in found.items} == {f"{system} q{n}" for system in "xy" for n in range(12)}
    alone = [{**row, "item": f"{row['system']}/{row['item']}", "doc": row["item"]} for row in OUTPUTS]
    expected = touchstone.agreement(
        [{key: row[key] for key in ("item", "annotator", "score", "doc")} for row in alone],
        resampling=Resampling(cluster="doc"),
        column={"label": "score"},
    )
    assert values(found) == values(expected)
    assert found.coefficients["alpha"].interval == expected.coefficients["alpha"].interval
    items_of = touchstone.items.score(OUTPUTS)
    assert {system.system for system in items_of.systems} == {"x", "y"}


def test_a_column_for_each_system_is_read_as_its_scores_are():
    rows = {(row["item"], row["annotator"]): {} for row in OUTPUTS}
    for row in OUTPUTS:
        rows[row["item"], row["annotator"]][row["system"]] = row["score"]
    wide = [{"item": item, "annotator": who, **scores} for (item, who), scores in rows.items()]
    found = touchstone.agreement(wide)
    assert values(found) == values(touchstone.agreement(OUTPUTS))
    assert any("each column of numbers is a system: x, y" in note for note in found.notes)
    one = touchstone.agreement(wide, column={"label": "x"})
    assert len(one.items) == 12
    assert not any("is a system" in note for note in one.notes)


def test_a_column_of_systems_that_items_determine_changes_nothing():
    own = [{**row, "item": f"{row['system']}/{row['item']}"} for row in OUTPUTS]
    without = [{key: cell for key, cell in row.items() if key != "system"} for row in own]
    found, expected = touchstone.agreement(own), touchstone.agreement(without)
    assert found.signature == expected.signature
    assert values(found) == values(expected)


def test_two_labels_of_one_annotator_for_one_output_are_refused():
    with pytest.raises(TouchstoneError, match=r'second row of annotator ana .*"x q0"'):
        touchstone.agreement([*OUTPUTS, OUTPUTS[0]])


def test_an_annotator_called_model_is_an_annotator():
    found = touchstone.agreement({"item": list("abcd"), "human": list("xyxy"), "model": list("xyyy")})
    assert list(found.annotators) == ["human", "model"]


RATED = pd.DataFrame({"item": list("abcdef"), "ana": [1, 2, 3, 4, 5, 1], "ben": [1, 2, 4, 4, 5, 2]})
CODES = 'labels are numbers, so their distance is interval; for numbers that are codes, choose distance="nominal"'


@pytest.mark.parametrize(
    ("data", "order", "distance", "said"),
    [
        (RATED, (), "interval", True),
        (RATED.astype(str), (), "interval", True),
        (RATED.replace(5, None), (), "interval", True),
        (WIDE, (), "nominal", False),
        (WIDE[["item", "ana", "ben"]], ["a", "b", "c"], "ordinal", False),
        (RATED[["ana", "ben"]] % 2, (), "nominal", False),
        ({"ana": [True, False, True], "ben": [True, False, False]}, (), "nominal", False),
        ({"ana": ["true", "1", "2"], "ben": ["true", "1", "2"]}, (), "nominal", False),
    ],
)
def test_the_type_of_the_labels_decides_their_distance_and_the_output_says_which(data, order, distance, said):
    found = touchstone.agreement(data, order=order)
    assert found.distance == distance
    assert found.coefficients["alpha"].distance == distance
    assert (CODES in found.notes) == said
    assert values(found) == values(touchstone.agreement(data, distance, order=order))
    assert CODES not in touchstone.agreement(data, distance, order=order).notes


def test_series_of_annotators_are_joined_by_their_index():
    expected = touchstone.agreement({who: RATED[who] for who in ("ana", "ben")})
    shuffled = {"ana": RATED["ana"], "ben": RATED["ben"].sample(frac=1, random_state=3)}
    assert values(touchstone.agreement(shuffled)) == values(expected)


def test_a_word_among_numbers_is_warned_of_as_the_distance_becomes_nominal():
    rows = [(item, name, item * 7 % 5 + (name == "b" and item % 4 == 0)) for item in range(20) for name in "ab"]
    table = [dict(zip(("item", "annotator", "rating"), row, strict=True)) for row in rows]
    assert touchstone.agreement(table).coefficients["alpha"].value > 0.9  # interval: at most 1 apart
    table[3]["rating"] = "timeout"
    with pytest.warns(TouchstoneWarning, match="1 of 40 labels are not finite numbers .'timeout'."):
        touchstone.agreement(table)
    touchstone.agreement(table, distance="nominal")  # chosen: no warning
    words = [{**row, "rating": "abcde"[index % 5]} for index, row in enumerate(table)]
    touchstone.agreement([*words, {"item": 99, "annotator": "a", "rating": 3}])


def test_a_number_that_is_not_finite_is_no_label_among_numbers():
    table = [{"item": item, "annotator": name, "rating": item % 5} for item in range(20) for name in "ab"]
    table[3]["rating"] = "1e999"
    with pytest.raises(TouchstoneError) as error:
        touchstone.agreement(table)
    assert error.value.code == Code.BAD_CELL
    assert error.value.faults[0].value == "1e999"


def test_letters_that_occur_in_numbers_are_labels_as_others_are():
    rows = [(item, name, (item + (name == "b" and item % 4 == 0)) % 5) for item in range(20) for name in "ab"]
    letters, words = (
        [{"item": item, "annotator": name, "label": labels[place]} for item, name, place in rows]
        for labels in ("ABCDE", ("one", "two", "three", "four", "five"))
    )
    assert values(touchstone.agreement(letters)) == values(touchstone.agreement(words))


def test_all_that_is_wrong_with_the_rows_of_annotations_is_told_at_once(tmp_path):
    path = tmp_path / "labels.csv"
    rows = ["q1,ana,good", "q1,ana,bad", ",ben,good", "q2,,good", "q2,ben", "q3,ana,fine", "q3,ben,good"]
    path.write_text("\n".join(["item,annotator,label", *rows]) + "\n")
    with pytest.raises(TouchstoneError) as caught:
        touchstone.agreement(path, order=["bad", "good"])
    assert [(fault.line, fault.what) for fault in caught.value.faults] == [
        (3, "a second row of annotator ana (first on line 2)"),
        (4, "no item"),
        (5, "no annotator"),
        (6, "2 cells under 3 columns"),
        (7, "unknown label"),
    ]
