"""Presence matrices: tidy folders, votes, lines of JSON."""

import pytest

from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.pyramid import Decision, GoldSet, Presence, read_presence, score, write_presence


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "labels").mkdir()
    (tmp_path / "ids.txt").write_text("d1\nd2")
    (tmp_path / "SCUs.txt").write_text("Cats sleep.\tDogs bark.\nBirds sing.\n")
    (tmp_path / "labels" / "one.label").write_text("1\t0\n1")
    (tmp_path / "labels" / "two.label").write_text("0\t0\n1\n")
    return tmp_path


def test_the_modified_score_of_presence_is_the_share_of_units_present(folder):
    results = score(folder, measures=["pyramid.modified", "scu.count"])
    assert results.row("one", "pyramid.modified").value == (1 / 2 + 1) / 2
    assert results.row("two", "pyramid.modified").value == (0 + 1) / 2
    assert results.row("one", "scu.count").value == 1


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ("1\n1", r"one.label:1: 1 columns for 2 units"),
        ("1\t0\n2", r"column 1 is neither 0 nor 1"),
        ("1\t0", "1 lines for 2"),
    ],
)
def test_labels_of_another_shape_are_refused_with_line_and_column(folder, labels, said):
    (folder / "labels" / "one.label").write_text(labels)
    with pytest.raises(TouchstoneError, match=said):
        read_presence(folder)


def test_units_without_labels_or_ids_are_refused(folder):
    (folder / "SCUs.txt").write_text("Cats sleep.")
    with pytest.raises(TouchstoneError) as error:
        read_presence(folder)
    assert error.value.code == Code.MISMATCH
    for path in (folder / "labels").iterdir():
        path.unlink()
    (folder / "ids.txt").write_text("d1")
    with pytest.raises(TouchstoneError) as error:
        read_presence(folder)
    assert error.value.code == Code.NO_FILE


STATEMENTS = "Input.statement_1,Input.statement_2,Input.statement_3"
VOTES = f"""Input.eventId,Input.summaryId,{STATEMENTS},Answer.S3Answer,Answer.S1Answer,Answer.S2Answer
d1,bart_out,Cats sleep.,BLANK,Dogs bark.,n,p,n
d1,bart_out,Cats sleep.,BLANK,Dogs bark.,p,p,n
d1,bart_out,Cats sleep.,BLANK,Dogs bark.,n,n,p
d1,bart_out,Cats sleep.,BLANK,Dogs bark.,p,p,p
"""


def test_all_faults_of_votes_are_told_with_their_lines(tmp_path):
    rows = ["d1,,Cats sleep.,BLANK,Dogs bark.,n,yes,n", ",a,Cats sleep.,BLANK,Dogs bark.,n,p,n", "d1,a,Cats sleep."]
    (tmp_path / "votes.csv").write_text(VOTES + "\n".join(rows) + "\n")
    with pytest.raises(TouchstoneError) as caught:
        read_presence(tmp_path / "votes.csv")
    assert [f"{fault.line}: {fault.what}" for fault in caught.value.faults] == [
        "6: no Input.summaryId",
        "6: an answer is neither p nor n",
        "7: no Input.eventId",
        "8: 3 cells under 8 columns",
    ]
    (tmp_path / "votes.csv").write_text("Input.eventId,Answer.S1Answer\nd1,p\n")
    with pytest.raises(TouchstoneError, match=r"no column 'Input\.summaryId'"):
        read_presence(tmp_path / "votes.csv")


def test_votes_are_joined_after_blanks_are_removed_and_a_tie_is_absence(tmp_path):
    folder = tmp_path / "SCU_rating_results_ext_systems"
    folder.mkdir()
    (folder / "bart_out.csv").write_text(VOTES)
    assert read_presence(folder / "bart_out.csv").decisions == [
        Decision("d1", "ext_bart_out", "1", "Cats sleep.", True, (1, 1, 0, 1)),
        Decision("d1", "ext_bart_out", "2", "Dogs bark.", False, (0, 1, 0, 1)),
    ]


def test_votes_outside_such_a_folder_keep_the_systems_own_name(tmp_path):
    (tmp_path / "x.csv").write_text(VOTES.replace("d1,bart_out,Cats sleep.,BLANK,Dogs bark.,p,p,p\n", ""))
    assert {one.system for one in read_presence(tmp_path / "x.csv").decisions} == {"bart_out"}


def test_a_vote_that_is_none_is_refused(tmp_path):
    (tmp_path / "x.csv").write_text(VOTES.replace("n,p,n", "n,maybe,n"))
    with pytest.raises(TouchstoneError, match=r'x\.csv:2: an answer is neither p nor n: "maybe"'):
        read_presence(tmp_path / "x.csv")


def test_decisions_make_the_round_trip_as_lines_of_json(tmp_path):
    decisions = [Decision("d1", "s", "1", "Cats sleep.", True, (1, 0, 1)), Decision("d1", "s", "2", "", False)]
    write_presence(tmp_path / "x.jsonl", Presence(decisions))
    assert read_presence(tmp_path / "x.jsonl").decisions == decisions


@pytest.mark.parametrize(
    "line",
    [
        '{"item": "d", "system": "s", "scu": "1", "present": 2}',
        '{"item": "d", "system": "s", "scu": null, "present": true}',
        '{"item": "d", "system": "s", "scu": "1", "present": true, "votes": [2]}',
        '{"item": "d", "system": "s", "scu": "1", "present": true, "votes": [1, 0]}',
        '{"item": "d", "system": "s", "scu": "1", "present": true, "votes": "1 1"}',
        "{",
    ],
)
def test_a_line_that_is_no_decision_is_refused(tmp_path, line):
    (tmp_path / "x.jsonl").write_text(line)
    with pytest.raises(TouchstoneError, match=r"x\.jsonl:1"):
        read_presence(tmp_path / "x.jsonl")


def test_a_decision_twice_and_systems_judged_by_other_units_are_refused():
    one = Decision("d", "s", "1", "", True)
    with pytest.raises(TouchstoneError) as error:
        Presence([one, one])
    assert error.value.code == Code.DUPLICATE_ID
    with pytest.raises(TouchstoneError) as error:
        GoldSet(presence=Presence([one, Decision("d", "t", "2", "", True)]))
    assert error.value.code == Code.MISMATCH
