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
    with pytest.raises(TouchstoneError, match=r"(?s)no column 'setid'.*no column 'peerid'.*columns are score, note$"):
        read_scores(tmp_path / "scores.csv")
    with pytest.raises(TouchstoneError, match=r"(?s)no column 'file'.*'set'.*'peer'.*'annotator'"):
        read_meta(tmp_path / "scores.csv")
