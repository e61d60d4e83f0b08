"""Tables of presence in every format and as Python objects: the same numbers and signatures, or a sentence."""

import csv
import gzip
import json
import random
import shutil

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.base.notes import TouchstoneWarning
from touchstone.core.comparison import compare
from touchstone.pyramid import GoldSet, explain, read_gold, read_presence, score, score_table, validate, write_presence
from touchstone.tasks.pyramid.measures import UNMATCHED, default_measures

WEIGHTS = {"S1": {"a": 4, "b": 2, "c": 2, "d": 1, "e": 1}, "S2": {"a": 4, "b": 3, "c": 1}}
EXPRESSED = {"P": {"S1": "bd", "S2": ""}, "Q": {"S1": "abcd", "S2": "bc"}}
# S1 has S = 10 and X = 10 / 4 = 3 rounded half up, optimum 8; S2 has S = 8 and X = 2, optimum 7.
MODIFIED = {"P": (3 / 8 + 0) / 2, "Q": (9 / 8 + 4 / 7) / 2}

ROWS = [
    {"set": name, "peer": peer, "unit": unit, "weight": weight, "models": 4, "present": int(unit in units[name])}
    for name, weights in WEIGHTS.items()
    for peer, units in EXPRESSED.items()
    for unit, weight in weights.items()
]
WIDE = [
    {"set": name, "unit": unit, "weight": weight, "models": 4}
    | {peer: int(unit in units[name]) for peer, units in EXPRESSED.items()}
    for name, weights in WEIGHTS.items()
    for unit, weight in weights.items()
]


def columns(rows):
    return {name: [row[name] for row in rows] for name in rows[0]}


def text(rows, delimiter=","):
    lines = [list(rows[0]), *([*row.values()] for row in rows)]
    return "".join(delimiter.join(map(str, line)) + "\n" for line in lines)


