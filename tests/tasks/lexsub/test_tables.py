"""Gold and runs in tables and Python objects: the same data give the same numbers and the same signature."""

import csv
import gzip
import io
import json
import random

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from tests.tasks.lexsub.helpers import refusal, weights, written

from touchstone import TouchstoneError, lexsub
from touchstone.tasks.lexsub.formats.cells import run_cell

GOLD = """bright.a 1 :: clever 3;smart 1;
bright.a 2 :: shiny 2;vivid 1;
run.v 13 :: hurry 2;rush off 1;
plot.n 20 :: story 2;tale 1;
well.r 30 :: good 4;
"""
RUN = """bright.a 1 ::: smart;clever;witty
bright.a 2 ::: vivid
run.v 13 ::: Rush-off;hurry
plot.n 20 ::: scheme;tale
well.r 30 ::: fine;good
"""

WEIGHTS = {
    ("1", "bright", "a"): {"clever": 3, "smart": 1},
    ("2", "bright", "a"): {"shiny": 2, "vivid": 1},
    ("13", "run", "v"): {"hurry": 2, "rush off": 1},
    ("20", "plot", "n"): {"story": 2, "tale": 1},
    ("30", "well", "r"): {"good": 4},
}
LISTS = {
    ("1", "bright", "a"): ["smart", "clever", "witty"],
    ("2", "bright", "a"): ["vivid"],
    ("13", "run", "v"): ["Rush-off", "hurry"],
    ("20", "plot", "n"): ["scheme", "tale"],
    ("30", "well", "r"): ["fine", "good"],
}

GOLD_SHAPES = {
    "long": [
        {"item": f"{target}.{pos} {id_}", "substitute": answer, "weight": weight}
        for (id_, target, pos), gold in WEIGHTS.items()
        for answer, weight in gold.items()
    ],
    "long with a target": [
        {"id": int(id_), "lemma": target, "pos": pos, "answer": answer, "freq": float(weight)}
        for (id_, target, pos), gold in WEIGHTS.items()
        for answer, weight in gold.items()
    ],
    "mentions": [
        {"id": id_, "target": f"{target}.{pos}", "response": answer}
        for (id_, target, pos), gold in WEIGHTS.items()
        for answer, weight in gold.items()
        for _ in range(weight)
    ],
    "mapping": [
        {"id": id_, "target": target, "pos": {"a": "ADJ", "v": "VERB", "n": "noun", "r": "r"}[pos], "gold": gold}
        for (id_, target, pos), gold in WEIGHTS.items()
    ],
    "text": [
        {"item": f"{target}.{pos} {id_}", "gold": "".join(f"{answer} {weight};" for answer, weight in gold.items())}
        for (id_, target, pos), gold in WEIGHTS.items()
    ],
    "lists": [
        {"item": f"{target}.{pos} {id_}", "substitutes": [*gold], "weights": [*gold.values()]}
        for (id_, target, pos), gold in WEIGHTS.items()
    ],
}
RUN_SHAPES = {
    "long": [
        {"item": f"{target}.{pos} {id_}", "substitute": answer}
        for (id_, target, pos), answers in LISTS.items()
        for answer in answers
    ],
    "ranked": [
        {"id": int(id_), "rank": rank, "word": answer}
        for (id_, _, _), answers in LISTS.items()
        for rank, answer in reversed([*enumerate(answers, 1)])
    ],
    "scored": [
        {"id": id_, "candidate": answer, "score": -rank / 8}
        for (id_, _, _), answers in LISTS.items()
        for rank, answer in reversed([*enumerate(answers)])
    ],
    "list": [{"id": id_, "target": target, "answers": answers} for (id_, target, _), answers in LISTS.items()],
    "text": [{"id": id_, "prediction": ";".join(answers)} for (id_, _, _), answers in LISTS.items()],
}


def delimited(rows, delimiter):
    text = io.StringIO()
    writer = csv.DictWriter(text, [*rows[0]], delimiter=delimiter)
    writer.writeheader()
    for row in rows:
        writer.writerow({name: json.dumps(c) if isinstance(c, list | dict) else c for name, c in row.items()})
    return text.getvalue()


def parquet(rows):
    stream = io.BytesIO()
    pa.parquet.write_table(pa.Table.from_pylist(rows), stream)
    return stream.getvalue()


def arrow(rows):
    stream = io.BytesIO()
    pa.feather.write_feather(pa.Table.from_pylist(rows), stream, compression="uncompressed")
    return stream.getvalue()


