"""Neural models of inference on the reduced training set: every model, several seeds, on one GPU.

    python -m benchmarks.nli_neural prepare FOLDER      # reads TOUCHSTONE_DATA, writes 12 MB: all that training needs
    python -m benchmarks.nli_neural train FOLDER OUT    # resumable; a run that is done is skipped
    python -m benchmarks.nli_neural pack OUT RESULTS    # the figures and labels of all runs, in two files
    python -m benchmarks.nli_experiments --help         # repair and speed
    python -m benchmarks.nli_report                     # the tables and figures of docs/nli_reduced.md

The cross-encoder starts from an encoder, which `prepare --encoder PATH` puts into the folder, in eight bits and with
the pieces of words that the sets have. `benchmarks.nli_labelling` makes a labeller of its runs.

    python -m benchmarks.nli_neural prepare FOLDER --encoder PATH
    python -m benchmarks.nli_neural train FOLDER OUT --models cross_encoder --without sick
    python -m benchmarks.nli_labelling FOLDER OUT LABELLER

Training is SNLI dev less a hold-out, CF-SNLI, the MultiNLI subset and SICK; the hold-out decides the best epoch, and
nothing is chosen on the test sets. LSTMs of this size wait for their steps, not for arithmetic, so several runs share
the GPU. Start NVIDIA's multi-process service before (``nvidia-cuda-mps-control -d``): on an H200 a step of ESIM's size
takes 11 ms alone, whether with 128 or 512 pairs; with twelve processes it takes 20 ms in each, without the service 62.
"""

import argparse
import gzip
import hashlib
import json
import lzma
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from queue import Empty
from typing import Any

import numpy as np

from benchmarks.nli_labelling import CROSS_ENCODER, ENCODER, pack_encoder, read_packed_encoder, read_set, scores

SEEDS = 5
BATCH = 128
"""A step takes as long as one with the published 32 pairs, and there are a quarter as many."""
MODELS = ("residual_encoder", "kim", "kim_instances", "esim", "decomposable_attention")
"""Those that take longest first."""
RELATION_WEIGHTS = {0.0: 73.5, 1.0: 75.9, 5.0: 76.8, 20.0: 75.9}
"""Accuracy of KIM on the hold-out, in per cent, by its weight of relations; one seed each."""
RELATION_WEIGHT = max(RELATION_WEIGHTS, key=lambda weight: RELATION_WEIGHTS[weight])
CHOSEN: dict[str, dict[str, float | str]] = {
    "decomposable_attention": {"batch": 64},
    "esim": {"dropout": 0.2, "rate": 1e-3},
    "residual_encoder": {"dropout": 0.3, "rate": 5e-4, "halved": "on plateau"},
    "kim": {"dropout": 0.2, "rate": 1e-3, "relation_weight": RELATION_WEIGHT},
    "kim_instances": {"dropout": 0.2, "rate": 1e-3, "relation_weight": RELATION_WEIGHT},
}
"""Settings for the reduced training set, chosen on the hold-out with one seed each; the rest is as published.

docs/nli_reduced.md has what was tried. ESIM's published dropout of .5 is for thirteen times as many pairs: the two
figures with it are after 16 epochs.
"""
TRAINING = {
    "snli": "snli/s1.dev",
    "cf_snli": "cf_snli/original_train.tsv",
    "cf_snli_revised": "cf_snli/revised_combined_train.tsv",
    "mnli": "mnli_subset/mnli_train.tsv",
    "sick": "sick/SICK_train.txt",
}
TESTS = {"snli_test": "snli/s1.test", "challenge": "breaking_nli/dataset.jsonl"}
REPORTED = {"mnli_val": "mnli_subset/mnli_val.tsv", "sick_test": "sick/SICK_test_annotated.txt"}
ABOUT = ("model", "seed", "training_pairs", "epochs", "best_epoch", "dev")
"""What is kept of a run beside its figures on the test sets."""
HELD_OUT = 26
"""A premise of SNLI dev is held out where the first byte of its SHA-256 is below this: 377 premises, 1,114 pairs."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one of the steps; without arguments (all benchmarks) say what is needed."""
    if arguments is None:
        print("skipped: needs a GPU; see python -m benchmarks.nli_neural --help")
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    prepare_step = steps.add_parser("prepare", help="read TOUCHSTONE_DATA and write what training needs")
    prepare_step.add_argument("folder", type=Path)
    prepare_step.add_argument("--encoder", type=Path, help="also what the cross-encoder starts from: a folder")
    train_step = steps.add_parser("train", help="train and predict")
    train_step.add_argument("folder", type=Path)
    train_step.add_argument("out", type=Path)
    train_step.add_argument("--models", nargs="+", default=MODELS, choices=[*MODELS, CROSS_ENCODER])
    train_step.add_argument("--without", nargs="+", default=[], choices=[*TRAINING], help="leave sets out")
    train_step.add_argument("--seeds", type=int, default=SEEDS)
    train_step.add_argument("--sizes", type=int, nargs="+", default=[0], help="training pairs, for curves; 0: all")
    train_step.add_argument("--jobs", type=int, default=13, help="runs at a time, each with a core of its own")
    train_step.add_argument("--minutes", type=float, default=9.0, help="stop then; the same command goes on")
    train_step.add_argument("--batch", type=int, help=f"pairs in a batch; {BATCH} in most models by default")
    train_step.add_argument("--epochs", type=int, help="the most epochs; as published by default")
    train_step.add_argument("--set", nargs="+", default=[], metavar="NAME=NUMBER", help="other settings, to explore")
    train_step.add_argument("--device", default="cuda")
    pack_step = steps.add_parser("pack", help="collect figures and labels")
    pack_step.add_argument("out", type=Path)
    pack_step.add_argument("results", type=Path)
    options = parser.parse_args(arguments)
    if options.step == "prepare":
        prepare(options.folder, options.encoder)
    elif options.step == "train":
        train_all(options)
    else:
        pack(options.out, options.results)


