"""Scoring in shards: growth, what an engine costs beside the work, and two processes beside one.

Short pairs under a cheap measure and labels are streamed by one process; segments of 25 words are scored under
``maxsim(n)`` in memory, by one process and by two. `benchmarks.claims` keeps the figures; alone, this prints them.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
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
SIZES = (1_000, 10_000, 100_000, 1_000_000)
SEGMENTS, SHARD = 240_000, 20_000
"""Segments that one and two processes score, and those of a shard, which then takes more than a second."""

START = """
import json, os, resource, sys, time

sys.path.insert(0, {root!r})
os.chdir({folder!r})
from pathlib import Path

from benchmarks import peak_megabytes
from touchstone.core.resampling import Resampling
from touchstone.core.registry import find_task
from touchstone.base.workers import Engine
from touchstone.engine import Request, read_results, score_in_shards
from touchstone.engine.planning import make_plan
"""
GROWTH = """
request = Request(find_task({task!r}), {given}, streamed=True)
score_in_shards(request, {task!r})
read_results({task!r}, many=1).rows
print(json.dumps([time.process_time(), peak_megabytes()]))
"""
READING = """
began = time.process_time()
plan = make_plan(Request(find_task({task!r}), {given}, streamed=True))
for piece in plan.pieces(plan.shards):
    pass
read = time.process_time()
read_results({task!r}, many=1).rows
print(json.dumps([read - began, time.process_time() - read]))
"""
SCALE = """
given = find_task("mt"), "reference.parquet", ["hypothesis.parquet"], ["maxsim(n)"]
mine, began = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
if {jobs}:
    score_in_shards(Request(*given, streamed=True, shard_rows={rows}), {out!r}, Engine("processes", {jobs}))
    read_results({out!r}).rows
else:
    given[0].score(*given[1:], resampling=Resampling("none"), jobs=1).rows
seconds = time.monotonic() - began
uses = [resource.getrusage(which) for which in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
own, workers = (used.ru_utime + used.ru_stime for used in uses)
print(json.dumps([seconds, own - mine.ru_utime - mine.ru_stime, workers]))
"""
Cost = tuple[int, float, float]
"""Items, CPU-seconds and megabytes."""


def main() -> None:
    """Print all figures of the engine, and keep them beside those of the other claims."""
    from benchmarks import claims

    found = claims.kept() | measure()
    claims.keep(found)
    print(claims.table(found))


def measure() -> dict[str, Any]:
    """Return all figures of the engine."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        grown = growth(folder, SIZES, tries=2)
        large = folder / str(SIZES[-1])
        rates = {task: streaming_rates(large, task) for task in STREAMED}
        return {"growth": grown, "rates": rates, "engines": engines(), "processes": processes(folder / "segments")}


def growth(folder: Path, sizes: Sequence[int], tries: int = 1) -> dict[str, list[Cost]]:
    """Return what sets of some sizes cost, each in a process of its own: the least of some tries."""
    found: dict[str, list[Cost]] = {}
    for size in sizes:
        inside = folder / str(size)
        write_pairs(inside, size)
        (inside / "cheap.py").write_text(CHEAP)
        for task, given in STREAMED.items():
            costs = []
            for _ in range(tries):
                shutil.rmtree(inside / task, ignore_errors=True)
                costs.append(_run(inside, GROWTH.format(task=task, given=given)))
            seconds, megabytes = min(costs)
            found.setdefault(task, []).append((size, seconds, megabytes))
    return found


def streaming_rates(folder: Path, task: str) -> dict[str, float]:
    """Return the CPU-seconds of reading and folding a set that was scored, and the bytes of its files and records."""
    reading, folding = _run(folder, READING.format(task=task, given=STREAMED[task]))
    names = ("reference", "hypothesis") if task == "mt" else ("gold", "label")
    return {"reading": reading, "folding": folding} | _sizes(folder, names, task)


def _sizes(folder: Path, inputs: Sequence[str], out: str) -> dict[str, int]:
    read = sum((folder / f"{name}.parquet").stat().st_size for name in inputs)
    return {"input": read, "records": sum(path.stat().st_size for path in (folder / out / "shards").iterdir())}


def processes(folder: Path) -> dict[str, Any]:
    """Return the seconds, and the CPU-seconds here and in the workers, of one set in memory, in shards, by two."""
    write_segments(folder, SEGMENTS)
    ways = {"in memory": (0, None), "one": (1, SHARD), "two": (2, SHARD)}
    found: dict[str, Any] = {}
    for name, (jobs, rows) in ways.items():
        found[name] = _run(folder, SCALE.format(jobs=jobs, rows=rows, out=name))
    return {"segments": SEGMENTS, **found, **_sizes(folder, ("reference", "hypothesis"), "one")}


def engines() -> dict[str, dict[str, float]]:
    """Return what a piece of no work costs with each engine, and how long the engine takes to start."""
    found = {}
    for name in ("in-process", "processes", "ray"):
        program = f"from benchmarks.engine import empty_pieces; empty_pieces({name!r})"
        root = Path(__file__).parents[1]
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=root)
        if done.returncode == 0:
            found[name] = json.loads(done.stdout.splitlines()[-1])
    return found


def empty_pieces(name: Any) -> None:  # noqa: ANN401 (the name of an engine)
    """Print the seconds from the start to the first of many pieces without work, and between the others.

    A piece has as many bytes as a shard of 20,000 segments of 25 words and their translations.
    """
    from touchstone.base.workers import Engine, run_pieces

    began = time.monotonic()
    pieces = (bytes(6_000_000) for _ in range(100))
    times = [time.monotonic() - began for _ in run_pieces(len, pieces, Engine(name, 2))]
    print(json.dumps({"start-up": times[0], "piece": (times[-1] - times[0]) / (len(times) - 1)}))


def _run(folder: Path, program: str) -> list[float]:
    """Return the numbers that a program prints, run in a process of its own in a folder."""
    start = START.format(root=str(Path(__file__).parents[1]), folder=str(folder))
    done = subprocess.run([sys.executable, "-c", start + program], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    numbers: list[float] = json.loads(done.stdout.splitlines()[-1])
    return numbers


def write_segments(folder: Path, items: int) -> None:
    """Write segments of 25 words, drawn from WordNet as words of a text are, and translations that change a fifth."""
    from touchstone.lexicon import wordnet

    chance, lexicon = np.random.default_rng(3), wordnet()
    words = np.array([lexicon.lemma(number) for number in range(0, lexicon.lemma_count, 15)], object)
    words = chance.permutation([word for word in words if word.isalpha()])
    folder.mkdir()
    shares = 1 / np.arange(10, len(words) + 10)  # Zipf's law
    places = chance.choice(len(words), (2, items, 25), p=shares / shares.sum())
    changed = np.where(chance.random((items, 25)) < 0.2, places[1], places[0])
    ids = pa.array(map(str, range(items)))
    for name, table in (("reference", places[0]), ("hypothesis", changed)):
        texts = [" ".join(row) for row in words[table]]
        parquet.write_table(pa.table({"id": ids, name: texts}), folder / f"{name}.parquet")


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
