"""Pyramids and the statistics around them: the seconds of what people wait for, each with its bound."""

import os
import sys
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks import cost_of, within
from touchstone.people.coefficients import coefficients_of
from touchstone.people.ratings import Ratings


def main() -> None:
    """Print what scoring DUC 2006 and alpha with MASI cost; stop where a bound is passed."""
    if "TOUCHSTONE_DATA" in os.environ:
        annotations = Path(os.environ["TOUCHSTONE_DATA"]) / "duc2006" / "pan"
        seconds, _ = cost_of([sys.executable, "-m", "touchstone", "pyramid", "score", str(annotations)])
        within("462 annotations scored by one command", seconds, 60)
    else:
        print("set TOUCHSTONE_DATA to the folder of the real data to score DUC 2006")
    random = np.random.default_rng(5)
    units = [[frozenset(random.choice(60, 6).tolist()) for _ in range(4)] for _ in range(1000)]
    within("alpha with MASI and its interval, 1,000 units x 4 coders", min(alpha_cost(units) for _ in range(3)), 0.5)


def alpha_cost(units: list[list[frozenset[int]]]) -> float:
    """Return the CPU seconds of one alpha."""
    start = process_time()
    coefficients_of(Ratings.of(units, distance="masi"), ["alpha"])
    return process_time() - start
