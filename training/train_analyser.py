"""Train the English analyser and write a checkpoint, which `training.packing` makes a model file.

    python -m training.train_analyser UD GLOVE OUT [--set hidden=96 --set epochs=40 …] [--more SILVER] [--device cuda]

Reads ewt-train, gum-train and the two dev files in the folder UD and GloVe (vocab.txt, vectors.f16.npy) in GLOVE.
Learns from train and, where it is given, from further sentences that `training.label_text` has analysed; dev is only
scored and printed. Test files are never opened. The same settings and seed on the same machine give the same figures to
about 0.3 points: GPU sums are not ordered.

The network: a vector for each word type (GloVe, a learned row, hashed affixes and shape through two layers), on it
a convolution that tags (the fast path) and a bidirectional LSTM that tags and parses (the full path; arcs as in
Dozat and Manning 2017, with the bilinear form folded into the heads' layer). All bounded, so that the file can hold
and the runtime can compute with integers of eight bits. A tag is a Penn tag and a universal part of speech together.

A teacher is a larger network, too slow to ship, that labels text for the small one to learn from. It has an encoder of
the BERT kind beside the word vectors (``--encoder FOLDER``), which learns along. The four teachers were made with

    --encoder FOLDER --set seed=3 (4, 5, 6) --set epochs=14 --set rate=0.002 --set hidden=400 --set arc=256
    --set label=256 --set vector=256 --set inner=384 --set word=100 --set batch_tokens=3000 --set windows=3-3-3
    --set dropout=0.33 --set input_dropout=0.15 --set word_dropout=0.5
"""

import argparse
import json
import math
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from training.packing import Codes, Glove, read_glove

from touchstone.text.arithmetic import CLIP
from touchstone.text.conllu import read_conllu
from touchstone.text.features import AFFIXES, buckets, normalised, vocabulary_keys
from touchstone.text.sentence import Sentence

GLOVE_WIDTH = 100
_WAYS = ("", "_reverse")


@dataclass(frozen=True)
class Settings:
    """What was chosen, on dev."""

    seed: int = 3
    vector: int = 160
    inner: int = 256
    word: int = 64
    hidden: int = 96
    layers: int = 2
    arc: int = 96
    label: int = 96
    convolution: int = 128
    windows: str = "5-3"
    glove_words: int = 60_000
    least_count: int = 3
    epochs: int = 36
    batch_tokens: int = 6_000
    rate: float = 3e-3
    decay: float = 1e-4
    dropout: float = 0.1
    input_dropout: float = 0.1
    word_dropout: float = 0.25
    glove_dropout: float = 0.05
    encoder_rate: float = 1e-4
    gold_copies: int = 2


def make_codes(train: Sequence[Sentence], glove: Sequence[str], least_count: int) -> tuple[Codes, list[int]]:
    """Return numbers for what train has, and the count of each learned row; a rare word has none of its own (row 0)."""
    seen = Counter(normalised(form).lower() for sentence in train for form in sentence.forms)
    frequent = sorted(word for word, count in seen.items() if count >= least_count)
    words = [*glove, *(word for word in frequent if word not in set(glove))]
    row_of = {word: row for row, word in enumerate(frequent, 1)}
    tags = sorted({tag for sentence in train for tag in both_tags(sentence)})
    relations = sorted({name for sentence in train for name in sentence.relations})
    return Codes(words, [row_of.get(w, 0) for w in words], tags, relations), [1, *(seen[w] for w in frequent)]


def both_tags(sentence: Sentence) -> list[str]:
    """Return what is learned as a tag: the Penn tag and the universal part of speech."""
    return [f"{tag} {upos}" for tag, upos in zip(sentence.tags, sentence.upos, strict=True)]


