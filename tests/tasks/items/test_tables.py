"""Tables of values in every form that users have them in: the same numbers, the same signature."""

import random

import pytest
from tests.forms import FORMS, delimited, in_form

from touchstone import TouchstoneError, items
from touchstone.core.resampling import Resampling

LONG = [
    {"system": system, "item": f"q{n}", "topic": f"t{n // 3}", "score": (n * step % 7) / 7}
    for step, system in ((3, "a"), (5, "b"))
    for n in range(21)
]


@pytest.fixture(scope="module")
def expected():
    return items.score(LONG).to_json()


@pytest.mark.parametrize("form", FORMS)
def test_a_long_table_in_every_form_gives_equal_results_and_signatures(form, tmp_path, expected):
    assert items.score(in_form(form, LONG, tmp_path, "scores")).to_json() == expected


def test_values_by_system_and_item_are_a_table_too():
    by_system = {s: {row["item"]: row["score"] for row in LONG if row["system"] == s} for s in ("a", "b")}
    plain = [{key: row[key] for key in ("system", "item", "score")} for row in LONG]
    assert [row.value for row in items.score(by_system).rows] == [row.value for row in items.score(plain).rows]


def test_columns_can_be_chosen(tmp_path):
    other = [{"who": row["system"], "what": row["item"], "score": row["score"]} for row in LONG]
    results = items.score(other, column=["system=who", "item=what"])
    assert [system.system for system in results.systems] == ["a", "b"]
    with pytest.raises(TouchstoneError, match="no such role"):
        items.score(other, column=["sytem=who"])


def test_mutated_tables_give_results_or_sentences(tmp_path):
    chance = random.Random(3)
    text, path = delimited(LONG, ","), tmp_path / "scores.csv"
    refused = 0
    for _ in range(300):
        raw = bytearray(text.encode())
        for _ in range(chance.randrange(1, 4)):
            raw[chance.randrange(len(raw))] = chance.choice(b'\x00",\n\r;[{\xff9e-')
        path.write_bytes(bytes(raw))
        try:
            items.score(path, resampling=Resampling("none"))
        except TouchstoneError:
            refused += 1
    assert refused > 75
