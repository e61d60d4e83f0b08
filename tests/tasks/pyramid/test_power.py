"""How many document sets tell peers apart."""

import json

import pytest

from touchstone.base.errors import TouchstoneError
from touchstone.pyramid import ScoreTable, power_of
from touchstone.stats.power import power_curve
from touchstone.stats.subsets import subset_power

A = [0.30, 0.42, 0.35, 0.51, 0.44, 0.38]
B = [0.21, 0.30, 0.33, 0.40, 0.36, 0.25]
C = [0.29, 0.40, 0.37, 0.50, 0.45, 0.36]


@pytest.fixture
def table():
    sets = [f"D{place}" for place in range(6)]
    return ScoreTable.of(
        {"set": sets * 3, "peer": [peer for peer in ("1", "2", "3") for _ in sets], "score": A + B + C}
    )


def test_curve_and_subsets_are_those_of_the_statistics_room(table):
    found = power_of(table, ("1", "2"), draws=2000)
    curve = power_curve(A, B, draws=2000)
    assert found.curve.power.tolist() == curve.power.tolist()
    assert found.curve.enough == curve.enough == 4
    subsets = subset_power(table.columns, "score", items="set", systems="peer", between=("1", "2"))
    assert found.subsets.sizes == subsets.sizes
    assert found.subsets.wanted == (("1", "2"),)


def test_without_peers_the_subsets_are_judged_by_all_pairs_that_differ(table):
    found = power_of(table)
    assert found.curve is None
    assert found.subsets.wanted == found.subsets.differing == (("1", "2"), ("3", "2"))
    assert len(found.statement().tables) == 1


def test_sets_and_peers_are_called_so(table):
    curve, subsets = power_of(table, ("1", "2"), draws=200).statement().tables
    assert curve.title.startswith("Peers 1 and 2: power, paired t")
    assert "power 0.8 needs 4 document sets" in curve.notes
    assert "optimistic" in subsets.notes[-1]


def test_a_score_that_is_missing_is_left_out_of_the_curve(table):
    scores = list(table.columns["score"])
    scores[0] = None
    fewer = power_of(ScoreTable.of({**table.columns, "score": scores}), ("1", "2"), draws=200)
    assert fewer.curve.n_items == 5


def test_all_that_was_found_is_one_json_object(table):
    power = power_of(table, ("1", "2"), draws=200)
    rows = json.loads(power.to_json())["rows"]
    assert [row["enough"] for row in rows if row["kind"] == "curve"] == [4]
    assert next(row for row in rows if row["kind"] == "power")["sets"] == 2
    assert [row["size"] for row in rows if row["kind"] == "subset_size"] == [2, 3, 4, 5]
    assert power.to_arrow().num_rows == len(rows)


@pytest.mark.parametrize(
    ("peers", "sentence"), [(("1", "9"), "no such peer"), (("1", "1"), "does not differ from itself")]
)
def test_peers_that_cannot_be_told_apart_are_refused(table, peers, sentence):
    with pytest.raises(TouchstoneError, match=sentence):
        power_of(table, peers)
