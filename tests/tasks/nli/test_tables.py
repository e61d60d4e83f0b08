"""Inference data in every form that users have it in: the same numbers, the same signature."""

import random
from dataclasses import replace

import numpy as np
import pytest
from tests.forms import FORMS, delimited, in_form

from touchstone import TouchstoneError, nli
from touchstone.core.resampling import Resampling

LABELS = ("entailment", "neutral", "contradiction")
PAIRS = [
    {
        "id": f"p{n}",
        "premise": f'A dog, "{n // 3}", runs.',
        "hypothesis": f"It’s dog {n}.",
        "label": LABELS[n % 3],
        "genre": "fiction" if n % 2 else "news",
    }
    for n in range(24)
]
RUN = [
    {
        "id": f"p{n}",
        "label": LABELS[n * n % 3],
        **{f"p_{label}": 0.8 if label == LABELS[n * n % 3] else 0.1 for label in LABELS},
    }
    for n in range(24)
]


def outcome(results):
    return results.to_json()


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    folder = tmp_path_factory.mktemp("forms")
    return outcome(nli.score(in_form("jsonl", PAIRS, folder, "gold"), {"a": in_form("jsonl", RUN, folder, "a")}))


@pytest.mark.parametrize("form", FORMS)
def test_gold_and_runs_in_every_form_give_equal_results_and_signatures(form, tmp_path, expected):
    gold, run = in_form(form, PAIRS, tmp_path, "gold"), in_form(form, RUN, tmp_path, "a")
    assert outcome(nli.score(gold, {"a": run})) == expected


def test_a_mapping_from_ids_and_a_list_of_labels_are_runs_and_gold():
    rows = [{"id": row["id"], "label": row["label"]} for row in RUN]
    labels = {row["id"]: row["label"] for row in RUN}
    results = [nli.score(PAIRS, {"a": run}) for run in (rows, labels)]
    assert outcome(results[0]) == outcome(results[1])
    for texts in (list(labels.values()), tuple(labels.values())):
        in_order = nli.score(PAIRS, {"a": texts})
        assert in_order.notes == ["a: no ids, so predictions are joined in the order of the pairs"]
        assert outcome(replace(in_order, notes=[])) == outcome(results[0])
    alone = nli.score([row["label"] for row in PAIRS], {"a": list(labels.values())})
    assert alone.row("a", "accuracy").value == results[0].row("a", "accuracy").value
    assert alone.resampling.cluster is None


def test_a_mapping_from_ids_to_rows_is_gold():
    by_id = {row["id"]: {key: value for key, value in row.items() if key != "id"} for row in PAIRS}
    assert nli.score(by_id, {"a": RUN}).signature == nli.score(PAIRS, {"a": RUN}).signature


def test_columns_can_be_chosen_and_what_was_chosen_is_said(file):
    gold = file("gold.csv", "id,premise,hypothesis,label,gold_label\n1,A,B,neutral,entailment\n2,A,C,neutral,neutral\n")
    run = {"a": {"1": "entailment", "2": "neutral"}}
    usual = nli.score(gold, run, resampling=Resampling("none"))
    assert usual.row("a", "accuracy").value == 1
    assert "gold: label is the column gold_label" in usual.notes
    chosen = nli.score(gold, run, column=["label=label"], resampling=Resampling("none"))
    assert chosen.row("a", "accuracy").value == 1 / 2
    with pytest.raises(TouchstoneError, match="no such role"):
        nli.score(gold, run, column=["lable=label"])
    with pytest.raises(TouchstoneError, match="no column 'gold_labels'"):
        nli.score([{"id": 1, "premise": "A", "hypothesis": "B", "x": "neutral"}], run, column=["label=gold_labels"])


