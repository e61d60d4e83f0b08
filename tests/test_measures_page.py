"""The page of the measures names every measure of every registry, and none that there is not."""

import re
from pathlib import Path

import pytest

from touchstone.base.errors import TouchstoneError
from touchstone.base.ranges import Range
from touchstone.core.registry import find_task, task_names

PAGE = (Path(__file__).parents[1] / "docs" / "reference" / "measures.md").read_text("utf-8")
HEADINGS = {
    "lexsub": "Lexical substitution",
    "mt": "Translation",
    "pyramid": "Pyramids",
    "nli": "Inference",
    "items": "Any table of scores",
}


def section(task: str) -> str:
    return re.search(rf"^## {HEADINGS[task]}\n(.*?)(?=^## )", PAGE, re.DOTALL | re.MULTILINE)[1]


def rows(task: str) -> list[list[str]]:
    return [
        re.split(r"(?<!\\) *\| *", line.strip("| ")) for line in section(task).splitlines() if line.startswith("| `")
    ]


@pytest.mark.parametrize("task", task_names())
def test_the_page_has_every_measure_of_a_task(task):
    assert [name for name in find_task(task).measures.names if f"`{name}`" not in section(task)] == []


@pytest.mark.parametrize("task", task_names())
def test_every_measure_on_the_page_exists_with_formula_source_range_and_warning(task):
    for cells in rows(task):
        assert len(cells) == 5, cells
        assert all(cells), cells
        for name in re.findall(r"`([^`]+)`", cells[0]):
            try:
                measure = find_task(task).measures.find(name)
            except TouchstoneError as error:
                pytest.fail(f"{name}: {error}")
            assert measure.lower_is_better == ("lower is better" in cells[3]), name
            declared = "that of the column" if measure.range == Range() else str(measure.range)
            assert re.fullmatch(rf"{declared}\b.*", cells[3]), (name, declared, cells[3])


@pytest.mark.parametrize("task", ["lexsub", "pyramid", "nli"])
def test_the_page_says_which_measures_are_no_mean_of_item_values(task):
    """In mt even means are folded from several parts, so the registry does not tell them apart."""
    for cells in rows(task):
        for name in re.findall(r"`([^`]+)`", cells[0]):
            assert find_task(task).measures.find(name).is_mean == ("**fold**" not in cells[3]), name
