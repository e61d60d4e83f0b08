"""The long runs of lexical substitution: a million items in bounded memory, and another ten thousand mutants."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.soak

ITEMS = 1_000_000
MEMORY = 2 * 1024**2
"""Kilobytes: the most that a million items may take."""


def test_a_million_items_are_scored_in_two_gigabytes(tmp_path, record_property):
    gold, answers = tmp_path / "g.gold", tmp_path / "s.oot"
    words = [f"{a}{b}{c}" for a in "bcdfghklmn" for b in "aeiou" for c in "lmnrstxz"]
    with gold.open("w") as human, answers.open("w") as system:
        for item in range(ITEMS):
            here = [words[(item * 7 + step * 31) % len(words)] for step in range(12)]
            human.write(f"word.n {item} :: {here[0]} 3;{here[1]} 2;{here[2]} 1;\n")
            system.write(f"word.n {item} ::: {';'.join(here[2:])}\n")
    command = [sys.executable, "-m", "touchstone", "lexsub", "score", str(gold), str(answers), "--json"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert used.ru_maxrss < MEMORY
    seconds, megabytes = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    record_property("said", f"{ITEMS:,} items with intervals: {seconds:.0f} s CPU, {megabytes:,.0f} MB")