def jsonl(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


FILES = {
    "csv": lambda rows: delimited(rows, ","),
    "tsv": lambda rows: delimited(rows, "\t"),
    "csv.gz": lambda rows: gzip.compress(delimited(rows, ",").encode()),
    "txt": lambda rows: delimited(rows, ","),
    "jsonl": jsonl,
    "json": json.dumps,
    "parquet": parquet,
    "arrow": arrow,
}
OBJECTS = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "Arrow": pa.Table.from_pylist,
    "rows": list,
    "columns": lambda rows: {name: [row[name] for row in rows] for name in rows[0]},
    "pandas of Parquet": lambda rows: pd.read_parquet(io.BytesIO(parquet(rows))),
}


def given(container, rows, folder, name):
    """Return rows in a container: the path of a file, or a Python object."""
    if container in OBJECTS:
        return OBJECTS[container](rows)
    return written(folder, f"{name}.{container}", FILES[container](rows))


@pytest.fixture
def native(tmp_path):
    return written(tmp_path, "native.gold", GOLD), written(tmp_path, "native.oot", RUN)


def score(gold, run, **options):
    return lexsub.score(gold, {"mine": run}, **options)


def shown(results):
    """Return the values, the item table and the signature; as text, where nan equals nan."""
    return str(results.rows), str(results.items.to_pandas().to_dict()), results.signature


@pytest.mark.parametrize("container", [*FILES, *OBJECTS])
def test_the_same_data_in_any_table_give_the_results_and_the_signature_of_the_native_files(tmp_path, native, container):
    expected = score(*native)
    for shape, rows in GOLD_SHAPES.items():
        results = score(given(container, rows, tmp_path, "gold"), native[1])
        assert shown(results) == shown(expected), shape
    for shape, rows in RUN_SHAPES.items():
        results = score(native[0], given(container, rows, tmp_path, "run"))
        assert shown(results) == shown(expected), shape


def test_mappings_from_ids_are_gold_and_runs(native):
    gold = {f"{target}.{pos} {id_}": answers for (id_, target, pos), answers in WEIGHTS.items()}
    expected = score(*native)
    for run in (
        {id_: answers for (id_, _, _), answers in LISTS.items()},
        {f"{target}.{pos} {id_}": tuple(answers) for (id_, target, pos), answers in LISTS.items()},
        {int(id_): ";".join(answers) for (id_, _, _), answers in LISTS.items()},
        {id_: {a: 1 / rank for rank, a in enumerate(answers, 1)} for (id_, _, _), answers in LISTS.items()},
    ):
        results = score(gold, run)
        assert shown(results) == shown(expected)


def test_one_item_in_one_line_of_python_is_scored():
    results = lexsub.score({"1": {"glad": 3, "merry": 1}}, {"mine": {"1": ["glad", "grim"]}}, ["R", "best1"])
    assert [row.value for row in results.rows] == [3 / 4, 1]


def test_a_renamed_packed_or_converted_file_keeps_its_signature(tmp_path, native):
    gold, run = native
    expected = score(gold, run).signature
    packed = written(tmp_path, "other.gold.gz", gzip.compress(GOLD.encode()))
    lexsub.convert(gold, tmp_path / "g.jsonl")
    lexsub.convert(run, tmp_path / "r.jsonl")
    assert score(packed, tmp_path / "r.jsonl").signature == score(tmp_path / "g.jsonl", run).signature == expected


@pytest.mark.parametrize(
    ("gold", "run"),
    [
        (GOLD.replace("clever 3", "clever 2"), RUN),
        (GOLD.replace("vivid", "livid"), RUN),
        (GOLD.replace("run.v 13", "fun.v 13"), RUN.replace("run.v", "fun.v")),
        (GOLD.replace("run.v 13", "run.n 13"), RUN),
        ("\n".join(reversed(GOLD.splitlines())), RUN),
        (GOLD, RUN.replace("smart;clever", "clever;smart")),
        (GOLD, RUN.replace("hurry", "")),
        (GOLD, RUN.replace(":::", "::")),
    ],
)
def test_what_numbers_depend_on_changes_the_signature(tmp_path, native, gold, run):
    other = score(written(tmp_path, "g.gold", gold), written(tmp_path, "r.oot", run))
    assert other.signature != score(*native).signature


