"""What goes wrong in a run: killed workers and runs, bad files, a full disk, too little memory. The rest goes on."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from multiprocessing import active_children
from pathlib import Path

import pytest
from pyarrow import parquet
from tests.engine.conftest import rows, score
from tests.engine.killing import children, environment, wait_for_end

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.workers import TRIES, Engine, Failure, run_in_order, run_pieces
from touchstone.cli import main
from touchstone.core.registry import find_task
from touchstone.engine import Folder, chunks

KILLING = """
import os, signal, time
from pathlib import Path
from touchstone.mt import Own

def value(text, refs):
    {what}
    return len(text) / (len(text) + len(refs[0]))

metric = Own(value)
"""
TWO = Engine("processes", 2)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Let chunks of text begin at every second row, so that small files have many."""
    monkeypatch.setattr(chunks, "BLOCK", 2)
    monkeypatch.setattr("touchstone.engine.planning.BLOCK", 2)


@pytest.fixture
def forked(monkeypatch):
    """Start workers by fork, so that they have what a test put in place, even if an earlier test left a thread."""
    monkeypatch.setattr("touchstone.base.workers.processes.start_method", lambda: "fork")


def measure(name: str, what: str) -> str:
    """Write a measure that does *what* before it gives a value."""
    sys.modules.pop(name, None)
    Path(f"{name}.py").write_text(KILLING.format(what=what))
    return f"{name}:metric"


def once(name: str) -> str:
    """Write a measure that kills its worker on the first try of each segment of the 'near' run that begins with a."""
    kill = "flag = Path('killed-' + str(abs(hash(text)) % 5))\n    "
    kill += (
        "if text.startswith('a ') and not flag.exists():\n        flag.touch(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    return measure(name, kill)


def test_a_killed_worker_is_replaced_and_the_output_is_that_of_an_undisturbed_run(pairs):
    name = once("dying")
    for flag in range(5):
        Path(f"killed-{flag}").touch()
    _, expected = score("mt", "refs.jsonl", ["near.jsonl"], [name], out="calm", shard_rows=6)
    for flag in range(5):
        Path(f"killed-{flag}").unlink()
    done, results = score("mt", "refs.jsonl", ["near.jsonl"], [name], out="stormy", engine=TWO, shard_rows=6)
    assert any(Path(f"killed-{flag}").exists() for flag in range(5))
    assert done.made == 10
    assert rows(results) == rows(expected)


def test_a_worker_that_is_killed_between_pieces_costs_no_try(tmp_path):
    def pieces():
        yield tmp_path / "first", 1
        for idle in active_children():
            idle.kill()
            idle.join()
        yield tmp_path / "second", TRIES

    assert dict(run_pieces(end_before, pieces(), Engine("processes", 1))) == {0: 1, 1: TRIES}


def end_before(piece):
    """End the worker of a piece so many times less one."""
    log, tries = piece
    with log.open("a") as file:
        file.write("x")
    if log.stat().st_size < tries:
        os._exit(9)
    return log.stat().st_size


REFUSED = """
import os, resource, sys, time
from tests.engine.test_failures import answer_slowly
from touchstone.base.errors import TouchstoneError
from touchstone.base.workers import Engine, run_pieces

list(run_pieces(answer_slowly, [0], Engine("processes", 1)))  # loads what another user may not be able to read
os.setuid(54321)  # a user without other processes, since the limit is on those of a user
most = len(os.listdir("/proc/self/task")) + int(sys.argv[1])  # threads count too
resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
try:
    print(sorted(run_pieces(answer_slowly, range(6), Engine("processes", 3))))
except TouchstoneError as error:
    print(error)
"""


def answer_slowly(piece):
    time.sleep(0.1)
    return -piece


@pytest.mark.skipif(os.getuid() != 0, reason="only root may become another user")
@pytest.mark.parametrize(
    ("allowed", "said"),
    [
        (0, "no worker can be started (resource temporarily unavailable)\n   "),
        (1, "[(0, 0), (1, -1), (2, -2), (3, -3), (4, -4), (5, -5)]"),
    ],
)
def test_workers_that_the_system_refuses_are_done_without_where_there_is_one(allowed, said):
    command = [sys.executable, "-c", REFUSED, str(allowed)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment())
    assert done.stdout.startswith(said), done.stderr


def bad_segment(what: str) -> str:
    """Return a measure that does *what* on the 31st translation of ``near``."""
    text = json.loads(Path("near.jsonl").read_text().splitlines()[30])["hypothesis"]
    return measure("bad", f"if text == {text!r}:\n        {what}")


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", f"a worker ended early, {TRIES} times in a row (signal 9)"),
        ("os._exit(7)", "(exit code 7)"),
        ("raise ZeroDivisionError('no')", "(ZeroDivisionError: no)"),
    ],
)
def test_a_shard_that_cannot_be_done_is_named_the_others_are_done_and_the_exit_code_is_3(
    what, said, pairs, monkeypatch, capsys
):
    words = ["mt", "score", "refs.jsonl", "near.jsonl", "-m", bad_segment(what), "--engine", "processes", "--out", "s"]
    monkeypatch.setattr(sys, "argv", ["touchstone", *words, "--jobs", "2"])
    monkeypatch.setattr("touchstone.engine.planning.STEP", 6)
    monkeypatch.setattr("touchstone.engine.planning.FEWEST", 10)
    with pytest.raises(SystemExit) as end:
        main()
    out, err = capsys.readouterr()
    assert (end.value.code, out) == (3, "")
    assert said in err
    assert "error: refs.jsonl, rows 31 to 36: " in err
    status = Folder(Path("s")).status()
    assert (status.done, status.left, list(status.failures)) == (9, 0, ["refs.jsonl, rows 31 to 36"])
    assert sorted(path.suffix for path in Path("s/shards").iterdir()) == [".parquet"] * 9
    measure("bad", "pass")  # another file, so another measure
    with pytest.raises(SystemExit) as end:
        main()
    assert not end.value.code
    assert Folder(Path("s")).status().done == 10


