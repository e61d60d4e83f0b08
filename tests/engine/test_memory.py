"""Workers that really run out of memory: the kernel, Ray or Python ends their work, and the other shards go on."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.engine.conftest import rows, score
from tests.engine.killing import check_same_shards, environment

from touchstone.base.workers import TRIES, Engine, Failure, processes, run_pieces
from touchstone.engine import Folder, read_results

HUNGRY = """
import os, time
from touchstone.mt import Own

def value(text, refs):
    if text == {text!r} and "MEGABYTES" in os.environ:
        held = b"x" * (int(os.environ["MEGABYTES"]) << 20)
        time.sleep(30)
    return len(text) / (len(text) + len(refs[0]))

metric = Own(value)
"""
"""A measure that needs as much memory for one segment as the environment says, for a while."""

MEMORY = Path("/sys/fs/cgroup/memory")


@pytest.fixture
def hungry(pairs):
    """Write a measure that needs much memory for the 31st segment."""
    text = json.loads(Path("near.jsonl").read_text().splitlines()[30])["hypothesis"]
    sys.modules.pop("hungry", None)
    Path("hungry.py").write_text(HUNGRY.format(text=text))
    return pairs


class Limited:
    """A group of processes with a limit on their memory: where they need more, the kernel kills one of them."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def run(self, command: list[str], megabytes: int, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the group."""
        (self.path / "memory.limit_in_bytes").write_text(str(megabytes << 20))
        entering = ["sh", "-c", f'echo $$ > {self.path}/cgroup.procs && exec "$@"', "sh"]
        return subprocess.run(
            [*entering, *command], check=False, capture_output=True, text=True, env=environment(**variables)
        )

    @property
    def kills(self) -> int:
        """How many processes the kernel has killed."""
        told = dict(line.split() for line in (self.path / "memory.oom_control").read_text().splitlines())
        return int(told["oom_kill"])


@pytest.fixture
def limited():
    """Make a group within the group of this process, and remove it when its processes have ended."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        own = next(line.split(":", 2)[2] for line in lines if line.split(":")[1] == "memory")
        path = MEMORY / own.lstrip("/") / f"touchstone-{os.getpid()}"
        path.mkdir()
    except (OSError, StopIteration):
        pytest.skip("memory cannot be limited here: no cgroup of version 1 that may be written")
    yield Limited(path)
    until = time.monotonic() + 300
    while (path / "cgroup.procs").read_text():
        assert time.monotonic() < until, "processes are left"
        time.sleep(0.2)
    path.rmdir()


def command(engine: str) -> list[str]:
    Path("pieces.toml").write_text(f'engine = "{engine}"\nshard_rows = 6\n')
    words = ["mt", "score", "refs.jsonl", "near.jsonl", "-m", "hungry:metric", "--out", "stormy"]
    return [sys.executable, "-m", "touchstone", *words, "--engine", "pieces.toml", "--jobs", "2"]


def check_one_shard_failed(done: subprocess.CompletedProcess[str], said: str) -> None:
    """Check that all shards but one are done, what is said of it, and that the next run does what is left."""
    assert (done.returncode, done.stdout) == (3, ""), done.stderr
    assert f"error: refs.jsonl, rows 31 to 36: {said}" in done.stderr
    assert "fewer workers (--jobs 1), or smaller shards (--engine FILE.toml with shard_rows = N)" in done.stderr
    assert "parts that failed: 1; the others are done" in done.stderr
    status = Folder(Path("stormy")).status()
    assert (status.done, status.left, list(status.failures)) == (9, 0, ["refs.jsonl, rows 31 to 36"])
    assert status.failures["refs.jsonl, rows 31 to 36"].startswith(said)
    before = {path: path.stat().st_mtime_ns for path in Path("stormy/shards").iterdir()}
    assert [path.suffix for path in before] == [".parquet"] * 9
    again = subprocess.run(command("processes"), check=False, capture_output=True, text=True, env=environment())
    assert again.returncode == 0, again.stderr
    assert "stormy: shards scored: 1, already done: 9" in again.stderr
    assert {path: path.stat().st_mtime_ns for path in before} == before
    _, calm = score("mt", "refs.jsonl", ["near.jsonl"], ["hungry:metric"], out="calm", shard_rows=6)
    assert rows(read_results("stormy")) == rows(calm)
    check_same_shards(Path("stormy"), Path("calm"))


@pytest.mark.parametrize(
    ("engine", "megabytes", "how"), [("processes", 600, "signal 9"), ("ray", 3000, "WorkerCrashedError")]
)
def test_a_shard_whose_workers_the_kernel_kills_for_their_memory_is_named_and_the_others_are_done(
    engine, megabytes, how, hungry, limited
):
    if engine == "ray":
        pytest.importorskip("ray", reason="ray is not installed: pip install 'touchstone-nlp[ray]'")
    done = limited.run(command(engine), megabytes, MEGABYTES=str(2 * megabytes), RAY_memory_monitor_refresh_ms="0")
    assert limited.kills >= TRIES
    check_one_shard_failed(done, f"a worker ended early, {TRIES} times in a row ({how})")


LARGE = """
from multiprocessing import set_start_method
from tests.engine.test_memory import ones
from touchstone.base.workers import Engine, run_pieces

if __name__ == "__main__":
    set_start_method("spawn")
    held = b"x" * (800 << 20)
    for number, outcome in sorted(run_pieces(ones, [1, 400, 2], Engine("processes", 1))):
        print(number, outcome)
