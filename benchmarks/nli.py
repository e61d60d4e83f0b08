"""Challenge pairs generated from premises: pairs per second after start-up, with one process and with two."""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

from benchmarks import cost_of

FIRST = 256
"""Premises of the run whose cost is start-up: lists, indexes, the model, compiled code."""
LEAST = 1_000
"""Pairs per second of CPU: two cores then make 2,000 pairs per second."""


class Cost(NamedTuple):
    """What one command took and made: seconds of CPU and of the clock, and pairs."""

    cpu: float
    wall: float
    pairs: int


def main() -> None:
    """Print the speed of `nli generate` beyond its first premises; stop where it is too slow."""
    if "TOUCHSTONE_DATA" not in os.environ:
        print("set TOUCHSTONE_DATA to the folder of the real data to generate pairs")
        return
    premises = _premises(Path(os.environ["TOUCHSTONE_DATA"]))
    with TemporaryDirectory() as folder:
        for jobs in (1, 2):
            first, every = (_cost(Path(folder), premises[:size], jobs) for size in (FIRST, len(premises)))
            pairs, cpu, wall = every.pairs - first.pairs, every.cpu - first.cpu, every.wall - first.wall
            print(
                f"{len(premises):,} premises, {every.pairs:,} pairs, {jobs} process{'es' * (jobs > 1)}: "
                f"{pairs / cpu:,.0f} pairs/s of CPU (at least {LEAST:,}), {pairs / wall:,.0f} pairs/s of the clock; "
                f"first {FIRST} premises {first.cpu:.2f} s CPU"
            )
            if pairs / cpu < LEAST:
                raise SystemExit("too slow: nli generate")


def _cost(folder: Path, premises: list[str], jobs: int) -> Cost:
    given, made = folder / "premises.txt", folder / "set.jsonl"
    given.write_text("".join(f"{premise}\n" for premise in premises), "utf-8")
    command = [sys.executable, "-m", "touchstone", "nli", "generate", str(given), "-o", str(made), "--quiet"]
    start = perf_counter()
    cpu, _ = cost_of([*command, "--jobs", str(jobs)])
    return Cost(cpu, perf_counter() - start, made.read_bytes().count(b"\n"))


def _premises(root: Path) -> list[str]:
    """Return the distinct premises of counterfactual SNLI."""
    rows = [row.split("\t") for row in (root / "cf_snli" / "original_train.tsv").read_text("utf-8").splitlines()]
    place = rows[0].index("sentence1")
    return list(dict.fromkeys(row[place] for row in rows[1:]))