def test_all_failures_are_written_at_the_end_where_there_are_many(pairs, monkeypatch):
    monkeypatch.setattr("touchstone.engine.scoring.OFTEN", 4)
    name = measure("bad", "raise ZeroDivisionError('no')")
    done, _ = score("mt", "refs.jsonl", ["near.jsonl"], [name], shard_rows=6)
    assert len(done.failures) == 10
    assert Folder(Path("scores")).status().failures == done.failures


def test_a_full_disk_fails_a_shard_with_a_sentence_and_leaves_nothing_half_written(pairs, forked, monkeypatch):
    written = parquet.write_table

    def full(table, path, **how):
        written(table, path, **how)
        if Path(path).name.startswith(f".{doomed}."):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    score("mt", "refs.jsonl", ["near.jsonl"], ["ter"], out="first", shard_rows=20)
    doomed = f"{Folder(Path('first')).shards()[1].key}.parquet"
    monkeypatch.setattr(parquet, "write_table", full)
    done, _ = score("mt", "refs.jsonl", ["near.jsonl"], ["ter"], engine=TWO, shard_rows=20)
    (sentence,) = done.failures.values()
    assert "cannot be written (no space left on device)" in sentence
    assert len(list(Path("scores/shards").iterdir())) == 2
    monkeypatch.undo()
    os.chdir(pairs)
    done, results = score("mt", "refs.jsonl", ["near.jsonl"], ["ter"], shard_rows=20)
    assert (done.made, done.already_done, len(results)) == (1, 2, 60)


def test_what_a_killed_worker_had_half_written_is_no_shard_and_is_removed(pairs, forked, monkeypatch):
    written, seen = parquet.write_table, Path("seen")

    def killed_once(table, path, **how):
        written(table.slice(0, 1), path, **how)
        if not seen.exists():
            seen.write_text(str(path))
            os.kill(os.getpid(), signal.SIGKILL)
        written(table, path, **how)

    monkeypatch.setattr(parquet, "write_table", killed_once)
    done, results = score("mt", "refs.jsonl", ["near.jsonl"], ["ter"], engine=TWO, shard_rows=20)
    assert (done.made, len(results)) == (3, 60)
    assert Path(seen.read_text()).parent == Path("scores/shards").resolve()
    assert [path.suffix for path in Path("scores/shards").iterdir()] == [".parquet"] * 3


@pytest.fixture
def small_disk(pairs):
    """Give a folder on a disk of its own with 60 kB."""
    path = pairs / "disk"
    path.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=60k", "tmpfs", str(path)]
    if not shutil.which("mount") or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    yield path
    subprocess.run(["umount", str(path)], check=True)


def test_a_disk_that_is_really_full_stops_no_other_shard_and_loses_nothing(small_disk):
    given = ("mt", "refs.jsonl", ["near.jsonl"], ["ter"])
    done, _ = score(*given, out=small_disk / "s", engine=TWO, shard_rows=4)
    assert 0 < done.made < 15
    assert len(done.failures) == 15 - done.made
    assert all("cannot be written (no space left on device)" in sentence for sentence in done.failures.values())
    assert len(list((small_disk / "s" / "shards").iterdir())) == done.made
    subprocess.run(["mount", "-o", "remount,size=1m", str(small_disk)], check=True)
    again, results = score(*given, out=small_disk / "s", engine=TWO, shard_rows=4)
    assert (again.already_done, again.made, len(results)) == (done.made, 15 - done.made, 60)


@pytest.fixture
def parts(pairs):
    """Cut references and a run into three files each."""
    for name in ("refs", "near"):
        table = parquet.read_table(f"{name}.parquet")
        Path(f"{name}-parts").mkdir()
        for place in range(3):
            parquet.write_table(table.slice(20 * place, 20), f"{name}-parts/{place}.parquet")
    return pairs


