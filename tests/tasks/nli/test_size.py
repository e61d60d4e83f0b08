"""Large inputs stay within bounds of processor time and memory, measured in a process of their own."""

import json
import random
import subprocess
import sys

import pytest

LABELS = ("entailment", "neutral", "contradiction")
WORDS = "the a man woman dog cat runs sits on red blue house street with many people old young playing music"


def usage(*arguments):
    """Run a command; give its seconds of processor time and its most memory in megabytes."""
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN); print(used.ru_utime + used.ru_stime, used.ru_maxrss)"
    )
    command = [sys.executable, "-c", code, sys.executable, "-m", "touchstone", *map(str, arguments), "--quiet"]
    seconds, kilobytes = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(seconds), int(kilobytes) * 1024 / 1e6


def write_labels(folder, n):
    chance = random.Random(1)
    golds = [chance.choice(LABELS) for _ in range(n)]
    for name, right in (("gold", 1.0), ("a", 0.8), ("b", 0.7)):
        given = (gold if chance.random() < right else chance.choice(LABELS) for gold in golds)
        text = "".join(f"{row},{label}\n" for row, label in enumerate(given))
        (folder / f"{name}.csv").write_text(f"id,label\n{text}")
    return [folder / f"{name}.csv" for name in ("gold", "a", "b")]


def write_pairs(folder, n):
    chance = random.Random(1)
    files = [(folder / f"{name}.jsonl").open("w") for name in ("gold", "a", "b")]
    premise = ""
    for row in range(n):
        premise = " ".join(chance.choices(WORDS.split(), k=14)) if row % 3 == 0 else premise
        hypothesis, label = " ".join(chance.choices(WORDS.split(), k=8)), chance.choice(LABELS)
        pair = {"pairID": f"{row}#0", "sentence1": premise, "sentence2": hypothesis, "gold_label": label}
        pair["annotator_labels"] = [label, label, label, *chance.choices(LABELS, k=2)]
        files[0].write(json.dumps(pair) + "\n")
        for file, right in zip(files[1:], (0.8, 0.7), strict=True):
            given = label if chance.random() < right else chance.choice(LABELS)
            file.write(json.dumps({"id": f"{row}#0", "label": given}) + "\n")
    for file in files:
        file.close()
    return [folder / f"{name}.jsonl" for name in ("gold", "a", "b")]


def test_a_hundred_thousand_labels_take_a_share_of_the_bounds_of_a_million(tmp_path):
    seconds, megabytes = usage("nli", "score", *write_labels(tmp_path, 100_000))
    assert seconds < 2 + 20 / 10 * 10  # ten times the share, and the start: a busy processor takes longer
    assert megabytes < 110 + 1000 / 10 * 1.5


@pytest.mark.soak
def test_a_million_labels_of_two_systems_take_20_seconds_and_a_gigabyte_at_most(tmp_path):
    seconds, megabytes = usage("nli", "score", *write_labels(tmp_path, 1_000_000))
    assert (seconds < 20, megabytes < 1000) == (True, True), (seconds, megabytes)


@pytest.mark.soak
def test_200_000_pairs_take_400_megabytes_at_most(tmp_path):
    seconds, megabytes = usage("nli", "score", *write_pairs(tmp_path, 200_000))
    assert megabytes < 400, seconds
