"""The table of runs: which runs are averaged, and that tables, rows and reports have the same numbers."""

import pytest

from touchstone import nli
from touchstone.core.resampling import Resampling
from touchstone.show.page import render
from touchstone.systems.inference.experiments import experiment
from touchstone.systems.inference.runs import Condition, ModelRun, score_runs

LABELS = ("contradiction", "entailment", "neutral")
GOLD = nli.read_gold(
    [{"id": f"{n}", "premise": f"p {n}", "hypothesis": "a cat", "gold": LABELS[n % 3]} for n in range(30)]
)


def run_of(name, wrong):
    """Return a run that is wrong on the first *wrong* pairs."""
    return nli.read_run([{"id": f"{n}", "label": LABELS[(n + (n < wrong)) % 3]} for n in range(30)], name=name)


RUNS = [
    ModelRun("esim", 20, "usual", run_of("esim-20-1", 6)),
    ModelRun("kim", 20, "usual", run_of("kim-20-1", 15)),
    ModelRun("esim", 20, "usual", run_of("esim-20-2", 12)),
    ModelRun("esim", 40, "usual", run_of("esim-40-1", 3)),
]


def test_a_condition_is_the_mean_of_its_runs_wherever_they_stand():
    table = score_runs({"usual": GOLD}, RUNS, Resampling("none"))
    assert table.methods == [("esim", 20), ("kim", 20), ("esim", 40)]
    assert table.run_values(Condition("esim", 20), "usual", "accuracy").tolist() == [24 / 30, 18 / 30]
    assert [row.run for row in table.runs(Condition("esim", 20), "usual")] == ["esim-20-1", "esim-20-2"]
    assert table.values(Condition("esim", 20), "usual", "accuracy").shape == (2, 30, 2)
    point = table.points(["accuracy"])[0]
    assert point.value == pytest.approx((24 + 18) / 60)
    assert (point.runs, point.least, point.most) == (2, 18 / 30, 24 / 30)


def test_values_and_changes_are_rows_and_the_largest_size_is_in_words():
    curve = experiment("Learning curves", "training pairs", {"usual": GOLD}, RUNS)
    rows = curve.to_dict()["rows"]
    values = {(row["model"], row["size"]): row["value"] for row in rows if row.get("measure") == "accuracy"}
    assert values == pytest.approx({("esim", 20): 0.7, ("esim", 40): 0.9, ("kim", 20): 0.5})
    (change,) = (row for row in rows if row["kind"] == "change")
    assert (change["model"], change["size"], change["difference"]) == ("esim", 40, pytest.approx(0.2))
    (sentence,) = curve.sentences()
    assert sentence.startswith("From 20 to 40 training pairs, the accuracy of esim on usual changes by +0.200")
    assert "changes by +0.200" in render(curve.page())


def test_a_drop_states_runs_ranges_and_tests_over_seeds_as_numbers():
    runs = {
        "esim": [(run_of("esim-1", 3), run_of("esim-1", 9)), (run_of("esim-2", 6), run_of("esim-2", 14))],
        "kim": [(run_of("kim-1", 4), run_of("kim-1", 10)), (run_of("kim-2", 5), run_of("kim-2", 12))],
    }
    drops = nli.drop(GOLD, GOLD, runs)
    rows = drops.to_dict()["rows"]
    (fall,) = (row for row in rows if row["kind"] == "drop" and row["model"] == "esim")
    assert fall["value"] == pytest.approx(-7 / 30)
    found = [(row["run"], row["drop"]) for row in rows if row["kind"] == "run" and row["model"] == "esim"]
    assert found == [("esim-1", pytest.approx(-6 / 30)), ("esim-2", pytest.approx(-8 / 30))]
    (span,) = (row for row in rows if row["kind"] == "range" and (row["model"], row["figure"]) == ("kim", "drop"))
    assert (span["mean"], span["least"], span["most"]) == pytest.approx((-6.5 / 30, -7 / 30, -6 / 30))
    pairs = [row for row in rows if row["kind"] == "seed pair"]
    assert [row["measure"] for row in pairs] == ["challenge", "drop", "macro_f1"]
    assert pairs[1]["difference"] == pytest.approx(-0.5 / 30)
    assert drops.sentences()[0].startswith("The accuracy of kim goes from 0.850 to 0.633 (-0.217")
