"""What is gained where texts were analysed before, and by a second process; on WMT 2012, with MAXSIM and relations.

The same references, and the output of a system, are prepared by two programs, one after the other, that share a cache:
CPU time, without start-up. Then one system is scored with one process and with two: wall-clock time, in a program that
has loaded what it needs, the best of three. That needs two cores with nothing else to do; the CPU time beside it does
not.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RELATIONS = "maxsim(n+d)"
SYSTEM = "cs-en/onlineA"
TIMES = 3

FASTER_AGAIN = 3.0
FASTER_BY_TWO = 1.7

_SINGLE_THREADED = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def main() -> None:
    """Print both gains, and stop where one is not what it must be."""
    if not os.environ.get("TOUCHSTONE_DATA"):
        print("set TOUCHSTONE_DATA to the folder that holds wmt12")
        return
    with tempfile.TemporaryDirectory() as folder:
        first, second = (_measured("prepare", folder) for _ in range(2))
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    print(f"analyses on disk of references and one system: {size / 1e6:.1f} MB")
    for name in first:
        gain = first[name] / second[name]
        print(f"{name}: {first[name]:.2f} s CPU, {second[name]:.2f} s again: {gain:.1f}x (at least {FASTER_AGAIN:g}x)")
        if gain < FASTER_AGAIN:
            raise SystemExit(f"too slow: {name} again")
    cores = len(os.sched_getaffinity(0))
    if cores < 2:
        print("one core: two processes are not measured")
        return
    times = _measured("scale", "off")
    gain = times["wall 1"] / times["wall 2"]
    print(f"{RELATIONS}, one system, one process: {times['wall 1']:.2f} s, {times['cpu 1']:.2f} s CPU")
    print(f"{RELATIONS}, one system, two processes: {times['wall 2']:.2f} s, {times['cpu 2']:.2f} s CPU")
    print(
        f"two processes: {gain:.2f}x one (at least {FASTER_BY_TWO}x; load of {cores} cores: {os.getloadavg()[0]:.1f})"
    )
    if gain < FASTER_BY_TWO:
        raise SystemExit("too slow: two processes")


def _measured(function: str, cache: str) -> dict[str, float]:
    """Return what a function of this module prints, run in a program of its own."""
    command = [sys.executable, "-c", f"from benchmarks import mt_cache; mt_cache.{function}({cache!r})"]
    done = subprocess.run(command, env=os.environ | _SINGLE_THREADED, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def prepare(cache: str) -> None:
    """Print the CPU seconds of preparing the references, and the output of a system."""
    os.environ["TOUCHSTONE_CACHE"] = cache
    from touchstone import mt
    from touchstone.tasks.mt.maxsim.triples import triples_of
    from touchstone.tasks.mt.words import words_of

    def prepared(texts: mt.Texts) -> float:
        began = time.process_time()
        words_of(texts)
        triples_of(texts, "d")
        return time.process_time() - began

    references, system = (mt.read_gold([_data() / name]).texts[0] for name in ("ref.en", SYSTEM))
    prepared(mt.Texts(["This sentence loads the model."]))
    print(json.dumps({"the references": prepared(references), "the output of a system": prepared(system)}))


def scale(cache: str) -> None:
    """Print the seconds of scoring one system with one process and with two: wall clock, and CPU of all of them."""
    os.environ["TOUCHSTONE_CACHE"] = cache
    from touchstone import mt

    inputs = mt.read(_data() / "ref.en", _data() / SYSTEM)
    mt.score(inputs, measures=["maxsim(n)"])  # loads what is needed
    best = {f"{kind} {jobs}": float("inf") for kind in ("wall", "cpu") for jobs in (1, 2)}
    for _ in range(TIMES):
        for jobs in (1, 2):
            began, used = time.monotonic(), _cpu()
            mt.score(inputs, measures=[RELATIONS], jobs=jobs)
            best[f"wall {jobs}"] = min(best[f"wall {jobs}"], time.monotonic() - began)
            best[f"cpu {jobs}"] = min(best[f"cpu {jobs}"], _cpu() - used)
    print(json.dumps(best))


def _cpu() -> float:
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


def _data() -> Path:
    return Path(os.environ["TOUCHSTONE_DATA"]) / "wmt12"


if __name__ == "__main__":
    main()
