"""Every claim of speed and quality in one table: ours beside each peer, measured in the same run.

Speeds are CPU-seconds in processes of their own, so a busy machine changes ratios little. Figures go to
``benchmarks/results/claims.json``; ``--docs`` writes them into ``docs/benchmarks.md`` and draws the growth.
"""

import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import cost_of
from benchmarks.engine import growth

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "claims.json"
PAGE, PLOT = ROOT / "docs" / "benchmarks.md", ROOT / "docs" / "figures" / "growth.svg"

CLAIMS: list[tuple[str, str, list[str], bool]] = [
    ("BLEU of 1,000 segments", "bleu", ["sacrebleu BLEU"], True),
    ("chrF of 300 segments", "chrf", ["sacrebleu chrF"], True),
    ("TER of 300 segments", "ter", ["sacrebleu TER"], True),
    ("MAXSIM, n-grams, of 1,000 segments", "maxsim(n)", ["sacrebleu BLEU"], False),
    ("METEOR of 300 segments", "meteor(classic)", ["NLTK METEOR", "METEOR 1.5"], False),
    ("lexsub: 50,000 items of ten answers", "lexsub score", ["official scorer"], False),
    ("WordNet: synonyms of 3,000 words", "synonyms", ["NLTK WordNet", "wn"], False),
    ("English: 500 sentences parsed", "text parse", ["spaCy en_core_web_sm"], False),
    ("Krippendorff's alpha, 1,000 draws", "alpha", ["krippendorff"], True),
    ("analysis of variance, 2,000 scores", "anova", ["statsmodels"], True),
    ("ROUGE", "rouge-score", ["rouge-score"], False),
]
"""What is claimed, our side, its peers, and whether both must give the same figure."""

SIZES = (1_000, 10_000, 100_000, 1_000_000)


def main(arguments: Sequence[str] = ()) -> None:
    """Measure all claims, print the table, and write the figures."""
    found = json.loads(RESULTS.read_text()) if "--kept" in arguments else measure()
    print(table(found))
    if "--docs" in arguments:
        write_page(found)


def measure() -> dict[str, Any]:
    """Measure everything and keep the figures."""
    os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"))
    sides = {name: side(name) for _, ours, peers, _ in CLAIMS for name in (ours, *peers)}
    with tempfile.TemporaryDirectory() as folder:
        grown = growth(Path(folder), SIZES)
    found = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "sides": sides,
        "start-up": start_up(),
        "growth": grown,
        "engines": engines(),
    }
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")
    return found


def side(name: str) -> dict[str, Any]:
    """Return what one side costs, from a process of its own."""
    print(f"… {name}", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "benchmarks.sides", name]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[1])
    if done.returncode:
        return {"skipped": f"failed: {done.stderr.strip().splitlines()[-1]}"}
    known: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return known


def start_up() -> dict[str, float]:
    """Return the CPU-seconds of commands that do next to nothing."""
    from touchstone.cli.demo import EXAMPLES

    nli = EXAMPLES / "nli"
    commands = {
        "touchstone --version": ["--version"],
        "touchstone nli score, a small set": ["nli", "score", str(nli / "gold.jsonl"), str(nli / "careful.jsonl")],
    }
    return {name: cost_of([sys.executable, "-m", "touchstone", *words])[0] for name, words in commands.items()}


def exponent(costs: Sequence[tuple[int, float, float]]) -> float:
    """Return the exponent of growth between the two largest sizes, without what the smallest one takes."""
    (_, least, _), (small, before, _), (large, after, _) = costs[0], costs[-2], costs[-1]
    return math.log((after - least) / (before - least)) / math.log(large / small)


def engines() -> dict[str, dict[str, float]]:
    """Return what an empty piece costs with each engine, and how long it takes to start."""
    found = {}
    for name in ("in-process", "processes", "ray"):
        program = f"from benchmarks.claims import empty_pieces; empty_pieces({name!r})"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            found[name] = json.loads(done.stdout.splitlines()[-1])
    return found


