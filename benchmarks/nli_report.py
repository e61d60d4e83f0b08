"""The tables and figures of docs/nli_reduced.md, from the runs that `benchmarks/results` keeps.

    python -m benchmarks.nli_report             # TOUCHSTONE_DATA is read; writes the tables and figures of the page
    python -m benchmarks.nli_report --tests     # before that: tests over premises again, a few minutes

`nli_neural.jsonl` has the figures of each run, `nli_labels.json.xz` its labels, one letter for each pair,
`nli_repair.json` what tuning on generated pairs changed, `nli_speed.jsonl` the seconds of an epoch, `nli_drop.json` the
tests over premises, `nli_labeller.json` the figures of the labeller.
"""

import dataclasses
import json
import lzma
import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import scipy

from benchmarks.nli_neural import TESTS, read_sets
from touchstone.base.tables import Cell, Column, Table, p_text
from touchstone.stats import holm

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "nli_reduced.md"
WHOLE = 41_523
"""Training pairs."""
MODELS = {
    "decomposable_attention": "attention",
    "esim": "ESIM",
    "residual_encoder": "residual",
    "kim": "KIM",
    "kim_instances": "instances",
    "cross_encoder": "cross",
}
"""The models, and the heads of their columns."""
CATEGORIES = {"colors": "colours", "antonyms_wordnet": "antonyms (WordNet)"}
"""Categories that the page spells in another way than the challenge set."""
SETS = ("snli_test", "challenge")
REPAIRED = {
    "same lists": "same lists",
    "other lists": "other lists",
    "challenge": "challenge set",
    "challenge, new words": "the same, new words",
    "original": "SNLI test",
}
"""The test sets of repair, and what the page calls them."""
Letters = np.ndarray[tuple[int], np.dtype[np.bytes_]]


class Kept:
    """What `benchmarks/results` keeps of the runs."""

    @cached_property
    def figures(self) -> list[dict[str, Any]]:
        """The figures of each run."""
        return [json.loads(line) for line in (RESULTS / "nli_neural.jsonl").read_text().splitlines()]

    @cached_property
    def labels(self) -> dict[str, dict[str, str]]:
        """For each test set the labels of each run: their first letters, in the order of the pairs."""
        labels: dict[str, dict[str, str]] = json.loads(lzma.decompress((RESULTS / "nli_labels.json.xz").read_bytes()))
        return labels

    @cached_property
    def repair(self) -> list[dict[str, Any]]:
        """Means with their intervals after tuning on generated pairs: the rows of a finding."""
        return [row for row in json.loads((RESULTS / "nli_repair.json").read_text()) if row["kind"] == "value"]

    @cached_property
    def speed(self) -> list[dict[str, Any]]:
        """The seconds of an epoch of each model, and of the same model written plainly."""
        return [json.loads(line) for line in (RESULTS / "nli_speed.jsonl").read_text().splitlines()]

    @cached_property
    def labeller(self) -> dict[str, Any]:
        """The figures of the labeller on each test set."""
        return dict(json.loads((RESULTS / "nli_labeller.json").read_text()))

    @cached_property
    def tests(self) -> list[dict[str, Any]]:
        """The differences between the drops of two models, tested over premises."""
        return list(json.loads((RESULTS / "nli_drop.json").read_text()))

    def values(self, model: str, test: str, measure: str, pairs: int = WHOLE) -> list[float]:
        """Return a measure of each run of a model that was trained on so many pairs."""
        own = [run for run in self.figures if (run["model"], run["training_pairs"]) == (model, pairs)]
        return [float(run[test][measure]) for run in own]

    def mean(self, model: str, test: str, measure: str, pairs: int = WHOLE) -> float:
        """Return the mean of a measure over the runs of a model."""
        return mean(self.values(model, test, measure, pairs))

    def drops(self, model: str) -> list[float]:
        """Return the drop of each run of a model."""
        original, challenge = (self.values(model, test, "accuracy") for test in SETS)
        return [after - before for before, after in zip(original, challenge, strict=True)]

    def runs(self, model: str) -> list[str]:
        """Return the names of the runs on all pairs whose labels are kept."""
        return [name for name in self.labels["challenge"] if name.rpartition("-")[0] == model]

    def right(self, model: str, gold: Letters) -> Letters:
        """Return the share of a model's runs that are right, for each pair of the challenge set."""
        given = [np.frombuffer(self.labels["challenge"][name].encode(), "S1") for name in self.runs(model)]
        share: Letters = np.mean([letters == gold for letters in given], axis=0)
        return share


def page_tables(kept: Kept, data: Path) -> dict[str, Table]:
    """Return the tables of the page by their names.

    Parameters
    ----------
    kept
        The results of the runs.
    data
        The folder of the real data: the challenge set, the training sets, word vectors.
    """
    return {**drop_tables(kept), **breakdown_tables(kept, data), **experiment_tables(kept)}


