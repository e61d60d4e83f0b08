"""What trained models of inference lose, need and can be taught; and how fast they are trained.

    python -m benchmarks.nli_experiments repair FOLDER OUT       # tunes the runs that nli_neural train left in OUT
    python -m benchmarks.nli_experiments speed FOLDER             # an epoch over 550,000 pairs beside a plain version
    python -m benchmarks.nli_experiments report PACKED FIGURES   # tables of the documentation; TOUCHSTONE_DATA is read

FOLDER is what ``benchmarks.nli_neural prepare`` wrote, PACKED what ``pack`` wrote and ``tar`` unpacked.
"""

import argparse
import json
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.nli_neural import TESTS

REPAIRED = ("esim", "kim")
SIZES = (0, 50, 200, 800)
SETS = {"original": "snli_test", "challenge": "challenge"}
"""The names of the test sets in tables, and of their files."""
PAIRS, PLAIN_PAIRS = 550_000, 50_000
WIDTH, WORDS = 300, 20_000
"""Of the vectors, and how many different words the made-up pairs have."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one of the steps; without arguments (all benchmarks) say what is needed."""
    if arguments is None:
        print("skipped: needs a GPU; see python -m benchmarks.nli_experiments --help")
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    repair_step = steps.add_parser("repair", help="tune runs on generated pairs, and label all sets")
    repair_step.add_argument("folder", type=Path)
    repair_step.add_argument("out", type=Path)
    repair_step.add_argument("--models", nargs="+", default=REPAIRED)
    repair_step.add_argument("--device", default="cuda")
    speed_step = steps.add_parser("speed", help="seconds of an epoch beside a plain version")
    speed_step.add_argument("folder", type=Path)
    speed_step.add_argument(
        "--models", nargs="+", default=["decomposable_attention", "esim", "residual_encoder", "kim"]
    )
    speed_step.add_argument("--pairs", type=int, default=PAIRS)
    speed_step.add_argument("--plain-pairs", type=int, default=PLAIN_PAIRS)
    speed_step.add_argument("--profile", action="store_true", help="also what the time of 30 steps goes to")
    speed_step.add_argument("--device", default="cuda")
    report_step = steps.add_parser("report", help="tables and figures from the labels of all runs")
    report_step.add_argument("packed", type=Path)
    report_step.add_argument("figures", type=Path)
    given = parser.parse_args(arguments)
    {"repair": repair_all, "speed": speed, "report": report}[given.step](given)


def repair_all(given: argparse.Namespace) -> None:
    """Tune each run in a process of its own."""
    folders = [folder for model in given.models for folder in sorted(given.out.glob(f"{model}-[0-9]"))]
    context = get_context("spawn")
    workers = [context.Process(target=repair_one, args=(folder, given)) for folder in folders]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        if worker.exitcode:
            print(f"a process ended with {worker.exitcode}", flush=True)


def repair_one(run: Path, given: argparse.Namespace) -> None:
    """Tune one run, and print its figures."""
    import torch

    from touchstone.tasks import nli
    from touchstone.tasks.nli.models.repairing import repair

    torch.set_num_threads(1)
    start = time.monotonic()
    generated = nli.read_gold(given.folder / "generated.jsonl.gz")
    tests = {name: nli.read_gold(given.folder / f"{file}.jsonl.gz") for name, file in SETS.items()}
    found = repair(
        {run.name: [run]},
        generated,
        tests,
        given.out / "repair",
        sizes=SIZES,
        vectors=given.folder / "vectors.npy",
        device=given.device,
    )
    values = {f"{one.test} {one.size}": round(one.value, 3) for one in found.points if one.measure == "accuracy"}
    print(f"{run.name}: {json.dumps(values)} after {time.monotonic() - start:.0f} s", flush=True)


def speed(given: argparse.Namespace) -> None:
    """Print the seconds of an epoch of each model, beside the same model trained plainly."""
    from touchstone.tasks.nli.models.settings import DEFAULTS

    print(f"{'model':24}{'s an epoch':>12}{'plain, scaled':>15}{'ratio':>8}")
    for model in given.models:
        ours = _seconds(replace(DEFAULTS[model], batch=512), given, given.pairs, plain=False)
        plain = _seconds(replace(DEFAULTS[model], batch=32), given, given.plain_pairs, plain=True)
        plain *= given.pairs / given.plain_pairs
        print(f"{model:24}{ours:12.1f}{plain:15.1f}{plain / ours:8.1f}", flush=True)


WARM, PROFILED = 20, 30
"""Batches before the clock starts, and those that are profiled."""


