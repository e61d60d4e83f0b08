"""``estimate --next``: the items for people next, and the estimate with what they answered."""

import csv
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet

from touchstone.base.errors import TouchstoneError
from touchstone.cli import app

ITEMS = 200


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Give a function that runs a command in a folder with the scores of a judge, and 30 of people."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    judge = random.random(ITEMS)
    human = np.clip(judge + random.normal(0, 0.1 + 0.3 * (judge > 0.5)), 0, 1)
    write("judge.csv", [{"system": "a", "item": f"i{n}", "score": score} for n, score in enumerate(judge)])
    rows = [{"system": "a", "item": f"i{n}", "score": score} for n, score in enumerate(human)]
    write("all.csv", rows)
    write("human.csv", rows[:30])

    def command(*words):
        result = CliRunner().invoke(app, ["items", "estimate", *words], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.stdout

    return command


def systems(printed):
    """The systems of an estimate that was printed as JSON."""
    return [row for row in json.loads(printed)["rows"] if row["kind"] == "estimate"]


def write(name, rows):
    with Path(name).open("w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


def read(name):
    with Path(name).open(newline="") as file:
        return {row["item"]: row for row in csv.DictReader(file)}


def test_the_asked_items_and_their_probabilities_make_one_estimate(run):
    run("human.csv", "judge.csv", "--next", "20", "--strategy", "uncertain", "-o", "ask.csv")
    asked, every = read("ask.csv"), read("all.csv")
    assert [row["strategy"] for row in asked.values()].count("uncertain") == 20
    assert len(asked) == 50
    write("human.csv", [every[item] for item in asked])
    beside = run("human.csv", "judge.csv", "--asked", "ask.csv", "--json")
    write("human.csv", [every[item] | {"probability": row["probability"]} for item, row in asked.items()])
    inside = run("human.csv", "judge.csv", "--json")
    (one,), (other,) = map(systems, (beside, inside))
    assert one["both"] == pytest.approx(other["both"])
    assert one["labels"] == 50
    truth = np.mean([float(row["score"]) for row in every.values()])
    assert one["both"]["low"] < truth < one["both"]["high"]
    run("human.csv", "judge.csv", "--next", "5", "-o", "again.csv")
    assert len(read("again.csv")) == 55


def test_without_a_file_the_items_are_printed(run):
    said = run("human.csv", "judge.csv", "--next", "3", "--strategy", "stratified", "--seed", "1")
    assert said.count("stratified") == 3
    rows = json.loads(run("human.csv", "judge.csv", "--next", "3", "--json"))["rows"]
    assert [row["strategy"] for row in rows] == ["uniform"] * 3 + ["earlier"] * 30
    assert {tuple(row) for row in rows} == {("kind", "item", "probability", "strategy")}


def test_a_way_to_choose_without_a_number_of_items_is_refused(run):
    with pytest.raises(TouchstoneError, match="--strategy is for --next"):
        run("human.csv", "judge.csv", "--strategy", "stratified")


def test_strata_that_items_were_drawn_from_make_the_interval_narrower(run):
    sets, every = [f"s{n % 8}" for n in range(ITEMS)], read("all.csv")
    shifted = {item: float(row["score"]) + int(own[1:]) for (item, row), own in zip(every.items(), sets, strict=True)}
    judge = [row | {"set": own} for row, own in zip(read("judge.csv").values(), sets, strict=True)]
    write("judge.csv", judge)
    Path("human.csv").write_text("")
    drawn = ("--next", "40", "--strategy", "stratified", "--strata", "set")
    run("human.csv", "judge.csv", *drawn, "-o", "ask.csv")
    asked = read("ask.csv")
    write("human.csv", [{"system": "a", "item": item, "score": shifted[item]} for item in asked])
    about = ("human.csv", "judge.csv", "--asked", "ask.csv", "--population", "set")
    found = run(*about, "--strata", "set", "--json")
    assert json.loads(found)["signature"]["intervals"] == "95% t over items in strata by set, set"
    (own,), (other,) = map(systems, (found, run(*about, "--json")))
    truth = np.mean(list(shifted.values()))
    assert own["both"]["low"] < truth < own["both"]["high"]
    assert own["both"]["high"] - own["both"]["low"] < 0.2 * (other["both"]["high"] - other["both"]["low"])
    assert "strata: people scored a random sample of each set" in run(*about, "--strata", "set")
    with pytest.raises(TouchstoneError, match="strata are only for estimates about this set"):
        run(*about[:-2], "--strata", "set")


@pytest.mark.parametrize("text", ["", "\n", "system,item,score\n"])
@pytest.mark.parametrize("strategy", ["uniform", "stratified"])
def test_the_first_items_are_drawn_before_there_are_human_scores(run, text, strategy):
    Path("human.csv").write_text(text)
    run("human.csv", "judge.csv", "--next", "20", "--strategy", strategy, "-o", "ask.csv")
    asked, every = read("ask.csv"), read("all.csv")
    assert [float(row["probability"]) for row in asked.values()] == pytest.approx([20 / ITEMS] * 20)
    tenths = {int(10 * float(every[item]["score"])) for item in asked}
    assert len(tenths) > 3
    write("human.csv", [every[item] for item in asked])
    [found] = systems(run("human.csv", "judge.csv", "--asked", "ask.csv", "--json"))
    assert found["labels"] == 20
    Path("human.csv").write_text(text)
    with pytest.raises(TouchstoneError, match="0 human scores are too few"):
        run("human.csv", "judge.csv", "--next", "20", "--strategy", "uncertain", "-o", "ask.csv")


def test_a_file_that_is_no_text_is_not_taken_for_one_without_scores(run):
    rows = list(read("human.csv").values())
    columns = {name: [row[name] for row in rows] for name in ("system", "item")}
    parquet.write_table(pa.table(columns | {"score": [float(row["score"]) for row in rows]}), "human.parquet")
    run("human.parquet", "judge.csv", "--next", "5", "-o", "ask.csv")
    assert len(read("ask.csv")) == 35
    Path("human.csv").write_bytes(b"\xe9\xff")
    with pytest.raises(TouchstoneError, match="is not utf-8"):
        run("human.csv", "judge.csv", "--next", "5", "-o", "ask.csv")


def test_probabilities_of_the_asked_items_count_before_those_of_the_table(run):
    run("human.csv", "judge.csv", "--next", "20", "-o", "ask.csv")
    rows = [row | {"probability": "1"} for row in read("human.csv").values()]
    write("human.csv", rows)
    found = json.loads(run("human.csv", "judge.csv", "--asked", "ask.csv", "--json"))
    assert "the probabilities of ask.csv count, not those of the human table" in found["notes"]


def test_a_file_that_cannot_hold_the_items_is_refused_before_work(run):
    with pytest.raises(TouchstoneError, match="no table format has this suffix"):
        run("human.csv", "judge.csv", "--next", "3", "-o", "ask.txt")
    with pytest.raises(TouchstoneError, match="171 items asked for, but 170 of 200 have no human score yet"):
        run("human.csv", "judge.csv", "--next", "171", "-o", "ask.csv")
