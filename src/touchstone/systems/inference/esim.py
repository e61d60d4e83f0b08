"""ESIM (Chen et al. 2017), the sequential model: two bidirectional LSTMs around a soft alignment.

a = BiLSTM(premise), b = BiLSTM(hypothesis)                     encode
e_ij = a_i . b_j; a'_i, b'_j                                    align
m_i = ReLU(W [a_i ; a'_i ; a_i - a'_i ; a_i * a'_i])            enhance
v = BiLSTM(m)                                                   compose
y = MLP([average v_a ; max v_a ; average v_b ; max v_b])        pool and classify
"""

import torch
from torch import Tensor, nn

from touchstone.systems.inference.batches import Batch
from touchstone.systems.inference.layers import (
    BiLstm,
    Mlp,
    Words,
    average_and_max,
    initialise,
    sequence_dropout,
    soft_align,
)
from touchstone.systems.inference.settings import Settings
from touchstone.systems.inference.vocabulary import Matrix


class Esim(nn.Module):
    """The model; *knowledge* numbers are appended to each token before and after the projection (KIM has 5)."""

    def __init__(self, settings: Settings, trained: int, vectors: Matrix, knowledge: int = 0) -> None:
        super().__init__()
        width, self.rate = settings.width, settings.dropout
        self.encoder = BiLstm(vectors.shape[1], width)
        self.projection = nn.Linear(8 * width + knowledge, width)
        self.composition = BiLstm(width + knowledge, width)
        self.classifier = Mlp([8 * width, settings.classifier, 3], settings.dropout, nn.Tanh, last=False)
        initialise(self)
        self.words = Words(trained, vectors, tuned=settings.tuned)

    def forward(self, batch: Batch) -> Tensor:
        """Return a number for each label, the higher the likelier."""
        p, h = batch.premise, batch.hypothesis
        a, b = self.encode(batch)
        aligned, other, _, _ = soft_align(a @ b.transpose(1, 2), a, b, p.mask, h.mask)
        m_a, m_b = self.project(enhance(a, aligned)), self.project(enhance(b, other))
        return self.classify(m_a, m_b, batch)

    def encode(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return the states of the first LSTM over both sentences."""
        x, y = (
            sequence_dropout(self.words(side.ids), self.rate, self.training)
            for side in (batch.premise, batch.hypothesis)
        )
        return self.encoder.both(x, y, batch.premise, batch.hypothesis)

    def project(self, enhanced: Tensor) -> Tensor:
        """Return the enhanced vectors, projected to the width of the second LSTM."""
        return sequence_dropout(self.projection(enhanced).relu(), self.rate, self.training)

    def classify(self, m_a: Tensor, m_b: Tensor, batch: Batch) -> Tensor:
        """Compose, pool and classify."""
        v_a, v_b = self.composition.both(m_a, m_b, batch.premise, batch.hypothesis)
        pooled = [average_and_max(v_a, batch.premise.mask), average_and_max(v_b, batch.hypothesis.mask)]
        return self.classifier(torch.cat(pooled, dim=-1))


def enhance(a: Tensor, aligned: Tensor) -> Tensor:
    """Return [a ; a' ; a - a' ; a * a']."""
    return torch.cat([a, aligned, a - aligned, a * aligned], dim=-1)