def _seconds(settings: Any, given: argparse.Namespace, pairs: int, *, plain: bool) -> float:  # noqa: ANN401
    """Return the seconds of one epoch over made-up pairs, after some batches that warm the device up."""
    import torch

    from touchstone.tasks.nli.models.batches import Batcher
    from touchstone.tasks.nli.models.optimising import make_optimiser, negative_log_likelihood
    from touchstone.tasks.nli.models.registry import build
    from touchstone.tasks.nli.models.relations import kept_relations

    class Unsorted(Batcher):
        """Batches in chance order: each as long as its longest sentence."""

        def shuffled(self, size: int, seed: int, epoch: int) -> Iterator[Any]:
            order = np.random.default_rng([seed, epoch]).permutation(self.size)
            for at in range(0, self.size, size):
                yield self.batch(order[at : at + size])

    texts = made_up(given.folder, pairs)
    vectors = np.random.default_rng(2).normal(size=(WORDS, WIDTH)).astype(np.float32)
    rows = np.arange(WORDS + 1, dtype=np.int32) + 3
    table = kept_relations([texts], instances=False) if settings.uses_relations else None
    where = torch.device(given.device)
    batcher = (Unsorted if plain else Batcher)(texts, rows, settings, where, table)
    model = build(settings, 4, vectors).to(where).train()
    optimiser = make_optimiser(model, settings)
    trained = optimiser.param_groups[0]["params"]
    total = torch.zeros((), device=where)

    def step(batch: Any) -> None:  # noqa: ANN401
        with torch.autocast("cuda", torch.bfloat16, enabled=where.type == "cuda" and not plain):
            scores = model(batch)
        loss = negative_log_likelihood(scores.float(), batch.right)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        if settings.clip is not None:
            torch.nn.utils.clip_grad_norm_(trained, settings.clip)
        optimiser.step()
        total.add_(loss.detach())

    batches = iter(batcher.shuffled(settings.batch, 1, 1))
    for batch in islice(batches, WARM):
        step(batch)
    if given.profile:
        with torch.profiler.profile() as found:
            for batch in islice(batches, PROFILED):
                step(batch)
            total.item()
        order = "self_cuda_time_total" if where.type == "cuda" else "self_cpu_time_total"
        print(f"{settings.model}, {'plain' if plain else 'ours'}: {PROFILED} steps")
        print(found.key_averages().table(sort_by=order, row_limit=8, max_name_column_width=60), flush=True)
    total.item()
    start, count = time.perf_counter(), 0
    for batch in batches:
        step(batch)
        count += 1
    total.item()
    return (time.perf_counter() - start) * -(-pairs // int(settings.batch)) / count


def made_up(folder: Path, pairs: int) -> Any:  # noqa: ANN401
    """Return pairs with SNLI's lengths (premises 14 tokens, hypotheses 8.3 on average) and words by Zipf's law."""
    from touchstone.core.ragged import Ragged
    from touchstone.tasks.nli.models.texts import Texts

    random = np.random.default_rng(1)
    forms = ["", *(folder / "vocab.txt").read_text("utf-8").split()[:WORDS]]
    weights = 1 / np.arange(1, WORDS + 1)
    drawn = np.cumsum(weights / weights.sum())

    def side(mean: float, spread: float, longest: int) -> Any:  # noqa: ANN401
        sizes = np.clip(random.normal(mean, spread, pairs).round(), 3, longest).astype(np.int64)
        words = np.searchsorted(drawn, random.random(int(sizes.sum()))).astype(np.int32) + 1
        return Ragged.from_sizes(sizes, words)

    right = np.eye(3, dtype=bool)[random.integers(0, 3, pairs)]
    return Texts(forms, side(14.0, 6.0, 78), side(8.3, 3.2, 59), right)


def report(given: argparse.Namespace) -> None:
    """Print the tables of all runs as Markdown, and write their figures and reports."""
    from touchstone.report.nli_experiments import drop_page, experiment_page
    from touchstone.report.page import render
    from touchstone.tasks import nli
    from touchstone.tasks.nli.experiments import experiment
    from touchstone.tasks.nli.model import Run

    data = Path(os.environ["TOUCHSTONE_DATA"])
    golds = {name: nli.read_gold(data / TESTS[file]) for name, file in SETS.items()}
    given.figures.mkdir(parents=True, exist_ok=True)

    def labels(folder: Path) -> tuple[Run, Run]:
        first, second = (nli.read_run(folder / f"{file}.jsonl.gz", name=folder.name) for file in SETS.values())
        return first, second

    whole: dict[str, list[tuple[Run, Run]]] = {}
    parts: dict[tuple[str, int], dict[str, list[Run]]] = {}
    for folder in sorted(path.parent for path in given.packed.glob("*/figures.json")):
        model, *size, _ = folder.name.split("-")
        found = labels(folder)
        pairs = json.loads((folder / "figures.json").read_text())["training_pairs"]
        if not size:
            whole.setdefault(model, []).append(found)
        for name, run in zip(golds, found, strict=True):
            parts.setdefault((model, pairs), {}).setdefault(name, []).append(run)
    seen = given.packed / "train.jsonl.gz"
    training = [nli.read_gold(seen)] if seen.exists() else []
    drops = nli.drop(
        golds["original"], golds["challenge"], whole, vectors=data / "glove100/vectors.f16.npy", training=training
    )
    for table in drops.tables():
        print(f"{table.title}\n\n{table.to_markdown()}\n")
    print("\n".join(drops.least_loss()))
    (given.figures / "drop.html").write_text(render(drop_page(drops)), "utf-8")
    curved = {model for model, _ in parts if sum(model == other for other, _ in parts) > 1}
    if curved:
        found_curve = experiment(
            "training pairs", golds, {which: runs for which, runs in sorted(parts.items()) if which[0] in curved}
        )
        print(found_curve.table().to_markdown(), "\n\n", found_curve.changes_table().to_markdown())
        (given.figures / "curve.html").write_text(render(experiment_page(found_curve, "Learning curves")), "utf-8")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
