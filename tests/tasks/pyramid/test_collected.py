"""All that is wrong with a table of pyramids is told at once."""

import pytest

from touchstone.base.errors import TouchstoneError
from touchstone.tasks.pyramid.formats import read_meta
from touchstone.tasks.pyramid.presence import read_presence
from touchstone.tasks.pyramid.score_tables import read_scores


@pytest.fixture
def faults(tmp_path):
    def read(*lines):
        path = tmp_path / "presence.csv"
        path.write_text("\n".join(lines) + "\n")
        with pytest.raises(TouchstoneError) as caught:
            read_presence(path)
        return [(fault.line, fault.what) for fault in caught.value.faults]

    return read


def test_cells_of_several_columns_missing_names_and_duplicates_are_told_with_their_lines(faults):
    rows = ["T1,p,u1,2,1", "T1,p,u2,heavy,1", "T1,p,u3,1,perhaps", "T1,,u4,1,1", "T1,p,u1,2,0", "T1,q,u1,3,1", "T1,q"]
    assert faults("set,peer,unit,weight,present", *rows) == [
        (3, "weight is not a whole number from 1 to 1,000,000"),
        (4, "present is neither 0 nor 1 (or true, false)"),
        (5, "no peer in the column peer"),
        (6, "set T1, peer p, unit u1: also on line 2"),
        (7, "unit u1 of set T1 has the weight 3 here and 2 above"),
        (8, "2 cells under 5 columns"),
    ]


def test_missing_columns_are_told_with_the_faults_of_those_that_are_there(faults):
    assert faults("set,peer,weight,present", "T1,p,2,1", "T1,p,heavy,1", "T1,p,1,perhaps") == [
        (3, "weight is not a whole number from 1 to 1,000,000"),
        (4, "present is neither 0 nor 1 (or true, false)"),
        (None, "no column 'unit'"),
    ]


def test_all_missing_columns_of_tables_of_scores_and_of_names_are_told(tmp_path):
    (tmp_path / "scores.csv").write_text("score,note\n0.5,a\n")
    with pytest.raises(TouchstoneError, match=r"(?s)no columns 'setid' and 'peerid'.*columns are score, note$"):
        read_scores(tmp_path / "scores.csv")
    with pytest.raises(TouchstoneError, match=r"no columns 'file', 'set', 'peer' and 'annotator'"):
        read_meta(tmp_path / "scores.csv")


def test_faults_of_names_of_files_come_with_rows_that_are_cut_off(tmp_path):
    path = tmp_path / "names.csv"
    path.write_text("file,set,peer,annotator,topic\na.pan,T1,,ann,a\nb.pan,T1\nc.pan,T1,2,ann,b\n")
    with pytest.raises(TouchstoneError) as caught:
        read_meta(path)
    assert [(fault.line, fault.what) for fault in caught.value.faults] == [
        (2, "a row needs a file of its own, a set and a peer"),
        (3, "2 cells under 5 columns"),
        (4, "set T1 has another topic above"),
    ]


def test_faults_of_several_columns_of_a_table_of_nist_come_together(tmp_path):
    rows = ["D0601\t8\t0.2\t5\t0\t4\t3\t2\t1\t5\t4", "D0601\t\tlow\t5\t0\t4\t3\t2\t1\t5\tmany"]
    (tmp_path / "scores.txt").write_text("\n".join(rows) + "\n")
    with pytest.raises(TouchstoneError) as caught:
        read_scores(tmp_path / "scores.txt")
    assert [(fault.line, fault.what) for fault in caught.value.faults] == [
        (2, "no peerid"),
        (2, "score is not a finite number"),
        (2, "content is not a finite number"),
    ]
