"""The same translations as text, as tables of every format and as Python objects: the same numbers and signatures."""

import gzip
import random

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from touchstone import mt
from touchstone.base.errors import TouchstoneError
from touchstone.base.ids import Policy
from touchstone.cli.groups import task_group
from touchstone.core.resampling import Resampling

app = task_group("mt")

REFERENCE = ['"Yes," she said, "the train is late."', "Rain fell; nobody minded.", "He paid, left & slept.", "Ça va."]
OUTPUT = ['"Yes," she said, "the train was late."', "", 'He paid, "left" & slept', "Fine, thanks."]
NONE = Resampling("none")


def written(folder, name, column, texts, ids=None):
    """Write texts under the name of a column, in the format of the suffix, and return the path."""
    path = folder / name
    columns = ({"id": ids} if ids else {}) | {column: texts}
    frame, plain = pd.DataFrame(columns), name.removesuffix(".gz")
    if plain.endswith(".txt"):
        data = "".join(f"{text}\n" for text in texts).encode()
    elif plain.endswith((".csv", ".tsv")):
        data = frame.to_csv(index=False, sep="," if plain.endswith(".csv") else "\t").encode()
    elif plain.endswith(".jsonl"):
        data = frame.to_json(orient="records", lines=True).encode()
    elif plain.endswith(".json"):
        data = frame.to_json(orient="records").encode()
    else:
        sink = pa.BufferOutputStream()
        if plain.endswith(".parquet"):
            pq.write_table(pa.table(columns), sink)
        else:
            with pa.ipc.new_file(sink, pa.table(columns).schema) as writer:
                writer.write_table(pa.table(columns))
        data = sink.getvalue().to_pybytes()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


FILES = ["x.txt", "x.txt.gz", "x.csv", "x.csv.gz", "x.tsv", "x.jsonl", "x.jsonl.gz", "x.json", "x.parquet", "x.arrow"]
IDS = ["1", "2", "3", "4"]
OBJECTS = {
    "list": lambda column, texts: list(texts),
    "tuple": lambda column, texts: tuple(texts),
    "ids": lambda column, texts: dict(zip(IDS, texts, strict=True)),
    "numbers": lambda column, texts: dict(enumerate(texts, 1)),
    "rows": lambda column, texts: [{"seg_id": n, column: text} for n, text in enumerate(texts, 1)],
    "columns": lambda column, texts: {column: list(texts)},
    "pandas": lambda column, texts: pd.DataFrame({"id": range(1, 5), column: texts}),
    "series": lambda column, texts: pd.Series(texts),
    "polars": lambda column, texts: pl.DataFrame({"segment": range(1, 5), column: texts}),
    "arrow": lambda column, texts: pa.table({column: texts}),
    "array": lambda column, texts: pa.array(texts),
}


@pytest.fixture
def plain(tmp_path):
    """Return the results of plain text."""
    gold, run = (written(tmp_path, name, "", texts) for name, texts in (("r.txt", REFERENCE), ("o.txt", OUTPUT)))
    return mt.score(gold, {"x": run}, ["bleu", "chrf"], resampling=NONE)


def same(results, plain) -> bool:
    """Whether numbers and signature are equal; notes tell how each was read."""
    first, second = ({**one.to_dict(), "notes": [], "warnings": []} for one in (results, plain))
    return first == second and dict(results.signature) == dict(plain.signature)


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_numbers_and_the_signature_of_plain_text(tmp_path, plain, name):
    ids = None if ".txt" in name else IDS
    gold = written(tmp_path, f"gold-{name}", "reference", REFERENCE, ids)
    run = written(tmp_path, f"run-{name}", "hypothesis", OUTPUT, ids)
    assert same(mt.score(gold, {"x": run}, ["bleu", "chrf"], resampling=NONE), plain)


@pytest.mark.parametrize("name", OBJECTS)
def test_every_object_gives_the_numbers_and_the_signature_of_plain_text(tmp_path, plain, name):
    make = OBJECTS[name]
    assert same(mt.score(make("ref", REFERENCE), {"x": make("mt", OUTPUT)}, ["bleu", "chrf"], resampling=NONE), plain)
    text = written(tmp_path, "r.txt", "", REFERENCE)
    assert same(mt.score(text, {"x": make("mt", OUTPUT)}, ["bleu", "chrf"], resampling=NONE), plain)