def jsonl(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


FILES = {
    "x.csv": lambda path, rows: path.write_text(text(rows)),
    "x.tsv": lambda path, rows: path.write_text(text(rows, "\t")),
    "semicolons.csv": lambda path, rows: path.write_text(text(rows, ";")),
    "x.jsonl": lambda path, rows: path.write_text(jsonl(rows)),
    "rows.json": lambda path, rows: path.write_text(json.dumps(rows)),
    "columns.json": lambda path, rows: path.write_text(json.dumps(columns(rows))),
    "x.parquet": lambda path, rows: parquet.write_table(pa.table(columns(rows)), path),
    "x.arrow": lambda path, rows: feather.write_feather(pa.table(columns(rows)), path, "uncompressed"),
    "x.csv.gz": lambda path, rows: path.write_bytes(gzip.compress(text(rows).encode())),
    "x.jsonl.gz": lambda path, rows: path.write_bytes(gzip.compress(jsonl(rows).encode())),
    "no_suffix": lambda path, rows: path.write_text(text(rows)),
    "packed.gz": lambda path, rows: path.write_bytes(gzip.compress(jsonl(rows).encode())),
}
OBJECTS = {
    "rows": lambda rows: rows,
    "columns": columns,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": lambda rows: pa.table(columns(rows)),
    "true and false": lambda rows: pd.DataFrame(rows).replace({"present": {0: False, 1: True}}),
    "floats": lambda rows: pd.DataFrame(rows).astype({"weight": float, "models": float}),
}


def values(results):
    return {one.system: results.row(one.system, "pyramid.modified").value for one in results.systems}


@pytest.fixture(scope="module")
def expected():
    return score(ROWS)


def test_a_table_scores_as_the_pyramid_that_it_describes(expected):
    assert values(expected) == pytest.approx(MODIFIED)
    assert expected.notes == []


@pytest.mark.parametrize("rows", [ROWS, WIDE], ids=["long", "wide"])
@pytest.mark.parametrize("name", FILES)
def test_every_file_format_gives_the_same_numbers_and_signature(tmp_path, expected, name, rows):
    FILES[name](tmp_path / name, rows)
    results = score(tmp_path / name)
    assert values(results) == values(expected)
    assert results.signature == expected.signature


@pytest.mark.parametrize("rows", [ROWS, WIDE], ids=["long", "wide"])
@pytest.mark.parametrize("kind", OBJECTS)
def test_every_python_object_gives_the_same_numbers_and_signature(expected, kind, rows):
    results = score(OBJECTS[kind](rows))
    assert values(results) == values(expected)
    assert results.signature == expected.signature


def test_the_order_of_rows_does_not_matter(expected):
    shuffled = random.Random(1).sample(ROWS, len(ROWS))
    assert score(shuffled).signature == expected.signature
    assert values(score(shuffled)) == values(expected)


def test_the_signature_changes_with_all_that_numbers_depend_on(expected):
    changes = ({"present": 1 - ROWS[0]["present"]}, {"models": 5}, {"weight": 3}, {"set": "S3"}, {"unit": "z"})
    seen = {str(expected.signature)}
    for change in changes:
        (key, value), *_ = change.items()
        # A set, a weight or a number of models is changed in all rows that share it.
        same = [ROWS[0]] if key == "present" else [row for row in ROWS if row["set"] == "S1" and row["unit"] == "a"]
        same = [row for row in ROWS if row["set"] == "S1"] if key in ("set", "models") else same
        seen.add(str(score([row | {key: value} if row in same else row for row in ROWS]).signature))
    assert len(seen) == 1 + len(changes)


def test_columns_are_found_by_their_usual_names_or_chosen_and_a_note_says_which(expected):
    names = {"set": "DocSet", "peer": "system", "unit": "SCU", "present": "expressed"}
    rows = [{names.get(name, name): cell for name, cell in row.items()} for row in ROWS]
    results = score(rows)
    assert results.signature == expected.signature
    assert "the table: set is the column DocSet, present is the column expressed" in results.notes
    rows = [{"judged": row["present"], **{key: cell for key, cell in row.items() if key != "present"}} for row in ROWS]
    results = score(rows, column=("present=judged",))
    assert results.signature == expected.signature
    assert results.notes == ["the table: present is the column judged"]
    with pytest.raises(TouchstoneError, match="no column 'present'"):
        score(rows)
    with pytest.raises(TouchstoneError, match="no such role"):
        score(rows, column=("presnt=judged",))


def test_a_wide_table_says_which_columns_are_peers_and_which_are_not_read():
    results = score([row | {"remark": "fine"} for row in WIDE])
    assert results.notes == ["the table: 2 columns are peers (P, Q); not read: remark"]


def test_padded_and_plain_peers_are_the_same():
    padded = [row | {"peer": {"P": "08", "Q": "10"}[row["peer"]]} for row in ROWS]
    plain = [row | {"peer": {"P": 8, "Q": 10}[row["peer"]]} for row in ROWS]
    assert score(padded).signature == score(plain).signature
    assert values(score(padded)) == values(score(plain))


def test_a_table_without_sets_is_one_set_and_without_weights_one_model():
    rows = [{"unit": unit, "A": here, "B": 1} for unit, here in (("x", 1), ("y", 0), ("z", 0))]
    results = score(rows)
    assert values(results) == {"A": 1 / 3, "B": 1}
    assert "the table: no column for the document set, so all rows are of one set" in results.notes


def bare():
    return [{name: cell for name, cell in row.items() if name != "models"} for row in ROWS]


def test_weights_without_the_number_of_models_give_no_modified_score(expected):
    with pytest.raises(TouchstoneError, match=r"pyramid.modified needs the number of model summaries"):
        score(bare())
    assert score(bare(), models=4).signature == expected.signature
    results = score(bare(), measures=["scu.count", "scu.mean_weight"])
    assert results.row("Q", "scu.count").value == (4 + 2) / 2
    assert results.row("Q", "scu.mean_weight").value == (9 / 4 + 4 / 2) / 2
    assert "the number of models is not known" in str(validate(bare()))
    with pytest.raises(TouchstoneError) as error:
        score_table(read_gold(bare()))
    assert error.value.code == Code.OPTION_NEEDED


@pytest.mark.parametrize(
    "measure",
    ["pyramid.original", "pyramid.quality", "pyramid.comprehensive", "scu.repeats", "scu.unmatched", "scu.precision"],
)
def test_measures_that_count_what_a_table_does_not_have_are_refused_by_name(measure):
    lacks = "content that matches no unit, which set S1, peer P" if measure in UNMATCHED else "repeated contributors"
    for refused in (lambda: score(ROWS, measures=[measure]), lambda: explain(ROWS, item="S1", measure=measure)):
        with pytest.raises(TouchstoneError, match=f"{measure} counts {lacks}"):
            refused()


# P has 2 and Q 4 units of S1, P none and Q 2 of S2; so many units of each summary match none.
Z = {("S1", "P"): 2, ("S1", "Q"): 0, ("S2", "P"): 3, ("S2", "Q"): 1}
COUNTED = [row | {"unmatched": Z[row["set"], row["peer"]]} for row in ROWS]


def test_a_table_that_counts_unmatched_content_gives_precision_beside_the_score():
    results = score(COUNTED)
    assert [measure.name for measure in results.measures] == ["pyramid.modified", "scu.precision"]
    assert results.row("P", "scu.precision").value == (2 / 4 + 0) / 2
    assert results.row("Q", "scu.precision").value == (4 / 4 + 2 / 3) / 2
    assert results.row("P", "pyramid.modified").value == MODIFIED["P"]
    assert score(COUNTED, measures=["scu.unmatched"]).row("P", "scu.unmatched").value == (2 + 3) / 2
    rows = score_table(read_gold(COUNTED)).columns
    assert rows["precision"] == [2 / 4, 4 / 4, 0 / 3, 2 / 3]
    assert score_table(read_gold(ROWS)).columns["precision"] == [None] * 4
    assert "unmatched" in str(explain(COUNTED, item="S1"))


def test_a_summary_without_any_unit_has_no_precision():
    empty = [row | {"unmatched": 0} for row in ROWS if row["peer"] == "P"]
    results = score(empty, measures=["scu.precision"])
    assert (results.row("P", "scu.precision").value, results.row("P", "scu.precision").n) == (1.0, 1)


def test_unmatched_content_changes_the_signature_and_is_kept_in_lines_of_decisions(tmp_path):
    write_presence(tmp_path / "x.jsonl", read_presence(COUNTED))
    again = score(tmp_path / "x.jsonl")
    assert again.signature == score(COUNTED).signature
    assert again.signature != score(ROWS).signature


@pytest.mark.parametrize(
    ("row", "value", "sentence"),
    [
        (1, 5, "set S1, peer P has 5 unmatched units here and 2 above"),
        (0, -1, "unmatched is not a whole number from 0 to"),
        (0, "many", "unmatched is not a whole number from 0 to"),
        (0, None, "unmatched is not a whole number from 0 to"),
    ],
)
def test_counts_of_unmatched_content_that_say_nothing_are_refused_with_their_line(tmp_path, row, value, sentence):
    path = tmp_path / "units.csv"
    path.write_text(text([one | {"unmatched": value} if place == row else one for place, one in enumerate(COUNTED)]))
    with pytest.raises(TouchstoneError, match=f"units.csv:{row + 2}: {sentence}"):
        read_presence(path)


def test_unmatched_content_needs_a_row_for_each_summary_and_unit():
    with pytest.raises(
        TouchstoneError, match="the column unmatched needs a table with a row for each set, peer and unit"
    ):
        read_presence([row | {"unmatched": 1} for row in WIDE])


def test_precision_of_some_summaries_alone_is_refused_with_the_one_that_lacks_it():
    first, second = ([row for row in rows if row["set"] == name] for rows, name in ((COUNTED, "S1"), (ROWS, "S2")))
    gold = GoldSet(presence=read_presence(first, second))
    with pytest.raises(TouchstoneError, match=r"scu.precision counts content .* set S2, peer P does not have"):
        default_measures([], gold)


def test_compare_explain_validate_and_table_take_tables():
    assert [(pair.a, pair.b) for pair in compare(score(ROWS), measure="pyramid.modified").pairs] == [("Q", "P")]
    shown = str(explain(pd.DataFrame(ROWS), item="S1"))
    assert "b                 2  P, Q" in shown
    assert "repeats" not in shown
    one = explain([row for row in ROWS if row["peer"] == "P" and row["set"] == "S1"])
    assert "0.375" in str(one)
    found = validate(ROWS)
    assert (found.faults, found.warnings) == ([], [])
    assert found.facts[0] == "1 table, 2 document sets, 8 content units, 4 annotations"
    rows = score_table(read_gold(ROWS)).columns
    assert rows["score"][:2] == [3 / 8, 9 / 8]
    assert rows["original"] == rows["nrep"] == [None] * 4


def test_a_unit_heavier_than_the_models_is_kept_and_warned_of():
    with pytest.warns(TouchstoneWarning) as issued:
        score([row | {"models": 3} for row in ROWS])
    told = [f"set {name}: a content unit of weight 4 from 3 model summaries" for name in ("S1", "S2")]
    assert [str(one.message) for one in issued] == told


def test_lines_of_decisions_keep_weights_models_and_votes(tmp_path, expected):
    write_presence(tmp_path / "x.jsonl", read_presence(ROWS))
    assert score(tmp_path / "x.jsonl").signature == expected.signature
    voted = [{"item": "d", "system": "s", "scu": "1", "present": True, "votes": [1, 0, 1]}]
    path = tmp_path / "x.csv"
    pd.DataFrame(voted).to_csv(path, index=False, quoting=csv.QUOTE_MINIMAL)
    for given in (voted, pd.DataFrame(voted), pa.Table.from_pylist(voted), path):
        assert read_presence(given).decisions[0].votes == (1, 0, 1)


def test_several_tables_are_read_together(tmp_path, expected):
    for name in WEIGHTS:
        (tmp_path / f"{name}.csv").write_text(text([row for row in ROWS if row["set"] == name]))
    assert score([tmp_path / "S2.csv", tmp_path / "S1.csv"]).signature == expected.signature


def test_a_renamed_or_packed_annotation_has_the_same_signature(demo, tmp_path):
    expected = score(sorted(demo.glob("*.pan")))
    meta = tmp_path / "meta.csv"
    meta.write_text("file,set,peer,annotator\nz.pan,T01,heron,eve\ny,T01,magpie,eve\nx.pan,T01,sparrow,eve\n")
    files = {"heron": "z.pan.gz", "magpie": "y", "sparrow": "x.pan"}
    for peer, name in files.items():
        source = demo / f"eve.T01.M.60.A.{peer}.pan"
        if name.endswith(".gz"):
            (tmp_path / name).write_bytes(gzip.compress(source.read_bytes()))
        else:
            shutil.copy(source, tmp_path / name)
    results = score([tmp_path / name for name in sorted(files.values())], meta=meta)
    assert results.signature == expected.signature
    assert values(results) == values(expected)


def changed(place, **cells):
    return [row | cells if at == place else row for at, row in enumerate(ROWS)]


BAD = {
    "ragged": (text(ROWS) + "S1,P\n", r"2 cells under 6 columns"),
    "no unit column": (text([{"set": "S1", "peer": "P", "present": 1}]), "no column 'unit'"),
    "no peer column": (text([{"unit": "a", "present": 1}]), "no column 'peer'"),
    "no present column": (text([{"unit": "a", "peer": "P"}]), "no column 'present'"),
    "no peers": (text([{"unit": "a", "weight": 2}]), "no column says which peers"),
    "only a header": ("set,peer,unit,present\n", "no row in the table"),
    "present is 2": (text(changed(3, present=2)), r"x.csv:5: present is neither 0 nor 1 \(or true, false\): \"2\""),
    "present is maybe": (text(changed(0, present="maybe")), r"x.csv:2: present is neither.*maybe"),
    "present is empty": (text(changed(0, present="")), "present is neither"),
    "a wide cell is 7": (text([*WIDE[:-1], WIDE[-1] | {"Q": 7}]), "x.csv:9: Q is neither"),
    "weight 0": (text(changed(0, weight=0)), "x.csv:2: weight is not a whole number from 1"),
    "negative weight": (text(changed(0, weight=-2)), "weight is not a whole number"),
    "weight nan": (text(changed(0, weight="nan")), "weight is not a whole number"),
    "weight 1.5": (text(changed(0, weight=1.5)), "weight is not a whole number"),
    "weight 1e300": (text(changed(0, weight="1e300")), "weight is not a whole number"),
    "no weight": (text(changed(0, weight="")), "weight is not a whole number"),
    "models 0": (text(changed(0, models=0)), "models is not a whole number"),
    "two weights": (text(changed(5, weight=3)), "x.csv:7: unit a of set S1 has the weight 3 here and 4 above"),
    "two numbers of models": (text(changed(5, models=3)), "set S1 has 3 models here and 4 above"),
    "a decision twice": (text([*ROWS, ROWS[0]]), "x.csv:18: set S1, peer P, unit a: also on line 2"),
    "a unit twice": (text([*WIDE, WIDE[0]]), "set S1, peer P, unit a: also on line 2"),
    "no peer": (text(changed(2, peer="")), "x.csv:4: no peer in the column peer"),
    "no unit": (text(changed(2, unit=" ")), "x.csv:4: no unit in the column unit"),
    "no set": (text(changed(2, set="")), "x.csv:4: no set in the column set"),
    "a row is missing": (text(ROWS[:-1]), "different content units of the item S2"),
    "a peer of one unit": (text([*ROWS, ROWS[0] | {"peer": "R"}]), "R has no decision on unit b"),
    "votes": (jsonl([ROWS[0] | {"votes": [0, 3]}]), '"votes" must be a list of 0 and 1'),
    "votes of others": (jsonl([ROWS[0] | {"votes": [1, 1]}]), "not what the majority of the votes says"),
    "votes without statements": ("Input.eventId,Input.summaryId\nd,s\n", r"no column Input.statement_1"),
    "too small": (text([{"unit": "a", "P": 1, "models": 3}]), "too small to be scored"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_input_gives_a_sentence(tmp_path, kind):
    content, sentence = BAD[kind]
    path = tmp_path / "x.csv"
    path.write_text(content)
    with pytest.raises(TouchstoneError, match=sentence):
        score(path)
    assert validate(path).faults


def test_a_fault_is_told_once_and_with_a_way_out(tmp_path):
    (tmp_path / "x.csv").write_text(text(changed(0, weight=0)))
    assert len(validate(tmp_path / "x.csv").faults) == 1
    found = validate([{name: cell for name, cell in row.items() if name != "set"} for row in WIDE])
    assert 'choose the column of document sets with column={"set": "NAME"}' in found.hints[0]


def test_a_peer_without_a_set_is_missing_and_an_unknown_set_is_refused():
    with pytest.raises(TouchstoneError, match="no summary for this document set"):
        score([row for row in ROWS if (row["set"], row["peer"]) != ("S2", "P")])
    with pytest.raises(TouchstoneError) as error:
        explain(ROWS, item="S9")
    assert error.value.code == Code.UNKNOWN_ID


@pytest.mark.parametrize(
    "given", [None, 7, [], {}, ["a", 1], [[1, 0]], [ROWS], b"x", pd.DataFrame(), object(), "", "\0"]
)
def test_objects_that_are_no_table_give_a_sentence(given):
    with pytest.raises(TouchstoneError):
        score(given)
    assert validate(given).faults


CELLS = (None, "", " ", 0, 1, 2, -1, 1.5, float("nan"), float("inf"), 10**30, True, "true", "maybe", [], {}, [1], "S1",
         "a", "é\U0001f408", "\ud800", "\0", '"', ",", "\t", pd.NA, b"1")  # fmt: skip


def mutated(rows, draw):
    """Return *rows* after one to three accidents to cells, rows and columns."""
    rows = [dict(row) for row in rows]
    for _ in range(draw.randint(1, 3)):
        accident, row = draw.randrange(6), draw.choice(rows)
        name = draw.choice([*rows[0], "extra"])
        if accident <= 1:
            row[name] = draw.choice(CELLS)
        elif accident == 2:
            rows.append(dict(row))
        elif accident == 3 and len(rows) > 1:
            rows.remove(row)
        elif accident == 4:
            row.pop(name, None)
        else:
            for one in rows:
                one[str(draw.choice(["weight", "x", "SET", 7]))] = one.pop(name, draw.choice(CELLS))
    return rows


def damaged(raw, draw):
    """Return *raw* with some bytes cut out, doubled or replaced."""
    at = draw.randrange(len(raw))
    to = at + draw.choice([1, 3, 20])
    return raw[:at] + draw.choice([b"", raw[at:to] * 2, b"\xff", b",", b"\n", b'"', b"\t", b"{", b"\0"]) + raw[to:]


def test_500_harmed_tables_give_only_numbers_and_sentences(tmp_path):
    draw = random.Random(500)
    usable = 0
    for number in range(500):
        rows = mutated(draw.choice([ROWS, WIDE]), draw)
        given = rows
        if number % 2:
            raw = draw.choice([text, jsonl])(draw.choice([ROWS, WIDE])).encode()
            given = tmp_path / draw.choice(["x.csv", "x.jsonl", "x.json", "x", "x.csv.gz"])
            given.write_bytes(damaged(raw, draw))
        try:
            score(given)
            explain(given, item="S1")
            usable += 1
        except TouchstoneError:
            validate(given)
    assert 0 < usable < 500
