"""Formats of tables: workbooks of Excel and spreadsheets of OpenDocument, and the extra that reads them."""

import datetime
import sys
import zipfile

import openpyxl
import pytest

import touchstone
from touchstone.annotate.tasks.base import Upload
from touchstone.annotate.tasks.lexsub import LexsubTask
from touchstone.annotate.tasks.mt import MtTask
from touchstone.annotate.tasks.nli import NliTask
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.io.reading import read_table


@pytest.fixture
def workbook(tmp_path):
    def write(*sheets, name="t.xlsx"):
        book = openpyxl.Workbook()
        for number, rows in enumerate(sheets):
            sheet = book.active if number == 0 else book.create_sheet(f"sheet {number}")
            for row in rows:
                sheet.append(row)
        book.save(tmp_path / name)
        return tmp_path / name

    return write


def test_a_workbook_holds_the_cells_that_other_formats_hold(workbook):
    path = workbook(
        [["item", "score", "day", "right"], [1, 0.5, datetime.date(2026, 3, 1), True], ["q2", None, "", False]]
    )
    table = read_table(path)
    assert table.columns == {
        "item": [1, "q2"],
        "score": [0.5, None],
        "day": ["2026-03-01", None],
        "right": [True, False],
    }
    assert table.texts("item") == ["1", "q2"]
    assert table.lines == [2, 3]


def test_a_workbook_is_told_by_its_content(workbook):
    path = workbook([["item", "score"], ["q1", 1]], name="scores.dat.xlsx")
    renamed = path.rename(path.with_name("scores"))
    assert read_table(renamed).columns == {"item": ["q1"], "score": [1]}


def test_blank_rows_of_a_workbook_are_left_out_and_the_others_keep_their_numbers(workbook):
    table = read_table(workbook([[None, None], ["item", "score"], [None, None], ["q1", 1]]))
    assert (table.columns, table.lines) == ({"item": ["q1"], "score": [1]}, [4])


def test_a_workbook_with_rows_on_two_sheets_is_refused_with_their_names(workbook):
    path = workbook([["item", "a"], ["q1", 1]], [["item", "a"], ["q1", 0]])
    with pytest.raises(TouchstoneError, match="has several sheets with rows: Sheet, sheet 1"):
        read_table(path)
    assert read_table(workbook([["item", "a"], ["q1", 1]], [])).columns == {"item": ["q1"], "a": [1]}


@pytest.mark.parametrize(
    "rows", [[], [["item", "score"]], [["item", "item"], ["q1", "q2"]], [["item", None], ["q1", 1]]]
)
def test_a_sheet_without_rows_or_names_is_refused(workbook, rows):
    with pytest.raises(TouchstoneError):
        read_table(workbook(rows))


def test_a_damaged_workbook_is_refused(workbook):
    path = workbook([["item", "score"], ["q1", 1]])
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(TouchstoneError) as error:
        read_table(path)
    assert error.value.code == Code.UNREADABLE


def test_a_workbook_that_would_fill_the_memory_is_refused(tmp_path):
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b"")
        archive.writestr("xl/worksheets/sheet1.xml", bytes(1 << 26))
    with pytest.raises(TouchstoneError) as error:
        read_table(path)
    assert error.value.code == Code.TOO_LARGE


def test_every_task_reads_workbooks(workbook):
    gold = workbook(
        [["id", "premise", "hypothesis", "label"], ["1", "A dog runs.", "It moves.", "entailment"]], name="g.xlsx"
    )
    run = workbook([["id", "prediction"], ["1", "entailment"]], name="r.xlsx")
    assert touchstone.nli.score(gold, {"a": run}, ["accuracy"]).row("a", "accuracy").value == 1
    gold = workbook([["segment", "reference"], ["1", "The cat sat."]], name="mt.xlsx")
    run = workbook([["segment", "hypothesis"], ["1", "The cat sat."]], name="mtr.xlsx")
    assert touchstone.mt.score(gold, {"a": run}, ["chrf"]).row("a", "chrf").value == 100
    gold = workbook([["item", "substitute", "weight"], ["1", "glad", 3]], name="ls.xlsx")
    run = workbook([["item", "substitute"], ["1", "glad"]], name="lsr.xlsx")
    assert touchstone.lexsub.score(gold, {"a": run}, ["best1"]).row("a", "best1").value == 1
    scores = workbook([["item", "a", "b"], ["1", 1, 0], ["2", 1, 1]], name="items.xlsx")
    assert touchstone.items.score(scores).row("b", "value").value == 0.5
    decisions = [["T1", "p", "u1", 1], ["T1", "p", "u2", 0]]
    presence = workbook([["set", "peer", "unit", "present"], *decisions], name="py.xlsx")
    assert touchstone.pyramid.score(presence, measures=["pyramid.modified"]).row("p", "pyramid.modified").value == 0.5


