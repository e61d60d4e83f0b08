"""The English analyser on news text: tokens per second of one core, beside NLTK's tokeniser and spaCy where it is."""

import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sized
from pathlib import Path

LINES = 3_000
ROUNDS = 3
START_UP = "start-up"
FULL = "full path, with dependencies"
_SINGLE_THREADED = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def main() -> None:
    """Print speeds as a user's program has them, and how far the environment's threads change the full path."""
    free = {name: value for name, value in os.environ.items() if name not in _SINGLE_THREADED}
    speeds = _measured(free)
    for name, speed in speeds.items():
        unit = "ms" if name == START_UP else "tokens/s of CPU"
        print(f"{name:<42} {speed:>10,.0f} {unit}")
    if "spaCy blank (tokens alone)" not in speeds:
        print("spaCy is not installed: pip install spacy to see it here")
    share = speeds[FULL] / _measured(free | _SINGLE_THREADED)[FULL]
    print(f"{FULL}, beside a process whose environment allows one thread: {share:.2f} (at least 0.9)")
    if share < 0.9:
        raise SystemExit("too slow: threads are not limited")


def _measured(environment: dict[str, str]) -> dict[str, float]:
    command = [sys.executable, "-c", "from benchmarks.text import measure; measure()"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    speeds: dict[str, float] = json.loads(done.stdout)
    return speeds


def measure() -> None:
    """Print the speeds as JSON."""
    texts = _texts()
    start = time.process_time()
    from touchstone.text import Tokeniser, english

    analyser = english()
    list(analyser.parse(["It works."]))
    speeds = {START_UP: 1000 * (time.process_time() - start)}
    speeds["tokens, tags, lemmas (first sight)"] = _speed(analyser.tag, texts, rounds=1)
    speeds["tokens, tags, lemmas (words seen before)"] = _speed(analyser.tag, texts)
    speeds[FULL] = _speed(analyser.parse, texts)
    tokeniser = Tokeniser()
    speeds["tokens alone"] = _speed(lambda lines: (tokeniser.tokenise(line).forms for line in lines), texts)
    print(json.dumps(speeds | _peers(texts)))


def _peers(texts: list[str]) -> dict[str, float]:
    speeds = {}
    if importlib.util.find_spec("nltk"):
        from nltk.tokenize import TreebankWordTokenizer

        nltk = TreebankWordTokenizer()
        speeds["NLTK TreebankWordTokenizer (tokens alone)"] = _speed(lambda lines: map(nltk.tokenize, lines), texts)
    if importlib.util.find_spec("spacy"):
        spacy = importlib.import_module("spacy")
        speeds["spaCy blank (tokens alone)"] = _speed(spacy.blank("en").pipe, texts)
    return speeds


def _speed(analyse: Callable[[list[str]], Iterable[Sized]], texts: list[str], rounds: int = ROUNDS) -> float:
    """Return tokens per second of processor time, the best of some rounds: others use the machine too."""
    best = 0.0
    for _ in range(rounds):
        start = time.process_time()
        tokens = sum(len(found) for found in analyse(texts))
        best = max(best, tokens / (time.process_time() - start))
    return best


def _texts() -> list[str]:
    """Return the WMT 2012 reference where the data is, else one sentence repeated."""
    root = os.environ.get("TOUCHSTONE_DATA")
    if root:
        return (Path(root) / "wmt12" / "ref.en").read_text(encoding="utf-8").split("\n")[:LINES]
    made = "The ministers of both countries said on Monday that they would not raise the price of oil by 3.5 per cent."
    return [made] * LINES
