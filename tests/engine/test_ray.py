"""Ray: the same numbers as elsewhere, a node that is lost, and a sentence where no worker can be had."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.engine.conftest import rows, score

from touchstone.core.errors import TouchstoneError
from touchstone.core.task import find_task
from touchstone.core.workers import Engine, on_ray, run_pieces
from touchstone.engine import read_results

pytest.importorskip("ray", reason="ray is not installed: pip install 'touchstone-nlp[ray]'")
ROOT = Path(__file__).parents[2]

PROGRAM = """
import sys, threading, time
sys.path[:0] = [{root!r}]
from tests.engine.conftest import score
from touchstone.core.errors import TouchstoneError
from touchstone.core.workers import Engine, on_ray
"""


def in_process(program: str, timeout: float = 300) -> str:
    """Run a program of its own: Ray leaves threads behind, beside which this process could not fork."""
    whole = PROGRAM.format(root=str(ROOT)) + program
    done = subprocess.run([sys.executable, "-c", whole], check=False, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_ray_gives_the_same_numbers_and_names_what_fails(pairs):
    Path("bad.py").write_text(
        "from touchstone.mt import Own\nmetric = Own(lambda text, refs: 1 / (len(text) if len(text) > 12 else 0))\n"
    )
    out = in_process(
        "done, _ = score('mt', 'refs.jsonl', ['near.jsonl', 'far.jsonl'], ['chrf', 'mine:overlap'],\n"
        "                engine=Engine('ray', 2), shard_rows=25)\n"
        "print(done.made, done.failures)\n"
        "failed, _ = score('mt', 'refs.jsonl', ['near.jsonl'], ['bad:metric'], out='f', engine=Engine('ray', 2))\n"
        "print(list(failed.failures.values()))\n"
    )
    assert out.splitlines()[0] == "3 {}"
    assert "this measure fails on segment" in out
    expected = find_task("mt").score("refs.jsonl", ["near.jsonl", "far.jsonl"], ["chrf", "mine:overlap"])
    assert rows(read_results("scores")) == rows(expected)


def test_a_cluster_that_does_not_answer_is_refused_with_a_sentence():
    with pytest.raises(TouchstoneError, match=r"no Ray cluster answers \(connection refused\)"):
        list(run_pieces(abs, [1], Engine("ray", address="127.0.0.1:1")))


@pytest.mark.soak
def test_a_cluster_without_free_workers_is_said_within_a_minute(pairs):
    out = in_process(
        "import ray\nfrom ray.cluster_utils import Cluster\n"
        "cluster = Cluster(initialize_head=True, head_node_args={'num_cpus': 0})\n"
        "began = time.monotonic()\n"
        "try:\n"
        "    score('mt', 'refs.txt', ['near.txt'], ['ter'], engine=Engine('ray', address=cluster.address))\n"
        "except TouchstoneError as error:\n"
        "    print(error, round(time.monotonic() - began))\n"
        "cluster.shutdown()\n"
    )
    assert "Ray gave no worker within" in out
    assert "0 cores" in out
    assert int(out.split()[-1]) < 60 + 15  # the connection itself takes some seconds on a busy machine


@pytest.mark.soak
def test_a_node_that_is_removed_in_the_middle_changes_nothing(pairs):
    Path("slow.py").write_text(
        "import time\nfrom touchstone.mt import Own\n\n"
        "def value(text, refs):\n    time.sleep(0.3)\n    return len(text) / (len(text) + len(refs[0]))\n\n"
        "metric = Own(value)\n"
    )
    out = in_process(
        "import ray\nfrom pathlib import Path\nfrom ray.cluster_utils import Cluster\n"
        "cluster = Cluster(initialize_head=True, head_node_args={'num_cpus': 1})\n"
        "second = cluster.add_node(num_cpus=1)\n"
        "def remove():\n"
        "    while len(list(Path('scores/shards').glob('*.parquet'))) < 4:\n"
        "        time.sleep(0.1)\n"
        "    cluster.remove_node(second)\n"
        "    print('removed', flush=True)\n"
        "threading.Thread(target=remove, daemon=True).start()\n"
        "done, _ = score('mt', 'refs.jsonl', ['near.jsonl'], ['slow:metric'],\n"
        "                engine=Engine('ray', address=cluster.address), shard_rows=3)\n"
        "print(done.made, done.failures)\n"
        "cluster.shutdown()\n"
    )
    assert "removed" in out
    assert out.splitlines()[-1] == "20 {}"
    _, calm = score("mt", "refs.jsonl", ["near.jsonl"], ["slow:metric"], out="calm", shard_rows=3)
    assert rows(read_results("scores")) == rows(calm)


def test_the_time_that_ray_may_take_is_below_a_minute():
    assert on_ray.PLACED + on_ray.REACHED < 60
