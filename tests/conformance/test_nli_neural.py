"""The tables and figures of docs/nli_reduced.md are those of the runs that benchmarks/results keeps."""

import hashlib
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from statistics import mean

import numpy as np
import pytest
from benchmarks.nli_labelling import scores
from benchmarks.nli_neural import CHOSEN, RELATION_WEIGHTS, TESTS
from benchmarks.nli_report import MODELS, REPAIRED, SETS, WHOLE, Kept, page_tables
from defusedxml import ElementTree

from touchstone import nli
from touchstone.systems.inference.labelling import FILE, PairLabeller

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "nli_reduced.md").read_text()
PROSE = " ".join(PAGE.split())
PAPER = list(MODELS)[:4]
"""The four models of the paper."""


@pytest.fixture(scope="module")
def kept():
    return Kept()


@pytest.fixture(scope="module")
def golds(data):
    return {test: nli.read_gold(data(Path(TESTS[test]).parts[0]) / Path(TESTS[test]).name) for test in SETS}


@pytest.fixture(scope="module")
def tables(kept, data):
    return page_tables(kept, data("snli").parent)


def cells(header):
    """Return the cells of each row of a table of the page, as they are written."""
    lines = PAGE[PAGE.index(f"| {header} |") :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines]


def test_the_page_shows_the_tables_of_the_runs(tables):
    for name, table in tables.items():
        assert f"<!-- {name} -->\n\n{table.to_markdown().strip()}\n" in PAGE, name


def test_the_labels_of_a_run_have_its_figures(kept, golds):
    for test, gold in golds.items():
        right = np.array([pair.gold[0] for pair in gold.pairs])
        for run in kept.figures:
            size = "" if run["training_pairs"] == WHOLE else f"-{run['training_pairs']}"
            letters = kept.labels[test].get(f"{run['model']}{size}-{run['seed']}")
            if letters is None:
                assert (run["model"], run["seed"]) == ("decomposable_attention", 1)
            else:
                assert np.mean(np.array(list(letters)) == right) == pytest.approx(run[test]["accuracy"], abs=1e-5)


@pytest.mark.parametrize("model", MODELS)
def test_every_model_has_five_runs_on_all_pairs(kept, model):
    seeds = [run["seed"] for run in kept.figures if (run["model"], run["training_pairs"]) == (model, WHOLE)]
    assert sorted(seeds) == [1, 2, 3, 4, 5]


def test_curves_have_three_runs_for_each_size(kept):
    counts = Counter((run["model"], run["training_pairs"]) for run in kept.figures if run["training_pairs"] < WHOLE)
    assert counts == dict.fromkeys([(model, size) for model in ("esim", "kim") for size in (5000, 10000, 20000)], 3)


def test_kim_loses_least_of_the_papers_models(kept, tables):
    drop = {model: 100 * mean(kept.drops(model)) for model in MODELS}
    less = [drop["kim"] - drop[other] for other in PAPER[:3]]
    assert f"It loses {min(less):.1f} to {max(less):.1f} points less" in PROSE
    p = {frozenset(row[0].split(" – ")): (float(row[3]), row[4]) for row in tables["tests"].rows}
    assert max(p[frozenset(("kim", other))][0] for other in PAPER[:3]) < 0.002
    assert all(p[frozenset(("kim", other))][1] in ("0.0007", "< 0.0001") for other in PAPER[:3])
    assert p[frozenset(("kim", "kim_instances"))][1] == p[frozenset(("kim", "cross_encoder"))][1] == "1.0000"
    difference, over_premises = drop["cross_encoder"] - drop["kim"], p[frozenset(("kim", "cross_encoder"))][0]
    assert f"(difference {difference:.1f}, p {over_premises:.2f})".replace(" 0.", " .") in PROSE
    macro_f1 = {model: kept.mean(model, "challenge", "macro_f1") for model in MODELS}
    assert max(PAPER, key=macro_f1.__getitem__) == "kim"
    assert macro_f1["cross_encoder"] > macro_f1["kim"]


