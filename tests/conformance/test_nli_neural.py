"""The tables of docs/nli_reduced.md are those of the runs in benchmarks/results/nli_neural.jsonl.

Where the figures of single runs are not kept, parts must add up to recorded totals, counts must be those of the data,
and the table of repair must have the values that its figure shows.
"""

import json
import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from statistics import mean

import pytest
from benchmarks.nli_neural import CHOSEN, RELATION_WEIGHTS
from defusedxml import ElementTree
from scipy.stats import ttest_ind

from touchstone import nli
from touchstone.stats import holm

ROOT = Path(__file__).parents[2]
WHOLE = 41_523
COLUMNS = ("attention", "ESIM", "residual", "KIM", "instances", "cross")
MODELS = ("decomposable_attention", "esim", "residual_encoder", "kim", "kim_instances", "cross_encoder")
PAGE = (ROOT / "docs" / "nli_reduced.md").read_text()


@pytest.fixture(scope="module")
def runs():
    lines = (ROOT / "benchmarks" / "results" / "nli_neural.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def cells(header):
    """Return the cells of each row of a table of the page, as they are written."""
    lines = PAGE[PAGE.index(f"| {header} |") :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines]


def table(header):
    """Return the numbers in the rows of a table of the page, by their first cell."""
    return {first: [float(cell.replace(",", "").replace("+", "")) for cell in row] for first, *row in cells(header)}


def values(runs, model, pairs, test, measure):
    own = [run[test][measure] for run in runs if (run["model"], run["training_pairs"]) == (model, pairs)]
    assert len(own) == (5 if pairs == WHOLE else 3)
    return own


def average(runs, model, pairs, test, measure):
    return mean(values(runs, model, pairs, test, measure))


def drops(runs, model):
    """Return the drop of each of the five runs."""
    usual, hard = (values(runs, model, WHOLE, test, "accuracy") for test in ("snli_test", "challenge"))
    return [b - a for a, b in zip(usual, hard, strict=True)]


@pytest.mark.parametrize("model", MODELS)
def test_the_drop_is_the_mean_of_five_runs(runs, model):
    original, challenge, drop, *others = table("model | SNLI test | challenge set | drop | macro-F1")[model]
    usual, hard = (average(runs, model, WHOLE, test, "accuracy") for test in ("snli_test", "challenge"))
    assert (original, challenge) == (round(100 * usual, 1), round(100 * hard, 1))
    assert drop == pytest.approx(100 * (hard - usual), abs=0.06)
    measures = ("macro_f1", "recall.contradiction", "recall.entailment", "recall.neutral")
    expected = [100 * average(runs, model, WHOLE, "challenge", measure) for measure in measures]
    assert others == pytest.approx(expected, abs=0.06)


@pytest.mark.parametrize("model", MODELS)
def test_the_range_is_that_of_five_runs_and_other_sets_are_means(runs, model):
    rows = {first: row for first, *row in cells("range of five runs")}
    accuracies = [values(runs, model, WHOLE, test, "accuracy") for test in ("snli_test", "challenge")]
    for cell, own in zip(rows[model], [*accuracies, drops(runs, model)], strict=False):
        assert cell == f"{100 * min(own):.1f} to {100 * max(own):.1f}"
    for cell, test in zip(rows[model][3:], ("mnli_val", "sick_test"), strict=True):
        assert cell == f"{100 * average(runs, model, WHOLE, test, 'accuracy'):.1f}"


def test_kim_loses_least_of_the_papers_models_over_seeds_and_the_two_kims_cannot_be_told_apart(runs):
    own = {model: drops(runs, model) for model in MODELS}
    pairs = list(combinations(MODELS, 2))
    p = dict(zip(pairs, holm([ttest_ind(own[a], own[b], equal_var=False).pvalue for a, b in pairs]), strict=True))
    less = [100 * (mean(own["kim"]) - mean(own[other])) for other in MODELS[:3]]
    assert f"It loses {min(less):.1f} to {max(less):.1f} points less" in PAGE
    assert max(p[other, "kim"] for other in MODELS[:3]) < 0.002
    assert p["kim", "kim_instances"] == p["kim", "cross_encoder"] == 1
    assert abs(mean(own["kim"]) - mean(own["cross_encoder"])) < 0.0005
    macro_f1 = {model: average(runs, model, WHOLE, "challenge", "macro_f1") for model in MODELS}
    assert max(MODELS[:4], key=macro_f1.__getitem__) == "kim"
    assert macro_f1["cross_encoder"] > macro_f1["kim"]


def test_always_contradiction_has_the_figures_of_the_sets(data):
    sets = [data("snli") / "s1.test", data("breaking_nli") / "dataset.jsonl"]
    counts = [Counter(pair.gold for pair in nli.read_gold(path).pairs if pair.gold) for path in sets]
    usual, hard = (100 * count["contradiction"] / count.total() for count in counts)
    f1 = 100 * 2 * counts[1]["contradiction"] / (counts[1].total() + counts[1]["contradiction"]) / 3
    row = table("model | SNLI test | challenge set | drop | macro-F1")["always contradiction"]
    assert row == pytest.approx([usual, hard, hard - usual, f1, 100, 0, 0], abs=0.06)
    assert counts[1] == {"contradiction": 7164, "entailment": 982, "neutral": 47}
    assert "(7,164 contradictions, 982 entailments, 47\nneutral)" in PAGE


def test_a_learning_curve_is_the_mean_of_its_runs(runs):
    sets = [(test, model) for test in ("snli_test", "challenge") for model in ("esim", "kim")]
    for size, row in table("training pairs | ESIM, SNLI test").items():
        pairs = int(size.replace(",", ""))
        expected = [average(runs, model, pairs, test, "accuracy") for test, model in sets]
        assert row == pytest.approx(expected, abs=6e-4)


@pytest.mark.parametrize(
    ("headers", "measure"),
    [
        (["category | pairs"], "accuracy"),
        (["words of the pair | pairs"], "accuracy"),
        (["training contradictions with both words | pairs"], "recall.contradiction"),
        (
            ["cosine of the two words | pairs", "training contradictions with both words | pairs"],
            "recall.contradiction",
        ),
    ],
)
def test_the_parts_of_the_challenge_set_make_up_the_whole(runs, headers, measure):
    """Cosines are of pairs of single words: the row of several words is in the table before."""
    rows = table(headers[0])
    rows.pop("all", None)
    for header in headers[1:]:
        rows["several words"] = table(header)["several words"]
    count = sum(row[0] for row in rows.values())
    assert count == (8193 if measure == "accuracy" else 7164)
    for column, model in enumerate(MODELS, 1):
        whole = sum(row[0] * row[column] for row in rows.values()) / count
        assert whole == pytest.approx(average(runs, model, WHOLE, "challenge", measure), abs=1e-3)


def test_categories_have_the_pairs_of_the_set(data):
    names = {"colours": "colors", "antonyms (WordNet)": "antonyms_wordnet"}
    pairs = nli.read_gold(data("breaking_nli") / "dataset.jsonl").pairs
    counts = {category: row[0] for category, row in table("category | pairs").items() if category != "all"}
    assert {names.get(name, name): count for name, count in counts.items()} == Counter(pair.category for pair in pairs)


def test_columns_stand_in_the_order_of_the_models():
    headers = re.findall(r"pairs \| (attention [^\n]*) \|\n", PAGE)
    assert len(headers) == 4
    assert all(tuple(header.split(" | ")) == COLUMNS for header in headers)


def test_the_weight_of_relations_is_the_best_on_the_hold_out():
    best = max(RELATION_WEIGHTS.values())
    [weight] = [weight for weight, accuracy in RELATION_WEIGHTS.items() if accuracy == best]
    assert {CHOSEN[model]["relation_weight"] for model in ("kim", "kim_instances")} == {weight}
    [row] = [row for row in cells("model | setting | hold-out") if row[0] == "kim"]
    assert row[1].endswith(f"λ = {weight:g}")
    assert row[2] == f"{best}"
    others = {value: accuracy for value, accuracy in RELATION_WEIGHTS.items() if value != weight}
    assert row[3] == "; ".join(f"λ = {value:g}: {accuracy}" for value, accuracy in others.items())


TESTS = ("same lists", "other lists", "challenge set", "the same, new words", "SNLI test")
PANELS = ("same lists", "other lists", "SNLI test", "challenge set", "the same, new words")
"""Test sets in the order of the table, and in the order of the figure."""


def drawn():
    """Return the values of both models in each panel of the figure of repair, from its grid and its lines."""
    grid, lines = [], []
    for path in ElementTree.parse(ROOT / "docs" / "figures" / "nli_repair.svg").iter(
        "{http://www.w3.org/2000/svg}path"
    ):
        points = [tuple(map(float, point)) for point in re.findall(r"[ML] ([\d.]+) ([\d.]+)", path.get("d", ""))]
        style = path.get("style", "")
        if style.startswith("fill: none; stroke: #e4e7eb") and points[0][1] == points[1][1]:
            grid.append(points[0][1])
        if style.startswith(("fill: none; stroke: #0072b2", "fill: none; stroke: #e69f00")) and len(points) == 4:
            lines.append([height for _, height in points])
    scales = [(grid[at], grid[at + 4]) for at in range(0, len(grid), 5)]  # lines at .2, .4, .6, .8 and 1
    models = zip(lines[::2], lines[1::2], strict=True)
    return {
        panel: [[0.2 + 0.8 * (low - height) / (low - high) for height in line] for line in both]
        for panel, (low, high), both in zip(PANELS, scales, models, strict=True)
    }


def test_the_table_of_repair_has_the_values_of_its_figure(runs):
    rows = [[float(cell) for cell in row[1:]] for row in cells("k | same lists")]
    assert [row[0].split()[-1] for row in cells("k | same lists")] == ["0", "50", "200", "800"] * 2
    for test, panel in drawn().items():
        column = TESTS.index(test)
        for model, line in enumerate(panel):
            assert [row[column] for row in rows[4 * model : 4 * model + 4]] == pytest.approx(line, abs=6e-4)
    for row, model in ((rows[0], "esim"), (rows[4], "kim")):
        for test, name in (("challenge set", "challenge"), ("SNLI test", "snli_test")):
            assert row[TESTS.index(test)] == pytest.approx(average(runs, model, WHOLE, name, "accuracy"), abs=6e-4)
