"""Files of judgements: what each form holds, and what is said of one that cannot be used."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import touchstone
from touchstone import mt
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.tasks.mt.judges.metaeval.preferences import preferences
from touchstone.tasks.mt.judges.reading import read_judgements
from touchstone.tasks.mt.supplied import read_scores

WIDE = "srclang,trglang,srcIndex,documentId,judgeId,system1Id,system2Id,system3Id,system1rank,system2rank,system3rank\n"


@pytest.fixture
def written(tmp_path):
    def write(text, name="judged.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def said(path):
    with pytest.raises(TouchstoneError) as caught:
        read_judgements(path)
    return str(caught.value)


def test_a_row_of_ranks_gives_all_its_pairs_and_a_blank_gives_none(written):
    (found,) = read_judgements(
        written(WIDE + "Czech,English,7,cs-en.test,J1,x,y,z,2,1,1\nCzech,English,8,,J1,x,y,z,1,-1,2\n")
    )
    assert (found.criterion, found.groups, found.ballot.max(), found.blanks) == ("rank", ("cs-en",), 1, 1)
    pairs = preferences(found, "cs-en", ["x", "y", "z"], ["7", "8"])
    got = sorted(zip(pairs.segment, pairs.first, pairs.second, pairs.sign, strict=True))
    assert got == [(0, 0, 1, -1), (0, 0, 2, -1), (0, 1, 2, 0), (1, 0, 2, 1)]


def test_a_file_in_another_encoding_is_refused_without_a_hint_at_an_option_that_there_is_not(written):
    path = written("")
    path.write_bytes(b"\xff" + WIDE.encode())
    assert "is not utf-8 (0xff)" in said(path)
    assert "convert the file" in said(path)
    assert "--encoding" not in said(path)


def test_the_language_pair_comes_from_the_languages_or_else_from_the_document(written):
    rows = "Klingon,eng,1,,J1,x,y,z,1,2,3\n,,1,de-en.test,J1,x,y,z,1,2,3\n"
    (found,) = read_judgements(written(WIDE + rows))
    assert found.groups == ("klingon-en", "de-en")


def test_any_number_of_systems_may_stand_in_a_row(written):
    header = "srcIndex,judgeId,system1Id,system1rank,system2Id,system2rank\n"
    (found,) = read_judgements(written(header + "1,J,x,1,y,2\n2,J,x,1,,\n"))
    assert (found.groups, len(found)) == ((None,), 3)


def test_long_form_is_one_ballot_to_a_segment_and_judge(written):
    rows = "segment\tjudge\tsystem\trank\n1\tJ\tx\t1\n1\tJ\ty\t2\n1\tK\tx\t2\n1\tK\ty\t-1\n"
    (found,) = read_judgements(written(rows, "long.tsv"))
    pairs = preferences(found, None, ["x", "y"], ["1"])
    assert (found.criterion, found.ballot.max(), pairs.sign.tolist()) == ("rank", 1, [1])


def test_constituents_are_compared_within_their_span_alone(written):
    rows = "segment,judge,system,rank,span\n1,J,x,1,0-3\n1,J,y,2,0-3\n1,J,x,2,4-5\n1,J,z,1,4-5\n"
    (found,) = read_judgements(written(rows))
    pairs = preferences(found, None, ["x", "y", "z"], ["1"])
    assert found.criterion == "constituent"
    assert sorted(zip(pairs.first, pairs.second, pairs.sign, strict=True)) == [(0, 1, 1), (0, 2, -1)]


def test_every_scale_of_a_score_file_is_a_criterion_and_an_empty_cell_no_score(written):
    rows = "segment\tsystem\tjudge\tadequacy\tfluency\tgroup\n1\tx\tJ\t5\t4.5\tcs-en\n1\ty\tJ\t3\t\tcs-en\n"
    adequacy, fluency = read_judgements(written(rows, "scores.tsv"))
    assert (adequacy.criterion, adequacy.scale, adequacy.value.tolist()) == ("adequacy", "score", [5, 3])
    assert (fluency.criterion, len(fluency)) == ("fluency", 1)
    assert preferences(adequacy, "cs-en", ["x", "y"], ["1"]).sign.tolist() == [1]


def test_a_judge_may_see_a_segment_twice_on_ballots_that_are_told_apart(written):
    rows = "segment,judge,system,rank,ballot\n1,J,x,1,a\n1,J,y,2,a\n1,J,x,2,b\n1,J,y,1,b\n"
    (found,) = read_judgements(written(rows))
    assert sorted(preferences(found, None, ["x", "y"], ["1"]).sign.tolist()) == [-1, 1]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            WIDE + "a,b,1,,J1,x,y,z,0,1,2\n",
            'judged.csv:2: a rank must be a whole number from 1, or -1 for a blank: "0"',
        ),
        (WIDE + "a,b,1,,J1,x,x,z,1,2,3\n", 'judged.csv:2: a system occurs twice in a row: "x"'),
        (WIDE + "a,b,1,,J1,x,y,z,1,2\n", "judged.csv:2: 10 cells under 11 columns"),
        (WIDE + "a,b,,,J1,x,y,z,1,2,3\n", "judged.csv:2: no srcIndex in this row"),
        (WIDE, "judged.csv: no judgements"),
        ("srcIndex,judgeId,system1Id\n1,J,x\n", "has no column 'system1rank'"),
        ("segment,judges,system,rank\n1,J,x,1\n", "has no column 'judge'; nearest valid column \"judges\""),
        ("segment,judge,system\n1,J,x\n", "has neither ranks nor scores"),
        (
            "segment,judge,system,rank\n1,J,x,1\n1,J,x,2\n",
            "duplicate judgement of segment 1 by the same judge (first on line 2)",
        ),
        ("segment,judge,system,adequacy\n1,J,x,good\n", 'judged.csv:2: adequacy must be a number: "good"'),
        ("segment,judge,system,adequacy\n1,J,x,nan\n", 'judged.csv:2: adequacy must be a number: "nan"'),
        ("segment,judge,rank,rank\n", 'judged.csv:1: two columns with the same name: "rank"'),
    ],
)
def test_what_is_wrong_is_said_with_its_line(written, text, wanted):
    assert wanted in said(written(text))


def test_all_faults_of_a_file_are_said_at_once(written):
    rows = "".join(f"a,b,{line},,J1,x,y,z,{-line - 1},1,2\n" for line in range(1, 4))
    assert said(written(WIDE + rows)).count("a rank must be") == 3


def test_unknown_systems_are_listed_with_the_nearest_known(written):
    (found,) = read_judgements(written(WIDE + "Czech,English,1,,J1,jhu-heiro,y,z,1,2,3\n"))
    with pytest.raises(TouchstoneError) as caught:
        preferences(found, "cs-en", ["jhu-hiero", "y", "z"], ["1"])
    assert 'judged.csv:2: unknown system in 1 judgement: "jhu-heiro"; nearest valid name "jhu-hiero"' in str(
        caught.value
    )


def test_a_segment_that_the_test_set_does_not_have_is_refused(written):
    (found,) = read_judgements(written(WIDE + "Czech,English,9,,J1,x,y,z,1,2,3\n"))
    with pytest.raises(TouchstoneError) as refused:
        preferences(found, "cs-en", ["x", "y", "z"], ["1", "2"])
    assert refused.value.code == Code.UNKNOWN_ID
    assert refused.value.faults[0].value == "9"


def test_quotes_and_line_ends_of_spreadsheets_are_read(written):
    (found,) = read_judgements(written('segment,judge,system,rank\r\n1,"J, the first",x,1\r\n1,"J, the first",y,2\r\n'))
    assert found.judges == ("J, the first",)
    assert np.array_equal(found.line, [2, 3])


@pytest.mark.parametrize("form", ["parquet", "feather"])
def test_judgements_and_scores_in_a_binary_table_are_read_as_those_in_text(tmp_path, form):
    text, path = Path(touchstone.__file__).parent / "examples" / "mt" / "ratings.tsv", tmp_path / f"judged.{form}"
    getattr(pd.read_csv(text, sep="\t"), f"to_{form}")(path)
    expected, found = read_judgements(text), read_judgements(path)
    assert [one.criterion for one in found] == [one.criterion for one in expected] == ["adequacy", "fluency"]
    assert all((a.value == b.value).all() and a.systems == b.systems for a, b in zip(found, expected, strict=True))
    assert found[0].source.digest not in ("", expected[0].source.digest)
    (tmp_path / "s.csv").write_text("system,segment,comet\nx,1,0.5\nx,2,0.25\n")
    getattr(pd.read_csv(tmp_path / "s.csv"), f"to_{form}")(tmp_path / f"s.{form}")
    (scores,), (others,) = read_scores(tmp_path / "s.csv", "comet"), read_scores(tmp_path / f"s.{form}", "comet")
    assert scores.values.keys() == others.values.keys() == {("x", "1"), ("x", "2")}
    assert [value for value, _ in scores.values.values()] == [value for value, _ in others.values.values()]


def test_a_data_frame_of_judgements_is_read_as_its_file():
    path = Path(touchstone.__file__).parent / "examples" / "mt" / "ratings.tsv"
    for one, other in zip(mt.read_judgements(path), mt.read_judgements(pd.read_csv(path, sep="\t")), strict=True):
        assert (one.criterion, one.judges, one.systems) == (other.criterion, other.judges, other.systems)
        np.testing.assert_array_equal(one.value, other.value)
        assert len(repr(one)) < 200
