"""The numbers of a set of commands over all tasks stay the same, to nine digits on any machine."""

import gzip
import json

import pytest
from tests.recorded.paths import old_records
from tests.recorded.record import RECORDED, commands, folder_of, numbers, printed

EXPECTED = json.loads(gzip.decompress(RECORDED.read_bytes()))


def close(actual, expected):
    return actual == pytest.approx(expected, rel=1e-9, abs=1e-12)


def holds(row, record, under):
    """Say whether a row has the numbers of an old record; cells of tables and numbers by level had no names."""
    for name in filter(None, under.split("/")):
        row = row.get(name, {})
    named = dict(numbers(row))
    if not all(key.isdigit() or not key for key in record) or record.keys() <= named.keys():
        return all(key in named and close(named[key], number) for key, number in record.items())
    values = iter(named.values())
    return all(any(close(value, number) for value in values) for number in record.values())


@pytest.mark.parametrize(("name", "words"), commands(), ids=lambda text: text[:60])
def test_numbers_stay_the_same(name, words):
    folder = folder_of(name)
    if folder is None:
        pytest.skip("real data: set TOUCHSTONE_DATA to its folder")
    result = printed(folder, words)
    expected = EXPECTED[f"{name}: {words}"]
    after = {}  # the rows of a kind stand in the order in which the old records stood
    for rule, path, record in old_records(expected, words):
        rows = [row for row in result["rows"] if row["kind"] == rule.kind]
        start = after.get((rule, "/".join(path.split("/")[:-1])), 0)
        place = next((n for n in range(start, len(rows)) if holds(rows[n], record, rule.under)), None)
        assert place is not None, (path, rule.kind, record, rows[start : start + 1])
        after[rule, "/".join(path.split("/")[:-1])] = place + 1
