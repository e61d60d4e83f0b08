"""Draw the figures of the documentation from the bundled examples: ``python studies/make_figures.py``.

They are the figures of reports and notebooks, not drawings of their own. The same examples give the same bytes, so a
figure changes in a commit only when what it shows has changed. Pictures of whole reports need Chromium, that of a
generated set also SNLI in the folder that TOUCHSTONE_DATA names.
"""

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
from nli_reading import SEED, detokenised

import touchstone
from touchstone import lexsub, mt, nli, pyramid
from touchstone.cli import app
from touchstone.cli.demo import demo
from touchstone.cli.dependencies import draw_dependencies
from touchstone.core.report.plotting import plot
from touchstone.core.report.results import draw
from touchstone.io.writing import write_text
from touchstone.lexicon import wordnet
from touchstone.show.figures import Estimate, intervals
from touchstone.show.lexicon_paths import draw_path
from touchstone.show.svg import Svg
from touchstone.stats import interval, mean, mean_records
from touchstone.stats.prediction_powered import human_only, influences, joined
from touchstone.systems.pyramids import Matcher, read_peers, score_peers
from touchstone.systems.pyramids.report import probabilities_figure
from touchstone.tasks.lexsub.report import draw as draw_list
from touchstone.tasks.nli.report import draw as draw_pair
from touchstone.tasks.nli.report import reliability_figure
from touchstone.tasks.pyramid.report import tiers_svg
from touchstone.text import english

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ViewportSize
    from playwright.sync_api import Page as BrowserPage

EXAMPLES = Path(touchstone.__file__).parent / "examples"
FIGURES = Path(__file__).parents[1] / "docs" / "figures"

MEASURES = ("R", "F", "rank@10")
"""Three measures under which the example systems come out in different orders."""

ITEM = "3"
"""An item whose heaviest answer comes second in the list: the figure shows what that costs."""

PEER = "eve.T01.M.60.A.magpie.pan"
"""A peer that says two of its units twice, and misses a whole tier."""

PAIR = "d09"
"""A pair whose words have a common kind: the way between them goes up and down again."""

SENTENCE = "The old dog can't hear us, but he knows the way home."
"""A sentence with a contraction and two clauses."""


CHROMIUM = Path("/usr/bin/chromium")

PICTURES = (
    ("lexsub", "light", 1128),
    ("lexsub", "dark", 1128),
    ("nli", "light", 1445),
    ("mt", "light", 1290),
    ("mt-meta", "light", 1185),
    ("pyramid", "light", 1622),
    ("items", "light", 1175),
)
"""Reports of ``touchstone demo`` that the documentation shows: theme, and how many pixels of each from its top."""

COLUMN = 8
"""The item of the report of ``lexsub`` that is shown opened."""

SEGMENT = "3"
"""A segment with links of every stage: equal words, a lemma under two tags, and two nouns that only share their tag."""


def main() -> None:
    """Write every figure."""
    FIGURES.mkdir(exist_ok=True)
    drawn = lexsub_figures() | pyramid_figures() | language_figures() | mt_figures() | calibration_figures()
    drawn |= estimating_figures()
    for name, svg in drawn.items():
        write_text(FIGURES / f"{name}.svg", svg)
    if CHROMIUM.exists():
        report_pictures()
    else:
        print(f"SKIPPED: the pictures of reports need {CHROMIUM}")  # noqa: T201


def report_pictures() -> None:
    """Write pictures of reports, as a browser shows them."""
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        demo(folder)
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu"])
        for report, theme, height in PICTURES:
            page = _opened(chromium, folder / f"{report}.html", 1100, height, dark=theme == "dark")
            page.screenshot(path=str(FIGURES / f"report-{report}{'-dark' * (theme == 'dark')}.png"))
        page = _opened(chromium, folder / "lexsub.html", 1100, 900)
        page.locator(".strips a").nth(COLUMN).click()
        page.locator("article:target").wait_for()
        page.locator("#items").screenshot(path=str(FIGURES / "report-item.png"))
        page = _opened(chromium, folder / "lexsub.html", 390, 1000)
        page.screenshot(path=str(FIGURES / "report-phone.png"))
        if data := os.environ.get("TOUCHSTONE_DATA"):
            _write_generated_set(Path(data) / "snli" / "s1.dev", folder / "set.html")
            page = _opened(chromium, folder / "set.html", 1020, 745)
            page.screenshot(path=str(FIGURES / "nli-set.png"))
        else:
            print("SKIPPED: the picture of a generated set needs TOUCHSTONE_DATA")  # noqa: T201


def _opened(chromium: "Browser", file: Path, width: int, height: int, *, dark: bool = False) -> "BrowserPage":
    size: ViewportSize = {"width": width, "height": height}
    page = chromium.new_page(viewport=size, color_scheme="dark" if dark else "light")
    page.goto(file.as_uri())
    return page