def drop_tables(kept: Kept) -> dict[str, Table]:
    """Return accuracy, drop and recalls; the ranges over runs; and the differences between drops."""
    measures = ("macro_f1", "recall.contradiction", "recall.entailment", "recall.neutral")
    drops, ranges = [], []
    for model in MODELS:
        original, challenge = (kept.mean(model, test, "accuracy") for test in SETS)
        others = [kept.mean(model, "challenge", measure) for measure in measures]
        cells = [original, challenge, challenge - original, *others]
        drops.append([model, *(f"{100 * cell:.1f}" for cell in cells)])
        spread = [kept.values(model, "snli_test", "accuracy"), kept.values(model, "challenge", "accuracy")]
        others = [kept.mean(model, test, "accuracy") for test in ("mnli_val", "sick_test")]
        ends = [f"{100 * min(own):.1f} to {100 * max(own):.1f}" for own in (*spread, kept.drops(model))]
        ranges.append([model, *ends, *(f"{100 * cell:.1f}" for cell in others)])
    pairs = list(combinations(MODELS, 2))
    over_seeds = holm([scipy.stats.ttest_ind(*map(kept.drops, pair), equal_var=False).pvalue for pair in pairs])
    seeds = dict(zip(map(frozenset, pairs), over_seeds.tolist(), strict=True))
    tests = [
        [
            f"{test['a']} – {test['b']}",
            f"{100 * test['difference']:+.1f}",
            f"{100 * test['low']:.1f} to {100 * test['high']:.1f}",
            p_text(test["p"]),
            p_text(seeds[frozenset((test["a"], test["b"]))]),
        ]
        for test in kept.tests
    ]
    sets = ("SNLI test", "challenge set", "drop")
    recalls = ("macro-F1", "contradictions", "entailments", "neutral")
    return {
        "drop": _table(["model", *sets, *recalls], drops),
        "ranges": _table(["range of the runs", *sets, "MultiNLI", "SICK"], ranges),
        "tests": _table(["drops of two models", "difference", "95% interval", "p, premises", "p, seeds"], tests),
    }


def breakdown_tables(kept: Kept, data: Path) -> dict[str, Table]:
    """Return accuracy by category, by what training has, and by the cosine of the two words."""
    from dataclasses import replace

    from touchstone import nli
    from touchstone.tasks.nli.auditing import audit

    challenge = nli.read_gold(data / TESTS["challenge"])
    pairs = read_sets(data, tell=lambda _: None)["train"]
    training = replace(challenge, pairs=pairs, lines=list(range(1, len(pairs) + 1)))
    gold = np.array([str(pair.gold)[0] for pair in challenge.pairs], "S1")
    right = {model: kept.right(model, gold) for model in MODELS}

    def rows(groups: Sequence[str], among: Any, order: Sequence[str]) -> list[list[Cell]]:  # noqa: ANN401
        named = np.array(groups)
        places = {name: among[named == name] for name in order}
        return [
            [name, len(own), *(f"{right[model][own].mean():.3f}" for model in MODELS)]
            for name, own in places.items()
            if len(own)
        ]

    everything = np.arange(len(gold))
    contradictions = np.flatnonzero(gold == b"c")
    categories = [CATEGORIES.get(str(pair.category), str(pair.category)) for pair in challenge.pairs]
    by_size = sorted(set(categories), key=lambda name: (name == "synonyms", -categories.count(name)))
    unseen = {pair.id for pair in audit(challenge, [training]).unseen_pairs}
    words = ["some unseen in training" if pair.id in unseen else "all seen in training" for pair in challenge.pairs]
    frequency = nli.frequency_bins(challenge, [training])
    cosine = nli.similarity_bins(challenge, data / "glove100/vectors.f16.npy")
    whole = rows(["all"] * len(gold), everything, ["all"])
    heads = ["pairs", *MODELS.values()]
    return {
        "categories": _table(["category", *heads], rows(categories, everything, by_size) + whole),
        "frequency": _table(
            ["training contradictions with both words", *heads], rows(frequency.bins, contradictions, frequency.names)
        ),
        "cosine": _table(["cosine of the two words", *heads], rows(cosine.bins, contradictions, cosine.names)),
        "words": _table(["words of the pair", *heads], rows(words, everything, sorted(set(words)))),
    }


