"""NIST's own tables of scores and ratings, read as they are distributed."""

import pytest

from touchstone import TouchstoneError
from touchstone.pyramid import GoldSet, analyse, read_scores, score_table, with_ratings
from touchstone.tasks.pyramid.formats.nist import LAYOUTS, read_nist

DUC_2006 = """D0601\t01\t0.1034\t4\t3\t100\tV\t4\t4\t5\t5\t4\t1\t
D0601\t10\t0.2644\t11\t0\t100\tV\t\t\t\t\t\t\t
"""

CONTENT = """Responsiveness of the summaries, content

docset type selector summarizer score
------------------------------------

D0601 M D 1 3
D0601   M   D   10   4
D0601 M D A 5
D0602 M B 1 2
"""

QUALITY = """Linguistic quality, questions 1 2

D0601 M D 1 1 4
D0601 M D 1 2 5
D0601 M D 10 1 3
"""


@pytest.fixture
def write(tmp_path):
    def make(name, text):
        path = tmp_path / name
        path.write_text(text)
        return path

    return make


def test_a_table_of_scores_without_a_header_gets_the_names_of_its_year(write):
    found = read_scores(write("2006_modified_scores.txt", DUC_2006))
    assert list(found.columns) == list(LAYOUTS[13])
    assert (found.sets, found.peers, found.annotators) == ("setid", "peerid", "annotator")
    assert found.columns["peerid"] == ["1", "10"]
    assert found.columns["score"] == ["0.1034", "0.2644"]
    assert found.columns["content"] == ["1", ""]


@pytest.mark.parametrize(("width", "last"), [(15, "editing"), (13, "content"), (11, "content")])
def test_the_number_of_columns_tells_the_year(write, width, last):
    """DUC 2005, 2006 and 2007, with a tab at the end of the line or without."""
    cells = ["D0701", "8", "0.2", "5", "0", *["3"] * (width - 5)]
    for end in ("", "\t"):
        found = read_nist(write("scores.txt", "\t".join(cells) + end + "\n"))
        assert (len(found.columns), list(found.columns)[-1], found.columns[last]) == (width, last, ["3"])


def test_a_table_with_a_header_of_as_many_columns_is_not_mistaken_for_one_of_nist(write):
    head = [*LAYOUTS[11][:10], "mood"]
    found = read_nist(write("mine.tsv", "\t".join(head) + "\n" + "\t".join(["3"] * 11) + "\n"))
    assert list(found.columns) == head


def test_a_table_of_ratings_has_the_name_of_its_file_without_the_year(write):
    found = read_nist(write("2006_content.table", CONTENT))
    assert list(found.columns) == ["setid", "peerid", "content"]
    assert found.columns["peerid"] == ["1", "10", "A", "1"]
    assert found.columns["content"] == ["3", "4", "5", "2"]
    assert list(found.lines) == [6, 7, 8, 9]


def test_questions_become_columns_and_a_missing_answer_is_empty(write):
    found = read_nist(write("linguistic_quality.table", QUALITY))
    assert found.columns["l1"] == ["4", "3"]
    assert found.columns["l2"] == ["5", None]


def test_tables_of_scores_and_ratings_are_joined_and_what_is_missing_is_counted(write):
    scores, content = write("scores.txt", DUC_2006), write("overall.table", CONTENT)
    found = read_scores(scores, content, write("quality.table", QUALITY))
    assert found.columns["overall"] == ["3", "4"]
    assert found.columns["l1"] == ["4", ""]
    assert found.notes == (
        "overall: 2 rated summaries have no annotation and are left out",
        "quality: left out, as the table has them already: l1, l2",
    )


def test_annotations_are_joined_with_ratings_of_nist(write, annotated):
    gold = GoldSet([annotated("bd", document_set="D0601", peer="01")])
    found = score_table(gold, write("content.table", CONTENT), write("quality.table", QUALITY))
    assert [found.columns[name] for name in ("content", "l1", "l2")] == [["3"], ["4"], ["5"]]
    assert with_ratings(score_table(gold), write("scores.txt", DUC_2006)).columns["l3"] == ["5"]


def test_groups_of_peers_and_topics_of_sets_are_joined_by_peer_or_set_alone(write):
    groups, topics = (
        write("groups.csv", "peer,group\n1,old\n010,new\n"),
        write("topics.csv", "set,topic\nD0601,floods\n"),
    )
    found = read_scores(write("scores.txt", DUC_2006), groups, topics)
    assert (found.columns["group"], found.columns["topic"]) == (["old", "new"], ["floods", "floods"])
    assert found.notes == (
        "groups: no column of sets, so that a row holds for all sets",
        "topics: no column of peers, so that a row holds for all peers",
    )
    with pytest.raises(TouchstoneError, match="no columns 'setid' and 'peerid'"):
        read_scores(write("scores.txt", DUC_2006), write("x.csv", "who,group\n1,old\n"))


def test_topics_of_the_sets_stand_in_the_table(annotated):
    gold = GoldSet([annotated("bd"), annotated("a", peer="Q")], topics={"S1": "floods"})
    assert score_table(gold).columns["topic"] == ["floods", "floods"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("no ratings here\n", "no line of document set, two letters, summariser and rating"),
        (CONTENT + "D0602 M B\n", ":10: not a line of set, two letters, summariser and rating"),
        (CONTENT + "the end\n", ":10: not a line of set"),
        (CONTENT + "D0602 M B 2 good\n", ':10: a question or rating is not a whole number: "good"'),
        (CONTENT + "D0602 M B 01 5\n", ":10: set D0602, summariser 1 has another rating on line 9"),
        (CONTENT + QUALITY.splitlines()[-1], "some lines have the number of a question and some have none"),
        ("", "is empty"),
    ],
)
def test_a_table_of_ratings_that_is_none_is_refused_with_line_and_way_out(write, text, sentence):
    with pytest.raises(TouchstoneError) as error:
        read_nist(write("content.table", text))
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("D0601\t1\t0.1\t4\t4\t2\n", "scores.txt:1: a table without a header that has 6 columns"),
        ("D0601\t1\nD0602\t1\n", "no columns 'setid' and 'peerid'"),
        (DUC_2006 + "D0601\t2\t0.3\n", "scores.txt:3: 3 cells under 14 columns"),
        (DUC_2006.replace("0.2644", "high"), 'scores.txt:2: score is not a finite number: "high"'),
        (DUC_2006.replace("\t10\t", "\t\t"), "scores.txt:2: no peerid"),
        (DUC_2006 + DUC_2006, "set D0601, peer 1 occur in 2 rows"),
    ],
)
def test_a_table_of_scores_of_no_known_year_or_shape_is_refused(write, text, sentence):
    with pytest.raises(TouchstoneError) as error:
        read_scores(write("scores.txt", text))
    assert sentence in str(error.value)


def test_presence_is_scored_before_it_is_analysed(write):
    rows = [
        f"S{one},{peer},u{unit},{int(unit < one + peer + (one * peer) % 2)},{peer}\n"
        for one in range(4)
        for peer in range(3)
        for unit in range(9)
    ]
    path = write("units.csv", "set,peer,unit,present,unmatched\n" + "".join(rows))
    found = read_scores(path)
    assert found.columns["score"][:3] == [0, 1 / 9, 2 / 9]
    assert analyse(found, "precision").peers.levels[0] == "0"
