"""Scores the systems on the test data of SemEval-2007 task 10 and writes the figures into the documentation.

    python -m training.evaluate_substituters LS07 FITS docs/lexsub_systems.md

LS07 is a folder with trial and test data, FITS what the networks say of the test sentences (see
training.train_neural and training.score_fits). The systems are those that come with the package,
learned on trial data; the rows of the ablation are fitted on trial data here. Nothing is chosen by what is printed.
"""

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from training.stored_fits import StoredFits

from touchstone import lexsub
from touchstone.base.tables import Cell, Column, Table, number
from touchstone.core.comparison import compare
from touchstone.core.resampling import Resampling
from touchstone.core.results import Results
from touchstone.io.writing import write_text
from touchstone.systems.substitution import features
from touchstone.systems.substitution.config import SYSTEMS, Config, shipped_config
from touchstone.systems.substitution.resources import Resources
from touchstone.systems.substitution.substituter import Substituter, as_run, write_run
from touchstone.systems.substitution.training import Settings, Trainer, examples_of
from touchstone.tasks.lexsub.model import GoldSet, Run, Sentence

POS = {"n": "nouns", "a": "adj", "v": "verb", "r": "adv"}
PAPER = {
    "R": {
        "bow": (0.343, 0.334, 0.205, 0.461),
        "lm": (0.371, 0.442, 0.252, 0.561),
        "cmlc": (0.405, 0.447, 0.319, 0.533),
    },
    "rank@10": {
        "bow": (0.239, 0.219, 0.128, 0.312),
        "lm": (0.275, 0.325, 0.176, 0.448),
        "cmlc": (0.303, 0.343, 0.186, 0.413),
    },
}
"""Jabbari, Hepple and Guthrie 2010, Tables 1 and 2: nouns, adjectives, verbs, adverbs."""

FAMILIES = {
    "candidates": (*features.WORDS, *features.WAYS),
    "sense order": features.SENSES,
    "bow": features.BOW,
    "lm": features.LM,
}
ALL = tuple(name for names in FAMILIES.values() for name in names)
BY_WORD = Resampling(cluster="target")
"""The ten sentences of a word are not independent."""


def main() -> None:
    """Run, score, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ls07", type=Path)
    parser.add_argument("fits", type=Path)
    parser.add_argument("page", type=Path)
    options = parser.parse_args()
    source = options.ls07 / "test.xml"
    gold = lexsub.read_gold(options.ls07 / "test.gold", source=source)
    sentences = list(lexsub.read_sentences(source).values())
    trial = lexsub.read_gold(options.ls07 / "trial.gold", source=options.ls07 / "trial.xml")
    fits = StoredFits(options.fits)
    systems = {name: Substituter(name, networks=fits) for name in SYSTEMS}
    runs = [system.run(sentences) for system in systems.values()]
    tables = [
        *paper_tables(gold, runs),
        official_table(gold, runs),
        parts_table(gold, runs),
        boundary_table(gold, systems, sentences),
        ablation_table(gold, trial, sentences, Resources()),
    ]
    text = "\n\n".join(f"**{table.title}**\n\n{_untitled(table).to_markdown()}" for table in tables)
    signature = "\n".join(f"- {name}: `{system.signature}`" for name, system in systems.items())
    page = options.page.read_text(encoding="utf-8")
    figures = f"<!-- figures -->\n\n{text}\n\nSignatures:\n\n{signature}\n\n<!-- end of figures -->"
    write_text(
        options.page, re.sub(r"<!-- figures -->.*<!-- end of figures -->", lambda _: figures, page, flags=re.DOTALL)
    )
    print(text)


def paper_tables(gold: GoldSet, runs: Sequence[Run]) -> Iterator[Table]:
    """Yield oot recall and rank by part of speech, beside the paper's."""
    results = lexsub.score(gold, runs, list(PAPER), by="pos", resampling=BY_WORD)
    titles = {"R": "oot recall beside Table 1 of the paper", "rank@10": "rank beside Table 2 of the paper"}
    for measure, title in titles.items():
        rows: list[list[Cell]] = []
        for run in runs:
            found = [results.row(run.name, measure, group) for group in (*POS, None)]
            rows.append([run.name, "here", *(f"{number(row.value)} ({row.interval})" for row in found)])
            paper = PAPER[measure].get(run.name)
            if paper:
                above = [row.value > old for row, old in zip(found, paper, strict=False)]
                rows.append([run.name, "paper", *(number(value) for value in paper), None])
                rows.append([run.name, "above", *("yes" if one else "no" for one in above), None])
        columns = [Column("system"), Column(""), *(Column(name, "right") for name in (*POS.values(), "all"))]
        yield Table(columns, rows, title=f"{title} (95 % intervals, target words drawn)")