@pytest.mark.parametrize("kind", ["cut", "bytes", "folder", "gone"])
def test_a_file_that_cannot_be_read_is_named_and_the_other_files_are_scored(kind, parts):
    bad = Path("near-parts/1.parquet")
    whole = bad.read_bytes()
    if kind == "cut":
        bad.write_bytes(whole[: len(whole) // 2])
    elif kind == "bytes":
        bad.write_bytes(whole[:60] + bytes(200) + whole[260:])
    else:
        bad.unlink()
        bad.mkdir() if kind == "folder" else None
    runs = ["near=near-parts/0.parquet", f"near={bad}", "near=near-parts/2.parquet"]
    if kind == "folder":
        runs = ["near=near-parts/0.parquet", "near=near-parts/2.parquet"]
        with pytest.raises(TouchstoneError) as error:
            score("mt", "refs-parts", runs, ["ter"])
        assert error.value.code == Code.MISMATCH
        return
    done, _ = score("mt", "refs-parts", runs, ["ter"])
    assert all(place.startswith("refs-parts/1.parquet") for place in done.failures)
    assert all("near-parts/1.parquet: " in sentence for sentence in done.failures.values())
    status = Folder(Path("scores")).status()
    assert status.rows_done == 40
    bad.write_bytes(whole)
    done, results = score("mt", "refs-parts", runs, ["ter"])
    assert (done.made, done.already_done) == (10, 20)
    assert rows(results) == rows(find_task("mt").score("refs.parquet", ["near.parquet"], ["ter"]))


HELD = """while Path('hold').exists() and Path('log').exists() and Path('log').stat().st_size >= 24:
        time.sleep(0.01)
    with Path('log').open('a') as log:
        log.write('x')"""
"""Work that does not go beyond four shards of six segments while there is a file called hold."""


def test_a_killed_run_is_continued_with_the_shards_that_are_missing(pairs):
    name = measure("slow", HELD)
    Path("hold").touch()
    program = (
        "from tests.engine.conftest import score\nfrom touchstone.base.workers import Engine\nimport os\n"
        f"score('mt', 'refs.jsonl', ['near.jsonl'], [{name!r}], engine=Engine('processes', 2), shard_rows=6)"
    )
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": f"{root}:{os.environ.get('PYTHONPATH', '')}"}
    run = subprocess.Popen([sys.executable, "-c", program], env=environment)
    try:
        until = time.monotonic() + 120
        while len(list(Path("scores/shards").glob("*.parquet"))) < 3:
            assert time.monotonic() < until
            assert run.poll() is None
            time.sleep(0.02)
        workers = children(run.pid)
    finally:
        run.kill()
        run.wait()
    Path("hold").unlink()
    wait_for_end(workers)  # they finish what they are at, and see that it is gone
    before = {path: path.stat().st_mtime_ns for path in Path("scores/shards").glob("*.parquet")}
    assert not list(Path("scores/shards").glob(".*")), "nothing half-written is left by a worker that ends by itself"
    calls = Path("log").stat().st_size
    done, results = score("mt", "refs.jsonl", ["near.jsonl"], [name], engine=TWO, shard_rows=6)
    assert (done.already_done, done.made) == (len(before), 10 - len(before))
    assert Path("log").stat().st_size - calls == 6 * done.made
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert rows(results) == rows(find_task("mt").score("refs.jsonl", ["near.jsonl"], [name]))


def work(piece):
    if isinstance(piece, Exception):
        raise piece
    return -piece


def test_pieces_come_back_in_order_and_an_error_is_raised_as_it_was():
    for engine in (Engine(), Engine("processes", 3)):
        assert list(run_in_order(work, range(20), engine)) == [-n for n in range(20)]
        with pytest.raises(TouchstoneError, match="no such thing"):
            list(run_in_order(work, [1, TouchstoneError("no such thing")], engine))
    failed = dict(run_pieces(work, [3, ValueError("odd")], Engine("processes", 1)))
    assert failed[0] == -3
    assert isinstance(failed[1], Failure)
    assert str(failed[1]) == "ValueError: odd"


def test_a_worker_without_memory_is_said_so():
    (outcome,) = dict(run_pieces(bytearray, [1 << 62], Engine("processes", 1))).values()
    assert str(outcome).startswith("a worker ran out of memory\n   use fewer workers (jobs=1), or smaller shards")


def test_an_error_that_cannot_be_sent_is_told_by_its_text():
    outcome = dict(run_pieces(unsendable, [1], Engine("processes", 1)))[0]
    assert "RuntimeError: cannot be pickled" in str(outcome)


def unsendable(piece):
    error = RuntimeError("cannot be pickled")
    error.lock = lambda: piece
    raise error


def test_an_unknown_engine_is_refused():
    with pytest.raises(TouchstoneError) as error:
        Engine("processes ")
    assert error.value.code == Code.UNKNOWN_NAME


@pytest.mark.parametrize("streamed", [False, True])
def test_scores_made_elsewhere_are_refused_in_shards(pairs, streamed):
    with pytest.raises(TouchstoneError, match="scores=… has no place where files are read in shards"):
        score("mt", "refs.parquet", ["near.parquet"], ["chrf"], streamed=streamed, scores=("comet=comet.tsv",))
