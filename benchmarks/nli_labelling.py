"""The labeller of inference: how many pairs it labels per second on one core, and which one is shipped.

    python -m benchmarks.nli_labelling                        # the speed, with weights that were not trained
    python -m benchmarks.nli_labelling FOLDER TEACHERS OUT    # after benchmarks.nli_neural train: a labeller
    python -m benchmarks.nli_labelling FILE                   # the figures of docs/nli_reduced.md for a labeller

The second takes the runs of the cross-encoder in TEACHERS, which are alike but for their seeds. It trains new ones that
learn the mean of their probabilities beside the gold labels, and writes the one that is best on the hold-out in FOLDER,
in eight bits and in parts of 15 MiB. ``cat`` joins the parts; ``python -m training.nli_labeller`` builds a package. The
third labels the test sets in TOUCHSTONE_DATA and writes ``benchmarks/results/nli_labeller.json``.
"""

import hashlib
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

CROSS_ENCODER = "cross_encoder"
ENCODER = "encoder.safetensors"
"""The encoder in the folder of the data, in the form of a labeller."""
PART = 15 << 20
"""Bytes of a part of the weights."""
LEAST = 100
"""Pairs per second of CPU."""
TAUGHT, EPOCHS, STUDENTS = 0.7, 5, 3
"""The teachers' share of what a student learns (the rest is the gold label), its epochs, and how many students."""
MEASURED = 1000
"""Pairs of SNLI test that are labelled to measure the speed."""


def main(arguments: Sequence[str] = ()) -> None:
    """Make a labeller, record the figures of one, or measure its speed."""
    if len(arguments) > 1:
        folder, teachers, out = map(Path, arguments)
        distil(folder, teachers, out)
        return
    if "TOUCHSTONE_DATA" not in os.environ:
        print("set TOUCHSTONE_DATA to the folder of the real data to label pairs")
        return
    data = Path(os.environ["TOUCHSTONE_DATA"])
    if arguments:
        record(Path(arguments[0]), data)
    else:
        measure(data)


def measure(data: Path) -> None:
    """Print the speed of a labeller of the usual size; stop where it is too slow."""
    from touchstone import nli
    from touchstone.systems.inference.labelling import PairLabeller
    from touchstone.text.arithmetic import single_threaded

    gold = nli.read_gold(data / "snli" / "s1.test")
    gold = replace(gold, pairs=gold.pairs[:MEASURED], lines=gold.lines[:MEASURED])
    with TemporaryDirectory() as folder, single_threaded():
        file = Path(folder) / "labeller.safetensors"
        pack_encoder(None, gold.pairs, file, {"classifier.weight": np.ones((3, 384)), "classifier.bias": np.zeros(3)})
        start = time.process_time()
        labeller = PairLabeller(file)
        ready = time.process_time()
        labeller.label(gold)
        speed = len(gold) / (time.process_time() - ready)
    print(f"{speed:,.0f} pairs/s of CPU (at least {LEAST}); {ready - start:.2f} s to read the labeller")
    if speed < LEAST:
        raise SystemExit("too slow: nli label")