def test_which_items_are_kept_is_part_of_the_signature(tmp_path):
    gold = written(tmp_path, "g.gold", GOLD + "run.v 14 :: dash 1;\n")
    rows = [*GOLD_SHAPES["long"], {"item": "run.v 14", "substitute": "dash", "weight": 1}]
    run = written(tmp_path, "r.oot", RUN)
    assert score(gold, run).signature == score(rows, run, min_responses=2).signature != score(rows, run).signature


def test_official_figures_are_signed_with_the_bytes_of_the_files(tmp_path, native):
    """The official scorer sees a carriage return, which our own measures do not."""
    gold, run = native
    windows = [written(tmp_path, name, text.replace("\n", "\r\n")) for name, text in (("w.gold", GOLD), ("w.oot", RUN))]
    assert score(gold, run).signature == score(*windows).signature
    official = [score(*files, compat="els07").signature for files in (native, (windows[0], run), (gold, windows[1]))]
    assert len({str(signature) for signature in official}) == 3
    assert "ELS07 files" in refusal(score, WEIGHTS, run, compat="els07") + refusal(
        score, GOLD_SHAPES["text"], run, compat="els07"
    )


def test_items_of_one_target_are_one_cluster_and_items_without_targets_are_their_own(native):
    rows = [{"id": n, "target": "t" if n < 5 else "u", "gold": {"x": 2}} for n in range(9)]
    run = {n: ["x"] for n in range(9)}
    assert score(rows, run).resampling.cluster == "target"
    bare = [{"id": row["id"], "gold": row["gold"]} for row in rows]
    assert score(bare, run).resampling.cluster is None
    assert "target" in refusal(score, [*bare, {"id": 9, "target": "t", "gold": {"x": 2}}], run)


def test_ids_that_would_collide_without_their_words_stay_whole():
    gold = {"bright.a 1": {"clever": 2}, "run.v 1": {"hurry": 2}}
    results = score(gold, {"run.v 1": ["hurry"]})
    assert results.items.to_pandas()["id"].tolist() == ["bright.a 1", "run.v 1"]


def test_a_word_before_an_id_that_belongs_to_another_item_is_refused(native):
    assert "'run'" in refusal(score, native[0], {"bright.a 13": ["hurry"]})


def test_the_user_chooses_columns(tmp_path):
    gold = written(tmp_path, "g.csv", "id,sent,who,said\n9,1,glad,3\n9,2,merry,2\n")
    run = written(tmp_path, "r.csv", "sent,id,out\n1,4,glad\n2,5,grim\n")
    chosen = ["item=sent", "substitute=who", "weight=said", "substitute=out"]
    results = score(gold, run, column=chosen, measures=["best1"])
    assert results.rows[0].value == 1 / 2
    assert any("substitute is the column who" in note for note in results.notes)
    assert "no such role" in refusal(score, gold, run, column=["items=sent"])


def test_a_sentence_is_shown_around_its_target():
    rows = [
        {"id": 1, "target": "bright", "sentence": "A brighter idea .", "gold": {"clever": 2}},
        {"id": 2, "target": "run", "sentence": "They ran .", "gold": {"hurry": 2}},
        {"id": 3, "target": "run", "sentence": "They <head>ran</head> .", "gold": {"hurry": 2}},
    ]
    gold = lexsub.read_gold(rows)
    assert [str(gold[n].context) for n in "123"] == ["A [brighter] idea .", "None", "They [ran] ."]


def test_best_guesses_and_boundaries_have_columns():
    rows = [{"id": 1, "answers": ["a", "b", "c"], "cut": 2, "best": "b"}]
    run = lexsub.read_run(rows)
    assert (run.answers("1"), run.answers("1", "best"), run.lists.cuts.tolist()) == (("a", "b", "c"), ("b",), [2])
    alone = lexsub.read_run(pd.DataFrame({"id": [1], "best": ["b;c"]}))
    assert alone.ranked is None
    assert alone.answers("1", "best") == ("b", "c")


def test_a_table_is_converted(tmp_path):
    gold = written(tmp_path, "g.csv", delimited(GOLD_SHAPES["long"], ","))
    run = written(tmp_path, "r.csv", delimited(RUN_SHAPES["long"], ","))
    lexsub.convert(gold, tmp_path / "out.gold")
    lexsub.convert(run, tmp_path / "out.oot")
    assert [(tmp_path / name).read_text() for name in ("out.gold", "out.oot")] == [GOLD, RUN]


