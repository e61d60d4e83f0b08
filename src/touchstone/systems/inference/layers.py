"""Layers that the models share. Padding changes nothing: it is masked in attention, pooling and sums."""

from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import dropout, pad

from touchstone.systems.inference.batches import Side
from touchstone.systems.inference.vocabulary import Matrix

FORGET = slice(1, 2)
"""The place of the forget gate among the four gates of an LSTM, as PyTorch has them."""


class Words(nn.Module):
    """Vectors of words: rows that are trained in any case (marks, words without vectors), and those of a file.

    Parameters
    ----------
    trained
        How many rows come before those of *vectors*.
    vectors
        What is known of the other words.
    tuned
        Whether these change in training.
    """

    def __init__(self, trained: int, vectors: Matrix, *, tuned: bool) -> None:
        super().__init__()
        self.own = nn.Embedding(trained, vectors.shape[1])
        self.vectors = nn.Embedding.from_pretrained(torch.from_numpy(vectors.copy()), freeze=not tuned)
        nn.init.normal_(self.own.weight, std=float(np.std(vectors)))

    def forward(self, ids: Tensor) -> Tensor:
        """Return the vector of each row."""
        trained = self.own.num_embeddings
        trained_vectors, file_vectors = self.own(ids.clamp(max=trained - 1)), self.vectors((ids - trained).clamp(min=0))
        return torch.where((ids < trained)[..., None], trained_vectors, file_vectors)


class BiLstm(nn.Module):
    """An LSTM over each sentence, and another over the sentence from its end, side by side.

    The second reads each sentence reversed within its own length, so that no padding comes before a token. One bias
    is trained for each gate, as in the papers; PyTorch's second stays 0.
    """

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.forwards = nn.LSTM(inputs, width, batch_first=True)
        self.backwards = nn.LSTM(inputs, width, batch_first=True)
        for lstm in (self.forwards, self.backwards):
            lstm.bias_hh_l0.requires_grad_(False)

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """Return the states of both directions at each token, (B, L, 2 * width)."""
        positions = torch.arange(x.shape[1], device=x.device)
        mirrored = torch.where(positions < lengths[:, None], lengths[:, None] - 1 - positions, positions)
        with torch.autocast(x.device.type, enabled=False):  # cuDNN would compute in float16, whatever autocast says
            x = x.to(self.forwards.weight_ih_l0.dtype)
            ahead = self.forwards(x)[0]
            behind = _reordered(self.backwards(_reordered(x, mirrored))[0], mirrored)
        return torch.cat([ahead, behind], dim=-1)

    def both(self, a: Tensor, b: Tensor, premise: Side, hypothesis: Side) -> tuple[Tensor, Tensor]:
        """Return the states over both sentences of each pair."""
        if not _on_gpu(a):
            return self(a, premise.lengths), self(b, hypothesis.lengths)
        # A GPU waits for the steps of an LSTM, not for its products: both sentences take as many steps as the longer.
        longest = max(a.shape[1], b.shape[1])
        sentences = torch.cat([pad(x, (0, 0, 0, longest - x.shape[1])) for x in (a, b)])
        states = self(sentences, torch.cat([premise.lengths, hypothesis.lengths]))
        return states[: len(a), : a.shape[1]], states[len(a) :, : b.shape[1]]


def _on_gpu(x: Tensor) -> bool:
    return bool(x.is_cuda)


def _reordered(x: Tensor, order: Tensor) -> Tensor:
    return x.gather(1, order[:, :, None].expand(-1, -1, x.shape[2]))


class Mlp(nn.Sequential):
    """Layers of the given widths, each after dropout, each but perhaps the last followed by its activation."""

    def __init__(
        self, widths: list[int], rate: float, activation: type[nn.Module] = nn.ReLU, *, last: bool = True
    ) -> None:
        layers: list[nn.Module] = []
        for inputs, outputs in pairwise(widths):
            layers += [nn.Dropout(rate), nn.Linear(inputs, outputs), activation()]
        super().__init__(*(layers if last else layers[:-1]))


def sequence_dropout(x: Tensor, rate: float, training: bool) -> Tensor:
    """Drop the same numbers of every token of a sentence: one mask per sequence."""
    return x * dropout(torch.ones_like(x[:, :1]), rate, training)


def soft_align(
    e: Tensor, a: Tensor, b: Tensor, premise: Tensor, hypothesis: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Align two sentences softly.

    Parameters
    ----------
    e
        The attention between tokens i of the premise and j of the hypothesis, (B, m, n).
    a, b
        Their vectors.
    premise, hypothesis
        Their masks.

    Returns
    -------
    aligned, other, alpha, beta
        a'_i = sum_j alpha_ij b_j with alpha_i = softmax_j e_ij; b'_j = sum_i beta_ji a_i with beta_j = softmax_i e_ij.
    """
    # Autocast may have computed it in 16 bits, too few for a softmax.
    e = e.float()
    alpha = e.masked_fill(~hypothesis[:, None, :], -torch.inf).softmax(2)
    beta = e.masked_fill(~premise[:, :, None], -torch.inf).softmax(1).transpose(1, 2)
    return alpha.to(b.dtype) @ b, beta.to(a.dtype) @ a, alpha, beta


def average_and_max(v: Tensor, mask: Tensor) -> Tensor:
    """Return the average and the maximum over the tokens of each sentence, side by side."""
    average = (v * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
    return torch.cat([average, max_over_time(v, mask)], dim=-1)


def max_over_time(v: Tensor, mask: Tensor) -> Tensor:
    """Return the maximum over the tokens of each sentence."""
    return v.masked_fill(~mask[:, :, None], -torch.inf).amax(1)


def initialise(model: nn.Module, *, normal: bool = False) -> None:
    """Set weights: Xavier, orthogonal for recurrent ones, each gate by itself; biases 0, that of the forget gate 1."""
    xavier = nn.init.xavier_normal_ if normal else nn.init.xavier_uniform_
    for layer in model.modules():
        if isinstance(layer, nn.Linear):
            xavier(layer.weight)
            nn.init.zeros_(layer.bias)
        elif isinstance(layer, nn.LSTM):
            with torch.no_grad():
                for inputs, states in zip(layer.weight_ih_l0.chunk(4), layer.weight_hh_l0.chunk(4), strict=True):
                    xavier(inputs)
                    nn.init.orthogonal_(states)
                layer.bias_hh_l0.zero_()
                layer.bias_ih_l0.zero_()
                layer.bias_ih_l0.view(4, -1)[FORGET] = 1