def test_a_table_with_ids_is_joined_by_them_whatever_the_order_of_its_rows(tmp_path, plain):
    gold = written(tmp_path, "r.txt", "", REFERENCE)
    run = written(tmp_path, "o.csv", "translation", OUTPUT[::-1], IDS[::-1])
    assert same(mt.score(gold, {"x": run}, ["bleu", "chrf"], resampling=NONE), plain)


def test_a_renamed_table_is_known_by_its_header(tmp_path, plain):
    gold, run = tmp_path / "gold", tmp_path / "run.txt"
    written(tmp_path, "r.csv", "reference", REFERENCE, IDS).rename(gold)
    written(tmp_path, "o.jsonl", "hypothesis", OUTPUT, IDS).rename(run)
    assert same(mt.score(gold, {"x": run}, ["bleu", "chrf"], resampling=NONE), plain)


def test_another_text_another_reference_and_another_document_sign_otherwise():
    def signature(**changed):
        gold = {"reference": ["a", "b"], "document": ["d", "d"]} | {k: v for k, v in changed.items() if k != "mt"}
        inputs = mt.read(gold, {"x": changed.get("mt", ["a", "c"])})
        return inputs.gold.signature["gold"], inputs.runs[0].signature

    gold, run = signature()
    assert signature(mt=["a", "d"]) == (gold, signature(mt=["a", "d"])[1]) != (gold, run)
    others = {"reference": ["a", "c"]}, {"document": ["d", "e"]}, {"reference2": ["x", None]}, {"id": ["1", "7"]}
    changed = {signature(**one, **({"mt": {"1": "a", "7": "c"}} if "id" in one else {}))[0] for one in others}
    assert len(changed | {gold}) == 5


def test_references_are_numbered_columns_a_list_or_a_list_of_lists():
    expected = [("a", "b"), (None, "B")]
    for gold in (
        {"ref1": ["a", "b"], "ref2": ["", "B"]},
        {"reference2": [None, "B"], "reference": ["a", "b"]},
        {"references": [["a"], ["b", "B"]]},
        {"references": ['["a", null]', '["b", "B"]']},
        [["a", None], ["b", "B"]],
        {"1": ["a"], "2": ["b", "B"]},
        pd.DataFrame({"refs": [["a"], ["b", "B"]]}),
        pl.DataFrame({"references": [["a"], ["b", "B"]]}),
    ):
        read = mt.read(gold, {"x": ["a", "b"]}).gold
        assert [texts.segments for texts in read.texts] == expected
        assert read.ids == ("1", "2")


def test_further_references_are_joined_by_id(tmp_path):
    gold, more = {"s1": "a", "s2": "b"}, written(tmp_path, "more.csv", "ref", ["B"], ["s2"])
    read = mt.read(gold, {"x": {"s2": "b", "s1": "a"}}, ref=[more])
    assert [texts.segments for texts in read.gold.texts] == [("a", "b"), (None, "B")]
    assert read.runs[0].texts.segments == ("a", "b")
    strange = written(tmp_path, "strange.csv", "ref", ["B"], ["s3"])
    assert 'strange.csv:2: unknown segment: "s3"; nearest valid id "s1"' in refusal(
        gold, {"x": ["a", "b"]}, ref=[strange]
    )


def test_the_documents_of_a_table_are_the_clusters(tmp_path):
    gold = pd.DataFrame({"ref": ["a", "b", "c"], "doc_id": ["d", "d", "e"]})
    results = mt.score(gold, {"x": ["a", "b", "c"]}, ["chrf"])
    assert results.resampling.cluster == "document"
    assert results.clusters.tolist() == [0, 0, 1]