def test_proper_names_are_dropped_and_equal_entries_of_a_text_added_as_in_els07_files(tmp_path):
    line = "pub 4;garden  1;garden 2;pn 2;"
    native = lexsub.read_gold(written(tmp_path, "g.gold", f"bar.n 2 :: {line}\n"))
    for answers in (line, {"pub": 4, "garden": 3, "pn": 2}, [("pub", 4), ("garden", 3), ("PN", 2)]):
        gold = lexsub.read_gold({"bar.n 2": answers})
        assert weights(gold, "2") == weights(native, "2") == {"pub": 4, "garden": 3}
        assert gold.signature == native.signature
        assert "pn" in gold.remarks[0]


@pytest.mark.parametrize(
    "cell",
    ['["glad", "merry"]', "['glad', 'merry']", "glad; merry;", {"merry": 1, "glad": 2}, (("merry", 1), ("glad", 2))],
)
def test_a_list_of_answers_is_read_from_any_way_of_writing_it(cell):
    assert run_cell(cell) == ["glad", "merry"]


def test_mentions_are_counted_where_there_are_no_weights():
    rows = [{"item": 1, "substitute": word} for word in ("glad", "merry", "glad")]
    gold = lexsub.read_gold(rows)
    assert weights(gold, "1") == {"glad": 2, "merry": 1}
    assert "counts 1" in gold.remarks[0]


BAD_GOLD = {
    "no item column": ([{"word": "x", "weight": 1}], "no column 'item'"),
    "no substitute column": ([{"item": 1, "weight": 1}], "no column 'substitute'"),
    "no row": ([], "no row"),
    "weight 0": ([{"item": 1, "substitute": "x", "weight": 0}], ':1: a weight must be a positive number: "0"'),
    "weight negative": ([{"item": 1, "substitute": "x", "weight": -2}], "positive"),
    "weight nan": ([{"item": 1, "substitute": "x", "weight": float("nan")}], "positive"),
    "weight infinite": ([{"item": 1, "substitute": "x", "weight": float("inf")}], "positive"),
    "weight text": ([{"item": 1, "substitute": "x", "weight": "many"}], "positive"),
    "weight true": ([{"item": 1, "substitute": "x", "weight": True}], "positive"),
    "weight missing": ([{"item": 1, "substitute": "x", "weight": 1}, {"item": 1, "substitute": "y"}], ":2: "),
    "twice": (
        [{"item": 1, "substitute": "x", "weight": 1}] * 2,
        ':2: item 1 has this substitute already (line 1): "x"',
    ),
    "empty substitute": ([{"item": 1, "substitute": " ", "weight": 1}], "empty"),
    "no id": ([{"item": None, "substitute": "x", "weight": 1}], "needs an id"),
    "id true": ([{"item": True, "substitute": "x", "weight": 1}], "neither text"),
    "substitute of another type": ([{"item": 1, "substitute": 1.5, "weight": 1}], "neither text"),
    "two targets": (
        [{"item": 1, "target": t, "substitute": t, "weight": 1} for t in "tu"],
        "item 1 has the target 't' on line 1",
    ),
    "unknown part of speech": ([{"item": 1, "target": "t", "pos": "X", "gold": {"x": 1}}], "pos"),
    "mapping with weight 0": ({"1": {"x": 0}}, "positive"),
    "mapping with weight nan": ({"1": {"x": float("nan")}}, "positive"),
    "mapping with text": ({"1": {"x": "many"}}, "positive"),
    "mapping with an empty answer": ({"1": {"": 1}}, "empty"),
    "pairs twice": ({"1": [("x", 1), ("x", 2)]}, "twice"),
    "text without a weight": ({"1": "glad 3;merry;"}, "positive weight"),
    "text that is no JSON": ({"1": "{glad: 3"}, "that can be read"),
    "JSON with a key twice": ({"1": '{"x": 3, "x": 1}'}, "duplicate key"),
    "Python with a key twice": ({"1": "{'x': 3, 'x': 1}"}, "duplicate key"),
    "lists of different lengths": ([{"id": 1, "substitutes": ["x", "y"], "weights": [1]}], "1 weights for 2"),
    "an item twice": ([{"id": 1, "gold": {"x": 1}}] * 2, "first seen"),
    "mixed cells": ([{"id": 1, "gold": {"x": 1}}, {"id": 2, "gold": 7}], "not a mapping"),
    "no answers at all": ({"1": {}}, "no item with enough"),
    "a number": (7, "cannot be read as a table"),
    "half a surrogate pair": ({"1": {"\ud800": 1}}, "cannot be written"),
}


