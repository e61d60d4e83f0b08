"""Metrics of translation on the outputs of WMT 2012: pairs per second of one core beside sacrebleu, in one run.

Hypotheses are raw text, references are analysed once: every metric has met the references before its clock starts, as
sacrebleu too remembers the lines that it has tokenised. Set METEOR_JAR to the path of METEOR 1.5 to run it on the same
files; without it, its speed is the recorded share of sacrebleu's (856 against 4,781 pairs per second in one run).
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import cost_of, within

if TYPE_CHECKING:
    from touchstone.tasks.mt.model import Texts

    Run = Callable[[Texts], object]

LINES = 3_003
PARSED = 1_000
PAIRS = ("cs-en", "de-en", "es-en")
MEASURED = ("cs-en/onlineA", "de-en/uedin-wmt12", "es-en/GTH-UPM", "de-en/onlineC")
FIRST = "cs-en/uedin-wmt12"

SACREBLEU, MAXSIM, METEOR = "sacrebleu sentence BLEU", "maxsim(n)", "meteor(classic)"
RELATIONS, BLEND = "maxsim(n+d)", "blend"
CORE = "maxsim(n), matching alone"
JAR = "METEOR 1.5"
JAR_BESIDE_SACREBLEU = 856 / 4_781
"""Measured in one run on one core, over 20,524 pairs of the same sentences."""

_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def main() -> None:
    """Print speeds and what all systems cost, and stop where they are not what they must be."""
    if not os.environ.get("TOUCHSTONE_DATA"):
        print("set TOUCHSTONE_DATA to the folder that holds wmt12")
        return
    os.environ.update(_ONE_THREAD)
    command = [sys.executable, "-c", "from benchmarks.mt import measure; measure()"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    speeds: dict[str, float] = json.loads(done.stdout)
    measured = jar_speed()
    speeds[JAR] = measured or JAR_BESIDE_SACREBLEU * speeds[SACREBLEU]
    print(f"{JAR} was {'run' if measured else 'not run: its speed is the recorded share of that of sacrebleu'}")
    for name, speed in speeds.items():
        ratios = f"{speed / speeds[SACREBLEU]:5.2f}x sacrebleu, {speed / speeds[JAR]:6.2f}x METEOR 1.5"
        print(f"{name:<28} {speed:>9,.0f} pairs/s of CPU  {ratios}")
    at_least(f"{MAXSIM} beside sacrebleu", speeds[MAXSIM] / speeds[SACREBLEU], 0.5)
    at_least(f"{MAXSIM} beside METEOR 1.5", speeds[MAXSIM] / speeds[JAR], 2)
    at_least(f"{METEOR} beside METEOR 1.5", speeds[METEOR] / speeds[JAR], 1)
    at_least(CORE, speeds[CORE], 3_500)
    at_least(RELATIONS, speeds[RELATIONS], 600)
    at_least(BLEND, speeds[BLEND], 500)
    all_systems()


def at_least(what: str, found: float, bound: float) -> None:
    """Print a speed, and stop where it is less than it must be."""
    print(f"{what}: {found:,.2f} (at least {bound:,g})")
    if found < bound:
        raise SystemExit(f"too slow: {what}")


def all_systems() -> None:
    """Score all 34 systems on all cores, and a few and many systems in one process."""
    began = time.monotonic()
    seconds, megabytes = scored(*PAIRS)
    print(f"all systems, {MAXSIM}: {time.monotonic() - began:.1f} s, {megabytes:,.0f} MB")
    within(f"all systems, {MAXSIM}, on two cores", seconds / 2, 120)
    _, few = scored("cs-en", jobs=1)
    _, many = scored("de-en", jobs=1)
    print(f"memory: {few:,.0f} MB for 6 systems, {many:,.0f} MB for 16")
    if many > 1.25 * few:
        raise SystemExit("memory grows with the number of systems")


def scored(*pairs: str, jobs: int | None = None) -> tuple[float, float]:
    """Return CPU seconds and peak megabytes of scoring the systems of some language pairs, intervals included."""
    code = f"from benchmarks.mt import score; score({pairs!r}, {jobs!r})"
    return cost_of([sys.executable, "-c", code])


def score(pairs: tuple[str, ...], jobs: int | None) -> None:
    """Score the systems of some language pairs."""
    from touchstone import mt

    for pair in pairs:
        mt.score(_data() / "ref.en", _data() / pair, [MAXSIM], jobs=jobs)


def measure() -> None:
    """Print the speeds as JSON."""
    from touchstone.tasks.mt.model import Texts

    references = Texts(_lines("ref.en"))
    runs = {SACREBLEU: _sentence_bleu(references), MAXSIM: _recorder(MAXSIM, references)}
    runs |= {METEOR: _recorder(METEOR, references), CORE: _core(references)}
    for run in runs.values():  # the references are met here, and the code is compiled
        run(Texts(_lines(FIRST)))
    spent = dict.fromkeys(runs, 0.0)
    for system in MEASURED:
        lines = _lines(system)
        for name, run in runs.items():
            spent[name] += _seconds(run, _prepared(lines) if name == CORE else Texts(lines))
    speeds = {name: LINES * len(MEASURED) / seconds for name, seconds in spent.items()}
    few = Texts(_lines("ref.en")[:PARSED])
    for name in (RELATIONS, BLEND):
        run = _recorder(name, few)
        run(Texts(_lines(FIRST)[:PARSED]))
        speeds[name] = PARSED / _seconds(run, Texts(_lines(MEASURED[0])[:PARSED]))
    print(json.dumps(speeds))


def _sentence_bleu(references: "Texts") -> "Run":
    from sacrebleu.metrics.bleu import BLEU

    bleu = BLEU(effective_order=True)

    def run(hypotheses: "Texts") -> None:
        for hypothesis, reference in zip(hypotheses.present, references.present, strict=True):
            bleu.sentence_score(hypothesis, [reference])

    return run


def _recorder(name: str, references: "Texts") -> "Run":
    from touchstone.mt import MEASURES, Joined

    measure = MEASURES.find(name)
    return lambda hypotheses: measure.record(Joined(hypotheses, (references,)))


def _core(references: "Texts") -> "Run":
    from touchstone.tasks.mt.maxsim.matching import match_ngrams
    from touchstone.tasks.mt.words import words_of

    return lambda hypotheses: [
        found.totals for found in match_ngrams(words_of(hypotheses), words_of(references), order=3)
    ]


def _prepared(lines: list[str]) -> "Texts":
    from touchstone.tasks.mt.model import Texts
    from touchstone.tasks.mt.words import words_of

    texts = Texts(lines)
    words_of(texts)
    return texts


def _seconds(run: "Run", hypotheses: "Texts") -> float:
    start = time.process_time()
    run(hypotheses)
    return time.process_time() - start


def jar_speed() -> float | None:
    """Return the pairs per second of METEOR 1.5 itself, start-up included, None where it is not given."""
    jar, java = os.environ.get("METEOR_JAR"), shutil.which("java")
    if not jar or not java:
        return None
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("system", "reference")]
        files[0].write_text("".join(f"{line}\n" for name in MEASURED for line in _lines(name)), encoding="utf-8")
        files[1].write_text("".join(f"{line}\n" for _ in MEASURED for line in _lines("ref.en")), encoding="utf-8")
        setting = ["-l", "en", "-norm", "-m", "exact stem synonym", "-w", "1 1 1", "-p", "0.9 3 0.5 0.5"]
        seconds, _ = cost_of([java, "-XX:+UseSerialGC", "-Xmx2G", "-jar", jar, *map(str, files), *setting])
    return LINES * len(MEASURED) / seconds


def _lines(name: str) -> list[str]:
    """Return the segments of a file as they are scored."""
    from touchstone.tasks import mt

    return list(mt.read_gold([_data() / name]).texts[0].present)


def _data() -> Path:
    return Path(os.environ["TOUCHSTONE_DATA"]) / "wmt12"


if __name__ == "__main__":
    main()