def official_table(gold: GoldSet, runs: Sequence[Run]) -> Table:
    """Return best and oot by the official scorer's rules, in per cent."""
    names = ("els07.best.R", "els07.best_mode.R", "els07.oot.R", "els07.oot_mode.R")
    with TemporaryDirectory() as folder:
        for run in runs:
            for suffix in (".best", ".oot"):
                write_run(Path(folder, run.name + suffix), run)
        both = lexsub.read_runs(sorted(Path(folder).iterdir()))
        results = lexsub.score(gold, both, names, compat="els07", resampling=BY_WORD)
    rows = [[run.name, *(_percent(results, run.name, name) for name in names)] for run in both]
    known = [
        ["KU (2007)", "12.90", "20.65", "46.15", "61.30"],
        ["UNT (2007)", "12.77", "20.73", "49.19", "66.26"],
        ["WordNet baseline (2007)", "9.95", "15.28", "29.35", "40.57"],
    ]
    columns = [Column("system"), *(Column(name, "right") for name in ("best", "best mode", "oot", "oot mode"))]
    return Table(columns, [*rows, *known], title="Recall by the rules of the official scorer, per cent")


def parts_table(gold: GoldSet, runs: Sequence[Run]) -> Table:
    """Return how far cmlc is above each of its parts, and from neural."""
    rows: list[list[Cell]] = []
    for measure in ("R", "rank@10"):
        results = lexsub.score(gold, runs, [measure], resampling=BY_WORD)
        for pair in compare(results, measure).pairs:
            if "cmlc" in (pair.a, pair.b):
                other = pair.b if pair.a == "cmlc" else pair.a
                sign = 1 if pair.a == "cmlc" else -1
                low, high = sorted((sign * pair.low, sign * pair.high))
                rows.append(
                    [
                        measure,
                        f"cmlc − {other}",
                        sign * pair.difference,
                        f"{low:.3f} to {high:.3f}",
                        f"{pair.p_adjusted:.4f}",
                    ]
                )
    columns = [Column("measure"), Column(""), *(Column(name, "right") for name in ("difference", "95 %", "p (Holm)"))]
    return Table(columns, rows, title="cmlc against its parts and against neural: paired permutation test")


def boundary_table(gold: GoldSet, systems: dict[str, Substituter], sentences: Sequence[Sentence]) -> Table:
    """Return F(k=1) with the boundary and with the best fixed number of answers, both chosen on trial."""
    rows: list[list[Cell]] = []
    for name, system in systems.items():
        fixed = int(system.config.learned["best_fixed_number"])
        run = system.run(sentences, boundary=True)
        assert run.ranked is not None
        ranked = run.ranked
        named = f"first {fixed}"
        sizes = np.minimum(ranked.lists.codes.sizes, fixed)
        other = replace(run, name=named, ranked=replace(ranked, cuts=sizes.astype(np.int64)))
        own = replace(run, name="boundary")
        results = lexsub.score(gold, [own, other], ["P(k=1)", "R", "F(k=1)"], resampling=BY_WORD)
        [pair] = compare(results, "F(k=1)").pairs
        for one in ("boundary", named):
            values = [results.row(one, measure).value for measure in ("P(k=1)", "R", "F(k=1)")]
            difference = f"{pair.difference:.3f} ({pair.low:.3f} to {pair.high:.3f})" if one == "boundary" else None
            rows.append([name, one, *values, difference])
    columns = [
        Column("system"),
        Column("answers"),
        *(Column(name, "right") for name in ("P(k=1)", "R", "F(k=1)", "gain (95 %)")),
    ]
    return Table(columns, rows, title="The boundary against the best fixed number of answers, both chosen on trial")


def ablation_table(gold: GoldSet, trial: GoldSet, sentences: Sequence[Sentence], resources: Resources) -> Table:
    """Return what each kind of evidence gives alone, and what is lost without it; fitted on trial, scored on test."""
    shipped = shipped_config("cmlc")
    settings = Settings(shipped.level, shipped.twice, 0.03, shipped.neighbours)
    examples = examples_of(trial)
    rows: list[list[Cell]] = []
    chosen = [(f"{name} alone", names) for name, names in FAMILIES.items()]
    chosen += [(f"all but {out}", tuple(name for name in ALL if name not in FAMILIES[out])) for out in FAMILIES]
    for title, names in [*chosen, ("their sum (cmlc)", ALL)]:
        config = Trainer("ablation", names, resources, examples).learned(settings, examples)
        results = lexsub.score(gold, run_of(config, sentences), ["R", "rank@10", "els07.best.R"], resampling=BY_WORD)
        found = [results.row("ablation", measure) for measure in ("R", "rank@10", "els07.best.R")]
        rows.append([title, *(f"{number(row.value)} ({row.interval})" for row in found)])
    columns = [Column("features"), *(Column(name, "right") for name in ("oot recall", "rank@10", "best recall"))]
    return Table(columns, rows, title="Ablation: the same candidates, ranked by some of the features")


def run_of(config: Config, sentences: Sequence[Sentence]) -> Run:
    """Return the run of a configuration."""
    system = Substituter(config=config)
    return as_run(config.system, system.signature, system.rankings(sentences))


def _percent(results: Results, system: str, name: str) -> str:
    row = next(row for row in results.rows if row.system == system and row.measure.startswith(name))
    return f"{100 * row.value:.2f} ({100 * row.low:.1f}–{100 * row.high:.1f})"


def _untitled(table: Table) -> Table:
    return Table(table.columns, table.rows)


if __name__ == "__main__":
    main()
