"""Items where two systems have equal R and different rank@10: the paper's section 8, on a case made by hand."""

import json

import pytest

from touchstone import lexsub
from touchstone.core.resampling import Resampling
from touchstone.tasks.lexsub.task import order_table

GOLD = "".join(f"w.n {n} :: a 3;b 2;c 1;\n" for n in range(1, 7))
LONG = ";".join(f"x{n}" for n in range(10))

# item: A, B                           R           rank@10     candidates
#  1    a b / b a                      equal       differs     2
#  2    a b / a b                      equal       equal       2
#  3    a / b                          differs     differs     1
#  4    x then a / a then x            equal       differs     11 (ten x and a)
#  5    nothing / nothing              equal       equal       0
#  6    a / a x                        equal       equal       2
FIRST = f"w.n 1 ::: a;b\nw.n 2 ::: a;b\nw.n 3 ::: a\nw.n 4 ::: {LONG};a\nw.n 6 ::: a\n"
SECOND = f"w.n 1 ::: b;a\nw.n 2 ::: a;b\nw.n 3 ::: b\nw.n 4 ::: a;{LONG}\nw.n 6 ::: a;x\n"
SAME_R_OTHER_RANK, SAME_R, TEN_OR_FEWER, ITEMS = 2, 5, 5, 6


@pytest.fixture
def paths(tmp_path):
    for name, text in (("g.gold", GOLD), ("first.oot", FIRST), ("second.oot", SECOND)):
        (tmp_path / name).write_text(text)
    return tmp_path / "g.gold", tmp_path / "first.oot", tmp_path / "second.oot"


def scored(paths, measures=("R", "rank@10")):
    gold, *systems = paths
    return lexsub.score(lexsub.read_gold(gold), lexsub.read_runs(systems), measures, resampling=Resampling("none"))


def test_the_counts_are_those_made_by_hand(paths):
    table = order_table(scored(paths))
    (row,) = table.rows
    assert list(row) == ["first – second", SAME_R_OTHER_RANK, SAME_R, TEN_OR_FEWER, ITEMS]


def test_there_is_a_row_for_each_pair_of_systems(paths, tmp_path):
    third = tmp_path / "third.oot"
    third.write_text(FIRST)
    rows = {row[0]: list(row[1:]) for row in order_table(scored((*paths, third))).rows}
    assert rows["first – third"] == [0, 6, TEN_OR_FEWER, ITEMS]
    assert set(rows) == {"first – second", "first – third", "second – third"}


def test_equal_recall_is_not_parted_by_rounding(tmp_path):
    """1.1 + 2.2 is not 3.3 to a computer; the same third of the credit is one recall to a reader."""
    assert 1.1 + 2.2 != 3.3
    (tmp_path / "g.jsonl").write_text('{"id":"1","target":"w","gold":{"a":1.1,"b":2.2,"c":3.3,"d":3.3}}\n')
    (tmp_path / "first.jsonl").write_text('{"id":"1","answers":["a","b"]}\n')
    (tmp_path / "second.jsonl").write_text('{"id":"1","answers":["c"]}\n')
    results = scored((tmp_path / "g.jsonl", tmp_path / "first.jsonl", tmp_path / "second.jsonl"))
    assert list(order_table(results).rows[0][1:]) == [1, 1, 1, 1]


def test_the_counts_are_known_whatever_measures_are_scored(paths):
    assert order_table(scored(paths, ["best1"])).rows == order_table(scored(paths)).rows


@pytest.mark.parametrize("measures", [(), ("-m", "best1"), ("-m", "R", "-m", "rank@10")])
def test_compare_says_it_whatever_measure_is_compared(touchstone, paths, measures):
    code, out, err = touchstone("lexsub", "compare", *paths, *measures)
    assert code == 0, err
    assert "equal R, different rank@10" in out
    assert "Items where two systems have equal R and different rank@10: the order of the answers decides" in out
    assert "both give 10 answers or fewer" in out
    (line,) = [line for line in out.splitlines() if line.split()[-4:] == ["2", "5", "5", "6"]]
    assert line.startswith("first – second")


def test_compare_says_it_in_json_too(touchstone, paths):
    """Nothing else in this comparison is 5: wins, ties and losses are 1, 3 and 2, and there are 6 items."""
    code, out, err = touchstone("lexsub", "compare", *paths, "--json")
    assert code == 0, err
    whole = json.loads(out)
    assert {"leader", "value", "rank", "pair", "table"} == {row["kind"] for row in whole["rows"]}
    assert SAME_R in integers([row for row in whole["rows"] if row["kind"] == "table"])


def integers(value):
    """All whole numbers of a JSON value, however deep."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for one in value for number in integers(one)]
    return [value] if type(value) is int else []


def test_one_system_alone_cannot_be_compared(touchstone, paths):
    code, out, err = touchstone("lexsub", "compare", *paths[:2])
    assert (code, out) == (2, "")
    assert "two systems" in err