def test_remarks_say_which_columns_were_chosen_and_column_decides(tmp_path):
    gold = written(tmp_path, "gold.csv", "ref", ["a", "b"])
    run = tmp_path / "run.csv"
    run.write_text("seg_id,mt,output\n2,B,y\n1,A,x\n")
    assert "run.csv: several columns may be the hypothesis: mt, output\n   choose one with column={" in refusal(
        gold, {"x": run}
    )
    inputs = mt.read(gold, {"x": run}, column=["hypothesis=output"])
    assert inputs.runs[0].texts.segments == ("x", "y")
    assert inputs.remarks == [
        "gold: reference is the column ref",
        "run: id is the column seg_id, hypothesis is the column output",
    ]
    assert "no column 'outputs'" in refusal(gold, {"x": tmp_path / "gold.csv"}, column=["hypothesis=outputs"])
    assert 'no such role: "hypo=mt"' in refusal(gold, {"x": run}, column=["hypo=mt"])


def test_the_command_line_takes_a_table_as_a_run_and_says_which_columns_it_read(tmp_path):
    ref, out = written(tmp_path, "ref.txt", "", REFERENCE), written(tmp_path, "out.csv", "mt", OUTPUT, IDS)
    done = CliRunner().invoke(app, ["score", str(ref), f"comet-23={out}", "-m", "chrf", "--column", "hypothesis=mt"])
    assert done.exit_code == 0
    assert "comet-23" in done.stdout
    assert "note: out: hypothesis is the column mt" in done.stderr


def test_quoted_texts_come_back_from_a_converted_table(tmp_path):
    table = pd.DataFrame({"segment": IDS, "system": "x", "hypothesis": OUTPUT, "reference": REFERENCE})
    table.to_parquet(tmp_path / "set.parquet")
    mt.convert(tmp_path / "set.parquet", tmp_path / "set.tsv")
    one, other = mt.read(table), mt.read(tmp_path / "set.tsv")
    assert one.gold.signature == other.gold.signature
    assert [run.signature for run in one.runs] == [run.signature for run in other.runs]


def test_one_table_may_hold_the_references_and_the_run(tmp_path):
    table = tmp_path / "all.csv"
    table.write_text("source,reference,translation\nx,a,b\ny,c,d\n")
    inputs = mt.read(table, {"x": table})
    assert inputs.gold.texts[0].segments == ("a", "c")
    assert inputs.runs[0].texts.segments == ("b", "d")


def test_a_system_of_a_table_of_several_is_chosen_by_its_name(tmp_path):
    table = pd.DataFrame({"system": ["x", "y", "x", "y"], "mt": ["a", "b", "c", "d"]})
    assert mt.read(["a", "c"], {"y": table}).runs[0].texts.segments == ("b", "d")
    assert "a table of several systems" in refusal(["a", "c"], {"z": table})
    both = mt.read(table.assign(reference=["r", "r", "s", "s"]))
    assert [(run.name, run.texts.segments) for run in both.runs] == [("x", ("a", "c")), ("y", ("b", "d"))]


def test_policies_settle_missing_unknown_and_duplicate_ids():
    gold, run = ["a b", "c d"], {"x": [{"id": 1, "mt": "a b"}, {"id": 1, "mt": "z"}, {"id": 9, "mt": "z"}]}
    with pytest.raises(TouchstoneError) as caught:
        mt.score(gold, run, ["chrf"])
    for said in ('unknown item: "9"', "duplicate id", "'x' has no translation of this segment: \"2\""):
        assert said in str(caught.value)
    results = mt.score(gold, run, ["chrf"], policy=Policy("skip", "ignore", "first"), resampling=NONE)
    assert results.rows[0].value == pytest.approx(100)
    missing = {"x": ["a b", None]}
    assert "no translation of this segment" in refusal_of_score(gold, missing)
    assert mt.score(gold, missing, ["chrf"], policy=Policy("skip"), resampling=NONE).rows[0].value == pytest.approx(100)


def refusal(gold, runs=(), **options) -> str:
    with pytest.raises(TouchstoneError) as caught:
        mt.read(gold, runs, **options)
    return str(caught.value)


def refusal_of_score(gold, runs) -> str:
    with pytest.raises(TouchstoneError) as caught:
        mt.score(gold, runs, ["chrf"])
    return str(caught.value)


