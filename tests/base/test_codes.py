"""Codes of errors: each is explained on a page, and a program can rely on them."""

import re
from pathlib import Path

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, Faults, TouchstoneError

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "errors.md"


def test_every_code_has_a_row_on_its_page_and_no_other_is_there():
    assert re.findall(r"^\| `([\w-]+)` \|", PAGE.read_text("utf-8"), re.MULTILINE) == [code.value for code in Code]


def test_an_error_has_the_code_of_its_first_fault_and_knows_all():
    faults = Faults()
    faults.add([Fault("no number", "a.csv", 3, code=Code.BAD_CELL), Fault("twice", "a.csv", 2, code=Code.DUPLICATE_ID)])
    error = faults.error()
    assert error.code == "duplicate-id"  # that of line 2
    assert error.codes == {Code.BAD_CELL, Code.DUPLICATE_ID}


def test_a_code_survives_pickling_and_is_no_part_of_the_sentence():
    import pickle

    error = pickle.loads(pickle.dumps(TouchstoneError("no such file", code=Code.NO_FILE)))
    assert (error.code, str(error)) == (Code.NO_FILE, "no such file")