def is_held_out(premise: str) -> bool:
    """Say whether a premise of SNLI dev belongs to the hold-out."""
    return hashlib.sha256(premise.strip().encode()).digest()[0] < HELD_OUT


def read_sets(data: Path, tell: Callable[[str], None] = print) -> dict[str, list[Any]]:
    """Return the training pairs, the hold-out and the test sets; no training pair has a premise of a test set."""
    from touchstone import nli
    from touchstone.systems.inference.texts import labelled
    from touchstone.tasks.nli.auditing import letters_and_digits

    tests = {name: list(labelled(nli.read_gold(data / path))) for name, path in {**TESTS, **REPORTED}.items()}
    banned = {letters_and_digits(pair.premise) for name in TESTS for pair in tests[name]}
    training, held_out = [], []
    for name, path in TRAINING.items():
        pairs = list(labelled(nli.read_gold(data / path)))
        if name == "snli":
            held_out = [pair for pair in pairs if is_held_out(pair.premise)]
            pairs = [pair for pair in pairs if not is_held_out(pair.premise)]
        kept = [pair for pair in pairs if letters_and_digits(pair.premise) not in banned]
        left_out = len(pairs) - len(kept)
        tell(f"{name}: {len(kept):,} training pairs; left out, since a test set has their premise: {left_out}")
        training += [replace(pair, category=name) for pair in kept]
    tell(f"hold-out: {len(held_out):,} pairs on {len({pair.premise.strip() for pair in held_out}):,} premises")
    return {"train": training, "dev": held_out, **tests}