class Examples:
    """Sentences as arrays: word types once, sentences as numbers of types."""

    def __init__(
        self, sentences: Sequence[Sentence], codes: Codes, device: str, encoder: "TokenEncoder | None" = None
    ) -> None:
        place = {word: n for n, word in enumerate(codes.words)}
        tag, relation = ({name: n for n, name in enumerate(names)} for names in (codes.tags, codes.relations))
        types: dict[str, int] = {}
        self.ids = [[types.setdefault(normalised(form), len(types)) for form in s.forms] for s in sentences]
        # A tag or relation that train lacks is counted wrong, never learnt: -100 is torch's "ignore".
        self.tags = [[tag.get(name, -100) for name in both_tags(s)] for s in sentences]
        self.relations = [[relation.get(name, -100) for name in s.relations] for s in sentences]
        self.heads = [list(s.heads) for s in sentences]
        found = [next((place[k] for k in vocabulary_keys(form) if k in place), -1) for form in types]
        exact = [place.get(form.lower(), -1) for form in types]
        self.glove = torch.tensor(found, device=device) + 1
        self.rows = torch.tensor([codes.rows[n] if n >= 0 else 0 for n in exact], device=device)
        self.affixes = torch.tensor([buckets(form) for form in types], device=device)
        self.pieces = [encoder.pieces(form) for form in types] if encoder else []

    def batches(self, tokens: int, chance: random.Random | None) -> Iterator[list[int]]:
        """Yield batches of sentences of like length, shuffled where *chance* is given."""
        noise = [chance.uniform(-2, 2) if chance else 0.0 for _ in self.ids]
        order = sorted(range(len(self.ids)), key=lambda n: len(self.ids[n]) + noise[n])
        batches: list[list[int]] = [[]]
        for n in order:
            if (len(batches[-1]) + 1) * len(self.ids[n]) > tokens and batches[-1]:
                batches.append([])
            batches[-1].append(n)
        if chance:
            chance.shuffle(batches)
        yield from batches


class TokenEncoder(nn.Module):  # type: ignore[misc]
    """An encoder of the BERT kind that learns along; a token is the mean of its pieces, over a mix of all layers."""

    def __init__(self, folder: Path, device: str) -> None:
        super().__init__()
        from touchstone.neural.encoder import Encoder

        self.encoder = Encoder(folder, device)
        names = list(self.encoder._weights)
        self.weights = nn.ParameterList([nn.Parameter(self.encoder._weights[name]) for name in names])
        self.encoder._weights = dict(zip(names, self.weights, strict=True))
        self.mix = nn.Parameter(torch.zeros(self.encoder.layers, device=device))
        self.width = self.encoder.width

    def pieces(self, form: str) -> list[int]:
        """Return the numbers of the pieces of a form."""
        found = self.encoder._pieces
        return found.encode(form)[0][:8] or [found.unknown]

    def forward(self, rows: Sequence[Sequence[Sequence[int]]]) -> torch.Tensor:
        """Return a vector for each token of rows of tokens, which are pieces."""
        encoder, device = self.encoder, self.encoder.device
        framed = [[encoder._pieces.first, *(n for token in row for n in token), encoder._pieces.last] for row in rows]
        owners = [[0, *(k for k, token in enumerate(row, 1) for _ in token), 0] for row in rows]
        numbers, owner = pad(framed, 0).to(device)[:, :512], pad(owners, 0).to(device)[:, :512]
        present = (torch.arange(numbers.shape[1])[None] < torch.tensor([[len(row)] for row in framed])).to(device)
        x = encoder._embedded(numbers)
        layers = []
        for layer in range(encoder.layers):
            x = encoder._layer(
                functional.dropout(x, 0.1, self.training), f"encoder.layer.{layer}", present[:, None, None, :]
            )
            layers.append(x)
        mixed = (torch.stack(layers, -1) * self.mix.softmax(0)).sum(-1)
        size = max(len(row) for row in rows) + 1
        sums = torch.zeros(len(rows), size, mixed.shape[-1], device=device)
        sums = sums.scatter_add(1, owner[..., None].expand_as(mixed), mixed)
        counts = torch.zeros(len(rows), size, device=device).scatter_add(1, owner, present.float())
        return (sums / counts.clamp(min=1)[..., None])[:, 1:]


