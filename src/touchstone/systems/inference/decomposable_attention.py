"""Decomposable Attention (Parikh et al. 2016): attend, compare, aggregate; no order of words.

    e_ij = F(a_i) . F(b_j)                    attend
    v_1i = G([a_i ; a'_i]), v_2j likewise     compare
    y = H([sum_i v_1i ; sum_j v_2j])          aggregate

A mark ends each sentence, so that a token can be aligned with nothing.
"""

import torch
from torch import Tensor, nn

from touchstone.systems.inference.batches import Batch
from touchstone.systems.inference.layers import Mlp, Words, initialise, soft_align
from touchstone.systems.inference.settings import Settings
from touchstone.systems.inference.vocabulary import Matrix


class DecomposableAttention(nn.Module):
    """The model without attention inside a sentence."""

    def __init__(self, settings: Settings, trained: int, vectors: Matrix) -> None:
        super().__init__()
        width, rate = settings.width, settings.dropout
        self.project = nn.Linear(vectors.shape[1], width)
        self.attend = Mlp([width, width, width], rate)  # F
        self.compare = Mlp([2 * width, width, width], rate)  # G
        self.aggregate = Mlp([2 * width, settings.classifier, 3], rate, last=False)  # H
        initialise(self, normal=True)
        self.words = Words(trained, vectors, tuned=settings.tuned)

    def forward(self, batch: Batch) -> Tensor:
        """Return a number for each label, the higher the likelier."""
        p, h = batch.premise, batch.hypothesis
        a, b = self.project(self.words(p.ids)), self.project(self.words(h.ids))
        e = self.attend(a) @ self.attend(b).transpose(1, 2)
        aligned, other, _, _ = soft_align(e, a, b, p.mask, h.mask)
        v_1 = self.compare(torch.cat([a, aligned], dim=-1)) * p.mask[:, :, None]
        v_2 = self.compare(torch.cat([b, other], dim=-1)) * h.mask[:, :, None]
        return self.aggregate(torch.cat([v_1.sum(1), v_2.sum(1)], dim=-1))
