"""Scores and ratings in one table."""

import pytest

from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.pyramid import GoldSet, score_table


@pytest.fixture
def ratings(tmp_path):
    def make(text: str):
        path = tmp_path / "quality.csv"
        path.write_text(text)
        return path

    return make


def test_padded_and_unpadded_ids_meet(annotated, ratings):
    found = score_table(
        GoldSet([annotated("bd", peer="08"), annotated("a", peer="9")]),
        ratings("setid,peerid,content\nS1,8,4\nS1,09,2\n"),
    )
    assert found.to_arrow().select(["setid", "peerid", "score", "content"]).to_pylist() == [
        {"setid": "S1", "peerid": "8", "score": 3 / 8, "content": 4},
        {"setid": "S1", "peerid": "9", "score": 4 / 8, "content": 2},
    ]
    assert found.notes == ()


def test_annotators_are_averaged_or_kept_apart(annotated, ratings):
    inputs = [annotated("bbd", annotator="1"), annotated("abcd", annotator="2")]
    table = ratings("set,system,annot,creator,content\nS1,P,1,V,4\nS1,P,2,V,4\n")
    (row,) = score_table(GoldSet(inputs), table).to_arrow().to_pylist()
    assert (row["score"], row["nscu"], row["nrep"], row["annotator"]) == ((3 / 8 + 9 / 8) / 2, 3, 0.5, "1+2")
    assert (row["creator"], row["content"]) == ("V", 4)
    each = score_table(GoldSet(inputs), table, annotators="each").to_arrow().to_pylist()
    assert [(one["annotator"], one["score"]) for one in each] == [("1", 3 / 8), ("2", 9 / 8)]


def test_ratings_that_differ_between_annotators_are_not_averaged_in_silence(annotated, ratings):
    inputs = [annotated("b", annotator="1"), annotated("a", annotator="2")]
    table = ratings("set,peer,annotator,content\nS1,P,1,4\nS1,P,2,5\n")
    with pytest.raises(TouchstoneError) as error:
        score_table(GoldSet(inputs), table)
    assert error.value.code == Code.MISMATCH
    assert score_table(GoldSet(inputs), table, annotators="each").to_arrow().column("content").to_pylist() == [4, 5]


def test_missing_empty_and_left_over_ratings_are_counted_aloud(annotated, ratings):
    inputs = [annotated("a", peer=peer) for peer in "123"]
    found = score_table(GoldSet(inputs), ratings("setid,peerid,l1,content\nS1,1,,4\nS1,2,3,5\nS1,7,1,1\n"))
    assert found.to_arrow().column("l1").to_pylist() == [None, 3, None]
    assert found.notes == (
        "quality: 1 of 3 rows have no ratings",
        "quality: 1 rows have ratings that are empty",
        "quality: 1 rated summaries have no annotation and are left out",
    )


def test_columns_of_our_own_are_not_taken_from_the_ratings(annotated, ratings):
    found = score_table(GoldSet([annotated("bd")]), ratings("setid,peerid,score,nscu,nrep,content\nS1,P,.9,9,9,4\n"))
    assert found.to_arrow().column("score").to_pylist() == [3 / 8]
    assert found.to_arrow().column_names[-1] == "content"


def test_scores_alone_make_a_table_too(annotated):
    assert score_table(GoldSet([annotated("bd")])).to_arrow().column("original").to_pylist() == [3 / 3 * 3 / 6]


@pytest.mark.parametrize(
    "text",
    [
        "who,content\nS1,4\n",
        "setid,content\nS1,4\nS1,5\n",
        "setid,peerid,content\nS1,8,4\nS1,08,5\n",
        "setid,peerid,content\nS1,8\n",
        'setid,peerid,content\nS1,"8,4\n',
        "setid,setid\n",
    ],
)
def test_a_table_that_cannot_be_joined_is_refused(annotated, ratings, text):
    with pytest.raises(TouchstoneError):
        score_table(GoldSet([annotated("bd", peer="8")]), ratings(text))
