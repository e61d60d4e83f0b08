"""Tables of any tool: four formats, the same cells, and every fault with its line."""

import math
from contextlib import suppress

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.io.cells import parse_number
from touchstone.io.reading import read_table
from touchstone.io.schema import Field

CSV = "system,item,score\na,1,0.5\nb,1,\n"


@pytest.fixture
def written(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


def cells(path):
    table = read_table(path)
    return {name: table.texts(name) for name in table.columns}


def test_a_column_without_name_and_cells_is_left_out(written):
    assert cells(written("t.csv", "a,b,\n1,2,\n")) == {"a": ["1"], "b": ["2"]}


def test_a_file_of_empty_cells_is_refused(written):
    with pytest.raises(TouchstoneError) as error:
        read_table(written("t.csv", '""\n'))
    assert error.value.code == Code.EMPTY


def test_the_four_formats_hold_the_same_cells(written, tmp_path):
    expected = {"system": ["a", "b"], "item": ["1", "1"], "score": ["0.5", None]}
    parquet.write_table(pa.table(expected), tmp_path / "t.parquet")
    for path in (
        written("t.csv", CSV),
        written("t.tsv", CSV.replace(",", "\t")),
        written("t.jsonl", '{"system":"a","item":"1","score":"0.5"}\n{"system":"b","item":"1"}\n'),
        tmp_path / "t.parquet",
    ):
        assert cells(path) == expected


@pytest.mark.parametrize(("name", "text"), [("t", CSV), ("t.txt", CSV.replace(",", "\t")), ("t.dat", '{"a":"1"}\n')])
def test_a_file_without_a_known_suffix_is_recognised_by_its_first_line(written, name, text):
    assert read_table(written(name, text)).columns


def test_quotes_line_breaks_in_cells_crlf_and_a_byte_order_mark_are_read(written):
    path = written("t.csv", b'\xef\xbb\xbfid,text\r\n1,"a ""b"", c\r\nd"\r\n2,e\r\n')
    table = read_table(path)
    assert table.texts("text") == ['a "b", c\r\nd', "e"]
    assert list(table.lines) == [3, 4]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n1\n", "t.csv:3: 1 cells under 2 columns"),
        ("a,a\n1,2\n", 't.csv:1: two columns with the same name: "a"'),
        ("a,\n1,2\n", "t.csv:1: a column without a name"),
        ("a,b\n", "no row in the table"),
        ('a,b\n1,"2\n', "cannot be read as a table"),
    ],
)
def test_a_broken_table_gets_a_sentence_with_its_line(written, text, said):
    with pytest.raises(TouchstoneError) as caught:
        read_table(written("t.csv", text))
    assert said in str(caught.value)


def test_broken_parquet_and_jsonl_get_a_sentence(written):
    with pytest.raises(TouchstoneError) as error:
        read_table(written("t.parquet", b"PAR1nonsense"))
    assert error.value.code == Code.UNREADABLE
    with pytest.raises(TouchstoneError) as error:
        read_table(written("t.jsonl", '{"a":1}\n{"a":\n'))
    fault = error.value.faults[0]
    assert (fault.code, fault.line) == (Code.UNREADABLE, 2)


def test_a_column_is_found_in_any_case_and_a_missing_one_is_named(written):
    table = read_table(written("t.csv", "System,Item,score\na,1,2\n"))
    assert table.name("system") == "System"
    assert table.name("document", required=False) is None
    with pytest.raises(TouchstoneError) as error:
        table.name("scores")
    fault = error.value.faults[0]
    assert (fault.code, fault.near) == (Code.NO_COLUMN, "score")


def test_what_is_no_number_is_refused_with_its_line(written):
    table = read_table(written("t.csv", "score\n1\ninf\n\nhigh\n"))
    with pytest.raises(TouchstoneError) as caught:
        table.numbers("score")
    assert [(fault.line, fault.value) for fault in caught.value.faults] == [(3, "inf"), (5, "high")]
    assert not table.is_numeric("score")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_number_is_read_back_exactly(value):
    assert parse_number(repr(value)) == value


@pytest.mark.parametrize("cell", [None, "", "  ", float("nan")])
def test_an_empty_cell_is_not_a_number_and_no_fault(cell):
    assert math.isnan(parse_number(cell))


def test_quotes_in_tsv_are_text_unless_a_writer_put_them_there(written):
    literal = cells(written("a.tsv", 'id\ttext\n1\t"Yes," she said, "no."\n2\t"Yes."\n'))
    assert literal["text"] == ['"Yes," she said, "no."', '"Yes."']
    quoted = cells(written("b.tsv", '"id"\t"text"\n"1"\t"Yes."\n'))
    assert quoted == {"id": ["1"], "text": ["Yes."]}
    doubled = cells(written("c.tsv", 'id\ttext\n1\t"""Yes."""\n'))
    assert doubled["text"] == ['"Yes."']
    tabs = cells(written("d.tsv", 'id\ttext\n1\t"a\tb"\n'))
    assert tabs["text"] == ["a\tb"]