def experiment_tables(kept: Kept) -> dict[str, Table]:
    """Return learning curves, repair, speed and the labeller."""
    curved = ("esim", "kim")
    sizes = sorted({run["training_pairs"] for run in kept.figures if run["model"] == "kim"})
    curve = [
        [f"{size:,}", *(f"{kept.mean(model, test, 'accuracy', size):.3f}" for test in SETS for model in curved)]
        for size in sizes
    ]
    points = {
        (point["model"], point["size"], point["test"]): point["value"]
        for point in kept.repair
        if point["measure"] == "accuracy"
    }
    repair = [
        [f"{MODELS[model]}, {size}", *(f"{points[model, size, test]:.3f}" for test in REPAIRED)]
        for model in curved
        for size in sorted({size for _, size, _ in points})
    ]
    speed = [
        [one["model"], *(f"{seconds:.0f}" for seconds in both), f"{both[1] / both[0]:.1f}"]
        for one in kept.speed
        for both in [(one["seconds"], one["plain_scaled"])]
    ]
    measures = ("accuracy", "recall.contradiction", "recall.entailment", "recall.neutral", "macro_f1")
    labeller = [
        [name, *(f"{100 * kept.labeller[test][measure]:.1f}" for measure in measures)]
        for test, name in {"snli_test": "SNLI test", "challenge": "challenge set", "mnli_val": "MultiNLI"}.items()
    ]
    sets = [f"{MODELS[model]}, {test}" for test in ("SNLI test", "challenge set") for model in curved]
    return {
        "curve": _table(["training pairs", *sets], curve),
        "repair": _table(["k", *REPAIRED.values()], repair),
        "speed": _table(["model", "seconds", "plain", "ratio"], speed),
        "labeller": _table(["labeller", "accuracy", "contradictions", "entailments", "neutral", "macro-F1"], labeller),
    }


def _table(heads: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Table:
    return Table([Column(heads[0]), *(Column(head, "right") for head in heads[1:])], rows)


def write_page(tables: Mapping[str, Table]) -> None:
    """Write the tables into the page, each after the comment with its name."""
    text = PAGE.read_text("utf-8")
    for name, table in tables.items():
        mark = f"<!-- {name} -->\n\n"
        before, after = text.split(mark)
        rest = after.partition("\n\n")[2]
        text = f"{before}{mark}{table.to_markdown().strip()}\n\n{rest}"
    PAGE.write_text(text, "utf-8")


def read_runs(kept: Kept, data: Path) -> Iterator[tuple[str, int, Any, Any]]:
    """Yield the model, the training pairs, and what a run gave on both test sets."""
    from touchstone import nli
    from touchstone.tasks.nli.model import Run

    words = {label[0]: label for label in ("entailment", "neutral", "contradiction")}
    golds = {test: nli.read_gold(data / TESTS[test]) for test in SETS}
    for name in kept.labels["challenge"]:
        model, *size, _ = name.split("-")
        given = [
            Run(name, gold.source, gold.ids, [words[letter] for letter in kept.labels[test][name]], gold.lines)
            for test, gold in golds.items()
        ]
        yield model, int(size[0]) if size else WHOLE, given[0], given[1]


def write_tests(kept: Kept, data: Path) -> None:
    """Test over premises whether the drops of two models differ, and write the differences."""
    from touchstone import nli

    whole = defaultdict(list)
    for model, size, original, challenge in read_runs(kept, data):
        if size == WHOLE:
            whole[model].append((original, challenge))
    original, challenge = (nli.read_gold(data / TESTS[test]) for test in SETS)
    drops = nli.drop(original, challenge, {model: whole[model] for model in MODELS})
    found = [
        {"a": pair.a, "b": pair.b, "difference": pair.difference, "low": pair.low, "high": pair.high}
        | {"p": pair.p_adjusted}
        for pair in drops.comparisons[2].pairs
    ]
    (RESULTS / "nli_drop.json").write_text(json.dumps(found, indent=1) + "\n")


def write_figures(kept: Kept, data: Path) -> None:
    """Draw the learning curves and repair."""
    from touchstone import nli
    from touchstone.systems.inference.experiments import experiment
    from touchstone.systems.inference.report import lines_figure
    from touchstone.systems.inference.runs import ModelRun, Point

    golds = {"SNLI test": nli.read_gold(data / TESTS["snli_test"])}
    golds["challenge set"] = nli.read_gold(data / TESTS["challenge"])
    runs = [
        ModelRun(model, size, test, run)
        for model, size, *given in sorted(read_runs(kept, data), key=lambda run: run[:2])
        if model in ("esim", "kim")
        for test, run in zip(golds, given, strict=True)
    ]
    curve = experiment("Learning curves", "training pairs", golds, runs)
    fields = [field.name for field in dataclasses.fields(Point)]
    repaired = [Point(**{name: row[name] for name in fields} | {"test": REPAIRED[row["test"]]}) for row in kept.repair]
    repaired.sort(key=lambda point: list(REPAIRED.values()).index(point.test))
    for name, drawn, along in (("nli_curve", curve.points, curve.along), ("nli_repair", repaired, "pairs")):
        (ROOT / "docs" / "figures" / f"{name}.svg").write_text(lines_figure(drawn, along, "accuracy"), "utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the tables and figures of the page."""
    if arguments is None or "TOUCHSTONE_DATA" not in os.environ:
        print("skipped: writes a page of the documentation; set TOUCHSTONE_DATA, python -m benchmarks.nli_report")
        return
    kept, data = Kept(), Path(os.environ["TOUCHSTONE_DATA"])
    if "--tests" in arguments:
        write_tests(kept, data)
    write_page(page_tables(Kept(), data))
    write_figures(kept, data)


if __name__ == "__main__":
    main(sys.argv[1:])