def make_network(settings: Settings, codes: Codes, beside: int = 0) -> nn.ModuleDict:
    """Return the layers, by name; *beside* is the width of an encoder's vectors."""
    width = settings.hidden * 2
    entering = settings.vector + beside
    windows = [int(size) for size in settings.windows.split("-")]
    concat = GLOVE_WIDTH + settings.word + sum(affix.width for affix in AFFIXES)
    network = nn.ModuleDict(
        {
            "word": nn.Embedding(max(codes.rows) + 1, settings.word),
            "affixes": nn.ModuleList(nn.Embedding(affix.rows, affix.width) for affix in AFFIXES),
            "inner": nn.Linear(concat, settings.inner),
            "vector": nn.Linear(settings.inner, settings.vector),
            "convolutions": nn.ModuleList(
                nn.Conv1d(
                    settings.vector if n == 0 else settings.convolution, settings.convolution, size, padding=size // 2
                )
                for n, size in enumerate(windows)
            ),
            "fast_tags": nn.Linear(settings.convolution, len(codes.tags)),
            "lstms": nn.ModuleList(
                nn.LSTM(entering if n == 0 else width, settings.hidden, bidirectional=True, batch_first=True)
                for n in range(settings.layers)
            ),
            "tags": nn.Linear(width, len(codes.tags)),
            "dependent": nn.Linear(width, settings.arc),
            "head": nn.Linear(width, settings.arc),
            "root": nn.ParameterList([torch.randn(settings.arc) * 0.1, torch.zeros(settings.label)]),
            "label_dependent": nn.Linear(width, settings.label),
            "label_head": nn.Linear(width, settings.label, bias=False),
            "labels": nn.Linear(settings.label, len(codes.relations)),
        }
    )
    for table in (network["word"], *network["affixes"]):
        nn.init.normal_(table.weight, std=0.3)
    for lstm in network["lstms"]:
        for name, parameter in lstm.named_parameters():
            if "bias" in name:
                nn.init.zeros_(parameter)
            elif "hh" in name:
                nn.init.orthogonal_(parameter)
    return network


def bounded(x: torch.Tensor) -> torch.Tensor:
    """Return max(0, min(x, CLIP))."""
    return x.clamp(0.0, CLIP)