CONTENT = """<?xml version="1.0" encoding="UTF-8"?>
<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2"><office:body><office:spreadsheet>
{sheets}
</office:spreadsheet></office:body></office:document-content>"""

MANIFEST = """<?xml version="1.0" encoding="UTF-8"?>
<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry
 manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>"""

NO_CELLS = (
    '<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="900"/>'
)
"""What LibreOffice writes below the last row: cells that hold nothing, up to the end of the sheet."""


def open_document_cell(value):
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, bool):
        return f'<table:table-cell office:value-type="boolean" office:boolean-value="{str(value).lower()}"/>'
    if isinstance(value, int | float):
        return f'<table:table-cell office:value-type="float" office:value="{value}"/>'
    if isinstance(value, datetime.date):
        return f'<table:table-cell office:value-type="date" office:date-value="{value}"/>'
    return f'<table:table-cell office:value-type="string"><text:p>{value}</text:p></table:table-cell>'


@pytest.fixture
def spreadsheet(tmp_path):
    def write(*sheets, name="t.ods"):
        tables = []
        for number, rows in enumerate(sheets):
            cells = ["".join(map(open_document_cell, row)) for row in rows]
            lines = "".join(f"<table:table-row>{row}</table:table-row>" for row in cells)
            tables.append(f'<table:table table:name="sheet {number}">{lines}{NO_CELLS}</table:table-row></table:table>')
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet", zipfile.ZIP_STORED)
            archive.writestr("META-INF/manifest.xml", MANIFEST)
            archive.writestr("content.xml", CONTENT.format(sheets="".join(tables)))
        return tmp_path / name

    return write


def test_a_spreadsheet_of_open_document_holds_the_cells_that_other_formats_hold(spreadsheet):
    day = datetime.date(2026, 3, 1)
    path = spreadsheet([["item", "score", "day", "right"], [1, 0.5, day, True], [], ["q2", None, None, False]])
    table = read_table(path)
    assert table.columns == {
        "item": [1, "q2"],
        "score": [0.5, None],
        "day": ["2026-03-01", None],
        "right": [True, False],
    }
    assert table.lines == [2, 4]


def test_a_spreadsheet_of_open_document_is_told_by_its_content(spreadsheet):
    path = spreadsheet([["item", "a", "b"], ["q1", 1, 0], ["q2", 1, 1]], [])
    renamed = path.rename(path.with_name("scores"))
    assert touchstone.items.score(renamed).row("b", "value").value == 0.5


def test_a_spreadsheet_of_open_document_that_cannot_be_read_is_refused(spreadsheet):
    with pytest.raises(TouchstoneError, match="has several sheets with rows: sheet 0, sheet 1"):
        read_table(spreadsheet([["item"], ["q1"]], [["item"], ["q1"]]))
    path = spreadsheet([["item", "score"], ["q1", 1]])
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(TouchstoneError) as error:
        read_table(path)
    assert error.value.code == Code.UNREADABLE


def test_a_missing_extra_is_named_by_every_reader_of_tables(workbook, monkeypatch):
    path = workbook([["set", "peer", "unit", "present"], ["T1", "p", "u1", 1]])
    upload = Upload("data/t.xlsx", path.read_bytes())
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    readers = [
        lambda: touchstone.pyramid.score(path),
        lambda: touchstone.items.score(path),
        lambda: touchstone.mt.score(path, {"a": path}),
        lambda: touchstone.lexsub.score(path, {"a": path}),
        lambda: touchstone.nli.score(path, {"a": path}),
        lambda: NliTask().read([upload], {}, False, {}),
        lambda: LexsubTask().read([upload], {}, False, {}),
        lambda: MtTask().read([upload], {"judgement": "rating"}, False, {}),
    ]
    for read in readers:
        with pytest.raises(TouchstoneError) as caught:
            read()
        assert caught.value.code == Code.MISSING_EXTRA
        assert "touchstone-nlp[excel]" in str(caught.value)