def _write_generated_set(premises: Path, report: Path) -> None:
    """Write the report of the set that docs/nli_reading.md is about."""
    plain = report.with_name("premises.txt")
    sentences = dict.fromkeys(map(detokenised, premises.read_text("utf-8").splitlines()))
    plain.write_text("".join(f"{one}\n" for one in sentences if one), "utf-8")
    out = str(report.with_name("set.jsonl"))
    arguments = ["nli", "generate", str(plain), "--seed", str(SEED), "-o", out, "--report", str(report), "--quiet"]
    app(arguments, standalone_mode=False)


def calibration_figures() -> dict[str, Svg]:
    """Return the reliability of two simulated systems: one gives the true probabilities, one is too confident."""
    chance = np.random.default_rng(1)
    shares = chance.uniform(0.5, 1, 800)
    gold = [
        "entailment" if drawn < share else "neutral" for drawn, share in zip(chance.random(800), shares, strict=True)
    ]
    systems = {
        name: [{"entailment": share, "neutral": 1 - share} for share in given.tolist()]
        for name, given in (("calibrated", shares), ("too confident", shares**0.4))
    }
    runs = {
        name: [{"id": row, "probabilities": share} for row, share in enumerate(given, 1)]
        for name, given in systems.items()
    }
    bins = [each for each in nli.reliability(nli.score(gold, runs)) if each.system in runs]
    return {"reliability": reliability_figure(bins)}


def estimating_figures() -> dict[str, Svg]:
    """Return three simulated systems, each by a judge that favours the first, by 60 human scores, and by both."""
    chance = np.random.default_rng(4)
    found = []
    for system, level, favour in (("heron", 0.50, 0.12), ("magpie", 0.58, 0.0), ("sparrow", 0.66, -0.04)):
        human = np.clip(chance.normal(level, 0.2, 1000), 0, 1)
        judge = mean_records(np.clip(human + favour + chance.normal(0, 0.08, 1000), 0, 1))
        some = np.where(np.arange(1000)[:, None] < 60, mean_records(human), np.nan)
        both = influences(some, judge, mean, population="set")
        alone, together, machine = human_only(both), joined(both), interval(judge, mean)
        found += [
            Estimate("judge, 1,000 items", both.judge_all, machine.low, machine.high, system),
            Estimate("people, 60 items", alone.value, alone.low, alone.high, system),
            Estimate("both", together.value, together.low, together.high, system),
            Estimate("truth, 1,000 items", float(human.mean()), group=system),
        ]
    return {"estimating": intervals(found)}


def lexsub_figures() -> dict[str, Svg]:
    """Return the comparison and one item of the example of lexical substitution."""
    folder = EXAMPLES / "lexsub"
    gold = lexsub.read_gold(folder / "demo.gold", source=folder / "demo.xml")
    runs = lexsub.read_runs(sorted(path for path in folder.iterdir() if path.suffix in (".best", ".oot")))
    results = lexsub.score(gold, runs, MEASURES)
    return {
        "comparison": plot(touchstone.compare(results, "F(k=1)")).svg,
        "explain": draw_list(lexsub.explain(gold, runs[0], item=ITEM).drawing),
    }


def pyramid_figures() -> dict[str, Svg]:
    """Return the example's pyramid, the units of it that one peer expresses, and what a machine says of all peers."""
    found = pyramid.explain_summary(pyramid.read_annotation(EXAMPLES / "pyramid" / PEER))
    whole = found.annotation.pyramid
    files = sorted((EXAMPLES / "pyramid").glob("*.pan"))
    automatic = score_peers(*read_peers([EXAMPLES / "pyramid" / "T01.pyr", *files]), Matcher())
    return {
        "pyramid": tiers_svg(whole),
        "pyramid-peer": tiers_svg(whole, found.counts.counts, found.title),
        "pyramid-auto": probabilities_figure(automatic.annotations),
    }


def language_figures() -> dict[str, str]:
    """Return a pair of the example of inference, a way in WordNet, and an analysed sentence."""
    pairs = nli.read_gold(EXAMPLES / "nli" / "gold.jsonl")
    (parsed,) = english().parse([SENTENCE])
    return {
        "pair": draw_pair(nli.explain_pair(pairs, [], PAIR)),
        "path": draw_path(wordnet().path("dog", "cat")),
        "dependencies": draw_dependencies(parsed),
    }


def mt_figures() -> dict[str, Svg]:
    """Return the matching behind the score of one translated segment."""
    folder = EXAMPLES / "mt"
    inputs = folder / "refA.en", folder / "de-en" / "heron"
    return {"alignment": draw(mt.explain(*inputs, item=SEGMENT, measure="maxsim(n+d)"))}


if __name__ == "__main__":
    main()
