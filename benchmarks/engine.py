"""Growth of scoring in shards: short pairs under a cheap measure, and labels, streamed by one process."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

WORDS = ("the", "a", "dog", "cat", "river", "saw", "met", "near", "big", "small", "old", "new", "house", "ran", "into")
CHEAP = "from touchstone.mt import Own\nequal = Own(lambda text, refs: float(text in refs))\n"
STREAMED = {
    "mt": "'reference.parquet', ['hypothesis.parquet'], ['cheap:equal']",
    "nli": "'gold.parquet', ['label.parquet'], ['accuracy']",
}
PROGRAM = """
import json, os, sys, time

sys.path.insert(0, {root!r})
from benchmarks import peak_megabytes

os.chdir({folder!r})
from touchstone.core.task import find_task
from touchstone.engine import Request, read_results, score_in_shards

score_in_shards(Request(find_task({task!r}), {given}, streamed=True), {task!r})
read_results({task!r}, many=1).rows
print(json.dumps([time.process_time(), peak_megabytes()]))
"""
Cost = tuple[int, float, float]
"""Items, CPU-seconds and megabytes."""


def main() -> None:
    """Print what growing sets cost."""
    with tempfile.TemporaryDirectory() as folder:
        for task, costs in growth(Path(folder), (1_000, 10_000, 100_000, 1_000_000)).items():
            for size, seconds, megabytes in costs:
                print(f"{task} {size:>9,} items {seconds:6.1f} s CPU {megabytes:6,.0f} MB")


def growth(folder: Path, sizes: Sequence[int]) -> dict[str, list[Cost]]:
    """Return what sets of some sizes cost, each in a process of its own."""
    found: dict[str, list[Cost]] = {}
    for size in sizes:
        inside = folder / str(size)
        write_pairs(inside, size)
        (inside / "cheap.py").write_text(CHEAP)
        for task, given in STREAMED.items():
            root = str(Path(__file__).parents[1])
            program = PROGRAM.format(root=root, folder=str(inside), task=task, given=given)
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
            seconds, megabytes = json.loads(done.stdout.splitlines()[-1])
            found.setdefault(task, []).append((size, seconds, megabytes))
    return found


def write_pairs(folder: Path, items: int) -> None:
    """Write so many short references and translations, and inference pairs with labels, in blocks."""
    chance = np.random.default_rng(1)
    words, labels = np.array(WORDS, object), np.array(["entailment", "contradiction", "neutral"], object)
    folder.mkdir()
    writers: dict[str, Any] = {}
    for at in range(0, items, 50_000):
        n = min(50_000, items - at)
        ids = pa.array(map(str, range(at, at + n)))
        refs = words[chance.integers(0, len(words), (n, 4))]
        hyps = np.where(chance.random((n, 4)) < 0.2, words[chance.integers(0, len(words), (n, 4))], refs)
        gold = labels[chance.integers(0, 3, n)]
        given = np.where(chance.random(n) < 0.8, gold, labels[chance.integers(0, 3, n)])
        premises = [f"Dog {row // 3} ran." for row in range(at, at + n)]
        tables = {
            "reference": {"id": ids, "reference": [" ".join(row) for row in refs]},
            "hypothesis": {"id": ids, "hypothesis": [" ".join(row) for row in hyps]},
            "gold": {"id": ids, "premise": premises, "hypothesis": ["It ran."] * n, "gold": gold},
            "label": {"id": ids, "label": given},
        }
        for name, columns in tables.items():
            table = pa.table(columns)
            if name not in writers:
                writers[name] = parquet.ParquetWriter(os.fspath(folder / f"{name}.parquet"), table.schema)
            writers[name].write_table(table)
    for writer in writers.values():
        writer.close()