def record(file: Path, data: Path) -> None:
    """Write the figures of a labeller on three test sets."""
    from benchmarks.nli_neural import REPORTED, TESTS
    from benchmarks.nli_report import RESULTS
    from touchstone import nli
    from touchstone.systems.inference.labelling import PairLabeller
    from touchstone.text.arithmetic import single_threaded

    labeller = PairLabeller(file)
    figures: dict[str, Any] = {}
    for name, path in {**TESTS, "mnli_val": REPORTED["mnli_val"]}.items():
        gold = nli.read_gold(data / path)
        with single_threaded():
            labels = labeller.label(gold).labels
        expected = [pair.gold or "" for pair in gold.pairs]
        figures[name] = {key: round(value, 5) for key, value in scores(expected, labels).items()}
        figures.setdefault("first_100", scores(expected[:100], labels[:100])["accuracy"])
        print(f"{name}: {figures[name]['accuracy']:.1%}", flush=True)
    figures["sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
    (RESULTS / "nli_labeller.json").write_text(json.dumps(figures, indent=1) + "\n")


def pack_encoder(encoder: Path | None, pairs: Sequence[Any], out: Path, more: Mapping[str, Any] | None = None) -> None:
    """Write an encoder, the installed one by default, in eight bits, with the pieces of pairs and *more* weights."""
    from touchstone.systems.inference.labelling_file import WORDS, write_labeller
    from touchstone.systems.inference.pretrained import read_pretrained
    from touchstone.systems.inference.settings import DEFAULTS
    from touchstone.systems.inference.texts import read_pieces

    given = read_pretrained(encoder)
    texts = read_pieces(pairs, given.vocabulary.known)
    marks = len(texts.forms) - len(given.vocabulary.known)
    used = np.unique(np.concatenate([texts.premise.values, texts.hypothesis.values]))
    used = used[used >= marks] - marks
    weights = {name: weight.numpy() for name, weight in given.weights.items()}
    pieces = [given.vocabulary.known[row] for row in used]
    longest = DEFAULTS[CROSS_ENCODER].longest
    write_labeller(out, {**weights, WORDS: given.vectors[used], **(more or {})}, pieces, longest=longest, **given.sizes)
    print(f"{len(pieces):,} of {len(given.vocabulary.known):,} pieces of words")


def read_packed_encoder(path: Path) -> Any:  # noqa: ANN401 (what PyTorch has to be imported for)
    """Return an encoder that `pack_encoder` wrote, to start from."""
    import torch

    from touchstone.systems.inference.labelling_file import MARKS, read_labeller
    from touchstone.systems.inference.pretrained import Pretrained
    from touchstone.systems.inference.vocabulary import Vocabulary

    file = read_labeller(path)
    marks, vectors = np.split(file.table(), [-len(file.pieces)])
    weights = {name: torch.from_numpy(weight.copy()) for name, weight in {**file.weights, MARKS: marks}.items()}
    sizes = {name: int(file.about[name]) for name in ("layers", "heads", "inner", "width", "classifier")}
    vocabulary = Vocabulary([], list(file.pieces), str(file.source), vectors.shape[1])
    return Pretrained(vocabulary, vectors.copy(), weights, sizes)


def read_set(folder: Path, name: str) -> Any:  # noqa: ANN401 (a set of pairs)
    """Return a set that `prepare` wrote."""
    from touchstone import nli

    return nli.read_gold(max(folder.glob(f"{name}.jsonl*")))


def scores(gold: Sequence[str], given: Sequence[str]) -> dict[str, float]:
    """Return accuracy, recall of each label and macro-F1."""
    pairs = list(zip(gold, given, strict=True))
    found = {"n": len(pairs), "accuracy": sum(a == b for a, b in pairs) / len(pairs)}
    f1 = []
    for label in sorted(set(gold)):
        right, ours, theirs = (pairs.count((label, label)), list(gold).count(label), list(given).count(label))
        found[f"recall.{label}"] = right / ours
        f1.append(2 * right / (ours + theirs))
    return {**found, "macro_f1": sum(f1) / len(f1)}


def distil(folder: Path, teachers: Path, out: Path) -> None:
    """Train labellers on what several runs of the cross-encoder say together, and write the best of them in parts."""
    from touchstone.systems.inference.predicting import Labeller
    from touchstone.systems.inference.settings import settings_of
    from touchstone.systems.inference.texts import labelled
    from touchstone.systems.inference.training import make_pieces, train

    runs = sorted(path.parent for path in teachers.glob(f"{CROSS_ENCODER}-*/figures.json"))
    sets = json.loads((runs[0] / "figures.json").read_text())["training_sets"]
    gold = read_set(folder, "train")
    chosen = [place for place, pair in enumerate(gold.pairs) if pair.gold and pair.category in sets]
    gold = replace(gold, pairs=[gold.pairs[n] for n in chosen], lines=[gold.lines[n] for n in chosen])
    mean = np.mean([Labeller(run).predict(gold).probabilities for run in runs], axis=0)
    data = make_pieces(gold.pairs, labelled(read_set(folder, "dev")), read_packed_encoder(folder / ENCODER))
    right = data.training.right / data.training.right.sum(1, keepdims=True)
    mixed = (TAUGHT * mean + (1 - TAUGHT) * right).astype(np.float32)
    data = replace(data, training=replace(data.training, right=mixed))
    tried: dict[str, float] = {}
    for seed in range(1, STUDENTS + 1):
        run = out / f"distilled-{seed}"
        train(settings_of(CROSS_ENCODER, seed=seed, epochs=EPOCHS), data, run, tell=print)
        tried[run.name] = _packed_accuracy(run, folder, sets)
    best = max(tried, key=lambda name: tried[name])
    (out / "labeller.json").write_text(json.dumps({"chosen": best, "hold_out": tried}, indent=1) + "\n")
    raw = (out / f"{best}.safetensors").read_bytes()
    for number, start in enumerate(range(0, len(raw), PART)):
        (out / f"labeller.part{number}").write_bytes(raw[start : start + PART])
    print(f"{best} is chosen: {len(raw):,} bytes; join its parts with cat", flush=True)


def _packed_accuracy(run: Path, folder: Path, sets: Sequence[str]) -> float:
    """Write a run in eight bits, and return its accuracy on the hold-out."""
    from training.nli_labeller import pack

    from touchstone.systems.inference.labelling import PairLabeller

    file = run.with_suffix(".safetensors")
    pack([run], file, trained_on=sets)
    gold = read_set(folder, "dev")
    accuracy = scores([pair.gold for pair in gold.pairs], PairLabeller(file).label(gold).labels)["accuracy"]
    print(f"{run.name}: {accuracy:.2%} of the hold-out in eight bits", flush=True)
    return accuracy


if __name__ == "__main__":
    main(sys.argv[1:])
