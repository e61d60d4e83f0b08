"""Runs whose workers are killed while they work."""

import os
import random
import signal
import threading
import time
from pathlib import Path

SLOW = """
import os, time
from touchstone.mt import Own

def value(text, refs):
    until = time.process_time() + float(os.environ.get("SECONDS_OF_A_SEGMENT", 0))
    while time.process_time() < until:
        pass
    return len({*text.split()} & {*refs[0].split()}) / len(refs[0].split())

metric = Own(value)
"""
"""A measure that takes as much CPU time for a segment as the environment says."""


class Killer(threading.Thread):
    """Kills a random worker now and then, until it has killed so many."""

    def __init__(self, kills: int, pause: float, workers) -> None:
        super().__init__(daemon=True)
        self.left, self.pause, self.workers, self.killed = kills, pause, workers, 0
        self.chance = random.Random(11)
        self.ended = threading.Event()

    def run(self) -> None:
        while not list(Path("stormy").glob("shards/*.parquet")) and not self.ended.wait(0.1):
            pass  # what starts the workers is not to be killed
        while self.left > self.killed and not self.ended.wait(self.chance.uniform(0.5, 1.5) * self.pause):
            found = self.workers()
            if found:
                try:
                    os.kill(self.chance.choice(found), signal.SIGKILL)
                    self.killed += 1
                except ProcessLookupError:
                    pass


def children(parent: int, named: str = "") -> list[int]:
    """Return the processes below a process whose command line begins with a word."""
    found, below = [], {parent}
    for _ in range(6):
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                line = (entry / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if int(fields[1]) in below and int(entry.name) not in below and fields[0] != "Z":
                below.add(int(entry.name))
                if line.startswith(named):
                    found.append(int(entry.name))
    return found


def wait_for_end(processes: list[int], seconds: float = 300) -> None:
    """Wait until processes are gone, such as the workers of a run that was killed."""
    until = time.monotonic() + seconds
    while any(_lives(process) for process in processes):
        assert time.monotonic() < until, f"still there: {[one for one in processes if _lives(one)]}"
        time.sleep(0.02)


def _lives(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def environment(**more: str) -> dict[str, str]:
    """Return an environment in which programs find the tests, with *more* variables."""
    root = Path(__file__).parents[2]
    paths = [str(root), os.environ.get("PYTHONPATH", str(root / "src"))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **more}


def check_same_shards(stormy: Path, calm: Path) -> None:
    """Check that two folders have the same shards, byte for byte."""
    files = sorted(path.name for path in (calm / "shards").iterdir())
    assert sorted(path.name for path in (stormy / "shards").glob("*.parquet")) == files
    for name in files:
        assert (stormy / "shards" / name).read_bytes() == (calm / "shards" / name).read_bytes()
