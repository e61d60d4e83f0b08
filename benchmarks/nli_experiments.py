"""What trained models of inference can be taught with a few pairs; and how fast they are trained.

    python -m benchmarks.nli_experiments repair FOLDER OUT       # tunes the runs that nli_neural train left in OUT
    python -m benchmarks.nli_experiments speed FOLDER --profile --out speed.jsonl     # an epoch beside a plain version

FOLDER is what ``benchmarks.nli_neural prepare`` wrote.
"""

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

REPAIRED = ("esim", "kim")
SIZES = (0, 50, 200, 800)
SETS = {"original": "snli_test", "challenge": "challenge"}
"""The names of the test sets in tables, and of their files."""
PAIRS, PLAIN_PAIRS = 550_000, 50_000
WIDTH, WORDS = 300, 20_000
"""Of the vectors, and how many different words the made-up pairs have."""
BATCH, PLAIN_BATCH = 512, 32
"""Pairs in a batch of ours, and in one of the plain version."""
WARM, PROFILED = 20, 30
"""Batches before the clock starts, and those that are profiled."""


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
        "--models",
        nargs="+",
        default=["decomposable_attention", "esim", "residual_encoder", "kim", "cross_encoder"],
    )
    speed_step.add_argument("--pairs", type=int, default=PAIRS)
    speed_step.add_argument("--plain-pairs", type=int, default=PLAIN_PAIRS)
    speed_step.add_argument("--profile", action="store_true", help="also the operations that take most of 30 steps")
    speed_step.add_argument("--out", type=Path, help="a JSONL file that gets a line for each model")
    speed_step.add_argument("--device", default="cuda")
    options = parser.parse_args(arguments)
    {"repair": repair_all, "speed": speed}[options.step](options)