"""


def ones(megabytes):
    return len(b"x" * (megabytes << 20)) >> 20


def test_the_kernel_kills_a_worker_before_the_larger_process_that_started_it(tmp_path, monkeypatch, limited):
    monkeypatch.chdir(tmp_path)
    Path("large.py").write_text(LARGE)
    done = limited.run([sys.executable, "large.py"], 1000)
    assert limited.kills == TRIES
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"0 1\n1 a worker ended early, {TRIES} times in a row (signal 9)\n")
    assert done.stdout.endswith("\n2 2\n")


CONTAINED = 'mount --bind "$0" /sys/fs/cgroup/memory && exec "$@"'
"""Shows the group as a container does: as that of all processes."""


@pytest.mark.soak
def test_a_shard_whose_workers_ray_ends_for_their_memory_is_named_and_the_others_are_done(hungry, limited):
    pytest.importorskip("ray", reason="ray is not installed: pip install 'touchstone-nlp[ray]'")
    if subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True).returncode:
        pytest.skip("Ray's view of the memory cannot be limited here")
    contained = ["unshare", "--mount", "sh", "-c", CONTAINED, str(limited.path), *command("ray")]
    watching = {"RAY_memory_usage_threshold": "0.6", "RAY_memory_monitor_refresh_ms": "50"}
    done = limited.run(contained, 4000, MEGABYTES="2500", **watching)
    assert limited.kills == 0
    check_one_shard_failed(done, f"a worker ended early, {TRIES} times in a row (OutOfMemoryError)")


ABOVE = """
import numpy, os, resource
from touchstone.mt import Own

def value(text, refs):
    if text == {text!r} and "MEGABYTES" in os.environ:
        pages = int(open("/proc/self/statm").read().split()[0])
        limits = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (100 << 20), limits[1]))
        open("tries", "a").write("x")
        try:
            numpy.ones(int(os.environ["MEGABYTES"]) << 17)
        finally:
            resource.setrlimit(resource.RLIMIT_AS, limits)
    return len(text) / (len(text) + len(refs[0]))

metric = Own(value)
"""
"""A measure that asks for more memory than the system allows, which Python notices."""


@pytest.mark.parametrize("engine", ["in-process", "processes", "ray"])
def test_a_shard_that_the_system_refuses_memory_is_named_and_the_others_are_done(engine, hungry):
    if engine == "ray":
        pytest.importorskip("ray", reason="ray is not installed: pip install 'touchstone-nlp[ray]'")
    text = json.loads(Path("near.jsonl").read_text().splitlines()[30])["hypothesis"]
    Path("hungry.py").write_text(ABOVE.format(text=text))
    done = subprocess.run(
        command(engine), check=False, capture_output=True, text=True, env=environment(MEGABYTES="1000")
    )
    assert Path("tries").read_text() == "x" * (1 if engine == "in-process" else TRIES)
    check_one_shard_failed(done, "a worker ran out of memory")


def note_and_end(piece):
    """Note that a piece is worked on; end the worker so many times, and look what else is worked on the last time.

    The first piece looks until it sees another one: workers start slowly on a busy machine.
    """
    name, endings = piece
    tried = len(list(Path("tried").glob(f"{name}-*")))
    Path(f"tried/{name}-{tried}").touch()
    mine = Path(f"running/{name}-{os.getpid()}")
    mine.touch()
    time.sleep(0.1)
    if tried < endings:
        mine.unlink()
        os._exit(9)
    beside, until = 0, time.monotonic() + (120 if name == "p0" else 0)
    while not (beside := sum(path != mine for path in Path("running").iterdir())) and time.monotonic() < until:
        time.sleep(0.01)
    mine.unlink()
    return tried, beside


def test_a_piece_has_its_last_try_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("tried").mkdir()
    Path("running").mkdir()
    pieces = [(f"p{n}", [0, 3, 1, 3, 9, 2][n % 6]) for n in range(18)]
    outcomes = dict(run_pieces(note_and_end, pieces, Engine("processes", 3)))
    for number, (_, endings) in enumerate(pieces):
        if endings == 9:
            assert isinstance(outcomes[number], Failure)
        else:
            assert outcomes[number][0] == endings
    assert all(outcomes[number][1] == 0 for number, (_, endings) in enumerate(pieces) if endings == TRIES - 1)
    assert any(outcomes[number][1] for number, (_, endings) in enumerate(pieces) if endings == 0)


def ending(piece):
    os._exit(piece)


def test_pieces_whose_workers_end_are_not_all_held_in_memory():
    taken = []
    given = (taken.append(number) or 9 for number in range(40))
    for done, (_, outcome) in enumerate(run_pieces(ending, given, Engine("processes", 2))):
        assert isinstance(outcome, Failure)
        assert len(taken) - done <= processes.WAITING + 2
    assert done == 39


TIGHT = """
import resource, sys
from touchstone.cli import main

pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (700 << 20), -1))
sys.argv[0] = "touchstone"
main()
"""


def test_a_file_that_is_too_large_for_the_memory_is_not_called_damaged(pairs):
    rows_written = 4_000_000
    long = pa.array(["a long sentence of many words " * 8]).dictionary_encode()
    column = pa.DictionaryArray.from_arrays(pa.array([0] * rows_written, pa.int32()), long.dictionary)
    parquet.write_table(pa.table({"reference": column}), "large.parquet", store_schema=False)  # it is read as strings
    words = ["mt", "score", "large.parquet", "large.parquet", "-m", "ter"]
    done = subprocess.run(
        [sys.executable, "-c", TIGHT, *words],
        check=False,
        capture_output=True,
        text=True,
        env=environment(OMP_NUM_THREADS="1"),  # threads of Arrow need room of their own
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: there is not enough memory for this command\n")
