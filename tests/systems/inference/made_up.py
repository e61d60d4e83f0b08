"""Made-up pairs with a rule behind them, and vectors for their words."""

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from touchstone.systems.inference.settings import DEFAULTS
from touchstone.tasks.nli.model import Pair

PEOPLE = ("boy", "girl", "man", "woman", "nurse")
ACTIONS = ("eats", "drinks", "sees", "paints", "holds")
THINGS = ("soup", "tea", "house", "wall", "rope", "cup", "apple", "fish")
WORDS = ("the", "a", "small", "something", ".", *PEOPLE, *ACTIONS, *THINGS)


def pairs(count: int = 100) -> list[Pair]:
    """Another thing is a contradiction, something an entailment, a small thing neutral; sentences of two lengths."""
    made = []
    for number, (person, action, thing) in enumerate(product(PEOPLE, ACTIONS, THINGS)):
        other = THINGS[(THINGS.index(thing) + 1 + number % 5) % len(THINGS)]
        label, second = [
            ("contradiction", f"the {other}"),
            ("entailment", "something"),
            ("neutral", f"a small {thing}"),
        ][number % 3]
        late = " late at night" if number % 2 else ""
        premise, hypothesis = f"The {person} {action} the {thing}{late}.", f"The {person} {action} {second}."
        made.append(Pair(str(number), premise, hypothesis, label))
    order = np.random.default_rng(0).permutation(len(made))[:count]
    return [made[place] for place in order]


def write_vectors(path, width: int = 16):
    """Write the vectors of all words but three: ``late`` and ``night`` are trained, ``at`` too."""
    rows = np.random.default_rng(1).normal(size=(len(WORDS), width))
    path.write_text(
        "".join(f"{word} {' '.join(f'{x:.4f}' for x in row)}\n" for word, row in zip(WORDS, rows, strict=True))
    )
    return path


def write_encoder(folder, seed: int = 0, width: int = 24):
    """Write a small encoder of the BERT kind, which knows most words whole and the others in pieces."""
    torch = pytest.importorskip("torch")
    from safetensors.torch import save_file

    inner, layers, places = 2 * width, 2, 256
    letters = [f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    pieces = ["[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", "la", "at", "night", *WORDS, *letters]
    draw = torch.Generator().manual_seed(seed)
    shapes = {
        "embeddings.word_embeddings.weight": (len(pieces), width),
        "embeddings.position_embeddings.weight": (places, width),
        "embeddings.token_type_embeddings.weight": (2, width),
        "pooler.dense.weight": (width, width),
    }
    for layer in range(layers):
        name = f"encoder.layer.{layer}"
        shapes |= {f"{name}.attention.self.{part}.weight": (width, width) for part in ("query", "key", "value")}
        shapes |= {f"{name}.attention.output.dense.weight": (width, width)}
        shapes |= {f"{name}.intermediate.dense.weight": (inner, width), f"{name}.output.dense.weight": (width, inner)}
    weights = {name: torch.randn(shape, generator=draw) / shape[1] ** 0.5 for name, shape in shapes.items()}
    weights |= {name.replace("weight", "bias"): weights[name][:, 0].clone() / 9 for name in weights if ".dense" in name}
    for layer in range(layers):
        for part in ("query", "key", "value"):
            name = f"encoder.layer.{layer}.attention.self.{part}"
            weights[f"{name}.bias"] = weights[f"{name}.weight"][:, 0].clone() / 9
    norms = [f"encoder.layer.{n}.{part}" for n in range(layers) for part in ("attention.output", "output")]
    for name in ("embeddings", *norms):
        weights[f"{name}.LayerNorm.weight"] = 1 + torch.randn(width, generator=draw) / 9
        weights[f"{name}.LayerNorm.bias"] = torch.randn(width, generator=draw) / 9
    folder.mkdir(exist_ok=True)
    save_file(weights, folder / "model.safetensors")
    sizes = {"num_hidden_layers": layers, "num_attention_heads": 3, "intermediate_size": inner, "hidden_act": "gelu"}
    about = {"model_type": "bert", "layer_norm_eps": 1e-12, "max_position_embeddings": places, **sizes}
    (folder / "config.json").write_text(json.dumps(about))
    (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece in pieces))
    return folder


def small(model: str, **changes):
    """Return the settings of a small model that learns fast."""
    usual = {"width": 16, "classifier": 16, "dropout": 0.0, "batch": 10, "rate": 0.01, "halved": "never", "epochs": 40}
    if model == "cross_encoder":
        usual |= {"layers": 2, "heads": 4, "inner": 32, "rate": 3e-3, "patience": 40}
    return replace(DEFAULTS[model], **{"patience": 4, **usual, **changes})