def repair_all(options: argparse.Namespace) -> None:
    """Tune each run in a process of its own; then write what was gained and lost over all of them."""
    models = {model: sorted(options.out.glob(f"{model}-[0-9]")) for model in options.models}
    context = get_context("spawn")
    workers = [
        context.Process(target=repair_runs, args=({run.name: [run]}, options))
        for runs in models.values()
        for run in runs
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        if worker.exitcode:
            print(f"a process ended with {worker.exitcode}", flush=True)
    results = repair_runs(models, options)  # from the labels that the processes wrote
    (options.out / "nli_repair.json").write_text(json.dumps(results.to_dict()["rows"], indent=1) + "\n")


def repair_runs(models: Mapping[str, Sequence[Path]], options: argparse.Namespace) -> Any:  # noqa: ANN401
    """Tune runs, print their accuracy, and return what was gained and lost."""
    import torch

    from touchstone import nli
    from touchstone.systems.inference.repairing import repair

    torch.set_num_threads(1)
    start = time.monotonic()
    generated = nli.read_gold(options.folder / "generated.jsonl.gz")
    tests = {name: nli.read_gold(options.folder / f"{file}.jsonl.gz") for name, file in SETS.items()}
    vectors = options.folder / "vectors.npy"
    results = repair(
        models, generated, tests, options.out / "repair", sizes=SIZES, vectors=vectors, device=options.device
    )
    values = {f"{one.test} {one.size}": round(one.value, 3) for one in results.points if one.measure == "accuracy"}
    print(f"{', '.join(models)}: {json.dumps(values)} after {time.monotonic() - start:.0f} s", flush=True)
    return results


def speed(options: argparse.Namespace) -> None:
    """Print the seconds of an epoch of each model beside a plain version; write them with the profiles."""
    from touchstone.systems.inference.settings import DEFAULTS

    print(f"| model | seconds | plain, scaled | ratio |\n{'|---' * 4}|")
    for model in options.models:
        ours = Epoch(replace(DEFAULTS[model], batch=BATCH), options, options.pairs, plain=False)
        plain = Epoch(replace(DEFAULTS[model], batch=PLAIN_BATCH), options, options.plain_pairs, plain=True)
        seconds, others = ours.seconds(), plain.seconds() * options.pairs / options.plain_pairs
        print(f"| `{model}` | {seconds:.1f} | {others:.1f} | {others / seconds:.1f} |", flush=True)
        if options.out:
            record = {
                "model": model,
                "device": options.device,
                "pairs": options.pairs,
                "plain_pairs": options.plain_pairs,
            }
            record |= {
                "seconds": seconds,
                "plain_scaled": others,
                "profile": ours.profile,
                "plain_profile": plain.profile,
            }
            with options.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")


class Epoch:
    """One epoch of a model over made-up pairs: ours, or *plain* (pairs unsorted, 32 bits)."""

    def __init__(self, settings: Any, options: argparse.Namespace, pairs: int, *, plain: bool) -> None:  # noqa: ANN401
        import torch

        from touchstone.systems.inference.batches import Batcher
        from touchstone.systems.inference.optimising import make_optimiser
        from touchstone.systems.inference.registry import build
        from touchstone.systems.inference.relations import cached_relations

        class Unsorted(Batcher):
            """Batches in random order: each as long as its longest sentence."""

            def shuffled(self, size: int, seed: int, epoch: int) -> Iterator[Any]:
                order = np.random.default_rng([seed, epoch]).permutation(self.size)
                for start in range(0, self.size, size):
                    yield self.batch(order[start : start + size])

        texts = made_up(options.folder, pairs)
        width = settings.width if settings.reads_pieces else WIDTH
        vectors = np.random.default_rng(2).normal(size=(WORDS, width)).astype(np.float32)
        rows = np.arange(WORDS + 1, dtype=np.int32) + 3
        table = cached_relations([texts], instances=False) if settings.uses_relations else None
        self.settings, self.plain, self.device = settings, plain, torch.device(options.device)
        self.batches_in_all = -(-pairs // int(settings.batch))
        batcher = (Unsorted if plain else Batcher)(texts, rows, settings, self.device, table)
        self.batches = iter(batcher.shuffled(settings.batch, 1, 1))
        self.model = build(settings, 4, vectors).to(self.device).train()
        self.optimiser = make_optimiser(self.model, settings)
        self.total = torch.zeros((), device=self.device)
        self.profiled, self.profile = options.profile, ""

    def step(self, batch: Any) -> None:  # noqa: ANN401
        """Train on one batch."""
        import torch

        from touchstone.systems.inference.optimising import negative_log_likelihood

        with torch.autocast("cuda", torch.bfloat16, enabled=self.device.type == "cuda" and not self.plain):
            scores = self.model(batch)
        loss = negative_log_likelihood(scores.float(), batch.right)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        if self.settings.clip is not None:
            trained = [weight for group in self.optimiser.param_groups for weight in group["params"]]
            torch.nn.utils.clip_grad_norm_(trained, self.settings.clip)
        self.optimiser.step()
        self.total.add_(loss.detach())

    def seconds(self) -> float:
        """Return the seconds of the whole epoch, from the batches after those that warm the device up."""
        for batch in islice(self.batches, WARM):
            self.step(batch)
        if self.profiled:
            self._profile()
        self.total.item()  # waits for the device
        start, count = time.perf_counter(), 0
        for batch in self.batches:
            self.step(batch)
            count += 1
        self.total.item()
        return (time.perf_counter() - start) * self.batches_in_all / count

    def _profile(self) -> None:
        """Keep and print which operations take the time of some steps."""
        import torch

        with torch.profiler.profile() as profile:
            for batch in islice(self.batches, PROFILED):
                self.step(batch)
            self.total.item()
        order = "self_cuda_time_total" if self.device.type == "cuda" else "self_cpu_time_total"
        self.profile = profile.key_averages().table(sort_by=order, row_limit=8, max_name_column_width=60)
        print(
            f"{self.settings.model}, {'plain' if self.plain else 'ours'}: {PROFILED} steps\n{self.profile}", flush=True
        )


def made_up(folder: Path, pairs: int) -> Any:  # noqa: ANN401
    """Return pairs with SNLI's lengths (premises 14 tokens, hypotheses 8.3 on average) and words by Zipf's law."""
    from touchstone.base.ragged import Ragged
    from touchstone.systems.inference.texts import Texts

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


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
