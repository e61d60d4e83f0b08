"""The engine under load: ten million rows in flat memory, and workers that are killed again and again."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.claims import overhead, speed_up
from benchmarks.engine import growth, processes
from tests.engine.conftest import rows, score
from tests.engine.killing import SLOW, Killer, check_same_shards, children, environment

from touchstone.engine import Folder, read_results


def check_growth(tmp_path, record_property, sizes, exponent, memory):
    """Score sets of two sizes in shards; the time grows at most with that exponent, the memory by that share."""
    figures = {task: [row[1:] for row in costs] for task, costs in growth(tmp_path, sizes).items()}
    for size in sizes:
        status = Folder(tmp_path / str(size) / "nli").status()
        assert (status.rows_done, status.left) == (size, 0)
    for task, ((seconds, peak), (more_seconds, more_peak)) in figures.items():
        grown = math.log(more_seconds / seconds) / math.log(sizes[1] / sizes[0])
        peaks = f"{peak:.0f} and {more_peak:.0f} MB"
        seen = f"{task}, {sizes} rows: {seconds:.1f} and {more_seconds:.1f} CPU-seconds, {peaks}, exponent {grown:.3f}"
        record_property("said", seen)
        assert grown <= exponent, (task, figures)
        assert more_peak <= (1 + memory) * peak, (task, figures)


@pytest.mark.soak
def test_ten_million_rows_are_streamed_in_flat_memory_and_linear_time(tmp_path, record_property):
    check_growth(tmp_path, record_property, (10**6, 10**7), exponent=1.02, memory=0.10)


def test_twice_as_many_rows_need_hardly_more_memory(tmp_path, record_property):
    check_growth(tmp_path, record_property, (40_000, 80_000), exponent=1.15, memory=0.10)


def many_shards() -> None:
    """Repeat the rows under other ids: of 1,200 shards, 50 random kills meet hardly one four times."""
    for path in (Path("refs.jsonl"), Path("near.jsonl")):
        given = [json.loads(line) for line in path.read_text().splitlines()]
        more = [{**row, "id": f"{row['id']}-{time}"} for time in range(20) for row in given]
        path.write_text("".join(json.dumps(row) + "\n" for row in more))


def run_under_fire(tmp_path, engine, kills, pause, seconds, shard_rows, named=""):
    """Score in a process of its own whose workers are killed; return the killer and what was done."""
    sys.modules.pop("slow", None)  # another test's module of that name
    (tmp_path / "slow.py").write_text(SLOW)
    program = (
        "import json\nfrom tests.engine.conftest import score\nfrom touchstone.base.workers import Engine\n"
        f"done, _ = score('mt', 'refs.jsonl', ['near.jsonl'], ['slow:metric'], out='stormy', "
        f"engine=Engine({engine!r}, 2), shard_rows={shard_rows})\n"
        "print(json.dumps([done.made, done.failures]))\n"
    )
    command = [sys.executable, "-c", program]
    around = environment(SECONDS_OF_A_SEGMENT=str(seconds))
    with subprocess.Popen(command, env=around, stdout=subprocess.PIPE, text=True) as run:
        killer = Killer(kills, pause, lambda: children(run.pid, named))
        killer.start()
        out, _ = run.communicate()
        killer.ended.set()
        killer.join()
    made, failures = json.loads(out)
    assert not failures
    _, calm = score("mt", "refs.jsonl", ["near.jsonl"], ["slow:metric"], out="calm", shard_rows=shard_rows)
    assert rows(read_results("stormy")) == rows(calm)
    check_same_shards(Path("stormy"), Path("calm"))
    return killer, made


@pytest.mark.soak
def test_fifty_kills_of_processes_change_nothing(pairs, record_property):
    many_shards()
    killer, _ = run_under_fire(pairs, "processes", 50, 0.8, 0.1, 1)
    record_property("said", f"workers killed: {killer.killed}")
    assert killer.killed >= 40


def test_kills_of_processes_change_nothing(pairs):
    killer, made = run_under_fire(pairs, "processes", 2, 0.1, 0.05, 5)
    assert made == 12
    assert killer.killed >= 1


@pytest.mark.soak
def test_fifty_kills_on_ray_change_nothing(pairs, record_property):
    pytest.importorskip("ray", reason="ray is not installed: pip install 'touchstone-nlp[ray]'")
    many_shards()
    killer, _ = run_under_fire(pairs, "ray", 50, 2.0, 0.1, 1, named="ray::attempt")
    record_property("said", f"workers killed: {killer.killed}")
    assert killer.killed >= 40


@pytest.mark.soak
def test_shards_cost_little_and_two_processes_score_at_least_1_7_times_as_fast_as_one(tmp_path, record_property):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one core")
    figures = {"processes": processes(tmp_path / "segments")}
    seen = f"overhead of shards {overhead(figures):.1%}; two processes {speed_up(figures):.2f} times as fast as one"
    record_property("said", seen)
    assert overhead(figures) <= 0.05
    assert speed_up(figures) >= 1.7