@pytest.mark.parametrize(
    ("gold", "run", "said"),
    [
        (["a"], "id,mt\n1,a,b\n", "3 cells under 2 columns"),
        (["a"], "id,words\n1,a\n", "no column 'hypothesis'"),
        (["a"], "id,mt\n", "no row in the table"),
        (["a"], "id,mt,mt\n1,a,b\n", "two columns with the same name"),
        (["a"], "mt\na\nb\n", "2 rows without ids where the references have 1"),
        (["a", "b"], "id,mt\n1,a\n,b\n", "run.csv:3: the segment has no name"),
        (["a", "b"], ["a"], "1 rows without ids where the references have 2"),
        (["a", "b"], ["a", 3], "x:2: the hypothesis is not a text"),
        (["a", "b"], [["a"], ["b"]], "the hypothesis is not a text"),
        (["a", 2.5], ["a", "b"], "the gold:2: the reference is not a text"),
        (["a", None], ["a", "b"], "the gold:2: no reference for this segment"),
        (["a", float("nan")], ["a", "b"], "the gold:2: no reference for this segment"),
        ({"id": ["1", "1"], "ref": ["a", "b"]}, ["a", "b"], "the gold:2: duplicate id (first at the gold:1)"),
        ({"id": [1.5, 2], "ref": ["a", "b"]}, ["a", "b"], "the segment is neither a text nor a whole number"),
        ({"id": [1, 2], "ref": ["a"]}, ["a", "b"], "the columns have different lengths: id 2, ref 1"),
        ({"ref": ["a"], "reference": ["b"]}, ["a"], "several columns may be the reference: ref, reference"),
        ({"words": ["a"], "ref3": [{}]}, ["a"], "the reference is not a text"),
        ({"ref": ["a", "b"], "doc": ["d", None]}, ["a", "b"], "the document has no name where others have one"),
        ([], ["a"], "no row in the table"),
        ({}, ["a"], "no row in the table"),
        (3, ["a"], "a int cannot be read as a table"),
        (["a"], 3, "a int cannot be read as a table"),
        (["a"], ["a", {"mt": "b"}], "not a mapping from names to cells"),
    ],
)
def test_bad_tables_get_a_sentence(tmp_path, gold, run, said):
    if isinstance(run, str):
        path = tmp_path / "run.csv"
        path.write_text(run)
        run = path
    assert said in refusal(gold, {"x": run})


def test_runs_without_a_name_and_lists_of_file_names_get_a_sentence(tmp_path, monkeypatch):
    assert "a list is a run without a name\n   give a mapping from the names of systems" in refusal(["a"], [["a"]])
    assert "a DataFrame is a run without a name" in refusal(["a"], pd.DataFrame({"mt": ["a"]}))
    monkeypatch.chdir(tmp_path)
    for name in ("a.en", "b.en"):
        written(tmp_path, f"{name}.txt", "", ["a"]).rename(name)
    assert "a list of texts holds segments, and these name files" in refusal(["a.en", "b.en"], "b.en")
    assert mt.read("a.en", {"x": ["b"]}, ref="b.en").gold.signature["items"] == "1 segments, 2 references"


def test_the_shortest_call_works():
    results = mt.score(["The cat sat"], {"a": ["The cat sits"]}, ["bleu"], resampling=NONE)
    assert len(results.rows) == 1
    same_text = mt.score(["The cat sat on it"], {"a": ["The cat sat on it"]}, ["bleu"], resampling=NONE)
    assert same_text.rows[0].value == pytest.approx(100)


def mutated(raw: bytes, draw: random.Random) -> bytes:
    """Return bytes with a few of them changed, doubled or gone, or with whole lines moved."""
    for _ in range(draw.randint(1, 4)):
        place, kind = draw.randrange(max(1, len(raw))), draw.randrange(5)
        if kind == 0:
            raw = raw[:place] + bytes([draw.randrange(256)]) + raw[place + 1 :]
        elif kind == 1:
            raw = raw[:place] + draw.choice([b'"', b",", b"\t", b"\n", b"{", b"\xff", b"\0", b"null"]) + raw[place:]
        elif kind == 2:
            raw = raw[:place] + raw[place + draw.randint(1, 9) :]
        else:
            lines = raw.split(b"\n")
            draw.shuffle(lines)
            raw = b"\n".join(lines if kind == 3 else lines[: draw.randrange(len(lines)) + 1])
    return raw