def test_always_contradiction_has_the_figures_of_the_sets(golds):
    counts = [Counter(pair.gold for pair in gold.pairs if pair.gold) for gold in golds.values()]
    usual, hard = (100 * count["contradiction"] / count.total() for count in counts)
    f1 = 100 * 2 * counts[1]["contradiction"] / (counts[1].total() + counts[1]["contradiction"]) / 3
    sentence = (
        f"contradiction has {usual:.1f} on SNLI test and {hard:.1f} on the challenge set, with a macro-F1 of {f1:.1f}"
    )
    assert sentence in PROSE
    assert counts[1] == {"contradiction": 7164, "entailment": 982, "neutral": 47}
    assert "(7,164 contradictions, 982 entailments, 47 neutral)" in PROSE


def test_the_weight_of_relations_is_the_best_on_the_hold_out():
    best = max(RELATION_WEIGHTS.values())
    [weight] = [weight for weight, accuracy in RELATION_WEIGHTS.items() if accuracy == best]
    assert {CHOSEN[model]["relation_weight"] for model in ("kim", "kim_instances")} == {weight}
    [row] = [row for row in cells("model | setting | hold-out") if row[0] == "kim"]
    assert row[1].endswith(f"λ = {weight:g}")
    assert row[2] == f"{best}"
    others = {value: accuracy for value, accuracy in RELATION_WEIGHTS.items() if value != weight}
    assert row[3] == "; ".join(f"λ = {value:g}: {accuracy}" for value, accuracy in others.items())


def test_similar_words_mislead_every_model(tables):
    rows = {row[0]: [float(cell) for cell in row[2:]] for row in tables["cosine"].rows}
    lost = dict(zip(MODELS, np.subtract(rows["0.8–0.9"], rows["0.9–1.0"]) * 100, strict=True))
    kims = [lost.pop(model) for model in ("kim", "kim_instances")]
    assert f"two versions of KIM lose {min(kims):.0f} to {max(kims):.0f} points" in PROSE
    assert f"the others {min(lost.values()):.0f} to {max(lost.values()):.0f}" in PROSE


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
        for panel, (low, high), both in zip(REPAIRED.values(), scales, models, strict=True)
    }


def test_the_figure_of_repair_shows_the_values_of_record(kept):
    points = {
        (REPAIRED[point["test"]], point["model"], point["size"]): point["value"]
        for point in kept.repair
        if point["measure"] == "accuracy"
    }
    for panel, lines in drawn().items():
        for model, line in zip(("esim", "kim"), lines, strict=True):
            assert line == pytest.approx([points[panel, model, size] for size in (0, 50, 200, 800)], abs=6e-4)
    for model in ("esim", "kim"):
        for name, test in (("challenge set", "challenge"), ("SNLI test", "snli_test")):
            assert points[name, model, 0] == pytest.approx(kept.mean(model, test, "accuracy"), abs=6e-4)


def test_training_is_five_times_as_fast_as_the_plain_version(kept):
    assert all(one["plain_scaled"] / one["seconds"] >= 5 for one in kept.speed)
    assert [one["model"] for one in kept.speed if "profile" in one] == ["kim", "cross_encoder"]


@pytest.fixture(scope="module")
def labeller(tmp_path_factory):
    """Return the file that make labeller builds."""
    pytest.importorskip("torch", reason="the extra neural is not installed")
    from training.nli_labeller import CHANGES
    from training.weight_changes import build_labeller

    from touchstone.systems.inference.pretrained import read_pretrained

    file = tmp_path_factory.mktemp("labeller") / FILE
    build_labeller(CHANGES, read_pretrained(), file)
    return file


def test_make_labeller_builds_the_labeller_whose_figures_the_page_shows(kept, labeller):
    assert hashlib.sha256(labeller.read_bytes()).hexdigest() == kept.labeller["sha256"]
    accuracy = 100 * kept.labeller["snli_test"]["accuracy"]
    assert f"{accuracy:.1f} % on SNLI test" in PROSE
    assert accuracy > 81.1


def test_the_labeller_labels_pairs(kept, labeller, golds):
    gold = golds["snli_test"]
    some = replace(gold, pairs=gold.pairs[:100], lines=gold.lines[:100])
    labels = PairLabeller(labeller).label(some).labels
    assert scores([pair.gold for pair in some.pairs], labels)["accuracy"] == kept.labeller["first_100"]