@pytest.mark.parametrize("name", BAD_GOLD)
def test_bad_gold_is_refused_with_a_sentence(name):
    gold, sentence = BAD_GOLD[name]
    assert sentence in refusal(score, gold, {"1": ["x"]})


BAD_RUNS = {
    "unknown id": ({"2": ["x"]}, "unknown item"),
    "an item twice": ([{"id": 1, "answers": ["x"]}] * 2, "duplicate"),
    "no item column": ([{"answers": "x"}], "no column 'item'"),
    "no answers": ([{"id": 1, "sentence": "x"}], "no column 'substitute'"),
    "rank that is text": ([{"id": 1, "answer": a, "rank": "first"} for a in "xy"], "a rank must be a number"),
    "score that is missing": ([{"id": 1, "answer": a, "score": None} for a in "xy"], "a score must be a number"),
    "gold": ({"1": "x 3;y 2;"}, "this is gold"),
    "answers of another type": ({"1": [["x"], "y"]}, "neither text"),
    "an answer true": ({"1": True}, "neither text"),
    "two systems": (
        [{"id": n, "answer": "x", "system": n} for n in (1, 2)],
        "more than one system",
    ),
    "a boundary outside": ([{"id": 1, "answers": ["x"], "cut": 3}], "cut"),
    "a boundary that is text": ([{"id": 1, "answers": ["x"], "cut": "all"}], "cut"),
    "nothing": ([], "no row"),
}


@pytest.mark.parametrize("name", BAD_RUNS)
def test_a_bad_run_is_refused_with_a_sentence(name):
    run, sentence = BAD_RUNS[name]
    assert sentence in refusal(score, {"1": {"x": 2}}, run)


def test_ragged_rows_are_refused_with_their_lines(tmp_path):
    gold = written(tmp_path, "g.csv", "item,substitute,weight\n1,x,2\n2,x\n3,y,0\n")
    error = refusal(lexsub.read_gold, gold)
    assert "g.csv:3: 2 cells under 3 columns" in error
    assert "g.csv:4: a weight must be" in error


def test_an_item_without_an_answer_scores_0_and_a_repeated_answer_is_noted():
    gold = {"1": {"x": 2}, "2": {"y": 2}}
    results = score(
        gold, [{"id": 1, "answer": "x"}, {"id": 1, "answer": "X"}, {"id": 2, "answer": None}], measures=["R"]
    )
    assert results.rows[0].value == 1 / 2
    assert any("repeated answers" in note for note in results.notes)


CELLS = (
    None,
    "",
    " ",
    0,
    -1,
    2,
    0.5,
    float("nan"),
    True,
    "glad",
    "glad 3;",
    ";",
    "{",
    "['a'",
    "{'a': 1}",
    [],
    ["a"],
    {},
)
MUTANTS = 500


def mutated(rows, chance):
    """Return rows with a cell, a column or a row changed, lost or repeated."""
    rows = [dict(row) for row in rows]
    for _ in range(chance.randint(1, 3)):
        row = chance.choice(rows)
        name = chance.choice([*row])
        match chance.randrange(5):
            case 0:
                row[name] = chance.choice(CELLS)
            case 1:
                rows.append(dict(row))
            case 2 if len(row) > 1:
                del row[name]
            case 3:
                other = chance.choice([*row])
                row[name], row[other] = row[other], row[name]
            case 4:
                row[chance.choice(["rank", "cut", "best", "pos", "target", "weight", "score"])] = chance.choice(CELLS)
    return rows


@pytest.mark.filterwarnings("ignore::touchstone.TouchstoneWarning")  # repeated rows are warned of
def test_mutated_tables_are_read_or_refused_with_a_sentence(tmp_path, native):
    chance = random.Random(7)
    read = 0
    for number in range(MUTANTS):
        golds = number % 2 == 0
        rows = mutated(chance.choice([*(GOLD_SHAPES if golds else RUN_SHAPES).values()]), chance)
        container = chance.choice(["rows", "csv", "tsv", "jsonl", "json"])
        if container in ("csv", "tsv"):
            names = dict.fromkeys(name for row in rows for name in row)
            rows = [{name: row.get(name) for name in names} for row in rows]
        table = given(container, rows, tmp_path, "mutant")
        try:
            score(*((table, native[1]) if golds else (native[0], table)), measures=["R", "rank@10"])
            read += 1
        except TouchstoneError:
            continue
    assert 0.2 * MUTANTS < read < 0.8 * MUTANTS
