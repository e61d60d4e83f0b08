"""Records and their folds."""

import numpy as np
import pytest

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.stats import cluster_records, folded, mean, mean_records
from touchstone.stats.records import Records


def test_an_item_without_a_value_does_not_count_in_the_mean():
    records = mean_records(np.array([0.2, np.nan, 0.6, np.inf]))
    assert mean(records.sum(axis=0)) == pytest.approx((0.2 + 0.6) / 2)


def test_a_fold_may_divide_by_nothing():
    assert np.isnan(folded(lambda sums: sums[..., 0] / sums[..., 1], np.zeros(2)))


def test_an_items_record_is_the_mean_of_its_rows_that_count():
    values = np.array([0.1, np.nan, 0.7, 0.2, np.nan, 0.4])
    items, annotators = np.array([0, 1, 0, 2, 3, 0]), np.array([0, 0, 1, 1, 1, 2])
    observed = Records(mean_records(values), items, annotator=annotators)
    assert observed.of_items().tolist() == [[(0.1 + 0.7 + 0.4) / 3, 1], [0, 0], [0.2, 1], [0, 0]]
    rows = np.array([[1.0, 2.0, 1.0], [3.0, 4.0, 1.0], [8.0, 8.0, 0.0]])
    assert Records(rows, np.array([0, 0, 0]), run=np.array([0, 1, 2])).of_items().tolist() == [[2.0, 3.0, 1.0]]


def test_records_without_repeats_are_those_of_the_items():
    rows = mean_records(np.array([0.5, np.nan]))
    assert Records(rows).of_items() is rows
    assert Records(np.zeros((0, 2)), np.zeros(0, np.int64)).of_items().shape == (0, 2)


def test_records_of_a_cluster_are_added_up():
    records = np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0], [8.0, 80.0]])
    assert cluster_records(records, np.array([5, -1, 5, 3])).tolist() == [[2.0, 20.0], [8.0, 80.0], [5.0, 50.0]]


def test_records_without_clusters_stay_as_they_are():
    assert cluster_records(np.eye(3)).tolist() == np.eye(3).tolist()


@pytest.mark.parametrize(
    ("records", "clusters", "code", "value"),
    [
        (np.zeros(3), None, Code.BAD_VALUE, None),
        (np.array([[1.0], [np.nan]]), None, Code.NOT_FINITE, None),
        (np.zeros((3, 1)), np.array([1, 2]), Code.MISMATCH, None),
    ],
)
def test_records_that_cannot_be_summed_are_refused(records, clusters, code, value):
    with pytest.raises(TouchstoneError) as error:
        cluster_records(records, clusters)
    assert (error.value.code, error.value.faults[0].value) == (code, value)