def empty_pieces(name: Any) -> None:  # noqa: ANN401 (the name of an engine)
    """Print the seconds from the start to the first of many empty pieces, and between the others."""
    from touchstone.core.workers import Engine, run_pieces

    began = time.monotonic()
    times = [time.monotonic() - began for _ in run_pieces(abs, range(500), Engine(name, 2))]
    print(json.dumps({"start-up": times[0], "piece": (times[-1] - times[0]) / (len(times) - 1)}))


def table(found: dict[str, Any]) -> str:
    """Return all figures as one Markdown table."""
    lines = ["| what | ours: CPU-s, MB | peer | its CPU-s, MB | ratio | same figures |", "|---|---:|---|---:|---:|---|"]
    for what, ours, peers, equal in CLAIMS:
        own = found["sides"][ours]
        lines += [_row(what, own, name, found["sides"][name], equal) for name in peers]
    for what, seconds in found["start-up"].items():
        lines.append(f"| start-up: `{what}` | {seconds:.2f} | | | | |")
    for task, costs in found["growth"].items():
        size, seconds, peak = costs[-1]
        what = f"{task}, 10³ to 10⁶ items in shards: {', '.join(f'{cost:.1f}' for _, cost, _ in costs)} CPU-s"
        grown = f"{size / seconds:,.0f} items/s | | exponent {exponent(costs):.2f}"
        lines.append(f"| {what} | {seconds:.1f}, {peak:.0f} | {grown} | |")
    for name, cost in found["engines"].items():
        what = f"engine `{name}`: {1000 * cost['piece']:.2f} ms for an empty piece"
        share = f"{100 * cost['piece']:.2f} % of a shard of 1 s"
        lines.append(f"| {what} | | | | {share} | starts in {cost['start-up']:.1f} s |")
    return "\n".join(lines)


def _row(what: str, own: dict[str, Any], name: str, peer: dict[str, Any], equal: bool) -> str:
    ours = _cost(own) if "seconds" in own else f"skipped: {own['skipped']}"
    if "seconds" not in own or "seconds" not in peer:
        return f"| {what} | {ours} | {name} | skipped: {peer.get('skipped', '')} | | |"
    same = "" if not equal else "yes" if _alike(own["figure"], peer["figure"]) else "NO"
    return f"| {what} | {ours} | {name} | {_cost(peer)} | {peer['seconds'] / own['seconds']:.2f} | {same} |"


def _cost(side: dict[str, Any]) -> str:
    return f"{side['seconds']:.3g}, {side['megabytes']:.0f}"


def _alike(a: Any, b: Any) -> bool:  # noqa: ANN401 (figures)
    pairs = zip(a, b, strict=True) if isinstance(a, list) else [(a, b)]
    return all(math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-9) for x, y in pairs)


def write_page(found: dict[str, Any]) -> None:
    """Write the table into the page of the documentation, and draw the growth."""
    text = PAGE.read_text(encoding="utf-8")
    start, end = "<!-- figures -->\n", "<!-- end of figures -->"
    before, rest = text.split(start)
    machine = f"{found['machine']}; CPU-seconds of one thread; a ratio above 1 means that ours is faster.\n\n"
    PAGE.write_text(f"{before}{start}\n{machine}{table(found)}\n\n{end}{rest.split(end)[1]}", encoding="utf-8")
    draw(found["growth"])


def draw(costs: dict[str, Any]) -> None:
    """Draw CPU-seconds and memory by the number of items."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot

    mpl.rcParams.update({"svg.hashsalt": "touchstone", "font.size": 9})
    figure, axes = pyplot.subplots(1, 2, figsize=(7, 2.8), layout="constrained")
    for axis, place, label in ((axes[0], 1, "CPU-seconds"), (axes[1], 2, "peak memory, MB")):
        for task, rows in costs.items():
            axis.plot([row[0] for row in rows], [row[place] for row in rows], marker="o", label=task)
        axis.set(xscale="log", xlabel="items", ylabel=label)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_yscale("log")
    axes[1].set_ylim(0, 1.2 * max(row[2] for rows in costs.values() for row in rows))
    axes[0].legend(frameon=False)
    figure.savefig(PLOT, metadata={"Date": None})


if __name__ == "__main__":
    main(sys.argv[1:])
