"""Lexical substitution at scale: items per second, memory and growth, beside the official scorer where it is given.

Set ELS07_SCORER to the path of the task's own Perl script to run it on the same files.
"""

import os
import random
import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks import cost_of, within

SIZES = (100_000, 1_000_000)
WORDS = 50_000
ANSWERS = 10


def main() -> None:
    """Score made-up files of growing size and print what it cost."""
    with tempfile.TemporaryDirectory() as folder:
        costs = {}
        for size in SIZES:
            gold, answers = write_files(Path(folder), size)
            for intervals in ("none", "percentile"):
                costs[size, intervals] = score(gold, answers, intervals)
                seconds, megabytes = costs[size, intervals]
                speed = size / seconds
                print(
                    f"{size:>9,} items x {ANSWERS} answers, intervals {intervals:<10} {seconds:6.1f} s CPU "
                    f"{speed:>9,.0f} items/s {megabytes:6,.0f} MB"
                )
            official = official_scorer(gold, answers)
            if official is not None:
                print(f"{'':9} official scorer {official:6.1f} s CPU; ratio {official / costs[size, 'none'][0]:.1f}x")
        small, large = SIZES
        growth = costs[large, "none"][0] / costs[small, "none"][0]
        print(f"growth: {large // small}x the items cost {growth:.1f}x the time")
        within(f"{large:,} items without intervals", costs[large, "none"][0], 60)
        within(f"{large:,} items with intervals", costs[large, "percentile"][0], 180)


def write_files(folder: Path, size: int) -> tuple[Path, Path]:
    """Write a gold file and a ranked file of *size* items: five human answers each, two of them found."""
    chance = random.Random(size)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(chance.choices(letters, k=chance.randint(3, 10))) for _ in range(WORDS)]
    gold, answers = folder / f"{size}.gold", folder / f"{size}.oot"
    with gold.open("w") as human, answers.open("w") as system:
        for item in range(size):
            word = f"{words[item // 10 % WORDS]}.{'navr'[item // 10 % 4]} {item}"
            drawn = chance.sample(words, 13)
            given = drawn[3:]
            chance.shuffle(given)
            human.write(
                f"{word} :: " + "".join(f"{a} {n};" for a, n in zip(drawn, (3, 2, 1, 1, 1), strict=False)) + "\n"
            )
            system.write(f"{word} ::: {';'.join(given)}\n")
    return gold, answers


def score(gold: Path, answers: Path, intervals: str) -> tuple[float, float]:
    """Return CPU seconds and peak megabytes of one run of the command line, start-up included."""
    command = [sys.executable, "-m", "touchstone", "lexsub", "score", str(gold), str(answers), "--intervals", intervals]
    return cost_of(command)


def official_scorer(gold: Path, answers: Path) -> float | None:
    """Return the CPU seconds of the task's own scorer on the same files, None where it is not given."""
    script = os.environ.get("ELS07_SCORER")
    perl = shutil.which("perl")
    if not script or not perl:
        return None
    command = [perl, script, str(answers), str(gold), "-t", "oot"]
    return cost_of(command)[0]