class Learner:
    """A network, its data on a device, and how both meet."""

    def __init__(
        self,
        settings: Settings,
        codes: Codes,
        counts: list[int],
        glove: Glove,
        device: str,
        encoder: TokenEncoder | None = None,
    ) -> None:
        self.settings, self.codes, self.device, self.fast_only = settings, codes, device, False
        self.network = make_network(settings, codes, encoder.width if encoder else 0).to(device)
        if encoder:
            self.network["encoder"] = encoder
        # Row 0 is the unknown word; words that GloVe lacks have zeros too.
        table = np.zeros((len(codes.words) + 1, GLOVE_WIDTH), np.float32)
        table[1 : len(glove.words) + 1] = glove.whole * glove.steps
        self.glove = torch.tensor(table, device=device)
        seen = torch.tensor(counts, dtype=torch.float32, device=device)
        self.row_dropout = settings.word_dropout / (settings.word_dropout + seen) + 0.05

    def drop(self, x: torch.Tensor, rate: float | None = None) -> torch.Tensor:
        """Return *x* with a share of its values left out, while the network learns."""
        rate = self.settings.dropout if rate is None else rate
        return functional.dropout(x, rate, self.network.training)

    def vectors(self, examples: Examples, types: torch.Tensor) -> torch.Tensor:
        """Return the vector of each word type."""
        network = self.network
        glove, rows, affixes = examples.glove[types], examples.rows[types], examples.affixes[types]
        if network.training:
            rows = rows * (torch.rand(rows.shape, device=self.device) >= self.row_dropout[rows])
            glove = glove * (torch.rand(glove.shape, device=self.device) >= self.settings.glove_dropout)
        hashed = [table(affixes[..., n]) for n, table in enumerate(network["affixes"])]
        seen = torch.cat([self.glove[glove], network["word"](rows), *hashed], -1)
        inner = bounded(network["inner"](self.drop(seen, self.settings.input_dropout)))
        return torch.tanh(network["vector"](self.drop(inner, self.settings.input_dropout)))

    def scores(self, examples: Examples, batch: list[int]) -> dict[str, torch.Tensor]:
        """Return all scores of a batch, padded, with a mask of real tokens."""
        network = self.network
        lengths = torch.tensor([len(examples.ids[n]) for n in batch])
        mask = (torch.arange(int(lengths.max()))[None] < lengths[:, None]).to(self.device)
        types = pad([examples.ids[n] for n in batch], 0).to(self.device)
        vectors = self.drop(self.vectors(examples, types)) * mask[..., None]
        fast = self.fast_scores(vectors, mask)
        x = vectors
        if "encoder" in network:
            pieces = [[examples.pieces[kind] for kind in examples.ids[n]] for n in batch]
            x = torch.cat([x, self.drop(network["encoder"](pieces))], -1)
        for lstm in network["lstms"]:
            packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
            x = self.drop(nn.utils.rnn.pad_packed_sequence(lstm(packed)[0], batch_first=True)[0])
        dependent = self.drop(bounded(network["dependent"](x)))
        heads = self.drop(network["head"](x).clamp(-CLIP, CLIP))
        root = network["root"][0].clamp(-CLIP, CLIP).expand(len(batch), 1, -1)
        arcs = dependent @ torch.cat([root, heads], 1).transpose(1, 2)
        arcs = arcs.masked_fill(~functional.pad(mask, (1, 0), value=True)[:, None], -1e9)
        arcs = arcs - 1e9 * torch.eye(arcs.shape[2], device=self.device)[None, 1:]
        return {"mask": mask, "fast": fast, "tags": network["tags"](x), "arcs": arcs, "states": x}

    def fast_scores(self, vectors: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return the scores of tags on the fast path."""
        network, x = self.network, vectors
        for convolution in network["convolutions"]:
            y = bounded(convolution(x.transpose(1, 2)).transpose(1, 2)) * mask[..., None]
            x = self.drop(y, 0.2)
        return network["fast_tags"](x)

    def labels(self, states: torch.Tensor, heads: torch.Tensor) -> torch.Tensor:
        """Return the scores of relations, given the *heads*."""
        network = self.network
        above = network["label_head"](states)
        root = network["root"][1].expand(len(states), 1, -1)
        above = torch.cat([root, above], 1).gather(1, heads[..., None].expand(-1, -1, above.shape[2]))
        return network["labels"](self.drop(bounded(network["label_dependent"](states) + above)))

    def fast_loss(self, examples: Examples, batch: list[int]) -> torch.Tensor:
        """Return the cross-entropy of the fast path's tags alone."""
        types, tags = (
            pad([column[n] for n in batch], -100).to(self.device) for column in (examples.ids, examples.tags)
        )
        mask = types >= 0
        with torch.no_grad():
            vectors = self.vectors(examples, types.clamp(min=0))
        scores = self.fast_scores(self.drop(vectors) * mask[..., None], mask)
        return functional.cross_entropy(scores.flatten(0, 1), tags.flatten())

    def loss(self, examples: Examples, batch: list[int]) -> torch.Tensor:
        """Return the summed cross-entropy of heads, relations, and the tags of both paths."""
        if self.fast_only:
            return self.fast_loss(examples, batch)
        scores = self.scores(examples, batch)
        tags, heads, relations = (
            pad([column[n] for n in batch], -100).to(self.device)
            for column in (examples.tags, examples.heads, examples.relations)
        )
        labels = self.labels(scores["states"], heads.clamp(min=0))
        pairs = ((scores["arcs"], heads), (labels, relations), (scores["tags"], tags), (scores["fast"], tags))
        return torch.stack([functional.cross_entropy(s.flatten(0, 1), gold.flatten()) for s, gold in pairs]).sum()

    def figures(self, examples: Examples) -> dict[str, float]:
        """Return tag accuracy of both paths, UAS and LAS, in per cent, with greedy heads."""
        self.network.eval()
        with torch.no_grad():
            right, total = self._right(examples)
        self.network.train()
        return {name: round(100 * count / total, 2) for name, count in sorted(right.items())}

    def _right(self, examples: Examples) -> tuple[Counter[str], int]:
        right, total = Counter[str](), 0
        for batch in examples.batches(4_000, None):
            scores = self.scores(examples, batch)
            mask, found = scores["mask"].cpu(), scores["arcs"].argmax(-1)
            relations = self.labels(scores["states"], found).argmax(-1).cpu()
            tags, heads, names = (
                pad([column[n] for n in batch], -100) for column in (examples.tags, examples.heads, examples.relations)
            )
            attached = (found.cpu() == heads) & mask
            right["UAS"] += int(attached.sum())
            right["LAS"] += int((attached & (relations == names)).sum())
            for path in ("tags", "fast"):
                right[path] += int(((scores[path].argmax(-1).cpu() == tags) & mask).sum())
            total += int(mask.sum())
        return right, total

    def refit_fast_path(self, state: dict[str, torch.Tensor]) -> None:
        """Take all weights of another network but those of the fast path, which is then the only part that learns."""
        own = self.network.state_dict()
        fast = ("convolutions.", "fast_tags.")
        self.network.load_state_dict({n: own[n] if n.startswith(fast) else state[n] for n in own})
        self.fast_only = True

    def start_from(self, state: dict[str, torch.Tensor]) -> None:
        """Take the weights of another network; of a larger one the units that weigh most in what reads them."""
        own, hidden = self.network.state_dict(), state["lstms.0.weight_hh_l0"].shape[1]
        strongest: list[torch.Tensor] = []
        for n in range(self.settings.layers):
            readers = [state[f"lstms.{n + 1}.weight_ih_l0{end}"] for end in _WAYS if n + 1 < self.settings.layers]
            if n + 1 == self.settings.layers:
                readers = [
                    state[f"{name}.weight"] for name in ("tags", "dependent", "head", "label_dependent", "label_head")
                ]
            worth = torch.cat(readers).abs().mean(0).chunk(2)
            kept = [part.topk(self.settings.hidden).indices.sort().values for part in worth]
            for end, units in zip(_WAYS, kept, strict=True):
                rows = torch.cat([units + hidden * gate for gate in range(4)])
                for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                    state[f"lstms.{n}.{kind}_l0{end}"] = state[f"lstms.{n}.{kind}_l0{end}"][rows]
                state[f"lstms.{n}.weight_hh_l0{end}"] = state[f"lstms.{n}.weight_hh_l0{end}"][:, units]
            strongest.append(torch.cat([kept[0], kept[1] + hidden]))
        for end in _WAYS:
            for n in range(1, self.settings.layers):
                state[f"lstms.{n}.weight_ih_l0{end}"] = state[f"lstms.{n}.weight_ih_l0{end}"][:, strongest[n - 1]]
        for name in ("tags", "dependent", "head", "label_dependent", "label_head"):
            state[f"{name}.weight"] = state[f"{name}.weight"][:, strongest[-1]]
        arcs = (
            (state["dependent.weight"].norm(dim=1) * state["head.weight"].norm(dim=1)).topk(self.settings.arc).indices
        )
        labels = state["labels.weight"].abs().mean(0).topk(self.settings.label).indices
        for names, units in ((("dependent", "head"), arcs), (("label_dependent", "label_head"), labels)):
            for name in names:
                for kind in ("weight", "bias"):
                    if f"{name}.{kind}" in state:
                        state[f"{name}.{kind}"] = state[f"{name}.{kind}"][units]
        state["root.0"], state["root.1"] = state["root.0"][arcs], state["root.1"][labels]
        state["labels.weight"] = state["labels.weight"][:, labels]
        self.network.load_state_dict({name: state[name] for name in own})

    def learn(self, examples: Examples, dev: dict[str, Examples]) -> dict[str, dict[str, float]]:
        """Go through the examples as often as the settings say; return the figures on dev at the end."""
        settings, chance = self.settings, random.Random(self.settings.seed)
        steps = settings.epochs * sum(1 for _ in examples.batches(settings.batch_tokens, None))
        slow = list(self.network["encoder"].parameters()) if "encoder" in self.network else []
        others = [p for name, p in self.network.named_parameters() if not name.startswith("encoder.")]
        groups = [{"params": others}, {"params": slow, "lr": settings.encoder_rate}]
        optimiser = torch.optim.AdamW(groups, settings.rate, betas=(0.9, 0.95), weight_decay=settings.decay)
        plan = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: share_of_rate(step / steps))
        start = time.monotonic()
        for epoch in range(1, settings.epochs + 1):
            for batch in examples.batches(settings.batch_tokens, chance):
                optimiser.zero_grad(set_to_none=True)
                self.loss(examples, batch).backward()
                nn.utils.clip_grad_norm_(self.network.parameters(), 5.0)
                optimiser.step()
                plan.step()
            if epoch % 5 == 0 or epoch in (1, settings.epochs):
                seconds = time.monotonic() - start
                figures = {name: self.figures(part) for name, part in dev.items()}
                print(f"epoch {epoch} {seconds:.0f} s {figures}", flush=True)
        return {name: self.figures(part) for name, part in dev.items()}


