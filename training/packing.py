"""Pack a checkpoint of `training.train_analyser` as a model file: weights as integers of eight bits, and strings.

    python -m training.packing GLOVE CHECKPOINT english.model

`touchstone.text.network` reads what this writes. Names of weights are those of the layers in `train_analyser`.
"""

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from touchstone.text.arithmetic import BYTE, CLIP, UNSIGNED
from touchstone.text.features import AFFIXES
from touchstone.text.network import FORMAT

Array = npt.NDArray[Any]
Arrays = dict[str, Array]

SIGNED, RECTIFIED = 1 / BYTE, CLIP / UNSIGNED
"""What a unit of an activation is worth: of a tanh or a state, of a rectified layer."""


@dataclass(frozen=True)
class Codes:
    """The strings behind the numbers: words of the vocabulary (GloVe's first), tags, relations.

    *rows* has the learned row of each word, 0 where it has none of its own.
    """

    words: list[str]
    rows: list[int]
    tags: list[str]
    relations: list[str]


@dataclass(frozen=True)
class Glove:
    """Words and vectors in whole steps of a byte; *steps* says what a step is worth in each dimension."""

    words: list[str]
    whole: Array
    steps: Array


def read_glove(folder: Path, words: int) -> Glove:
    """Return the first *words* of GloVe, which are the commonest; four standard deviations fill a byte."""
    names = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")[:words]
    vectors = np.load(folder / "vectors.f16.npy", mmap_mode="r")[:words].astype(np.float32)
    steps = (vectors.std(0) * 4 / BYTE).astype(np.float32)
    return Glove(names, whole(vectors / steps), steps)


def pack_model(state: Arrays, codes: Codes, glove: Glove, about: Mapping[str, object]) -> bytes:
    """Return the bytes of a model file; equal input gives equal bytes."""
    tables = {"word": state["word.weight"], **{a.name: state[f"affixes.{n}.weight"] for n, a in enumerate(AFFIXES)}}
    units = {name: np.abs(table).max() / BYTE for name, table in tables.items()}
    arrays = {name: whole(table / units[name]) for name, table in tables.items()}
    arrays["glove"] = glove.whole
    arrays["rows"] = np.array(codes.rows, np.uint16)
    per_input = np.concatenate([glove.steps, *(np.full(table.shape[1], units[name]) for name, table in tables.items())])
    arrays |= layer("inner", state["inner.weight"], state["inner.bias"], per_input)
    arrays |= layer("vector", state["vector.weight"], state["vector.bias"], RECTIFIED)
    arrays |= _convolution_arrays(state) | _lstm_arrays(state) | _output_arrays(state)
    for name, strings in (("words", codes.words), ("tags", codes.tags), ("relations", codes.relations)):
        arrays[name] = np.frombuffer("\n".join(strings).encode(), np.uint8)
    arrays["about"] = np.frombuffer(json.dumps(about, sort_keys=True).encode(), np.uint8)
    arrays["format"] = np.array(FORMAT)
    packed = BytesIO()
    np.savez(packed, allow_pickle=False, **arrays)
    return packed.getvalue()


def layer(name: str, weight: Array, bias: Array, per_input: Array | float) -> Arrays:
    """Return an affine map in integers: y = unit (x weight + bias), where a unit of input is worth *per_input*."""
    scaled = (weight * per_input).T
    unit = np.abs(scaled).max(0) / BYTE
    return {
        f"{name}.weight": whole(scaled / unit),
        f"{name}.bias": np.rint(bias / unit).astype(np.int32),
        f"{name}.unit": unit.astype(np.float32),
    }


def whole(x: Array) -> Array:
    """Return *x* rounded and cut to a signed byte."""
    return np.clip(np.rint(x), -BYTE, BYTE).astype(np.int8)


