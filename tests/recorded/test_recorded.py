"""The numbers of a set of commands over all tasks stay the same, on any machine, under their names."""

import gzip
import json

import pytest
from tests.recorded.paths import RENAMED, REWORDED, RULES, old_records
from tests.recorded.record import RECORDED, commands, folder_of, is_number, printed, scalars

EXPECTED = json.loads(gzip.decompress(RECORDED.read_bytes()))


VECTORS = ("lexsub suggest", "pyramid auto")
"""Commands that multiply vectors of single precision, which processors add in different orders."""


def tolerance_of(words):
    """Return the relative difference that two processors may show in the numbers of a command."""
    return 1e-6 if words.startswith(VECTORS) else 1e-9


def holds(row, record, tolerance=1e-9):
    """Say whether a row has the numbers and the names of an old record."""
    return has_numbers(row, record, tolerance) and all(
        same_name(row[key], name) for key, name in shared_names(row, record).items()
    )


def has_numbers(row, record, tolerance):
    """Say whether a row has the numbers of an old record; cells of tables and numbers by level had no names."""
    for name in filter(None, record.rule.under.split("/")):
        row = row.get(name, {})
    named = {key: value for key, value in scalars(row) if is_number(value)}

    def close(actual, expected):
        return actual == pytest.approx(expected, rel=tolerance, abs=tolerance / 1000)

    here = {key: number for key, number in record.numbers.items() if key in named}
    if not all(close(named.pop(key), number) for key, number in here.items()):
        return False
    values = iter(named.values())
    without = [number for key, number in record.numbers.items() if key not in here]
    return all(any(close(value, number) for value in values) for number in without)


def shared_names(row, record):
    """Return the names of an old record by the keys that a row has for them."""
    renamed = {RENAMED.get((record.rule.kind, key), key): name for key, name in record.names.items()}
    return {key: REWORDED.get(name, name) for key, name in renamed.items() if key in row}


def same_name(actual, expected):
    """Say whether a row has a name as an old record had it; percentages were text."""
    percentage = isinstance(expected, str) and expected.endswith("%") and is_number(actual)
    return f"{actual:.1%}" == expected if percentage else actual == expected


@pytest.mark.parametrize(("name", "words"), commands(), ids=lambda text: text[:60])
def test_numbers_stay_the_same(name, words):
    folder = folder_of(name)
    if folder is None:
        pytest.skip("real data: set TOUCHSTONE_DATA to its folder")
    result = printed(folder, words)
    expected = EXPECTED[f"{name}: {words}"]
    after = {}  # the rows of a kind stand in the order in which the old records stood
    for record in old_records(expected, words):
        rows = [row for row in result["rows"] if row["kind"] == record.rule.kind]
        among = record.rule, "/".join(record.path.split("/")[:-1])
        start = after.get(among, 0)
        place = next((n for n in range(start, len(rows)) if holds(rows[n], record, tolerance_of(words))), None)
        assert place is not None, (record, rows[start : start + 1])
        after[among] = place + 1


def test_a_number_under_another_name_is_noticed():
    recorded = {"results/0/system": "heron", "results/0/group": None, "results/0/value": 0.5}
    (record,) = old_records(recorded, "items score")
    row = {"kind": "value", "system": "heron", "group": None, "value": 0.5}
    assert holds(row, record)
    assert not holds({**row, "system": "magpie"}, record)
    assert not holds({**row, "group": "harbour"}, record)
    assert not holds({**row, "value": 0.6}, record)
    assert not holds({**row, "low": 0.5, "value": 0.6}, record)


def test_what_is_recorded_today_needs_no_rule():
    rows = {"rows": [{"kind": "new", "system": "heron", "value": 0.5}, {"kind": "other", "value": 1}]}
    first, second = old_records(dict(scalars(rows)), "items new")
    assert holds(rows["rows"][0], first)
    assert not holds({**rows["rows"][0], "system": "magpie"}, first)
    assert (first.rule.kind, second.rule.kind) == ("new", "other")


def test_every_rule_is_used():
    used = {
        record.rule
        for command, values in EXPECTED.items()
        for record in old_records(values, command.partition(": ")[2])
    }
    assert [rule for rule in RULES if rule not in used] == []
