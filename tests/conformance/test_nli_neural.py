"""The tables of docs/nli_reduced.md are those of the runs in benchmarks/results/nli_neural.jsonl."""

import json
import re
from pathlib import Path
from statistics import mean

import pytest

ROOT = Path(__file__).parents[2]
WHOLE = 41_523
COLUMNS = ("attention", "ESIM", "residual", "KIM", "instances", "cross")
MODELS = ("decomposable_attention", "esim", "residual_encoder", "kim", "kim_instances", "cross_encoder")


@pytest.fixture(scope="module")
def runs():
    lines = (ROOT / "benchmarks" / "results" / "nli_neural.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def table(header):
    """Return the rows of a table of the page, by their first cell."""
    text = (ROOT / "docs" / "nli_reduced.md").read_text()
    found = text[text.index(f"| {header} |") :].split("\n\n")[0].splitlines()[2:]
    rows = [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in found]
    return {first: [float(cell.replace(",", "").replace("+", "")) for cell in cells] for first, *cells in rows}


def average(runs, model, pairs, test, measure):
    own = [run[test][measure] for run in runs if (run["model"], run["training_pairs"]) == (model, pairs)]
    assert len(own) == (5 if pairs == WHOLE else 3)
    return mean(own)


@pytest.mark.parametrize("model", MODELS)
def test_the_drop_is_the_mean_of_five_runs(runs, model):
    original, challenge, drop, *others = table("model | SNLI test | challenge set | drop | macro-F1")[model]
    usual, hard = (average(runs, model, WHOLE, test, "accuracy") for test in ("snli_test", "challenge"))
    assert (original, challenge) == (round(100 * usual, 1), round(100 * hard, 1))
    assert drop == pytest.approx(100 * (hard - usual), abs=0.06)
    measures = ("macro_f1", "recall.contradiction", "recall.entailment", "recall.neutral")
    expected = [100 * average(runs, model, WHOLE, "challenge", measure) for measure in measures]
    assert others == pytest.approx(expected, abs=0.06)


def test_a_learning_curve_is_the_mean_of_its_runs(runs):
    sets = [(test, model) for test in ("snli_test", "challenge") for model in ("esim", "kim")]
    for size, cells in table("training pairs | ESIM, SNLI test").items():
        pairs = int(size.replace(",", ""))
        expected = [average(runs, model, pairs, test, "accuracy") for test, model in sets]
        assert cells == pytest.approx(expected, abs=6e-4)


@pytest.mark.parametrize(
    ("header", "measure"),
    [
        ("category | pairs", "accuracy"),
        ("words of the pair | pairs", "accuracy"),
        ("training contradictions with both words | pairs", "recall.contradiction"),
    ],
)
def test_the_parts_of_the_challenge_set_make_up_the_whole(runs, header, measure):
    rows = table(header)
    rows.pop("all", None)
    count = sum(cells[0] for cells in rows.values())
    for column, model in enumerate(MODELS, 1):
        whole = sum(cells[0] * cells[column] for cells in rows.values()) / count
        assert whole == pytest.approx(average(runs, model, WHOLE, "challenge", measure), abs=1e-3)


def test_columns_stand_in_the_order_of_the_models():
    text = (ROOT / "docs" / "nli_reduced.md").read_text()
    headers = re.findall(r"pairs \| (attention [^\n]*) \|\n", text)
    assert len(headers) == 4
    assert all(tuple(header.split(" | ")) == COLUMNS for header in headers)
