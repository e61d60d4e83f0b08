"""The files of runs: one grammar for every task, and names that keep systems apart."""

import pytest

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import Source
from touchstone.io.runs import run_files


def names(*given, together=()):
    return {run.name: [str(path) for path in run.paths] for run in run_files(given, together)}


def test_a_file_is_named_by_the_user_or_by_itself():
    assert names("mine=out/a.txt", "out/b.jsonl") == {"mine": ["out/a.txt"], "b": ["out/b.jsonl"]}


def test_a_suffix_that_says_what_a_file_holds_is_no_part_of_the_name():
    given = ["a.oot", "b.jsonl.gz", "c.en", "newstest2012.cs-en.jhu", "-"]
    assert list(names(*given)) == ["a", "b", "c", "newstest2012.cs-en.jhu", "stdin"]


def test_names_keep_the_suffix_where_that_keeps_systems_apart():
    assert list(names("a.en", "a.de")) == ["a.en", "a.de"]


def test_names_keep_the_folder_where_only_that_keeps_systems_apart():
    assert list(names("one/a.en", "two/a.en")) == ["one/a.en", "two/a.en"]


def test_a_given_name_is_never_changed_by_the_names_of_files():
    assert list(names("a=x.en", "a.en")) == ["a", "a.en"]


def test_files_that_belong_together_are_one_run():
    assert names("out/a.best", "out/a.oot", "b.oot", together=(".best", ".oot")) == {
        "a": ["out/a.best", "out/a.oot"],
        "b": ["b.oot"],
    }
    assert names("x=a.best", "x=b.oot") == {"x": ["a.best", "b.oot"]}


def test_a_folder_holds_one_system_in_each_file(tmp_path):
    for name in ("heron.txt", "magpie", ".hidden"):
        (tmp_path / name).write_text("x")
    assert list(names(str(tmp_path))) == ["heron", "magpie"]
    assert names(f"both={tmp_path}") == {"both": [str(tmp_path / "heron.txt"), str(tmp_path / "magpie")]}


def test_an_empty_folder_and_a_folder_of_folders_are_refused(tmp_path):
    with pytest.raises(TouchstoneError) as error:
        run_files([str(tmp_path)])
    assert error.value.code == Code.EMPTY
    (tmp_path / "deeper").mkdir()
    with pytest.raises(TouchstoneError) as error:
        run_files([str(tmp_path)])
    assert error.value.code == Code.NO_FILE


def test_a_file_with_an_equals_sign_in_its_name_is_a_file(tmp_path):
    path = tmp_path / "k=1.oot"
    path.write_text("x")
    assert list(names(str(path), path)) == ["k=1"]


@pytest.mark.parametrize("text", ["=a.txt", "mine="])
def test_half_a_name_is_refused(text):
    with pytest.raises(TouchstoneError) as error:
        run_files([text])
    assert error.value.code == Code.BAD_VALUE


def test_a_name_with_a_control_character_is_refused():
    with pytest.raises(TouchstoneError) as error:
        run_files(["a\x1bb=x.txt"])
    assert error.value.code == Code.BAD_VALUE


def test_one_file_is_asked_for_where_a_task_takes_one():
    with pytest.raises(TouchstoneError) as error:
        _ = run_files(["x=a.txt", "x=b.txt"])[0].path
    assert error.value.code == Code.AMBIGUOUS


def test_a_name_that_the_user_gave_is_marked_as_such():
    assert [files.named for files in run_files(["mine=a.oot", "b.oot"])] == [True, False]


def test_a_column_is_named_by_itself_and_beside_another_file_of_that_column_by_both(tmp_path):
    for name in ("w.csv", "v.csv"):
        (tmp_path / name).write_text("id,new\n1,2\n")
    given = [f"{tmp_path / 'w.csv'}:new", f"{tmp_path / 'v.csv'}:new"]
    assert [(run.name, run.column) for run in run_files(given)] == [("new", "new"), ("v.csv:new", "new")]
    assert [run.name for run in run_files([f"mine={given[0]}"])] == ["mine"]


def test_a_column_of_a_run_that_no_file_has_is_refused_with_the_nearest(tmp_path):
    path = tmp_path / "w.csv"
    path.write_text("id,new\n1,2\n")
    [run] = run_files([f"{path}:neu"])
    source = Source(str(path), "", columns=("id", "new"))
    with pytest.raises(TouchstoneError) as caught:
        run.check_column([source])
    assert caught.value.code == Code.NO_COLUMN
    fault = caught.value.faults[0]
    assert (fault.near, caught.value.hint) == ("new", "the columns are id, new")
