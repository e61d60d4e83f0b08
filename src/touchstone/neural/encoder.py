"""An encoder of the BERT kind, read from a folder of weights: a vector for every word as it is meant in its text."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import embedding, gelu, layer_norm, linear, scaled_dot_product_attention

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, needs
from touchstone.io.checksums import check_installed
from touchstone.neural.packages import finite
from touchstone.neural.pieces import WordPieces, by_length

Vectors = NDArray[np.float32]

WEIGHTS = "model.safetensors"


@dataclass(frozen=True)
class Encoded:
    """A text as vectors: a row for each piece, and the place where the piece starts."""

    pieces: Vectors
    starts: tuple[int, ...]

    def span(self, start: int, end: int) -> Vectors:
        """Return the unit vector of the pieces that start within a span of the text; zeros where there are none."""
        inside = [row for row, piece_start in enumerate(self.starts) if start <= piece_start < end]
        total = self.pieces[inside].sum(axis=0)
        return np.asarray(total / max(float(np.linalg.norm(total)), 1e-12), np.float32)


class Encoder:
    """An encoder, such as all-MiniLM-L6-v2, on a device."""

    def __init__(self, folder: Path, device: str = "cpu") -> None:
        files = read_encoder(folder)
        self.heads, self.epsilon = files.config["num_attention_heads"], files.config["layer_norm_eps"]
        self.longest = int(files.config["max_position_embeddings"])
        self._pieces = WordPieces(files.pieces)
        self.device = torch.device(device)
        self._weights = {name: weight.to(self.device, torch.float32) for name, weight in files.weights.items()}
        matches = [re.match(r"encoder\.layer\.(\d+)\.", name) for name in self._weights]
        self.layers = 1 + max(int(match[1]) for match in matches if match)

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return int(self._weights["embeddings.word_embeddings.weight"].shape[1])

    def encode(self, texts: Sequence[str], *, tokens: int = 8192) -> Iterator[tuple[int, Encoded]]:
        """Yield each text by its place, encoded; some *tokens* pieces at a time, the longest texts first."""
        cut = [self._pieces.encode(text) for text in texts]
        most = self.longest - 2
        framed = [[self._pieces.first, *numbers[:most], self._pieces.last] for numbers, _ in cut]
        for text_indices, padded in by_length(framed, tokens):
            lengths = [len(framed[text_index]) for text_index in text_indices]
            states = self._states(padded, lengths)
            for text_index, rows, length in zip(text_indices, states, lengths, strict=True):
                yield text_index, Encoded(rows[1 : length - 1], tuple(cut[text_index][1][:most]))

    def _states(self, padded: NDArray[np.int64], lengths: Sequence[int]) -> Vectors:
        """Return the state of every piece after the last layer; padding is not seen by the others."""
        present = torch.from_numpy(np.arange(padded.shape[1])[None] < np.array(lengths)[:, None]).to(self.device)
        with torch.inference_mode():
            x = self._embedded(torch.from_numpy(padded).to(self.device))
            for layer in range(self.layers):
                x = self._layer(x, f"encoder.layer.{layer}", present[:, None, None, :])
            states: Vectors = x.cpu().numpy()
        finite(states, "the encoder")
        return states

    def _embedded(self, numbers: Tensor) -> Tensor:
        weights = self._weights
        words = embedding(numbers, weights["embeddings.word_embeddings.weight"])
        places = weights["embeddings.position_embeddings.weight"][: numbers.shape[1]]
        kinds = weights["embeddings.token_type_embeddings.weight"][0]
        return self._normed(words + places + kinds, "embeddings.LayerNorm")

    def _layer(self, x: Tensor, name: str, present: Tensor) -> Tensor:
        parts = [self._through(x, f"{name}.attention.self.{part}") for part in ("query", "key", "value")]
        queries, keys, values = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts)
        mixed = scaled_dot_product_attention(queries, keys, values, attn_mask=present).transpose(1, 2).flatten(2)
        # BERT normalises after each sum, not before the attention.
        x = self._normed(
            x + self._through(mixed, f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm"
        )
        inner = gelu(self._through(x, f"{name}.intermediate.dense"))
        return self._normed(x + self._through(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _through(self, x: Tensor, name: str) -> Tensor:
        return linear(x, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])

    def _normed(self, x: Tensor, name: str) -> Tensor:
        return layer_norm(x, x.shape[-1:], self._weights[f"{name}.weight"], self._weights[f"{name}.bias"], self.epsilon)


@dataclass(frozen=True)
class EncoderFiles:
    """What the folder of an encoder has: its configuration, its pieces of words in their order, and its weights."""

    config: dict[str, Any]
    pieces: list[str]
    weights: dict[str, Tensor]


def read_encoder(folder: Path) -> EncoderFiles:
    """Read the folder of an encoder: config.json, vocab.txt and model.safetensors."""
    with needs("neural"):
        from safetensors.torch import load_file
    config = _config(folder)
    pieces = _needed(folder / "vocab.txt").read_text("utf-8").splitlines()
    file = _needed(folder / WEIGHTS)
    check_installed(file)
    try:
        weights = load_file(file)
    except Exception as error:  # the library raises errors of its own kind
        what = f"the weights cannot be read ({error})"
        raise TouchstoneError(what, file=str(folder), code=Code.UNREADABLE) from error
    return EncoderFiles(config, pieces, weights)


def _config(folder: Path) -> dict[str, Any]:
    path = _needed(folder / "config.json")
    try:
        config = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        what = f"the configuration is not JSON ({error})"
        raise TouchstoneError(what, file=str(path), code=Code.UNREADABLE) from None
    if not isinstance(config, dict) or config.get("model_type") != "bert":
        raise TouchstoneError("not an encoder of the BERT kind", file=str(path), code=Code.UNSUPPORTED)
    return config


def _needed(path: Path) -> Path:
    if not path.is_file():
        hint = "an encoder is a folder with config.json, vocab.txt and model.safetensors"
        raise TouchstoneError("the encoder lacks a file", file=str(path), code=Code.NO_FILE, hint=hint)
    return path
