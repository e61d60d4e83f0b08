"""Substitution systems: sentences per second, time of one suggestion, memory; words met before and words that are new.

Needs TOUCHSTONE_DATA with glove100; the sentences are made up.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from benchmarks import within

SENTENCES = 1_000
WORDS = 100
LEFT, RIGHT = "We will all have to", "the old house by the river before the night is over , said the man ."


def main() -> None:
    """Print speeds of cmlc; in a process of its own, so that the numerical libraries start with one thread."""
    data = os.environ.get("TOUCHSTONE_DATA")
    if not data:
        print("skipped: set TOUCHSTONE_DATA to the folder that has glove100")
        return
    one_thread = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    command = [sys.executable, "-c", "from benchmarks.lexsub_systems import measure; measure()"]
    done = subprocess.run(command, env={**os.environ, **one_thread}, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    for name, value in found.items():
        print(f"{name:<50} {value:>10,.2f}")
    within("seconds of CPU for 150 sentences, ten of a word", 150 / found["sentences/s of CPU, ten of a word"], 2)
    within("seconds of CPU for 150 sentences, every word new", 150 / found["sentences/s of CPU, every word new"], 2)
    within("seconds for one suggestion, warm", found["seconds for one suggestion, warm"], 1)
    if found["megabytes at most"] > 1_500:
        raise SystemExit("too much memory")


def measure() -> None:
    """Print the figures as JSON."""
    import resource

    from touchstone.tasks.lexsub import Substituter

    start = time.process_time()
    system = Substituter("cmlc", vectors=Path(os.environ["TOUCHSTONE_DATA"], "glove100", "vectors.f16.npy"))
    system.suggest("They lost the match", (14, 19))
    found = {"start-up, seconds of CPU": time.process_time() - start}
    words = verbs(WORDS + SENTENCES // 2)
    found["sentences/s of CPU, every word new"] = speed(system, words[WORDS:])
    found["sentences/s of CPU, ten of a word"] = speed(system, [word for word in words[:WORDS] for _ in range(10)])
    start = time.perf_counter()
    system.suggest("The bright student solved the puzzle.", "bright")
    found["seconds for one suggestion, warm"] = time.perf_counter() - start
    found["megabytes at most"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(found))


def verbs(count: int) -> list[str]:
    """Return common words that WordNet lists as verbs, which have more candidates than others."""
    import wordfreq

    from touchstone.lexicon import wordnet

    return [word for word in wordfreq.top_n_list("en", 20_000) if len(word) > 3 and wordnet().listed(word, "v")][:count]


def speed(system: object, words: list[str]) -> float:
    """Return sentences per second of CPU, a sentence for each word."""
    from touchstone.tasks.lexsub.model import Context, Sentence
    from touchstone.tasks.lexsub.systems.substituter import Substituter

    assert isinstance(system, Substituter)
    sentences = [Sentence(str(n), word, "v", Context(LEFT, word, RIGHT)) for n, word in enumerate(words)]
    start = time.process_time()
    system.run(sentences)
    return len(sentences) / (time.process_time() - start)