@pytest.mark.parametrize("place", range(0, 400, 7))
def test_a_damaged_arrow_file_gets_a_sentence_or_its_cells(tmp_path, place):
    path = tmp_path / "t.arrow"
    table = pa.table({"id": ["a", "b"], "n": [1, 2]})
    with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table)
    raw = bytearray(path.read_bytes())
    raw[place % len(raw)] ^= 0x5A
    path.write_bytes(bytes(raw))
    with suppress(TouchstoneError):
        assert len(read_table(path)) > 0


def test_a_large_plain_table_has_the_cells_and_lines_of_a_small_one(written, monkeypatch):
    text = "id,label\n" + "".join(f"{row},{'ab'[row % 2]}\n" for row in range(50))
    small = read_table(written("t.csv", text))
    monkeypatch.setitem(read_table.__globals__, "LARGE", 1)
    large = read_table(written("t.csv", text))
    assert (large.columns, list(large.lines)) == (small.columns, list(small.lines))
    assert large.columns["label"][0] is large.columns["label"][2]
    with pytest.raises(TouchstoneError) as error:
        read_table(written("t.csv", text.replace("1,b", "1,b,c", 1)))
    assert error.value.code == Code.BAD_CELL


@pytest.mark.parametrize(
    "index",
    [["b", "a"], pd.Index(["b", "a"], name="question"), pd.Index([1, 0], name="id"), pd.RangeIndex(2, name="id")],
)
def test_the_index_of_a_series_holds_its_ids(index):
    table = read_table(pd.Series(["x", "y"], index=index), value="label")
    assert table.texts("id") == [str(name) for name in pd.Index(index)]
    assert table.columns["label"] == ["x", "y"]


def test_the_numbers_that_pandas_gives_to_rows_are_no_ids():
    table = read_table(pd.Series(["x", "y"]), value="label")
    assert table.columns == {"label": ["x", "y"]}
    table.check_order()


@pytest.mark.parametrize("rows", [[1, 0, 2], [0, 2]])
@pytest.mark.parametrize("form", ["series", "frame"])
def test_numbered_rows_in_another_order_or_with_gaps_cannot_be_joined_by_order(rows, form):
    frame = pd.DataFrame({"label": ["x", "y", "z"]}).loc[rows]
    table = read_table(frame if form == "frame" else frame["label"], value="label")
    with pytest.raises(TouchstoneError) as error:
        table.check_order()
    assert error.value.code == Code.AMBIGUOUS


def test_levels_of_an_index_with_names_are_columns():
    series = pd.Series([1, 0], index=pd.MultiIndex.from_tuples([("a", "q1"), ("b", "q1")], names=["system", "item"]))
    assert read_table(series).columns == {"system": ["a", "b"], "item": ["q1", "q1"], "value": [1, 0]}


def test_an_index_without_a_name_that_holds_texts_is_the_ids_of_a_frame_that_has_none():
    frame = pd.DataFrame({"label": ["x", "y"]}, index=["b", "a"])
    assert read_table(frame).columns == {"id": ["b", "a"], "label": ["x", "y"]}
    other = frame.assign(uid=["p", "q"])
    assert "id" not in read_table(other, roles=[Field("id", ("id", "uid"))]).columns


def test_an_index_with_the_name_of_a_column_is_left_out():
    frame = pd.DataFrame({"id": ["a", "b"], "label": ["x", "y"]}).set_index("id", drop=False)
    assert read_table(frame).columns == {"id": ["a", "b"], "label": ["x", "y"]}


def test_texts_of_several_lines_that_hold_delimiters_are_cells_unless_they_are_rows_with_numbers(written):
    table = read_table(written("a.csv", 'id,text,label\n1,"one, two\nthree, four",x\n2,six,y\n'))
    assert table.columns["text"] == ["one, two\nthree, four", "six"]
    with pytest.raises(TouchstoneError) as error:
        read_table(written("b.csv", 'id,text,value\n1,"one,5\n2,two"",6\n3,three",7\n'))
    assert error.value.code == Code.BAD_CELL


def test_rows_of_a_frame_are_named_by_the_numbers_that_pandas_shows_plus_one():
    frame = pd.DataFrame({"label": ["x", "y", "z"]})
    assert read_table(frame, value="label").numbers_of_rows == [1, 2, 3]
    assert read_table(frame.loc[[2, 0]], value="label").numbers_of_rows == [3, 1]
    assert read_table(frame.loc[[1, 1]], value="label").numbers_of_rows is None