def outcome(gold, run) -> str:
    """Return whether a scoring gave numbers or a sentence; any other error is one of ours."""
    try:
        mt.score(gold, {"x": run}, ["chrf"], resampling=NONE)
    except TouchstoneError as error:
        return "refused" if str(error) else "refused without a word"
    return "read"


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.jsonl", "x.json", "x.parquet", "x.csv.gz", "x.txt"])
def test_damaged_tables_are_read_or_refused_with_a_sentence(tmp_path, name):
    draw = random.Random(name)
    ids = None if name == "x.txt" else IDS
    whole = {
        column: written(tmp_path, f"{column}-{name}", column, texts, ids).read_bytes()
        for column, texts in (("reference", REFERENCE), ("hypothesis", OUTPUT))
    }
    outcomes = []
    for _ in range(70):
        paths = []
        for column, raw in whole.items():
            path = tmp_path / f"{column}-{name}"
            path.write_bytes(mutated(raw, draw) if draw.random() < 0.7 else raw)
            paths.append(path)
        outcomes.append(outcome(paths[0], paths[1]))
    assert set(outcomes) <= {"read", "refused"}
    assert "refused" in outcomes


CELLS = ["a", "", " ", None, float("nan"), 1, 2.5, True, [], ["a", None], ["a", 1], {"b": 1}, "1", "é\u2028", "a\0"]
COLUMNS = [
    "id",
    "segment",
    "mt",
    "output",
    "hypothesis",
    "reference",
    "ref2",
    "references",
    "system",
    "doc",
    "group",
    "",
]


def test_strange_objects_are_read_or_refused_with_a_sentence():
    draw = random.Random(14)
    for _ in range(300):
        given = []
        for needed in ("reference", "mt"):
            rows, names = draw.randint(0, 3), {needed, *draw.sample(COLUMNS, draw.randint(0, 2))}
            columns = {
                name: [draw.choice(CELLS) if draw.random() < 0.4 else f"{row}" for row in range(rows)] for name in names
            }
            listed = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
            given.append(draw.choice([columns, listed, pd.DataFrame(columns), columns[needed]]))
        assert outcome(*given) in ("read", "refused")


FRAME = pd.DataFrame({"id": list("abcd"), "reference": REFERENCE, "mine": OUTPUT})


def test_a_series_is_joined_by_its_index():
    ordered = mt.score(FRAME, {"mine": dict(zip(FRAME["id"], FRAME["mine"], strict=True))}, ["chrf"], resampling=NONE)
    shuffled = FRAME.set_index("id")["mine"].sample(frac=1, random_state=3)
    assert list(shuffled.index) != list("abcd")
    results = mt.score(FRAME, {"mine": shuffled}, ["chrf"], resampling=NONE)
    assert results.rows == ordered.rows
    assert results.signature == ordered.signature


def test_a_series_out_of_order_is_joined_by_the_index_of_the_gold_and_refused_without():
    shuffled = FRAME["mine"].sample(frac=1, random_state=3)
    ordered = mt.score(FRAME, {"mine": FRAME["mine"]}, ["chrf"], resampling=NONE)
    assert mt.score(FRAME, {"mine": shuffled}, ["chrf"], resampling=NONE).rows == ordered.rows
    with pytest.raises(TouchstoneError, match="another order"):
        mt.score(REFERENCE, {"mine": shuffled}, ["chrf"])


@pytest.mark.parametrize("run", [FRAME["mine"], pl.Series(OUTPUT), OUTPUT], ids=["pandas", "polars", "list"])
def test_a_run_without_ids_beside_a_gold_with_ids_is_joined_in_order_and_noted(run):
    notes = mt.score(FRAME, {"mine": run}, ["chrf"], resampling=NONE).notes
    assert "mine: no ids, so translations are joined in the order of the segments" in notes
    assert not any("no ids" in note for note in mt.score(REFERENCE, {"mine": run}, ["chrf"], resampling=NONE).notes)
