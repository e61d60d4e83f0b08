"""Metrics of translation on the outputs of WMT 2012, and a metric beside ratings: CPU time beside peers, in one run.

Hypotheses are raw text, references are analysed once: every metric has met the references before its clock starts, as
sacrebleu too remembers the lines that it has tokenised. Set METEOR_JAR to the path of METEOR 1.5 to run it on the same
files; without it, its speed is the recorded share of sacrebleu's (856 against 4,781 pairs per second in one run), and
METEOR has no bound beside it.
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
    from touchstone.base.ragged import Floats, Ints
    from touchstone.stats import CorrelationName
    from touchstone.tasks.mt.texts import Texts

    Run = Callable[[Texts], object]

LINES = 3_003
BLENDED = 1_000
EDITED = 300
RATED = (13, 400)
"""Systems and segments with a rating: 5,200 of them."""
PAIRS = ("cs-en", "de-en", "es-en")
MEASURED = ("cs-en/onlineA", "de-en/uedin-wmt12", "es-en/GTH-UPM", "de-en/onlineC")
FIRST = "cs-en/uedin-wmt12"

SACREBLEU, MAXSIM, METEOR = "sacrebleu sentence BLEU", "maxsim(n)", "meteor(classic)"
RELATIONS, BLEND = "maxsim(n+d)", "blend"
TER, TERS_PEER = "ter", "sacrebleu TER"
CORE = "maxsim(n), matching alone"
JAR = "METEOR 1.5"
JAR_BESIDE_SACREBLEU = 856 / 4_781
"""Measured in one run on one core, over 20,524 pairs of the same sentences."""

_SINGLE_THREADED = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def main() -> None:
    """Print speeds and what all systems cost, and stop where they are not what they must be."""
    if not os.environ.get("TOUCHSTONE_DATA"):
        print("set TOUCHSTONE_DATA to the folder that holds wmt12")
        return
    os.environ.update(_SINGLE_THREADED)
    command = [sys.executable, "-c", "from benchmarks.mt import measure; measure()"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    speeds: dict[str, float] = json.loads(done.stdout)
    measured = jar_speed()
    speeds[JAR] = measured or JAR_BESIDE_SACREBLEU * speeds[SACREBLEU]
    print(f"{JAR} was {'run' if measured else 'not run: its speed is the recorded share of that of sacrebleu'}")
    for name, speed in speeds.items():
        ratios = f"{speed / speeds[SACREBLEU]:5.2f}x sacrebleu, {speed / speeds[JAR]:6.2f}x METEOR 1.5"
        print(f"{name:<28} {speed:>9,.0f} pairs/s of CPU  {ratios}")
    command[-1] = "from benchmarks.mt import meta; meta()"
    subprocess.run(command, check=True)
    first_runs()
    at_least(f"{TER} beside {TERS_PEER}", speeds[TER] / speeds[TERS_PEER], 10)
    if measured:
        at_least(f"{METEOR} beside METEOR 1.5", speeds[METEOR] / speeds[JAR], 5)
    at_least(f"{MAXSIM} beside METEOR 1.5", speeds[MAXSIM] / speeds[JAR], 2)
    at_least(f"{MAXSIM} beside sacrebleu", speeds[MAXSIM] / speeds[SACREBLEU], 1.2)
    at_least(f"{RELATIONS} beside sacrebleu", speeds[RELATIONS] / speeds[SACREBLEU], 0.35)
    at_least(CORE, speeds[CORE], 3_500)
    at_least(BLEND, speeds[BLEND], 500)
    all_systems()


def at_least(what: str, found: float, bound: float) -> None:
    """Print a speed, and stop where it is less than it must be."""
    print(f"{what}: {found:,.2f} (at least {bound:,g})")
    if found < bound:
        raise SystemExit(f"too slow: {what}")


def first_runs() -> None:
    """Score the example and one system where no compiled code is kept, as on a new machine."""
    from touchstone.cli.demo import EXAMPLES

    example, wmt = EXAMPLES / "mt", _data()
    for what, most, words in (
        ("first run on the example", 3, [example / "refA.en", example / "de-en"]),
        (f"first run of {MAXSIM} on one system", 6, [wmt / "ref.en", wmt / FIRST, "--measure", MAXSIM]),
    ):
        with tempfile.TemporaryDirectory() as cache:
            command = ["env", f"NUMBA_CACHE_DIR={cache}", sys.executable, "-m", "touchstone", "mt", "score"]
            within(what, cost_of([*command, *map(str, words)])[0], most)


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
    from touchstone.tasks.mt.texts import Texts

    references = Texts(_lines("ref.en"))
    runs = {SACREBLEU: _sentence_bleu(references), MAXSIM: _recorder(MAXSIM, references)}
    runs |= {RELATIONS: _recorder(RELATIONS, references), METEOR: _recorder(METEOR, references)}
    runs |= {CORE: _core(references)}
    for run in runs.values():  # the references are met here, and the code is compiled
        run(Texts(_lines(FIRST)))
    spent = dict.fromkeys(runs, 0.0)
    for system in MEASURED:
        lines = _lines(system)
        for name, run in runs.items():
            spent[name] += _seconds(run, _prepared(lines) if name == CORE else Texts(lines))
    speeds = {name: LINES * len(MEASURED) / seconds for name, seconds in spent.items()}
    few = Texts(_lines("ref.en")[:BLENDED])
    run = _recorder(BLEND, few)
    run(Texts(_lines(FIRST)[:BLENDED]))
    speeds[BLEND] = BLENDED / _seconds(run, Texts(_lines(MEASURED[0])[:BLENDED]))
    edited = Texts(_lines("ref.en")[:EDITED])
    for name, run in {TER: _recorder(TER, edited), TERS_PEER: _sacrebleu_ter(edited)}.items():
        run(Texts(_lines(FIRST)[: EDITED // 10 if name == TERS_PEER else EDITED]))
        speeds[name] = EDITED / _seconds(run, Texts(_lines(MEASURED[0])[:EDITED]))
    print(json.dumps(speeds))


def _sacrebleu_ter(references: "Texts") -> "Run":
    from sacrebleu.metrics import ter as theirs

    ter = theirs.TER()

    def run(hypotheses: "Texts") -> None:
        for hypothesis, reference in zip(hypotheses.present, references.present, strict=False):
            ter.sentence_score(hypothesis, [reference])

    return run


def meta() -> None:
    """Compare chrF with made ratings, as `mt meta` does and with scipy called for every draw: the figures are equal."""
    import numpy as np
    import scipy.stats  # noqa: F401  (loaded before the clock starts, for both)

    from touchstone import mt
    from touchstone.tasks.mt.judges.metaeval import rated

    systems, segments = RATED
    paths = sorted((_data() / "de-en").iterdir())[:systems]
    runs = {path.name: path.read_text(encoding="utf-8").splitlines()[:segments] for path in paths}
    results = mt.score(_lines("ref.en")[:segments], runs, ["chrf"])
    drawn = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        ratings = Path(folder) / "ratings.tsv"
        # Errors of a translation, mostly none or few: many ratings are equal, as under MQM.
        rows = [f"{n}\t{name}\tann\t{1 - drawn.geometric(0.3)}" for n in range(1, segments + 1) for name in runs]
        ratings.write_text("\n".join(["segment\tsystem\tjudge\tmqm", *rows]), encoding="utf-8")
        judged = mt.read_judgements(ratings)

    def measured() -> tuple[float, list[list[float]]]:
        began = time.process_time()
        found = mt.meta(judged, {"de-en": results}).criteria[0].agreements
        return time.process_time() - began, [[agreement.value, agreement.low, agreement.high] for agreement in found]

    seconds, figures = measured()
    rated.resampled_correlations = _every_draw
    peers_seconds, peers_figures = measured()
    np.testing.assert_allclose(figures, peers_figures, rtol=0, atol=1e-12)
    print(f"mt meta on {systems * segments:,} ratings: {seconds:.2f} s CPU, scipy in every draw {peers_seconds:.2f} s")
    at_least("mt meta beside scipy in every draw", peers_seconds / seconds, 3)


def _every_draw(x: "Floats", y: "Floats", cluster: "Ints", times: "Floats | Ints", name: "CorrelationName") -> "Floats":
    """Return the correlation of the points of each draw, repeated as often as they are drawn."""
    import numpy as np
    import scipy

    from touchstone.tasks.mt.judges.metaeval.systems import coefficients

    def correlation(a: "Floats", b: "Floats") -> float:
        return float(scipy.stats.kendalltau(a, b).statistic if name == "kendall" else coefficients(a, b, name))

    drawn = (np.repeat(np.arange(len(x)), row[cluster]) for row in times)
    return np.array([correlation(x[points], y[points]) for points in drawn])


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
    from touchstone.tasks.mt.texts import Texts
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
    from touchstone import mt

    return list(mt.read_gold([_data() / name]).texts[0].present)


def _data() -> Path:
    return Path(os.environ["TOUCHSTONE_DATA"]) / "wmt12"


if __name__ == "__main__":
    main()
