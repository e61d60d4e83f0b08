"""Every claim of speed and quality in one table: ours beside each peer, measured in the same run.

Speeds are CPU-seconds in processes of their own, so a busy machine changes ratios little. Figures go to
``benchmarks/results/claims.json``; ``--docs`` writes them into the pages that print them (`benchmarks.pages`).
"""

import json
import math
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import cost_of, engine

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "claims.json"

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
    ("ROUGE-L of 100 summaries of 200 words", "rouge", ["rouge-score"], True),
]
"""What is claimed, our side, its peers, and whether both must give the same figure."""


def main(arguments: Sequence[str] = ()) -> None:
    """Measure all claims, print the table, and write the figures; ``--kept`` measures nothing."""
    if "--kept" not in arguments:
        os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"))
        sides = {name: side(name) for _, ours, peers, _ in CLAIMS for name in (ours, *peers)}
        keep({"sides": sides, "start-up": start_up(), **engine.measure()})
    print(table(kept()))
    if "--docs" in arguments:
        from benchmarks import pages

        pages.write(kept())


def kept() -> dict[str, Any]:
    """Return the figures of the last measurement."""
    figures: dict[str, Any] = json.loads(RESULTS.read_text())
    return figures


def keep(figures: dict[str, Any]) -> None:
    """Write figures, with the machine that they were measured on."""
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    RESULTS.write_text(json.dumps({**figures, "machine": machine}, indent=1) + "\n")


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


def exponent(costs: Sequence[Sequence[float]]) -> float:
    """Return the exponent of growth, fitted to all sizes: a constant for the start-up, and a power of the items.

    >>> round(exponent([(n, 0.6 + 3e-5 * n, 0) for n in (1e3, 1e4, 1e5, 1e6)]), 3)
    1.0
    """
    from scipy.optimize import curve_fit

    sizes, seconds = ([row[place] for row in costs] for place in (0, 1))

    def cost(n: Any, start: float, rate: float, power: float) -> Any:  # noqa: ANN401 (an array)
        return start + rate * (n / sizes[-1]) ** power

    first = (seconds[0], seconds[-1] - seconds[0], 1.0)
    fitted, _ = curve_fit(cost, sizes, seconds, first, sigma=seconds)  # errors are shares of what is measured
    return float(fitted[2])


def speed_up(figures: dict[str, Any]) -> float:
    """Return how many times as fast two processes are as one."""
    return float(figures["processes"]["one"][0] / figures["processes"]["two"][0])


def overhead(figures: dict[str, Any]) -> float:
    """Return the CPU time of scoring in shards in a process of its own beside that in memory, less one."""
    one, memory = (sum(figures["processes"][name][1:]) for name in ("one", "in memory"))
    return float(one / memory - 1)


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
    lines += _engine_rows(found)
    return "\n".join(lines)


def _engine_rows(found: dict[str, Any]) -> list[str]:
    lines = []
    for name, cost in found["engines"].items():
        what = f"engine `{name}`: {1000 * cost['piece']:.1f} ms for a piece of 6 MB without work"
        share = f"{100 * cost['piece']:.1f} % of a shard of 1 s"
        lines.append(f"| {what} | | | | {share} | starts in {cost['start-up']:.1f} s |")
    known = found["processes"]
    scored = f"`maxsim(n)`, {known['segments']:,} segments"
    shards, memory = (sum(known[name][1:]) for name in ("one", "in memory"))
    costs = f"| {scored} in shards, one process | {shards:.1f} | in memory | {memory:.1f} |"
    lines.append(f"{costs} overhead {100 * overhead(found):.1f} % | |")
    walls = f"| {scored}, two processes: {known['two'][0]:.1f} s | | one process: {known['one'][0]:.1f} s | |"
    lines.append(f"{walls} {speed_up(found):.2f} | |")
    return lines


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


if __name__ == "__main__":
    main(sys.argv[1:])
