"""The pages that print figures of `benchmarks.claims`, each between two marks: benchmarks, the plan, the README."""

import math
import textwrap
from pathlib import Path
from typing import Any

from benchmarks.claims import ROOT, exponent, speed_up, table

PLOT = ROOT / "docs" / "figures" / "growth.svg"
START, END = "<!-- figures -->", "<!-- end of figures -->"
CORE = 0.04
"""Euros for an hour of a core."""

SHARD = 20_000
MACHINE = 32
"""Cores of a machine of the plan."""


def sections(figures: dict[str, Any]) -> dict[Path, str]:
    """Return what stands between the marks of each page."""
    machine = f"{figures['machine']}; CPU-seconds of one thread; a ratio above 1 means that ours is faster."
    return {
        ROOT / "docs" / "benchmarks.md": f"\n{machine}\n\n{table(figures)}\n\n",
        ROOT / "docs" / "scaling.md": f"\n{plan(figures)}\n\n",
        ROOT / "README.md": f"\n{claims(figures)}\n",
    }


def write(figures: dict[str, Any]) -> None:
    """Write the figures into all pages, and draw the growth."""
    for path, section in sections(figures).items():
        text = path.read_text(encoding="utf-8")
        before, rest = text.split(START)
        path.write_text(f"{before}{START}{section}{END}{rest.split(END)[1]}", encoding="utf-8")
    draw(figures["growth"])


def printed(path: Path) -> str:
    """Return what a page has between its marks."""
    return path.read_text(encoding="utf-8").split(START)[1].split(END)[0]


def claims(figures: dict[str, Any]) -> str:
    """Return what the README says about speed."""
    ratios = {
        name: figures["sides"][peer]["seconds"] / figures["sides"][ours]["seconds"]
        for name, ours, peer in (
            ("TER", "ter", "sacrebleu TER"),
            ("synonyms in WordNet", "synonyms", "NLTK WordNet"),
            ("Krippendorff's alpha", "alpha", "krippendorff"),
        )
    }
    peers = {"TER": "sacrebleu", "synonyms in WordNet": "NLTK", "Krippendorff's alpha": "the package of that name"}
    told = "; ".join(f"{name}, {ratio:.0f} times as fast as {peers[name]}" for name, ratio in ratios.items())
    grown = max(exponent(costs) for costs in figures["growth"].values())
    sentences = (
        f"- **speed**, measured beside other tools in one run: {told}. "
        f"Two processes score {speed_up(figures):.1f} times as fast as one, and time grows with "
        f"the number of items to the power of {grown:.2f} at most: "
        "[Benchmarks](docs/benchmarks.md), [Large sets and clusters](docs/scaling.md)."
    )
    return textwrap.fill(sentences, 120, subsequent_indent="  ")


def plan(figures: dict[str, Any]) -> str:
    """Return the table of what 10⁹ pairs need, from the rates that were measured."""
    known = figures["processes"]
    columns = [(sum(known["one"][1:]) / known["segments"], known["input"], known["records"], known["segments"])]
    for task in ("mt", "nli"):
        size, seconds, _ = figures["growth"][task][-1]
        rates = figures["rates"][task]
        columns.append((seconds / size, rates["input"], rates["records"], size))
    rows: dict[str, list[str]] = {
        "CPU-time per million pairs": [f"{1e6 * each:.0f} s" for each, *_ in columns],
        "cost per million pairs": [f"{1e6 * each / 3600 * CORE:.4f} €" for each, *_ in columns],
        "10⁹ pairs": [f"{1e9 * each / 3600:.1f} core-hours, {1e9 * each / 3600 * CORE:.2f} €" for each, *_ in columns],
        f"50,000 shards of {SHARD:,} rows": [f"{SHARD * each:.1f} s each" for each, *_ in columns],
        "input, Parquet": [f"{1e9 * read / n / 1e9:.0f} GB" for _, read, _, n in columns],
        "records, Parquet": [f"{1e9 * written / n / 1e9:.0f} GB" for _, _, written, n in columns],
        f"machines with {MACHINE} cores, for an hour": [
            f"{math.ceil(1e9 * each / 3600 / MACHINE)}" for each, *_ in columns
        ],
        "reading a million pairs, by one process for all workers": [
            "–", *(f"{figures['rates'][task]['reading']:.1f} s" for task in ("mt", "nli"))
        ],
        "folding the records of a million pairs": [
            "–", *(f"{figures['rates'][task]['folding']:.1f} s" for task in ("mt", "nli"))
        ],
    }  # fmt: skip
    head = ["| | `maxsim(n)`, 25 words | a cheap measure, 4 words | `nli` labels |", "|---|---|---|---|"]
    return "\n".join([*head, *(f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items())])


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