def share_of_rate(done: float, rising: float = 0.05) -> float:
    """Return the share of the learning rate after the share *done* of the steps: a short rise, then half a cosine."""
    if done < rising:
        return done / rising
    return 0.5 + 0.5 * math.cos(math.pi * min(1.0, (done - rising) / (1 - rising)))


def pad(rows: Sequence[Sequence[int]], filler: int) -> torch.Tensor:
    """Return *rows* as one matrix."""
    width = max(len(row) for row in rows)
    return torch.tensor([[*row, *[filler] * (width - len(row))] for row in rows])


def parsed_settings(pairs: Sequence[str]) -> Settings:
    """Return the settings with the given ``name=value`` pairs in place."""
    text = {field.name for field in fields(Settings) if isinstance(field.default, str)}
    options = dict(pair.split("=", 1) for pair in pairs)
    values: dict[str, Any] = {name: value if name in text else json.loads(value) for name, value in options.items()}
    return Settings(**values)


def main() -> None:
    """Train, print the figures on dev, write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ud", type=Path)
    parser.add_argument("glove", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="pairs")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--sentences", type=int, default=None, help="learn from the first so many, for a trial")
    parser.add_argument("--more", type=Path, default=None, help="further analysed sentences, in CoNLL-U")
    parser.add_argument("--encoder", type=Path, default=None, help="the folder of an encoder, for a teacher")
    parser.add_argument("--start", type=Path, default=None, help="a checkpoint of a network as large, or larger")
    parser.add_argument("--refit", type=Path, default=None, help="a checkpoint of which only the fast path learns anew")
    options = parser.parse_args()
    settings = parsed_settings(options.pairs)
    torch.manual_seed(settings.seed)
    torch.set_float32_matmul_precision("high")
    train = [s for name in ("ewt", "gum") for s in read_conllu(options.ud / f"{name}-train.conllu")][
        : options.sentences
    ]
    more = read_conllu(options.more)[: options.sentences] if options.more else []
    glove = read_glove(options.glove, settings.glove_words)
    codes, counts = make_codes(train, glove.words, settings.least_count)
    held_out = {name: read_conllu(options.ud / f"{name}-dev.conllu")[: options.sentences] for name in ("ewt", "gum")}
    encoder = TokenEncoder(options.encoder, options.device) if options.encoder else None
    dev = {name: Examples(sentences, codes, options.device, encoder) for name, sentences in held_out.items()}
    learner = Learner(settings, codes, counts, glove, options.device, encoder)
    if options.start:
        learner.start_from(torch.load(options.start, map_location=options.device, weights_only=True)["state"])
    if options.refit:
        learner.refit_fast_path(torch.load(options.refit, map_location=options.device, weights_only=True)["state"])
    examples = Examples([*train * (settings.gold_copies if more else 1), *more], codes, options.device, encoder)
    figures = learner.learn(examples, dev)
    sources = ["UD English EWT train", "UD English GUM train", *(["MultiNLI, labelled by teachers"] if more else [])]
    about = {"settings": asdict(settings), "dev": figures, "trained on": sources}
    parts = about | {"codes": asdict(codes), "counts": counts}
    torch.save(parts | {"state": learner.network.state_dict()}, options.out)
    print(f"{options.out}: {figures}")


if __name__ == "__main__":
    main()