def _convolution_arrays(state: Arrays) -> Arrays:
    arrays: Arrays = {}
    count = sum(name.startswith("convolutions.") and name.endswith(".bias") for name in state)
    for n in range(count):
        weight = state[f"convolutions.{n}.weight"]
        flat = weight.transpose(0, 2, 1).reshape(len(weight), -1)
        made = layer(f"convolution{n}", flat, state[f"convolutions.{n}.bias"], SIGNED if n == 0 else RECTIFIED)
        made[f"convolution{n}.weight"] = made[f"convolution{n}.weight"].reshape(weight.shape[2], weight.shape[1], -1)
        arrays |= made
    return arrays | layer("fast_tags", state["fast_tags.weight"], state["fast_tags.bias"], RECTIFIED)


def _lstm_arrays(state: Arrays) -> Arrays:
    arrays: Arrays = {}
    count = sum(name.startswith("lstms.") and name.endswith("bias_ih_l0") for name in state)
    for n in range(count):
        inward, onward = [], []
        for end in ("", "_reverse"):
            kept = {
                kind: _gates(state[f"lstms.{n}.{kind}_l0{end}"])
                for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            }
            both = np.concatenate([kept["weight_ih"], kept["weight_hh"]], 1)
            made = layer("", both, kept["bias_ih"] + kept["bias_hh"], SIGNED)
            size = kept["weight_ih"].shape[1]
            onward.append(made[".weight"][size:])
            inward.append(made | {".weight": made[".weight"][:size]})
        for part in ("weight", "bias", "unit"):
            arrays[f"lstm{n}.{part}"] = np.concatenate([made[f".{part}"] for made in inward], -1)
        arrays[f"lstm{n}.onward"] = np.stack(onward)
    return arrays


def _gates(x: Array) -> Array:
    """Return torch's gates i f g o as f i o g, the sigmoid ones halved."""
    enter, forget, made, leave = np.split(x, 4)
    return np.concatenate([forget / 2, enter / 2, leave / 2, made])


def _output_arrays(state: Arrays) -> Arrays:
    """Return all that reads the states of the last LSTM as one map; both sides of a relation share their units."""
    width = state["label_head.weight"].shape[1]
    both = np.concatenate([state["label_dependent.weight"], state["label_head.weight"]], 1)
    sides = layer("", both, state["label_dependent.bias"], SIGNED)
    below = {part: sides[part] for part in (".bias", ".unit")} | {".weight": sides[".weight"][:width]}
    above = {".bias": np.zeros_like(sides[".bias"]), ".unit": sides[".unit"], ".weight": sides[".weight"][width:]}
    plain_maps = [layer("", state[f"{n}.weight"], state[f"{n}.bias"], SIGNED) for n in ("tags", "dependent", "head")]
    maps = [*plain_maps, below, above]
    arrays = {
        f"outputs{part}": np.concatenate([one[part] for one in maps], -1) for part in (".weight", ".bias", ".unit")
    }
    arrays["widths"] = np.array([len(one[".bias"]) for one in maps])
    arrays["root_head"] = whole(np.clip(state["root.0"], -CLIP, CLIP) * BYTE / CLIP)
    arrays["root_label"] = np.rint(state["root.1"] / sides[".unit"]).astype(np.int32)
    return arrays | layer("labels", state["labels.weight"], state["labels.bias"], RECTIFIED)


def main() -> None:
    """Read a checkpoint and write the model file."""
    import torch

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("glove", "checkpoint", "out"):
        parser.add_argument(name, type=Path)
    options = parser.parse_args()
    parts = torch.load(options.checkpoint, map_location="cpu", weights_only=True)
    state = {name: value.float().numpy() for name, value in parts["state"].items()}
    glove = read_glove(options.glove, parts["settings"]["glove_words"])
    about = {name: parts[name] for name in ("settings", "dev", "trained on")}
    options.out.write_bytes(pack_model(state, Codes(**parts["codes"]), glove, about))


if __name__ == "__main__":
    main()
