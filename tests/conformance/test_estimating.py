"""What docs/estimating.md says of real data: a short version of its tables, and in `make soak` all of them."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from benchmarks.estimating import DRAWS, all_tables, duc, half_uncertain, inference, outcome, realsumm

PAGE = Path(__file__).parents[2] / "docs" / "estimating.md"
SHORT = 100


def shown(title: str) -> list[list[str]]:
    """Return the cells of the table on the page under the comment with this title."""
    table = PAGE.read_text("utf-8").partition(f"<!-- {title} -->\n\n")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def numbers(cell: str) -> list[float]:
    """Return the numbers in a cell, shares for percentages."""
    return [float(one) / (100 if "%" in cell else 1) for one in re.findall(r"[-+]?\d*\.?\d+", cell)]


@pytest.mark.filterwarnings("ignore:people")  # a few of many random samples look like others
def test_a_short_version_of_the_tables_agrees_with_the_page(data):
    (case,) = realsumm(data("realsumm").parent)
    facts, width, saved = ({row[0]: row for row in shown(title)}[case.name] for title in ("cases", "width", "saved"))
    assert float(facts[3]) == pytest.approx(case.correlation, abs=0.005)
    plain = outcome(case, 100, draws=SHORT)
    assert all(0.88 <= share <= 1 for share in plain.coverage)
    assert plain.width / plain.width_alone == pytest.approx(float(width[3]), abs=0.03)
    assert plain.saved == pytest.approx(numbers(saved[3])[0], abs=0.05)
    chosen = outcome(case, 100, half_uncertain, SHORT)
    assert abs(chosen.bias[0]) < 3.5
    assert chosen.coverage[1] >= 0.88


@pytest.mark.soak
@pytest.mark.filterwarnings("ignore:people")
def test_the_tables_of_the_page_are_what_the_benchmark_gives(data):
    for title, table in all_tables(data("mqm").parent).items():
        for page, row in zip(shown(title), table.rows, strict=True):
            assert page[0] == row[0]
            for cell, found in zip(page[1:], row[1:], strict=True):
                assert numbers(cell.replace(",", "")) == pytest.approx(numbers(str(found or "")), abs=0.011), title


@pytest.mark.soak
def test_rouge_knows_systems_better_than_summaries(data):
    # The rouge-score package gives .918 and .592 (with stemming).
    (case,) = duc(data("duc2006").parent)
    names = np.array(case.systems)
    means = [[side[names == name].mean() for name in np.unique(names)] for side in (case.human, case.judge)]
    assert np.corrcoef(*means)[0, 1] == pytest.approx(0.91, abs=0.005)


@pytest.mark.soak
def test_shares_near_one_lean_upwards_in_uniform_samples_too(data):
    (case,) = inference(data("breaking_nli").parent)
    alone, both = outcome(case, 50).bias
    assert abs(alone) < 3
    assert both / np.sqrt(DRAWS) == pytest.approx(0.2, abs=0.05)


def test_the_table_of_simulations_is_that_of_the_recorded_ones():
    recorded = PAGE.parents[1] / "benchmarks" / "results" / "estimating_simulations.jsonl"
    runs = [json.loads(line) for line in recorded.read_text().splitlines()]
    assert f"It is based on {len(runs)} of the settings" in " ".join(PAGE.read_text("utf-8").split())
    assert max(run[what]["largest_ratio"] for run in runs for what in ("value", "difference")) <= 1
    worlds = list(dict.fromkeys(run["scores"] for run in runs))
    for world, row in zip(worlds, shown("simulations"), strict=True):
        for size, cell in zip((20, 50, 500), row[1:], strict=True):
            own = [run for run in runs if (run["scores"], run["human_scores"]) == (world, size)]
            coverage = [
                run[what]["coverage"] for run in own if run["judge"] != "perfect" for what in ("value", "difference")
            ]
            few = f" ({len(own)} of 25)" if len(own) < 25 else ""
            assert cell == f"{min(coverage):.3f} to {max(coverage):.3f}{few}"
