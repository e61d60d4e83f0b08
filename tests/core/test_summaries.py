"""Rows that are the mean of the others, and rows that are so by chance."""

import numpy as np

from touchstone.core.summaries import summary_rows

IDS = [str(number) for number in range(40)]


def test_a_row_with_the_mean_of_the_others_is_a_summary_whatever_its_name():
    scores = np.random.default_rng(1).random(40).round(3)
    scores[17] = np.delete(scores, 17).mean()
    assert summary_rows(IDS, [scores]) == [
        "warning: '17' is counted as an item, but looks like a summary of the others: remove the row"
    ]
    thirds = np.random.default_rng(1).integers(0, 4, 40) / 3
    thirds[17] = np.delete(thirds, 17).mean()
    assert summary_rows(IDS, [thirds])


def test_shares_of_a_few_tries_may_equal_the_mean_of_the_others():
    for tries in (2, 3, 4, 7, 9, 30, 64):
        random = np.random.default_rng(tries)
        tables = (random.integers(0, tries + 1, 40) / tries for _ in range(100))
        assert not any(summary_rows(IDS, [scores]) for scores in tables)
    assert not summary_rows(IDS[:9], [np.arange(9) / 9])