def test_an_id_that_differs_only_in_its_form_is_explained(file):
    gold = file("gold.csv", "id,label\nEx 7,neutral\n")
    with pytest.raises(TouchstoneError, match='its id has another form in the gold: "ex07"; nearest valid id "Ex 7"'):
        nli.score(gold, {"a": {"ex07": "neutral"}})


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        (7, "a int cannot be read as a table"),
        ([], "no row in the table"),
        ({}, "no row in the table"),
        ([{"id": 1, "label": "neutral"}, 5], "not a mapping from names to cells"),
        ({"id": [1, 2], "label": ["neutral"]}, "the columns have different lengths: id 2, label 1"),
        ([{"id": 1, "label": "neutral"}, {"id": 1, "label": "neutral"}], "duplicate id"),
        ([{"id": 1, "label": "mabye"}], "unknown label"),
        ([{"id": 1.5, "label": "neutral"}], "an id must be a string"),
        ([{"id": 1, "label": ["neutral"]}], "unknown label"),
        ([{"id": 1, "label": float("nan")}], "no pair has a gold label"),
        (np.zeros((2, 2)), "unknown label"),
    ],
)
def test_objects_that_cannot_be_used_get_a_sentence(gold, said):
    with pytest.raises(TouchstoneError, match=said):
        nli.score(gold, {"a": {"1": "neutral"}})


MUTATIONS = 300
"""Tables of the short run; the long one has 10,000."""


def mutated(text, chance):
    """Give a table with some of what goes wrong in files: bytes, cells, rows, columns, encodings, quotes."""
    lines = text.split("\n")
    kind = chance.randrange(12)
    row, place = chance.randrange(len(lines)), chance.randrange(len(text))
    cells = lines[row].split(",")
    if kind == 0:
        text = (
            text[:place]
            + chance.choice(["\x00", '"', ",", "\n", "\r", "\ufeff", "é", "🙂", "\t", "{", "[", ";"])
            + text[place:]
        )
    elif kind == 1:
        lines[row] = ",".join([*cells, "x"])
    elif kind == 2:
        lines[row] = ",".join(cells[:-1])
    elif kind == 3:
        lines[row] = lines[chance.randrange(len(lines))]
    elif kind == 4:
        cells[chance.randrange(len(cells))] = chance.choice(
            ["", "nan", "-1", "7", "1e400", "NEUTRAL", "no", "[1]", "{}", "inf"]
        )
        lines[row] = ",".join(cells)
    elif kind == 5:
        lines[0] = ",".join(chance.sample(lines[0].split(","), len(lines[0].split(","))))
    elif kind == 6:
        lines[0] = lines[0].replace(
            chance.choice(["id", "label", "premise", "p_"]), chance.choice(["", "label", "x", "ID"])
        )
    elif kind == 7:
        lines = lines[:1]
    elif kind == 8:
        lines = lines[1:]
    elif kind == 9:
        return text.encode(chance.choice(["utf-16", "latin-1", "utf-8-sig"]), "replace")
    elif kind == 10:
        raw = bytearray(text.encode())
        for _ in range(3):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
        return bytes(raw)
    else:
        lines = [line.replace(",", chance.choice([";", "\t", ",,"])) for line in lines]
    return (text if kind == 0 else "\n".join(lines)).encode()


def check_mutated(folder, count, seed):
    """Score mutated gold and runs; anything but results or a sentence fails. Give how many were refused."""
    chance = random.Random(seed)
    texts = [delimited(rows, ",") for rows in (PAIRS, RUN)]
    refused = 0
    for _ in range(count):
        raws = [text.encode() for text in texts]
        which = chance.randrange(2)
        raws[which] = mutated(texts[which], chance)
        gold, run = folder / "gold.csv", folder / "run.csv"
        gold.write_bytes(raws[0])
        run.write_bytes(raws[1])
        try:
            results = nli.score(gold, {"a": run}, resampling=Resampling("none"))
        except TouchstoneError:
            refused += 1
        else:
            assert 0 <= results.row("a", "accuracy").value <= 1
    return refused


def test_mutated_tables_give_results_or_sentences(tmp_path):
    assert check_mutated(tmp_path, MUTATIONS, seed=14) > MUTATIONS / 4


@pytest.mark.soak
def test_ten_thousand_mutated_tables_give_results_or_sentences(tmp_path):
    assert check_mutated(tmp_path, 10_000, seed=15) > 2_500
