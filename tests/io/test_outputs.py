"""Outputs never take the place of what they must not: inputs, each other, devices."""

import os

import pytest

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.io.writing import check_outputs, write_text


def test_an_output_that_is_an_input_is_refused(tmp_path):
    answers = tmp_path / "a.oot"
    answers.write_text("kept")
    with pytest.raises(TouchstoneError) as error:
        check_outputs([answers], None, tmp_path / "." / "a.oot")
    assert error.value.code == Code.CANNOT_WRITE


def test_two_outputs_in_one_place_are_refused(tmp_path):
    with pytest.raises(TouchstoneError) as error:
        check_outputs([], tmp_path / "x.csv", table=tmp_path / "x.csv")
    assert error.value.code == Code.CANNOT_WRITE


def test_an_output_without_a_folder_is_refused_before_any_work(tmp_path):
    with pytest.raises(TouchstoneError) as error:
        check_outputs([], tmp_path / "absent" / "x.csv")
    assert error.value.code == Code.CANNOT_WRITE


def test_what_is_no_file_is_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(TouchstoneError) as error:
        write_text(pipe, "text")
    assert error.value.code == Code.CANNOT_WRITE
    assert pipe.is_fifo()


def test_a_link_stays_a_link_and_its_file_is_written(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"
