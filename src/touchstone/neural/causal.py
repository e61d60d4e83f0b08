"""A causal language model of the Llama kind, read from a GGUF file: how probable is a text, piece by piece."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import linear, scaled_dot_product_attention, silu

from touchstone.core.errors import TouchstoneError
from touchstone.neural.gguf import Gguf, read_gguf
from touchstone.neural.pieces import BytePairs, by_length

_LAYER = ("attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down")


class Causal:
    """A causal language model on a device; reading it takes a second, its weights stay in memory."""

    def __init__(self, path: Path, device: str = "cpu") -> None:
        file = read_gguf(path)
        if file.metadata.get("general.architecture") != "llama":
            hint = "give a GGUF file of the architecture llama, such as SmolLM2"
            raise TouchstoneError("not a model of the Llama kind", file=str(path), hint=hint)
        self.device = torch.device(device)
        layers, self.longest = (file.get(f"llama.{name}", int) for name in ("block_count", "context_length"))
        heads = ("attention.head_count", "attention.head_count_kv")
        self._heads, self._shared = (file.get(f"llama.{name}", int) for name in heads)
        self._rotation = file.get("llama.rope.freq_base", float)
        self._epsilon = file.get("llama.attention.layer_norm_rms_epsilon", float)
        self.start = file.get("tokenizer.ggml.bos_token_id", int)
        self._pairs = _pieces(file)
        self._type = torch.bfloat16 if self.device.type == "cuda" else torch.float32
        self._embedding = self._put(file, "token_embd.weight")
        self._norm = self._put(file, "output_norm.weight")
        self._output = self._put(file, "output.weight") if "output.weight" in file else self._embedding
        self._layers = [{part: self._put(file, f"blk.{n}.{part}.weight") for part in _LAYER} for n in range(layers)]

    def encode(self, text: str) -> list[int]:
        """Return the pieces of *text* as numbers, without a mark of the beginning."""
        return self._pairs.encode(text)

    def log_probabilities(
        self, sequences: Sequence[Sequence[int]], *, tokens: int = 4096
    ) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """Yield, for each sequence by its place, the natural log probability of each piece after the first.

        Sequences come out in the order of their lengths, some *tokens* pieces at a time.
        """
        for sequence in sequences:
            if len(sequence) > self.longest:
                raise TouchstoneError(f"a text has more than the {self.longest:,} pieces that the model can read")
        for places, padded in by_length(sequences, tokens):
            found = self._scored(torch.from_numpy(padded).to(self.device))
            for place, row in zip(places, found, strict=True):
                yield place, row[: max(0, len(sequences[place]) - 1)]

    def _scored(self, numbers: Tensor) -> NDArray[np.float32]:
        with torch.inference_mode():
            hidden = self._hidden(numbers)[:, :-1]
            rows = [self._of_row(states, after) for states, after in zip(hidden, numbers[:, 1:], strict=True)]
            found: NDArray[np.float32] = torch.stack(rows).cpu().numpy()
        return found

    def _of_row(self, states: Tensor, following: Tensor) -> Tensor:
        """Return the log probabilities of one sequence; a row at a time, as each has the width of the vocabulary."""
        scores = linear(states, self._output).float()
        return scores.gather(1, following[:, None])[:, 0] - scores.logsumexp(1)

    def _hidden(self, numbers: Tensor) -> Tensor:
        x = self._embedding[numbers]
        cosines, sines = self._turns(numbers.shape[1])
        for layer in self._layers:
            x = x + self._attended(self._normed(x, layer["attn_norm"]), layer, cosines, sines)
            y = self._normed(x, layer["ffn_norm"])
            x = x + linear(silu(linear(y, layer["ffn_gate"])) * linear(y, layer["ffn_up"]), layer["ffn_down"])
        return self._normed(x, self._norm)

    def _attended(self, x: Tensor, layer: dict[str, Tensor], cosines: Tensor, sines: Tensor) -> Tensor:
        queries = _turned(_heads(linear(x, layer["attn_q"]), self._heads), cosines, sines)
        keys = _turned(_heads(linear(x, layer["attn_k"]), self._shared), cosines, sines)
        values = _heads(linear(x, layer["attn_v"]), self._shared)
        each = self._heads // self._shared
        keys, values = keys.repeat_interleave(each, 1), values.repeat_interleave(each, 1)
        found = scaled_dot_product_attention(queries, keys, values, is_causal=True)
        return linear(found.transpose(1, 2).flatten(2), layer["attn_output"])

    def _normed(self, x: Tensor, weight: Tensor) -> Tensor:
        wide = x.float()
        scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self._epsilon)
        return (wide * scale).to(x.dtype) * weight

    def _turns(self, length: int) -> tuple[Tensor, Tensor]:
        """Return the cosines and sines by which pairs of numbers are turned at each place (rotary positions)."""
        width = self._layers[0]["attn_q"].shape[0] // self._heads
        steps = torch.arange(0, width, 2, device=self.device, dtype=torch.float32) / width
        angles = torch.arange(length, device=self.device, dtype=torch.float32)[:, None] / self._rotation**steps
        return angles.cos().to(self._type), angles.sin().to(self._type)

    def _put(self, file: Gguf, name: str) -> Tensor:
        return torch.from_numpy(np.array(file.tensor(name))).to(self.device, self._type)


def _heads(x: Tensor, heads: int) -> Tensor:
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def _turned(x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    """Return *x* with each pair of neighbouring numbers turned; GGUF files store the pairs side by side."""
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cosines - odd * sines, even * sines + odd * cosines], -1).flatten(-2)


def _pieces(file: Gguf) -> BytePairs:
    tokens, merges = (file.get(f"tokenizer.ggml.{name}", list) for name in ("tokens", "merges"))
    pairs = [str(merge).split(" ") for merge in merges]
    return BytePairs([str(token) for token in tokens], [(pair[0], pair[-1]) for pair in pairs])
