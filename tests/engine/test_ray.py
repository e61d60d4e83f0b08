"""Ray: the same output as elsewhere, workers and nodes that are lost, and a sentence where no worker can be had."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.engine.conftest import (
    INPUTS,
    MAPS,
    copy_examples,
    cut_finely,
    rows,
    score,
    write_map_inputs,
    write_model,
    write_pairs,
)
from tests.engine.killing import SLOW, check_same_shards, children, environment, wait_for_end

from touchstone.base.errors import TouchstoneError
from touchstone.base.workers import Engine, on_ray, run_pieces
from touchstone.core.registry import find_task
from touchstone.engine import read_results

pytest.importorskip("ray", reason="ray is not installed: pip install 'touchstone-nlp[ray]'")

BAD = "from touchstone.mt import Own\nmetric = Own(lambda text, refs: 1 / (len(text) if len(text) > 12 else 0))\n"

PROGRAM = """
import json, os, sys, threading, time
from pathlib import Path

import pytest
import ray
from tests.engine.conftest import INPUTS, MAPS, cut_finely, score
from tests.engine.killing import Killer, children
from touchstone.cli import main
from touchstone.base.errors import TouchstoneError
from touchstone.base.workers import Engine, on_ray
"""

START = """
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
here = Engine("ray", 2)
"""

TASKS = (
    START
    + """
for task, (gold, runs, measures) in INPUTS.items():
    score(task, gold, runs, measures, out=f"on-{task}", engine=here, shard_rows=20)
failed, _ = score("mt", "refs.jsonl", ["near.jsonl"], ["bad:metric"], out="f", engine=here)
print(*failed.failures.values())
killer = Killer(3, 0.5, lambda: children(os.getpid(), "ray::attempt"))
killer.start()
done, _ = score("mt", "refs.jsonl", ["near.jsonl"], ["slow:metric"], out="stormy", engine=here, shard_rows=3)
killer.ended.set()
Path("stormy.json").write_text(json.dumps([killer.killed, done.made, done.failures]))
"""
)

EVERY_MAP = (
    START
    + """
cut_finely(pytest.MonkeyPatch())
for name, words in MAPS.items():
    out = name.replace(" ", "-")
    sys.argv = ["touchstone", *words.format(out=f"{out}.jsonl").split(), "--engine", "ray", "--jobs", "2"]
    with Path(f"{out}.printed").open("w") as sys.stdout:
        try:
            main()
        except SystemExit as end:
            assert not end.code, name
    sys.stdout = sys.__stdout__
"""
)


def in_process(program: str, folder: Path, **variables: str) -> str:
    """Run a program of its own in a folder: Ray leaves threads behind, beside which this process could not fork."""
    command = [sys.executable, "-c", PROGRAM + program]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=folder, env=environment(**variables)
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def on_one_ray(tmp_path_factory):
    """Score all tasks on one Ray, since starting it takes most of the time; give the folder, and what was printed."""
    folder = tmp_path_factory.mktemp("ray")
    copy_examples(folder)
    write_pairs(folder)
    (folder / "bad.py").write_text(BAD)
    (folder / "slow.py").write_text(SLOW)
    return folder, in_process(TASKS, folder, SECONDS_OF_A_SEGMENT="0.1")


@pytest.fixture
def beside(on_one_ray, monkeypatch):
    """Work beside what Ray made."""
    monkeypatch.chdir(on_one_ray[0])
    return on_one_ray[1]


@pytest.mark.filterwarnings("ignore:seconds. higher is better:touchstone.TouchstoneWarning")
@pytest.mark.parametrize("task", INPUTS)
def test_every_task_has_the_same_numbers_on_ray_as_in_memory(task, beside):
    assert rows(read_results(f"on-{task}")) == rows(find_task(task).score(*INPUTS[task]))


@pytest.mark.soak
def test_every_map_has_the_same_output_on_ray_as_in_this_process(examples, command, monkeypatch):
    pytest.importorskip("torch", reason="the extra neural is not installed")
    write_map_inputs(examples)
    write_model(examples)
    in_process(EVERY_MAP, examples)
    cut_finely(monkeypatch)
    for name, words in MAPS.items():
        out = name.replace(" ", "-")
        _, printed, _ = command(*words.format(out="here.jsonl").split())
        assert Path(f"{out}.printed").read_text() == printed
        if "{out}" in words:
            assert Path(f"{out}.jsonl").read_bytes() == Path("here.jsonl").read_bytes()


def test_a_shard_that_fails_on_ray_is_named(beside):
    assert "this measure fails on segment" in beside


def test_workers_that_are_killed_on_ray_change_nothing(beside):
    killed, made, failures = json.loads(Path("stormy.json").read_text())
    assert killed >= 1
    assert (made, failures) == (20, {})
    sys.modules.pop("slow", None)  # another test's module of that name
    score("mt", "refs.jsonl", ["near.jsonl"], ["slow:metric"], out="calm", shard_rows=3)
    check_same_shards(Path("stormy"), Path("calm"))


def test_a_cluster_that_does_not_answer_is_refused_with_a_sentence():
    with pytest.raises(TouchstoneError, match=r"no Ray cluster answers \(connection refused\)"):
        list(run_pieces(abs, [1], Engine("ray", address="127.0.0.1:1")))


@pytest.mark.soak
def test_a_cluster_without_free_workers_is_said_within_a_minute(pairs):
    out = in_process(
        "from ray.cluster_utils import Cluster\n"
        "cluster = Cluster(initialize_head=True, head_node_args={'num_cpus': 0})\n"
        "began = time.monotonic()\n"
        "try:\n"
        "    score('mt', 'refs.txt', ['near.txt'], ['ter'], engine=Engine('ray', address=cluster.address))\n"
        "except TouchstoneError as error:\n"
        "    print(error, round(time.monotonic() - began))\n"
        "cluster.shutdown()\n",
        pairs,
    )
    assert "Ray provided no worker within" in out
    assert "0 cores" in out
    assert int(out.split()[-1]) < 60 + 15  # the connection itself takes some seconds on a busy machine


TWO_NODES = """
from ray.cluster_utils import Cluster

cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
second = cluster.add_node(num_cpus=1)

def remove():
    while len(list(Path("stormy/shards").glob("*.parquet"))) < 4:
        time.sleep(0.1)
    cluster.remove_node(second)
    print("removed", flush=True)

threading.Thread(target=remove, daemon=True).start()
done, _ = score("mt", "refs.jsonl", ["near.jsonl"], ["slow:metric"], out="stormy",
                engine=Engine("ray", address=cluster.address), shard_rows=3)
print(done.made, done.failures)
cluster.shutdown()
"""


@pytest.mark.soak
def test_a_node_that_is_removed_in_the_middle_changes_nothing(pairs):
    Path("slow.py").write_text(SLOW)
    out = in_process(TWO_NODES, pairs, SECONDS_OF_A_SEGMENT="0.3")
    assert "removed" in out
    assert out.splitlines()[-1] == "20 {}"
    sys.modules.pop("slow", None)
    score("mt", "refs.jsonl", ["near.jsonl"], ["slow:metric"], out="calm", shard_rows=3)
    check_same_shards(Path("stormy"), Path("calm"))


@pytest.mark.soak
def test_a_killed_run_on_ray_is_continued_with_the_shards_that_are_missing(pairs):
    Path("slow.py").write_text(SLOW)
    given = "score('mt', 'refs.jsonl', ['near.jsonl'], ['slow:metric'], out='stormy', engine=here, shard_rows=3)"
    command = [sys.executable, "-c", f"{PROGRAM}\nhere = Engine('ray', 2)\n{given}"]
    with subprocess.Popen(command, env=environment(SECONDS_OF_A_SEGMENT="0.3")) as run:
        while len(list(Path("stormy/shards").glob("*.parquet"))) < 4:
            assert run.poll() is None
            time.sleep(0.1)
        workers = children(run.pid)
        run.kill()
    wait_for_end(workers)
    before = {path: path.stat().st_mtime_ns for path in Path("stormy/shards").glob("*.parquet")}
    out = in_process(f"here = Engine('ray', 2)\ndone, _ = {given}\nprint(done.made, done.already_done)", pairs)
    assert json.loads(f"[{out.split()[-2]}, {out.split()[-1]}]") == [20 - len(before), len(before)]
    assert {path: path.stat().st_mtime_ns for path in before} == before
    sys.modules.pop("slow", None)
    score("mt", "refs.jsonl", ["near.jsonl"], ["slow:metric"], out="calm", shard_rows=3)
    check_same_shards(Path("stormy"), Path("calm"))


def test_the_time_that_ray_may_take_is_below_a_minute():
    assert on_ray.PLACED + on_ray.REACHED < 60
