"""Tables with a row for each annotation become gold; what cannot be right is refused with its line."""

import pytest

from touchstone import TouchstoneError, items, lexsub, nli
from touchstone.base.codes import Code

PAIRS = """pair,annotator,premise,hypothesis,label
1,ana,A dog runs.,An animal runs.,entailment
1,ben,,,neutral
2,ana,A dog runs.,A cat runs.,contradiction
1,eva,A dog runs.,An animal runs.,e
2,ben,A dog runs.,A cat runs.,neutral
"""


@pytest.fixture
def file(tmp_path):
    def written(text, name="long.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return written


def test_rows_of_readers_become_the_labels_of_a_pair(file):
    gold = nli.read_gold(file(PAIRS))
    first, second = gold.pairs
    assert first.annotators == ("entailment", "neutral", "entailment")
    assert (first.premise, first.hypothesis, first.gold) == ("A dog runs.", "An animal runs.", "entailment")
    assert (second.annotators, second.gold) == (("contradiction", "neutral"), None)
    assert gold.lines == [2, 4]


def test_a_long_table_scores_like_a_list_of_labels(file):
    rows = [{"id": "1", "annotators": ["e", "n", "e"]}, {"id": "2", "annotators": ["n", "n", "c"]}]
    long = "id,worker_id,label\n" + "".join(
        f"{row['id']},{who},{label}\n" for row in rows for who, label in enumerate(row["annotators"])
    )
    run = {"mine": {"1": "neutral", "2": "neutral"}}
    values = [nli.score(gold, run, ["votes"]).row("mine", "votes").value for gold in (file(long), rows)]
    assert values == [(1 / 2 + 2 / 2) / 2] * 2


def test_columns_of_the_gold_alone_may_be_chosen(file):
    gold = file("nr,who,a,b,label\n1,ana,A dog runs.,It moves.,e\n1,ben,A dog runs.,It moves.,e\n")
    columns = ["id=nr", "annotator=who", "premise=a", "hypothesis=b"]
    (pair,) = nli.TASK.read(gold, {"mine": {"1": "neutral"}}, column=columns).gold.pairs
    assert (pair.premise, pair.annotators) == ("A dog runs.", ("entailment", "entailment"))
    with pytest.raises(TouchstoneError) as error:
        nli.score(gold, {"mine": {"1": "neutral"}}, column=["premiss=a"])
    assert error.value.code == Code.UNKNOWN_NAME


def test_a_gold_label_may_stand_beside_the_readers(file):
    text = "id,annotator,label,gold\n1,ana,e,n\n1,ben,n,n\n"
    (pair,) = nli.read_gold(file(text)).pairs
    assert (pair.annotators, pair.gold) == (("entailment", "neutral"), "neutral")


def test_one_row_for_each_pair_stays_a_plain_table_whose_annotators_group_pairs(file):
    gold = nli.read_gold(file("id,annotator,label\n1,ana,e\n2,ben,n\n"))
    assert [(pair.gold, pair.rest["annotator"]) for pair in gold.pairs] == [("entailment", "ana"), ("neutral", "ben")]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("1,ana,,,neutral", 'long.csv:7: a second row of annotator ana (first on line 2): "1"'),
        ("2,eva,,,", "long.csv:7: no label; leave out the row"),
        ("2,,,,neutral", "long.csv:7: no annotator"),
        ("2,eva,A dog sits.,,neutral", "long.csv:7: another premise than in the rows above"),
        ("2,eva,,,nuetral", 'long.csv:7: unknown label; the labels are contradiction, entailment, neutral: "nuetral"'),
    ],
)
def test_a_row_that_cannot_be_right_is_refused_with_its_line(file, row, fault, monkeypatch):
    path = file(f"{PAIRS}{row}\n")
    monkeypatch.chdir(path.parent)
    with pytest.raises(TouchstoneError) as error:
        nli.read_gold("long.csv")
    assert str(error.value).startswith(fault)


def test_scores_of_annotators_are_averaged_for_each_system_and_item(file):
    rows = "a,1,x,3,t a,1,y,4,t a,2,x,2,u b,1,x,1,t b,2,x,5,u b,2,y,,u b,2,z,4,u"
    text = "\n".join(["system,item,annotator,score,topic", *rows.split(), ""])
    results = items.score(file(text), by="topic")
    assert results.row("a", "score").value == (7 / 2 + 2) / 2
    assert results.row("b", "score").value == (1 + 9 / 2) / 2
    assert results.row("a", "score", "t").value == 7 / 2
    told = (
        "the mean over annotators is the value of an item (7 rows become 4): score (empty cells, which are left out: 1)"
    )
    assert f"long: {told}" in results.notes
    with pytest.raises(TouchstoneError) as error:
        items.score(file(f"{text}a,1,x,3,t\n"))
    fault = error.value.faults[0]
    assert (fault.code, fault.line, fault.value) == (Code.DUPLICATE_ID, 9, "a 1")


def test_numbers_of_annotators_are_no_system(file):
    results = items.score(file("item,annotator,score\n1,1,3\n1,2,4\n2,1,2\n2,2,2\n"))
    assert [row.system for row in results.rows] == ["score"]


def test_a_substitute_counts_once_for_each_annotator(file):
    text = "item,annotator,substitute\nbright.a 1,ana,smart\nbright.a 1,ben,smart\nbright.a 1,ana,clever\n"
    results = lexsub.score(file(text), {"mine": {"bright.a 1": ["clever"]}}, ["best1"])
    assert results.row("mine", "best1").value == 1 / 2
    with pytest.raises(TouchstoneError) as error:
        lexsub.read_gold(file(f"{text}bright.a 1,ana,smart\n"))
    fault = error.value.faults[0]
    assert (fault.code, fault.value) == (Code.DUPLICATE_ID, "bright.a 1 smart")