def prepare(folder: Path, encoder: Path | None = None) -> None:
    """Write all sets as JSONL, and the vectors of their words; also the encoder, where one is given."""
    from touchstone.systems.inference.texts import all_tokens
    from touchstone.systems.inference.vocabulary import read_vectors

    data = Path(os.environ["TOUCHSTONE_DATA"])
    folder.mkdir(parents=True, exist_ok=True)
    sets = read_sets(data)
    for name, pairs in sets.items():
        renamed = name in ("train", "dev")  # ids of different sets are alike
        rows = (
            {
                "id": str(n) if renamed else p.id,
                "premise": p.premise,
                "hypothesis": p.hypothesis,
                "gold": p.gold,
                **({"category": p.category} if p.category else {}),
            }
            for n, p in enumerate(pairs, 1)
        )
        with gzip.open(folder / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.write("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    every = [*write_generated(folder, data / "snli/s1.dev"), *(pair for pairs in sets.values() for pair in pairs)]
    vectors = read_vectors(data / "glove100/vectors.f16.npy", all_tokens(every))
    np.save(folder / "vectors.npy", np.asarray(vectors.rows))
    (folder / "vocab.txt").write_text("".join(f"{word}\n" for word in vectors.words), "utf-8")
    print(f"{len(vectors.words):,} words with vectors")
    if encoder:
        pack_encoder(encoder, every, folder / ENCODER)
    print(f"{sum(path.stat().st_size for path in folder.iterdir()):,} bytes in {folder}")


def read_all(options: argparse.Namespace) -> dict[bool, Any]:
    """Return the data of models that read pieces of words, and of those that read words, as far as they are asked."""
    from touchstone.systems.inference.texts import labelled
    from touchstone.systems.inference.training import make_data, make_pieces

    pairs = [pair for pair in labelled(read_set(options.folder, "train")) if pair.category not in options.without]
    options.sets = sorted({str(pair.category) for pair in pairs})
    if not set(options.sets) <= set(TRAINING):
        raise SystemExit(f"{options.folder} does not say which set a pair is from: prepare it again")
    held_out = labelled(read_set(options.folder, "dev"))
    found: dict[bool, Any] = {}
    if CROSS_ENCODER in options.models:
        found[True] = make_pieces(pairs, held_out, read_packed_encoder(options.folder / ENCODER))
    if {*options.models} - {CROSS_ENCODER}:
        found[False] = make_data(pairs, held_out, options.folder / "vectors.npy")
    return found


def write_generated(folder: Path, premises: Path) -> Sequence[Any]:
    """Write and return the pairs that the generator makes of the premises of SNLI dev, for repair."""
    from touchstone.systems.challenge.generating import Settings, generate, read_premises
    from touchstone.tasks.nli.formats.writing import format_pairs

    found = generate(read_premises(premises), Settings(per_premise=3, seed=1))
    with gzip.open(folder / "generated.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(format_pairs(found.pairs, "touchstone"))
    print(f"generated: {len(found.pairs):,} pairs")
    return found.pairs


class OutOfTimeError(Exception):
    """The time that was given is over."""


def train_all(options: argparse.Namespace) -> None:
    """Train all models in several processes that share the data; each takes the next run that is left."""
    from touchstone.systems.inference.relations import cached_relations

    start = time.monotonic()
    options.deadline = start + 60 * options.minutes
    options.out.mkdir(parents=True, exist_ok=True)
    os.environ["TOUCHSTONE_CACHE"] = str(options.out.resolve() / "cache")
    data = read_all(options)
    for instances in {model == "kim_instances" for model in options.models if model.startswith("kim")}:
        cached_relations((data[False].training, data[False].development), instances=instances)
    print(f"data ready after {time.monotonic() - start:.0f} s", flush=True)
    # Processes are forked before anything touches the GPU, so that they share what was read.
    context = get_context("fork")
    left = context.Queue()
    seeds = range(1, options.seeds + 1)
    runs = [(model, size, seed) for model in options.models for size in sorted(options.sizes) for seed in seeds]
    for run in runs:
        left.put(run)
    workers = [context.Process(target=work, args=(left, options, data)) for _ in range(min(options.jobs, len(runs)))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        if worker.exitcode:
            print(f"a process ended with {worker.exitcode}", flush=True)
    done = sum((run_folder(options.out, *run) / "figures.json").exists() for run in runs)
    print(f"{done} of {len(runs)} runs are done after {time.monotonic() - start:.0f} s", flush=True)


def run_folder(out: Path, model: str, size: int, seed: int) -> Path:
    """Return the folder of a run on all pairs, or on *size* of them."""
    return out / (f"{model}-{size}-{seed}" if size else f"{model}-{seed}")


def work(left: Any, options: argparse.Namespace, data: Any) -> None:  # noqa: ANN401 (a queue; data of the models)
    """Do runs until none is left, or the time is over."""
    import torch

    torch.set_num_threads(1)
    while time.monotonic() < options.deadline:
        try:
            model, size, seed = left.get(timeout=1)
        except Empty:
            return
        folder = run_folder(options.out, model, size, seed)
        if not (folder / "figures.json").exists():
            try:
                own = data[model == CROSS_ENCODER]
                one_run(model, seed, folder, options, own.sample(size, seed) if size else own)
            except OutOfTimeError:
                print(f"{folder.name}: interrupted; the same command goes on", flush=True)


def one_run(model: Any, seed: int, folder: Path, options: argparse.Namespace, data: Any) -> None:  # noqa: ANN401
    """Train one model with one seed, label all test sets, and write predictions and figures."""
    from touchstone.io.jsonl import format_objects
    from touchstone.systems.inference.predicting import Labeller
    from touchstone.systems.inference.settings import settings_of
    from touchstone.systems.inference.training import train

    def tell(line: str) -> None:
        print(f"{folder.name}: {line}", flush=True)
        if time.monotonic() > options.deadline:
            raise OutOfTimeError

    changes: dict[str, Any] = {"seed": seed, "epochs": options.epochs}
    changes |= {"batch": None if model == CROSS_ENCODER else BATCH, **CHOSEN.get(model, {})}
    changes |= {"batch": options.batch} if options.batch else {}
    changes |= {name: json.loads(number) for name, _, number in (one.partition("=") for one in options.set)}
    settings = settings_of(model, **changes)
    state = train(settings, data, folder, device=options.device, tell=tell)
    labeller = Labeller(folder, device=options.device)
    figures: dict[str, Any] = {
        "model": model,
        "seed": seed,
        "batch": settings.batch,
        "training_pairs": len(data.training),
        "training_sets": options.sets,
        "epochs": state.epoch,
        "best_epoch": state.best_epoch,
        "dev": state.best,
        "seconds_per_epoch": float(np.median([line["seconds"] for line in state.log])),
        "runs_at_a_time": options.jobs,
    }
    for name in (*TESTS, *REPORTED):
        gold = read_set(options.folder, name)
        found = labeller.predict(gold, vectors=None if model == CROSS_ENCODER else options.folder / "vectors.npy")
        with gzip.open(folder / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.write(format_objects(found.objects()))
        figures[name] = scores([pair.gold or "" for pair in gold.pairs], found.labels)
    figures["drop"] = figures["challenge"]["accuracy"] - figures["snli_test"]["accuracy"]
    (folder / "figures.json").write_text(json.dumps(figures, indent=2) + "\n")
    accuracies = ", ".join(f"{name} {figures[name]['accuracy']:.1%}" for name in (*TESTS, *REPORTED))
    print(f"{folder.name}: {accuracies}; {figures['seconds_per_epoch']:.1f} s an epoch", flush=True)


def pack(out: Path, results: Path) -> None:
    """Write the figures of all runs in one file, and the labels of the two test sets in another, a letter for each."""
    results.mkdir(parents=True, exist_ok=True)
    done = sorted(path.parent for path in out.glob("*/figures.json"))
    figures = [json.loads((run / "figures.json").read_text()) for run in done]
    lines = [json.dumps({name: _rounded(one[name]) for name in (*ABOUT, *TESTS, *REPORTED)}) for one in figures]
    (results / "nli_neural.jsonl").write_text("\n".join(lines) + "\n")
    labels = {test: {run.name: _letters(run / f"{test}.jsonl.gz") for run in done} for test in TESTS}
    (results / "nli_labels.json.xz").write_bytes(lzma.compress(json.dumps(labels).encode(), preset=9))
    print(f"{len(figures)} runs packed")


def _rounded(figure: Any) -> Any:  # noqa: ANN401 (a number, a name, or the measures of a test set)
    if isinstance(figure, dict):
        return {name: _rounded(value) for name, value in figure.items()}
    return round(figure, 5) if isinstance(figure, float) else figure


def _letters(path: Path) -> str:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return "".join(json.loads(line)["label"][0] for line in file)


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
