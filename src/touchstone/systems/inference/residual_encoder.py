"""The residual-stacked encoder (Nie and Bansal 2017): each sentence becomes one vector, by three LSTMs on each other.

h_k = BiLSTM_k([X ; h_1 + ... + h_(k-1)])        X the vectors of the words
u = max over time of h_3 (premise), v likewise (hypothesis)
y = MLP([u ; v ; |u - v| ; u * v])
"""

import torch
from torch import Tensor, nn

from touchstone.systems.inference.batches import Batch
from touchstone.systems.inference.layers import BiLstm, Words, initialise, max_over_time
from touchstone.systems.inference.settings import Settings
from touchstone.systems.inference.vocabulary import Matrix

LAYERS = 3


class ResidualEncoder(nn.Module):
    """The model; the sentences meet in the classifier alone."""

    def __init__(self, settings: Settings, trained: int, vectors: Matrix) -> None:
        super().__init__()
        width, inputs = settings.width, vectors.shape[1]
        self.layers = nn.ModuleList(BiLstm(inputs + (2 * width if k else 0), width) for k in range(LAYERS))
        self.classifier = nn.Sequential(
            nn.Linear(8 * width, settings.classifier),
            nn.ReLU(),
            nn.Dropout(settings.dropout),
            nn.Linear(settings.classifier, 3),
        )
        initialise(self)
        self.words = Words(trained, vectors, tuned=settings.tuned)

    def forward(self, batch: Batch) -> Tensor:
        """Return a number for each label, the higher the likelier."""
        x, y = self.words(batch.premise.ids), self.words(batch.hypothesis.ids)
        p, h = batch.premise, batch.hypothesis
        first, *others = self.layers
        a, b = first.both(x, y, p, h)
        sum_a, sum_b = a, b
        for layer in others:
            a, b = layer.both(torch.cat([x, sum_a], dim=-1), torch.cat([y, sum_b], dim=-1), p, h)
            sum_a, sum_b = sum_a + a, sum_b + b
        u, v = max_over_time(a, p.mask), max_over_time(b, h.mask)
        return self.classifier(torch.cat([u, v, (u - v).abs(), u * v], dim=-1))
