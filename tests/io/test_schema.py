"""Fields of tables: their columns, what their cells say, and all faults of a table together."""

import pytest

from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.base.options import TableOptions
from touchstone.io.cells import parse_number
from touchstone.io.reading import read_rows, read_table
from touchstone.io.schema import Field, Problem, Schema


def number(cell):
    value = parse_number(cell)
    if value is None:
        raise Problem("not a number", cell)
    return value


PEOPLE = Schema(
    Field("id", ("id", "uid"), required=True),
    Field("score", ("score", "points"), number, empty=-1.0),
    Field("gold", ()),
    Field("label"),
    elsewhere=("prediction",),
    unremarked=("uid",),
)


def read(rows, *choices):
    return read_rows(rows, PEOPLE, TableOptions(column=choices), name="people")


def test_the_likeliest_alias_is_the_column_of_a_field_in_any_case():
    assert read([{"UID": 1, "id": 2, "Points": "0.5"}]).columns == {"id": "id", "score": "Points"}


def test_a_choice_comes_before_aliases_and_a_field_without_aliases_needs_one():
    rows = read([{"id": 1, "gold": "a", "mine": "b"}], "gold=mine", "id=mine")
    assert rows.columns == {"id": "mine", "gold": "mine"}
    assert "gold" not in read([{"id": 1, "gold": "a"}]).columns


def test_a_choice_of_a_column_that_is_not_there_is_refused_unless_it_is_one_of_another_table():
    with pytest.raises(TouchstoneError) as error:
        read([{"id": 1}], "score=mine")
    assert error.value.code == Code.NO_COLUMN
    assert read([{"id": 1, "score": 2}], "score=mine", "prediction=mine").columns == {"id": "id", "score": "score"}
    assert read([{"id": 1, "own": 2}], "score=mine", "score=own").columns == {"id": "id", "score": "own"}
    with pytest.raises(TouchstoneError) as error:
        read([{"id": 1}], "scare=id")
    fault = error.value.faults[0]
    assert (fault.code, fault.near) == (Code.UNKNOWN_NAME, "score")


def test_every_cell_that_cannot_be_used_is_a_fault_of_its_line_and_all_are_raised_together(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("id,score\n1,high\n2,3\n3\n4,low\n5,high\n")
    rows = read_rows(path, PEOPLE)
    assert rows.values("score") == [-1.0, 3.0, -1.0, -1.0]
    assert rows.values("label") == [None] * 4
    with pytest.raises(TouchstoneError) as refused:
        rows.check("write numbers")
    assert [(fault.line, fault.value) for fault in refused.value.faults] == [
        (2, "high"),
        (4, None),
        (5, "low"),
        (6, "high"),
    ]
    assert refused.value.hint == "write numbers"


def test_problems_of_one_cell_come_together():
    rows = read([{"id": 1}, {"id": 2}])

    def parse(_):
        raise Problem("first", "a", further=[Problem("second", "b")])

    assert rows.attempt(1, parse, None) is None
    assert [(fault.what, fault.line, fault.value) for fault in rows.faults] == [("first", 2, "a"), ("second", 2, "b")]


def test_a_missing_field_is_refused_with_the_option_that_chooses_it():
    with pytest.raises(TouchstoneError) as refused:
        read([{"a": 1, "b": 2}]).require("score")
    assert refused.value.code == Code.NO_COLUMN
    assert 'the columns are a, b; choose them with column={"score": "NAME", "id": "NAME"}' in str(refused.value)
    read([{"id": 1, "points": 2}]).require("score")


def test_a_remark_names_columns_with_unusual_names():
    assert read([{"uid": 1, "points": 2}]).remarks() == ["people: score is the column points"]
    assert read([{"id": 1, "points": 2}]).remarks("score") == []


def test_columns_that_no_field_has_are_further_ones():
    assert read([{"id": 1, "length": 3, "score": 2}]).further == ["length"]


def test_part_of_a_schema_passes_over_choices_for_the_other_fields():
    table = read_table([{"uid": 1, "score": 2}])
    assert PEOPLE.only("id").bind(table, ["score=mine", "prediction=mine"]).columns == {"id": "uid"}


def test_a_layout_reads_several_files_of_which_one_is_named(tmp_path):
    def pair(path, encoding):
        return read_table([{"id": path.stem, "encoding": encoding}]) if path.suffix == ".left" else None

    schema = Schema(Field("id"), Field("encoding"), layouts=(pair,))
    assert read_rows(tmp_path / "a.left", schema, TableOptions(encoding="latin-1")).values("encoding") == ["latin-1"]
    (tmp_path / "a.csv").write_text("id,encoding\nb,c\n")
    assert read_rows(tmp_path / "a.csv", schema).values("id") == ["b"]


def test_a_schema_has_the_columns_of_its_fields_in_any_case_and_no_others():
    schema = Schema(Field("id", ("id", "uid")), Field("label"))
    assert [schema.has(name) for name in ("ID", "uid", "Label", "note")] == [True, True, True, False]
