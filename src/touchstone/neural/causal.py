"""A causal language model of the Llama kind, read from a GGUF file: how probable is a text, piece by piece.

Texts that begin alike share the work: `Causal.read` reads a beginning once, and `Causal.continuations` computes all
that may follow it in one batch.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import linear, pad, rms_norm, scaled_dot_product_attention, silu

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.io.checksums import check_installed
from touchstone.neural.gguf import Gguf, read_gguf
from touchstone.neural.packages import finite
from touchstone.neural.pieces import BytePairs

_NORMS = ("attn_norm", "ffn_norm")
_MAPS = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
_BYTE = 127
_LEAST_STEP = 1e-8
_PACKED = 256
"""Pieces that are computed side by side on a processor: enough to keep it busy, few enough to see little in vain."""


class Map(Protocol):
    """A linear map of the last axis."""

    def __call__(self, x: Tensor) -> Tensor: ...  # noqa: D102

    @property
    def shape(self) -> tuple[int, int]: ...  # noqa: D102


class _Bytes:
    """A linear map whose weights, and what it is given, are whole numbers of eight bits, each row in its own steps."""

    def __init__(self, parts: Iterable[Tensor]) -> None:
        steps, int8_weights = [], []
        for part in parts:
            # Each row has its own step, so that one large weight does not coarsen the others.
            steps.append((part.abs().amax(1) / _BYTE).clamp(min=_LEAST_STEP))
            int8_weights.append((part / steps[-1][:, None]).round().to(torch.int8))
        self._steps = torch.cat(steps)
        # Columns are contiguous: the product reads them so, and the row of a piece is one of them.
        self._int8_weights = torch.cat(int8_weights).t()

    def __call__(self, x: Tensor) -> Tensor:
        rows = x.reshape(-1, x.shape[-1])
        steps = (rows.abs().amax(1, keepdim=True) / _BYTE).clamp(min=_LEAST_STEP)
        sums = torch._int_mm((rows / steps).round().to(torch.int8), self._int8_weights)
        return (sums * steps * self._steps).reshape(*x.shape[:-1], -1)

    @property
    def shape(self) -> tuple[int, int]:
        """How many numbers the map gives, and how many it takes."""
        return self._int8_weights.shape[1], self._int8_weights.shape[0]

    def rows(self, numbers: Tensor) -> Tensor:
        """Return the weights of some rows."""
        return self._int8_weights.t()[numbers].float() * self._steps[numbers][..., None]


class _Halves:
    """A linear map with weights of sixteen bits."""

    def __init__(self, parts: Iterable[Tensor]) -> None:
        self._weight = torch.cat([part.to(torch.bfloat16) for part in parts])

    def __call__(self, x: Tensor) -> Tensor:
        return linear(x.to(torch.bfloat16), self._weight).to(x.dtype)

    @property
    def shape(self) -> tuple[int, int]:
        """How many numbers the map gives, and how many it takes."""
        return self._weight.shape[0], self._weight.shape[1]

    def rows(self, numbers: Tensor) -> Tensor:
        """Return the weights of some rows."""
        return self._weight[numbers].float()


@dataclass(frozen=True)
class Read:
    """The beginning of a text as a model has read it: what any continuation looks back at.

    *state* is the state of each piece after the last layer, *past* the keys and values of each layer.
    """

    state: Tensor
    past: tuple[tuple[Tensor, Tensor], ...]

    def up_to(self, pieces: int) -> "Read":
        """Return the same of the first *pieces* alone."""
        return Read(self.state[:pieces], tuple((keys[:, :, :pieces], of[:, :, :pieces]) for keys, of in self.past))


class Causal:
    """A causal language model on a device; reading it takes a second, its weights stay in memory.

    On a processor weights are kept in eight bits, except those of the last map of each layer, whose inputs vary most
    and which have sixteen.

    Parameters
    ----------
    path
        A GGUF file.
    device
        Where the model runs, by the name that PyTorch gives it.
    changes
        What is added to the weights of some maps, by the name of the map: two matrices each, whose product is added.
    """

    def __init__(
        self, path: Path, device: str = "cpu", *, changes: Mapping[str, tuple[Tensor, Tensor]] | None = None
    ) -> None:
        check_installed(path)
        file = read_gguf(path)
        self._changes = changes or {}
        if file.metadata.get("general.architecture") != "llama":
            hint = "give a GGUF file of the architecture llama, such as SmolLM2"
            raise TouchstoneError("not a model of the Llama kind", file=str(path), code=Code.UNSUPPORTED, hint=hint)
        self.device = torch.device(device)
        self._kind = torch.float32 if self.device.type == "cpu" else torch.bfloat16
        layers, self.longest = (file.get(f"llama.{name}", int) for name in ("block_count", "context_length"))
        heads = ("attention.head_count", "attention.head_count_kv")
        self._heads, self._shared = (file.get(f"llama.{name}", int) for name in heads)
        self._rotation = file.get("llama.rope.freq_base", float)
        self._epsilon = file.get("llama.attention.layer_norm_rms_epsilon", float)
        self.start = file.get("tokenizer.ggml.bos_token_id", int)
        self._pairs = _pieces(file)
        self._embedding = self._map(file, "token_embd")
        self._output = self._map(file, "output") if "output.weight" in file else self._embedding
        self._norm = self._put(file, "output_norm.weight")
        self._layers = [self._layer(file, number) for number in range(layers)]

    def encode(self, text: str) -> list[int]:
        """Return the pieces of *text* as numbers, without a mark of the beginning."""
        return self._pairs.encode(text)

    def read(self, numbers: Sequence[int]) -> Read:
        """Return the beginning of a text, its pieces after the mark of the beginning, as read."""
        if len(numbers) >= self.longest:
            what = f"a text has more than the {self.longest:,} pieces that the model can read"
            raise TouchstoneError(what, code=Code.TOO_LARGE)
        with torch.inference_mode():
            states, past = self._hidden(torch.tensor([[self.start, *numbers]], device=self.device))
        return Read(states[0], past)

    def following(self, read: Read) -> NDArray[np.float32]:
        """Return the natural log probability of every piece of the vocabulary after a beginning."""
        with torch.inference_mode():
            logs: NDArray[np.float32] = self._output(read.state[-1:]).log_softmax(1)[0].cpu().numpy()
        finite(logs, "the language model")
        return logs

    def following_each(self, read: Read, tails: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Return the log probabilities of every piece after each of several continuations of the same length."""
        with torch.inference_mode():
            states = self._hidden(torch.tensor(tails, device=self.device), read.past)[0][:, -1]
            logs: NDArray[np.float32] = self._output(states).log_softmax(1).cpu().numpy()
        finite(logs, "the language model")
        return logs

    def continuations(self, read: Read, tails: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
        """Return the natural log probability of each piece of each continuation of a beginning, computed together."""
        first = self.following(read)
        width = max((len(tail) for tail in tails), default=0) - 1
        later_log_probs = np.zeros((len(tails), max(width, 0)), np.float32)
        if width > 0:
            padded = np.zeros((len(tails), width + 1), np.int64)
            for row, tail in enumerate(tails):
                padded[row, : len(tail)] = tail
            present = np.arange(1, width + 1) < np.array([len(tail) for tail in tails])[:, None]
            later_log_probs[present] = self._after(read, padded, present)
        return [
            np.concatenate([first[list(tail[:1])], later_log_probs[row, : len(tail) - 1]])
            for row, tail in enumerate(tails)
        ]

    def branches(self, read: Read, tails: Sequence[Sequence[int]], *, most: int = _PACKED) -> Tensor:
        """Return the state after the last piece of each continuation of a beginning, one row per continuation.

        Continuations are computed side by side in one row of about *most* pieces, each blind to the others, so that
        short and long ones need no padding.
        """
        states = []
        with torch.inference_mode():
            for row in _rows(tails, most):
                packed = pack([row], self.device, before=len(read.state))
                mask = pad(packed.mask, (len(read.state), 0), value=True)
                hidden = self._hidden(packed.numbers, read.past, (packed.places, mask))[0]
                states.append(hidden[packed.last])
        return torch.cat(states) if states else read.state[:0]

    def states(self, packed: "Packed") -> Tensor:
        """Return the states after the marked pieces of packed texts; gradients flow through the maps."""
        return self._hidden(packed.numbers, (), (packed.places, packed.mask))[0][packed.last]

    def replace_maps(self, replace: Callable[[str, Map], Map]) -> None:
        """Replace each map of each layer by what *replace* returns for its name, as in GGUF files, and for the map."""
        for number, layer in enumerate(self._layers):
            for part, linear_map in layer.maps.items():
                layer.maps[part] = replace(f"blk.{number}.{part}", linear_map)

    def piece_vectors(self, numbers: Sequence[int]) -> Tensor:
        """Return the vectors by which states are compared with some pieces of the vocabulary."""
        return self._output.rows(torch.tensor(numbers, device=self.device))

    def _after(self, read: Read, padded: NDArray[np.int64], present: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the log probabilities of the present pieces after the first column, row by row."""
        numbers = torch.from_numpy(padded).to(self.device)
        with torch.inference_mode():
            states = self._hidden(numbers[:, :-1], read.past)[0]
            is_present = torch.from_numpy(present).to(self.device)
            scores = self._output(states[is_present])
            log_probs = scores.gather(1, numbers[:, 1:][is_present][:, None])[:, 0] - scores.logsumexp(1)
            logs: NDArray[np.float32] = log_probs.cpu().numpy()
        finite(logs, "the language model")
        return logs

    def _hidden(
        self,
        numbers: Tensor,
        past: tuple[tuple[Tensor, Tensor], ...] = (),
        packed: tuple[Tensor, Tensor] | None = None,
    ) -> tuple[Tensor, tuple[tuple[Tensor, Tensor], ...]]:
        """Return the states of pieces after the last layer, and the keys and values of each layer.

        *packed* has the place of each piece and the mask of those it sees; by default each sees all before it.
        """
        before = past[0][0].shape[2] if past else 0
        length = numbers.shape[1]
        x = self._embedding.rows(numbers).to(self._kind)
        if packed is None:
            places = torch.arange(before, before + length, device=self.device)
            mask = torch.ones(length, before + length, dtype=torch.bool, device=self.device).tril(before)
        else:
            places, mask = packed
        turns = self._turns(places)
        keys_and_values = []
        for layer_index, layer in enumerate(self._layers):
            y = self._normed(x, layer.norms["attn_norm"])
            # Only queries and keys are turned: their product then depends on how far two pieces are apart.
            queries = _turned(_heads(layer.maps["attn_q"](y), self._heads), *turns)
            keys = _turned(_heads(layer.maps["attn_k"](y), self._shared), *turns)
            values = _heads(layer.maps["attn_v"](y), self._shared)
            keys_and_values.append((keys, values))
            if past:
                keys, values = (
                    torch.cat([old.expand(len(x), -1, -1, -1), new], 2)
                    for old, new in zip(past[layer_index], (keys, values), strict=True)
                )
            x = x + layer.maps["attn_output"](self._attended(queries, keys, values, mask))
            y = self._normed(x, layer.norms["ffn_norm"])
            x = x + layer.maps["ffn_down"](silu(layer.maps["ffn_gate"](y)) * layer.maps["ffn_up"](y))
        return self._normed(x, self._norm).float(), tuple(keys_and_values)

    def _attended(self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
        each = self._heads // self._shared
        keys, values = keys.repeat_interleave(each, 1), values.repeat_interleave(each, 1)
        return scaled_dot_product_attention(queries, keys, values, attn_mask=mask).transpose(1, 2).flatten(2)

    def _normed(self, x: Tensor, weight: Tensor) -> Tensor:
        if self._kind is torch.bfloat16:
            return rms_norm(x, weight.shape, weight.to(x), self._epsilon)
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self._epsilon) * weight

    def _turns(self, places: Tensor) -> tuple[Tensor, Tensor]:
        """Return the cosines and sines by which pairs of numbers are turned at each place (rotary positions)."""
        width = len(self._layers[0].norms["attn_norm"]) // self._heads
        steps = torch.arange(0, width, 2, device=self.device, dtype=torch.float32) / width
        angles = places.float()[..., None] / self._rotation**steps
        return angles.cos().to(self._kind), angles.sin().to(self._kind)

    def _layer(self, file: Gguf, number: int) -> "_Layer":
        norms = {part: self._put(file, f"blk.{number}.{part}.weight") for part in _NORMS}
        return _Layer(norms, {part: self._map(file, f"blk.{number}.{part}") for part in _MAPS})

    def _map(self, file: Gguf, name: str) -> _Bytes | _Halves:
        # What enters the last map of a layer varies most: eight bits would lose too much of it.
        exact = name.endswith("ffn_down") or self.device.type != "cpu"
        return (_Halves if exact else _Bytes)(self._parts(file, name))

    def _parts(self, file: Gguf, name: str) -> Iterator[Tensor]:
        """Yield the weights of a map some rows at a time, with what is added to them."""
        start = 0
        for part in file.parts(f"{name}.weight"):
            weights = torch.from_numpy(part).to(self.device)
            if name in self._changes:
                down, up = self._changes[name]
                weights = weights + up[start : start + len(part)].to(weights) @ down.to(weights)
            start += len(part)
            yield weights

    def _put(self, file: Gguf, name: str) -> Tensor:
        return torch.from_numpy(file.tensor(name)).to(self.device)


@dataclass(frozen=True)
class _Layer:
    norms: Mapping[str, Tensor]
    maps: dict[str, Map]


@dataclass(frozen=True)
class Packed:
    """Texts that are computed side by side: rows of pieces, the place of each, and the mask of the pieces it sees.

    *last* marks the last piece of each text, in the order in which the texts were given.
    """

    numbers: Tensor
    places: Tensor
    mask: Tensor
    last: Tensor


def pack(
    rows: Sequence[Sequence[Sequence[int]]],
    device: torch.device,
    *,
    before: int = 0,
    shared: bool = False,
    align: int = 1,
) -> Packed:
    """Put several texts into each row, each blind to the others in its row.

    Parameters
    ----------
    rows
        For each row, its texts as numbers of pieces.
    device
        Where the result is made.
    before
        How many pieces precede every text, read already.
    shared
        The first text of a row is the beginning of its others: they see it, and it is not marked as a text.
    align
        Rows are padded to a multiple of this, which kernels for GPUs need.

    Examples
    --------
    >>> packed = pack([[[7, 8], [1, 2], [3]]], torch.device("cpu"), shared=True)
    >>> packed.numbers.tolist(), packed.places.tolist()
    ([[7, 8, 1, 2, 3]], [[[0, 1, 2, 3, 2]]])
    >>> packed.mask[0, 0].int().tolist()
    [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1, 1, 0, 0, 1]]
    >>> packed.last.int().tolist()
    [[0, 0, 0, 1, 1]]
    """
    width = -(-max(sum(map(len, texts)) for texts in rows) // align) * align
    table = np.zeros((4, len(rows), width), np.int64)
    numbers, places, owner, last = table
    for row, texts in enumerate(rows):
        start, offset = 0, before
        for number, text in enumerate(texts):
            end = start + len(text)
            numbers[row, start:end] = text
            places[row, start:end] = np.arange(offset, offset + len(text))
            owner[row, start:end] = number + 1
            last[row, end - 1] = not (shared and number == 0)
            offset = before + len(texts[0]) if shared else before
            start = end
    made = torch.from_numpy(table).to(device)
    # Padding, of owner 0, sees itself: a row of attention must see something.
    mine, others = made[2][:, :, None], made[2][:, None, :]
    mask = (mine == others) | ((others == 1) & (mine > 0)) if shared else mine == others
    return Packed(made[0], made[1][:, None], mask[:, None].tril(), made[3].bool())


def _rows(tails: Sequence[Sequence[int]], most: int) -> Iterator[Sequence[Sequence[int]]]:
    """Yield runs of texts with about *most* pieces each."""
    start = total = 0
    for tail_index, tail in enumerate(tails):
        if tail_index > start and total + len(tail) > most:
            yield tails[start:tail_index]
            start, total = tail_index, 0
        total += len(tail)
    if start < len(tails):
        yield tails[start:]


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
