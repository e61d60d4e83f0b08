"""What docs/estimating.md says of real data: a short version of its tables, and in `make soak` all of them."""

import re
from pathlib import Path

import numpy as np
import pytest
from benchmarks.estimating import (
    DRAWS,
    all_cases,
    chosen_table,
    duc,
    half_uncertain,
    outcome,
    random_table,
    realsumm,
)

PAGE = Path(__file__).parents[2] / "docs" / "estimating.md"
SHORT = 100


def shown(first: str) -> list[list[str]]:
    """Return the cells of the table on the page whose header has this cell."""
    tables = re.findall(r"(?:^\|.*\n)+", PAGE.read_text("utf-8"), re.MULTILINE)
    (table,) = [one for one in tables if f"| {first} |" in one.partition("\n")[0]]
    return [[cell.strip() for cell in line.strip("|\n").split("|")] for line in table.splitlines()[2:]]


def close(cell: str, other: str) -> bool:
    """Return whether two cells are the same, numbers but for rounding."""
    try:
        return abs(float(cell.replace(",", "")) - float(other.replace(",", ""))) <= 0.011 * max(1, abs(float(cell)))
    except ValueError:
        return cell == other


def test_a_short_version_of_the_tables_agrees_with_the_page(data):
    (case,) = realsumm(data("realsumm").parent)
    page = {row[4]: row for row in shown("effective scores") if row[0] == case.name}
    for n in (50, 200):
        plain = outcome(case, n, draws=SHORT)
        assert all(0.88 <= share <= 1 for share in plain.coverage)
        assert plain.width == pytest.approx(float(page[str(n)][7]), abs=0.04)
        assert plain.effective * n == pytest.approx(float(page[str(n)][8]), rel=0.08)
    chosen = outcome(case, 100, half_uncertain, SHORT)
    assert abs(chosen.bias) < 3.5
    assert chosen.coverage[1] >= 0.88


@pytest.mark.soak
def test_the_tables_of_the_page_are_what_the_benchmark_gives(data):
    plain = [outcome(case, n) for case in all_cases(data("mqm").parent) for n in case.sizes]
    for table, head in ((random_table(plain), "effective scores"), (chosen_table(plain), "uncertain: gain")):
        found = [[str(cell) for cell in row] for row in table.rows]
        wrong = [(ours, page) for ours, page in zip(found, shown(head), strict=True) if not all(map(close, page, ours))]
        assert not wrong, DRAWS


@pytest.mark.soak
def test_rouge_knows_systems_better_than_summaries(data):
    # The rouge-score package gives .918 and .592 (with stemming).
    (case,) = duc(data("duc2006").parent)
    names = np.array(case.systems)
    means = [[side[names == name].mean() for name in np.unique(names)] for side in (case.human, case.judge)]
    assert np.corrcoef(*means)[0, 1] == pytest.approx(0.92, abs=0.01)
