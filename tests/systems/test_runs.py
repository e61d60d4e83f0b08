"""The table of runs has every run of a method on a set beside the others, and averages them only when asked to."""

import numpy as np
import pytest

from touchstone.systems.runs import RunRow, RunTable

TABLE = RunTable(
    [
        RunRow("esim", "test", "esim-1", {"right": np.array([1.0, 0.0])}),
        RunRow("kim", "test", "kim-1", {"right": np.array([0.0, 0.0])}),
        RunRow("esim", "other", "esim-1", {"right": np.array([1.0, 1.0, 1.0])}),
        RunRow("esim", "test", "esim-2", {"right": np.array([1.0, 1.0])}),
    ]
)


def test_methods_and_sets_have_the_order_of_the_rows():
    assert (TABLE.methods, TABLE.sets) == (["esim", "kim"], ["test", "other"])


def test_runs_of_a_method_on_a_set_are_an_axis_wherever_they_stand():
    assert [row.run for row in TABLE.runs("esim", "test")] == ["esim-1", "esim-2"]
    assert TABLE.values("esim", "test", "right").tolist() == [[1, 0], [1, 1]]
    assert TABLE.mean("esim", "test", "right").tolist() == [1, 0.5]
    assert TABLE.values("esim", "other", "right").shape == (1, 3)


def test_a_method_without_a_run_on_a_set_is_no_mean_of_nothing():
    with pytest.raises(KeyError):
        TABLE.mean("kim", "other", "right")
